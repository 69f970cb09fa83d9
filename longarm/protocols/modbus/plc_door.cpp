// SPDX-License-Identifier: Apache-2.0
// Conversations, requests on registers, and the scan.
#include "longarm/protocols/modbus/plc_door.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/check.h"

namespace longarm::protocols::modbus {
namespace {

using Values = std::vector<std::uint16_t>;

constexpr double kRunning_m_s = 1e-3;

/// Addresses at and above the offset mean the same as those below it.
std::uint32_t without_offset(std::uint32_t address) {
  return address >= kOffset ? address - kOffset : address;
}

/// Rounded, cut to 16 bits, as a register holds it.
std::uint16_t signed_register(double value) {
  const double rounded = std::isfinite(value) ? std::round(value) : 0.0;
  return static_cast<std::uint16_t>(
      static_cast<std::int16_t>(std::clamp(rounded, -32768.0, 32767.0)));
}

bool is_coil(Function function) {
  return function == Function::kReadCoils || function == Function::kWriteCoil ||
         function == Function::kWriteCoils;
}

/// `count` registers from `address` on.
template <typename Table>
std::variant<Values, Exception> read(const Table& table, std::uint32_t size, std::uint32_t address,
                                     std::uint32_t count) {
  const std::uint32_t first = without_offset(address);
  if (first + count > size) {
    return Exception::kIllegalAddress;
  }
  Values values;
  for (std::uint32_t i = first; i < first + count; ++i) {
    values.push_back(table(i));
  }
  return values;
}

void put_pair(std::span<std::uint16_t> table, std::size_t high, std::uint32_t value) {
  table[high] = static_cast<std::uint16_t>(value >> 16);
  table[high + 1] = static_cast<std::uint16_t>(value & 0xFFFF);
}

}  // namespace

void list_fields(Fields& fields, PlcConfig& config) {
  fields.field("port", config.port, "TCP port of its Modbus server; 0: a free port");
  fields.field("full_speed_m_s", config.full_speed_m_s, "belt speed at register value 32768");
  fields.field("is_reversed", config.is_reversed,
               "whether direction 0 drives against the belt's axis");
  fields.field("has_signed_speed", config.has_signed_speed,
               "whether register values from 32768 on are negative speeds");
  fields.field("scan_period", config.scan_period,
               "period at which outputs are set and inputs are read; 0s: every step");
  fields.field("log_capacity", config.log_capacity, "number of writes kept in the log");
  if (config.port < 0 || config.port > 65'535) {
    fields.reject("port", fmt::format("{} is not a TCP port", config.port), "the lab's is 1502");
  }
  if (!(config.full_speed_m_s > 0.0) || !(config.full_speed_m_s < 100.0)) {
    fields.reject("full_speed_m_s", "full speed must be above 0 and below 100 m/s",
                  "0.2 is assumed for the lab's belt");
  }
  if (config.scan_period < Duration::zero()) {
    fields.reject("scan_period", "the scan period must not be negative", "10ms is usual");
  }
  if (config.log_capacity < 0 || config.log_capacity > 10'000'000) {
    fields.reject("log_capacity", "log_capacity must be between 0 and 10000000",
                  "65536 is about a minute at 1000 writes a second");
  }
}

PlcDoor::PlcDoor(std::string name, const PlcConfig& config, BeltPort belt)
    : TalkDoor(std::move(name), static_cast<std::uint16_t>(config.port)),
      config_(config),
      belt_(std::move(belt)) {
  check(belt_.command && belt_.velocity_m_s && belt_.encoder_m && belt_.is_jammed &&
            belt_.is_stopped && belt_.is_safety_stopped,
        "a PLC needs all wires to its belt");
}

void PlcDoor::do_receive(ConnectionId client, std::string_view bytes, Time now) {
  const auto found = clients_.find(client);
  if (found == clients_.end() || found->second.is_over) {
    return;
  }
  Talk& talk = found->second;
  const std::uint64_t skipped = talk.reader.skipped();
  talk.reader.add(bytes, [&](const Frame& frame) {
    ++counters_.requests;
    talk.output += answer(frame, client, now);
  });
  counters_.skipped += talk.reader.skipped() - skipped;
  if (talk.reader.is_lost() || talk.output.size() > kMaxOutputBytes) {
    talk.is_over = true;
    ++counters_.lost;
  }
}

std::string PlcDoor::answer(const Frame& frame, ConnectionId client, Time now) {
  const auto reply = [&](std::string pdu) {
    return encode({frame.transaction, frame.unit, std::move(pdu)});
  };
  const auto refuse = [&](Exception exception) {
    ++counters_.exceptions;
    return reply(encode_exception(static_cast<std::uint8_t>(frame.pdu[0]), exception));
  };
  const auto parsed = decode_request(frame.pdu);
  if (const auto* refusal = std::get_if<Exception>(&parsed)) {
    return refuse(*refusal);
  }
  const Request& request = std::get<Request>(parsed);
  const auto served = serve(request, client, now);
  if (const auto* refusal = std::get_if<Exception>(&served)) {
    return refuse(*refusal);
  }
  ++counters_.answers;
  return reply(encode_answer(request, std::get<Values>(served)));
}

std::variant<Values, Exception> PlcDoor::serve(const Request& request, ConnectionId client,
                                               Time now) {
  const auto holding = [&](std::uint32_t i) { return holding_[i]; };
  const std::uint32_t size = is_coil(request.function) ? kSpeed : kHoldingCount;
  switch (request.function) {
    case Function::kReadCoils:
    case Function::kReadHoldingRegisters:
      return read(holding, size, request.address, request.count);
    case Function::kReadDiscreteInputs: {
      const auto flag = [&](std::uint32_t i) {
        return static_cast<std::uint16_t>((inputs_[kFlags] >> i) & 1);
      };
      return read(flag, kFlagCount, request.address, request.count);
    }
    case Function::kReadInputRegisters:
      return read([&](std::uint32_t i) { return inputs_[i]; }, kInputCount, request.address,
                  request.count);
    case Function::kMaskWriteRegister: {
      const std::uint32_t place = without_offset(request.address);
      if (place >= size) {
        return Exception::kIllegalAddress;
      }
      const auto masked = static_cast<std::uint16_t>((holding_[place] & request.and_mask) |
                                                     (request.or_mask & ~request.and_mask));
      const auto refusal = write(place, std::span(&masked, 1), size, client, now);
      return refusal ? std::variant<Values, Exception>(*refusal) : Values{};
    }
    case Function::kReadWriteRegisters: {
      // written first, by clause 6.17; but nothing is written if the reading is to be refused
      const auto readable = read(holding, size, request.address, request.count);
      if (std::holds_alternative<Exception>(readable)) {
        return readable;
      }
      if (const auto refusal = write(request.write_address, request.values, size, client, now)) {
        return *refusal;
      }
      return read(holding, size, request.address, request.count);
    }
    default: {
      const auto refusal = write(request.address, request.values, size, client, now);
      return refusal ? std::variant<Values, Exception>(*refusal) : Values{};
    }
  }
}

bool PlcDoor::can_hold(std::uint16_t address, std::uint16_t value) const {
  if (address == kSpeed) {
    return config_.has_signed_speed || value <= kFullSpeed;
  }
  return value <= 1;
}

std::optional<Exception> PlcDoor::write(std::uint32_t address,
                                        std::span<const std::uint16_t> values, std::uint32_t size,
                                        ConnectionId client, Time now) {
  const std::uint32_t first = without_offset(address);
  if (first + values.size() > size) {
    return Exception::kIllegalAddress;
  }
  // all or nothing
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!can_hold(static_cast<std::uint16_t>(first + i), values[i])) {
      return Exception::kIllegalValue;
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto place = static_cast<std::uint16_t>(first + i);
    holding_[place] = values[i];
    ++counters_.writes;
    log_.push_back({now, client, place, values[i]});
    if (log_.size() > static_cast<std::size_t>(config_.log_capacity)) {
      log_.pop_front();
    }
  }
  return std::nullopt;
}

