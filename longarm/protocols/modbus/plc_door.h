// SPDX-License-Identifier: Apache-2.0
// The belt's controller behind Modbus TCP: registers that clients write, a scan that acts on them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/protocols/modbus/codec.h"
#include "longarm/protocols/modbus/plc_map.h"
#include "longarm/protocols/talk_door.h"

namespace longarm::protocols::modbus {

struct PlcConfig {
  std::int64_t port = 1502;
  double full_speed_m_s = 0.2;         ///< at 0x8000
  bool is_reversed = false;            ///< direction 0 drives against the joint's axis
  bool has_signed_speed = false;       ///< the speed register is read as two's complement
  Duration scan_period{10'000'000};    ///< 0: every step
  std::int64_t log_capacity = 65'536;  ///< writes that are remembered
};

void list_fields(Fields& fields, PlcConfig& config);

/// How the controller reaches the belt; all of them must be given.
struct BeltPort {
  std::function<void(double velocity_m_s)> command;  ///< signed, along the joint's axis
  std::function<double()> velocity_m_s;              ///< of the surface
  std::function<double()> encoder_m;
  std::function<bool()> is_jammed;
  std::function<bool()> is_stopped;
  std::function<bool()> is_safety_stopped;
};

/// A register or coil that a client has written.
struct PlcWrite {
  Time at{};
  ConnectionId client{};
  std::uint16_t address = 0;  ///< of a holding register, without the offset
  std::uint16_t value = 0;
};

struct PlcCounters {
  std::uint64_t requests = 0;    ///< frames received
  std::uint64_t answers = 0;     ///< given, exceptions not among them
  std::uint64_t exceptions = 0;  ///< given
  std::uint64_t writes = 0;      ///< registers and coils written
  std::uint64_t skipped = 0;     ///< frames that were not Modbus
  std::uint64_t lost = 0;        ///< conversations that made no sense any more
  std::uint64_t scans = 0;
  std::uint64_t commands = 0;  ///< scans that told the drive something new
};

struct PlcConversation : Conversation {
  FrameReader reader;
};

/// Registers change when they are written; the drive hears of it at the next scan, which also
/// latches what clients can read of the belt. docs/reference/modbus.md has the map.
class PlcDoor final : public TalkDoor<PlcConversation> {
 public:
  PlcDoor(std::string name, const PlcConfig& config, BeltPort belt);

  /// Before each step, after everything that clients said; scans when one is due.
  void before_step(Time now);

  const PlcCounters& counters() const { return counters_; }
  /// The last writes, oldest first; no more than `log_capacity`.
  const std::deque<PlcWrite>& log() const { return log_; }

 private:
  void do_receive(ConnectionId client, std::string_view bytes, Time now) override;

  std::string answer(const Frame& frame, ConnectionId client, Time now);
  std::variant<std::vector<std::uint16_t>, Exception> serve(const Request& request,
                                                            ConnectionId client, Time now);
  bool can_hold(std::uint16_t address, std::uint16_t value) const;
  std::optional<Exception> write(std::uint32_t address, std::span<const std::uint16_t> values,
                                 std::uint32_t size, ConnectionId client, Time now);
  void scan();
  double commanded_m_s() const;

  PlcConfig config_;
  BeltPort belt_;
  std::array<std::uint16_t, kHoldingCount> holding_{};
  std::array<std::uint16_t, kInputCount> inputs_{};
  double commanded_m_s_ = 0.0;  ///< as the drive was told last
  Time next_scan_{};
  PlcCounters counters_;
  std::deque<PlcWrite> log_;
};

}  // namespace longarm::protocols::modbus
