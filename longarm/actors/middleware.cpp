// SPDX-License-Identifier: Apache-2.0
// The kind `middleware`: names, topics and lock-step of a system of components, and its figures.
#include "longarm/actors/middleware.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include <fmt/format.h>

#include "longarm/actors/component_figures.h"
#include "longarm/actors/component_trace.h"
#include "longarm/actors/kinds.h"
#include "longarm/cell/cell_config.h"
#include "longarm/cell/world.h"
#include "longarm/components/communication_graph.h"
#include "longarm/components/lockstep/lockstep_door.h"
#include "longarm/components/names.h"
#include "longarm/core/check.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::actors {
namespace {

using cell::World;
using Json = nlohmann::ordered_json;

constexpr const char* kNameService = "NameService";
constexpr Duration kLongCall = std::chrono::milliseconds(100);

Subscribers find_subscribers(const ComponentSystem& system) {
  Subscribers subscribers;
  for (const ComponentConfig& component : system.components) {
    for (const components::LoopPublication& publication : component.publishes) {
      // also of those that nobody wants to hear: publishers do not know
      subscribers[component.resolve(publication.topic_name())];
    }
    for (const std::string& topic : component.subscribes) {
      subscribers[component.resolve(topic)].push_back(component.node());
    }
  }
  return subscribers;
}

ComponentSystem with_execution_times(ComponentSystem system) {
  const ExecutionTimes times(system.config.execution);
  system.config.topics.handling = times(system.config.topics.handling);
  for (ComponentConfig& component : system.components) {
    times.apply(component);
    if (component.name == system.config.topics.server) {
      system.config.topics.server_node = component.node();
    }
  }
  return system;
}

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

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

void put_cycles(Json& out, const CycleFigures& figures) {
  const bool is_known = figures.count > 0;
  out["cycles"] = figures.count;
  out["cycles_failed"] = figures.failed;
  out["cycle_time_mean_s"] = number_or_null(is_known, figures.mean_s);
  out["cycle_time_sd_s"] = number_or_null(figures.deviation_s);
  out["cycle_time_ci95_s"] = number_or_null(figures.confidence_s);
  out["cycle_time_min_s"] = number_or_null(is_known, figures.smallest_s);
  out["cycle_time_p50_s"] = number_or_null(is_known, figures.p50_s);
  out["cycle_time_p90_s"] = number_or_null(is_known, figures.p90_s);
  out["cycle_time_p99_s"] = number_or_null(is_known, figures.p99_s);
  out["cycle_time_max_s"] = number_or_null(is_known, figures.largest_s);
  out["cycle_time_peak_low_s"] = number_or_null(is_known, figures.peak_low_s);
  out["cycle_time_peak_high_s"] = number_or_null(figures.peak_high_s);
}

/// Of all actions together, and of each.
void put_goals(Json& out, const std::map<std::string, GoalFigures>& by_action) {
  if (by_action.empty()) {
    return;
  }
  GoalFigures all;
  Json each = Json::object();
  for (const auto& [action, figures] : by_action) {
    each[action] = to_json(figures);
    all.add(figures);
  }
  const Json together = to_json(all);
  for (const auto& [key, value] : together.items()) {
    out[key == "goals" ? "goals" : "goals_" + key] = value;
  }
  out["actions"] = std::move(each);
}

std::vector<std::string> nodes_of(const std::vector<ComponentConfig>& components) {
  std::vector<std::string> nodes;
  for (const ComponentConfig& component : components) {
    nodes.push_back(component.node());
  }
  return nodes;
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
    out[std::to_string(calls)] = {{"cycles", figures.count},
                                  {"mean_s", figures.mean_s},
                                  {"sd_s", number_or_null(figures.deviation_s)},
                                  {"ci95_s", number_or_null(figures.confidence_s)}};
  }
  return out;
}

