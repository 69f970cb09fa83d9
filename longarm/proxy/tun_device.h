// SPDX-License-Identifier: Apache-2.0
// A network device whose packets this process reads and writes (Linux TUN).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "longarm/core/result.h"
#include "longarm/system/socket.h"

namespace longarm::proxy {

/// IP packets without a frame around them. It goes away with this object, unless it was made before
/// with `ip tuntap add`. It may be moved into another network namespace while it is in use.
class TunDevice {
 public:
  /// The error says why not: no such ability, no right, a name that is taken or too long.
  static Result<TunDevice> open(const std::string& name);
  /// What to do about such an error, for users.
  static std::string hint_of(const Error& error);

  int number() const { return descriptor_.number(); }
  const std::string& name() const { return name_; }

  /// The next packet that the system sent to it; none if there is no more.
  std::optional<std::span<const std::byte>> read(std::span<std::byte> room);
  /// False while the device is down.
  bool write(std::span<const std::byte> packet);

 private:
  TunDevice(system::Descriptor descriptor, std::string name)
      : descriptor_(std::move(descriptor)), name_(std::move(name)) {}

  system::Descriptor descriptor_;
  std::string name_;
};

}  // namespace longarm::proxy
