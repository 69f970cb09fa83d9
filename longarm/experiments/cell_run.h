// SPDX-License-Identifier: Apache-2.0
// A whole cell in motion: arms that hold, a belt that runs, parts on it, and devices that watch and
// speak. Internal to the folder.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "longarm/devices/contact_sensor.h"
#include "longarm/devices/light_curtain.h"
#include "longarm/devices/overhead_camera.h"
#include "longarm/experiments/cell_config.h"
#include "longarm/experiments/experiment.h"
#include "longarm/experiments/part_drift.h"
#include "longarm/sim/kernel.h"

namespace longarm::experiments {

/// The number of the joint that a key names, as `joint` or `model::joint`; throws InputError.
physics::JointId find_joint(const model::Cell& cell, const std::string& name);

class CellRun final : public Experiment {
 public:
  /// Throws InputError for what the engine or the world does not go with.
  CellRun(const CellConfig& config, model::Cell cell, const ExperimentContext& context);
  ~CellRun() override;

 private:
  template <typename Device, typename Message>
  struct Station {
    std::unique_ptr<Device> device;
    std::unique_ptr<devices::DevicePort<Message>> port;
  };

  void hold_arms();
  void make_belt();
  void make_curtain();
  void make_camera(std::size_t number, const CellCameraConfig& config);
  void make_touch();
  template <typename Message>
  std::unique_ptr<devices::DevicePort<Message>> open_port(const std::string& name,
                                                          const devices::DeviceLinkConfig& link,
                                                          Duration period);
  void step_world(Time now);
  void watch_belt(Time now);

  Duration do_length() const override { return config_.length; }
  void do_step() override;
  void do_sample(std::span<double> out) const override;
  nlohmann::ordered_json do_results() const override;
  std::vector<std::string> do_warnings() const override;
  const physics::Engine& do_engine() const override { return *engine_; }
  const model::Cell& do_cell() const override { return cell_; }

  CellConfig config_;
  model::Cell cell_;
  Duration period_;
  std::uint64_t seed_;
  std::unique_ptr<physics::Engine> engine_;
  sim::Kernel kernel_;
  sim::SourceId world_;
  std::unique_ptr<mechanisms::Simplifier> simplifier_;
  std::unique_ptr<mechanisms::Belt> belt_;
  std::unique_ptr<PartDrift> drift_;
  Station<devices::LightCurtain, devices::CurtainReport> curtain_;
  std::optional<Time> intrusion_heard_;
  std::array<Station<devices::OverheadCamera, devices::CameraFrame>, 2> cameras_;
  Station<devices::ContactSensor, devices::TouchReport> touch_;

  std::uint64_t steps_ = 0;
  std::uint64_t contact_sum_ = 0;
  std::uint64_t contact_max_ = 0;
  std::uint64_t touch_steps_ = 0;
  std::optional<Time> jammed_at_;
};

}  // namespace longarm::experiments
