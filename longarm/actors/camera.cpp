// SPDX-License-Identifier: Apache-2.0
// The kind `camera`: looks down on parts and trays and says where they are.
#include "longarm/actors/camera.h"

#include <optional>

#include "longarm/actors/device_lines.h"
#include "longarm/actors/device_messages.h"
#include "longarm/actors/kinds.h"
#include "longarm/actors/outlet.h"
#include "longarm/actors/source.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/actor_error.h"
#include "longarm/cell/world.h"
#include "longarm/devices/overhead_camera.h"

namespace longarm::actors {
namespace {

using cell::FailureVerb;
using cell::World;
using devices::CameraFrame;

struct CameraKeys {
  devices::CameraConfig camera;
  devices::DeviceLinkConfig link;
  OutletKeys outlet;
};

/// Programs outside see bolted trays as well, unless it is said what is watched.
devices::CameraConfig watched_by(const CameraKeys& keys, const model::Cell& cell) {
  devices::CameraConfig camera = keys.camera;
  if (keys.outlet.is_open() && camera.watch.empty()) {
    camera.watch = loose_and_trays(cell);
  }
  return camera;
}

class CameraActor final : public cell::Actor {
 public:
  CameraActor(const CameraKeys& keys, World& world, const std::string& name)
      : camera_(cell::about_key("watch",
                                [&] {
                                  return devices::OverheadCamera(
                                      world.engine(), world.model(), name,
                                      watched_by(keys, world.model()), world.seed());
                                })),
        frames_(world, name, keys.link, keys.camera.period),
        outlet_(world, name, keys.outlet, TraceOf<CameraFrame>::kTopic),
        lines_(world.model(), name) {
    camera_.connect(world.kernel(), [this](const CameraFrame& frame, std::size_t size_bytes) {
      frames_.send(frame, size_bytes);
    });
    world.offer<Source<CameraFrame>>(name, frames_);
    world.offer_diagnosis([this, name](Time now, std::vector<cell::Diagnosis>& out) {
      cell::Diagnosis diagnosis;
      diagnosis.name = name;
      const std::optional<CameraFrame>* latest = frames_.latest();
      if (latest != nullptr && latest->has_value()) {
        diagnosis.values = {{"frame", (*latest)->number},
                            {"age_s", to_seconds(now - (*latest)->stamp)},
                            {"detections", (*latest)->detections.size()}};
      }
      if (is_silent_ || is_blind_) {
        diagnosis.health = is_silent_ ? cell::Health::kStale : cell::Health::kError;
        diagnosis.message = is_silent_ ? "it sends no frames" : "its frames show nothing";
      }
      out.push_back(std::move(diagnosis));
    });
    if (outlet_.is_open()) {
      frames_.open_server(
          [this](const CameraFrame& frame, Time) { outlet_.say(lines_.line(frame)); });
    }
  }

  void fail(const cell::Failure& failure) override { set(failure, true); }
  void recover(const cell::Failure& failure) override { set(failure, false); }

  nlohmann::ordered_json results() const override {
    nlohmann::ordered_json out = frames_.results();
    const std::optional<CameraFrame>* latest = frames_.latest();
    out["detections_at_end"] =
        latest != nullptr && latest->has_value() ? (*latest)->detections.size() : 0;
    return out;
  }

 private:
  void set(const cell::Failure& failure, bool is_on) {
    if (failure.verb == "blind") {
      is_blind_ = is_on;
      camera_.set_blind(is_on);
    } else {
      is_silent_ = is_on;
      camera_.set_silent(is_on);
    }
  }

  devices::OverheadCamera camera_;
  Source<CameraFrame> frames_;
  Outlet outlet_;
  CameraLines lines_;
  bool is_blind_ = false;
  bool is_silent_ = false;
};

class CameraModel final : public cell::ActorModel,
                          public CameraDescription,
                          public OutletDescription {
 public:
  void list_fields(Fields& fields) override {
    devices::list_fields(fields, keys_.camera);
    list_link(fields, keys_.link);
    actors::list_fields(fields, keys_.outlet);
  }
  std::vector<cell::Interface> offers() const override {
    return {Source<CameraFrame>::kInterface, LinesServer::kInterface};
  }
  std::vector<FailureVerb> failures() const override {
    return {{"blind", "its frames show nothing", FailureVerb::End::kMaybe},
            {"silent", "it sends no frames", FailureVerb::End::kMaybe}};
  }
  std::vector<cell::KeyRemark> load(InputFiles& files, const cell::LoadContext& context) override {
    return load_link(keys_.link, files, context.host);
  }
  std::shared_ptr<cell::ActorModel> without_link() const override {
    return without_link_of<CameraModel>(
        *this, [](auto& model) -> auto& { return model.keys_.link; });
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<CameraActor>(keys_, world, name);
  }
  std::vector<nlohmann::ordered_json> shows(const cell::ShowContext& context) const override {
    const std::vector<double>& p = keys_.camera.position_m;
    const auto half = [&](std::size_t i) {
      return std::tan(keys_.camera.view_deg[i] * M_PI / 360);
    };
    return {{{"kind", "camera"},
             {"frame", "world"},
             {"p", p},
             {"q", {0.0, 0.0, 0.0, 1.0}},
             {"axis", {0.0, 0.0, -1.0}},
             {"near_m", 0.05},
             {"far_m", std::max(0.1, p[2])},
             {"half_width", half(0)},
             {"half_height", half(1)},
             {"topic", fmt::format("/{}/{}", context.name, TraceOf<CameraFrame>::kTopic)}}};
  }
  const devices::CameraConfig& camera() const override { return keys_.camera; }
  bool has_port() const override { return keys_.outlet.port.has_value(); }

 private:
  CameraKeys keys_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_camera() {
  return std::make_unique<CameraModel>();
}

}  // namespace longarm::actors
