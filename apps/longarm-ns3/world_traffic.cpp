// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// What happens in the topology once it is built.
#include <stdexcept>

#include "apps/longarm-ns3/world.h"

namespace longarm_ns3 {

using namespace ns3;
using nlohmann::json;

namespace {

int side_of(const json& command, const char* key) {
  const auto side = command.at(key).get<int>();
  if (side != 0 && side != 1) {
    throw std::runtime_error(std::string(key) + " is 0 or 1");
  }
  return side;
}

Ipv4Address address_of(Ptr<ns3::Node> node) {
  return node->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
}

}  // namespace

void World::at(const json& command, std::size_t node, std::function<void()> action) {
  const auto at_ns = command.at("at_ns").get<std::int64_t>();
  if (at_ns < simulator_->now_ns()) {
    throw std::runtime_error("an event for " + std::to_string(at_ns) + "ns arrived at " +
                             std::to_string(simulator_->now_ns()) + " ns");
  }
  Simulator::ScheduleWithContext(nodes_.at(node).node->GetId(),
                                 NanoSeconds(at_ns - simulator_->now_ns()),
                                 MakeEvent(std::move(action)));
}

void World::open(const json& command) {
  const auto id = command.at("flow").get<std::int64_t>();
  const std::size_t opener = command.at("opener").get<std::size_t>();
  const std::size_t peer = command.at("peer").get<std::size_t>();
  const auto transport = command.at("transport").get<std::string>();
  if (flows_.count(id) > 0) {
    throw std::runtime_error("flow " + std::to_string(id) + "is already open");
  }
  const Ptr<ns3::Node> nodes[2] = {nodes_.at(opener).node, nodes_.at(peer).node};
  const Flow::Place ends[2] = {{nodes[0], address_of(nodes[0])}, {nodes[1], address_of(nodes[1])}};
  const Flow::Tell tell = [this](const Happening& happening) {
    deliveries_.push_back({{"time_ns", simulator_->now_ns()},
                           {"flow", happening.flow},
                           {"side", happening.side},
                           {"message", happening.message},
                           {"fate", happening.fate}});
    if (happening.reason != nullptr) {
      deliveries_.back()["reason"] = happening.reason;
    }
    if (is_stopping_at_delivery_) {
      simulator_->pause_after_instant();
    }
  };
  std::unique_ptr<Flow> flow;
  if (transport == "udp") {
    flow = make_udp_flow(id, ends, tell);
  } else if (transport == "tcp") {
    flow = make_tcp_flow(id, ends, command.at("tcp"), tell);
  } else {
    throw std::runtime_error("transport '" + transport + "'; use udp or tcp");
  }
  Flow* const opened = flow.get();
  at(command, opener, [opened] { opened->connect(); });
  flows_[id] = std::move(flow);
}

Flow& World::flow(const json& command) {
  const auto found = flows_.find(command.at("flow").get<std::int64_t>());
  if (found == flows_.end()) {
    throw std::runtime_error("there is no flow " + command.at("flow").dump());
  }
  return *found->second;
}

void World::send(const json& command) {
  Flow& over = flow(command);
  const int side = side_of(command, "side");
  const auto message = command.at("message").get<std::uint64_t>();
  const auto bytes = command.at("bytes").get<std::uint32_t>();
  at(command, 0, [&over, side, message, bytes] { over.send(side, message, bytes); });
}

void World::close(const json& command) {
  Flow& over = flow(command);
  const int side = side_of(command, "side");
  at(command, 0, [&over, side] { over.close(side); });
}

void World::reset(const json& command) {
  Flow& over = flow(command);
  const int side = side_of(command, "side");
  at(command, 0, [&over, side] { over.reset(side); });
}

std::size_t World::cable_index(const json& command) const {
  const auto index = command.at("cable").get<std::size_t>();
  if (index >= cables_.size()) {
    throw std::runtime_error("there is no cable " + std::to_string(index));
  }
  return index;
}

void World::change(const json& command) {
  schedule_change(cable_index(command), command);
}

void World::schedule_change(std::size_t cable, const json& change) {
  if (change.contains("rate_bit_s") && change.at("rate_bit_s").get<std::int64_t>() < 1) {
    throw std::runtime_error("cable '" + cables_[cable].name + "': a rate below 1 bit/s");
  }
  const Ptr<CableChannel> channel = cables_[cable].channel;
  at(change, cables_[cable].ends[0], [channel, change] {
    for (int direction = 0; direction < 2; ++direction) {
      const json& only = change.at("direction");
      if (!only.is_null() && only.get<int>() != direction) {
        continue;
      }
      if (change.contains("rate_bit_s")) {
        channel->set_rate(direction, change.at("rate_bit_s").get<std::uint64_t>());
      }
      if (change.contains("propagation_ns")) {
        channel->set_propagation(direction, change.at("propagation_ns").get<std::int64_t>());
      }
      if (change.contains("is_up")) {
        channel->set_up(direction, change.at("is_up").get<bool>());
      }
    }
  });
}

void World::fates(const json& command) {
  CableChannel& channel = *cables_[cable_index(command)].channel;
  std::vector<std::vector<std::int64_t>> fates;
  for (const json& fate : command.at("extra_ns")) {
    if (fate.is_array()) {
      fates.push_back(fate.get<std::vector<std::int64_t>>());
    } else if (const auto extra_ns = fate.get<std::int64_t>(); extra_ns >= 0) {
      fates.push_back({extra_ns});
    } else {
      fates.emplace_back();
    }
  }
  channel.add_fates(side_of(command, "direction"), std::move(fates));
}

json World::wanted_fates() const {
  json wanted = json::array();
  for (std::size_t cable = 0; cable < cables_.size(); ++cable) {
    for (int direction = 0; direction < 2; ++direction) {
      const CableChannel& channel = *cables_[cable].channel;
      if (channel.needs_fates(direction)) {
        wanted.push_back(
            {{"cable", cable}, {"direction", direction}, {"first", channel.next_fate(direction)}});
      }
    }
  }
  return wanted;
}

json World::advance(const json& command) {
  is_stopping_at_delivery_ = command.at("stop_at_first_delivery").get<bool>();
  simulator_->set_limit(command.at("until_ns").get<std::int64_t>());
  deliveries_ = json::array();
  if (wanted_fates().empty()) {
    Simulator::Run();
  }
  const std::int64_t next_ns = simulator_->next_event_ns();
  return {{"reply", "advanced"},
          {"time_ns", simulator_->now_ns()},
          {"next_event_ns", next_ns == WindowSimulator::kNever ? json() : json(next_ns)},
          {"deliveries", std::move(deliveries_)},
          {"fates_wanted", wanted_fates()}};
}

}  // namespace longarm_ns3
