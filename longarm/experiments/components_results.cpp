// SPDX-License-Identifier: Apache-2.0
// What a run of components came to: cycles, calls, bandwidth, hosts, and the hand's way.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "longarm/core/text.h"
#include "longarm/experiments/components_run.h"

namespace longarm::experiments {
namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kLongCall = std::chrono::milliseconds(100);

/// Who sends, of "uplink: edge > switch".
std::string sender_of(const std::string& cable) {
  const std::size_t begin = cable.rfind(": ");
  const std::size_t end = cable.rfind(" > ");
  if (begin == std::string::npos || end == std::string::npos) {
    return "";
  }
  return cable.substr(begin + 2, end - begin - 2);
}

Json number_or_null(bool is_known, double value) {
  return is_known ? Json(value) : Json(nullptr);
}

void put_cycles(Json& out, const CycleFigures& figures) {
  const bool is_known = figures.count > 0;
  out["cycles"] = figures.count;
  out["cycles_failed"] = figures.failed;
  out["cycle_time_mean_s"] = number_or_null(is_known, figures.mean_s);
  out["cycle_time_sd_s"] = number_or_null(is_known, figures.deviation_s);
  out["cycle_time_ci95_s"] = number_or_null(is_known, figures.confidence_s);
  out["cycle_time_min_s"] = number_or_null(is_known, figures.smallest_s);
  out["cycle_time_p50_s"] = number_or_null(is_known, figures.p50_s);
  out["cycle_time_p90_s"] = number_or_null(is_known, figures.p90_s);
  out["cycle_time_p99_s"] = number_or_null(is_known, figures.p99_s);
  out["cycle_time_max_s"] = number_or_null(is_known, figures.largest_s);
  out["cycle_time_peak_low_s"] = number_or_null(is_known, figures.peak_low_s);
  out["cycle_time_peak_high_s"] =
      number_or_null(figures.peak_high_s.has_value(), figures.peak_high_s.value_or(0.0));
}

/// Cycles that made equally many calls belong together.
Json by_calls(const std::vector<components::LoopCycle>& cycles, Time from) {
  std::map<std::int64_t, std::vector<components::LoopCycle>> groups;
  for (const components::LoopCycle& cycle : cycles) {
    groups[cycle.calls].push_back(cycle);
  }
  Json out = Json::object();
  for (const auto& [calls, group] : groups) {
    const CycleFigures figures = figures_of(group, from);
    out[std::to_string(calls)] = {
        {"cycles", figures.count}, {"mean_s", figures.mean_s}, {"sd_s", figures.deviation_s}};
  }
  return out;
}

}  // namespace

/// From `settle` until now, which may be before the end.
double ComponentsRun::counted_s() const {
  return std::max(to_seconds(kernel_.now() - Time{config_.settle}), 1e-9);
}

components::CommunicationGraph ComponentsRun::graph() const {
  const Duration counted = kernel_.now() - Time{config_.settle};
  return observer_->traffic().graph(std::max(counted, Duration{1}));
}

/// Each frame is counted once, where its host puts it on the cable; from the very beginning.
double ComponentsRun::bandwidth_bit_s() const {
  const std::vector<std::string> names = host_names(config_);
  const std::set<std::string> hosts(names.begin(), names.end());
  std::uint64_t bytes = 0;
  for (const network::CableFigures& cable : network_->figures().cables) {
    bytes += hosts.contains(sender_of(cable.name)) ? cable.bytes : 0;
  }
  const double seconds = std::max(to_seconds(kernel_.now().time_since_epoch()), 1e-9);
  return 8.0 * static_cast<double>(bytes) / seconds;
}

Json ComponentsRun::host_figures() const {
  const double seconds = std::max(to_seconds(kernel_.now().time_since_epoch()), 1e-9);
  Json out = Json::object();
  for (const std::string& host : host_names(config_)) {
    const auto count = std::count(host_of_.begin(), host_of_.end(), host);
    if (count > 0) {
      out[host] = {{"components", count}, {"busy_cores", hosts_->busy_s(host) / seconds}};
    }
  }
  return out;
}

