// SPDX-License-Identifier: Apache-2.0
// Doors behind TCP ports: one thread that waits for sockets and never for a client.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/serve/caller.h"
#include "longarm/serve/carrier.h"
#include "longarm/serve/inbox.h"
#include "longarm/serve/listener.h"
#include "longarm/system/reactor.h"

namespace longarm::serve {

struct ServerConfig {
  bool is_open_to_all = false;  ///< at all addresses, not at the loopback's only; calls likewise
  std::map<std::string, std::uint16_t> ports{};  ///< instead of the doors' own; 0: any free one
  std::size_t max_clients = 512;                 ///< of one door, with those it has called
  std::size_t max_client_output = 1024 * 1024;   ///< bytes that a client has not read
  std::size_t max_output = 64 * 1024 * 1024;     ///< of all clients together
  /// After a question the server looks for the answer by itself, every 0.1 ms for a while: the
  /// thread that steps has not to wake it. For steps by the wall clock, between which it rests.
  bool looks_for_answers = true;
};

struct ServerFigures {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;         ///< because there were too many
  std::uint64_t dropped = 0;         ///< because they did not read what they had asked for
  std::uint64_t broken = 0;          ///< ended without a goodbye
  std::uint64_t most_output = 0;     ///< bytes that waited for clients at one time
  std::uint64_t called = 0;          ///< who answered
  std::uint64_t cyclic_sent = 0;     ///< packets of streams
  std::uint64_t cyclic_skipped = 0;  ///< because something older was still to be sent
};

/// What clients say goes into the inbox; a client that says more than fits is not read from until
/// the inbox has room again. A packet of a stream is one write; it is left out for a client that
/// has not taken what was sent to it before, and for everyone if a newer one is there already. Who
/// stops talking is answered and then gone; at a BroadcastDoor, when its socket takes no more.
class DoorServer final : public Carrier {
 public:
  struct Address {
    std::size_t door = 0;
    std::string host;
    std::uint16_t port = 0;
  };

  /// Listens for all doors that have a port, and begins to serve. The error names the door and the
  /// port that is taken.
  static Result<std::unique_ptr<DoorServer>> make(const std::vector<Door*>& doors,
                                                  ServerConfig config, Inbox& inbox);
  ~DoorServer() override;

  const std::vector<Address>& addresses() const { return addresses_; }
  ServerFigures figures() const;

  void send(ConnectionId client, std::string bytes) override;
  void send_cyclic(ConnectionId client, std::string bytes) override;
  void end(ConnectionId client) override;
  bool call(std::size_t door, const protocols::Call& whom) override;
  void resume() override;

 private:
  using Clock = std::chrono::steady_clock;

  struct Connection {
    system::Descriptor socket;
    system::Reactor::WatchId watch{};
    std::size_t door = 0;
    std::string output;         ///< not sent so far
    bool is_paused = false;     ///< not read from: the inbox is full
    bool is_heard_out = false;  ///< the inbox knows that no more will come
    bool is_listener = false;   ///< says no more, but may still take a stream
    bool is_ending = false;     ///< goes when its output is sent
    std::size_t newest = 0;     ///< of the orders at hand, its last one with a stream's packet
  };
  enum class OrderKind { kSend, kCyclic, kEnd, kCall };
  struct Order {
    OrderKind kind = OrderKind::kSend;
    ConnectionId client{};
    std::string bytes{};  ///< of a call, the host
    std::size_t door = 0;
    std::uint16_t port = 0;
  };

  DoorServer(ServerConfig config, Inbox& inbox, std::unique_ptr<system::Reactor> reactor);
  void add_order(Order order);

  // on the thread of the server
  void run();
  void handle(ConnectionId id, std::uint32_t happened);
  void follow_orders();
  void find_newest(const std::vector<Order>& orders);
  bool is_left_out(const Order& order, std::size_t number, const Connection& connection);
  void take_calls();
  void begin(system::Descriptor socket, std::size_t door);
  void accept_all(std::size_t listener);
  void read(ConnectionId id, Connection& connection);
  bool flush(Connection& connection);
  void settle(ConnectionId id);
  void hear_out(ConnectionId id, Connection& connection);
  void drop(ConnectionId id, std::atomic<std::uint64_t>* counter);
  void part(ConnectionId id);
  void watch(const Connection& connection);
  void resume_paused();
  void close_lingering(bool is_all);

  ServerConfig config_;
  Inbox& inbox_;
  std::vector<Listener> listeners_;
  std::vector<Address> addresses_;
  std::unique_ptr<system::Reactor> reactor_;
  system::Descriptor spare_;  ///< given up to be able to refuse when no descriptor is left

  std::mutex mutex_;
  std::vector<Order> orders_;
  std::size_t orders_bytes_ = 0;
  bool is_looking_ = false;  ///< at the orders, every now and then: needs not be woken
  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> has_paused_{false};

  std::map<ConnectionId, Connection> connections_;
  std::map<std::size_t, std::size_t> clients_of_;  ///< each door
  std::set<std::size_t> broadcasts_;               ///< doors that stream by themselves
  Caller caller_;
  std::set<ConnectionId> paused_;
  std::size_t output_bytes_ = 0;
  Clock::time_point last_heard_{};  ///< when someone said something
  struct Lingering {
    system::Descriptor socket;
    Clock::time_point until;
  };
  std::vector<Lingering> lingering_;  ///< said goodbye, wait for the client's

  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> broken_{0};
  std::atomic<std::uint64_t> most_output_{0};
  std::atomic<std::uint64_t> called_{0};
  std::atomic<std::uint64_t> cyclic_sent_{0};
  std::atomic<std::uint64_t> cyclic_skipped_{0};
  std::thread thread_;
};

}  // namespace longarm::serve
