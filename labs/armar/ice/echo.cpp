// SPDX-License-Identifier: Apache-2.0
// A call that computes nothing, and how long it takes: what Ice and the operating system cost.
#include <utility>

#include "labs/armar/ice/armar.h"
#include "labs/armar/ice/component.h"

namespace longarm::armar::ice {
namespace {

class EchoServant final : public ::armar::Echo {
 public:
  ::armar::JointValues ask(::armar::JointValues values, const Ice::Current&) override {
    return values;
  }
};

}  // namespace

void run_echo(Component& component) {
  const auto adapter = component.adapter();
  adapter->add(std::make_shared<EchoServant>(), Ice::stringToIdentity("Echo"));
  adapter->activate();
  sleep_until(component.end() + std::chrono::milliseconds(300));
}

void run_asker(Component& component) {
  const auto echo = component.find<::armar::EchoPrx>("Echo");
  ::armar::JointValues values;
  for (int i = 0; i < static_cast<int>(component.number("Joints", 0.0)); ++i) {
    values["joint_of_body_" + std::to_string(i)] = 0.1 * i;
  }
  component.cycles(true, [&] {
    echo->ask(values);
    return 1;
  });
}

}  // namespace longarm::armar::ice
