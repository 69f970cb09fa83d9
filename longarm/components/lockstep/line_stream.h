// SPDX-License-Identifier: Apache-2.0
// Lines over a socket, read with patience and written whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "longarm/components/real/socket.h"
#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm::components {

class LineStream {
 public:
  static constexpr std::size_t kLongestLine = 96U << 20U;

  explicit LineStream(Descriptor socket) : socket_(std::move(socket)) {}

  int descriptor() const { return socket_.number(); }
  /// A whole line without its end, waiting at most so long; none: it has not come. Fails when the
  /// other side is gone or sends lines without end.
  Result<std::optional<std::string>> read_line(Duration patience);
  /// Adds the line's end. Fails when the other side is gone or does not read for so long.
  Result<bool> write_line(std::string line, Duration patience);
  /// Something has come that nobody has read.
  bool has_pending() const;

 private:
  bool wait_for(short events, Duration patience) const;

  Descriptor socket_;
  std::string buffer_;
  std::size_t searched_ = 0;  ///< of the buffer, without finding a line's end
};

}  // namespace longarm::components
