// SPDX-License-Identifier: Apache-2.0
// Cuts a stream of UR packets that each begin with their own size, a big-endian int32.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "longarm/core/result.h"
#include "longarm/protocols/byte_queue.h"

namespace longarm::protocols::ur {

/// Fed with bytes cut anywhere, gives out whole packets. Once a size makes no sense nobody knows
/// where the next packet begins: that is final.
class SizedFramer {
 public:
  void feed(std::string_view bytes);

  /// The next whole packet with its size in front, nothing if there is none yet, or why the stream
  /// can no longer be read. Valid until the next feed().
  Result<std::optional<std::string_view>> next();

  /// Take the packets out after each feed(), and this is at most one packet and what came last.
  std::size_t buffered_bytes() const { return queue_.rest().size(); }

 protected:
  /// Of packets that may be.
  using IsSize = bool (*)(std::size_t size);
  SizedFramer(std::string_view what, IsSize is_size) : what_(what), is_size_(is_size) {}

 private:
  std::string_view what_;
  IsSize is_size_;
  ByteQueue queue_;
  std::optional<Error> error_;
};

/// Of the real-time port: nine sizes and no others.
class RealTimeFramer : public SizedFramer {
 public:
  RealTimeFramer();
};

/// Of the primary and secondary ports: 5 bytes (size and type) to 64 KiB.
class PrimaryFramer : public SizedFramer {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 16;
  PrimaryFramer();
};

}  // namespace longarm::protocols::ur
