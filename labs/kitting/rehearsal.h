// SPDX-License-Identifier: Apache-2.0
// A schedule gone through beforehand, with robots that do as they are told: when each step will
// start and end, and the CRCL program of each robot.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "labs/kitting/executor.h"
#include "labs/kitting/schedule.h"
#include "labs/kitting/world_model.h"
#include "longarm/protocols/crcl/commands.h"

namespace longarm::kitting {

/// Everything that one robot is told, from InitCanon to EndCanon, its commands counted from 1. Each
/// step begins with a Message that names it.
struct RobotProgram {
  std::string robot;
  protocols::crcl::Program program;
};

struct Rehearsal {
  Schedule schedule;  ///< the same steps in the same order, with other times
  std::vector<RobotProgram> programs;
};

/// The arms are the executor's own; how long a robot takes follows from the distances and speeds in
/// its commands. Everything goes well, trays stand where the belt will bring them, and each robot
/// starts where it is out of the way, with the tool that `carried_tools` says. Steps wait for each
/// other as the executor lets them.
Rehearsal rehearse(const Schedule& schedule, const Ontology& ontology, const WorldModel& world,
                   const ExecutorConfig& config,
                   const std::map<std::string, std::string>& carried_tools);

/// What the robots start with.
std::map<std::string, std::string> first_tools(const Ontology& ontology);

/// "program_fanuc.xml" and so on, the ending behind `name`. A program that cannot be written, which
/// a number that is not finite would explain, is left out.
std::vector<PlanFile> program_files(const std::vector<RobotProgram>& programs,
                                    const std::string& name);

}  // namespace longarm::kitting
