// SPDX-License-Identifier: Apache-2.0
// Keeps MuJoCo from writing files or ending the process, and readers from each other.
#include "longarm/model/mujoco_loader.h"

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

}  // namespace

MujocoModelPtr load_mujoco_xml(const std::string& file, const mjVFS* files, std::string& error) {
  const std::lock_guard lock(loader_mutex());
  mju_user_error = fail_in_mujoco;
  mju_user_warning = ignore_warning;
  std::string words(1000, '\0');
  MujocoModelPtr model(
      mj_loadXML(file.c_str(), files, words.data(), static_cast<int>(words.size())));
  error = words.c_str();
  return model;
}

}  // namespace longarm::model
