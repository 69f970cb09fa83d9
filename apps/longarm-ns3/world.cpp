// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Builds the topology: switches are routers whose routes are given, hosts have one address each.
#include "apps/longarm-ns3/world.h"

#include <stdexcept>

#include "apps/longarm-ns3/capture.h"

namespace longarm_ns3 {

using namespace ns3;
using nlohmann::json;

namespace {

// A cable without a rate: a full-size frame takes far less than half a nanosecond.
constexpr std::uint64_t kAsFastAsYouLike = 1'000'000'000'000'000'000;

[[noreturn]] void refuse(const std::string& what) {
  throw std::runtime_error(what);
}

Ipv4Address address_of(std::size_t node) {
  return Ipv4Address(0x0a000001 + static_cast<std::uint32_t>(node));
}

CableSettings read_cable(const json& cable) {
  const std::string name = "cable '" + cable.at("name").get<std::string>() + "': ";
  const json& queue = cable.at("queue");
  const auto framing = cable.at("framing").get<std::string>();
  if (framing != "ethernet" && framing != "ppp") {
    refuse(name + "framing '" + framing + "': ns-3 supports ethernet and ppp only");
  }
  if (queue.at("kind") != "drop_tail") {
    refuse(name + "a queue other than drop-tail");
  }
  if (queue.at("priorities").get<int>() != 1) {
    refuse(name + "a queue with priorities");
  }
  if (queue.at("limit_bytes").get<std::int64_t>() != 0) {
    refuse(name + "a queue with a limit in bytes");
  }
  CableSettings settings;
  settings.limit_packets = queue.at("limit_packets").get<std::int64_t>();
  if (settings.limit_packets < 1 || settings.limit_packets > INT32_MAX) {
    refuse(name + "a queue for fewer than 1 or more than 2147483647 packets");
  }
  const json& rate = cable.at("rate_bit_s");
  settings.rate_bit_s = rate.is_null() ? kAsFastAsYouLike : rate.get<std::uint64_t>();
  if (settings.rate_bit_s < 1) {
    refuse(name + "a rate below 1 bit/s");
  }
  settings.propagation_ns = cable.at("propagation_ns").get<std::int64_t>();
  settings.is_ethernet = framing == "ethernet";
  settings.may_overtake = cable.at("may_overtake").get<bool>();
  return settings;
}

}  // namespace

World::World(const json& build) : simulator_(CreateObject<WindowSimulator>()) {
  Simulator::SetImplementation(simulator_);
  RngSeedManager::SetRun(build.at("seed").get<std::uint64_t>());
  const auto mtu_bytes = build.at("mtu_bytes").get<std::int64_t>();
  if (mtu_bytes < 68 || mtu_bytes > UINT16_MAX) {
    refuse("an MTU of " + std::to_string(mtu_bytes) + " bytes");
  }
  for (const json& node : build.at("nodes")) {
    add_node(node);
  }
  InternetStackHelper internet;
  internet.SetIpv6StackInstall(false);
  internet.SetRoutingHelper(Ipv4StaticRoutingHelper());
  for (const Node& node : nodes_) {
    internet.Install(node.node);
  }
  for (const json& cable : build.at("cables")) {
    add_cable(cable, static_cast<std::uint16_t>(mtu_bytes));
  }
  add_routes(build.at("next_cable"));
  const auto folder = build.at("capture_folder").get<std::string>();
  if (!folder.empty()) {
    capture(folder);
  }
}

World::~World() {
  flows_.clear();
  Simulator::Destroy();
}

void World::add_node(const json& node) {
  nodes_.push_back({node.at("name").get<std::string>(), CreateObject<ns3::Node>(),
                    node.at("forwarding_ns").get<std::int64_t>()});
}

void World::add_cable(const json& cable, std::uint16_t mtu_bytes) {
  const std::size_t index = cables_.size();
  Cable added;
  added.name = cable.at("name").get<std::string>();
  for (std::size_t end = 0; end < 2; ++end) {
    added.ends[end] = cable.at("ends").at(end).get<std::size_t>();
  }
  Node& first = nodes_.at(added.ends[0]);
  Node& second = nodes_.at(added.ends[1]);
  added.channel = CreateObject<CableChannel>();
  added.channel->connect(read_cable(cable), first.node, second.node, mtu_bytes,
                         {first.forwarding_ns, second.forwarding_ns});
  added.channel->set_callbacks(
      [this](Ptr<const Packet> packet, const char* reason) {
        MessageTag tag;
        if (packet->PeekPacketTag(tag)) {
          flows_.at(static_cast<std::int64_t>(tag.flow))->lose(tag, reason);
        }
      },
      [this](int) { simulator_->pause_now(); });
  for (int end = 0; end < 2; ++end) {
    const std::size_t node = added.ends[end];
    const Ptr<Ipv4> ipv4 = nodes_[node].node->GetObject<Ipv4>();
    const std::uint32_t interface = ipv4->AddInterface(added.channel->device(end));
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(address_of(node), Ipv4Mask("255.0.0.0")));
    ipv4->SetUp(interface);
    added.interfaces[end] = interface;
    const auto rule = cable.at("fates").at(static_cast<std::size_t>(end)).get<std::string>();
    if (rule != "none") {
      added.channel->expect_fates(end, rule == "in_order");
    }
  }
  cables_.push_back(added);
  for (const json& change : cable.at("changes")) {
    schedule_change(index, change);
  }
}

