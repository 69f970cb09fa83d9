// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Everything as ns-3's own examples do it, except that there are no queue discs.
#include "tests/fidelity/ns3_star.h"

#include <algorithm>
#include <list>
#include <map>

namespace fidelity {

using namespace ns3;

void Pair::install(Ptr<Node> client, Ptr<Node> server, Ipv4Address address) {
  const bool is_tcp = workload_.transport == "tcp";
  const TypeId type = is_tcp ? TcpSocketFactory::GetTypeId() : UdpSocketFactory::GetTypeId();
  const InetSocketAddress to(address, static_cast<std::uint16_t>(10000 + pair_));

  Ptr<Socket> receiving = Socket::CreateSocket(server, type);
  receiving->Bind(InetSocketAddress(Ipv4Address::GetAny(), to.GetPort()));
  client_.socket = Socket::CreateSocket(client, type);
  client_.socket->SetRecvCallback(MakeCallback(&Pair::on_reply, this));
  if (is_tcp) {
    install_tcp(receiving);
  } else {
    server_.socket = receiving;
    receiving->SetRecvCallback(MakeCallback(&Pair::on_request, this));
  }
  const std::int64_t offset_ns = pair_ * workload_.offset_ns;
  Simulator::ScheduleWithContext(client->GetId(), NanoSeconds(workload_.connect_ns + offset_ns),
                                 MakeEvent([this, to] { client_.socket->Connect(to); }));
  Simulator::ScheduleWithContext(client->GetId(), NanoSeconds(workload_.start_ns + offset_ns),
                                 MakeEvent(&Pair::start, this));
}

void Pair::install_tcp(Ptr<Socket> listening) {
  listening->Listen();
  listening->SetAcceptCallback(
      MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
      Callback<void, Ptr<Socket>, const Address&>([this](Ptr<Socket> socket, const Address&) {
        server_.socket = socket;
        socket->SetRecvCallback(MakeCallback(&Pair::on_request, this));
        socket->SetSendCallback(Callback<void, Ptr<Socket>, std::uint32_t>(
            [this](Ptr<Socket>, std::uint32_t) { flush(server_); }));
        note('s', 0);
      }));
  client_.socket->SetConnectCallback(
      Callback<void, Ptr<Socket>>([this](Ptr<Socket>) { note('c', 0); }),
      MakeNullCallback<void, Ptr<Socket>>());
  client_.socket->SetSendCallback(Callback<void, Ptr<Socket>, std::uint32_t>(
      [this](Ptr<Socket>, std::uint32_t) { flush(client_); }));
}

void Pair::start() {
  call();
}

void Pair::call() {
  if (called_ == workload_.calls) {
    return;
  }
  ++called_;
  if (workload_.is_closed == 0 && called_ < workload_.calls) {
    Simulator::Schedule(NanoSeconds(workload_.period_ns), &Pair::call, this);
  }
  write(client_, workload_.request_bytes);
}

void Pair::write(Writer& writer, std::int64_t bytes) {
  if (workload_.transport == "udp") {
    const Ptr<Packet> packet = Create<Packet>(static_cast<std::uint32_t>(bytes));
    if (&writer == &client_) {
      writer.socket->Send(packet);
    } else {
      writer.socket->SendTo(packet, 0, client_address_);
    }
    return;
  }
  writer.left_bytes += bytes;
  flush(writer);
}

void Pair::flush(Writer& writer) {
  const std::int64_t room = writer.socket->GetTxAvailable();
  const std::int64_t bytes = std::min(writer.left_bytes, room);
  if (bytes > 0) {
    writer.left_bytes -= bytes;
    writer.socket->Send(Create<Packet>(static_cast<std::uint32_t>(bytes)));
  }
}

void Pair::on_request(Ptr<Socket> socket) {
  Address from;
  while (const Ptr<Packet> packet = socket->RecvFrom(from)) {
    client_address_ = from;
    request_bytes_ += packet->GetSize();
    while (request_bytes_ >= workload_.request_bytes) {
      request_bytes_ -= workload_.request_bytes;
      request_arrived();
    }
  }
}

void Pair::request_arrived() {
  note('q', requests_++);
  write(server_, workload_.reply_bytes);
}

void Pair::on_reply(Ptr<Socket> socket) {
  while (const Ptr<Packet> packet = socket->Recv()) {
    reply_bytes_ += packet->GetSize();
    while (reply_bytes_ >= workload_.reply_bytes) {
      reply_bytes_ -= workload_.reply_bytes;
      reply_arrived();
    }
  }
}

void Pair::reply_arrived() {
  note('p', replies_++);
  if (workload_.is_closed == 0 || called_ == workload_.calls) {
    return;
  }
  if (workload_.period_ns == 0) {
    call();
  } else {
    Simulator::Schedule(NanoSeconds(workload_.period_ns), &Pair::call, this);
  }
}

void Pair::note(char what, std::int64_t index) {
  records_.push_back({Simulator::Now().GetNanoSeconds(), pair_, what, index});
}

Star::Star(const Workload& workload) : workload_(workload) {
  set_defaults();
  build();
  if (!workload_.drops.empty()) {
    drop();
  }
  for (std::int64_t pair = 0; pair < workload_.pairs; ++pair) {
    const std::int64_t server = workload_.server(pair);
    pairs_.emplace_back(workload_, pair, records_);
    pairs_.back().install(hosts_.Get(static_cast<std::uint32_t>(workload_.client(pair))),
                          hosts_.Get(static_cast<std::uint32_t>(server)), address(server));
  }
}

Star::~Star() {
  Simulator::Destroy();
}

void Star::set_defaults() {
  const Workload& w = workload_;
  const auto size = [](std::int64_t bytes) {
    return UintegerValue(static_cast<std::uint64_t>(bytes));
  };
  Config::SetDefault("ns3::TcpSocket::SegmentSize", size(w.mss_bytes));
  Config::SetDefault("ns3::TcpSocket::InitialCwnd", size(w.initial_window));
  Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
  Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(NanoSeconds(w.delayed_ack_ns)));
  Config::SetDefault("ns3::TcpSocket::SndBufSize", size(w.buffer_bytes));
  Config::SetDefault("ns3::TcpSocket::RcvBufSize", size(w.buffer_bytes));
  Config::SetDefault("ns3::TcpSocket::TcpNoDelay", BooleanValue(w.nodelay != 0));
  Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(NanoSeconds(w.initial_rto_ns)));
  Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(15));
  Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(NanoSeconds(w.min_rto_ns)));
  Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(w.sack != 0));
  Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(w.timestamps != 0));
  Config::SetDefault("ns3::RttEstimator::InitialEstimation",
                     TimeValue(NanoSeconds(w.initial_rto_ns)));
  Config::SetDefault(
      "ns3::TcpL4Protocol::SocketType",
      TypeIdValue(w.congestion == "cubic" ? TcpCubic::GetTypeId() : TcpLinuxReno::GetTypeId()));
}

