// SPDX-License-Identifier: Apache-2.0
// The keys of a CRCL server, with what each may be.
#include "longarm/robots/crcl/config.h"

#include <string_view>

namespace longarm::robots {
namespace {

void list_count(Fields& fields, std::string_view key, std::int64_t& value, std::int64_t lowest,
                std::int64_t highest, std::string_view doc) {
  fields.field(key, value, doc);
  if (value < lowest || value > highest) {
    fields.reject(key, "is out of range",
                  "from " + std::to_string(lowest) + " to " + std::to_string(highest));
  }
}

void list_fraction(Fields& fields, std::string_view key, double& value, std::string_view doc) {
  fields.field(key, value, doc);
  if (!(value > 0.0 && value <= 1.0)) {
    fields.reject(key, "is not a fraction", "above 0, at most 1");
  }
}

void list_span(Fields& fields, std::string_view key, Duration& value, std::string_view doc) {
  fields.field(key, value, doc);
  if (value <= Duration::zero()) {
    fields.reject(key, "must be greater than zero", "e.g. 5s");
  }
}

}  // namespace

void list_fields(Fields& fields, CrclDoorConfig& config) {
  list_count(fields, "port", config.port, 0, 65535,
             "TCP port of the robot's CRCL server; 0: a free port");
  list_count(fields, "max_clients", config.max_clients, 1, 10000,
             "largest number of clients; more are rejected");
  list_count(fields, "queue_depth", config.queue_depth, 1, 10000,
             "largest number of queued commands");
  list_count(fields, "max_output_bytes", config.max_output_bytes, 65536, std::int64_t{1} << 30,
             "bytes buffered for a client that does not read before it is disconnected");
  list_fraction(fields, "usual_speed", config.usual_speed,
                "fraction of the largest speed, until a client sets a speed");
  list_fraction(fields, "usual_acceleration", config.usual_acceleration,
                "fraction of the largest acceleration, until a client sets an acceleration");
  fields.choice("dialect", config.dialect, {"standard", "nist-lab"},
                "nist-lab: as NIST's servers, which report joints from the start, start with "
                "millimetres and degrees, and keep units across InitCanon");
  fields.choice("frame", config.frame, {"robot", "world"},
                "frame of poses in commands and statuses, until a client sets another");
  fields.choice("tool_changer", config.tool_changer, {"tool", "gripper"},
                "what OpenToolChanger and CloseToolChanger operate; gripper: as in the lab");
  fields.field("status_period", config.status_period,
               "period at which every client receives the status unasked; default: never");
  if (config.status_period && *config.status_period <= Duration::zero()) {
    fields.reject("status_period", "must be greater than zero", "e.g. 50ms");
  }
  list_span(fields, "gripper_timeout", config.gripper_timeout,
            "time after which a gripper that has not come to rest is an error");
  list_span(fields, "motion_slack", config.motion_slack,
            "time by which a motion may exceed its plan before it is an error");
}

}  // namespace longarm::robots
