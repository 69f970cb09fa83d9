// SPDX-License-Identifier: Apache-2.0
// Modbus frames, requests and answers, and the belt's controller behind them.
#include <cmath>
#include <vector>

#include "longarm/protocols/modbus/plc_door.h"
#include "require.h"

namespace {

using namespace longarm;
using namespace longarm::protocols;
using namespace longarm::protocols::modbus;

std::vector<std::string> frames_in(std::string_view bytes, std::size_t piece) {
  FrameReader reader;
  std::vector<std::string> frames;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    reader.add(part, [&](const Frame& frame) { frames.push_back(encode(frame)); });
  }
  return frames;
}

void go_round(std::string_view pdu) {
  const auto decoded = decode_request(pdu);
  const auto* const request = std::get_if<Request>(&decoded);
  if (request == nullptr) {
    return;
  }
  const std::string written = encode_request(*request);
  require(written.size() <= kMaxPduBytes, "a request fits into a frame");
  const auto again = decode_request(written);
  require(std::holds_alternative<Request>(again) && std::get<Request>(again) == *request,
          "a request that was written is read as the same");
  (void)decode_answer(*request, pdu);
}

void talk_to_controller(std::string_view bytes) {
  BeltPort belt;
  belt.command = [](double velocity_m_s) {
    require(std::abs(velocity_m_s) <= 0.2, "never faster than full speed");
  };
  belt.velocity_m_s = [] { return 0.1; };
  belt.encoder_m = [] { return 1.0; };
  belt.is_jammed = belt.is_stopped = belt.is_safety_stopped = [] { return false; };
  PlcDoor door("plc", {}, belt);
  const ConnectionId client{1};
  door.open(client, Time{});
  door.receive(client, bytes, Time{});
  door.before_step(Time{});
  const std::string output = door.take_output(client);
  const PlcCounters& counters = door.counters();
  require(counters.answers + counters.exceptions == counters.requests, "every request is answered");
  require(output.size() <= counters.requests * 260, "answers fit into frames");
  door.close(client, Time{});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  go_round(bytes);
  const std::vector<std::string> whole = frames_in(bytes, size + 1);
  require(frames_in(bytes, 1) == whole, "cutting a stream into bytes changes nothing");
  require(frames_in(bytes, 5) == whole, "cutting a stream into pieces changes nothing");
  for (const std::string& frame : whole) {
    go_round(std::string_view(frame).substr(7));
  }
  talk_to_controller(bytes);
  return 0;
}
