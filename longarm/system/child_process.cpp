// SPDX-License-Identifier: Apache-2.0
// fork and exec; between the two only what is safe while other threads run.
#include "longarm/system/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "longarm/system/descriptor.h"
#include "longarm/system/wait.h"

namespace longarm::system {
namespace {

constexpr std::chrono::milliseconds kLookEvery(1);

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

/// As exec wants them, with a null after the last.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) {
    pointers.push_back(const_cast<char*>(text.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

/// In the child. Returns only if the program could not be started.
void become(char* const* words, char* const* environment, const ChildOptions& options,
            pid_t parent) {
  setpgid(0, 0);
  if (options.ends_with_thread) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
      _exit(1);  // it died before we could ask to be told
    }
  }
  const int nothing = options.has_input ? -1 : open("/dev/null", O_RDONLY);
  if (nothing >= 0) {
    dup2(nothing, STDIN_FILENO);
  }
  dup2(STDERR_FILENO, STDOUT_FILENO);  // our own output is for results
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  execvpe(words[0], words, environment);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& words,
                                         const ChildOptions& options) {
  if (words.empty()) {
    return Error{"there is no command"};
  }
  const std::vector<std::string> environment = make_environment(options.variables);
  const std::vector<char*> word_pointers = pointers_to(words);
  const std::vector<char*> environment_pointers = pointers_to(environment);

  // exec closes the pipe; if it fails, the reason comes through it
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{"no pipe: " + last_system_error()};
  }
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) {
    return Error{"no process: " + last_system_error()};
  }
  if (process == 0) {
    become(word_pointers.data(), environment_pointers.data(), options, parent);
    const int why = errno;
    [[maybe_unused]] const ssize_t written = write(writer.number(), &why, sizeof why);
    _exit(127);
  }
  writer.reset();
  int why = 0;
  ssize_t count = 0;
  do {
    count = read(reader.number(), &why, sizeof why);
  } while (count < 0 && errno == EINTR);
  if (count > 0) {
    waitpid(process, nullptr, 0);
    return Error{fmt::format("cannot start '{}': {}", words[0], std::strerror(why))};
  }
  return ChildProcess(process, options.grace);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)), grace_(other.grace_), ending_(other.ending_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(grace_, other.grace_);
  std::swap(ending_, other.ending_);
  return *this;
}

std::optional<ChildProcess::Ending> ChildProcess::wait(Duration patience) {
  const auto deadline = WallClock::now() + patience;
  while (!ending_ && process_ > 0) {
    int status = 0;
    if (waitpid(process_, &status, WNOHANG) == process_) {
      ending_ = WIFSIGNALED(status) ? Ending{WTERMSIG(status), true} : Ending{WEXITSTATUS(status)};
    } else if (WallClock::now() >= deadline) {
      break;
    } else {
      std::this_thread::sleep_for(kLookEvery);
    }
  }
  return ending_;
}

ChildProcess::~ChildProcess() {
  if (process_ <= 0) {
    return;
  }
  wait(Duration::zero());
  if (grace_ > Duration::zero()) {
    if (!ending_) {
      kill(-process_, SIGTERM);
      wait(grace_);
    }
    if (ending_) {
      return;
    }
  }
  kill(-process_, SIGKILL);  // the group: also what a script has left behind
  if (!ending_) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
}

}  // namespace longarm::system
