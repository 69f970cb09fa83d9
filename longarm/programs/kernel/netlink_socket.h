// SPDX-License-Identifier: Apache-2.0
// A netlink socket that answers what libraries ask of the routing family: links, addresses, routes.
#pragma once

#include <deque>
#include <string>

#include "longarm/programs/kernel/socket.h"

namespace longarm::programs {

class NetlinkSocket final : public Socket {
 public:
  NetlinkSocket(Kernel& kernel, Host& host, int type) : Socket(kernel, host, AF_NETLINK, type) {}

  std::uint32_t readiness() const override;
  std::int64_t bind(Thread& thread, const SocketName& name) override;
  std::int64_t connect(Thread&, const SocketName&) override { return 0; }
  std::int64_t send(Outgoing& message) override;
  std::int64_t receive(Incoming& message) override;
  std::int64_t shut_down(int) override { return -EOPNOTSUPP; }
  SocketName name() const override;
  std::optional<SocketName> peer_name() const override;
  std::optional<std::int64_t> set_option(int level, int option, const std::string& value) override;

 private:
  void answer(std::uint16_t type, const std::string& request);

  std::uint32_t port_ = 0;
  std::deque<std::string> answers_;
};

}  // namespace longarm::programs
