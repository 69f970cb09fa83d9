// SPDX-License-Identifier: Apache-2.0
// What devices say, as it stands in trace.mcap.
#include "longarm/actors/device_messages.h"

namespace longarm::actors {
namespace {

using Json = nlohmann::ordered_json;

Json vector_json(const model::Vector3& v) {
  return {v.x(), v.y(), v.z()};
}

}  // namespace

record::JsonProperties TraceOf<devices::CameraFrame>::properties() {
  return {{"stamp_s", "number"}, {"number", "integer"}, {"detections", "array"}};
}

Json TraceOf<devices::CameraFrame>::to_json(const devices::CameraFrame& frame,
                                            const std::vector<std::string>&) {
  Json detections = Json::array();
  for (const devices::Detection& each : frame.detections) {
    const Eigen::Quaterniond q(each.X_WP.linear());
    detections.push_back({{"name", each.name},
                          {"position_m", vector_json(each.X_WP.translation())},
                          {"quaternion_wxyz", {q.w(), q.x(), q.y(), q.z()}},
                          {"confidence", each.confidence}});
  }
  return {{"stamp_s", to_seconds(frame.stamp)},
          {"number", frame.number},
          {"detections", std::move(detections)}};
}

record::JsonProperties TraceOf<devices::CurtainReport>::properties() {
  return {{"stamp_s", "number"},
          {"is_broken", "boolean"},
          {"is_latched", "boolean"},
          {"broken_beams", "array"}};
}

Json TraceOf<devices::CurtainReport>::to_json(const devices::CurtainReport& report,
                                              const std::vector<std::string>&) {
  Json broken = Json::array();
  for (std::size_t i = 0; i < report.beams.size(); ++i) {
    if (report.beams[i] != 0) {
      broken.push_back(i);
    }
  }
  return {{"stamp_s", to_seconds(report.stamp)},
          {"is_broken", report.is_broken},
          {"is_latched", report.is_latched},
          {"broken_beams", std::move(broken)}};
}

record::JsonProperties TraceOf<devices::TouchReport>::properties() {
  return {{"stamp_s", "number"}, {"touches", "array"}};
}

Json TraceOf<devices::TouchReport>::to_json(const devices::TouchReport& report,
                                            const std::vector<std::string>& bodies) {
  Json touches = Json::array();
  for (const devices::Touch& each : report.touches) {
    touches.push_back({{"own", each.own},
                       {"other", bodies.at(static_cast<std::size_t>(each.other))},
                       {"force_N", vector_json(each.force_on_own_W)},
                       {"position_m", vector_json(each.p_W)},
                       {"depth_m", each.depth_m}});
  }
  return {{"stamp_s", to_seconds(report.stamp)}, {"touches", std::move(touches)}};
}

}  // namespace longarm::actors