void PlcDoor::before_step(Time now) {
  if (now < next_scan_) {
    return;
  }
  next_scan_ += config_.scan_period;
  if (next_scan_ <= now) {
    next_scan_ = now + config_.scan_period;  // steps longer than a scan
  }
  scan();
}

double PlcDoor::commanded_m_s() const {
  if (holding_[kOnOff] == 0) {
    return 0.0;
  }
  const double count = config_.has_signed_speed ? static_cast<std::int16_t>(holding_[kSpeed])
                                                : static_cast<double>(holding_[kSpeed]);
  const bool is_backward = (holding_[kDirection] != 0) != config_.is_reversed;
  return (is_backward ? -1.0 : 1.0) * count / kFullSpeed * config_.full_speed_m_s;
}

void PlcDoor::scan() {
  ++counters_.scans;
  const double speed_m_s = belt_.velocity_m_s();
  inputs_[kMeasuredSpeed] = signed_register(speed_m_s * 1e4);
  // wraps, as a counter of 32 bits does
  const double encoder = std::fmod(std::round(belt_.encoder_m() * 1e5), 4294967296.0);
  put_pair(
      inputs_, kEncoderHigh,
      std::isfinite(encoder) ? static_cast<std::uint32_t>(static_cast<std::int64_t>(encoder)) : 0U);
  inputs_[kFlags] = static_cast<std::uint16_t>(
      (std::abs(speed_m_s) >= kRunning_m_s ? 1 << kIsRunning : 0) |
      (belt_.is_jammed() ? 1 << kIsJammed : 0) | (belt_.is_stopped() ? 1 << kIsStopped : 0) |
      (belt_.is_safety_stopped() ? 1 << kIsSafetyStopped : 0));

  const double commanded = commanded_m_s();
  // before anyone has written, the belt is the scenario's
  if (counters_.writes > 0 && (counters_.commands == 0 || commanded != commanded_m_s_)) {
    commanded_m_s_ = commanded;
    belt_.command(commanded);
    ++counters_.commands;
  }
  inputs_[kCommandedSpeed] = signed_register(commanded_m_s_ * 1e4);
  put_pair(inputs_, kWritesHigh, static_cast<std::uint32_t>(counters_.writes));
  put_pair(inputs_, kScansHigh, static_cast<std::uint32_t>(counters_.scans));
}

}  // namespace longarm::protocols::modbus
