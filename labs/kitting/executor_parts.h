// SPDX-License-Identifier: Apache-2.0
// What the parts of the executor share. Internal to the folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "labs/kitting/executor.h"

namespace longarm::kitting {

/// Who works in a round: an arm, or the belt.
struct Executor::Station {
  explicit Station(sim::TaskContext its_context) : context(its_context) {}

  sim::TaskContext context;
  std::string name;          ///< "belt" for the belt
  std::unique_ptr<Arm> arm;  ///< null: the belt
  Bell bell;
  bool works = true;
  bool is_silent = false;  ///< does not work because it does not answer; may come back
  int revivals = 0;
  std::string holds;
  std::string tool;  ///< that it carries, where arms change tools
  std::string words;
};

/// One plan being carried out.
struct Executor::Round {
  Schedule schedule;
  std::vector<bool> is_done;
  bool is_aborted = false;
  std::size_t workers = 0;
};

}  // namespace longarm::kitting
