// SPDX-License-Identifier: Apache-2.0
// An open file or socket that closes itself.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <unistd.h>

namespace longarm::system {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void reset() {
    if (number_ >= 0) {
      ::close(std::exchange(number_, -1));
    }
  }

 private:
  int number_;
};

/// Why the last system call failed: "Connection refused".
inline std::string last_system_error() {
  return std::strerror(errno);
}

}  // namespace longarm::system
