// SPDX-License-Identifier: Apache-2.0
// The computers of a simulation and the connections between their components, below simulation.h.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longarm/components/cores.h"
#include "longarm/components/transport.h"
#include "longarm/core/random.h"
#include "longarm/network/network.h"

namespace longarm::components {

/// A component's end of all its connections.
struct SimulatedDoor {
  network::NodeId node{};
  std::uint16_t port = 0;
  std::uint64_t owner = 0;  ///< of its jobs on the cores
  TransportEvents* events = nullptr;
  Time reached_host{};  ///< of the message that `events` is given
  std::vector<ConnectionId> connections;
};

struct SimulatedComputer {
  std::string name;
  std::shared_ptr<Cores> cores;  ///< shared by hosts that are parts of one machine
  RandomStream serialise;
  RandomStream deserialise;
  std::map<std::uint16_t, SimulatedDoor*> doors;  ///< by port
  std::uint16_t next_port = 49152;                ///< of those that nobody is assigned
};

class SimulatedWires {
 public:
  SimulatedWires(sim::Kernel& kernel, network::Network& network, const network::Topology& topology,
                 std::uint64_t seed);

  SimulatedComputer& computer(network::NodeId node);
  std::optional<network::NodeId> node_of(const std::string& host) const;

  ConnectionId connect(SimulatedDoor& door, const Address& to, const network::FlowOptions& options);
  void send(ConnectionId connection, Bytes message);
  void close(ConnectionId connection);
  /// The process is gone: its connections are reset, its jobs finish for nobody.
  void kill(SimulatedDoor& door);

 private:
  /// Messages that are being worked on; they leave in the order they came.
  struct Line {
    struct Message {
      Bytes bytes;
      bool is_ready = false;
      Time since{};
    };
    std::deque<Message> messages;
    std::uint32_t first = 0;  // number of the one in front
  };
  struct End {
    SimulatedDoor* door = nullptr;  // null: nobody, or not any more
    Line serialising;
    Line deserialising;
    std::deque<std::pair<network::MessageId, Bytes>> under_way;  // sent from here
  };
  struct Wire {
    network::FlowId flow{};
    bool is_open = false;
    Address to;
    std::string why;  // it ended, for the other side
    End ends[2];
  };
  /// A line of an end of a wire, in one word: events that carry it need no memory of their own.
  struct Place {
    std::uint32_t wire : 30;
    bool is_peer : 1;
    bool is_sending : 1;
  };
  static_assert(sizeof(Place) == 4);

  network::FlowEvents events_of(std::uint32_t wire);
  void refuse(std::uint32_t wire, std::string why);
  void accept(std::uint32_t wire);
  void connected(std::uint32_t wire, network::Side side);
  void delivered(std::uint32_t wire, network::Side side, network::MessageId message);
  void lost(std::uint32_t wire, network::Side side, network::MessageId message);
  void reset(std::uint32_t wire, network::Side side);
  void work_on(Place place, Bytes bytes);
  void worked_on(Place place, std::uint32_t number);
  void pass_on(Place place, Bytes bytes, Time since);
  void leave(End& end);
  static Place place_of(std::uint32_t wire, network::Side side, bool is_sending);
  End& end(Place place) { return wires_[place.wire].ends[place.is_peer ? 1 : 0]; }
  Line& line(Place place);

  sim::Kernel& kernel_;
  sim::SourceId source_;
  network::Network& network_;
  std::vector<SimulatedComputer> computers_;
  std::map<std::string, network::NodeId, std::less<>> by_name_;
  std::deque<Wire> wires_;  // a deque: those at work on one may make others
};

}  // namespace longarm::components
