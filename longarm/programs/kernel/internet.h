// SPDX-License-Identifier: Apache-2.0
// The internet as hosts see it: whose address it is, and who is at which port.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "longarm/network/streams.h"
#include "longarm/programs/kernel/inet_address.h"
#include "longarm/programs/kernel/socket.h"

namespace longarm::programs {

class TcpSocket;
class UdpSocket;

/// What TCP and UDP sockets share: names, and their place among the ports of a host.
class InetSocket : public Socket {
 public:
  InetSocket(Kernel& kernel, Host& host, int family, int type)
      : Socket(kernel, host, family, type) {}
  ~InetSocket() override;

  std::int64_t bind(Thread& thread, const SocketName& name) override;
  SocketName name() const override { return format_inet(family(), local_); }
  std::optional<SocketName> peer_name() const override;
  std::optional<std::int64_t> set_option(int level, int option, const std::string& value) override;
  std::optional<std::string> option(int level, int option) override;
  std::int64_t control(Thread& thread, std::uint64_t request, std::uint64_t argument) override;

  const InetAddress& local() const { return local_; }
  const std::optional<InetAddress>& peer() const { return peer_; }
  bool is_bound() const { return is_bound_; }
  /// Whether what is sent to this address of the host reaches it.
  bool hears(std::uint32_t destination) const;
  /// Whether another socket may have the same port.
  bool goes_with(const InetSocket& other, std::uint32_t address) const;

 protected:
  /// -EADDRINUSE: none is left.
  std::int64_t bind_anywhere();
  /// Where it connects or sends to; an error number below zero.
  std::int64_t resolve(InetAddress& to, Host*& host) const;
  /// What others will see as the source.
  std::uint32_t source_towards(const InetAddress& to) const;
  void take_place(const InetAddress& local);
  void leave_place();

  InetAddress local_;
  std::optional<InetAddress> peer_;
  int priority_ = 0;  ///< of its packets, 0 goes first

 private:
  bool is_bound_ = false;
  bool is_v6_only_ = false;
};

/// A server that is part of the simulation: is given each connection to its port.
using Service = std::function<void(std::unique_ptr<network::Stream> stream)>;

/// The ports of one host.
class HostPorts final : public network::Doorman {
 public:
  HostPorts(Kernel& kernel, Host& host) : kernel_(kernel), host_(host) {}

  Answer called(network::HostPort at, network::HostPort from, network::Label label,
                network::TcpOptions& options) override;
  void arrived(network::HostPort at, std::unique_ptr<network::Stream> stream) override;
  bool datagram(network::HostPort at, network::HostPort from, network::Label label,
                std::span<const std::byte> bytes) override;
  void unreachable(network::HostPort from, network::HostPort to) override;

  /// No program can have this port of TCP.
  void serve(std::uint16_t port, Service service) { services_[port] = std::move(service); }
  bool is_served(std::uint16_t port) const { return services_.contains(port); }
  /// Of the simulation's own connections: each of its packets leaves at once, whatever the other
  /// end asks for.
  network::TcpOptions service_options() const;

  std::vector<InetSocket*>& at(int type, std::uint16_t port);
  /// Free for everybody; nothing: none is.
  std::optional<std::uint16_t> free_port(int type);

 private:
  TcpSocket* listener(std::uint16_t port, std::uint32_t destination, std::uint16_t from) const;

  Kernel& kernel_;
  Host& host_;
  std::map<std::pair<int, std::uint16_t>, std::vector<InetSocket*>> places_;  ///< as they came
  std::map<std::uint16_t, Service> services_;
  std::uint16_t next_port_ = 32'768;
};

/// Everybody's.
class Internet {
 public:
  HostPorts& ports(Kernel& kernel, Host& host);
  /// Null: nobody's.
  static Host* find(const Kernel& kernel, std::uint32_t address);
  static Host* find(const Kernel& kernel, network::NodeId node);
  static bool is_broadcast(const Host& host, std::uint32_t address);

 private:
  std::map<network::NodeId, std::unique_ptr<HostPorts>> ports_;
};

inline constexpr std::uint32_t kNetmask = 0xFFFF'0000;

}  // namespace longarm::programs
