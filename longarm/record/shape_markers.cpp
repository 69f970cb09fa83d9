// SPDX-License-Identifier: Apache-2.0
// Field by field, in the order of ros_schemas.cpp.
#include "longarm/record/shape_markers.h"

#include <cstdint>

#include "longarm/record/cdr.h"

namespace longarm::record {
namespace {

constexpr std::string_view kNothing;

void put_marker(CdrWriter& cdr, const ShapeMarker& marker, std::int32_t id) {
  cdr.put(Time{});
  cdr.put(std::string_view(marker.frame));
  cdr.put(std::string_view(marker.name));
  cdr.put(id);
  cdr.put(static_cast<std::int32_t>(marker.kind));
  cdr.put(std::int32_t{0});  // add it
  const FramePose& X = marker.X_FS;
  for (const double number : {X.translation_m.x(), X.translation_m.y(), X.translation_m.z(),
                              X.rotation.x(), X.rotation.y(), X.rotation.z(), X.rotation.w(),
                              marker.size_m.x(), marker.size_m.y(), marker.size_m.z()}) {
    cdr.put(number);
  }
  for (const float part : marker.colour) {
    cdr.put(part);
  }
  cdr.put(Time{});           // it stays
  cdr.put(std::uint8_t{1});  // and moves with its frame
  cdr.put_length(marker.corners_m.size());
  for (const Eigen::Vector3d& corner : marker.corners_m) {
    for (int i = 0; i < 3; ++i) {
      cdr.put(corner[i]);
    }
  }
  cdr.put_length(0);  // colours of corners
  // no texture: its name, image (header, format, data) and coordinates
  cdr.put(kNothing);
  cdr.put(Time{});
  cdr.put(kNothing);
  cdr.put(kNothing);
  cdr.put_length(0);
  cdr.put_length(0);
  // no text, and no mesh: resource, file (name, data), materials
  cdr.put(kNothing);
  cdr.put(kNothing);
  cdr.put(kNothing);
  cdr.put_length(0);
  cdr.put(std::uint8_t{0});
}

}  // namespace

void encode_shape_markers(ByteBuffer& out, std::span<const ShapeMarker> markers) {
  CdrWriter cdr(out);
  cdr.put_length(markers.size());
  for (std::size_t i = 0; i < markers.size(); ++i) {
    put_marker(cdr, markers[i], static_cast<std::int32_t>(i));
  }
}

}  // namespace longarm::record
