// SPDX-License-Identifier: Apache-2.0
// Joint messages and the door that takes them.
#include <cmath>

#include "longarm/protocols/jointcmd/door.h"
#include "require.h"

namespace {

using namespace longarm;
using namespace longarm::protocols;
using namespace longarm::protocols::jointcmd;

/// Insists that it is never told nonsense.
class Joints final : public JointPort {
 public:
  const std::vector<JointInfo>& joints() const override { return joints_; }
  void set_velocity(std::size_t joint, double velocity, double max_effort) override {
    check(joint, velocity, max_effort);
  }
  void release(std::size_t joint) override { check(joint, 0.0, 0.0); }
  JointReading read(std::size_t joint) const override { return {joints_[joint].name}; }

 private:
  void check(std::size_t joint, double value, double max_effort) const {
    require(joint < joints_.size(), "only joints there are");
    require(std::isfinite(value), "only finite targets");
    require(max_effort >= 0.0 && std::isfinite(max_effort), "only finite efforts");
  }
  std::vector<JointInfo> joints_{{"j", false, 1.0}, {"a::f", true, 2.0, 3.0, -1.0, 1.0}};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  if (const Result<JointCommand> read = decode_joint_command(bytes)) {
    const auto again = decode_joint_command(encode_joint_command(*read));
    require(again.has_value() && *again == *read, "what is written is read as the same");
  }
  (void)decode_joint_states(bytes);

  Joints joints;
  JointCommandDoor door({"t", "m"}, joints);
  const ConnectionId client{1};
  door.open(client, Time{});
  // once as a message, once as a stream
  std::string message;
  append_delimited(message, bytes);
  door.receive(client, message, Time{});
  door.receive(client, bytes, Time{});
  door.step(Time{});
  door.step(Time{} + std::chrono::milliseconds(1));
  (void)door.take_output(client);
  door.close(client, Time{});
  return 0;
}
