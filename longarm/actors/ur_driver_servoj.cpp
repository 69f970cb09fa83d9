// SPDX-License-Identifier: Apache-2.0
// The driver that leaves the position loop to the robot: a program there calls back and is fed with
// positions.
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "longarm/actors/ur_driver.h"

namespace longarm::actors {
namespace {

using protocols::ur::ControllerState;

constexpr double kPerRadian = 1e6;  // of the integers in a frame
constexpr double kStop_rad_s2 = 4.0;

class ServojDriver final : public UrDriver {
 public:
  explicit ServojDriver(const UrDriverContext& the_context)
      : UrDriver(the_context), desired_(static_cast<std::size_t>(the_context.plan.joint_count())) {
    send(context().realtime, servoj_program(config().servoj, config().host));
    context().kernel.every(robots::kUrCycle, Time(config().phase), sim::Phase::kControl, source(),
                           [this](Time now) { tick(now); });
  }

 private:
  void do_packet(const ControllerState&, Time) override {}

  bool do_answer(protocols::ClientLink& robot) override {
    if (robot_ != nullptr) {
      return false;
    }
    robot_ = &robot;
    return true;
  }

  void tick(Time now) {
    if (robot_ == nullptr || !robot_->is_up()) {
      return;
    }
    context().plan.sample(now - begin(now), desired_, {}, {}, cursor_);
    send(*robot_, servoj_frame(desired_, true));
  }

  protocols::ClientLink* robot_ = nullptr;
  std::vector<double> desired_;
  motion::Trajectory::Cursor cursor_;
};

void append_integer(std::string& out, std::int32_t value) {
  const auto bits = static_cast<std::uint32_t>(value);
  for (const int shift : {24, 16, 8, 0}) {
    out.push_back(static_cast<char>((bits >> shift) & 0xffU));
  }
}

}  // namespace

std::string servoj_program(const ServojKeys& config, const std::string& host) {
  // two threads: one hears where to go, the other goes there, once per cycle
  constexpr const char* kText = R"(def longarm_driver():
  goal = get_target_joint_positions()
  thread follow():
    while True:
      enter_critical
      q = goal
      exit_critical
      servoj(q, t={time:.6f}, lookahead_time={lookahead:.6f}, gain={gain:.3f})
    end
  end
  if socket_open("{host}", {port}):
    follower = run follow()
    goes_on = 1
    while goes_on > 0:
      frame = socket_read_binary_integer(7, "socket_0", {timeout:.6f})
      if frame[0] == 7:
        enter_critical
        goal = [frame[1] / {scale:.1f}, frame[2] / {scale:.1f}, frame[3] / {scale:.1f}, frame[4] / {scale:.1f}, frame[5] / {scale:.1f}, frame[6] / {scale:.1f}]
        exit_critical
        goes_on = frame[7]
      else:
        goes_on = 0
      end
    end
    kill follower
    stopj({stop:.3f})
    socket_close("socket_0")
  end
end
)";
  return fmt::format(kText, fmt::arg("time", to_seconds(config.time)),
                     fmt::arg("lookahead", config.lookahead_s), fmt::arg("gain", config.gain),
                     fmt::arg("host", host), fmt::arg("port", config.reverse_port),
                     fmt::arg("timeout", to_seconds(config.receive_timeout)),
                     fmt::arg("scale", kPerRadian), fmt::arg("stop", kStop_rad_s2));
}

std::string servoj_frame(std::span<const double> positions_rad, bool goes_on) {
  std::string frame;
  for (const double position : positions_rad) {
    append_integer(frame, static_cast<std::int32_t>(std::lround(position * kPerRadian)));
  }
  append_integer(frame, goes_on ? 1 : 0);
  return frame;
}

std::unique_ptr<UrDriver> make_servoj_driver(const UrDriverContext& context) {
  return std::make_unique<ServojDriver>(context);
}

}  // namespace longarm::actors
