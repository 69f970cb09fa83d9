// SPDX-License-Identifier: Apache-2.0
// A component's door to a real network: TCP connections with a length before each message, and UDP.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "longarm/components/real/real_time_loop.h"
#include "longarm/components/transport.h"
#include "longarm/system/bytes.h"
#include "longarm/system/socket.h"

namespace longarm::components {

/// On a stream each message follows its length, the most significant byte first.
inline constexpr std::size_t kLengthBytes = 4;
inline void write_length(std::size_t length, std::span<std::byte> to) {
  system::store<std::endian::big>(static_cast<std::uint32_t>(length), to.data());
}
inline std::size_t read_length(std::span<const std::byte> from) {
  return system::load<std::endian::big, std::uint32_t>(from.data());
}

struct SocketOptions {
  Address listen{"127.0.0.1", 0};  ///< port 0: a free one, the same for TCP and UDP
  /// Others may not have started yet: a refused connection is tried again for so long.
  Duration retry_for{2'000'000'000};
};

/// On UDP a message is a datagram; whoever sends one to us is a new connection.
class SocketTransport final : public Transport {
 public:
  static constexpr std::size_t kLargestMessage = 64U << 20U;

  /// Listens from now on. The loop outlives the transport.
  static Result<std::unique_ptr<SocketTransport>> make(RealTimeLoop& loop, SocketOptions options);
  ~SocketTransport() override;
  SocketTransport(const SocketTransport&) = delete;
  SocketTransport& operator=(const SocketTransport&) = delete;

  Address address() const override { return system::local_address(tcp_.number()); }
  void start(TransportEvents& events) override;
  ConnectionId connect(const Address& to, const network::FlowOptions& options) override;
  void send(ConnectionId connection, Bytes message) override;
  void close(ConnectionId connection) override;

  std::uint64_t bytes_sent() const { return bytes_sent_; }

 private:
  struct Connection {
    system::Descriptor socket;  ///< none: a UDP peer that shares our own socket
    bool is_tcp = true;
    bool is_up = false;
    bool is_nodelay = true;
    system::SocketAddress peer;
    Time retry_until{};
    Bytes in;  ///< of messages that are not whole yet
    std::deque<Bytes> out;
    std::size_t out_sent = 0;  ///< of the first of those
  };

  SocketTransport(RealTimeLoop& loop, SocketOptions options, system::Descriptor tcp,
                  system::Descriptor udp);

  Connection* find(ConnectionId id);
  ConnectionId add(Connection connection);
  void begin(ConnectionId id);
  void settle(ConnectionId id);
  void watch(ConnectionId id);
  void ready(ConnectionId id, std::uint32_t events);
  void flush(ConnectionId id);
  void read_stream(ConnectionId id);
  bool take_messages(ConnectionId id, Connection& connection);
  void read_datagrams(ConnectionId id);
  void accept_streams();
  void read_new_datagrams();
  void send_datagram(Connection& connection, const Bytes& message);
  void say_connected(ConnectionId id);
  void say_received(ConnectionId id, Bytes message);
  void give_up(ConnectionId id, const std::string& why);

  RealTimeLoop& loop_;
  SocketOptions options_;
  sim::SourceId source_;
  system::Descriptor tcp_;
  system::Descriptor udp_;
  TransportEvents* events_ = nullptr;
  std::map<ConnectionId, Connection> connections_;
  std::map<std::string, ConnectionId> udp_peers_;  ///< by the bytes of their address
  std::uint64_t next_id_ = 1;
  std::uint64_t bytes_sent_ = 0;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);  ///< shared with events to come
};

}  // namespace longarm::components
