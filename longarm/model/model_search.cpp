// SPDX-License-Identifier: Apache-2.0
// Lists the places that a URI can mean and takes the first where something is.
#include "longarm/model/model_search.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include <pugixml.hpp>

#include "longarm/core/suggest.h"

namespace longarm::model {
namespace {

namespace fs = std::filesystem;

constexpr int kLevelsUp = 4;
constexpr int kLevelsDown = 3;
// Of a search by the end of a path: a robot's own folder, not a whole disk.
constexpr int kRobotLevelsUp = 3;
constexpr int kRobotLevelsDown = 6;
constexpr std::size_t kMostFiles = 20000;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Whether `folder` is the package or model `name`: by its own name or by its package.xml.
bool is_package(const fs::path& folder, const std::string& name) {
  if (folder.filename() == name) {
    return true;
  }
  pugi::xml_document manifest;
  return manifest.load_file((folder / "package.xml").c_str()) &&
         name == manifest.child("package").child("name").text().get();
}

std::vector<fs::path> sorted_folders(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored)) {
      folders.push_back(it->path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// A package some levels below `folder`; packages do not hold others.
std::optional<fs::path> crawl(const fs::path& folder, const std::string& name, int levels) {
  for (const fs::path& below : sorted_folders(folder)) {
    const bool has_manifest = is_there(below / "package.xml");
    if (has_manifest && is_package(below, name)) {
      return below;
    }
    if (!has_manifest && levels > 1) {
      if (const std::optional<fs::path> found = crawl(below, name, levels - 1)) {
        return found;
      }
    }
  }
  return std::nullopt;
}

/// Looks at places one after the other and remembers them.
class Lookup {
 public:
  /// Whether the answer is known now.
  bool try_place(const fs::path& place) {
    std::string text = place.lexically_normal().string();
    if (text.size() > 1 && text.back() == '/') {
      text.pop_back();
    }
    if (found_.empty() && std::find(places_.begin(), places_.end(), text) == places_.end()) {
      places_.push_back(text);
      // after a link to another folder, .. is not what it says
      found_ = is_there(text) ? text : is_there(place) ? place.string() : "";
    }
    return !found_.empty();
  }

  Result<std::string> answer(const std::string& kind, const std::string& uri) const {
    if (!found_.empty()) {
      return found_;
    }
    return Error{"there is no " + kind + " '" + uri + "'; looked for " + join(places_)};
  }

 private:
  std::vector<std::string> places_;
  std::string found_;
};

void look_for_package(const std::string& name, const fs::path& inside, const fs::path& model_folder,
                      const ModelSearch& search, Lookup& lookup) {
  for (fs::path up = model_folder; !up.empty(); up = up.parent_path()) {
    if (is_package(up, name) && lookup.try_place(up / inside)) {
      return;
    }
    if (up == up.root_path()) {
      break;
    }
  }
  fs::path up = model_folder;
  for (int level = 0; level < kLevelsUp && up != up.root_path(); ++level) {
    if (lookup.try_place(up / name / inside)) {
      return;
    }
    up = up.parent_path();
  }
  for (const std::string& folder : search.folders) {
    if ((is_package(folder, name) && lookup.try_place(fs::path(folder) / inside)) ||
        lookup.try_place(fs::path(folder) / name / inside)) {
      return;
    }
  }
  for (const std::string& folder : search.folders) {
    if (const std::optional<fs::path> package = crawl(folder, name, kLevelsDown);
        package && lookup.try_place(*package / inside)) {
      return;
    }
  }
}

/// Robots are often handed on without their package: the end of the path, a folder and a file at
/// least, in one of the folders around the model file.
std::optional<std::string> find_nearby(const fs::path& inside, const fs::path& model_folder) {
  std::vector<fs::path> parts(inside.begin(), inside.end());
  std::erase_if(parts, [](const fs::path& part) { return part == ".." || part == "."; });
  for (std::size_t first = 0; first + 2 <= parts.size(); ++first) {
    fs::path tail;
    for (std::size_t i = first; i < parts.size(); ++i) {
      tail /= parts[i];
    }
    fs::path up = model_folder;
    for (int level = 0; level < kLevelsUp && up != up.root_path(); ++level) {
      if (is_there(up / tail)) {
        return (up / tail).lexically_normal().string();
      }
      up = up.parent_path();
    }
  }
  return std::nullopt;
}

/// Files of that name below a folder; nothing if there are too many files to look at.
std::vector<fs::path> files_named(const fs::path& name, const fs::path& folder) {
  std::vector<fs::path> found;
  std::size_t seen = 0;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(folder, options, error), end; !error && it != end;
       it.increment(error)) {
    if (++seen > kMostFiles) {
      return {};
    }
    if (it.depth() >= kRobotLevelsDown) {
      it.disable_recursion_pending();
    }
    std::error_code ignored;
    if (it->path().filename() == name && it->is_regular_file(ignored)) {
      found.push_back(it->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// What belongs to the robot of a model file: its package; without one the file's folder, or the
/// folder around it where that is only the usual place of such files.
fs::path robot_folder(const fs::path& model_folder) {
  fs::path up = model_folder;
  for (int level = 0; level < kRobotLevelsUp && up != up.root_path(); ++level) {
    if (is_there(up / "package.xml")) {
      return up;
    }
    up = up.parent_path();
  }
  const std::string name = model_folder.filename().string();
  const bool is_usual_place = name == "urdf" || name == "robots" || name == "robot" ||
                              name == "xacro" || name == "model" || name == "cfg";
  return is_usual_place ? model_folder.parent_path() : model_folder;
}

bool ends_in(const fs::path& path, const std::vector<fs::path>& parts, std::size_t first) {
  const std::vector<fs::path> whole(path.begin(), path.end());
  const std::size_t count = parts.size() - first;
  return whole.size() >= count &&
         std::equal(whole.end() - static_cast<std::ptrdiff_t>(count), whole.end(),
                    parts.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

std::optional<std::pair<std::string, std::string>> parse_xacro_argument(const std::string& text) {
  const std::size_t sign = text.find(":=");
  if (sign == 0 || sign == std::string::npos) {
    return std::nullopt;
  }
  return std::pair(text.substr(0, sign), text.substr(sign + 2));
}

ModelSearch search_from_environment(const std::vector<std::string>& first,
                                    const Environment& environment) {
  ModelSearch search{first};
  for (const char* variable :
       {"LONGARM_MODEL_PATH", "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GAZEBO_MODEL_PATH",
        "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH"}) {
    std::istringstream value(environment(variable));
    for (std::string folder; std::getline(value, folder, ':');) {
      if (!folder.empty()) {
        const bool is_prefix = variable == std::string("AMENT_PREFIX_PATH");
        search.folders.push_back(is_prefix ? (fs::path(folder) / "share").string() : folder);
      }
    }
  }
  return search;
}

Result<std::string> find_resource(const std::string& kind, const std::string& uri,
                                  const std::string& model_path, const ModelSearch& search) {
  std::error_code ignored;
  const fs::path model_folder = fs::absolute(model_path, ignored).lexically_normal().parent_path();
  const std::size_t scheme_end = uri.find("://");
  const std::string scheme = scheme_end == std::string::npos ? "" : uri.substr(0, scheme_end);
  const std::string rest = scheme.empty() ? uri : uri.substr(scheme_end + 3);
  Lookup lookup;
  if (scheme == "package" || scheme == "model") {
    const std::size_t slash = rest.find('/');
    const std::string inside = slash == std::string::npos ? "" : rest.substr(slash + 1);
    look_for_package(rest.substr(0, slash), inside, model_folder, search, lookup);
    const Result<std::string> answer = lookup.answer(kind, uri);
    const auto nearby = answer || kind != "mesh" ? std::nullopt : find_nearby(inside, model_folder);
    return nearby ? Result<std::string>(*nearby) : answer;
  }
  if (!scheme.empty() && scheme != "file") {
    return Error{kind + " '" + uri + "' cannot be found: " + scheme + ":// is not supported"};
  }
  // an absolute path swallows the folder before it
  if (!lookup.try_place(model_folder / rest) && fs::path(rest).is_relative()) {
    for (const std::string& folder : search.folders) {
      if (lookup.try_place(fs::path(folder) / rest)) {
        break;
      }
    }
  }
  const Result<std::string> answer = lookup.answer(kind, uri);
  const bool may_be_nearby = !answer && kind == "mesh" && fs::path(rest).is_relative();
  const auto nearby = may_be_nearby ? find_nearby(rest, model_folder) : std::nullopt;
  return nearby ? Result<std::string>(*nearby) : answer;
}

std::vector<std::string> find_by_end(const std::string& uri, const std::string& model_path) {
  std::error_code ignored;
  const std::size_t scheme_end = uri.find("://");
  const fs::path wanted = scheme_end == std::string::npos ? uri : uri.substr(scheme_end + 3);
  std::vector<fs::path> parts(wanted.begin(), wanted.end());
  std::erase_if(parts,
                [](const fs::path& part) { return part == ".." || part == "." || part == "/"; });
  if (parts.size() < 2) {
    return {};
  }
  fs::path up = fs::absolute(model_path, ignored).lexically_normal().parent_path();
  const fs::path last = robot_folder(up);
  for (;; up = up.parent_path()) {
    const std::vector<fs::path> files = files_named(parts.back(), up);
    for (std::size_t first = 0; first + 2 <= parts.size(); ++first) {
      std::vector<std::string> found;
      for (const fs::path& file : files) {
        if (ends_in(file, parts, first)) {
          found.push_back(file.string());
        }
      }
      if (!found.empty()) {
        return found;
      }
    }
    if (up == last || up == up.root_path()) {
      return {};
    }
  }
}

}  // namespace longarm::model
