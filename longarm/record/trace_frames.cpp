// SPDX-License-Identifier: Apache-2.0
// Fills a frame buffer from a trace.
#include <string>
#include <utility>

#include "longarm/record/frame_buffer.h"
#include "longarm/record/mcap_reader.h"
#include "longarm/record/ros_messages.h"

namespace longarm::record {

Result<FrameBuffer> read_frames(const std::string& mcap_path) {
  FrameBuffer frames;
  std::string problem;
  const auto add = [&](const McapMessage& message) {
    const bool is_fixed = message.channel.topic == "/tf_static";
    if ((!is_fixed && message.channel.topic != "/tf") || !problem.empty()) {
      return;
    }
    const auto transforms = decode_transforms(message.data);
    if (!transforms) {
      problem = transforms.error().message;
      return;
    }
    for (const TransformMessage& one : *transforms) {
      const Result<bool> added =
          is_fixed ? frames.add_fixed(one.place) : frames.add(one.stamp, one.place);
      if (!added) {
        problem = added.error().message;
      }
    }
  };
  const Result<McapContents> contents = read_mcap(mcap_path, add);
  if (!contents) {
    return contents.error();
  }
  if (!problem.empty()) {
    return Error{mcap_path + ": " + problem};
  }
  return frames;
}

}  // namespace longarm::record
