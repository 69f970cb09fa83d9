// SPDX-License-Identifier: Apache-2.0
// The wire format of protocol buffers, as much of it as joint messages need.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longarm::protocols::jointcmd {

/// One field of a message. Which of the values is meant depends on the wire type.
struct WireField {
  std::uint32_t number = 0;
  std::uint32_t type = 0;    ///< 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes
  std::uint64_t bits = 0;    ///< of types 0, 1 and 5
  std::string_view bytes{};  ///< of type 2

  bool is_message(std::uint32_t wanted) const { return number == wanted && type == 2; }
  bool is_number(std::uint32_t wanted) const { return number == wanted && type == 0; }
  bool is_double(std::uint32_t wanted) const { return number == wanted && type == 1; }
  double as_double() const { return std::bit_cast<double>(bits); }
};

/// Reads fields one after another; borrows the bytes.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  /// Nothing at the end, and after a failure.
  std::optional<WireField> next();
  bool has_failed() const { return has_failed_; }

 private:
  std::optional<WireField> fail();
  template <typename Bits>
  std::optional<std::uint64_t> fixed();

  std::string_view rest_;
  bool has_failed_ = false;
};

/// Takes a base-128 number off the front; nothing if it is not whole or longer than 64 bits.
std::optional<std::uint64_t> take_varint(std::string_view& bytes);
void append_varint(std::string& out, std::uint64_t value);

void append_number(std::string& out, std::uint32_t field, std::uint64_t value);
void append_double(std::string& out, std::uint32_t field, double value);
void append_bytes(std::string& out, std::uint32_t field, std::string_view bytes);

}  // namespace longarm::protocols::jointcmd
