// SPDX-License-Identifier: Apache-2.0
// A CRCL program under way: which command comes next, loops followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/protocols/crcl/commands.h"

namespace longarm::robots {

class CrclProgramRun {
 public:
  explicit CrclProgramRun(std::shared_ptr<const protocols::crcl::Program> program);

  /// Fails if a loop does not close, or is to be done less than once. To be asked first.
  Result<bool> check_loops();
  /// The next command, with where in the program it stands; loop marks are followed, not given.
  /// Nothing at the end; fails at a loop that does nothing, very often.
  Result<std::optional<protocols::crcl::CommandInstance>> next();
  /// The command, or the mark of a loop, that was looked at last: where it failed.
  protocols::crcl::CommandInstance here() const;

 private:
  struct Loop {
    std::string name;
    std::size_t begin = 0;  // the command after its start
    std::int32_t done = 0;
  };

  /// False if it is no mark of a loop.
  bool follow(const protocols::crcl::CommandBody& body);

  std::shared_ptr<const protocols::crcl::Program> program_;  // shared with the order it came by
  std::size_t index_ = 0;
  std::size_t here_ = 0;
  std::vector<Loop> loops_;
};

}  // namespace longarm::robots
