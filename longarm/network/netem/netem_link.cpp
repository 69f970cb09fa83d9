// SPDX-License-Identifier: Apache-2.0
// Everything about a packet is decided when it is sent: netem knows each departure at that moment.
#include "longarm/network/netem/netem_link.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "longarm/network/damage_output.h"
#include "longarm/network/netem/netem_random.h"

namespace longarm::network {
namespace {

__extension__ typedef __int128 Wide;  // bits times nanoseconds outgrow 64 bits

/// The generators that one copy of a packet uses up.
struct Draws {
  Draws(const LinkContext& context, const std::string& of, const NetemConfig& config)
      : loss(context.seed, context.name + of + ".loss", config.loss),
        corrupt(context.seed, context.name + of + ".corrupt", config.corrupt.correlation_percent),
        reorder(context.seed, context.name + of + ".reorder", config.reorder.correlation_percent),
        delay(context.seed, context.name + of + ".delay", config.delay.correlation_percent) {}

  LossProcess loss;
  CorrelatedDraws corrupt;
  CorrelatedDraws reorder;
  CorrelatedDraws delay;
};

/// Lets packets out in bursts. A slot opens some time after the first packet that is ready; all
/// that are ready by then leave together, as many as it holds.
class Slots {
 public:
  Slots(const NetemConfig::Slot& config, const LinkContext& context)
      : config_(config), draws_(context.seed, context.name + ".slot") {}

  /// When a packet that is ready at `ready` leaves; to be asked in order of sending.
  Time leave(Time ready, std::int64_t size_bytes) {
    if (ready > opens_) {
      open_after(ready);
    }
    const Time at = opens_;
    ++packets_;
    bytes_ += size_bytes;
    if ((config_.packets > 0 && packets_ >= config_.packets) ||
        (config_.bytes > 0 && bytes_ >= config_.bytes)) {
      open_after(at);
    }
    return at;
  }

 private:
  void open_after(Time before) {
    const double u = draws_.uniform_at(count_++);
    Duration wait{0};
    if (config_.distribution) {
      const double jitter = static_cast<double>(config_.jitter.count());
      wait = config_.delay +
             Duration(std::llround(jitter * distribution_quantile(*config_.distribution, u)));
    } else {
      const auto range = static_cast<double>((config_.maximum - config_.minimum).count());
      wait = config_.minimum + Duration(std::llround(range * u));
    }
    opens_ = before + std::max(wait, Duration(0));
    packets_ = 0;
    bytes_ = 0;
  }

  NetemConfig::Slot config_;
  RandomStream draws_;
  std::uint64_t count_ = 0;
  Time opens_ = Time::min();
  std::int64_t packets_ = 0;
  std::int64_t bytes_ = 0;
};

class NetemLink final : public Link {
 public:
  NetemLink(const NetemConfig& config, const LinkContext& context)
      : config_(config),
        draws_(context, "", config),
        copy_draws_(context, ".copy", config),
        duplicate_(context.seed, context.name + ".duplicate",
                   config.duplicate.correlation_percent) {
    if (config.slot) {
      slots_.emplace(*config.slot, context);
    }
  }

 private:
  /// What becomes of one copy.
  struct Fate {
    bool arrives = false;
    bool is_damaged = false;
    Time at{};
  };

  void do_send(Time now, const Packet& packet, LinkOutput& output) override {
    while (!departures_.empty() && departures_.top() <= now) {
      departures_.pop();
    }
    const bool is_doubled = duplicate_.at(packet.index) < config_.duplicate.percent / 100.0;
    const bool is_lost = draws_.loss.is_lost(packet.index);
    if (is_lost && !is_doubled) {
      output.drop(packet, DropReason::kLoss);
      return;
    }
    if (is_queue_full()) {
      output.drop(packet, DropReason::kQueueFull);
      return;
    }

    // a packet that is both doubled and lost is one packet again; otherwise the copy goes first and
    // meets loss once more; the original has its place already
    Fate copy;
    const bool has_copy = is_doubled && !is_lost;
    if (has_copy && !copy_draws_.loss.is_lost(packet.index)) {
      copy = enter(now, packet, copy_draws_);
    }
    const Fate original = enter(now, packet, draws_);
    if (copy.is_damaged || original.is_damaged) {
      tell_damage(packet, copy, original, output);
    }
    if (copy.arrives) {
      output.arrive(packet, copy.at);
    }
    if (original.arrives) {
      output.arrive(packet, original.at);
    }
    if (!copy.arrives && !original.arrives) {
      output.drop(packet, DropReason::kCorrupt);
    }
  }

  static void tell_damage(const Packet& packet, const Fate& copy, const Fate& original,
                          LinkOutput& output) {
    auto* const listener = dynamic_cast<DamageOutput*>(&output);
    for (const Fate& fate : {copy, original}) {
      if (listener != nullptr && fate.is_damaged) {
        listener->damaged(packet, fate.at);
      }
    }
  }

  bool is_queue_full() const {
    return departures_.size() >= static_cast<std::size_t>(config_.limit_packets);
  }

