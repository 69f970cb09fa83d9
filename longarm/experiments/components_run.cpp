// SPDX-License-Identifier: Apache-2.0
// Builds the network, the hosts and the programs, steps them with the arm, and sums up.
#include "longarm/experiments/components_run.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/suggest.h"

namespace longarm::experiments {
namespace {

using Json = nlohmann::ordered_json;

// the hand is on its way along the path once it has come this near to it, and nearer no more
constexpr double kOnPath_m = 5e-3;
constexpr const char* kNameService = "NameService";

Subscribers find_subscribers(const ComponentsConfig& config) {
  Subscribers subscribers;
  for (const ComponentConfig& component : config.components) {
    for (const components::LoopPublication& publication : component.publishes) {
      // also of those that nobody wants to hear: publishers do not know
      subscribers[publication.topic.empty() ? publication.name : publication.topic];
    }
    for (const std::string& topic : component.subscribes) {
      subscribers[topic].push_back(component.name);
    }
  }
  return subscribers;
}

ComponentsConfig with_execution_times(ComponentsConfig config) {
  const ExecutionTimes times(config.execution);
  config.topics.handling = times(config.topics.handling);
  for (ComponentConfig& component : config.components) {
    component.compute = times(component.compute);
    for (components::LoopMethod& method : component.serves) {
      method.execution = times(method.execution);
    }
  }
  return config;
}

std::unique_ptr<physics::Engine> make_engine(const ArmModel& arm,
                                             const ExperimentContext& context) {
  // where nothing moves the cheapest engine will do
  return context.engines.make(arm.is_empty() ? "kinematic" : context.engine, arm.cell,
                              context.options);
}

}  // namespace

std::size_t measured_component(const ComponentsConfig& config) {
  for (std::size_t i = 0; i < config.components.size(); ++i) {
    const ComponentConfig& component = config.components[i];
    if (config.measure.empty() ? has_cycles(component) : component.name == config.measure) {
      return i;
    }
  }
  return 0;
}

ComponentsRun::ComponentsRun(const ComponentsConfig& config, const ArmModel& arm,
                             const ExperimentContext& context)
    : config_(with_execution_times(config)),
      arm_model_(arm),
      period_(context.options.period),
      seed_(static_cast<std::uint64_t>(context.seed)),
      host_of_(hosts_of(config)),
      subscribers_(find_subscribers(config)),
      measured_(measured_component(config)),
      engine_(make_engine(arm_model_, context)),
      world_(kernel_.add_source("world")),
      topology_(network::make_topology(config.network, config.length)) {
  network::BackendOptions options;
  options.seed = seed_;
  if (config_.network.capture && !context.folder.empty()) {
    const std::filesystem::path folder = std::filesystem::path(context.folder) / "capture";
    std::filesystem::create_directories(folder);  // not every backend does
    options.capture_folder = folder;
    is_captured_ = true;
  }
  network_ = std::make_unique<network::Network>(
      kernel_, network::make_backend(config_.network, topology_, options),
      network::make_hosts(config_.network), seed_);
  hosts_ = std::make_unique<components::SimulatedHosts>(kernel_, *network_, topology_, seed_);
  observer_ = std::make_unique<SystemObserver>(
      names_of(config_.components), config_.components[measured_].name, Time{config_.settle});
  if (!arm_model_.is_empty()) {
    arm_.emplace(arm_model_, *engine_);
    kernel_.every(period_, Time{}, sim::Phase::kSample, world_, [this](Time) { arm_->sample(); });
    kernel_.every(period_, Time{}, sim::Phase::kApply, world_, [this](Time) { arm_->apply(); });
    kernel_.every(period_, Time{}, sim::Phase::kStep, world_,
                  [this](Time now) { step_world(now); });
  }
  make_names();
  make_components();
}

ComponentsRun::~ComponentsRun() = default;

ComponentsRun::Unit ComponentsRun::open_unit(const std::string& name, const std::string& host,
                                             const ComponentConfig* config) {
  Unit unit;
  unit.transport = hosts_->make_transport(name, host);
  unit.processor = hosts_->make_processor(name, host);
  components::NodeSetup setup;
  setup.name = "/" + name;
  setup.observer = observer_.get();
  setup.calls = config_.network.flows;
  setup.call_timeout = call_timeout_of(config_);
  setup.name_service =
      config != nullptr ? names_unit_.transport->address() : unit.transport->address();
  setup.threads = config != nullptr ? config->threads : 0;
  unit.node = std::make_unique<components::Node>(kernel_, *unit.transport, *unit.processor,
                                                 std::move(setup));
  return unit;
}

void ComponentsRun::make_names() {
  const std::string host =
      config_.name_service_host.empty() ? host_names(config_).front() : config_.name_service_host;
  names_unit_ = open_unit(kNameService, host, nullptr);
  names_ = std::make_unique<components::NameService>(*names_unit_.node);
}

void ComponentsRun::make_components() {
  if (config_.has_foreign()) {
    door_ = std::make_unique<components::LockstepDoor>(kernel_, config_.lockstep);
  }
  for (std::size_t i = 0; i < config_.components.size(); ++i) {
    const ComponentConfig& component = config_.components[i];
    Unit& unit = units_.emplace_back(open_unit(component.name, host_of_[i], &component));
    const components::Address address = unit.transport->address();
    names_->add("/" + component.name, address.host, address.port);
    if (component.program == "foreign") {
      door_->add(*unit.node, host_of_[i], component.command);
      continue;
    }
    unit.program = make_program(
        {*unit.node, component, config_.topics, subscribers_, seed_, arm_ ? &*arm_ : nullptr});
  }
}

void ComponentsRun::step_world(Time now) {
  engine_->step();
  const double before_m = std::exchange(deviation_m_, arm_->deviation_m());
  // it comes nearer until it has arrived
  const bool has_arrived = deviation_m_ < kOnPath_m && deviation_m_ > before_m && now > Time{};
  has_path_begun_ = has_path_begun_ || has_arrived;
  if (has_path_begun_ && now >= Time{config_.settle}) {
    deviation_max_m_ = std::max(deviation_max_m_, deviation_m_);
    deviation_squares_ += deviation_m_ * deviation_m_;
    ++deviation_count_;
  }
}

void ComponentsRun::do_step() {
  if (failure_) {
    return;
  }
  const Time from = kernel_.now();
  if (door_ && from == Time{}) {
    if (const Result<bool> opened = door_->open(); !opened) {
      failure_ = fmt::format("at 0 s: {}", opened.error().message);
      return;
    }
  }
  const Result<Time> until = kernel_.run_until(from + period_);
  if (!until) {
    failure_ = fmt::format("at {:.9f} s: {}", to_seconds(kernel_.now().time_since_epoch()),
                           until.error().message);
  }
  if (door_ && (failure_ || kernel_.now() >= Time{config_.length})) {
    door_->close();
  }
}

void ComponentsRun::do_sample(std::span<double> out) const {
  const Program* program = units_[measured_].program.get();
  const bool has_cycle = program != nullptr && !program->cycles().empty();
  out[0] = has_cycle ? to_seconds(program->cycles().back().ended - program->cycles().back().started)
                     : 0.0;
  if (out.size() > 1) {
    out[1] = deviation_m_;
  }
}

}  // namespace longarm::experiments
