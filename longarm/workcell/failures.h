// SPDX-License-Identifier: Apache-2.0
// What goes wrong in a cell, as users write it: "20s robot fanuc breaks".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/network/link.h"

namespace longarm::workcell {

enum class FailureKind {
  kRobotBreaks,    ///< "20s robot fanuc breaks": brakes on for good, its controller says so
  kRobotDies,      ///< "20s robot fanuc dies": brakes on, and its controller says nothing any more
  kPartMisplaced,  ///< "15s part medium_gear_2 misplaced 0.03 0.01": put down by so many m beside
  kPartMissing,    ///< "15s part medium_gear_2 missing": somebody took it away
  kGripperDrops,   ///< "25s gripper fanuc drops": what it holds then, or next, slips
  kCameraBlind,    ///< "10s camera camera_1 blind [for 5s]": its frames show nothing
  kCameraSilent,   ///< "10s camera camera_1 silent [for 5s]": it sends no frames
  kBeltStops,      ///< "5s belt stops [for 10s]": its drive is off, whatever the PLC says
  kLinkDown,       ///< "30s link wire down [for 5s]"
  kLinkSlow,       ///< "30s link wire slow 500ms [for 10s]": so much longer on that cable
  kCurtainBroken,  ///< "20s curtain broken for 4s": somebody walks into the beams and out again
};

struct Failure {
  Time at{};
  FailureKind kind = FailureKind::kRobotBreaks;
  std::string target;  ///< robot, part, camera or cable; empty for belt and curtain
  Duration length{};   ///< zero: for good
  Duration slow{};     ///< of kLinkSlow
  double x_m = 0.0;    ///< of kPartMisplaced, along the world's axes
  double y_m = 0.0;
  std::string text;  ///< as it was written
};

/// The error says what is wrong with it.
Result<Failure> parse_failure(std::string_view text);

/// Remarks have the key `failures` and a hint.
std::vector<Failure> parse_failures(const std::vector<std::string>& texts,
                                    std::vector<network::KeyRemark>& remarks);

/// Names that failures may speak of.
struct FailureTargets {
  std::vector<std::string> robots;
  std::vector<std::string> parts;
  std::vector<std::string> cameras;
  std::vector<std::string> cables;
  bool has_belt = false;
  bool has_curtain = false;
};

/// Failures of what is not there.
std::vector<network::KeyRemark> judge(const std::vector<Failure>& failures,
                                      const FailureTargets& targets);

}  // namespace longarm::workcell