Json ComponentsRun::do_results() const {
  Json out;
  const Program* program = units_[measured_].program.get();
  const std::vector<components::LoopCycle> none;
  const std::vector<components::LoopCycle>& cycles = program ? program->cycles() : none;
  out["measured"] = config_.components[measured_].name;
  put_cycles(out, figures_of(cycles, Time{config_.settle}));
  out["cycles_by_calls"] = by_calls(cycles, Time{config_.settle});
  out["cycle_overruns"] = program ? program->overruns() : 0;
  out["call_phases"] = observer_->phases();

  const components::CommunicationGraph traffic = graph();
  std::map<std::string, std::size_t> numbers;
  std::vector<std::size_t> host;
  for (const std::string& name : host_of_) {
    host.push_back(numbers.emplace(name, numbers.size()).first->second);
  }
  out["components"] = config_.components.size();
  out["hosts_used"] = numbers.size();
  out["calls_per_s"] = static_cast<double>(observer_->traffic().calls()) / counted_s();
  out["messages_per_s"] = static_cast<double>(observer_->traffic().messages()) / counted_s();
  out["failed_calls"] = observer_->failed_calls();
  out["calls_outstanding"] = outstanding_calls();
  out["bandwidth_bit_s"] = bandwidth_bit_s();
  out["bandwidth_content_bit_s"] = 8.0 * traffic.cut_bytes_per_s(host);
  out["path_deviation_max_m"] = number_or_null(deviation_count_ > 0, deviation_max_m_);
  out["path_deviation_rms_m"] = number_or_null(
      deviation_count_ > 0,
      std::sqrt(deviation_squares_ / std::max(1.0, static_cast<double>(deviation_count_))));
  out["hosts"] = host_figures();
  out["network_events"] = network_->figures().events;
  out["traffic_hash"] = observer_->hash().text();
  if (door_) {
    out["lockstep_turns"] = door_->figures().turns;
  }
  return out;
}

std::size_t ComponentsRun::outstanding_calls() const {
  std::size_t count = 0;
  for (const Unit& unit : units_) {
    count += unit.node->open_calls().size();
  }
  return count;
}

void ComponentsRun::warn_of_cycles(std::size_t unit, std::vector<std::string>& out) const {
  const ComponentConfig& component = config_.components[unit];
  const Program& program = *units_[unit].program;
  const CycleFigures figures = figures_of(program.cycles(), Time{config_.settle});
  if (figures.failed > 0) {
    out.push_back(fmt::format("{}: {} of {} cycles failed and are in no time below; the last: {}",
                              component.name, figures.failed, figures.failed + figures.count,
                              program.last_failure()));
  } else if (!program.last_failure().empty()) {
    out.push_back(fmt::format("{}: a call failed: {}", component.name, program.last_failure()));
  }
  if (unit != measured_ || !has_cycles(component)) {
    return;
  }
  if (figures.count == 0) {
    out.push_back(fmt::format("nothing was measured: no cycle of {} ended", component.name));
  }
  if (program.overruns() > 0) {
    out.push_back(fmt::format("{}: {} cycles began late, as the one before took longer than {}",
                              component.name, program.overruns(),
                              format_duration(component.period)));
  }
}

/// Some are always under way when a run ends; those that wait for long are worth a word.
void ComponentsRun::warn_of_open_calls(std::size_t unit, std::vector<std::string>& out) const {
  const ComponentConfig& component = config_.components[unit];
  const Duration usual = std::max(component.period, kLongCall);
  for (const components::OpenCall& call : units_[unit].node->open_calls()) {
    if (kernel_.now() - call.called > usual) {
      out.push_back(
          fmt::format("the call {} → {}.{} made at {:g} s was still without an answer at the end",
                      component.name, call.server.substr(call.server.starts_with('/') ? 1 : 0),
                      call.method, to_seconds(call.called.time_since_epoch())));
    }
  }
}

std::vector<std::string> ComponentsRun::do_warnings() const {
  std::vector<std::string> out;
  if (config_.network.capture && !is_captured_) {
    out.emplace_back("network.capture: nothing was captured, as this run has no folder");
  }
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const std::string& name = config_.components[i].name;
    if (units_[i].program) {
      warn_of_cycles(i, out);
    }
    warn_of_open_calls(i, out);
    if (!units_[i].node->complaints().empty()) {
      out.push_back(fmt::format("{}: {}", name, units_[i].node->complaints().back()));
    }
  }
  return out;
}

std::vector<ResultFile> ComponentsRun::do_files() const {
  Json graph_json = components::to_json(graph());
  Json placement = Json::object();
  for (std::size_t i = 0; i < config_.components.size(); ++i) {
    placement[config_.components[i].name] = host_of_[i];
  }
  graph_json["placement"] = std::move(placement);
  std::vector<ResultFile> files{{"graph.json", graph_json.dump(2) + "\n"}};
  if (const Program* program = units_[measured_].program.get()) {
    files.push_back({"cycles.csv", cycles_csv(program->cycles())});
    std::string figure =
        draw_histogram(program->cycles(), Time{config_.settle}, config_.components[measured_].name);
    if (!figure.empty()) {
      files.push_back({"cycles.svg", std::move(figure)});
    }
  }
  return files;
}

}  // namespace longarm::experiments
