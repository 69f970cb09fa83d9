// SPDX-License-Identifier: Apache-2.0
// Keeps MuJoCo from writing files or ending the process, and readers from each other.
#include "longarm/model/mujoco_loader.h"

#include <cstring>
#include <mutex>

#include "longarm/core/check.h"

namespace longarm::model {
namespace {

void fail_in_mujoco(const char* message) {
  fail_check(message);
}

void ignore_warning(const char*) {}

/// MuJoCo's handlers and its XML loader are one per process; this is what guards them.
std::mutex& loader_mutex() {
  static std::mutex mutex;
  return mutex;
}

constexpr const char* kFileName = "cell.xml";

struct VirtualFiles {
  explicit VirtualFiles(const std::string& text) : files(std::make_unique<mjVFS>()) {
    mj_defaultVFS(files.get());
    const int failure = mj_makeEmptyFileVFS(files.get(), kFileName, static_cast<int>(text.size()));
    check(failure == 0, "MuJoCo has no room for a model");
    std::memcpy(files->filedata[0], text.data(), text.size());
  }
  ~VirtualFiles() { mj_deleteVFS(files.get()); }
  VirtualFiles(const VirtualFiles&) = delete;
  VirtualFiles& operator=(const VirtualFiles&) = delete;

  std::unique_ptr<mjVFS> files;
};

}  // namespace

MujocoModelPtr load_mujoco_text(const std::string& mjcf, std::string& error) {
  const std::lock_guard lock(loader_mutex());
  mju_user_error = fail_in_mujoco;
  mju_user_warning = ignore_warning;
  const VirtualFiles virtual_files(mjcf);
  std::string words(1000, '\0');
  MujocoModelPtr model(mj_loadXML(kFileName, virtual_files.files.get(), words.data(),
                                  static_cast<int>(words.size())));
  error = words.c_str();
  return model;
}

}  // namespace longarm::model
