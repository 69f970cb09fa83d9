// SPDX-License-Identifier: Apache-2.0
// Datagrams between clients and one server, each through the link in the middle.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/proxy/capture.h"
#include "longarm/proxy/relay_address.h"
#include "longarm/proxy/relay_link.h"
#include "longarm/proxy/udp_socket.h"
#include "longarm/system/reactor.h"

namespace longarm::proxy {

struct UdpRelayOptions {
  Address listen;  ///< port 0: any free one
  Address to;
  Duration idle_after = std::chrono::seconds(60);  ///< of nothing under way: a client is forgotten
  std::size_t most_clients = 1000;                 ///< at once; datagrams of others are refused
  /// What the user should hear at once, a sentence each time; may be empty.
  std::function<void(const std::string&)> tell = {};
};

/// Each client address has a socket of its own towards the server, so that answers find their way
/// back. Nothing is fragmented: a datagram is one packet of the link, whatever its size; it counts
/// with its IP and UDP headers. Server and clients that are not there cost nothing but a count.
class UdpRelay final : private PacketReceiver {
 public:
  /// The error says which port is taken, or whose name nobody knows. `capture` may be null.
  static Result<std::unique_ptr<UdpRelay>> make(system::Reactor& reactor, RelayLinkPair& links,
                                                Capture* capture, const UdpRelayOptions& options);
  ~UdpRelay() override;
  UdpRelay(const UdpRelay&) = delete;
  UdpRelay& operator=(const UdpRelay&) = delete;

  /// Where it listens.
  const SocketAddress& address() const { return address_; }
  const SocketAddress& server() const { return server_; }
  /// Asks the kernel what it lost for want of room in its buffers, and what came back as
  /// undeliverable, and counts it.
  void count_kernel_losses();

 private:
  struct Client {
    SocketAddress address;
    UdpSocket socket;  ///< towards the server
    SocketAddress socket_address;
    system::Reactor::WatchId watch{};
    Time last_heard{};
    Time busy_until{};  ///< something of it is on the link
  };

  UdpRelay(system::Reactor& reactor, RelayLinkPair& links, Capture* capture,
           const UdpRelayOptions& options, UdpSocket socket, const SocketAddress& server);
  void hear_clients();
  void hear_server(std::uint64_t id, std::uint32_t happened);
  void count_losses_of(Client& client);
  void count_refusals_of(Client& client);
  /// Zero if there is no place.
  std::uint64_t client_at(const SocketAddress& address);
  std::uint64_t add_client(const SocketAddress& address);
  void forget_idle_clients();
  HandOver hand_over(std::uint64_t conversation, std::span<const std::byte> bytes) override;
  HandOver send_to_server(Client& client, std::span<const std::byte> bytes);
  HandOver send_to_client(Client& client, std::span<const std::byte> bytes);

  system::Reactor& reactor_;
  RelayLinkPair& links_;
  Capture* capture_;
  UdpRelayOptions options_;
  UdpSocket socket_;
  SocketAddress address_;
  SocketAddress server_;
  system::Reactor::WatchId watch_{};
  system::Reactor::TimerId idle_timer_;
  std::uint64_t next_id_ = 1;
  bool has_told_of_refusal_ = false;
  std::vector<std::byte> room_ = std::vector<std::byte>(kDatagramRoom);
  std::map<std::uint64_t, Client> clients_;
  std::map<SocketAddress, std::uint64_t, AddressLess> ids_;
};

}  // namespace longarm::proxy