class MiddlewareActor final : public cell::Actor, public Middleware {
 public:
  MiddlewareActor(const ComponentSystem& system, World& world, const std::string& name)
      : world_(world),
        system_(with_execution_times(system)),
        subscribers_(find_subscribers(system)),
        measured_(system.measured()),
        units_(system.components.size()),
        observer_(names_of(system.components), nodes_of(system.components),
                  system.components[measured_].node(), Time{system.config.settle}) {
    record(name);
    const std::string host = world.host_of(name);
    open_unit(kNameService, host.empty() ? cell::host_names(world.network_config()).front() : host,
              nullptr, names_unit_);
    names_ = std::make_unique<components::NameService>(*names_unit_.node);
    if (system_.has_foreign()) {
      door_ = std::make_unique<components::LockstepDoor>(world.kernel(), system_.config.lockstep);
    }
    world.add_traffic([this] { return observer_.hash(); });
    world.offer<Middleware>(name, *this);
  }

  void open(const std::string& component, ComponentUnit& unit) override {
    const std::size_t number = number_of(component);
    open_unit(component, system_.hosts[number], &system_.components[number], unit);
    const components::Address address = unit.transport->address();
    names_->add(system_.components[number].node(), address.host, address.port);
    units_[number] = &unit;
  }
  const ComponentConfig& config_of(const std::string& component) const override {
    return system_.components[number_of(component)];
  }
  const TopicsConfig& topics() const override { return system_.config.topics; }
  const Subscribers& subscribers() const override { return subscribers_; }
  void join(const std::string& component, ComponentUnit& unit) override {
    const std::size_t number = number_of(component);
    door_->add(*unit.node, system_.hosts[number], system_.components[number].command);
  }

  Result<bool> open() override { return door_ ? door_->open() : Result<bool>(true); }
  void close() override {
    write_rest();
    if (door_) {
      door_->close();
    }
  }

  void sample(std::span<double> out) const override {
    const std::vector<components::LoopCycle>& cycles = measured_cycles();
    out[0] = cycles.empty() ? 0.0 : to_seconds(cycles.back().ended - cycles.back().started);
  }

  Json results() const override;
  std::vector<std::string> warnings() const override;
  std::vector<cell::ResultFile> files() const override;

 private:
  void open_unit(const std::string& name, const std::string& host, const ComponentConfig* config,
                 ComponentUnit& unit) {
    unit.transport = world_.hosts().make_transport(name, host);
    unit.processor = world_.hosts().make_processor(name, host);
    components::NodeSetup setup;
    setup.name = config != nullptr ? config->node() : "/" + name;
    setup.remap = config != nullptr ? config->remap_rules() : setup.remap;
    setup.observer = &observer_;
    setup.reports_executions = call_trace_ != nullptr;
    setup.calls = world_.usual_flow();
    setup.call_timeout = call_timeout();
    setup.name_service =
        config != nullptr ? names_unit_.transport->address() : unit.transport->address();
    setup.threads = config != nullptr ? config->threads : 0;
    unit.node = std::make_unique<components::Node>(world_.kernel(), *unit.transport,
                                                   *unit.processor, std::move(setup));
    if (config != nullptr) {
      components::declare_parameters(*unit.node, *config);
    }
  }

  /// Of calls that have none of their own: a second where messages get lost, none over TCP.
  std::optional<Duration> call_timeout() const {
    const bool is_reliable = world_.usual_flow().transport == network::Transport::kTcp;
    const std::optional<Duration>& asked = system_.config.call_timeout;
    return asked || is_reliable ? asked : std::optional<Duration>(std::chrono::seconds(1));
  }

  std::size_t number_of(const std::string& component) const {
    const auto found = std::ranges::find(system_.components, component, &ComponentConfig::name);
    check(found != system_.components.end(), "a component of another system");
    return static_cast<std::size_t>(found - system_.components.begin());
  }

  const Program* measured_program() const {
    return units_[measured_] != nullptr ? units_[measured_]->program.get() : nullptr;
  }
  const std::vector<components::LoopCycle>& measured_cycles() const {
    static const std::vector<components::LoopCycle> none;
    return measured_program() != nullptr ? measured_program()->cycles() : none;
  }
  Time settled() const { return Time{system_.config.settle}; }

