// SPDX-License-Identifier: Apache-2.0
// Prints netem lines in one canonical order.
#include <array>

#include <fmt/format.h>

#include "longarm/network/netem/netem_config.h"
#include "longarm/network/netem/tc_units.h"

namespace longarm::network {
namespace {

class Line {
 public:
  void add(std::string_view word) {
    text_ += text_.empty() ? "" : " ";
    text_ += word;
  }
  void add(std::string_view option, const NetemConfig::Chance& chance) {
    if (chance.percent > 0.0) {
      add(option);
      add(format_tc_percent(chance.percent));
      if (chance.correlation_percent > 0.0) {
        add(format_tc_percent(chance.correlation_percent));
      }
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_delay(Line& line, const NetemConfig::Delay& delay) {
  if (delay == NetemConfig::Delay{}) {
    return;
  }
  line.add("delay");
  line.add(format_tc_time(delay.mean));
  if (delay.jitter > Duration(0) || delay.correlation_percent > 0.0) {
    line.add(format_tc_time(delay.jitter));
  }
  if (delay.correlation_percent > 0.0) {
    line.add(format_tc_percent(delay.correlation_percent));
  }
  if (delay.distribution != NetemDistribution::kUniform) {
    line.add("distribution");
    line.add(distribution_name(delay.distribution));
  }
}

void add_loss(Line& line, const NetemConfig::Loss& loss) {
  switch (loss.model) {
    case NetemConfig::LossModel::kNone:
      break;
    case NetemConfig::LossModel::kRandom:
      line.add("loss");
      line.add(format_tc_percent(loss.percent));
      if (loss.correlation_percent > 0.0) {
        line.add(format_tc_percent(loss.correlation_percent));
      }
      break;
    case NetemConfig::LossModel::kState:
      line.add(fmt::format("loss state {} {} {} {} {}", format_tc_percent(loss.p13_percent),
                           format_tc_percent(loss.p31_percent), format_tc_percent(loss.p32_percent),
                           format_tc_percent(loss.p23_percent),
                           format_tc_percent(loss.p14_percent)));
      break;
    case NetemConfig::LossModel::kGilbertElliott:
      line.add(fmt::format("loss gemodel {} {} {} {}", format_tc_percent(loss.p_percent),
                           format_tc_percent(loss.r_percent),
                           format_tc_percent(loss.bad_loss_percent),
                           format_tc_percent(loss.good_loss_percent)));
      break;
  }
}

void add_rate(Line& line, const NetemConfig::Rate& rate) {
  if (rate.bits_per_second == 0) {
    return;
  }
  line.add("rate");
  line.add(format_tc_rate(rate.bits_per_second));
  const bool has_cells = rate.cell_bytes != 0 || rate.cell_overhead_bytes != 0;
  if (rate.packet_overhead_bytes != 0 || has_cells) {
    line.add(std::to_string(rate.packet_overhead_bytes));
  }
  if (has_cells) {
    line.add(fmt::format("{} {}", rate.cell_bytes, rate.cell_overhead_bytes));
  }
}

void add_slot(Line& line, const NetemConfig::Slot& slot) {
  line.add("slot");
  if (slot.distribution) {
    line.add(fmt::format("distribution {} {} {}", distribution_name(*slot.distribution),
                         format_tc_time(slot.delay), format_tc_time(slot.jitter)));
  } else {
    line.add(format_tc_time(slot.minimum));
    if (slot.maximum != slot.minimum) {
      line.add(format_tc_time(slot.maximum));
    }
  }
  if (slot.packets > 0) {
    line.add(fmt::format("packets {}", slot.packets));
  }
  if (slot.bytes > 0) {
    line.add(fmt::format("bytes {}", slot.bytes));
  }
}

}  // namespace

std::string format_netem(const NetemConfig& config) {
  Line line;
  if (config.limit_packets != NetemConfig{}.limit_packets) {
    line.add(fmt::format("limit {}", config.limit_packets));
  }
  add_delay(line, config.delay);
  add_loss(line, config.loss);
  line.add("corrupt", config.corrupt);
  line.add("duplicate", config.duplicate);
  line.add("reorder", config.reorder);
  if (config.reorder_gap > 1) {
    line.add(fmt::format("gap {}", config.reorder_gap));
  }
  add_rate(line, config.rate);
  if (config.slot) {
    add_slot(line, *config.slot);
  }
  // a netem that does nothing still has a limit
  return line.text().empty() ? fmt::format("limit {}", config.limit_packets) : line.text();
}

std::string_view distribution_name(NetemDistribution distribution) {
  constexpr std::array<std::string_view, 4> kNames{"uniform", "normal", "pareto", "paretonormal"};
  return kNames.at(static_cast<std::size_t>(distribution));
}

}  // namespace longarm::network
