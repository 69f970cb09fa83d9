// SPDX-License-Identifier: Apache-2.0
// Someone else's program on a joint topic: commands a joint until the states say that it rests
// there, prints how it moved, then commands an unknown one until it is told that there is none.
// With a topic alone: prints the first text that is said there.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include <ignition/msgs/joint_cmd.pb.h>
#include <ignition/msgs/model.pb.h>
#include <ignition/msgs/stringmsg.pb.h>
#include <ignition/transport/Node.hh>

namespace {

using namespace std::chrono_literals;

// Publishes until `is_done`; discovery takes its time, and a topic promises nothing.
bool publish_until(ignition::transport::Node::Publisher& publisher,
                   const ignition::msgs::JointCmd& message, const std::atomic<bool>& is_done) {
  for (int i = 0; i < 600 && !is_done; ++i) {
    publisher.Publish(message);
    std::this_thread::sleep_for(50ms);
  }
  return is_done;
}

/// How a joint moves, as its states tell.
class Motion {
 public:
  Motion(double goal, double tolerance) : goal_(goal), tolerance_(tolerance) {}

  void see(double position, double velocity) {
    if (count_++ == 0) {
      start_ = position;
    }
    const double direction = goal_ < start_ ? -1.0 : 1.0;
    overshoot_ = std::max(overshoot_, direction * (position - goal_));
    fastest_ = std::max(fastest_, std::abs(velocity));
    const bool rests = std::abs(position - goal_) < tolerance_ && std::abs(velocity) < 0.01;
    resting_ = rests ? resting_ + 1 : 0;
  }
  // through its goal it goes in one state, at rest it is in many
  bool is_over() const { return resting_ >= 10; }

  void print() const {
    const double way = std::abs(goal_ - start_);
    std::printf("moved by %.4f, overshoot %.4f, fastest %.3f\n", way,
                way > 0.0 ? overshoot_ / way : 0.0, fastest_);
    std::fflush(stdout);
  }

 private:
  double goal_;
  double tolerance_;
  double start_ = 0.0;
  double overshoot_ = 0.0;
  double fastest_ = 0.0;
  int count_ = 0;
  int resting_ = 0;
};

int print_first_text(const std::string& topic) {
  std::atomic<bool> is_heard{false};
  std::function<void(const ignition::msgs::StringMsg&)> hear = [&](const auto& text) {
    if (!is_heard.exchange(true)) {
      std::printf("%s\n", text.data().c_str());
      std::fflush(stdout);
    }
  };
  ignition::transport::Node node;
  node.Subscribe(topic, hear);
  for (int i = 0; i < 600 && !is_heard; ++i) {
    std::this_thread::sleep_for(50ms);
  }
  return is_heard ? 0 : 1;
}

}  // namespace

// TOPIC [JOINT POSITION [TOLERANCE]]
int main(int argc, char** argv) {
  if (argc == 2) {
    return print_first_text(argv[1]);
  }
  if (argc != 4 && argc != 5) {
    return 2;
  }
  const std::string topic = argv[1];
  const std::string joint = argv[2];
  const double position = std::atof(argv[3]);
  const double tolerance = argc == 5 ? std::atof(argv[4]) : 1e-9;
  std::atomic<bool> is_there{false};
  std::atomic<bool> is_refused{false};

  Motion motion(position, tolerance);
  std::function<void(const ignition::msgs::Model&)> look = [&](const auto& model) {
    for (const ignition::msgs::Joint& state : model.joint()) {
      if (state.name() == joint && !is_there) {
        motion.see(state.axis1().position(), state.axis1().velocity());
        is_there = motion.is_over();
      }
    }
  };
  std::function<void(const ignition::msgs::StringMsg&)> hear = [&](const auto& refusal) {
    std::printf("%s\n", refusal.data().c_str());
    std::fflush(stdout);
    is_refused = true;
  };
  ignition::transport::Node node;
  node.Subscribe(topic + "/states", look);
  node.Subscribe(topic + "/refusals", hear);
  auto publisher = node.Advertise<ignition::msgs::JointCmd>(topic);

  ignition::msgs::JointCmd message;
  message.set_name(joint);
  message.mutable_position()->mutable_target_optional()->set_data(position);
  if (!publish_until(publisher, message, is_there)) {
    return 1;
  }
  motion.print();
  message.set_name("no_such_joint");
  return publish_until(publisher, message, is_refused) ? 0 : 1;
}
