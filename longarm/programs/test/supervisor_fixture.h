// SPDX-License-Identifier: Apache-2.0
// Runs real programs in simulated time and keeps what they print; nothing of them may be left.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "longarm/programs/kernel/output_file.h"
#include "longarm/programs/supervisor/process_files.h"
#include "longarm/programs/supervisor/supervisor.h"

namespace longarm::programs {

inline std::string test_program(const std::string& name) {
  return std::string(LONGARM_TEST_PROGRAMS) + "/" + name;
}

/// A simulation with one host, on which programs run.
class ProgramWorld {
 public:
  explicit ProgramWorld(SupervisorOptions options = {}, control::HostClock clock_of_host = {})
      : children_(children()) {
    options.log = Log([this](LogLevel, const std::string& line) { log_ += line + "\n"; });
    Result<std::unique_ptr<Supervisor>> made = Supervisor::make(clock_, options);
    if (!made) {
      ADD_FAILURE() << made.error().message;
      return;
    }
    supervisor_ = std::move(made).value();
    kernel_ = std::make_unique<Kernel>(clock_, *supervisor_);
    supervisor_->set_kernel(*kernel_);
    Host host;
    host.name = "edge";
    host.clock = clock_of_host;
    host_ = &kernel_->add_host(std::move(host));
    // all that it runs is in a PID namespace of its own
    for (const pid_t child : children()) {
      if (std::find(children_.begin(), children_.end(), child) == children_.end()) {
        space_ = space_of(child);
      }
    }
  }
  ~ProgramWorld() { end(); }

  /// Ends all programs; nothing may be left of them.
  void end() {
    if (!supervisor_) {
      return;
    }
    EXPECT_FALSE(space_.empty());
    supervisor_.reset();
    kernel_.reset();
    EXPECT_EQ(children(), children_);
    EXPECT_TRUE(processes_in(space_).empty());
  }

  Result<Thread*> launch(const std::vector<std::string>& command) {
    ProgramOptions options;
    options.command = command;
    options.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
    options.host = host_;
    options.standard[1] = options.standard[2] =
        std::make_shared<OutputFile>(*kernel_, [this](Time, std::span<const std::byte> bytes) {
          output_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        });
    options.ended = [this](int status) {
      status_ = status;
      ended_ = clock_.now();
    };
    return supervisor_->launch(options);
  }

  /// What it printed by that time, by default its end. An error of the run instead, if there is
  /// one.
  std::string run(const std::vector<std::string>& command,
                  Time until = Time(Duration(1'000'000'000'000'000))) {
    if (const Result<Thread*> launched = launch(command); !launched) {
      return launched.error().message;
    }
    const Result<Time> done = clock_.run_until(until);
    return done ? output_ : done.error().message;
  }

  /// As this process sees it.
  pid_t id_here(pid_t id_of_program) const {
    for (const pid_t process : processes_in(space_)) {
      if (const auto status = read_task_status(process);
          status && status->inner_id == id_of_program) {
        return process;
      }
    }
    return -1;
  }

  sim::Kernel& clock() { return clock_; }
  Kernel& kernel() { return *kernel_; }
  Supervisor& supervisor() { return *supervisor_; }
  const std::string& output() const { return output_; }
  const std::string& log() const { return log_; }
  /// As wait(2) has it; nothing: it runs.
  std::optional<int> status() const { return status_; }
  Time ended() const { return ended_; }

 private:
  static std::vector<pid_t> children() {
    std::vector<pid_t> all = read_children(::getpid(), ::gettid());
    std::sort(all.begin(), all.end());
    return all;
  }
  static std::string space_of(pid_t process) {
    std::error_code error;
    return std::filesystem::read_symlink(fmt::format("/proc/{}/ns/pid", process), error);
  }
  static std::vector<pid_t> processes_in(const std::string& space) {
    std::vector<pid_t> all;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::error_code error;
      if (std::filesystem::read_symlink(entry.path() / "ns/pid", error) == space) {
        all.push_back(std::stoi(entry.path().filename()));
      }
    }
    return all;
  }

  std::vector<pid_t> children_;  ///< before
  std::string space_;
  sim::Kernel clock_;
  std::unique_ptr<Supervisor> supervisor_;
  std::unique_ptr<Kernel> kernel_;
  Host* host_ = nullptr;
  std::string output_;
  std::string log_;
  std::optional<int> status_;
  Time ended_{};
};

}  // namespace longarm::programs
