// SPDX-License-Identifier: Apache-2.0
// Frames by their length field, requests and answers by their function code.
#include "longarm/protocols/modbus/codec.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/system/bytes.h"

namespace longarm::protocols::modbus {
namespace {

constexpr std::size_t kPrefixBytes = 6;  // transaction, protocol, length
// the length counts the unit and the message
constexpr std::size_t kMinLength = 2;
constexpr std::size_t kMaxLength = 1 + kMaxPduBytes;

constexpr std::uint16_t kCoilOn = 0xFF00;
// what fits into a message
constexpr std::uint16_t kMaxCoilsRead = 2000;
constexpr std::uint16_t kMaxCoilsWritten = 1968;
constexpr std::uint16_t kMaxRegistersRead = 125;
constexpr std::uint16_t kMaxRegistersWritten = 123;
constexpr std::uint16_t kMaxRegistersExchanged = 121;

std::uint8_t byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<std::uint8_t>(bytes[index]);
}

/// Big-endian, as everything in Modbus.
std::uint16_t word_at(std::string_view bytes, std::size_t index) {
  return system::load<std::endian::big, std::uint16_t>(bytes.data() + index);
}
using Writer = system::ByteWriter<std::endian::big>;

void add_words(Writer& out, std::span<const std::uint16_t> values) {
  for (const std::uint16_t value : values) {
    out.put16(value);
  }
}

/// Eight to a byte, the first one lowest.
void add_bits(Writer& out, std::span<const std::uint16_t> values) {
  for (std::size_t first = 0; first < values.size(); first += 8) {
    unsigned byte = 0;
    for (std::size_t i = first; i < std::min(first + 8, values.size()); ++i) {
      byte |= (values[i] != 0 ? 1U : 0U) << (i - first);
    }
    out.put8(byte);
  }
}

std::vector<std::uint16_t> words_of(std::string_view bytes) {
  std::vector<std::uint16_t> values;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    values.push_back(word_at(bytes, i));
  }
  return values;
}

std::vector<std::uint16_t> bits_of(std::string_view bytes, std::size_t count) {
  std::vector<std::uint16_t> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back((byte_at(bytes, i / 8) >> (i % 8)) & 1);
  }
  return values;
}

std::size_t bit_bytes(std::size_t count) {
  return (count + 7) / 8;
}

bool is_in(std::uint16_t count, std::uint16_t largest) {
  return count >= 1 && count <= largest;
}

bool reads_bits(Function function) {
  return function == Function::kReadCoils || function == Function::kReadDiscreteInputs;
}

bool reads_registers(Function function) {
  return function == Function::kReadHoldingRegisters || function == Function::kReadInputRegisters ||
         function == Function::kReadWriteRegisters;
}

/// Values that follow a count of bytes at `start`, which must be all that is left.
bool has_values(std::string_view pdu, std::size_t start, std::size_t bytes) {
  return pdu.size() == start + 1 + bytes && byte_at(pdu, start) == bytes;
}

std::optional<Exception> decode_write(std::string_view pdu, Request& request) {
  const bool is_coils = request.function == Function::kWriteCoils;
  const std::size_t bytes = is_coils ? bit_bytes(request.count) : request.count * std::size_t{2};
  if (!is_in(request.count, is_coils ? kMaxCoilsWritten : kMaxRegistersWritten) ||
      !has_values(pdu, 5, bytes)) {
    return Exception::kIllegalValue;
  }
  request.values = is_coils ? bits_of(pdu.substr(6), request.count) : words_of(pdu.substr(6));
  return std::nullopt;
}

std::optional<Exception> decode_exchange(std::string_view pdu, Request& request) {
  if (pdu.size() < 10) {
    return Exception::kIllegalValue;
  }
  request.write_address = word_at(pdu, 5);
  const std::uint16_t written = word_at(pdu, 7);
  if (!is_in(request.count, kMaxRegistersRead) || !is_in(written, kMaxRegistersExchanged) ||
      !has_values(pdu, 9, written * std::size_t{2})) {
    return Exception::kIllegalValue;
  }
  request.values = words_of(pdu.substr(10));
  return std::nullopt;
}

/// What stands after function, address and one more word.
std::optional<Exception> decode_rest(std::string_view pdu, std::uint16_t word, Request& request) {
  const bool is_short = pdu.size() == 5;
  switch (request.function) {
    case Function::kReadCoils:
    case Function::kReadDiscreteInputs:
      request.count = word;
      return is_short && is_in(word, kMaxCoilsRead) ? std::nullopt
                                                    : std::optional(Exception::kIllegalValue);
    case Function::kReadHoldingRegisters:
    case Function::kReadInputRegisters:
      request.count = word;
      return is_short && is_in(word, kMaxRegistersRead) ? std::nullopt
                                                        : std::optional(Exception::kIllegalValue);
    case Function::kWriteCoil:
      request.count = 1;
      request.values = {static_cast<std::uint16_t>(word == kCoilOn ? 1 : 0)};
      return is_short && (word == kCoilOn || word == 0) ? std::nullopt
                                                        : std::optional(Exception::kIllegalValue);
    case Function::kWriteRegister:
      request.count = 1;
      request.values = {word};
      return is_short ? std::nullopt : std::optional(Exception::kIllegalValue);
    case Function::kWriteCoils:
    case Function::kWriteRegisters:
      request.count = word;
      return decode_write(pdu, request);
    case Function::kMaskWriteRegister:
      if (pdu.size() != 7) {
        return Exception::kIllegalValue;
      }
      request.count = 1;
      request.and_mask = word;
      request.or_mask = word_at(pdu, 5);
      return std::nullopt;
    case Function::kReadWriteRegisters:
      request.count = word;
      return decode_exchange(pdu, request);
  }
  return Exception::kIllegalFunction;
}

