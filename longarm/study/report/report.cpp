// SPDX-License-Identifier: Apache-2.0
// Puts data into the page and the page onto the disk.
#include "longarm/study/report/report.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "longarm/core/check.h"
#include "longarm/core/diagnostic.h"

namespace longarm::study {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDataElement = "id=\"report-data\">";
/// What draws the robot; most of the page.
constexpr std::string_view kMotionElement = "id=\"packed-motion\">";

[[noreturn]] void refuse_to_write(const fs::path& file, const std::string& why) {
  throw InputError(Diagnostic{
      {},
      fmt::format("cannot write {}: {}", file.string(), why),
      "check that the disk is not full and that you may write there, or choose another --out"});
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Why it failed, or nothing. `mode` is fopen's.
std::string write_all(const fs::path& file, std::string_view text, const char* mode) {
  std::unique_ptr<std::FILE, CloseFile> out(std::fopen(file.c_str(), mode));
  if (!out) {
    return std::strerror(errno);
  }
  if (std::fwrite(text.data(), 1, text.size(), out.get()) != text.size() ||
      std::fflush(out.get()) != 0) {
    return std::strerror(errno);
  }
  return std::fclose(out.release()) == 0 ? "" : std::strerror(errno);
}

/// Between its tags.
std::string_view content_of(std::string_view page, std::string_view element) {
  const std::size_t found = page.find(element);
  check(found != std::string_view::npos, "the report page lacks an element");
  const std::size_t begin = found + element.size();
  const std::size_t end = page.find("</script>", begin);
  check(end != std::string_view::npos, "an element of the report page has no end");
  return page.substr(begin, end - begin);
}

}  // namespace

std::string report_html(const Report& report, std::string_view page) {
  if (page.empty()) {
    throw InputError(Diagnostic{{},
                                "this longarm was built without the report page",
                                "install npm and rebuild, or use --svg DIR or longarm export"});
  }
  // text that is no UTF-8 must not keep the user from the rest
  const std::string data =
      to_json(report).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string html;
  html.reserve(page.size() + data.size() + data.size() / 16);
  const auto up_to = [&](std::string_view part) {
    html += page.substr(0, static_cast<std::size_t>(part.data() - page.data()));
    page.remove_prefix(static_cast<std::size_t>(part.data() + part.size() - page.data()));
  };
  if (report.motion.is_null() && page.find(kMotionElement) != std::string_view::npos) {
    up_to(content_of(page, kMotionElement));
  }
  up_to(content_of(page, kDataElement));
  for (const char c : data) {
    // no text in the data can end the element it is in
    if (c == '<') {
      html += "\\u003c";
    } else {
      html += c;
    }
  }
  html += page;
  return html;
}

void replace_file(const fs::path& file, std::string_view text) {
  std::error_code code;
  // a link stays one; a device or a pipe cannot be replaced, only written to
  const fs::path target = fs::is_symlink(file, code) ? fs::weakly_canonical(file, code) : file;
  if (fs::exists(target, code) && !fs::is_regular_file(target, code)) {
    if (const std::string problem = write_all(target, text, "wb"); !problem.empty()) {
      refuse_to_write(file, problem);
    }
    return;
  }
  const fs::path beside = target.string() + fmt::format(".{}.part", getpid());
  const std::string problem = write_all(beside, text, "wbx");
  if (!problem.empty()) {
    fs::remove(beside, code);
    refuse_to_write(file, problem);
  }
  fs::rename(beside, target, code);
  if (code) {
    const std::string why = code.message();
    fs::remove(beside, code);
    refuse_to_write(file, why);
  }
}

}  // namespace longarm::study
