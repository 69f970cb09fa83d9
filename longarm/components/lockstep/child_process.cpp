// SPDX-License-Identifier: Apache-2.0
// The program leads a process group of its own, so that a shell's children end with it.
#include "longarm/components/lockstep/child_process.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace longarm::components {
namespace {

constexpr Duration kLookForEndEvery{2'000'000};
constexpr Duration kGrace{500'000'000};

std::string describe(int status) {
  return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                             : fmt::format("exit code {}", WEXITSTATUS(status));
}

std::vector<std::string> make_environment(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> result;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view entry = *each;
    if (!variables.contains(std::string(entry.substr(0, entry.find('='))))) {
      result.emplace_back(entry);
    }
  }
  for (const auto& [name, value] : variables) {
    result.push_back(name + "=" + value);
  }
  return result;
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::string& command,
                                         const std::map<std::string, std::string>& variables) {
  std::vector<std::string> environment = make_environment(variables);
  std::vector<char*> environment_pointers;
  for (std::string& each : environment) {
    environment_pointers.push_back(each.data());
  }
  environment_pointers.push_back(nullptr);
  std::string words[] = {"/bin/sh", "-c", command};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t id = -1;
  const int code =
      posix_spawn(&id, "/bin/sh", &files, &attributes, arguments, environment_pointers.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (code != 0) {
    return Error{fmt::format("cannot start '{}': {}", command, std::strerror(code))};
  }
  return ChildProcess(id);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)), ending_(std::move(other.ending_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(ending_, other.ending_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (id_ < 0) {
    return;
  }
  if (!wait(Duration::zero())) {
    ::kill(-id_, SIGTERM);
    if (!wait(kGrace)) {
      ::kill(-id_, SIGKILL);
      wait(kGrace);
    }
  }
}

std::optional<std::string> ChildProcess::wait(Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!ending_ && id_ >= 0) {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) == id_) {
      ending_ = describe(status);
      break;
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      break;
    }
    std::this_thread::sleep_for(kLookForEndEvery);
  }
  return ending_;
}

}  // namespace longarm::components
