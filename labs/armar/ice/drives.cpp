// SPDX-License-Identifier: Apache-2.0
// A connection to the drives of the simulated arm: lines of text.
#include "labs/armar/ice/drives.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace longarm::armar::ice {
namespace {

const char* word_of(::armar::ControlMode mode) {
  switch (mode) {
    case ::armar::ControlMode::Position:
      return "position";
    case ::armar::ControlMode::Velocity:
      return "velocity";
    default:
      return "torque";
  }
}

int connect_to(const std::string& host, const std::string& port) {
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int problem = getaddrinfo(host.c_str(), port.c_str(), &wanted, &found); problem != 0) {
    throw std::runtime_error(host + ": " + gai_strerror(problem));
  }
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  const bool is_connected = connect(file, found->ai_addr, found->ai_addrlen) == 0;
  const int problem = errno;
  freeaddrinfo(found);
  if (!is_connected) {
    close(file);
    throw std::runtime_error("drives at " + host + ":" + port + ": " + std::strerror(problem));
  }
  const int yes = 1;
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  return file;
}

class RemoteDrives final : public Drives {
 public:
  RemoteDrives(const std::string& host, const std::string& port, std::vector<std::string> joints)
      : joints_(std::move(joints)), file_(connect_to(host, port)) {
    std::string expected = "joints";
    for (const std::string& joint : joints_) {
      expected += ' ' + joint;
    }
    if (take_line() != expected) {
      throw std::runtime_error("the drives are not those of " + expected);
    }
    ::armar::ControlModes modes;
    for (const std::string& joint : joints_) {
      modes[joint] = ::armar::ControlMode::Position;
    }
    switch_modes(modes);
    note(take_line());
    reader_ = std::thread([this] {
      for (std::string line = take_line(); !line.empty(); line = take_line()) {
        note(line);
      }
    });
  }
  ~RemoteDrives() override {
    shutdown(file_, SHUT_RDWR);
    reader_.join();
    close(file_);
  }

  void switch_modes(const ::armar::ControlModes& modes) override {
    std::string lines;
    for (const auto& [joint, mode] : modes) {
      lines += "mode " + joint + ' ' + word_of(mode) + '\n';
    }
    tell(lines);
  }
  void command(const ::armar::JointValues& velocities) override {
    std::string lines;
    for (const auto& [joint, velocity] : velocities) {
      char number[32];
      std::snprintf(number, sizeof(number), "%.9g", velocity);
      lines += "velocity " + joint + ' ' + number + '\n';
    }
    tell(lines);
  }
  JointStates read() override {
    const std::lock_guard lock(mutex_);
    return states_;
  }

 private:
  void tell(const std::string& lines) {
    if (send(file_, lines.data(), lines.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(lines.size())) {
      throw std::runtime_error("the drives are gone");
    }
  }

  /// Without its end; empty: the arm is gone.
  std::string take_line() {
    for (;;) {
      if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
        const std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
      }
      char bytes[4096];
      const ssize_t size = recv(file_, bytes, sizeof(bytes), 0);
      if (size <= 0) {
        return {};
      }
      received_.append(bytes, static_cast<std::size_t>(size));
    }
  }

  void note(const std::string& line) {
    std::istringstream words(line);
    std::string what;
    double seconds = 0.0;
    words >> what >> seconds;
    JointStates states;
    for (std::vector<double>* values : {&states.positions, &states.velocities, &states.torques}) {
      values->resize(joints_.size());
      for (double& value : *values) {
        words >> value;
      }
    }
    if (what != "state" || !words) {
      throw std::runtime_error("the drives say '" + line + "'");
    }
    const std::lock_guard lock(mutex_);
    states_ = std::move(states);
  }

  std::vector<std::string> joints_;
  int file_;
  std::string received_;
  std::mutex mutex_;
  JointStates states_;
  std::thread reader_;
};

}  // namespace

std::unique_ptr<Drives> connect_to_drives(const std::string& at,
                                          const std::vector<std::string>& joints) {
  const std::size_t space = at.find(' ');
  if (space == std::string::npos) {
    throw std::runtime_error("Armar.Drives is not HOST PORT: " + at);
  }
  return std::make_unique<RemoteDrives>(at.substr(0, space), at.substr(space + 1), joints);
}

}  // namespace longarm::armar::ice
