// SPDX-License-Identifier: Apache-2.0
// The conversations at a world's doors, live or out of a recording: the same calls in the same
// order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "longarm/core/hash.h"
#include "longarm/serve/door_event.h"

namespace longarm::serve {

/// What a door has to say to a client.
struct Said {
  std::size_t door = 0;
  ConnectionId client{};
  std::string bytes;
  bool is_last = false;  ///< the client may go
  std::string cyclic{};  ///< packets of a stream, after `bytes`
};

struct DoorFigures {
  std::uint64_t opened = 0;
  std::uint64_t open = 0;
  std::uint64_t most_open = 0;
  std::uint64_t pieces_in = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;  ///< said, whoever took it
  std::uint64_t calls = 0;
  std::uint64_t failed_calls = 0;
};

/// Used by one thread. Doors are asked for output after each event, the client that it is from, and
/// after each step, all clients in the order of their numbers. For streams and whom they want to
/// call they are asked after steps only.
class Conversations {
 public:
  using Listener = std::function<void(Said)>;
  using Caller = std::function<void(std::size_t door, const protocols::Call& whom)>;

  explicit Conversations(std::vector<Door*> doors, Listener listener = {}, Caller caller = {});

  void apply(const DoorEvent& event, Time now);
  void after_step();

  /// Of everything that doors have said, to whom and in which order, and of whom they have called.
  std::string hash() const { return hash_.text(); }
  const std::vector<Door*>& doors() const { return doors_; }
  const DoorFigures& figures(std::size_t door) const { return figures_[door]; }

 private:
  struct Client {
    std::size_t door = 0;
    bool is_told_to_go = false;
  };

  /// The last packet of a stream and its hash.
  struct Digest {
    std::string packet;
    std::uint64_t value = 0;
  };

  void ask(ConnectionId id, Client& client, bool is_after_step);
  void tell(Said said);
  void call_out();
  std::uint64_t digest_of(std::size_t door, const std::string& packet);

  std::vector<Door*> doors_;
  Listener listener_;
  Caller caller_;
  std::vector<DoorFigures> figures_;
  std::vector<Digest> digests_;  ///< of each door
  std::map<ConnectionId, Client> clients_;
  Hash hash_;
};

}  // namespace longarm::serve
