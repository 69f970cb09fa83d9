// SPDX-License-Identifier: Apache-2.0
// Requests of ROS programs, and the port that takes them.
#include <cmath>
#include <variant>

#include "longarm/protocols/ros/ros_door.h"
#include "require.h"

namespace {

using namespace longarm;
using namespace longarm::protocols;
using namespace longarm::protocols::ros;

void require_finite(const std::vector<double>& values) {
  for (const double value : values) {
    require(std::isfinite(value), "only finite numbers");
  }
}

void look_at(const Request& request) {
  if (const auto* const follow = std::get_if<Follow>(&request.what)) {
    for (const GoalPoint& point : follow->points) {
      require_finite(point.positions);
      require_finite(point.velocities);
      require_finite(point.accelerations);
    }
    require(std::isfinite(follow->stopped_velocity_rad_s), "only finite velocities");
  } else if (const auto* const drive = std::get_if<Drive>(&request.what)) {
    require_finite(drive->velocities);
  } else if (const auto* const place = std::get_if<Place>(&request.what)) {
    require_finite(place->positions);
  } else if (const auto* const step = std::get_if<Step>(&request.what)) {
    require(step->steps > 0, "at least one step");
  }
}

/// What the port says to a client whose bytes come in pieces.
std::string said(std::string_view bytes, std::size_t piece) {
  std::uint64_t handled = 0;
  RosDoor door(
      "ros", 0, [](Time) { return "{}"; },
      [&](const Request& request, Time) -> std::optional<Error> {
        look_at(request);
        return ++handled % 2 == 0 ? std::optional<Error>(Error{"no"}) : std::nullopt;
      });
  const ConnectionId client{1};
  door.open(client, Time{});
  while (!bytes.empty() && !door.is_over(client)) {
    const std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    door.receive(client, part, Time{});
  }
  require(door.refused() <= door.requests(), "only requests are refused");
  require(handled <= door.requests(), "only requests are met");
  std::string output = door.take_output(client);
  require(!output.empty() && output.back() == '\n', "whole lines");
  door.close(client, Time{});
  return output;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  const std::string whole = said(bytes, size + 1);
  require(said(bytes, 1) == whole, "cutting a stream into bytes changes nothing");
  require(said(bytes, 7) == whole, "cutting a stream into pieces changes nothing");
  if (const Result<Request> request = parse_request(bytes)) {
    require(!request->id || id_of(bytes) == request->id, "its number is the same");
  }
  return 0;
}
