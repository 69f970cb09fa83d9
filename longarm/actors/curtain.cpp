// SPDX-License-Identifier: Apache-2.0
// The kind `curtain`: beams between poles, and somebody who walks into them when a failure says so.
#include "longarm/actors/curtain.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "longarm/actors/device_lines.h"
#include "longarm/actors/device_messages.h"
#include "longarm/actors/kinds.h"
#include "longarm/actors/outlet.h"
#include "longarm/actors/source.h"
#include "longarm/actors/visitor.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/actor_error.h"
#include "longarm/cell/world.h"

namespace longarm::actors {
namespace {

using cell::FailureVerb;
using cell::Stage;
using cell::World;
using devices::CurtainReport;
using devices::LightCurtain;

struct CurtainKeys {
  devices::CurtainConfig curtain;
  std::vector<double> reset_at_s;
  devices::DeviceLinkConfig link;
  OutletKeys outlet;
};

/// Visitors come from the other side of the curtain: the arms' side is inside.
model::Vector3 middle_of_arms(const model::Cell& cell) {
  model::Vector3 sum = model::Vector3::Zero();
  double count = 0.0;
  for (const model::Placement& placement : cell.placements) {
    if (placement.is_fixed && placement.tree.joints.size() > 1) {
      sum += placement.X_WR.translation();
      count += 1.0;
    }
  }
  return sum / std::max(count, 1.0);
}

std::string visitor_of(const std::string& curtain) {
  return fmt::format("{}-{}", curtain, kVisitor);
}

class CurtainActor final : public cell::Actor {
 public:
  CurtainActor(const CurtainKeys& keys, World& world, const std::string& name,
               const std::vector<VisitorWalk::Visit>& visits)
      : world_(world),
        reports_(world, name, keys.link, keys.curtain.report_every),
        outlet_(world, name, keys.outlet, TraceOf<CurtainReport>::kTopic) {
    if (!visits.empty()) {
      walk_ = std::make_unique<VisitorWalk>(
          world.engine(), cell::find_joint(world.model(), visitor_of(name) + "::walk"), visits);
      world.on(Stage::kCarry, [this](Time now) { walk_->before_step(now + world_.period()); });
    }
    world.offer<CurtainLatch>(name, latch_);
    world.offer<Source<CurtainReport>>(name, reports_);
    if (outlet_.is_open()) {
      reports_.open_server([this, name](const CurtainReport& report, Time) {
        outlet_.say(curtain_line(name, report));
      });
    }
    if (!world.engine().capabilities().has_rays) {
      return;
    }
    curtain_ = cell::about_key("poles", [&] {
      return std::make_unique<LightCurtain>(world.engine(), world.model(), keys.curtain);
    });
    latch_.curtain = curtain_.get();
    world.offer_diagnosis([this, name](Time, std::vector<cell::Diagnosis>& out) {
      cell::Diagnosis diagnosis;
      diagnosis.name = name;
      diagnosis.values = {{"broken_beams", curtain_->broken_beams()},
                          {"interruptions", curtain_->interruptions()},
                          {"latched", curtain_->is_latched()}};
      if (curtain_->broken_beams() > 0 || curtain_->is_latched()) {
        diagnosis.health = cell::Health::kWarning;
        diagnosis.message = curtain_->broken_beams() > 0 ? "interrupted" : "latched";
      }
      diagnosis.troubles = curtain_->interruptions();
      diagnosis.trouble = "interrupted";
      out.push_back(std::move(diagnosis));
    });
    curtain_->connect(world.kernel(), world.period(),
                      [this](const CurtainReport& report, std::size_t size_bytes) {
                        reports_.send(report, size_bytes);
                      });
    const sim::SourceId source = world.kernel().add_source(name);
    for (const double at_s : keys.reset_at_s) {
      world.kernel().at(Time(to_duration(at_s)), sim::Phase::kApply, source,
                        [this](Time) { curtain_->reset(); });
    }
  }

  void sample(std::span<double> out) const override {
    out[0] = curtain_ ? curtain_->broken_beams() : 0.0;
  }
  nlohmann::ordered_json results() const override {
    nlohmann::ordered_json out = nlohmann::ordered_json::object();
    if (!curtain_) {
      return out;
    }
    out["interruptions"] = curtain_->interruptions();
    out["latched"] = curtain_->is_latched();
    out["rays"] = curtain_->rays_cast();
    if (curtain_->first_broken()) {
      out["first_broken_s"] = to_seconds(*curtain_->first_broken());
    }
    out["link"] = reports_.results();
    return out;
  }
  std::vector<std::string> warnings() const override {
    if (curtain_) {
      return {};
    }
    return {"this engine has no rays: the light curtain is omitted; use engine mujoco or ode"};
  }

