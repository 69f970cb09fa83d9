// SPDX-License-Identifier: Apache-2.0
// fork and exec; between the two only what is safe while other threads run.
#include "longarm/network/external/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace longarm::network::external {
namespace {

/// In the child. Returns only if the program could not be started.
void become(char* const* words, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(1);  // it died before we could ask to be told
  }
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) {
    dup2(nothing, STDIN_FILENO);
  }
  dup2(STDERR_FILENO, STDOUT_FILENO);  // our own output is for results
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvp(words[0], words);
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("was killed by signal {} ({})", signal, strsignal(signal));
  }
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::vector<std::string>& words) {
  if (words.empty()) {
    return Error{"there is no command"};
  }
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);

  // exec closes the pipe; if it fails, the reason comes through it
  int reason[2];
  if (pipe2(reason, O_CLOEXEC) != 0) {
    return Error{fmt::format("no pipe: {}", std::strerror(errno))};
  }
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process == 0) {
    become(arguments.data(), parent);
    const int why = errno;
    [[maybe_unused]] const ssize_t written = write(reason[1], &why, sizeof why);
    _exit(127);
  }
  close(reason[1]);
  int why = 0;
  ssize_t count = 0;
  if (process > 0) {
    do {
      count = read(reason[0], &why, sizeof why);
    } while (count < 0 && errno == EINTR);
  }
  close(reason[0]);
  if (process < 0) {
    return Error{fmt::format("no process: {}", std::strerror(errno))};
  }
  if (count > 0) {
    waitpid(process, nullptr, 0);
    return Error{fmt::format("cannot start '{}': {}", words[0], std::strerror(why))};
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(process));
}

std::optional<std::string> ChildProcess::ended() {
  int status = 0;
  if (!how_ && waitpid(process_, &status, WNOHANG) == process_) {
    how_ = describe(status);
  }
  return how_;
}

std::optional<std::string> ChildProcess::wait(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!ended() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return how_;
}

ChildProcess::~ChildProcess() {
  const bool has_ended = ended().has_value();
  kill(-process_, SIGKILL);  // the group: also what a script has left behind
  if (!has_ended) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
}

}  // namespace longarm::network::external
