// SPDX-License-Identifier: Apache-2.0
// Makes the actors in the order of their wishes, steps the world, looks whether the numbers still
// are some, and collects what came out.
#include "longarm/cell/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "longarm/cell/actor_error.h"
#include "longarm/cell/unrepeatable.h"
#include "longarm/network/network_json.h"

namespace longarm::cell {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

// nothing in a cell is farther away or faster, unless the numbers went wrong
constexpr double kFarthest_m = 1e3;
constexpr double kFastest_m_s = 1e3;
// looking costs as much as a part of a step
constexpr Duration kLookEvery = 10ms;

/// Fixed roots and the bodies of static models stay where they are.
std::vector<physics::BodyId> moving_bodies(const model::Cell& cell) {
  std::vector<physics::BodyId> moving;
  int body = 0;
  for (const model::Placement& placement : cell.placements) {
    for (std::size_t i = 0; i < placement.tree.bodies.size(); ++i, ++body) {
      const bool is_still = placement.tree.is_static || (i == 0 && placement.is_fixed);
      if (!is_still) {
        moving.push_back(static_cast<physics::BodyId>(body));
      }
    }
  }
  return moving;
}

bool is_sane(const model::Pose& X, const physics::Twist& twist) {
  // written so that a NaN counts
  return X.translation().norm() < kFarthest_m && twist.linear_W.norm() < kFastest_m_s &&
         std::isfinite(twist.angular_W.norm());
}

Json pose_json(const model::Pose& X) {
  const model::Vector3 p = X.translation();
  const Eigen::Quaterniond q(X.linear());
  return {{"position_m", {p.x(), p.y(), p.z()}}, {"quaternion_wxyz", {q.w(), q.x(), q.y(), q.z()}}};
}

WorldSetup world_setup(const PreparedScenario& prepared, RunSetup run) {
  const Scenario& s = prepared.scenario;
  WorldSetup setup{prepared.plugins.engines, s.engine, s.engine_options(), s.seed};
  setup.length = prepared.length;
  setup.model = prepared.model;
  setup.hold_effort = s.cell.hold_effort;
  setup.simplify = s.cell.simplify;
  setup.network = s.cell.network;
  setup.failures = prepared.failures;
  setup.is_short = s.cell.is_short;
  for (const ActorEntry& actor : s.cell.actors) {
    if (!actor.host.empty()) {
      setup.hosts.emplace_back(actor.name, actor.host);
    }
    for (const auto& [key, host] : actor.model->more_hosts()) {
      if (!host.empty()) {
        setup.hosts.emplace_back(actor.name + "." + key, host);
      }
    }
    if (!s.cell.network.is_empty()) {
      setup.name_streams.push_back(
          [model = actor.model, host = actor.host](network::Topology& topology) {
            model->name_streams(topology, host);
          });
    }
  }
  setup.run = std::move(run);
  setup.run.name = prepared.name;
  const bool has_trace = !setup.run.trace.empty() || setup.run.listener != nullptr;
  setup.run.records_packets = s.record_packets && has_trace;
  setup.run.frames_per_second = s.record_frames;
  setup.run.records_calls = s.record_calls && has_trace;
  return setup;
}

}  // namespace

Run::Run(const PreparedScenario& prepared, RunSetup setup)
    : prepared_(prepared),
      world_(std::make_unique<World>(world_setup(prepared_, std::move(setup)))) {
  open_trace();
  make_actors();
  schedule_failures();
  world_->start();

  moving_ = moving_bodies(prepared_.model);
  for (const std::unique_ptr<Actor>& actor : actors_) {
    has_opinions_ = has_opinions_ || actor->is_done().has_value();
    for (const physics::BodyId own : actor->own_bodies()) {
      std::erase(moving_, own);
    }
  }
  last_good_.resize(moving_.size());
  look_for_divergence(Time{});
  sim::Kernel& kernel = world_->kernel();
  kernel.every(world_->period(), Time{}, sim::Phase::kRecord, kernel.add_source("run"),
               [this](Time now) { after_step(now + world_->period()); });
}

Run::~Run() {
  // who asked goes before whom it asked
  for (auto number = prepared_.order.rbegin(); number != prepared_.order.rend(); ++number) {
    actors_[*number].reset();
  }
}

