// SPDX-License-Identifier: Apache-2.0
// What figures need of a run over time, thinned out and packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm::actors {
class ArmActor;
}
namespace longarm::cell {
class Run;
struct PreparedScenario;
}  // namespace longarm::cell
namespace longarm::sim {
struct Probe;
}

namespace longarm::study {

/// The column of how far the commands of a run come apart from those of its reference.
inline constexpr const char* kDifferenceCurve = "cumulated_velocity_command_difference";
/// Before the names of joints.
inline constexpr std::string_view kPositionCurve = "position.";

/// What stands before the names of a placement's joints and frames.
std::string joint_prefix(const cell::PreparedScenario& prepared, std::size_t placement);

/// Columns of equally spaced samples: the cell's curves or, of an arm by itself, end_effector.x,
/// .y, .z, velocity_command.JOINT … and, where there is a reference, kDifferenceCurve; and
/// position.JOINT … of all joints (in studies of earlier versions, those of an arm or none).
struct Curves {
  double start_s = 0.0;
  double period_s = 0.0;
  std::vector<std::string> names;
  std::vector<std::vector<float>> columns;  ///< all of one length

  std::size_t samples() const { return columns.empty() ? 0 : columns.front().size(); }
  /// Null if there is no such column.
  const std::vector<float>* find(const std::string& name) const;
  bool operator==(const Curves&) const = default;
};

/// Samples a run as it goes.
class CurveRecorder {
 public:
  /// About this many samples, so that a figure as wide as a screen loses nothing.
  static constexpr int kSamples = 2000;

  /// Borrows the run.
  CurveRecorder(const cell::Run& run, bool has_reference);

  /// After each step.
  void record(Time stamp);
  const Curves& curves() const { return curves_; }

 private:
  void add_joints();
  void record_arm();
  void record_joints(std::size_t first_column);

  const cell::Run& run_;
  const actors::ArmActor* arm_ = nullptr;  ///< by itself; null: another cell
  std::vector<const sim::Probe*> probes_;
  std::vector<std::size_t> joints_;  ///< whose positions the last columns have
  bool has_reference_;
  std::int64_t every_ = 1;
  std::int64_t steps_ = 0;
  std::vector<double> values_;
  Curves curves_;
};

/// Lossless: floats with their bytes sorted by place, compressed.
std::string pack(const Curves& curves);
/// Fails on bytes that pack() did not make.
Result<Curves> unpack(const std::string& bytes);

}  // namespace longarm::study
