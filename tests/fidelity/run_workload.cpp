// SPDX-License-Identifier: Apache-2.0
// Programs that call each other, as a loop around Backend::advance.
#include "tests/fidelity/run_workload.h"

#include <algorithm>
#include <memory>
#include <queue>
#include <sstream>

#include <fmt/format.h>

#include "longarm/network/external/fate_source.h"
#include "longarm/network/netem/netem_link.h"

namespace fidelity {
namespace {

using namespace longarm;
using namespace longarm::network;

/// Loses the packets of a list.
class ListedLoss final : public LinkModel {
 public:
  explicit ListedLoss(std::vector<std::int64_t> lost) : lost_(std::move(lost)) {
    std::sort(lost_.begin(), lost_.end());
  }
  void list_fields(Fields&) override {}
  FateRule fate_rule() const override { return FateRule::kByIndex; }
  std::unique_ptr<Link> make(const LinkContext&) const override {
    return std::make_unique<LossyLink>(lost_);
  }

 private:
  class LossyLink final : public Link {
   public:
    explicit LossyLink(const std::vector<std::int64_t>& lost) : lost_(lost) {}

   private:
    void do_send(Time now, const Packet& packet, LinkOutput& output) override {
      const auto index = static_cast<std::int64_t>(packet.index);
      if (std::binary_search(lost_.begin(), lost_.end(), index)) {
        output.drop(packet, DropReason::kLoss);
      } else {
        output.arrive(packet, now);
      }
    }
    std::vector<std::int64_t> lost_;
  };

  std::vector<std::int64_t> lost_;
};

class NetemModel final : public LinkModel {
 public:
  explicit NetemModel(const NetemConfig& config) : config_(config) {}
  void list_fields(Fields&) override {}
  std::unique_ptr<Link> make(const LinkContext& context) const override {
    return make_netem_link(config_, context);
  }

 private:
  NetemConfig config_;
};

FlowOptions make_options(const Workload& workload) {
  FlowOptions options;
  options.transport = workload.transport == "tcp" ? Transport::kTcp : Transport::kUdp;
  TcpOptions& tcp = options.tcp;
  tcp.mss_bytes = workload.mss_bytes;
  tcp.initial_window_segments = workload.initial_window;
  tcp.has_timestamps = workload.timestamps != 0;
  tcp.has_sack = workload.sack != 0;
  tcp.is_nodelay = workload.nodelay != 0;
  tcp.delayed_ack_timeout = Duration(workload.delayed_ack_ns);
  tcp.rto_rule = RtoRule::kRfc6298;
  tcp.min_rto = Duration(workload.min_rto_ns);
  tcp.initial_rto = Duration(workload.initial_rto_ns);
  tcp.congestion =
      workload.congestion == "cubic" ? CongestionControl::kCubic : CongestionControl::kReno;
  tcp.send_buffer_bytes = workload.buffer_bytes;
  tcp.receive_buffer_bytes = workload.buffer_bytes;
  tcp.send_latency = Duration(1);
  return options;
}

NodeId node(std::int64_t index) {
  return NodeId{static_cast<std::uint32_t>(index)};
}

/// The programs of all pairs.
class Programs {
 public:
  Programs(const Workload& workload, Backend& backend) : workload_(workload), backend_(backend) {
    calls_.resize(static_cast<std::size_t>(workload.pairs));
  }

  Result<std::vector<Record>> run() {
    for (std::int64_t pair = 0; pair < workload_.pairs; ++pair) {
      const Duration offset(pair * workload_.offset_ns);
      const Result<FlowId> flow = backend_.open(
          {node(workload_.client(pair)), node(workload_.server(pair)), make_options(workload_)},
          Time(Duration(workload_.connect_ns) + offset));
      if (!flow) {
        return flow.error();
      }
      flows_.push_back(*flow);
      due_.push({Time(Duration(workload_.start_ns) + offset), pair});
    }
    while (replies_ < workload_.pairs * workload_.calls) {
      const Time until = due_.empty() ? Time::max() : due_.top().first;
      if (until == Time::max() && backend_.next_event() == Time::max()) {
        return Error{fmt::format("only {} calls were answered", replies_)};
      }
      std::vector<Delivery> deliveries;
      const Result<bool> advanced = backend_.advance(until, deliveries);
      if (!advanced) {
        return advanced.error();
      }
      for (const Delivery& delivery : deliveries) {
        hear(delivery);
      }
      if (deliveries.empty() && !due_.empty()) {
        const auto [at, pair] = due_.top();
        due_.pop();
        call(pair, at);
      }
    }
    std::sort(records_.begin(), records_.end());
    return records_;
  }

 private:
  using Due = std::pair<Time, std::int64_t>;

  void call(std::int64_t pair, Time now) {
    std::int64_t& made = calls_[static_cast<std::size_t>(pair)];
    if (made == workload_.calls) {
      return;
    }
    send(pair, Side::kOpener, made++, workload_.request_bytes, now);
    if (workload_.is_closed == 0 && made < workload_.calls) {
      due_.push({now + Duration(workload_.period_ns), pair});
    }
  }

  void send(std::int64_t pair, Side from, std::int64_t index, std::int64_t bytes, Time now) {
    backend_.send(flows_[static_cast<std::size_t>(pair)], from,
                  MessageId{static_cast<std::uint64_t>(index)}, static_cast<std::uint32_t>(bytes),
                  now);
  }

