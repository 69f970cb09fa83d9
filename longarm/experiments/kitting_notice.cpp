// SPDX-License-Identifier: Apache-2.0
// Failures of the world beside setbacks of the executor.
#include "longarm/experiments/kitting_notice.h"

#include <algorithm>
#include <string>

#include "longarm/workcell/failures.h"

namespace longarm::experiments {
namespace {

using kitting::Setback;
using workcell::Failure;
using workcell::FailureKind;
using Json = nlohmann::ordered_json;

bool is_talk(const Setback& setback) {
  return setback.kind == "robot" || setback.kind == "camera" || setback.kind == "belt";
}

/// Whether somebody at an end of the cable is the one who was found silent.
bool is_at_cable(const workcell::WorkCellConfig& cell, const std::string& cable,
                 const Setback& setback) {
  const std::string& role = setback.kind == "belt" ? "plc" : setback.who;
  for (const network::LinkEntry& link : cell.network.links) {
    if (link.name != cable) {
      continue;
    }
    return std::ranges::any_of(link.between, [&](const std::string& end) {
      return end == cell.host_of(role) || end == cell.host_of("executor");
    });
  }
  return false;
}

bool is_about(const workcell::WorkCellConfig& cell, const Failure& failure,
              const Setback& setback) {
  switch (failure.kind) {
    case FailureKind::kRobotBreaks:
    case FailureKind::kRobotDies:
      return setback.kind == "robot" && setback.who == failure.target;
    case FailureKind::kPartMisplaced:
    case FailureKind::kPartMissing:
      return setback.part == failure.target ||
             (setback.kind == "kit" &&
              setback.words.find(failure.target + " ") != std::string::npos);
    case FailureKind::kGripperDrops:
      return (setback.kind == "drop" || setback.kind == "failed grasp") &&
             setback.who == failure.target;
    case FailureKind::kCameraBlind:
    case FailureKind::kCameraSilent:
      return setback.kind == "camera" && setback.who == failure.target;
    case FailureKind::kBeltStops:
      return setback.kind == "belt";
    case FailureKind::kLinkDown:
    case FailureKind::kLinkSlow:
      return is_talk(setback) && is_at_cable(cell, failure.target, setback);
    case FailureKind::kCurtainBroken:
      break;  // arms wait and go on: nothing to notice
  }
  return false;
}

}  // namespace

Json times_to_notice(const workcell::WorkCellConfig& cell, const std::vector<Setback>& setbacks) {
  std::vector<Failure> failures;
  Json noticed = Json::object();
  for (const std::string& text : cell.failures) {
    if (Result<Failure> failure = workcell::parse_failure(text)) {
      noticed[text] = nullptr;
      failures.push_back(std::move(*failure));
      failures.back().text = text;
    }
  }
  std::ranges::stable_sort(failures, {}, &Failure::at);
  std::vector<bool> is_taken(setbacks.size(), false);
  for (const Failure& failure : failures) {
    for (std::size_t i = 0; i < setbacks.size(); ++i) {
      if (!is_taken[i] && setbacks[i].noticed >= failure.at &&
          is_about(cell, failure, setbacks[i])) {
        is_taken[i] = true;
        noticed[failure.text] = to_seconds(setbacks[i].noticed - failure.at);
        break;
      }
    }
  }
  return noticed;
}

}  // namespace longarm::experiments
