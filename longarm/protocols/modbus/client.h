// SPDX-License-Identifier: Apache-2.0
// A Modbus master without a socket: requests to bytes, bytes to answers.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/protocols/modbus/codec.h"

namespace longarm::protocols::modbus {

/// One conversation. Several requests may be under way; each is known by its number.
class Client {
 public:
  struct Sent {
    std::uint16_t number = 0;  ///< of the request
    std::string bytes;         ///< to be sent
  };
  struct Heard {
    std::uint16_t number = 0;  ///< of the request that is answered
    Answer answer;
  };

  explicit Client(std::uint8_t unit = 1) : unit_(unit) {}

  Sent write_register(std::uint16_t address, std::uint16_t value);
  /// One to 123 of them, one after the other.
  Sent write_registers(std::uint16_t address, std::span<const std::uint16_t> values);
  /// One to 125 of them.
  Sent read_holding_registers(std::uint16_t address, std::uint16_t count);
  Sent read_input_registers(std::uint16_t address, std::uint16_t count);
  Sent ask(const Request& request);

  /// The answers that are complete now. Answers nobody waits for are left out.
  std::vector<Heard> hear(std::string_view bytes);

  /// Requests without an answer so far.
  std::size_t pending() const { return pending_.size(); }
  /// The server has said something that is no Modbus or no answer; begin anew.
  bool is_lost() const { return is_lost_ || reader_.is_lost(); }

 private:
  std::uint8_t unit_;
  std::uint16_t last_number_ = 0;
  std::map<std::uint16_t, Request> pending_;
  FrameReader reader_;
  bool is_lost_ = false;
};

}  // namespace longarm::protocols::modbus