  /// From `settle` until now, which may be before the end.
  components::CommunicationGraph graph() const {
    return observer_.traffic().graph(std::max(world_.now() - settled(), Duration{1}));
  }

  /// Each frame is counted once, where its host puts it on the cable; from the very beginning.
  double bandwidth_bit_s() const {
    const std::vector<std::string> names = cell::host_names(world_.network_config());
    const std::set<std::string> hosts(names.begin(), names.end());
    std::uint64_t bytes = 0;
    for (const network::CableFigures& cable : world_.network()->figures().cables) {
      bytes += hosts.contains(sender_of(cable.name)) ? cable.bytes : 0;
    }
    return 8.0 * static_cast<double>(bytes) / std::max(to_seconds(world_.now()), 1e-9);
  }

  Json host_figures() const {
    const double seconds = std::max(to_seconds(world_.now()), 1e-9);
    Json out = Json::object();
    for (const std::string& host : cell::host_names(world_.network_config())) {
      const auto count = std::ranges::count(system_.hosts, host);
      if (count > 0) {
        out[host] = {{"components", count}, {"busy_cores", world_.hosts().busy_s(host) / seconds}};
      }
    }
    return out;
  }

  std::size_t outstanding_calls() const {
    std::size_t count = 0;
    for (const ComponentUnit* unit : units_) {
      count += unit->node->open_calls().size();
    }
    return count;
  }

  /// From now on, if the scenario asks for it.
  void record(const std::string& name) {
    if (world_.trace() == nullptr || !world_.run_setup().records_calls) {
      return;
    }
    std::map<std::string, std::string, std::less<>> hosts;
    for (std::size_t i = 0; i < system_.components.size(); ++i) {
      hosts.emplace(system_.components[i].node().substr(1), system_.hosts[i]);
    }
    call_trace_ = std::make_unique<ComponentTrace>(*world_.trace(), name, std::move(hosts),
                                                   system_.components[measured_].name, settled());
    observer_.pass_on_to(call_trace_.get());
    world_.on(cell::Stage::kMeasure,
              [this](Time now) { call_trace_->cycled(now, measured_cycles()); });
  }
  /// What no later step or answer would write.
  void write_rest() {
    if (!call_trace_) {
      return;
    }
    call_trace_->cycled(world_.now(), measured_cycles());
    for (std::size_t i = 0; i < units_.size(); ++i) {
      for (const components::OpenCall& call : units_[i]->node->open_calls()) {
        call_trace_->left_open(world_.now(), system_.components[i].node(), call);
      }
    }
  }

  void warn_of_cycles(std::size_t number, std::vector<std::string>& out) const;
  void warn_of_open_calls(std::size_t number, std::vector<std::string>& out) const;

  World& world_;
  ComponentSystem system_;  ///< computing times are those of the run
  Subscribers subscribers_;
  std::size_t measured_;
  std::vector<ComponentUnit*> units_;           ///< of the components' actors
  std::unique_ptr<ComponentTrace> call_trace_;  ///< null: calls are not recorded
  SystemObserver observer_;
  std::unique_ptr<components::LockstepDoor> door_;
  ComponentUnit names_unit_;
  std::unique_ptr<components::NameService> names_;
};

