// SPDX-License-Identifier: Apache-2.0
// A connection to the port that a cell has for ROS programs: lines of JSON both ways. Knows nothing
// of ROS, and is C++17.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace longarm::ros_port {

enum class Line {
  kComplete,
  kLate,    ///< none came in time
  kClosed,  ///< none will come: see why_closed()
};

/// One thread reads; any thread may send.
class CellConnection {
 public:
  CellConnection() = default;
  ~CellConnection();
  CellConnection(const CellConnection&) = delete;
  CellConnection& operator=(const CellConnection&) = delete;

  /// Connects, or says why it cannot. `host` is a name or an address of IPv4 or IPv6. May be called
  /// again after the connection is lost.
  std::string connect(const std::string& host, std::uint16_t port);
  /// Waits for a line, which comes without its end.
  Line next_line(std::string& line, std::chrono::milliseconds timeout);
  /// Sends a line, without its end; false: the connection is lost.
  bool send(const std::string& line);
  /// Makes a waiting next_line() return; to be called by any thread.
  void shut_down();

  const std::string& why_closed() const { return why_closed_; }
  /// To wait for it beside others; -1: not connected. Look at has_line() first.
  int descriptor() const { return socket_; }
  /// Whether next_line() will return at once.
  bool has_line() const;

 private:
  Line close_because(const std::string& why);

  std::mutex sending_;
  int socket_ = -1;
  std::string received_;      ///< not yet handed on
  std::size_t searched_ = 0;  ///< of received_, without an end of a line
  std::string why_closed_ = "not connected";
};

/// "HOST:PORT", "PORT" or "HOST"; false: it is none of them. What is missing keeps its value.
bool parse_address(const std::string& text, std::string& host, std::uint16_t& port);

}  // namespace longarm::ros_port
