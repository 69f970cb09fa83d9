// SPDX-License-Identifier: Apache-2.0
// Every n-th step of some probes; packed as zstd over bytes in planes, which neighbouring floats
// share.
#include "longarm/study/curves.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>
#include <zstd.h>

#include "longarm/actors/arm.h"
#include "longarm/core/check.h"
#include "longarm/sim/probe.h"

namespace longarm::study {
namespace {

// a header says how long the rest is; no figure needs more than this
constexpr std::size_t kMostBytes = std::size_t{1} << 28;
// of larger cells, robots beyond that stand still in the report
constexpr std::size_t kMostJoints = 200;

}  // namespace

const std::vector<float>* Curves::find(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &columns[static_cast<std::size_t>(found - names.begin())];
}

CurveRecorder::CurveRecorder(const cell::Run& run, bool has_reference)
    : run_(run), has_reference_(has_reference) {
  const Duration step = run.world().period();
  const std::int64_t steps = run.end().time_since_epoch() / step;
  every_ = std::max<std::int64_t>(1, (steps + kSamples - 1) / kSamples);
  curves_.period_s = to_seconds(step * every_);
  if (!run.prepared().cell().is_short) {
    has_reference_ = false;
    curves_.start_s = curves_.period_s;
    for (const cell::CurveInfo& curve : run.prepared().cell().figures().curves) {
      curves_.names.push_back(curve.name);
    }
    values_.resize(curves_.names.size());
    add_joints();
    return;
  }
  arm_ = &actors::arm_of(run);
  curves_.start_s = to_seconds(step);
  for (const char* name : {"end_effector", "velocity_command", "position"}) {
    const sim::Probe* probe = arm_->probes()->find(name);
    check(probe != nullptr, std::string("curves need a probe that nobody offers: ") + name);
    probes_.push_back(probe);
    for (const std::string& column : probe->columns) {
      curves_.names.push_back(probe->name + "." + column);
    }
  }
  if (has_reference_) {
    curves_.names.emplace_back(kDifferenceCurve);
  }
  add_joints();
}

/// But for those whose positions are there already, and those that follow others.
void CurveRecorder::add_joints() {
  const cell::PreparedScenario& prepared = run_.prepared();
  const std::vector<model::Placement>& placements = prepared.model.placements;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const std::vector<model::TreeJoint>& joints = placements[i].tree.joints;
    const int first = prepared.model.first_joint(static_cast<int>(i));
    for (std::size_t j = 0; j < joints.size(); ++j) {
      std::string name = std::string(kPositionCurve) + joint_prefix(prepared, i) + joints[j].name;
      const bool is_there =
          std::find(curves_.names.begin(), curves_.names.end(), name) != curves_.names.end();
      if (placements[i].is_fixed && !joints[j].mimic && !is_there && joints_.size() < kMostJoints) {
        joints_.push_back(static_cast<std::size_t>(first) + j);
        curves_.names.push_back(std::move(name));
      }
    }
  }
  curves_.columns.resize(curves_.names.size());
}

void CurveRecorder::record_joints(std::size_t first_column) {
  const std::span<const double> positions = run_.world().engine().positions();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    curves_.columns[first_column + i].push_back(static_cast<float>(positions[joints_[i]]));
  }
}

void CurveRecorder::record(Time /*stamp*/) {
  if (arm_ != nullptr) {
    record_arm();
    return;
  }
  if (++steps_ % every_ != 0 || curves_.columns.empty()) {
    return;
  }
  run_.sample(values_);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    curves_.columns[i].push_back(static_cast<float>(values_[i]));
  }
  record_joints(values_.size());
}

void CurveRecorder::record_arm() {
  if (steps_++ % every_ != 0) {
    return;
  }
  std::size_t column = 0;
  for (const sim::Probe* probe : probes_) {
    values_.resize(probe->columns.size());
    probe->read(values_);
    for (const double value : values_) {
      curves_.columns[column++].push_back(static_cast<float>(value));
    }
  }
  if (has_reference_) {
    curves_.columns[column++].push_back(
        static_cast<float>(arm_->metrics().command_difference_rad()));
  }
  record_joints(column);
}

std::string joint_prefix(const cell::PreparedScenario& prepared, std::size_t placement) {
  const bool is_arm = prepared.cell().is_short && placement == 0;
  return is_arm ? "" : prepared.model.placements[placement].name + "/";
}

std::string pack(const Curves& curves) {
  nlohmann::ordered_json header;
  header["start_s"] = curves.start_s;
  header["period_s"] = curves.period_s;
  header["samples"] = curves.samples();
  header["names"] = curves.names;
  std::string plain = header.dump() + "\n";

  // all first bytes of a column, then all second ones, …
  for (const std::vector<float>& column : curves.columns) {
    for (std::size_t plane = 0; plane < sizeof(float); ++plane) {
      for (const float value : column) {
        char bytes[sizeof(float)];
        std::memcpy(bytes, &value, sizeof bytes);
        plain += bytes[plane];
      }
    }
  }
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3);
  check(ZSTD_isError(size) == 0, "curves cannot be compressed");
  packed.resize(size);
  return packed;
}

Result<Curves> unpack(const std::string& bytes) {
  const Error damaged{"the curves of a run are damaged"};
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kMostBytes) {
    return damaged;
  }
  std::string plain(static_cast<std::size_t>(size), '\0');
  if (ZSTD_isError(ZSTD_decompress(plain.data(), plain.size(), bytes.data(), bytes.size())) != 0) {
    return damaged;
  }
  const std::size_t line = plain.find('\n');
  const auto header = nlohmann::ordered_json::parse(plain.substr(0, line), nullptr, false);
  if (line == std::string::npos || !header.is_object()) {
    return damaged;
  }
  Curves curves;
  std::size_t samples = 0;
  try {
    curves.start_s = header.at("start_s");
    curves.period_s = header.at("period_s");
    curves.names = header.at("names");
    samples = header.at("samples");
  } catch (const nlohmann::json::exception&) {
    return damaged;
  }
  const std::size_t column_bytes = samples * sizeof(float);
  if (samples > kMostBytes || curves.names.empty() ||
      plain.size() - line - 1 != curves.names.size() * column_bytes) {
    return damaged;
  }
  const char* at = plain.data() + line + 1;
  for (std::size_t i = 0; i < curves.names.size(); ++i, at += column_bytes) {
    std::vector<float>& column = curves.columns.emplace_back(samples);
    for (std::size_t sample = 0; sample < samples; ++sample) {
      char value[sizeof(float)];
      for (std::size_t plane = 0; plane < sizeof(float); ++plane) {
        value[plane] = at[plane * samples + sample];
      }
      std::memcpy(&column[sample], value, sizeof value);
    }
  }
  return curves;
}

}  // namespace longarm::study
