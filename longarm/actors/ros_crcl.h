// SPDX-License-Identifier: Apache-2.0
// Connections from the ROS port to CRCL servers of a cell: documents in, statuses out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/cell/world.h"
#include "longarm/core/result.h"
#include "longarm/protocols/ros/ros_requests.h"

namespace longarm::actors {

/// One connection to each server, made when it is first needed: across the network where both
/// actors have a host, else at once.
class RosCrcl {
 public:
  /// A whole document of a server.
  using Heard =
      std::function<void(const std::string& robot, const std::string& document, Time now)>;

  /// Asks for a status each `period`; zero: never.
  RosCrcl(cell::World& world, std::string asker, const std::vector<cell::Wish>& robots,
          Duration period, Heard heard);
  ~RosCrcl();

  std::optional<Error> carry_out(const protocols::ros::CrclText& text, Time now);
  /// Once per step. Asks for statuses only while somebody listens.
  void look(Time now, bool has_listeners);

  std::uint64_t documents() const { return documents_; }  ///< sent
  std::uint64_t statuses() const { return statuses_; }    ///< heard

 private:
  class Line;

  cell::World& world_;
  std::vector<std::unique_ptr<Line>> lines_;
  Duration period_;
  Time asked_{};
  bool has_asked_ = false;
  Heard heard_;
  std::uint64_t documents_ = 0;
  std::uint64_t statuses_ = 0;
};

}  // namespace longarm::actors
