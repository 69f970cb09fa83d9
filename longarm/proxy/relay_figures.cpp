// SPDX-License-Identifier: Apache-2.0
// Counting packets, and the counts as JSON, as a table and as a warning.
#include "longarm/proxy/relay_figures.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace longarm::proxy {
namespace {

using Json = nlohmann::ordered_json;
using network::DropReason;

Json durations_json(const DurationFigures& figures) {
  Json out;
  out["count"] = figures.count();
  if (figures.count() == 0) {
    return out;
  }
  out["mean_s"] = figures.mean_s();
  out["deviation_s"] = figures.deviation_s();
  out["min_s"] = to_seconds(figures.histogram().min());
  out["p50_s"] = to_seconds(figures.median());
  out["p99_s"] = to_seconds(figures.p99());
  out["max_s"] = to_seconds(figures.max());
  return out;
}

Json direction_json(const DirectionFigures& figures) {
  Json out;
  out["packets_in"] = figures.packets_in();
  out["bytes_in"] = figures.bytes_in();
  out["packets_out"] = figures.packets_out();
  out["bytes_out"] = figures.bytes_out();
  out["lost"] = figures.drops(DropReason::kLoss);
  out["queue_full"] = figures.drops(DropReason::kQueueFull);
  out["corrupt_dropped"] = figures.drops(DropReason::kCorrupt);
  out["corrupt_passed"] = figures.damaged();
  out["duplicated"] = figures.duplicated();
  out["reordered"] = figures.reordered();
  out["held"] = figures.held();
  out["lost_by_relay"] = figures.lost_here();
  out["lost_by_kernel"] = figures.lost_in_kernel();
  out["refused"] = figures.refused();
  out["discarded"] = figures.discarded();
  out["awaited_receiver"] = figures.awaited();
  out["delay_asked"] = durations_json(figures.delay_asked());
  out["delay_given"] = durations_json(figures.delay_given());
  out["lateness"] = durations_json(figures.lateness());
  return out;
}

std::string milliseconds(double seconds) {
  return fmt::format("{:.3f}", seconds * 1e3);
}

/// Three columns: what, client to server, server to client.
class Table {
 public:
  explicit Table(const RelayFigures& figures) : up_(figures.up), down_(figures.down) {}

  template <typename Get>
  void count(const char* name, const Get& get, bool is_always_shown = false) {
    if (is_always_shown || get(up_) != 0 || get(down_) != 0) {
      line(name, fmt::format("{}", get(up_)), fmt::format("{}", get(down_)));
    }
  }
  template <typename Get>
  void durations(const char* name, const Get& get) {
    const DurationFigures& up = get(up_);
    const DurationFigures& down = get(down_);
    if (up.count() + down.count() == 0) {
      return;
    }
    line(fmt::format("{} ms: mean", name), milliseconds(up.mean_s()), milliseconds(down.mean_s()));
    line("  standard deviation", milliseconds(up.deviation_s()), milliseconds(down.deviation_s()));
    line("  median", milliseconds(to_seconds(up.median())),
         milliseconds(to_seconds(down.median())));
    line("  99 %", milliseconds(to_seconds(up.p99())), milliseconds(to_seconds(down.p99())));
    line("  largest", milliseconds(to_seconds(up.max())), milliseconds(to_seconds(down.max())));
  }
  void line(const std::string& name, const std::string& up, const std::string& down) {
    text_ += fmt::format("  {:<24}{:>16}{:>16}\n", name, up, down);
  }
  std::string take() { return std::move(text_); }

