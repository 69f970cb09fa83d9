// SPDX-License-Identifier: Apache-2.0
// Opens shared objects, and refuses those that could only crash us.
#include "longarm/cell/plugin.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include <dlfcn.h>
#include <fmt/format.h>

#include "longarm/config/data_files.h"
#include "longarm/core/diagnostic.h"

namespace longarm::cell {
namespace {

using config::ConfigNode;

template <typename Function>
Function find_function(void* handle, const char* name) {
  return reinterpret_cast<Function>(dlsym(handle, name));
}

void check_stamp(const std::string& file, const std::string& theirs) {
  const std::string ours = LONGARM_PLUGIN_STAMP;
  if (theirs != ours) {
    refuse({file},
           fmt::format("this plug-in was built for longarm {}, but this is {}", theirs, ours),
           "rebuild it with this compiler against the package of this program");
  }
}

}  // namespace

void load_plugin(const std::string& file, Plugins& plugins) {
  if (!std::filesystem::is_regular_file(file)) {
    refuse({file}, "plug-in not found", "give the path of a shared object (.so)");
  }
  // a name without a slash would be looked for in the system's folders; the rest of a plug-in is
  // its own affair, so its symbols stay local
  const std::string path = std::filesystem::canonical(file);
  if (std::find(plugins.files.begin(), plugins.files.end(), path) != plugins.files.end()) {
    return;
  }
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    refuse({file}, fmt::format("this plug-in cannot be loaded: {}", dlerror()),
           "check that it is a shared object for this machine and linked with all its libraries");
  }
  const auto stamp = find_function<const char* (*)()>(handle, "longarm_plugin_stamp");
  const auto add = find_function<void (*)(Plugins&)>(handle, "longarm_plugin_register");
  if (stamp == nullptr || add == nullptr) {
    refuse(
        {file}, "this shared object is not a longarm plug-in",
        "a plug-in defines one function that begins with LONGARM_PLUGIN (longarm/cell/plugin.h)");
  }
  check_stamp(file, stamp());
  try {
    add(plugins);
  } catch (const std::logic_error& problem) {
    refuse({file}, problem.what(), "give it another name in the plug-in");
  }
  plugins.files.push_back(path);
}

void load_plugins(const config::ConfigNode& root, const std::string& path,
                  const std::vector<std::string>& files, Plugins& plugins) {
  for (const std::string& file : files) {
    load_plugin(file, plugins);
  }
  const ConfigNode* named = root.find("plugins");
  if (named == nullptr) {
    return;
  }
  const bool is_list = named->kind == ConfigNode::Kind::kList;
  for (const ConfigNode& item : is_list ? named->items : std::vector<ConfigNode>{*named}) {
    const Result<std::string> file = config::files_of(path).find(item.text);
    if (item.kind != ConfigNode::Kind::kScalar) {
      continue;  // reported by the reader
    }
    if (!file) {
      throw InputError(Diagnostic{item.where, file.error().message, "build the plug-in first"});
    }
    load_plugin(*file, plugins);
  }
}

Plugins plugins_with(Plugins plugins, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    load_plugin(file, plugins);
  }
  return plugins;
}

}  // namespace longarm::cell