Json MiddlewareActor::results() const {
  Json out;
  const Program* program = measured_program();
  out["measured"] = system_.components[measured_].name;
  put_cycles(out, figures_of(measured_cycles(), settled()));
  out["cycles_by_calls"] = by_calls(measured_cycles(), settled());
  out["cycle_overruns"] = program != nullptr ? program->overruns() : 0;
  out["call_phases"] = observer_.phases();

  std::map<std::string, std::size_t> numbers;
  std::vector<std::size_t> host;
  for (const std::string& name : system_.hosts) {
    host.push_back(numbers.emplace(name, numbers.size()).first->second);
  }
  const double counted_s = std::max(to_seconds(world_.now() - settled()), 1e-9);
  out["components"] = system_.components.size();
  out["hosts_used"] = numbers.size();
  out["calls_per_s"] = static_cast<double>(observer_.traffic().calls()) / counted_s;
  out["messages_per_s"] = static_cast<double>(observer_.traffic().messages()) / counted_s;
  out["failed_calls"] = observer_.failed_calls();
  put_goals(out, observer_.goals());
  out["calls_outstanding"] = outstanding_calls();
  out["bandwidth_bit_s"] = bandwidth_bit_s();
  out["bandwidth_content_bit_s"] = 8.0 * graph().cut_bytes_per_s(host);
  out["hosts"] = host_figures();
  out["network_events"] = world_.network()->figures().events;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (!units_[i]->program) {
      continue;
    }
    for (const auto& [state, count] : units_[i]->program->entered()) {
      out["states_entered"][system_.components[i].name][state] = count;
    }
  }
  if (door_) {
    out["lockstep_turns"] = door_->figures().turns;
  }
  return out;
}

void MiddlewareActor::warn_of_cycles(std::size_t number, std::vector<std::string>& out) const {
  const ComponentConfig& component = system_.components[number];
  const Program& program = *units_[number]->program;
  const CycleFigures figures = figures_of(program.cycles(), settled());
  if (figures.failed > 0) {
    out.push_back(fmt::format(
        "{}: {} of {} cycles failed and are not included in the times below; the last: {}",
        component.name, figures.failed, figures.failed + figures.count, program.last_failure()));
  } else if (!program.last_failure().empty()) {
    out.push_back(fmt::format("{}: a call failed: {}", component.name, program.last_failure()));
  }
  if (number != measured_ || !has_cycles(component)) {
    return;
  }
  if (figures.count == 0) {
    out.push_back(fmt::format("nothing was measured: no cycle of {} ended", component.name));
  }
  if (program.overruns() > 0) {
    out.push_back(
        fmt::format("{}: {} cycles started late because the previous one took longer than {}",
                    component.name, program.overruns(), format_duration(component.period)));
  }
}

/// Some are always under way when a run ends; those that wait for long are worth a word.
void MiddlewareActor::warn_of_open_calls(std::size_t number, std::vector<std::string>& out) const {
  const ComponentConfig& component = system_.components[number];
  const Duration usual = std::max(component.period, kLongCall);
  for (const components::OpenCall& call : units_[number]->node->open_calls()) {
    if (world_.now() - call.called > usual) {
      out.push_back(
          fmt::format("the call {} → {}.{} made at {:g} s was unanswered at the end of the run",
                      component.name, call.server.substr(call.server.starts_with('/') ? 1 : 0),
                      call.method, to_seconds(call.called)));
    }
  }
}

std::vector<std::string> MiddlewareActor::warnings() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (units_[i]->program) {
      warn_of_cycles(i, out);
    }
    warn_of_open_calls(i, out);
    if (!units_[i]->node->complaints().empty()) {
      out.push_back(
          fmt::format("{}: {}", system_.components[i].name, units_[i]->node->complaints().back()));
    }
  }
  return out;
}

std::vector<cell::ResultFile> MiddlewareActor::files() const {
  Json graph_json = components::to_json(graph());
  Json placement = Json::object();
  for (std::size_t i = 0; i < system_.components.size(); ++i) {
    placement[system_.components[i].name] = system_.hosts[i];
  }
  graph_json["placement"] = std::move(placement);
  std::vector<cell::ResultFile> files{{"graph.json", graph_json.dump(2) + "\n"}};
  if (measured_program() != nullptr) {
    files.push_back({"cycles.csv", cycles_csv(measured_cycles())});
    std::string figure =
        draw_histogram(measured_cycles(), settled(), system_.components[measured_].name);
    if (!figure.empty()) {
      files.push_back({"cycles.svg", std::move(figure)});
    }
  }
  return files;
}

class MiddlewareModel final : public cell::ActorModel, public MiddlewareDescription {
 public:
  void list_fields(Fields& fields) override { actors::list_fields(fields, system_.config); }
  std::vector<cell::Interface> offers() const override { return {Middleware::kInterface}; }
  const MiddlewareConfig& config() const override { return system_.config; }

