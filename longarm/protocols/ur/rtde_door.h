// SPDX-License-Identifier: Apache-2.0
// The RTDE server of a UR controller (30004): recipes of variables, read at a rate, written at
// will.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/protocols/talk_door.h"
#include "longarm/protocols/ur/controller_port.h"
#include "longarm/protocols/ur/rtde_codec.h"
#include "longarm/protocols/ur/rtde_variables.h"

namespace longarm::protocols::ur {

struct RtdeCounters {
  std::uint64_t packets = 0;   ///< received whole
  std::uint64_t refusals = 0;  ///< of them, what was answered in words
  std::uint64_t writes = 0;    ///< data packets that reached the controller
  std::uint64_t lost = 0;      ///< conversations that made no sense any more
};

struct RtdeConversation : Conversation {
  RtdePacketReader reader;
  RtdeVersion version = RtdeVersion::k1;
  std::vector<RtdeOutput> outputs;  ///< empty: none set up
  std::size_t output_bytes = 0;     ///< of their values
  std::uint64_t every = 1;          ///< cycles between two packets
  std::uint64_t next_cycle = 0;     ///< from which on the next packet is due
  bool is_started = false;
  std::vector<std::vector<RtdeInput>> inputs;  ///< recipe 1 first
  bool has_warned = false;                     ///< of a value that cannot be used
};

/// Version 1 is spoken until a client asks for 2. A client has one recipe of outputs, the newest
/// one, and up to 255 of inputs; an input belongs to one client at a time, until that one is gone.
/// Data begins in the first cycle after the start and comes every n-th cycle from then on. It is
/// made when it is asked for: a client that does not listen costs nothing.
/// docs/reference/ur-rtde.md.
class RtdeDoor final : public TalkDoor<RtdeConversation> {
 public:
  /// The controller outlives the door.
  RtdeDoor(std::string name, std::uint16_t port, ControllerPort& controller);

  const RtdeCounters& counters() const { return counters_; }

 private:
  void do_receive(ConnectionId client, std::string_view bytes, Time now) override;
  void do_close(ConnectionId client, Time now) override;
  std::string do_take_cyclic(ConnectionId client) override;

  void serve(ConnectionId client, Talk& talk, const RtdePacket& packet);
  void serve_version(Talk& talk, std::string_view payload);
  void serve_controller_version(Talk& talk, std::string_view payload);
  void serve_output_setup(Talk& talk, std::string_view payload);
  void serve_input_setup(ConnectionId client, Talk& talk, std::string_view payload);
  /// What is wrong with it; nothing if nothing is.
  std::string set_up_outputs(Talk& talk, std::string_view payload, RtdeSetupAnswer& answer) const;
  std::string set_up_inputs(ConnectionId client, Talk& talk, std::string_view payload,
                            RtdeSetupAnswer& answer);
  void serve_start(Talk& talk, std::string_view payload);
  void serve_pause(Talk& talk, std::string_view payload);
  void serve_data(Talk& talk, std::string_view payload);
  void refuse(Talk& talk, std::string message, RtdeLevel level = RtdeLevel::kError);
  double highest_hz() const;
  /// Cycles between two packets. Nothing: no such frequency.
  std::optional<std::uint64_t> cycles_between(double frequency_hz) const;

  ControllerPort& controller_;
  std::vector<std::optional<ConnectionId>> holders_;  ///< of inputs, by their number
  RtdeInputMemory memory_;
  RtdeCounters counters_;
};

}  // namespace longarm::protocols::ur
