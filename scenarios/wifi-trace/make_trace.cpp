// SPDX-License-Identifier: Apache-2.0
// Makes states.csv and commands.csv: one-way delays over a busy 802.11ac cell, simulated with ns-3.
// Not part of the build; README.md says how to compile it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/mobility-module.h>
#include <ns3/network-module.h>
#include <ns3/wifi-module.h>

using namespace ns3;

namespace {

constexpr int kMessages = 10'000;                        // per direction, one per millisecond
constexpr std::uint32_t kMessageBytes = 200;             // of UDP payload
constexpr double kStart = 2.0;                           // s; stations have joined by then
constexpr std::uint32_t kBackgroundBytes = 1400;         // of UDP payload
constexpr double kBackgroundMbit = 25.0;                 // per background station while it sends
constexpr double kOnSeconds = 0.05, kOffSeconds = 0.10;  // mean burst and pause, exponential

/// One direction of the robot's traffic: numbered messages, and when each arrived.
struct Flow {
  std::string file;
  Ptr<Socket> socket;
  Address to;
  std::vector<std::int64_t> sent_ns = std::vector<std::int64_t>(kMessages, -1);
  std::vector<std::int64_t> received_ns = std::vector<std::int64_t>(kMessages, -1);

  void send(int number) {
    std::uint8_t bytes[kMessageBytes] = {};
    for (int i = 0; i < 4; ++i) {
      bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    sent_ns[number] = Simulator::Now().GetNanoSeconds();
    socket->SendTo(Create<Packet>(bytes, kMessageBytes), 0, to);
    if (number + 1 < kMessages) {
      Simulator::Schedule(MilliSeconds(1), [this, number] { send(number + 1); });
    }
  }

  void receive(Ptr<Socket> from) {
    while (const Ptr<Packet> packet = from->Recv()) {
      std::uint8_t bytes[4] = {};
      packet->CopyData(bytes, 4);
      const int number = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24;
      if (number >= 0 && number < kMessages && received_ns[number] < 0) {
        received_ns[number] = Simulator::Now().GetNanoSeconds();
      }
    }
  }

  void save() const {
    std::FILE* out = std::fopen(file.c_str(), "w");
    if (out == nullptr) {
      std::perror(file.c_str());
      std::exit(1);
    }
    std::fprintf(out, "# made by make_trace.cpp with ns-3 3.37; see README.md\ntime_ms,delay_us\n");
    for (int i = 0; i < kMessages; ++i) {
      if (received_ns[i] < 0) {
        std::fprintf(out, "%d,lost\n", i);
      } else {
        std::fprintf(out, "%d,%ld\n", i,
                     static_cast<long>((received_ns[i] - sent_ns[i] + 500) / 1000));
      }
    }
    std::fclose(out);
  }
};

/// A station that uploads in bursts.
struct Background {
  Ptr<Socket> socket;
  Address to;
  Ptr<ExponentialRandomVariable> random = CreateObject<ExponentialRandomVariable>();

  void burst() {
    random->SetAttribute("Mean", DoubleValue(kOnSeconds));
    send(Simulator::Now() + Seconds(random->GetValue()));
  }
  void send(Time until) {
    if (Simulator::Now() >= until) {
      random->SetAttribute("Mean", DoubleValue(kOffSeconds));
      Simulator::Schedule(Seconds(random->GetValue()), [this] { burst(); });
      return;
    }
    socket->SendTo(Create<Packet>(kBackgroundBytes), 0, to);
    Simulator::Schedule(Seconds(kBackgroundBytes * 8 / (kBackgroundMbit * 1e6)),
                        [this, until] { send(until); });
  }
};

Ptr<Socket> open(Ptr<Node> node, std::uint16_t port) {
  const Ptr<Socket> socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
  socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
  return socket;
}

}  // namespace

int main() {
  RngSeedManager::SetSeed(1);
  RngSeedManager::SetRun(1);

  // station 0 carries the robot, 8 m away; three more around the access point upload files
  NodeContainer access_point(1);
  NodeContainer stations(4);
  MobilityHelper mobility;
  const Ptr<ListPositionAllocator> places = CreateObject<ListPositionAllocator>();
  places->Add(Vector(0, 0, 0));
  places->Add(Vector(8, 0, 0));
  places->Add(Vector(0, 12, 0));
  places->Add(Vector(-10, 5, 0));
  places->Add(Vector(6, -11, 0));
  mobility.SetPositionAllocator(places);
  mobility.Install(access_point);
  mobility.Install(stations);

  YansWifiChannelHelper channel = YansWifiChannelHelper::Default();
  YansWifiPhyHelper phy;
  phy.SetChannel(channel.Create());
  phy.Set("ChannelSettings", StringValue("{42, 80, BAND_5GHZ, 0}"));
  WifiHelper wifi;
  wifi.SetStandard(WIFI_STANDARD_80211ac);
  wifi.SetRemoteStationManager("ns3::MinstrelHtWifiManager");
  WifiMacHelper mac;
  mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(Ssid("cell")));
  NetDeviceContainer devices = wifi.Install(phy, mac, access_point);
  mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(Ssid("cell")));
  devices.Add(wifi.Install(phy, mac, stations));

  InternetStackHelper internet;
  internet.InstallAll();
  Ipv4AddressHelper address("10.0.0.0", "255.255.255.0");
  const Ipv4InterfaceContainer interfaces = address.Assign(devices);
  const Ipv4Address controller = interfaces.GetAddress(0);
  const Ipv4Address robot = interfaces.GetAddress(1);

  Flow states{"states.csv"};
  Flow commands{"commands.csv"};
  states.socket = open(stations.Get(0), 1000);
  commands.socket = open(access_point.Get(0), 1001);
  states.to = InetSocketAddress(controller, 1001);
  commands.to = InetSocketAddress(robot, 1000);
  commands.socket->SetRecvCallback(MakeCallback(&Flow::receive, &states));
  states.socket->SetRecvCallback(MakeCallback(&Flow::receive, &commands));

  const Ptr<Socket> sink = open(access_point.Get(0), 2000);
  sink->SetRecvCallback(MakeCallback(+[](Ptr<Socket> from) {
    while (from->Recv()) {
    }
  }));
  std::vector<Background> background(3);
  for (std::size_t i = 0; i < background.size(); ++i) {
    background[i].socket = open(stations.Get(static_cast<std::uint32_t>(i + 1)), 2000);
    background[i].to = InetSocketAddress(controller, 2000);
    Simulator::Schedule(Seconds(1.0 + 0.01 * static_cast<double>(i)),
                        [&background, i] { background[i].burst(); });
  }

  // the two ends are not in step
  Simulator::Schedule(Seconds(kStart), [&states] { states.send(0); });
  Simulator::Schedule(Seconds(kStart) + MicroSeconds(437), [&commands] { commands.send(0); });
  Simulator::Stop(Seconds(kStart) + MilliSeconds(kMessages) + Seconds(1));
  Simulator::Run();
  states.save();
  commands.save();
  Simulator::Destroy();
}
