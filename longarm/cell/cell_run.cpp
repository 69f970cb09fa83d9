// SPDX-License-Identifier: Apache-2.0
// Makes the actors in the order of their wishes, steps the world, and collects what came out.
#include "longarm/cell/cell_run.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "longarm/network/network_json.h"

namespace longarm::cell {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

CellRun::CellRun(const PreparedCell& prepared, const CellContext& context)
    : config_(prepared.config),
      length_(prepared.length),
      failures_(prepared.failures),
      world_(std::make_unique<World>(prepared.setup(context))),
      order_(prepared.order) {
  make_actors(prepared);
  schedule_failures();
  world_->start();
}

CellRun::~CellRun() {
  // who asked goes before whom it asked
  for (auto number = order_.rbegin(); number != order_.rend(); ++number) {
    actors_[*number].reset();
  }
}

void CellRun::make_actors(const PreparedCell& prepared) {
  actors_.resize(config_.actors.size());
  curves_.resize(config_.actors.size());
  for (const std::size_t number : prepared.order) {
    const ActorEntry& entry = config_.actors[number];
    try {
      actors_[number] = entry.model->make(*world_, entry.name);
    } catch (const ActorError& error) {
      throw ActorError(fmt::format("actors.{}.{}", entry.name, error.key()), error.diagnostics());
    } catch (const InputError& error) {
      throw ActorError("actors." + entry.name, error.diagnostics());
    }
    curves_[number] = entry.model->figures().curves.size();
  }
}

void CellRun::schedule_failures() {
  const sim::SourceId source = world_->kernel().add_source("failures");
  for (const Failure& failure : failures_) {
    world_->kernel().at(failure.at, sim::Phase::kApply, source, [this, &failure](Time) {
      happened_.push_back(failure.text);
      if (failure.of == Failure::Of::kActor) {
        find(failure.name)->fail(failure);
      }
    });
    if (failure.length > Duration::zero() && failure.of == Failure::Of::kActor) {
      world_->kernel().at(failure.at + failure.length, sim::Phase::kApply, source,
                          [this, &failure](Time) { find(failure.name)->recover(failure); });
    }
  }
}

Actor* CellRun::find(const std::string& actor) const {
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    if (config_.actors[i].name == actor) {
      return actors_[i].get();
    }
  }
  return nullptr;
}

void CellRun::step() {
  if (failure_) {
    return;
  }
  if (world_->now() == Time{}) {
    for (const std::unique_ptr<Actor>& actor : actors_) {
      if (const Result<bool> opened = actor->open(); !opened) {
        failure_ = fmt::format("at 0 s: {}", opened.error().message);
        return;
      }
    }
  }
  const Result<Time> until = world_->advance(world_->now() + world_->period());
  if (!until) {
    failure_ = fmt::format("at {:.9f} s: {}", to_seconds(world_->now()), until.error().message);
    return;
  }
  bool has_opinion = false;
  bool is_done = true;
  for (const std::unique_ptr<Actor>& actor : actors_) {
    const std::optional<bool> opinion = actor->is_done();
    has_opinion = has_opinion || opinion.has_value();
    is_done = is_done && opinion.value_or(true);
    actor->add_to(actors_hash_);
  }
  is_done_ = has_opinion && is_done;
}

std::vector<model::Vector3> CellRun::tracked_points() const {
  std::vector<model::Vector3> points;
  for (const std::unique_ptr<Actor>& actor : actors_) {
    if (const std::optional<model::Vector3> point = actor->tracked_point()) {
      points.push_back(*point);
    }
  }
  return points;
}

std::vector<std::string> CellRun::tracked_names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    if (actors_[i]->tracked_point()) {
      names.push_back(config_.actors[i].name);
    }
  }
  return names;
}

void CellRun::sample(std::span<double> out) const {
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    actors_[i]->sample(out.first(curves_[i]));
    out = out.subspan(curves_[i]);
  }
  if (!out.empty()) {
    out[0] = static_cast<double>(world_->engine().contacts().size());
    out[1] = static_cast<double>(world_->simplifier().counts().joined);
  }
}

Json CellRun::results() const {
  Json out;
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    if (Json own = actors_[i]->results(); !own.is_null()) {
      out[config_.actors[i].name] = std::move(own);
    }
  }
  out["world"] = world_->results();
  if (world_->network() != nullptr) {
    out["network"] = network::network_json(*world_->network());
    out["traffic_hash"] = world_->traffic_hash();
  }
  if (actors_hash_.value() != Hash().value()) {
    out["actors_hash"] = actors_hash_.text();
  }
  if (!happened_.empty()) {
    out["failures"] = happened_;
  }
  return out;
}

std::vector<std::string> CellRun::warnings() const {
  std::vector<std::string> warnings;
  if (config_.network.capture && world_->folder().empty()) {
    warnings.emplace_back("network.capture: nothing was captured, as this run has no folder");
  }
  for (const std::unique_ptr<Actor>& actor : actors_) {
    for (std::string& warning : actor->warnings()) {
      warnings.push_back(std::move(warning));
    }
  }
  for (const Failure& failure : failures_) {
    // those behind the run's length were told of before it
    if (failure.at >= world_->now() && failure.at < Time(length_)) {
      warnings.push_back(fmt::format("\"{}\" did not happen: the run was over after {:.3f} s",
                                     failure.text, to_seconds(world_->now())));
    }
  }
  return warnings;
}

std::vector<ResultFile> CellRun::files() const {
  std::vector<ResultFile> files;
  std::set<std::string> names;
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    for (ResultFile& file : actors_[i]->files()) {
      if (!names.insert(file.name).second) {
        // of the second of a kind: graph.json, then two.graph.json
        const std::filesystem::path path(file.name);
        file.name = path.parent_path() /
                    fmt::format("{}.{}", config_.actors[i].name, path.filename().string());
      }
      files.push_back(std::move(file));
    }
  }
  return files;
}

void CellRun::close() {
  for (const std::unique_ptr<Actor>& actor : actors_) {
    actor->close();
  }
}

}  // namespace longarm::cell