void Star::build() {
  hosts_.Create(static_cast<std::uint32_t>(workload_.hosts));
  hub_.Create(1);
  PointToPointHelper cable;
  const DataRate rate(static_cast<std::uint64_t>(workload_.rate_bit_s));
  // what Ethernet has around a frame beyond ns-3's two bytes: headers, check sum and preamble
  // before its last bit, the gap after it (for frames that need no padding)
  const bool is_ethernet = workload_.framing == "ethernet";
  const Time around = is_ethernet ? rate.CalculateBytesTxTime(14 + 4 + 8 - 2) : Time(0);
  const Time gap = is_ethernet ? rate.CalculateBytesTxTime(14 + 4 + 8 + 12 - 2) : Time(0);
  cable.SetDeviceAttribute("DataRate", DataRateValue(rate));
  cable.SetDeviceAttribute("InterframeGap", TimeValue(gap));
  cable.SetChannelAttribute("Delay", TimeValue(NanoSeconds(workload_.propagation_ns) + around));
  cable.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize",
                 QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS,
                                          static_cast<std::uint32_t>(workload_.queue_packets))));
  InternetStackHelper internet;
  internet.Install(hosts_);
  internet.Install(hub_);
  TrafficControlHelper queue_discs;
  Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
  for (std::uint32_t host = 0; host < hosts_.GetN(); ++host) {
    cables_.push_back(cable.Install(hosts_.Get(host), hub_.Get(0)));
    addresses.Assign(cables_.back());
    queue_discs.Uninstall(cables_.back());  // which assigning an address brings along
    addresses.NewNetwork();
  }
  Ipv4GlobalRoutingHelper::PopulateRoutingTables();
}

void Star::drop() {
  std::map<std::pair<std::int64_t, int>, std::list<std::uint32_t>> lists;
  for (const Drop& one : read_drops(workload_.drops)) {
    lists[{one.host, one.direction}].push_back(static_cast<std::uint32_t>(one.index));
  }
  for (const auto& [where, list] : lists) {
    const Ptr<ReceiveListErrorModel> model = CreateObject<ReceiveListErrorModel>();
    model->SetList(list);
    // the receiving end decides: the hub for what comes from the host
    const std::uint32_t end = where.second == 0 ? 1 : 0;
    cables_[static_cast<std::size_t>(where.first)].Get(end)->SetAttribute("ReceiveErrorModel",
                                                                          PointerValue(model));
  }
}

Ipv4Address Star::address(std::int64_t host) const {
  return hosts_.Get(static_cast<std::uint32_t>(host))
      ->GetObject<Ipv4>()
      ->GetAddress(1, 0)
      .GetLocal();
}

void Star::run(std::int64_t step_ns) {
  if (step_ns == 0) {
    Simulator::Run();
    return;
  }
  const std::int64_t end_ns = workload_.start_ns + workload_.pairs * workload_.offset_ns +
                              (workload_.calls + 1) * workload_.period_ns;
  for (std::int64_t now_ns = 0; now_ns < end_ns; now_ns += step_ns) {
    Simulator::Stop(NanoSeconds(step_ns));
    Simulator::Run();
  }
}

}  // namespace fidelity