 private:
  const DirectionFigures& up_;
  const DirectionFigures& down_;
  std::string text_;
};

void warn(std::vector<std::string>& lines, const DirectionFigures& figures, const std::string& kind,
          const std::string& where) {
  const std::string name = kind + where;
  const std::uint64_t unasked = figures.lost_here() + figures.lost_in_kernel();
  if (unasked > 0) {
    lines.push_back(
        fmt::format("{}: {} packets were lost by the relay, not by the link ({} for lack of buffer "
                    "space, {} in the kernel's buffer)",
                    name, unasked, figures.lost_here(), figures.lost_in_kernel()));
  }
  // a TUN device refuses while it is down, which every one is at first
  if (figures.refused() > 0 && kind == "udp") {
    lines.push_back(fmt::format(
        "{}: {} packets were rejected: no program listened, or there were too many clients", name,
        figures.refused()));
  }
  const DurationFigures& late = figures.lateness();
  if (late.count() == 0) {
    return;
  }
  // where no delay was asked for, a millisecond is what matters to a robot
  const double allowed_s = std::max(0.1 * figures.delay_asked().mean_s(), 1e-3);
  if (to_seconds(late.p99()) > allowed_s) {
    lines.push_back(fmt::format(
        "{}: 1 % of packets left more than {} ms late (median {} ms, worst {} ms), with a "
        "configured delay of {} ms",
        name, milliseconds(to_seconds(late.p99())), milliseconds(to_seconds(late.median())),
        milliseconds(to_seconds(late.max())), milliseconds(figures.delay_asked().mean_s())));
  }
}

}  // namespace

void DirectionFigures::received(std::size_t size_bytes) {
  ++packets_in_;
  bytes_in_ += size_bytes;
}

void DirectionFigures::sent(std::uint64_t index, std::size_t size_bytes, Time came, Time due,
                            Time left, bool is_second_copy, bool is_damaged) {
  ++packets_out_;
  bytes_out_ += size_bytes;
  lateness_.add(due, left);
  damaged_ += is_damaged ? 1 : 0;
  if (is_second_copy) {
    ++duplicated_;
    return;
  }
  delay_asked_.add(due - came);
  delay_given_.add(left - came);
  if (index < next_index_) {
    ++reordered_;
  } else {
    next_index_ = index + 1;
  }
}

void DirectionFigures::sent_when_taken(std::size_t size_bytes, Time came, Time due, Time left) {
  ++packets_out_;
  bytes_out_ += size_bytes;
  ++awaited_;
  delay_asked_.add(due - came);
  delay_given_.add(left - came);
}

Json figures_json(const RelayFigures& figures) {
  Json out;
  out["conversations"] = figures.conversations;
  out["conversations_now"] = figures.conversations_now;
  out["conversations_refused"] = figures.conversations_refused;
  out["up"] = direction_json(figures.up);
  out["down"] = direction_json(figures.down);
  return out;
}

std::string figures_text(const RelayFigures& figures, const std::string& title) {
  Table table(figures);
  using Side = const DirectionFigures&;
  table.line(title, "to the server", "to the client");
  table.count(
      "packets in", [](Side side) { return side.packets_in(); }, true);
  table.count(
      "bytes in", [](Side side) { return side.bytes_in(); }, true);
  table.count(
      "packets out", [](Side side) { return side.packets_out(); }, true);
  table.count("bytes out", [](Side side) { return side.bytes_out(); });
  table.count("lost", [](Side side) { return side.drops(DropReason::kLoss); });
  table.count("queue full", [](Side side) { return side.drops(DropReason::kQueueFull); });
  table.count("corrupt, dropped", [](Side side) { return side.drops(DropReason::kCorrupt); });
  table.count("corrupt, passed on", [](Side side) { return side.damaged(); });
  table.count("duplicated", [](Side side) { return side.duplicated(); });
  table.count("reordered", [](Side side) { return side.reordered(); });
  table.count("still held", [](Side side) { return side.held(); });
  table.count("lost by the relay", [](Side side) { return side.lost_here(); });
  table.count("lost by the kernel", [](Side side) { return side.lost_in_kernel(); });
  table.count("rejected by the far side", [](Side side) { return side.refused(); });
  table.count("discarded at an end", [](Side side) { return side.discarded(); });
  table.count("waited for the receiver", [](Side side) { return side.awaited(); });
  table.durations("delay configured",
                  [](Side side) -> const DurationFigures& { return side.delay_asked(); });
  table.durations("delay applied",
                  [](Side side) -> const DurationFigures& { return side.delay_given(); });
  table.durations("lateness", [](Side side) -> const DurationFigures& { return side.lateness(); });
  return table.take();
}

std::vector<std::string> figures_warnings(const RelayFigures& figures, const std::string& title) {
  std::vector<std::string> lines;
  warn(lines, figures.up, title, " to the server");
  warn(lines, figures.down, title, " to the client");
  return lines;
}

}  // namespace longarm::proxy
