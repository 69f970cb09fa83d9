// SPDX-License-Identifier: Apache-2.0
// All doors of a UR controller at once: clients that come, go, say anything and listen or not.
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "longarm/protocols/test/ur_rtde_port.h"
#include "longarm/protocols/ur/dashboard_door.h"
#include "longarm/protocols/ur/framer.h"
#include "longarm/protocols/ur/primary.h"
#include "longarm/protocols/ur/rtde_door.h"
#include "longarm/protocols/ur/stream_door.h"
#include "require.h"

namespace {

using namespace longarm;
using namespace longarm::protocols;
using namespace longarm::protocols::ur;

constexpr std::size_t kClients = 4;  // per door
constexpr std::size_t kMaxAnswerBytes = 256 * 1024 + 65'535;

/// The input as a list of things to do.
class Plan {
 public:
  explicit Plan(std::string_view bytes) : rest_(bytes) {}

  bool is_over() const { return rest_.empty(); }
  std::uint8_t byte() {
    const auto value = rest_.empty() ? '\0' : rest_[0];
    rest_.remove_prefix(std::min<std::size_t>(1, rest_.size()));
    return static_cast<std::uint8_t>(value);
  }
  std::string_view bytes(std::size_t count) {
    const std::string_view part = rest_.substr(0, count);
    rest_.remove_prefix(part.size());
    return part;
  }

 private:
  std::string_view rest_;
};

void check_rtde(std::string_view bytes, bool is_data) {
  RtdePacketReader reader;
  std::size_t count = 0;
  reader.add(bytes, [&](const RtdePacket& packet) {
    ++count;
    require((packet.type == 'U') == is_data, "data comes in cycles, and nothing else does");
  });
  require(!reader.is_lost() && reader.pending_bytes() == 0, "RTDE says whole packets");
  require(!is_data || count <= 1, "no more than one packet of data a cycle");
}

template <typename Framer, typename Check>
void check_stream(std::string_view bytes, const Check& check) {
  Framer framer;
  framer.feed(bytes);
  while (true) {
    const auto next = framer.next();
    require(next.has_value(), "streams have packets of sizes that may be");
    if (!*next) {
      break;
    }
    check(**next);
  }
  require(framer.buffered_bytes() == 0, "streams are whole packets");
}

void check_primary(std::string_view bytes) {
  check_stream<PrimaryFramer>(bytes, [](std::string_view packet) {
    require(decode_primary(packet).has_value(), "primary packets can be read");
  });
}

void check_real_time(std::string_view bytes) {
  check_stream<RealTimeFramer>(bytes, [](std::string_view packet) {
    require(packet.size() == 1116, "real-time packets of 3.15 have 1116 bytes");
  });
}

void check_inputs(const RtdeInputs& inputs) {
  require(!inputs.speed_slider || (*inputs.speed_slider >= 0.0 && *inputs.speed_slider <= 1.0),
          "the slider stays on its scale");
  require((inputs.digital_output_mask >> 18) == 0, "there are 18 digital outputs");
  require((inputs.digital_output_values & ~inputs.digital_output_mask) == 0,
          "values are those under the mask");
  for (const double output : inputs.analog_outputs) {
    require(output >= 0.0 && output <= 1.0, "analog outputs are fractions");
  }
  for (const double value : inputs.registers.doubles) {
    require(std::isfinite(value), "registers hold numbers");
  }
}

class Cell {
 public:
  Cell() {
    const auto stream = [&](StreamKind kind, bool is_read_only) {
      doors_.push_back(std::make_unique<StreamDoor>("stream", std::uint16_t{0}, kind, is_read_only,
                                                    controller_));
    };
    doors_.push_back(std::make_unique<RtdeDoor>("rtde", std::uint16_t{0}, controller_));
    doors_.push_back(std::make_unique<DashboardDoor>("dashboard", std::uint16_t{0}, controller_));
    stream(StreamKind::kPrimary, false);
    stream(StreamKind::kSecondary, true);
    stream(StreamKind::kRealTime, false);
  }

  void run(Plan plan) {
    while (!plan.is_over()) {
      const std::uint8_t what = plan.byte();
      const std::size_t which = what / 8 % doors_.size();
      Door& door = *doors_[which];
      const std::size_t number = what / 8 / doors_.size() % kClients + 1;
      const ConnectionId client{static_cast<std::uint32_t>(number)};
      switch (what % 8) {
        case 0:
          door.open(client, Time{});
          break;
        case 1:
          door.close(client, Time{});
          break;
        case 2:
          cycle(plan.byte());
          break;
        case 3:
          say(plan.bytes(plan.byte()));
          break;
        default:
          door.receive(client, plan.bytes(plan.byte()), Time{});
          listen(which, client);
      }
    }
    cycle(1);
  }

 private:
  void say(std::string_view text) {
    RobotMessage message;
    message.kind = static_cast<RobotMessage::Kind>(text.size() % 6);
    message.number = messages_++;
    message.text = text;
    controller_.controller_messages.push_back(message);
    if (controller_.controller_messages.size() > 8) {
      controller_.controller_messages.erase(controller_.controller_messages.begin());
    }
  }

  void cycle(std::uint8_t count) {
    controller_.cycle_count += count;
    ControllerState& state = controller_.controller_state;
    state.timestamp_s = 0.008 * static_cast<double>(controller_.cycle_count);
    state.robot_mode = static_cast<RobotMode>(count % 10 - 1);
    state.safety_mode = static_cast<SafetyMode>(count % 9 + 1);
    state.runtime_state = static_cast<RuntimeState>(count % 6);
    for (std::size_t which = 0; which < doors_.size(); ++which) {
      for (std::uint32_t client = 1; client <= kClients; ++client) {
        listen(which, ConnectionId{client});
      }
    }
  }

  void listen(std::size_t which, ConnectionId client) {
    const std::string output = doors_[which]->take_output(client);
    const std::string cyclic = doors_[which]->take_cyclic(client);
    require(output.size() <= kMaxAnswerBytes, "answers are bounded");
    require(doors_[which]->take_output(client).empty(), "what was taken is gone");
    require(doors_[which]->take_cyclic(client).empty(), "a cycle is told once");
    if (which == 0) {
      check_rtde(output, false);
      check_rtde(cyclic, true);
    } else if (which == 1) {
      require(output.empty() || output.back() == '\n', "the dashboard says whole lines");
      require(cyclic.empty(), "and nothing by itself");
    } else if (which == 4) {
      require(output.empty(), "the real-time port has nothing but its stream");
      check_real_time(cyclic);
    } else {
      check_primary(output);
      check_primary(cyclic);
    }
    for (const RtdeInputs& inputs : controller_.written) {
      check_inputs(inputs);
    }
    controller_.written.clear();
    controller_.asked.clear();
    if (doors_[which]->is_over(client)) {
      doors_[which]->close(client, Time{});
    }
  }

  ScriptedController controller_;
  std::vector<std::unique_ptr<Door>> doors_;
  std::uint64_t messages_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Cell cell;
  cell.run(Plan(text_of(data, size)));
  return 0;
}
