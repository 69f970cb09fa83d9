// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// The options of a TCP flow as attributes of ns-3's sockets.
#pragma once

#include <nlohmann/json.hpp>

#include "ns3/internet-module.h"
#include "ns3/network-module.h"

namespace longarm_ns3 {

/// Linux' rule for the retransmission timeout, SRTT + max(4 RTTVAR, minimum), which ns-3 does not
/// have: it asks for a variation that is never below a quarter of the minimum.
class LinuxRtt final : public ns3::RttMeanDeviation {
 public:
  explicit LinuxRtt(ns3::Time minimum) : least_variation_(minimum / 4) {}

  void Measurement(ns3::Time measured) override;
  ns3::Ptr<ns3::RttEstimator> Copy() const override;
  void Reset() override;

 private:
  ns3::Time least_variation_;
  ns3::Time variation_;
};

/// Throws std::runtime_error that names what ns-3 cannot do.
void check_tcp(const nlohmann::json& options);

/// A new socket that follows `options`.
ns3::Ptr<ns3::TcpSocketBase> make_tcp_socket(ns3::Ptr<ns3::Node> node,
                                             const nlohmann::json& options);

/// What was written and may be sent goes out at once, not a nanosecond later.
void send_pending_data(ns3::Ptr<ns3::TcpSocketBase> socket);

/// RST to the other side; then the socket is gone.
void send_reset(ns3::Ptr<ns3::TcpSocketBase> socket);

}  // namespace longarm_ns3
