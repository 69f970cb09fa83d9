// SPDX-License-Identifier: Apache-2.0
// Whether the cameras can be relied on: silent, blind, or only late.
#include <chrono>

#include <fmt/format.h>

#include "labs/kitting/executor_parts.h"
#include "longarm/core/suggest.h"

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;

/// Frames that are older than this when they come are worth a word.
constexpr Duration kLate = 1s;

}  // namespace

/// Judged by the gaps between arrivals: frames that are old when they come are late, not absent.
std::string Executor::fault_of(const std::string& camera) const {
  const Time now = kernel_.now();
  const std::optional<CameraRow> row = world_.camera(camera);
  if (!row) {
    return now - started_ < config_.camera_timeout ? "" : camera + " has not sent any frames";
  }
  if (now - row->arrived >= config_.camera_timeout) {
    return fmt::format("{} has been silent since {:.1f} s", camera, to_seconds(row->arrived));
  }
  if (now - row->shown.value_or(started_) < config_.camera_timeout) {
    return "";
  }
  return row->stamp
             ? fmt::format("{} has seen nothing since {:.1f} s", camera, to_seconds(*row->stamp))
             : fmt::format("{} has seen nothing so far", camera);
}

std::vector<std::string> Executor::camera_faults() const {
  std::vector<std::string> faults;
  for (const CameraView& camera : ontology_.cameras) {
    std::string fault = fault_of(camera.name);
    if (!fault.empty()) {
      faults.push_back(std::move(fault));
    }
  }
  return faults;
}

std::string Executor::note_cameras() {
  for (const CameraView& camera : ontology_.cameras) {
    const std::string fault = fault_of(camera.name);
    if (fault.empty()) {
      faulty_cameras_.erase(camera.name);
    } else if (faulty_cameras_.insert(camera.name).second) {
      note(camera.name, "camera", fault);
    }
  }
  return join(camera_faults());
}

void Executor::note_lateness(const std::string& camera) {
  const std::optional<CameraRow> row = world_.camera(camera);
  const Duration age = row && row->stamp && row->shown ? *row->shown - *row->stamp : Duration{};
  if (age < kLate || !late_cameras_.insert(camera).second) {
    return;
  }
  remarks_.push_back(
      fmt::format("{} is late: its frames are {:.1f} s old on arrival", camera, to_seconds(age)));
  world_.note(kernel_.now(), camera, remarks_.back());
}

std::optional<Time> Executor::newest_stamp() const {
  std::optional<Time> newest;
  for (const CameraView& camera : ontology_.cameras) {
    newest = std::max(newest, world_.last_frame(camera.name));
  }
  return newest;
}

}  // namespace longarm::kitting
