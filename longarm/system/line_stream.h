// SPDX-License-Identifier: Apache-2.0
// Lines over a socket, read with patience and written whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/system/descriptor.h"

namespace longarm::system {

/// Patience is of the wall clock: it only decides when to give up, never what a simulation does.
class LineStream {
 public:
  /// The error when a line is longer than any may be.
  static constexpr std::string_view kEndless = "it sent a line without an end";

  explicit LineStream(Descriptor socket, std::size_t longest_line = 96U << 20U)
      : socket_(std::move(socket)), longest_line_(longest_line) {}

  int descriptor() const { return socket_.number(); }
  /// A whole line without its end, waiting at most so long; none: it has not come. Fails when the
  /// other side is gone or sends lines without end.
  Result<std::optional<std::string>> read_line(Duration patience);
  /// Adds the line's end. Fails when the other side is gone or does not read for so long.
  Result<bool> write_line(std::string line, Duration patience);
  /// As it is; false if the other side does not read for so long.
  Result<bool> write(std::string_view text, Duration patience);
  /// Something has come that nobody has read.
  bool has_pending() const;

 private:
  Descriptor socket_;
  std::size_t longest_line_;
  std::string buffer_;
  std::size_t searched_ = 0;  ///< of the buffer, without finding a line's end
};

}  // namespace longarm::system
