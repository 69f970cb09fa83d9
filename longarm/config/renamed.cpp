// SPDX-License-Identifier: Apache-2.0
// One row for each old name; a row matches whole parts at the end of a dotted key.
#include "longarm/config/renamed.h"

#include <array>

namespace longarm::config {

namespace {

struct RenamedKey {
  std::string_view before;
  std::string_view now;
};

constexpr std::array kKeys{
    RenamedKey{"executor.hope", "executor.blocked_kit_timeout"},
    RenamedKey{"executor.camera_patience", "executor.camera_timeout"},
    RenamedKey{"executor.tries", "executor.max_attempts"},
    RenamedKey{"executor.most_plans", "executor.max_plans"},
    RenamedKey{"executor.belt.patience", "executor.belt.start_timeout"},
    RenamedKey{"talk.patience", "talk.silent_after"},
    RenamedKey{"is_outside", "external_executor"},
    RenamedKey{"give_up", "goal_timeout"},
    RenamedKey{"network.patience", "network.answer_timeout"},
    RenamedKey{"lockstep.patience", "lockstep.answer_timeout"},
};

struct RenamedValue {
  std::string_view key;
  std::string_view before;
  std::string_view now;
};

constexpr std::array kValues{
    RenamedValue{"preset", "urllc", "urllc-required"},
    RenamedValue{"preset", "embb", "embb-required"},
    RenamedValue{"profile", "seed", "two-ports"},
};

std::string hint(std::string_view now) {
  return "renamed to '" + std::string(now) + "'";
}

bool ends_with_parts(std::string_view key, std::string_view parts) {
  return key.ends_with(parts) &&
         (key.size() == parts.size() || key[key.size() - parts.size() - 1] == '.');
}

}  // namespace

std::string renamed_key_hint(std::string_view key) {
  for (const RenamedKey& each : kKeys) {
    if (ends_with_parts(key, each.before)) {
      return hint(std::string(key.substr(0, key.size() - each.before.size())) +
                  std::string(each.now));
    }
  }
  return "";
}

std::string renamed_value_hint(std::string_view key, std::string_view value) {
  for (const RenamedValue& each : kValues) {
    if (key == each.key && value == each.before) {
      return hint(each.now);
    }
  }
  return "";
}

}  // namespace longarm::config
