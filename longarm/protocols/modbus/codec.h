// SPDX-License-Identifier: Apache-2.0
// Modbus TCP as bytes: frames cut out of a stream, requests and answers in both directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "longarm/core/result.h"

namespace longarm::protocols::modbus {

/// What we serve; others are answered with kIllegalFunction.
enum class Function : std::uint8_t {
  kReadCoils = 1,
  kReadDiscreteInputs = 2,
  kReadHoldingRegisters = 3,
  kReadInputRegisters = 4,
  kWriteCoil = 5,
  kWriteRegister = 6,
  kWriteCoils = 15,
  kWriteRegisters = 16,
  kMaskWriteRegister = 22,
  kReadWriteRegisters = 23,
};

/// Modbus application protocol 1.1b3, clause 7.
enum class Exception : std::uint8_t {
  kIllegalFunction = 1,
  kIllegalAddress = 2,
  kIllegalValue = 3,
  kDeviceFailure = 4,
  kBusy = 6,
};

/// "illegal data address" and the like.
std::string_view words(Exception exception);

/// What the seven bytes in front of every message say, and the message (function code first).
struct Frame {
  std::uint16_t transaction = 0;
  std::uint8_t unit = 0;
  std::string pdu;
};

constexpr std::size_t kMaxPduBytes = 253;

std::string encode(const Frame& frame);

/// Cuts a stream into frames; keeps at most one unfinished frame (260 bytes).
class FrameReader {
 public:
  /// Calls `take(const Frame&)` for every frame that is complete now. Frames of other protocols
  /// (identifier not 0) are skipped and counted. Once a length makes no sense the stream is lost,
  /// and so are all bytes after it.
  template <typename Take>
  void add(std::string_view bytes, const Take& take) {
    while (!bytes.empty() && !is_lost_) {
      if (const std::optional<Frame> frame = next(bytes)) {
        take(*frame);
      }
    }
  }

  bool is_lost() const { return is_lost_; }
  std::uint64_t skipped() const { return skipped_; }

 private:
  /// Takes bytes off the front until a frame is complete or they are used up.
  std::optional<Frame> next(std::string_view& bytes);

  std::string partial_;
  bool is_lost_ = false;
  std::uint64_t skipped_ = 0;
};

/// A request whose lengths and counts are right; whether the addresses exist is the server's
/// business. Coils are registers that hold 0 or 1 here.
struct Request {
  Function function = Function::kReadHoldingRegisters;
  std::uint16_t address = 0;          ///< read, or written where nothing is read
  std::uint16_t count = 0;            ///< of values read, or written where nothing is read
  std::uint16_t write_address = 0;    ///< kReadWriteRegisters
  std::vector<std::uint16_t> values;  ///< to write
  std::uint16_t and_mask = 0;         ///< kMaskWriteRegister
  std::uint16_t or_mask = 0;

  bool operator==(const Request&) const = default;
};

/// The request, or what to answer instead.
std::variant<Request, Exception> decode_request(std::string_view pdu);
std::string encode_request(const Request& request);

/// `values` are those read; empty where nothing is.
std::string encode_answer(const Request& request, std::span<const std::uint16_t> values);
std::string encode_exception(std::uint8_t function, Exception exception);

struct Answer {
  std::optional<Exception> exception;
  std::vector<std::uint16_t> values;  ///< read: registers, or 0 and 1 for coils

  bool operator==(const Answer&) const = default;
};

/// An answer to `request`; the error says why it cannot be one.
Result<Answer> decode_answer(const Request& request, std::string_view pdu);

}  // namespace longarm::protocols::modbus
