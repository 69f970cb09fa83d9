// SPDX-License-Identifier: Apache-2.0
// The kinds of experiments that come with the program, one file each. Internal to the folder.
#pragma once

#include <memory>

#include "longarm/experiments/experiment.h"

namespace longarm::experiments {

std::unique_ptr<ExperimentModel> make_belt_bench();
std::unique_ptr<ExperimentModel> make_contact_bench();
std::unique_ptr<ExperimentModel> make_gear_in_slot();
std::unique_ptr<ExperimentModel> make_grasp_bench();
std::unique_ptr<ExperimentModel> make_grasp_table();
std::unique_ptr<ExperimentModel> make_vacuum_bench();

}  // namespace longarm::experiments
