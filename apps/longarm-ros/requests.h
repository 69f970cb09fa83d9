// SPDX-License-Identifier: Apache-2.0
// What this program asks of the cell, and the answers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "apps/longarm-ros/cell_connection.h"
#include "apps/longarm-ros/cell_messages.h"

namespace longarm::ros_port {

/// Any thread may ask; one reads the answers.
class Requests {
 public:
  /// `error` is empty if all is well. Called by the thread that reads.
  using Answer = std::function<void(const std::string& error)>;

  explicit Requests(CellConnection& connection) : connection_(connection) {}

  void ask(Json request, Answer answer);
  /// Waits for the answer, and returns its error. Not for the thread that reads.
  std::string ask_and_wait(Json request);
  /// Takes a line with an answer.
  void take(const Json& line);
  /// None of the answers will come.
  void give_up(const std::string& why);

 private:
  CellConnection& connection_;
  std::mutex mutex_;
  std::int64_t last_ = 0;
  std::map<std::int64_t, Answer> waiting_;
};

}  // namespace longarm::ros_port
