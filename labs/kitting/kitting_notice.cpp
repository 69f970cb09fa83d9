// SPDX-License-Identifier: Apache-2.0
// Failures of the world beside setbacks of the executor.
#include "labs/kitting/kitting_notice.h"

#include <algorithm>

namespace longarm::kitting {
namespace {

using cell::Failure;
using kitting::Setback;
using Json = nlohmann::ordered_json;

bool is_talk(const Setback& setback) {
  return setback.kind == "robot" || setback.kind == "camera" || setback.kind == "belt";
}

/// Whether somebody at an end of the cable is the one who was found silent.
bool is_at_cable(const NoticePlaces& places, const std::string& cable, const Setback& setback) {
  const std::string host = setback.kind == "belt" ? places.plc_host : places.host_of(setback.who);
  for (const network::LinkEntry& link : places.links) {
    if (link.name != cable) {
      continue;
    }
    return std::ranges::any_of(link.between, [&](const std::string& end) {
      return end == host || end == places.executor_host;
    });
  }
  return false;
}

bool is_about(const NoticePlaces& places, const Failure& failure, const Setback& setback) {
  if (failure.of == Failure::Of::kPart) {
    return setback.part == failure.name ||
           (setback.kind == "kit" && setback.words.find(failure.name + " ") != std::string::npos);
  }
  if (failure.of == Failure::Of::kLink) {
    return is_talk(setback) && is_at_cable(places, failure.name, setback);
  }
  if (failure.of == Failure::Of::kHost) {
    return is_talk(setback);
  }
  if (failure.verb == "stops") {
    return setback.kind == "belt";
  }
  if (failure.verb == "drops") {
    return (setback.kind == "drop" || setback.kind == "failed grasp") &&
           setback.who == failure.name;
  }
  // arms that wait for somebody in the curtain and go on are no setback
  return (setback.kind == "robot" || setback.kind == "camera") && setback.who == failure.name;
}

}  // namespace

Json times_to_notice(std::vector<Failure> failures, const NoticePlaces& places,
                     const std::vector<Setback>& setbacks) {
  Json noticed = Json::object();
  for (const Failure& failure : failures) {
    noticed[failure.text] = nullptr;
  }
  std::ranges::stable_sort(failures, {}, &Failure::at);
  std::vector<bool> is_taken(setbacks.size(), false);
  for (const Failure& failure : failures) {
    for (std::size_t i = 0; i < setbacks.size(); ++i) {
      if (!is_taken[i] && setbacks[i].noticed >= failure.at &&
          is_about(places, failure, setbacks[i])) {
        is_taken[i] = true;
        noticed[failure.text] = to_seconds(setbacks[i].noticed - failure.at);
        break;
      }
    }
  }
  return noticed;
}

}  // namespace longarm::kitting