  /// Puts one copy into the queue. A damaged one takes its time and place all the same.
  Fate enter(Time now, const Packet& packet, Draws& draws) {
    // like the kernel, it draws only where the draw decides something: a correlated one is mixed
    // with the last that was drawn
    const bool is_damaged = draws.corrupt.at(packet.index) < config_.corrupt.percent / 100.0;
    Time at = now;
    if (config_.reorder_gap > 0 && since_reorder_ >= config_.reorder_gap - 1 &&
        draws.reorder.at(packet.index) < config_.reorder.percent / 100.0) {
      since_reorder_ = 0;  // skips the queue
    } else {
      ++since_reorder_;
      at = depart(now, packet.size_bytes, draws.delay.at(packet.index));
    }
    return {!is_damaged, is_damaged, at};
  }

  Time depart(Time now, std::size_t size_bytes, double u_delay) {
    Time ready = now + delay(u_delay);
    if (config_.rate.bits_per_second > 0) {
      // behind whatever leaves last among those that wait
      if (latest_ > now) {
        ready = std::max(ready, latest_);
      }
      ready += transmission_time(size_bytes);
    }
    ready = std::max(ready, now);
    if (slots_) {
      ready = std::max(ready, latest_);
    }
    latest_ = std::max(latest_, ready);
    const Time leaves =
        slots_ ? slots_->leave(ready, static_cast<std::int64_t>(size_bytes)) : ready;
    if (leaves > now) {
      departures_.push(leaves);
    }
    return leaves;
  }

  Duration delay(double u) const {
    if (config_.delay.jitter == Duration(0)) {
      return config_.delay.mean;
    }
    if (config_.delay.correlation_percent > 0.0 && !config_.keeps_jitter_correlation) {
      u = kernel_remainder(config_.delay, u);
    }
    const double jitter = static_cast<double>(config_.delay.jitter.count());
    return config_.delay.mean +
           Duration(std::llround(jitter * distribution_quantile(config_.delay.distribution, u)));
  }

  Duration transmission_time(std::size_t size_bytes) const {
    const NetemConfig::Rate& rate = config_.rate;
    std::int64_t bytes = std::max<std::int64_t>(
        0, static_cast<std::int64_t>(size_bytes) + rate.packet_overhead_bytes);
    if (rate.cell_bytes > 0) {
      const std::int64_t cells = (bytes + rate.cell_bytes - 1) / rate.cell_bytes;
      bytes = cells * (rate.cell_bytes + rate.cell_overhead_bytes);
    }
    return Duration(
        static_cast<std::int64_t>(static_cast<Wide>(bytes) * 8'000'000'000 / rate.bits_per_second));
  }

  NetemConfig config_;
  Draws draws_;
  Draws copy_draws_;
  CorrelatedDraws duplicate_;
  std::optional<Slots> slots_;
  std::int64_t since_reorder_ = 0;
  Time latest_ = Time::min();
  std::priority_queue<Time, std::vector<Time>, std::greater<>> departures_;
};

class NetemModel final : public LinkModel {
 public:
  NetemModel() = default;
  explicit NetemModel(const NetemConfig& config)
      : line_(format_netem(config)),
        jitter_correlation_(config.keeps_jitter_correlation ? "kept" : "kernel"),
        config_(config) {}

  void list_fields(Fields& fields) override {
    fields.field("netem", line_, "tc netem options, e.g. delay 10ms 2ms loss 0.1%");
    fields.choice("jitter_correlation", jitter_correlation_, {"kernel", "kept"},
                  "effect of a correlation on jitter: almost none, as in the kernel, or as the tc "
                  "manual page says");
    if (const std::optional<NetemMistake> mistake = read_netem(line_, config_)) {
      fields.reject("netem", mistake->message, mistake->hint);
    }
    config_.keeps_jitter_correlation = jitter_correlation_ == "kept";
  }
  std::vector<KeyRemark> load(InputFiles&) override {
    const std::vector<KeyRemark> remarks = remarks_on_netem("netem", config_);
    return remarks.size() > 1 ? std::vector{as_one(remarks)} : remarks;
  }
  std::unique_ptr<Link> make(const LinkContext& context) const override {
    return make_netem_link(config_, context);
  }
  FateRule fate_rule() const override { return network::fate_rule(config_); }
  std::optional<std::string> as_netem() const override { return format_netem(config_); }

 private:
  std::string line_;
  std::string jitter_correlation_ = "kernel";
  NetemConfig config_;
};

}  // namespace

FateRule fate_rule(const NetemConfig& config) {
  return config.rate.bits_per_second > 0 || config.slot ? FateRule::kByTime : FateRule::kByIndex;
}

std::unique_ptr<Link> make_netem_link(const NetemConfig& config, const LinkContext& context) {
  return std::make_unique<NetemLink>(config, context);
}

std::shared_ptr<const LinkModel> make_netem_model(const NetemConfig& config) {
  return std::make_shared<NetemModel>(config);
}

void register_netem_link(LinkModelRegistry& registry) {
  registry.add("netem", "emulates Linux tc netem (key: netem)",
               [] { return std::make_unique<NetemModel>(); });
}

}  // namespace longarm::network
