// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Lines of text over a local socket.
#pragma once

#include <optional>
#include <string>

namespace longarm_ns3 {

class LineSocket {
 public:
  /// Throws std::runtime_error if nobody listens there.
  explicit LineSocket(const std::string& path);
  ~LineSocket();
  LineSocket(const LineSocket&) = delete;
  LineSocket& operator=(const LineSocket&) = delete;

  /// Without its end; nothing when the other side is gone.
  std::optional<std::string> read();
  /// False when the other side is gone.
  bool write(const std::string& line);

 private:
  int descriptor_ = -1;
  std::string received_;
  std::size_t read_ = 0;  // how much of it has been handed out
};

}  // namespace longarm_ns3
