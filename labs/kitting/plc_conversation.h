// SPDX-License-Identifier: Apache-2.0
// Talking Modbus with the belt's controller in straight lines of a task.
#pragma once

#include <optional>
#include <string>

#include "labs/kitting/line.h"
#include "longarm/protocols/modbus/client.h"
#include "longarm/sim/task.h"

namespace longarm::kitting {

/// What the belt's controller says of the belt.
struct BeltState {
  double speed_m_s = 0.0;
  double encoder_m = 0.0;
  bool is_jammed = false;
  bool is_stopped = false;
  bool is_safety_stopped = false;
};

/// One request at a time; every one is asked again every `silent_after` until `give_up_after`.
class PlcConversation {
 public:
  PlcConversation(sim::TaskContext context, Dial dial, const TalkConfig& config);
  PlcConversation(const PlcConversation&) = delete;
  PlcConversation& operator=(const PlcConversation&) = delete;

  /// Direction, speed, on. Speed is a fraction of full speed, negative backwards. An empty answer
  /// is success, otherwise it says what went wrong.
  sim::Task<std::string> drive(double fraction);
  sim::Task<std::string> stop();
  /// The same without waiting for an answer; does nothing without a connection.
  void stop_now();
  /// Nothing if there was no answer.
  sim::Task<std::optional<BeltState>> look();

  const RoundTrips& round_trips() const { return round_trips_; }
  const Line& line() const { return line_; }

 private:
  /// Nothing: there was no answer in time.
  sim::Task<std::optional<protocols::modbus::Answer>> ask(protocols::modbus::Request request);
  sim::Task<std::string> write(std::uint16_t address, std::vector<std::uint16_t> values);
  void hear(std::string_view bytes, Time now);

  sim::TaskContext context_;
  TalkConfig config_;
  protocols::modbus::Client client_;
  Line line_;
  std::uint16_t awaited_ = 0;
  Time asked_{};
  std::optional<protocols::modbus::Answer> answer_;
  RoundTrips round_trips_;
};

}  // namespace longarm::kitting
