// SPDX-License-Identifier: Apache-2.0
// The kind `traffic`: load between two hosts that means nothing and takes its share of the network.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "longarm/actors/kinds.h"
#include "longarm/actors/link_json.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/world.h"
#include "longarm/core/text.h"
#include "longarm/network/channel.h"
#include "longarm/network/netem/tc_units.h"

namespace longarm::actors {
namespace {

using cell::World;
using Json = nlohmann::ordered_json;

constexpr const char* kTo = "to";
constexpr double kLargestDatagramBytes = 65'507.0;
// of a bulk transfer: what a program writes at once, and how much of it waits in the socket
constexpr std::uint32_t kChunkBytes = 65'536;
constexpr int kChunksAhead = 64;

struct TrafficKeys {
  std::string to;
  std::string pattern = "constant";
  std::string rate = "10Mbit";
  double size_bytes = 1000.0;
  std::string sizes = "fixed";
  Duration on{1'000'000'000};
  Duration off{1'000'000'000};
  Duration start{0};
  std::optional<Duration> stop;
  cell::Wish manner{"", "udp"};

  bool is_bulk() const { return pattern == "bulk"; }
  double rate_bit_s() const {
    return static_cast<double>(network::parse_tc_rate(rate).value_or(0));
  }
  /// Between two messages, on average, while it sends.
  double gap_s() const { return 8.0 * size_bytes / rate_bit_s(); }
};

struct Load {
  std::uint32_t size_bytes = 0;
};

Duration seconds_of(double seconds) {
  return Duration(std::llround(seconds * 1e9));
}

class TrafficActor final : public cell::Actor {
 public:
  TrafficActor(const TrafficKeys& keys, World& world, const std::string& name)
      : keys_(keys),
        world_(world),
        source_(world.kernel().add_source(name)),
        gaps_(world.stream(name, "gaps")),
        sizes_(world.stream(name, "sizes")),
        phases_(world.stream(name, "phases")),
        period_(seconds_of(keys.is_bulk() ? 1.0 : keys.gap_s())),
        channel_(
            world.kernel(), name, open(name),
            [this](const Load& load, Time now) { arrive(load, now); },
            network::LinkMeter(period_, {})) {
    world.kernel().at(Time(keys_.start), sim::Phase::kControl, source_,
                      [this](Time now) { begin(now); });
  }

  Json results() const override {
    Json out = link_json(channel_.report(world_.now()), {}, period_);
    out["sent_bytes"] = sent_bytes_;
    out["delivered_bytes"] = delivered_bytes_;
    const Duration span = std::min(world_.now(), end()) - Time(keys_.start);
    const double seconds = std::max(to_seconds(span), 1e-9);
    out["offered_bit_s"] = 8.0 * static_cast<double>(sent_bytes_) / seconds;
    out["goodput_bit_s"] = 8.0 * static_cast<double>(delivered_bytes_) / seconds;
    return out;
  }

 private:
  std::unique_ptr<network::Link> open(const std::string& name) {
    return std::move(
        world_.open_flow(name, name + "." + kTo, keys_.manner.options(world_.usual_flow()))
            .from_opener);
  }

  Time end() const { return keys_.stop ? Time(*keys_.stop) : Time::max(); }

  void begin(Time now) {
    if (keys_.is_bulk()) {
      for (int i = 0; i < kChunksAhead; ++i) {
        send(kChunkBytes);
      }
      return;
    }
    due_s_ = to_seconds(now.time_since_epoch());
    if (keys_.pattern == "on-off") {
      on_until_s_ = due_s_ + drawn(keys_.on);
    }
    // the first of a random stream comes after a gap, like any other
    if (keys_.pattern == "poisson") {
      due_s_ += exponential(gaps_, keys_.gap_s());
    }
    schedule();
  }

  void schedule() {
    const Time when(seconds_of(due_s_));
    if (when < end()) {
      world_.kernel().at(std::max(when, world_.now()), sim::Phase::kControl, source_,
                         [this](Time) { send_next(); });
    }
  }

  void send_next() {
    const std::uint32_t size = draw_size();
    send(size);
    if (keys_.pattern == "poisson") {
      due_s_ += exponential(gaps_, keys_.gap_s());
    } else {
      // what was sent takes its time at this rate, so that the rate is right whatever the sizes
      due_s_ += 8.0 * size / keys_.rate_bit_s();
    }
    while (keys_.pattern == "on-off" && due_s_ >= on_until_s_) {
      const double silent_s = drawn(keys_.off);
      due_s_ = std::max(due_s_, on_until_s_ + silent_s);
      on_until_s_ += silent_s + drawn(keys_.on);
    }
    schedule();
  }

  void send(std::uint32_t size) {
    sent_bytes_ += size;
    channel_.send({size}, size);
  }

  void arrive(const Load& load, Time now) {
    delivered_bytes_ += load.size_bytes;
    // A socket takes more when acknowledgements have made room; the arrival stands in for them, a
    // trip too early, which nobody sees while so much waits in the socket.
    if (keys_.is_bulk() && now < end()) {
      send(kChunkBytes);
    }
  }

  std::uint32_t draw_size() {
    double size = keys_.size_bytes;
    if (keys_.sizes == "exponential") {
      size = exponential(sizes_, size);
    } else if (keys_.sizes == "uniform") {
      size = sizes_.uniform(0.0, 2.0 * size);
    }
    return static_cast<std::uint32_t>(std::clamp(std::round(size), 1.0, kLargestDatagramBytes));
  }

  double drawn(Duration mean) { return exponential(phases_, to_seconds(mean)); }

  static double exponential(RandomStream& stream, double mean) {
    return -mean * std::log1p(-stream.uniform());
  }

  const TrafficKeys& keys_;
  World& world_;
  sim::SourceId source_;
  RandomStream gaps_;
  RandomStream sizes_;
  RandomStream phases_;
  Duration period_;
  network::Channel<Load> channel_;
  double due_s_ = 0.0;
  double on_until_s_ = 0.0;
  std::uint64_t sent_bytes_ = 0;
  std::uint64_t delivered_bytes_ = 0;
};

class TrafficModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    fields.field(kTo, keys_.to, "destination host");
    fields.choice("pattern", keys_.pattern, {"constant", "poisson", "on-off", "bulk"},
                  "when messages are sent: at constant intervals, at random, in random bursts, or "
                  "as fast as TCP allows");
    fields.field("rate", keys_.rate,
                 "rate without headers, in tc syntax; for on-off: rate during a burst");
    fields.field("size_bytes", keys_.size_bytes, "mean message size");
    fields.choice("sizes", keys_.sizes, {"fixed", "uniform", "exponential"},
                  "distribution of message sizes (uniform: from zero to twice the mean)");
    fields.field("on", keys_.on, "on-off: mean length of a burst");
    fields.field("off", keys_.off, "on-off: mean pause between bursts");
    fields.field("start", keys_.start, "start time");
    fields.field("stop", keys_.stop, "end time; default: end of the run");
    cell::list_manner(fields, keys_.manner);
  }
  void complete(std::string&, bool) override {
    if (keys_.is_bulk()) {
      keys_.manner.transport = "tcp";
    }
  }
  std::vector<std::pair<std::string, std::string>> more_hosts() const override {
    return {{kTo, keys_.to}};
  }
  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext& context) override {
    std::vector<cell::KeyRemark> remarks;
    if (context.host.empty() || keys_.to.empty()) {
      remarks.push_back(
          {context.host.empty() ? "host" : kTo, "traffic needs two hosts",
           fmt::format("actors.{}: {{kind: traffic, host: …, to: …}}", context.name)});
    }
    if (!(keys_.rate_bit_s() > 0.0) && !keys_.is_bulk()) {
      remarks.push_back(
          {"rate", fmt::format("'{}' is not a rate", keys_.rate), "for example 10Mbit"});
    }
    if (!(keys_.size_bytes >= 1.0 && keys_.size_bytes <= kLargestDatagramBytes)) {
      remarks.push_back({"size_bytes", "messages must have 1 to 65507 bytes", "for example 1000"});
    }
    if (keys_.pattern == "on-off" && (keys_.on <= Duration{0} || keys_.off < Duration{0})) {
      remarks.push_back({keys_.on <= Duration{0} ? "on" : "off", "a burst must be longer than zero",
                         "for example 1s"});
    }
    if (keys_.start < Duration{0} || (keys_.stop && *keys_.stop <= keys_.start)) {
      remarks.push_back({keys_.start < Duration{0} ? "start" : "stop",
                         "it would end before it begins", "give a later time"});
    }
    return remarks;
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<TrafficActor>(keys_, world, name);
  }
  cell::Figures figures() const override {
    return {{},
            {{"goodput_bit_s", "traffic that arrived", "Mbit/s", 1e-6, 3},
             {"dropped", "messages dropped", "", 1.0, 0}},
            ""};
  }

 private:
  TrafficKeys keys_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_traffic() {
  return std::make_unique<TrafficModel>();
}

}  // namespace longarm::actors
