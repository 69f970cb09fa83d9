// SPDX-License-Identifier: Apache-2.0
// Numbers requests and finds the one that an answer belongs to.
#include "longarm/protocols/modbus/client.h"

namespace longarm::protocols::modbus {

Client::Sent Client::write_register(std::uint16_t address, std::uint16_t value) {
  return ask(
      {.function = Function::kWriteRegister, .address = address, .count = 1, .values = {value}});
}

Client::Sent Client::write_registers(std::uint16_t address, std::span<const std::uint16_t> values) {
  return ask({.function = Function::kWriteRegisters,
              .address = address,
              .count = static_cast<std::uint16_t>(values.size()),
              .values = {values.begin(), values.end()}});
}

Client::Sent Client::read_holding_registers(std::uint16_t address, std::uint16_t count) {
  return ask({.function = Function::kReadHoldingRegisters,
              .address = address,
              .count = count,
              .values = {}});
}

Client::Sent Client::read_input_registers(std::uint16_t address, std::uint16_t count) {
  return ask({.function = Function::kReadInputRegisters,
              .address = address,
              .count = count,
              .values = {}});
}

Client::Sent Client::ask(const Request& request) {
  const std::uint16_t number = ++last_number_;
  pending_[number] = request;
  return {number, encode({number, unit_, encode_request(request)})};
}

std::vector<Client::Heard> Client::hear(std::string_view bytes) {
  std::vector<Heard> heard;
  reader_.add(bytes, [&](const Frame& frame) {
    const auto asked = pending_.find(frame.transaction);
    if (asked == pending_.end()) {
      return;
    }
    const Result<Answer> answer = decode_answer(asked->second, frame.pdu);
    pending_.erase(asked);
    if (answer) {
      heard.push_back({frame.transaction, *answer});
    } else {
      is_lost_ = true;
    }
  });
  return heard;
}

}  // namespace longarm::protocols::modbus