  std::vector<cell::KeyRemark> load(InputFiles& files, const cell::LoadContext& context) override {
    std::vector<cell::KeyRemark> remarks;
    for (cell::KeyRemark& remark : network::load(system_.config.topics.handling, files)) {
      remark.key = remark.key.empty() ? "topics.handling" : "topics.handling." + remark.key;
      remarks.push_back(std::move(remark));
    }
    if (context.length && system_.config.settle >= *context.length) {
      remarks.push_back({"settle", "the run would end before the measurement starts",
                         "reduce settle, or increase length"});
    }
    if (context.cell.network.is_empty()) {
      remarks.push_back(
          {"", "there are no hosts for components", "for example network.star.hosts=3"});
    }
    return remarks;
  }

  std::vector<cell::KeyRemark> plan(const model::Cell&, const cell::LoadContext& context) override {
    system_.components.clear();
    system_.hosts.clear();
    system_.is_udp = context.cell.network.flows.transport == network::Transport::kUdp;
    for (const cell::ActorEntry& actor : context.cell.actors) {
      const auto* component = dynamic_cast<const ComponentDescription*>(actor.model.get());
      if (component != nullptr && component->middleware() == context.name) {
        system_.components.push_back(component->component());
        system_.hosts.push_back(actor.host);
      }
    }
    if (system_.components.empty()) {
      return {{"", "there are no components", "see docs/how-to/components.md"}};
    }
    std::vector<cell::KeyRemark> remarks = judge_system(system_, context.name);
    if (system_.has_foreign()) {
      for (cell::KeyRemark& remark : components::check_config(system_.config.lockstep)) {
        remark.key = "lockstep." + remark.key;
        remarks.push_back(std::move(remark));
      }
    }
    return remarks;
  }

  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<MiddlewareActor>(system_, world, name);
  }

  cell::Figures figures() const override {
    cell::Figures figures{
        {{"cycle_time", "last cycle", "ms", 1e3}},
        {{"cycle_time_mean_s", "cycle time, mean", "ms", 1e3, 4},
         {"cycle_time_sd_s", "cycle time, standard deviation", "ms", 1e3, 4},
         {"cycle_time_ci95_s", "cycle time, half of the 95 % interval of the mean", "ms", 1e3, 4},
         {"cycle_time_p50_s", "cycle time, median", "ms", 1e3, 4},
         {"cycle_time_p99_s", "cycle time, 99th percentile", "ms", 1e3, 4},
         {"cycle_time_peak_low_s", "cycle time, lower peak", "ms", 1e3, 3},
         {"cycle_time_peak_high_s", "cycle time, upper peak", "ms", 1e3, 3},
         {"cycles", "cycles", "", 1.0, 0},
         {"cycles_failed", "cycles that failed", "", 1.0, 0},
         {"calls_outstanding", "calls unanswered at the end", "", 1.0, 0},
         {"calls_per_s", "calls per second", "", 1.0, 1},
         {"bandwidth_bit_s", "traffic between hosts, with framing", "Mbit/s", 1e-6, 3},
         {"bandwidth_content_bit_s", "traffic between hosts, payload only", "Mbit/s", 1e-6, 3}},
        ""};
    const bool has_goals = std::ranges::any_of(
        system_.components, [](const ComponentConfig& each) { return !each.goals.empty(); });
    if (has_goals) {
      figures.metrics.insert(figures.metrics.end(),
                             {{"goals", "goals that ended", "", 1.0, 0},
                              {"goals_succeeded", "goals that succeeded", "", 1.0, 0},
                              {"goals_preempted", "goals that were preempted", "", 1.0, 0},
                              {"goals_time_mean_s", "goal to result, mean", "ms", 1e3, 3}});
    }
    return figures;
  }

 private:
  ComponentSystem system_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_middleware() {
  return std::make_unique<MiddlewareModel>();
}

}  // namespace longarm::actors