void Run::open_trace() {
  const std::string& path = world_->run_setup().trace;
  record::TraceListener* const listener = world_->run_setup().listener;
  if (path.empty() && listener == nullptr) {
    return;
  }
  frames_.emplace(prepared_.model, prepared_.cell().is_short ? 0 : -1);
  record::RosTraceConfig config;
  config.fixed_frames = frames_->fixed();
  config.moving_frames = frames_->moving();
  config.shapes = frames_->shapes(prepared_.model);
  config.scenario = to_yaml(prepared_.scenario, prepared_.plugins);
  auto trace = record::RosTrace::open(path, std::move(config), listener);
  if (!trace) {
    refuse(trace.error().message, "choose another --out");
  }
  trace_ = std::move(trace).value();
  world_->set_trace(trace_.get());
  touches_.emplace(*world_, *trace_, *frames_);
}

void Run::make_actors() {
  const CellConfig& config = prepared_.cell();
  actors_.resize(config.actors.size());
  curves_.resize(config.actors.size());
  for (const std::size_t number : prepared_.order) {
    const ActorEntry& entry = config.actors[number];
    try {
      actors_[number] = entry.model->make(*world_, entry.name);
    } catch (const ActorError& error) {
      throw ActorError(config.key_of(entry, error.key()), error.diagnostics());
    } catch (const InputError& error) {
      throw ActorError(config.key_of(entry, ""), error.diagnostics());
    }
    curves_[number] = entry.model->figures().curves.size();
    trace_curves_of(number);
  }
}

/// Arms by themselves have messages for all of that.
void Run::trace_curves_of(std::size_t actor) {
  const ActorEntry& entry = prepared_.cell().actors[actor];
  if (!trace_ || prepared_.cell().is_short || curves_[actor] == 0) {
    return;
  }
  CurveTrace traced{actor, {}, nullptr};
  record::JsonProperties properties;
  for (const CurveInfo& curve : entry.model->figures().curves) {
    traced.names.push_back(curve.name);
    properties.emplace_back(curve.name, "number");
  }
  traced.trace =
      trace_->add_json("/" + entry.name + "/curves", "longarm/Curves of " + entry.name, properties);
  curve_traces_.push_back(std::move(traced));
}

void Run::schedule_failures() {
  sim::Kernel& kernel = world_->kernel();
  const sim::SourceId source = kernel.add_source("failures");
  for (const Failure& failure : prepared_.failures) {
    const WorldFailure* const brought = prepared_.plugins.find(failure);
    kernel.at(failure.at, sim::Phase::kApply, source, [this, &failure, brought](Time) {
      happened_.push_back(failure.text);
      world_->note(failure.name, "failure", failure.text);
      if (failure.of == Failure::Of::kActor) {
        find(failure.name)->fail(failure);
      } else if (brought != nullptr) {
        brought->fail(*world_, failure);
      }
    });
    if (failure.length == Duration::zero()) {
      continue;
    }
    const Time end = failure.at + failure.length;
    if (failure.of == Failure::Of::kActor) {
      kernel.at(end, sim::Phase::kApply, source,
                [this, &failure](Time) { find(failure.name)->recover(failure); });
    } else if (brought != nullptr && brought->recover) {
      kernel.at(end, sim::Phase::kApply, source,
                [this, &failure, brought](Time) { brought->recover(*world_, failure); });
    }
  }
}

Actor* Run::find(const std::string& actor) const {
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    if (prepared_.cell().actors[i].name == actor) {
      return actors_[i].get();
    }
  }
  return nullptr;
}

Time Run::end() const {
  return is_done_ ? now_ : is_endless_ ? Time::max() : Time(prepared_.length);
}

bool Run::lift_length() {
  // schedules of cables repeat until its length
  return is_endless_ = prepared_.cell().network.is_empty();
}

void Run::run_until(Time until) {
  until = std::min(until, end());
  if (is_over()) {
    return;
  }
  // whoever may end the run is asked after each step
  bool is_going_on = is_open_ || open_actors();
  while (is_going_on && !is_over() && now_ < until) {
    is_going_on = advance(has_opinions_ ? now_ + world_->period() : until);
    look_whether_done();
  }
  if (is_over()) {
    close_actors();
  }
}

