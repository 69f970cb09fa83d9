// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// One attribute per option; what has none is refused by name.
#include "apps/longarm-ns3/tcp_settings.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace longarm_ns3 {

using namespace ns3;
using nlohmann::json;

void LinuxRtt::Measurement(Time measured) {
  m_estimatedVariation = variation_;
  RttMeanDeviation::Measurement(measured);
  variation_ = m_estimatedVariation;
  m_estimatedVariation = std::max(variation_, least_variation_);
}

Ptr<RttEstimator> LinuxRtt::Copy() const {
  return CopyObject<LinuxRtt>(this);
}

void LinuxRtt::Reset() {
  RttMeanDeviation::Reset();
  variation_ = Time(0);
}

void check_tcp(const json& options) {
  if (options.at("keep_alive_after_ns").get<std::int64_t>() > 0) {
    throw std::runtime_error("TCP with keep-alive, which ns-3 does not have");
  }
  if (options.at("send_latency_ns").get<std::int64_t>() > 1) {
    throw std::runtime_error("TCP with a send latency other than 1 ns, ns-3's own");
  }
  const auto congestion = options.at("congestion").get<std::string>();
  if (congestion != "reno" && congestion != "cubic") {
    throw std::runtime_error("TCP with congestion control '" + congestion + "'");
  }
  const auto rule = options.at("rto_rule").get<std::string>();
  if (rule != "linux" && rule != "rfc6298") {
    throw std::runtime_error("TCP with the timeout rule '" + rule + "'");
  }
}

Ptr<TcpSocketBase> make_tcp_socket(Ptr<Node> node, const json& options) {
  const TypeId congestion =
      options.at("congestion") == "cubic" ? TcpCubic::GetTypeId() : TcpLinuxReno::GetTypeId();
  const auto socket =
      DynamicCast<TcpSocketBase>(node->GetObject<TcpL4Protocol>()->CreateSocket(congestion));
  const auto number = [&](const char* key) {
    return UintegerValue(options.at(key).get<std::uint64_t>());
  };
  const auto time = [&](const char* key) {
    return NanoSeconds(options.at(key).get<std::int64_t>());
  };
  socket->SetAttribute("SegmentSize", number("mss_bytes"));
  socket->SetAttribute("InitialCwnd", number("initial_window_segments"));
  socket->SetAttribute("Timestamp", BooleanValue(options.at("timestamps").get<bool>()));
  socket->SetAttribute("Sack", BooleanValue(options.at("sack").get<bool>()));
  socket->SetAttribute("TcpNoDelay", BooleanValue(options.at("nodelay").get<bool>()));
  socket->SetAttribute("DelAckCount", number("delayed_ack_segments"));
  socket->SetAttribute("DelAckTimeout", TimeValue(time("delayed_ack_timeout_ns")));
  socket->SetAttribute("ConnTimeout", TimeValue(time("initial_rto_ns")));
  socket->SetAttribute("ConnCount", number("max_retries"));
  socket->SetAttribute("DataRetries", number("max_retries"));
  socket->SetAttribute("SndBufSize", number("send_buffer_bytes"));
  socket->SetAttribute("RcvBufSize", number("receive_buffer_bytes"));

  const bool is_linux = options.at("rto_rule") == "linux";
  const Time minimum = time("min_rto_ns");
  socket->SetAttribute("MinRto", TimeValue(is_linux ? Time(0) : minimum));
  const Ptr<RttEstimator> rtt = is_linux ? Ptr<RttEstimator>(CreateObject<LinuxRtt>(minimum))
                                         : Ptr<RttEstimator>(CreateObject<RttMeanDeviation>());
  rtt->SetAttribute("InitialEstimation", TimeValue(time("initial_rto_ns")));
  rtt->Reset();
  socket->SetRtt(rtt);
  return socket;
}

namespace {

// ns-3 keeps these to itself and its heirs
struct Heir : TcpSocketBase {
  using TcpSocketBase::SendPendingData;
  using TcpSocketBase::SendRST;
};

}  // namespace

void send_pending_data(Ptr<TcpSocketBase> socket) {
  ((*socket).*(&Heir::SendPendingData))(true);
}

void send_reset(Ptr<TcpSocketBase> socket) {
  ((*socket).*(&Heir::SendRST))();
}

}  // namespace longarm_ns3
