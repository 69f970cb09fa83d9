// SPDX-License-Identifier: Apache-2.0
// Everything of a UR controller that reads bytes: packets of its streams, RTDE, and scripts cut
// into statements.
#include <vector>

#include "longarm/protocols/ur/framer.h"
#include "longarm/protocols/ur/primary.h"
#include "longarm/protocols/ur/realtime.h"
#include "longarm/protocols/ur/rtde_client.h"
#include "longarm/protocols/ur/rtde_codec.h"
#include "longarm/protocols/ur/rtde_variables.h"
#include "longarm/protocols/ur/script_intake.h"
#include "require.h"

namespace {

using namespace longarm::protocols::ur;

/// Hands `bytes` over in pieces.
template <typename Take>
void cut(std::string_view bytes, std::size_t piece, const Take& take) {
  while (!bytes.empty()) {
    take(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
}

void read_real_time(std::string_view packet) {
  const auto reading = decode_real_time(packet);
  if (!reading) {
    return;
  }
  require(reading->bytes == packet.size(), "a packet is as long as it says");
  for (const Firmware firmware :
       {Firmware{3, 2, 0, 0}, Firmware{3, 5, 0, 0}, Firmware{3, 15, 0, 0}}) {
    const std::string once = encode_real_time(reading->state, firmware);
    require(once.size() == *real_time_size(firmware), "packets have the size of their firmware");
    const auto again = decode_real_time(once);
    require(again.has_value(), "what was written can be read");
    require(encode_real_time(again->state, firmware) == once, "and is written the same again");
  }
}

std::string written(const PrimaryPacket& packet) {
  if (const auto* state = std::get_if<RobotStatePacket>(&packet)) {
    return encode_robot_state(*state);
  }
  if (const auto* version = std::get_if<VersionMessage>(&packet)) {
    return encode_version(*version);
  }
  if (const auto* message = std::get_if<MessagePacket>(&packet)) {
    return encode_message(*message);
  }
  return {};
}

void read_primary(std::string_view bytes) {
  const auto packet = decode_primary(bytes);
  if (!packet) {
    return;
  }
  const std::string once = written(*packet);
  if (once.empty()) {
    return;
  }
  const auto again = decode_primary(once);
  require(again.has_value(), "a primary packet that was written can be read");
  require(written(*again) == once, "and is written the same again");
}

template <typename Framer>
std::vector<std::string> framed(std::string_view bytes, std::size_t piece) {
  Framer framer;
  std::vector<std::string> packets;
  cut(bytes, piece, [&](std::string_view part) {
    framer.feed(part);
    while (true) {
      const auto next = framer.next();
      if (!next || !*next) {
        break;
      }
      packets.emplace_back(**next);
    }
  });
  return packets;
}

std::vector<std::string> rtde_packets(std::string_view bytes, std::size_t piece) {
  RtdePacketReader reader;
  std::vector<std::string> packets;
  cut(bytes, piece, [&](std::string_view part) {
    reader.add(part, [&](const RtdePacket& packet) {
      packets.push_back(encode_rtde(static_cast<RtdePacketType>(packet.type), packet.payload));
    });
    require(reader.pending_bytes() < 65'535, "no more than a packet is kept");
  });
  return packets;
}

std::vector<std::string> scripts(std::string_view bytes, std::size_t piece) {
  ScriptIntake intake;
  std::vector<std::string> taken;
  cut(bytes, piece, [&](std::string_view part) {
    intake.feed(part, [&](std::string_view script) {
      require(!script.empty() && script.back() == '\n', "a script is whole lines");
      taken.emplace_back(script);
    });
    require(intake.buffered_bytes() <= ScriptIntake::kMaxLineBytes + ScriptIntake::kMaxBlockBytes,
            "no more than a block and a line are kept");
  });
  return taken;
}

void read_rtde(std::string_view payload, RtdeVersion version) {
  if (const auto text = decode_text(payload, version)) {
    require(encode_text(*text, version).substr(kRtdeHeaderBytes) == payload, "texts go round");
  }
  if (const auto setup = decode_output_setup(payload, version)) {
    const std::string again = encode_output_setup(*setup, version).substr(kRtdeHeaderBytes);
    // a comma at the end is no name
    require(payload.starts_with(again) && payload.size() - again.size() <= 1, "setups go round");
    for (const std::string& name : setup->names) {
      (void)find_rtde_output(name);
      (void)find_rtde_input(name);
    }
  }
  (void)decode_setup_answer(payload, version == RtdeVersion::k2);
  if (const auto controller = decode_controller_version(payload)) {
    require(encode_controller_version(*controller).substr(kRtdeHeaderBytes) == payload,
            "versions go round");
  }
  (void)decode_version_request(payload);
  (void)decode_accepted(payload);
}

/// Types by the first bytes, values by the others.
void read_values(std::string_view bytes) {
  std::vector<RtdeType> types;
  std::size_t size = 0;
  while (!bytes.empty() && types.size() < 16) {
    types.push_back(static_cast<RtdeType>(static_cast<unsigned char>(bytes[0]) % 10));
    size += rtde_size_bytes(types.back());
    bytes.remove_prefix(1);
  }
  const auto values = decode_values(bytes.substr(0, size), types);
  if (!values) {
    return;
  }
  const std::string once = encode_data(std::uint8_t{1}, *values);
  const auto again = decode_values(std::string_view(once).substr(kRtdeHeaderBytes + 1), types);
  require(again && encode_data(std::uint8_t{1}, *again) == once, "values go round");
}

void hear(std::string_view bytes) {
  std::size_t heard[2] = {0, 0};
  RtdeClient clients[2];
  for (RtdeClient& client : clients) {
    client.ask_version(RtdeVersion::k2);
  }
  heard[0] = clients[0].hear(bytes).size();
  cut(bytes, 1, [&](std::string_view part) { heard[1] += clients[1].hear(part).size(); });
  require(heard[0] == heard[1], "a client hears the same however bytes are cut");
  require(clients[0].not_understood() == clients[1].not_understood(), "and misses the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  read_real_time(bytes);
  read_primary(bytes);
  const auto real_time = framed<RealTimeFramer>(bytes, size + 1);
  const auto primary = framed<PrimaryFramer>(bytes, size + 1);
  for (const std::string& packet : real_time) {
    read_real_time(packet);
  }
  for (const std::string& packet : primary) {
    read_primary(packet);
  }
  const auto rtde = rtde_packets(bytes, size + 1);
  for (const std::string& packet : rtde) {
    read_rtde(std::string_view(packet).substr(kRtdeHeaderBytes), RtdeVersion::k1);
    read_rtde(std::string_view(packet).substr(kRtdeHeaderBytes), RtdeVersion::k2);
  }
  const auto said = scripts(bytes, size + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
    require(framed<RealTimeFramer>(bytes, piece) == real_time, "cuts change no real-time packet");
    require(framed<PrimaryFramer>(bytes, piece) == primary, "cuts change no primary packet");
    require(rtde_packets(bytes, piece) == rtde, "cuts change no RTDE packet");
    require(scripts(bytes, piece) == said, "cuts change no script");
  }
  read_values(bytes);
  hear(bytes);
  (void)read_firmware(bytes);
  return 0;
}
