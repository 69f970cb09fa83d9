// SPDX-License-Identifier: Apache-2.0
// A conversation with the RTDE server of a scripted controller, for tests.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/protocols/test/ur_rtde_port.h"
#include "longarm/protocols/ur/rtde_client.h"
#include "longarm/protocols/ur/rtde_door.h"

namespace longarm::protocols::ur {

class RtdeTalk : public testing::Test {
 protected:
  using Heard = RtdeClient::Heard;
  static constexpr ConnectionId kClient{1};
  static constexpr ConnectionId kOther{2};

  RtdeTalk() {
    door.open(kClient, Time{});
    door.open(kOther, Time{});
  }

  std::string say(std::string_view bytes, ConnectionId client = kClient) {
    door.receive(client, bytes, Time{});
    return door.take_output(client);
  }

  /// A cycle, and what a client hears of it.
  std::string cycle(ConnectionId client = kClient) {
    ++controller.cycle_count;
    controller.controller_state.timestamp_s = 0.008 * static_cast<double>(controller.cycle_count);
    return door.take_cyclic(client);
  }

  /// Sends a request and expects one answer of that kind, perhaps with texts behind.
  template <typename Answer>
  Answer ask(RtdeClient& client, const std::string& bytes, ConnectionId id = kClient) {
    const std::vector<Heard> heard = client.hear(say(bytes, id));
    if (heard.empty() || !std::holds_alternative<Answer>(heard[0])) {
      ADD_FAILURE() << "not the expected answer";
      return {};
    }
    words = heard.size() > 1 ? std::get<RtdeText>(heard[1]).message : "";
    return std::get<Answer>(heard[0]);
  }

  RtdeClient client_of_version_2(ConnectionId id = kClient) {
    RtdeClient client;
    EXPECT_TRUE(ask<RtdeClient::VersionAnswer>(client, client.ask_version(RtdeVersion::k2), id)
                    .is_accepted);
    return client;
  }

  /// The cycles, counted from 1, at which data of that frequency comes.
  std::vector<int> cycles_of(double frequency_hz, int count) {
    RtdeClient client = client_of_version_2();
    ask<RtdeClient::OutputsAnswer>(client, client.set_up_outputs({"timestamp"}, frequency_hz));
    ask<RtdeClient::StartAnswer>(client, client.start());
    std::vector<int> cycles;
    for (int i = 1; i <= count; ++i) {
      if (!cycle().empty()) {
        cycles.push_back(i);
      }
    }
    return cycles;
  }

  ScriptedController controller;
  RtdeDoor door{"ur5.rtde", 30004, controller};
  std::string words;  ///< of the last answer
};

}  // namespace longarm::protocols::ur