  void hear(const Delivery& delivery) {
    const auto found = std::find(flows_.begin(), flows_.end(), delivery.flow);
    const std::int64_t pair = found - flows_.begin();
    const auto index = static_cast<std::int64_t>(delivery.message);
    const bool is_client = delivery.side == Side::kOpener;
    if (delivery.fate == Fate::kConnected) {
      note(delivery.time, pair, is_client ? 'c' : 's', 0);
    } else if (delivery.fate == Fate::kDelivered && !is_client) {
      note(delivery.time, pair, 'q', index);
      send(pair, Side::kPeer, index, workload_.reply_bytes, delivery.time);
    } else if (delivery.fate == Fate::kDelivered) {
      note(delivery.time, pair, 'p', index);
      ++replies_;
      if (workload_.is_closed != 0) {
        const Duration rest(workload_.period_ns);
        rest == Duration(0) ? call(pair, delivery.time) : due_.push({delivery.time + rest, pair});
      }
    }
  }

  void note(Time time, std::int64_t pair, char what, std::int64_t index) {
    records_.push_back({time.time_since_epoch().count(), pair, what, index});
  }

  const Workload& workload_;
  Backend& backend_;
  std::vector<FlowId> flows_;
  std::vector<std::int64_t> calls_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::vector<Record> records_;
  std::int64_t replies_ = 0;
};

}  // namespace

Topology make_topology(const Workload& workload) {
  Topology topology;
  for (std::int64_t host = 0; host < workload.hosts; ++host) {
    topology.nodes.push_back({fmt::format("host{}", host), false, Duration(0)});
    Cable cable;
    cable.name = fmt::format("cable{}", host);
    cable.ends[0] = node(host);
    cable.ends[1] = node(workload.hosts);
    cable.rate_bit_s = static_cast<double>(workload.rate_bit_s);
    cable.propagation = Duration(workload.propagation_ns);
    cable.framing = workload.framing == "ethernet" ? Framing::kEthernet : Framing::kPpp;
    cable.queue.limit_packets = workload.queue_packets;
    topology.cables.push_back(cable);
  }
  topology.nodes.push_back({"switch", true, Duration(0)});

  const std::vector<Drop> drops =
      workload.drops.empty() ? std::vector<Drop>{} : read_drops(workload.drops);
  for (std::int64_t host = 0; host < workload.hosts; ++host) {
    for (int direction = 0; direction < 2; ++direction) {
      std::vector<std::int64_t> lost;
      for (const Drop& drop : drops) {
        if (drop.host == host && drop.direction == direction) {
          lost.push_back(drop.index);
        }
      }
      if (!lost.empty()) {
        topology.cables[static_cast<std::size_t>(host)].impairment[direction] =
            std::make_shared<ListedLoss>(lost);
      }
    }
  }
  return topology;
}

Result<std::vector<Record>> run_backend(const Workload& workload, Backend& backend) {
  return Programs(workload, backend).run();
}

Result<std::vector<Record>> run_reference(const std::string& program, const Workload& workload) {
  std::string command = "'" + program + "'";
  for (const std::string& word : to_words(workload)) {
    command += " '" + word + "'";
  }
  FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) {
    return Error{"cannot start " + program};
  }
  std::vector<Record> records;
  long long time_ns = 0;
  long long pair = 0;
  long long index = 0;
  char what = 0;
  while (std::fscanf(output, "%lld %lld %c %lld", &time_ns, &pair, &what, &index) == 4) {
    records.push_back({time_ns, pair, what, index});
  }
  if (pclose(output) != 0) {
    return Error{program + " failed"};
  }
  std::sort(records.begin(), records.end());
  return records;
}

std::vector<std::int64_t> call_times_ns(const Workload& workload,
                                        const std::vector<Record>& records) {
  std::vector<std::int64_t> times;
  std::int64_t begun_ns = 0;
  for (const Record& record : records) {
    if (record.what != 'p') {
      continue;
    }
    const std::int64_t start_ns = workload.start_ns + record.pair * workload.offset_ns;
    if (workload.is_closed == 0 || record.index == 0) {
      begun_ns = start_ns + (workload.is_closed == 0 ? record.index * workload.period_ns : 0);
    }
    times.push_back(record.time_ns - begun_ns);
    begun_ns = record.time_ns + workload.period_ns;
  }
  return times;
}

void write_random_drops(const std::string& path, const Workload& workload, double loss_percent,
                        std::uint64_t seed, std::uint64_t packets) {
  NetemConfig config;
  config.loss.model = NetemConfig::LossModel::kRandom;
  config.loss.percent = loss_percent;
  const NetemModel model(config);
  std::ofstream file(path);
  for (std::int64_t pair = 0; pair < workload.pairs; ++pair) {
    for (int direction = 0; direction < 2; ++direction) {
      external::FateSource source(model,
                                  {seed, fmt::format("{}.{}", workload.client(pair), direction)});
      const std::vector<external::PacketFate> fates = source.draw(packets);
      for (std::size_t i = 0; i < fates.size(); ++i) {
        if (fates[i].empty()) {
          file << workload.client(pair) << ' ' << direction << ' ' << i << '\n';
        }
      }
    }
  }
}

}  // namespace fidelity
