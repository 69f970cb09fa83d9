// SPDX-License-Identifier: Apache-2.0
// A conversation with a door across the simulated network: bytes on a flow of TCP.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "longarm/core/hash.h"
#include "longarm/network/network.h"
#include "longarm/protocols/client_link.h"
#include "longarm/protocols/door.h"
#include "longarm/sim/kernel.h"

namespace longarm::cell {

/// Where and as whom a client talks.
struct ClientRequest {
  network::NodeId client{};
  network::NodeId server{};
  network::FlowOptions options;
  protocols::ConnectionId connection{};
  /// The door calls the client (Door::take_call), which listens, instead of the other way round.
  bool is_call_out = false;
};

/// How long messages of one direction took from write to read.
struct TalkDelays {
  std::uint64_t messages = 0;
  Duration sum{0};
  Duration shortest{0};
  Duration longest{0};

  double mean_s() const {
    return messages == 0 ? 0.0 : to_seconds(sum) / static_cast<double>(messages);
  }
};

/// Opens the connection when made. The door hears of it when the handshake is over at its end, of
/// bytes when its host could read them; what it says is sent by flush(). After a reset of either
/// side is_up() is false, the door is told that the client is gone, and a new link must be made; a
/// door that called and is not answered is told that its call failed. Packets of a stream are left
/// out while more than the flow's send_buffer_bytes are under way. All that it borrows outlives it.
class NetworkClientLink final : public protocols::ClientLink {
 public:
  NetworkClientLink(sim::Kernel& kernel, network::Network& network, protocols::Door& door,
                    const ClientRequest& request);
  ~NetworkClientLink() override;
  NetworkClientLink(const NetworkClientLink&) = delete;
  NetworkClientLink& operator=(const NetworkClientLink&) = delete;

  /// The client says good-bye: what it sent still arrives, then the door is told.
  void close();
  /// After each step: sends what the door has to say.
  void flush(Time now);

  bool is_established() const;
  /// Of all bytes that arrived, at either end.
  const Hash& traffic_hash() const;
  const TalkDelays& delays_to_door() const;
  const TalkDelays& delays_to_client() const;
  /// Packets of a stream that were left out.
  std::uint64_t cyclic_dropped() const;
  network::FlowId flow() const;

 private:
  struct Conversation;

  void do_send(std::string_view bytes) override;
  bool do_is_up() const override;

  std::shared_ptr<Conversation> conversation_;  ///< shared with the network's events
};

}  // namespace longarm::cell
