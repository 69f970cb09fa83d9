// SPDX-License-Identifier: Apache-2.0
// A study as a file: a scenario and what to vary of it.
#pragma once

#include <string>
#include <vector>

#include "longarm/study/axis.h"

namespace longarm::study {

/// What a study is made of, before anything runs.
struct StudySource {
  std::string name;                    ///< the file's, without folder and ending
  std::string title;                   ///< one line
  std::string scenario;                ///< a ready scenario's name or a file
  std::vector<std::string> overrides;  ///< "key=value", for every run
  std::vector<Axis> axes;
  std::string folder{};  ///< where the study's file is, and perhaps what it names
};

/// Reads a ready study, a study's file, or a scenario, with or without `axes` of its own:
///
///   scenario: ur5-waypoints          # a ready one, or a file beside this one; or leave it out and
///   set: {feed_forward: 1}           # write the scenario's keys here
///   axes:
///     link.delay: [0ms, 5ms, 10ms]
///     seed: 1..20
///
/// Throws InputError.
StudySource read_study(const std::string& name_or_file);

}  // namespace longarm::study