 private:
  World& world_;
  std::unique_ptr<LightCurtain> curtain_;  ///< null: the engine has no rays
  CurtainLatch latch_;
  Source<CurtainReport> reports_;
  Outlet outlet_;
  std::unique_ptr<VisitorWalk> walk_;  ///< null: nobody comes
};

class CurtainModel final : public cell::ActorModel, public OutletDescription {
 public:
  std::vector<nlohmann::ordered_json> shows(const cell::ShowContext& context) const override {
    nlohmann::ordered_json beams = nlohmann::ordered_json::array();
    for (const std::vector<double>& poles : keys_.curtain.poles) {
      for (std::int64_t i = 0; i < keys_.curtain.beams && poles.size() == 6; ++i) {
        const double up_m = static_cast<double>(i) * keys_.curtain.pitch_m;
        beams.push_back(
            {{poles[0], poles[1], poles[2] + up_m}, {poles[3], poles[4], poles[5] + up_m}});
      }
    }
    return {{{"kind", "curtain"},
             {"beams", std::move(beams)},
             {"topic", fmt::format("/{}/{}", context.name, TraceOf<CurtainReport>::kTopic)}}};
  }
  void list_fields(Fields& fields) override {
    devices::list_fields(fields, keys_.curtain);
    fields.field("reset_at_s", keys_.reset_at_s, "times at which its latch is reset");
    list_link(fields, keys_.link);
    actors::list_fields(fields, keys_.outlet);
    const bool is_good = std::all_of(keys_.reset_at_s.begin(), keys_.reset_at_s.end(),
                                     [](double x) { return x >= 0.0 && std::isfinite(x); });
    if (!is_good) {
      fields.reject("reset_at_s", "times must not be negative", "");
    }
  }
  std::vector<cell::Interface> offers() const override {
    return {CurtainLatch::kInterface, Source<CurtainReport>::kInterface, LinesServer::kInterface};
  }
  std::vector<FailureVerb> failures() const override {
    return {{"broken", "a person walks into the beams and out again", FailureVerb::End::kAlways}};
  }
  std::vector<cell::KeyRemark> load(InputFiles& files, const cell::LoadContext& context) override {
    std::vector<cell::KeyRemark> remarks = load_link(keys_.link, files, context.host);
    if (keys_.curtain.poles.empty()) {
      remarks.push_back({"poles", "a light curtain needs poles",
                         "give x, y, z of the lowest beam at its emitter and at its receiver"});
    }
    visits_.clear();
    for (const cell::Failure& failure : context.failures) {
      visits_.push_back({failure.at, failure.length});
      if (failure.at < Time(walk_up()) || failure.length < shortest_visit()) {
        remarks.push_back({"", fmt::format("\"{}\": a person cannot walk that fast", failure.text),
                           fmt::format("break it at {:g} s or later, for {:g} s or longer",
                                       to_seconds(walk_up()), to_seconds(shortest_visit()))});
      }
    }
    return remarks;
  }
  std::vector<cell::KeyRemark> place(model::Cell& cell, const cell::LoadContext& context) override {
    if (!visits_.empty()) {
      cell.placements.push_back(
          make_visitor(visitor_of(context.name), keys_.curtain, middle_of_arms(cell)));
    }
    return {};
  }
  std::shared_ptr<cell::ActorModel> without_link() const override {
    return without_link_of<CurtainModel>(
        *this, [](auto& model) -> auto& { return model.keys_.link; });
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<CurtainActor>(keys_, world, name, visits_);
  }
  bool has_port() const override { return keys_.outlet.port.has_value(); }
  cell::Figures figures() const override {
    return {{{"broken_beams", "broken beams", ""}},
            {{"interruptions", "interruptions of the light curtain", "", 1.0, 0}},
            ""};
  }

 private:
  CurtainKeys keys_;
  std::vector<VisitorWalk::Visit> visits_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_curtain() {
  return std::make_unique<CurtainModel>();
}

}  // namespace longarm::actors
