// SPDX-License-Identifier: Apache-2.0
// What devices say, as others ask for it.
#pragma once

#include "longarm/actors/source.h"
#include "longarm/devices/contact_sensor.h"
#include "longarm/devices/light_curtain.h"
#include "longarm/devices/overhead_camera.h"

namespace longarm::actors {

template <>
inline constexpr cell::Interface kSpokenBy<devices::CameraFrame>{"camera's frames",
                                                                 cell::Reach::kSpoken};
template <>
inline constexpr cell::Interface kSpokenBy<devices::CurtainReport>{"light curtain's reports",
                                                                   cell::Reach::kSpoken};
template <>
inline constexpr cell::Interface kSpokenBy<devices::TouchReport>{"contact sensor's touches",
                                                                 cell::Reach::kSpoken};

template <>
struct TraceOf<devices::CameraFrame> {
  static constexpr const char* kTopic = "frames";
  static constexpr const char* kType = "longarm/CameraFrame";
  static record::JsonProperties properties();
  static nlohmann::ordered_json to_json(const devices::CameraFrame& frame,
                                        const std::vector<std::string>& bodies);
};
template <>
struct TraceOf<devices::CurtainReport> {
  static constexpr const char* kTopic = "reports";
  static constexpr const char* kType = "longarm/CurtainReport";
  static record::JsonProperties properties();
  static nlohmann::ordered_json to_json(const devices::CurtainReport& report,
                                        const std::vector<std::string>& bodies);
};
template <>
struct TraceOf<devices::TouchReport> {
  static constexpr const char* kTopic = "touches";
  static constexpr const char* kType = "longarm/TouchReport";
  static record::JsonProperties properties();
  static nlohmann::ordered_json to_json(const devices::TouchReport& report,
                                        const std::vector<std::string>& bodies);
};

}  // namespace longarm::actors