void World::add_routes(const json& next_cable) {
  Ipv4StaticRoutingHelper helper;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const Ptr<Ipv4StaticRouting> routing =
        helper.GetStaticRouting(nodes_[node].node->GetObject<Ipv4>());
    for (std::size_t destination = 0; destination < nodes_.size(); ++destination) {
      const auto next = next_cable.at(node).at(destination).get<std::int64_t>();
      if (next < 0) {
        continue;  // itself, or nobody sends there
      }
      const Cable& cable = cables_.at(static_cast<std::size_t>(next));
      routing->AddHostRouteTo(address_of(destination),
                              cable.interfaces[cable.ends[0] == node ? 0 : 1]);
    }
  }
}

void World::capture(const std::string& folder) {
  for (const Cable& cable : cables_) {
    for (int end = 0; end < 2; ++end) {
      capture_device(folder + "/" + nodes_[cable.ends[end]].name + "-" + cable.name + ".pcap",
                     cable.channel->device(end), cable.channel->is_ethernet());
    }
  }
}

json World::figures(const json& command) const {
  const auto at_ns = command.value("at_ns", INT64_MAX);
  json flows = json::array();
  for (const auto& [id, flow] : flows_) {
    for (int side = 0; side < 2; ++side) {
      const FlowCounts& counts = flow->counts(side);
      flows.push_back({{"flow", id},
                       {"side", side},
                       {"messages_sent", counts.messages_sent},
                       {"messages_delivered", counts.messages_delivered},
                       {"bytes_delivered", counts.bytes_delivered},
                       {"packets_sent", counts.packets_sent},
                       {"packets_lost", counts.packets_lost},
                       {"retransmissions", counts.retransmissions},
                       {"timeouts", counts.timeouts}});
    }
  }
  json cables = json::array();
  for (std::size_t index = 0; index < cables_.size(); ++index) {
    for (int direction = 0; direction < 2; ++direction) {
      const CableCounts counts = cables_[index].channel->counts(direction, at_ns);
      cables.push_back({{"cable", index},
                        {"direction", direction},
                        {"packets", counts.packets},
                        {"bytes", counts.bytes},
                        {"dropped_queue", counts.dropped_queue},
                        {"dropped_loss", counts.dropped_loss},
                        {"longest_queue_packets", counts.longest_queue_packets},
                        {"busy_ns", counts.busy_ns}});
    }
  }
  return {{"reply", "figures"},
          {"flows", flows},
          {"cables", cables},
          {"events", simulator_->GetEventCount()}};
}

}  // namespace longarm_ns3
