// SPDX-License-Identifier: Apache-2.0
// A call whose computing is known, and how long it takes: what Ice and the operating system cost.
#include <array>
#include <string>

#include "labs/armar/ice/armar.h"
#include "labs/armar/ice/component.h"

namespace longarm::armar::ice {
namespace {

constexpr int kJoints = 43;
constexpr int kCallsOfEach = 2;  // as the loop of TCPControlUnit

class EchoServant final : public ::armar::Echo {
 public:
  explicit EchoServant(Component& component) : component_(component) {}
  ::armar::JointValues ask(::armar::JointValues values, const Ice::Current&) override {
    component_.compute("ask");
    return values;
  }

 private:
  Component& component_;
};

}  // namespace

void run_echo(Component& component) {
  const auto adapter = component.adapter();
  adapter->add(std::make_shared<EchoServant>(component), Ice::stringToIdentity(component.name()));
  adapter->activate();
  sleep_until(component.end() + std::chrono::milliseconds(300));
}

void run_asker(Component& component) {
  const std::array echoes = {component.find<::armar::EchoPrx>("Echo1"),
                             component.find<::armar::EchoPrx>("Echo2")};
  ::armar::JointValues values;
  for (int i = 0; i < kJoints; ++i) {
    values["joint_of_body_" + std::to_string(i)] = 0.1 * i;
  }
  int cycle = 0;
  component.cycles(true, [&] {
    const bool is_moving = cycle % 2 == 1;
    const bool has_joints = cycle % 4 >= 2;
    ++cycle;
    for (std::size_t i = 0; i < (is_moving ? 2U : 1U); ++i) {
      for (int call = 0; call < kCallsOfEach; ++call) {
        echoes[i]->ask(has_joints ? values : ::armar::JointValues{});
      }
    }
    return (is_moving ? 2 : 1) * kCallsOfEach + (has_joints ? kJoints : 0);
  });
}

}  // namespace longarm::armar::ice