bool Run::open_actors() {
  is_open_ = true;
  after_step_trace(Time{});
  for (const std::unique_ptr<Actor>& actor : actors_) {
    if (const Result<bool> opened = actor->open(); !opened) {
      failure_ = fmt::format("at 0 s: {}", opened.error().message);
      return false;
    }
  }
  return true;
}

void Run::close_actors() {
  for (const std::unique_ptr<Actor>& actor : actors_) {
    actor->close();
  }
}

bool Run::advance(Time until) {
  const Result<Time> reached = world_->advance(until);
  if (!reached) {
    failure_ = fmt::format("at {:.9f} s: {}", to_seconds(world_->now()), reached.error().message);
    return false;
  }
  now_ = divergence_ ? divergence_->at : *reached;
  return true;
}

void Run::look_whether_done() {
  bool is_done = has_opinions_;
  for (const std::unique_ptr<Actor>& actor : actors_) {
    is_done = is_done && actor->is_done().value_or(true);
  }
  is_done_ = is_done;
}

void Run::after_step(Time stamp) {
  note_state();
  const bool is_last = stamp >= Time(prepared_.length) && !is_endless_;
  if (!moving_.empty() && (is_last || stamp.time_since_epoch() % kLookEvery < world_->period())) {
    look_for_divergence(stamp);
  }
  for (const std::unique_ptr<Actor>& actor : actors_) {
    has_run_away_ = has_run_away_ || actor->has_run_away();
  }
  if (is_diverged()) {
    world_->kernel().stop();
    if (has_run_away_) {
      return;
    }
  }
  after_step_trace(stamp);
  if (observer_) {
    observer_(stamp);
  }
}

void Run::after_step_trace(Time stamp) {
  if (!trace_) {
    return;
  }
  trace_->clock(stamp);
  if (trace_->wants_frames(stamp)) {
    trace_->frames(stamp, frames_->poses(world_->engine()));
  }
  if (!curve_ticker_.tick(stamp)) {
    return;
  }
  touches_->look(stamp);
  std::vector<double> values;
  for (const CurveTrace& each : curve_traces_) {
    values.assign(each.names.size(), 0.0);
    actors_[each.actor]->sample(values);
    Json message = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i) {
      message[each.names[i]] = values[i];
    }
    each.trace->write(stamp, message);
  }
}

void Run::note_state() {
  const physics::Engine& engine = world_->engine();
  world_hash_.add(engine.positions());
  world_hash_.add(engine.velocities());
  for (const physics::BodyId body : moving_) {
    const model::Vector3 p = engine.pose(body).translation();
    world_hash_.add(std::span<const double>(p.data(), 3));
  }
  for (const std::unique_ptr<Actor>& actor : actors_) {
    actor->add_to(actors_hash_);
  }
}

void Run::look_for_divergence(Time now) {
  const physics::Engine& engine = world_->engine();
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    if (!is_sane(engine.pose(moving_[i]), engine.twist(moving_[i]))) {
      const std::vector<std::string> names = world_->body_names();
      divergence_ = Divergence{now, names[static_cast<std::size_t>(moving_[i])], last_good_at_,
                               last_good_[i]};
      return;
    }
  }
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    last_good_[i] = engine.pose(moving_[i]);
  }
  last_good_at_ = now;
}

std::vector<model::Vector3> Run::tracked_points() const {
  std::vector<model::Vector3> points;
  for (const std::unique_ptr<Actor>& actor : actors_) {
    if (const std::optional<model::Vector3> point = actor->tracked_point()) {
      points.push_back(*point);
    }
  }
  return points;
}

std::vector<std::string> Run::tracked_names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    if (actors_[i]->tracked_point()) {
      names.push_back(prepared_.cell().actors[i].name);
    }
  }
  return names;
}

void Run::sample(std::span<double> out) const {
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    actors_[i]->sample(out.first(curves_[i]));
    out = out.subspan(curves_[i]);
  }
  if (!out.empty()) {
    out[0] = static_cast<double>(world_->engine().contacts().size());
    out[1] = static_cast<double>(world_->simplifier().counts().joined);
  }
}

