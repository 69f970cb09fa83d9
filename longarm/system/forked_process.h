// SPDX-License-Identifier: Apache-2.0
// A function of ours that runs as a process of its own, so that the operating system is between us.
#pragma once

#include <functional>
#include <utility>

#include "longarm/core/result.h"
#include "longarm/system/address.h"

namespace longarm::system {

/// Ends with this object. For programs with one thread only.
class ForkedProcess {
 public:
  /// Runs `body` in the child, which says where it listens as soon as it does; the parent returns
  /// from start() then. The child ends when `body` returns, or when the parent is gone.
  using Body = std::function<void(const std::function<void(const Address&)>& say_ready)>;

  static Result<ForkedProcess> start(const Body& body);
  ForkedProcess(ForkedProcess&& other) noexcept
      : id_(std::exchange(other.id_, -1)), address_(std::move(other.address_)) {}
  ForkedProcess& operator=(ForkedProcess&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(address_, other.address_);
    return *this;
  }
  ~ForkedProcess();

  const Address& address() const { return address_; }

 private:
  ForkedProcess(int id, Address address) : id_(id), address_(std::move(address)) {}

  int id_ = -1;
  Address address_;
};

}  // namespace longarm::system