bool is_served(std::uint8_t code) {
  return (code >= 1 && code <= 6) || code == 15 || code == 16 || code == 22 || code == 23;
}

}  // namespace

std::string_view words(Exception exception) {
  switch (exception) {
    case Exception::kIllegalFunction:
      return "illegal function";
    case Exception::kIllegalAddress:
      return "illegal data address";
    case Exception::kIllegalValue:
      return "illegal data value";
    case Exception::kDeviceFailure:
      return "server device failure";
    case Exception::kBusy:
      return "server device busy";
  }
  return "unknown exception";
}

std::string encode(const Frame& frame) {
  Writer out;
  out.reserve(kPrefixBytes + 1 + frame.pdu.size());
  out.put16(frame.transaction);
  out.put16(0);
  out.put16(frame.pdu.size() + 1);
  out.put8(frame.unit);
  out.put_text(frame.pdu);
  return out.str();
}

std::optional<Frame> FrameReader::next(std::string_view& bytes) {
  const auto fill = [&](std::size_t size) {
    const std::size_t taken = std::min(size - std::min(size, partial_.size()), bytes.size());
    partial_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    return partial_.size() >= size;
  };
  if (!fill(kPrefixBytes)) {
    return std::nullopt;
  }
  const std::size_t length = word_at(partial_, 4);
  if (length < kMinLength || length > kMaxLength) {
    is_lost_ = true;  // nobody knows where the next frame begins
    partial_.clear();
    return std::nullopt;
  }
  if (!fill(kPrefixBytes + length)) {
    return std::nullopt;
  }
  const bool is_modbus = word_at(partial_, 2) == 0;
  Frame frame{word_at(partial_, 0), byte_at(partial_, kPrefixBytes),
              partial_.substr(kPrefixBytes + 1)};
  partial_.clear();
  if (!is_modbus) {
    ++skipped_;
    return std::nullopt;
  }
  return frame;
}

std::variant<Request, Exception> decode_request(std::string_view pdu) {
  if (pdu.empty() || !is_served(byte_at(pdu, 0))) {
    return Exception::kIllegalFunction;
  }
  if (pdu.size() < 5) {
    return Exception::kIllegalValue;
  }
  Request request;
  request.function = static_cast<Function>(byte_at(pdu, 0));
  request.address = word_at(pdu, 1);
  if (const auto refusal = decode_rest(pdu, word_at(pdu, 3), request)) {
    return *refusal;
  }
  return request;
}

std::string encode_request(const Request& request) {
  Writer out;
  out.put8(static_cast<std::uint8_t>(request.function));
  out.put16(request.address);
  switch (request.function) {
    case Function::kWriteCoil:
      out.put16(request.values.at(0) != 0 ? kCoilOn : 0);
      break;
    case Function::kWriteRegister:
      out.put16(request.values.at(0));
      break;
    case Function::kWriteCoils:
      out.put16(request.values.size());
      out.put8(bit_bytes(request.values.size()));
      add_bits(out, request.values);
      break;
    case Function::kWriteRegisters:
      out.put16(request.values.size());
      out.put8(request.values.size() * 2);
      add_words(out, request.values);
      break;
    case Function::kMaskWriteRegister:
      out.put16(request.and_mask);
      out.put16(request.or_mask);
      break;
    case Function::kReadWriteRegisters:
      out.put16(request.count);
      out.put16(request.write_address);
      out.put16(request.values.size());
      out.put8(request.values.size() * 2);
      add_words(out, request.values);
      break;
    default:
      out.put16(request.count);
  }
  return out.str();
}

std::string encode_answer(const Request& request, std::span<const std::uint16_t> values) {
  Writer out;
  out.put8(static_cast<std::uint8_t>(request.function));
  if (reads_bits(request.function)) {
    out.put8(bit_bytes(values.size()));
    add_bits(out, values);
    return out.str();
  }
  if (reads_registers(request.function)) {
    out.put8(values.size() * 2);
    add_words(out, values);
    return out.str();
  }
  if (request.function == Function::kWriteCoils || request.function == Function::kWriteRegisters) {
    out.put16(request.address);
    out.put16(request.count);
    return out.str();
  }
  return encode_request(request);  // the others are echoed
}

std::string encode_exception(std::uint8_t function, Exception exception) {
  Writer out;
  out.put8(function | 0x80U);
  out.put8(static_cast<std::uint8_t>(exception));
  return out.str();
}

Result<Answer> decode_answer(const Request& request, std::string_view pdu) {
  const auto code = static_cast<std::uint8_t>(request.function);
  if (pdu.size() == 2 && byte_at(pdu, 0) == (code | 0x80U)) {
    return Answer{static_cast<Exception>(byte_at(pdu, 1)), {}};
  }
  if (pdu.empty() || byte_at(pdu, 0) != code) {
    return Error{fmt::format("an answer with another function code than {}", code)};
  }
  const bool is_bits = reads_bits(request.function);
  if (is_bits || reads_registers(request.function)) {
    const std::size_t bytes = is_bits ? bit_bytes(request.count) : request.count * std::size_t{2};
    if (pdu.size() < 2 || !has_values(pdu, 1, bytes)) {
      return Error{fmt::format("an answer of {} bytes to a request for {} values", pdu.size(),
                               request.count)};
    }
    return Answer{std::nullopt,
                  is_bits ? bits_of(pdu.substr(2), request.count) : words_of(pdu.substr(2))};
  }
  if (pdu != encode_answer(request, {})) {
    return Error{"an answer to another request"};
  }
  return Answer{};
}

}  // namespace longarm::protocols::modbus