std::vector<std::string> Run::warnings() const {
  std::vector<std::string> warnings;
  if (world_->engine().dropped_contacts() > 0) {
    warnings.push_back(physics::dropped_contacts_warning(world_->engine()));
  }
  if (prepared_.cell().network.capture && world_->folder().empty()) {
    warnings.emplace_back("network.capture: nothing was captured, because this run has no folder");
  }
  for (const std::unique_ptr<Actor>& actor : actors_) {
    for (std::string& warning : actor->warnings()) {
      warnings.push_back(std::move(warning));
    }
  }
  for (const std::string& part : unrepeatable_parts(prepared_)) {
    warnings.push_back(part + ", so runs differ even with the same seed");
  }
  for (const Failure& failure : prepared_.failures) {
    // those behind the run's length were told of before it
    if (failure.at >= world_->now() && failure.at < Time(prepared_.length)) {
      warnings.push_back(fmt::format("\"{}\" did not occur: the run ended after {:.3f} s",
                                     failure.text, to_seconds(world_->now())));
    }
  }
  return warnings;
}

Json Run::results() const {
  const Scenario& s = prepared_.scenario;
  Json out;
  out["format"] = kResultFormat;
  out["scenario"] = prepared_.name;
  out["identity"] = prepared_.identity;
  out["model_hash"] = prepared_.model_hash;
  out["files_hash"] = prepared_.files_hash;
  out["engine"] = s.engine;
  out["seed"] = s.seed;
  out["simulated_s"] = to_seconds(now_);
  out["ended"] = is_diverged() ? "diverged"
                 : failure_    ? "failed"
                 : is_over()   ? "completed"
                               : "interrupted";
  if (failure_) {
    out["failure"] = *failure_;
  }
  if (divergence_) {
    out["diverged"] = {{"at_s", to_seconds(divergence_->at)},
                       {"body", divergence_->body},
                       {"last_good_s", to_seconds(divergence_->last_good)},
                       {"last_good_pose", pose_json(divergence_->X_WB)}};
  }
  Json warnings = Json::array();
  for (const Diagnostic& warning : prepared_.warnings) {
    warnings.push_back(warning.message);
  }
  for (std::string& warning : this->warnings()) {
    warnings.push_back(std::move(warning));
  }
  out["warnings"] = std::move(warnings);
  world_->set_outcome({is_over(), is_diverged(), failure_});
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    Json own = actors_[i]->results();
    if (own.is_null()) {
      continue;
    }
    if (prepared_.cell().is_short) {
      out.update(own);
    } else {
      out[prepared_.cell().actors[i].name] = std::move(own);
    }
  }
  out["world"] = world_->results();
  if (world_->network() != nullptr) {
    out["network"] = network::network_json(*world_->network());
    if (world_->has_traffic()) {
      out["traffic_hash"] = world_->traffic_hash();
    }
  }
  if (actors_hash_.value() != Hash().value()) {
    out["actors_hash"] = actors_hash_.text();
  }
  if (!happened_.empty()) {
    out["failures"] = happened_;
  }
  if (divergence_) {
    // what was measured on the way says nothing
    for (const MetricInfo& metric : prepared_.cell().figures().metrics) {
      if (Json* value = find_metric(out, metric.name)) {
        *value = nullptr;
      }
    }
  }
  // what was said, and what actors know, belong to the state as well
  Hash hash = world_hash_;
  for (const char* more : {"traffic_hash", "actors_hash"}) {
    if (const auto found = out.find(more); found != out.end()) {
      hash.add(found->get<std::string>());
    }
  }
  out["world_hash"] = world_hash_.text();
  out["state_hash"] = hash.text();
  return out;
}

std::vector<ResultFile> Run::files() const {
  std::vector<ResultFile> files;
  std::set<std::string> names;
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    for (ResultFile& file : actors_[i]->files()) {
      if (!names.insert(file.name).second) {
        // of the second of a kind: graph.json, then two.graph.json
        const std::filesystem::path path(file.name);
        file.name = path.parent_path() /
                    fmt::format("{}.{}", prepared_.cell().actors[i].name, path.filename().string());
      }
      files.push_back(std::move(file));
    }
  }
  return files;
}

Result<bool> Run::close_files() {
  world_->finish_trace();
  Result<bool> closed = trace_ ? trace_->close() : Result<bool>(true);
  for (const std::unique_ptr<Actor>& actor : actors_) {
    const Result<bool> own = actor->close_files();
    closed = closed ? own : closed;
  }
  return closed;
}

}  // namespace longarm::cell
