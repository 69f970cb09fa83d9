// SPDX-License-Identifier: Apache-2.0
// Real-time packets, written and read by the table of their fields.
#include "longarm/protocols/ur/realtime.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/protocols/ur/bytes.h"
#include "longarm/protocols/ur/realtime_fields.h"

namespace longarm::protocols::ur {
namespace {

constexpr std::size_t kSlotBytes = 8;

template <typename Table>
constexpr bool is_gapless(const Table& table, std::size_t begin) {
  for (const RealTimeField& field : table) {
    if (field.offset != begin) {
      return false;
    }
    begin += field.count * kSlotBytes;
  }
  return true;
}

constexpr bool has_field_at(std::size_t offset) {
  return std::any_of(kRealTimeFields.begin(), kRealTimeFields.end(),
                     [&](const RealTimeField& field) { return field.offset == offset; });
}

static_assert(is_gapless(kRealTimeFields, sizeof(std::int32_t)));
static_assert(is_gapless(kOldRealTimeFields, kOldFieldsBegin));
static_assert(kOldRealTimeFields.back().offset + kOldRealTimeFields.back().count * kSlotBytes ==
              kOldFieldsEnd);
static_assert(kRealTimeFields.back().offset + kRealTimeFields.back().count * kSlotBytes ==
              kRealTimeSizes.back());
// every other size ends where a field begins
static_assert(std::all_of(kRealTimeSizes.begin(), kRealTimeSizes.end() - 1, has_field_at));

template <typename T>
constexpr bool kIsMode = std::is_enum_v<T>;

class FieldWriter {
 public:
  FieldWriter(const ControllerState& state, ByteWriter& out) : state_(state), out_(out) {}

  void write(const RealTimeField& field) {
    std::visit([&](const auto& member) { put(member, field.count); }, field.member);
  }

 private:
  void put(Reserved, std::size_t count) { out_.put_zeros(count * kSlotBytes); }
  void put(SafetyStatus, std::size_t) { put_value(state_.safety_mode); }
  template <typename T>
  void put(T ControllerState::*member, std::size_t) {
    put_value(state_.*member);
  }

  template <typename T>
  void put_value(const T& value) {
    if constexpr (kIsMode<T>) {
      out_.put(static_cast<double>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      out_.put(value);
    } else {
      for (const auto& element : value) {
        put_value(element);
      }
    }
  }

  const ControllerState& state_;
  ByteWriter& out_;
};

class FieldReader {
 public:
  FieldReader(ByteReader in, RealTimeReading& reading) : in_(in), reading_(reading) {}

  /// Whether what stands there can be.
  bool read(const RealTimeField& field) {
    std::visit([&](const auto& member) { get(member, field.count); }, field.member);
    return is_good_ && in_.is_good();
  }

 private:
  void get(Reserved, std::size_t count) { in_.skip(count * kSlotBytes); }
  void get(SafetyStatus, std::size_t) {
    reading_.safety_status = get_whole(std::numeric_limits<std::int32_t>::min(),
                                       std::numeric_limits<std::int32_t>::max());
  }
  template <typename T>
  void get(T ControllerState::*member, std::size_t) {
    get_value(reading_.state.*member);
  }

  template <typename T>
  void get_value(T& value) {
    if constexpr (kIsMode<T>) {
      // any code that fits is let through: newer controllers know more of them than we do
      using Code = std::underlying_type_t<T>;
      value = static_cast<T>(
          get_whole(std::numeric_limits<Code>::min(), std::numeric_limits<Code>::max()));
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = in_.get<T>();
    } else {
      for (auto& element : value) {
        get_value(element);
      }
    }
  }

  std::int32_t get_whole(std::int32_t lowest, std::int32_t highest) {
    const double number = std::round(in_.get<double>());
    if (!(number >= lowest && number <= highest)) {
      is_good_ = false;
      return 0;
    }
    return static_cast<std::int32_t>(number);
  }

  ByteReader in_;
  RealTimeReading& reading_;
  bool is_good_ = true;
};

}  // namespace

Result<std::size_t> real_time_size(const Firmware& firmware) {
  if (firmware.major != 3) {
    return Error{fmt::format(
        "unsupported firmware {}.{}: CB3 controllers have 3.x (supported: 3.2–3.15, usual: 3.15)",
        firmware.major, firmware.minor)};
  }
  if (firmware.minor < 2 || firmware.minor > 15) {
    return Error{
        fmt::format("unsupported firmware 3.{} (supported: 3.2–3.15, usual: 3.15); drivers that "
                    "read packets of at most 1060 bytes need 3.2, 3.3 or 3.4",
                    firmware.minor)};
  }
  if (firmware.minor >= 10) {
    return std::size_t{1116};
  }
  return firmware.minor >= 5 ? std::size_t{1108} : std::size_t{1060};
}

std::string encode_real_time(const ControllerState& state, const Firmware& firmware) {
  const Result<std::size_t> size = real_time_size(firmware);
  check(size.has_value(), "a UR controller with firmware that we do not speak");
  ByteWriter out;
  out.reserve(*size);
  out.put(static_cast<std::int32_t>(*size));
  FieldWriter writer(state, out);
  for (const RealTimeField& field : kRealTimeFields) {
    if (field.offset >= *size) {
      break;
    }
    writer.write(field);
  }
  return out.str();
}

Result<RealTimeReading> decode_real_time(std::string_view packet) {
  ByteReader in(packet);
  const auto said = in.get<std::int32_t>();
  const bool is_known = std::find(kRealTimeSizes.begin(), kRealTimeSizes.end(), packet.size()) !=
                        kRealTimeSizes.end();
  if (!is_known || said != static_cast<std::int32_t>(packet.size())) {
    return Error{fmt::format("{} bytes that claim to be {} are not a valid real-time packet",
                             packet.size(), said)};
  }
  RealTimeReading reading;
  reading.bytes = packet.size();
  FieldReader reader(in, reading);
  const bool is_old = packet.size() < kSmallestNewSize;
  for (std::size_t i = 0; i < kRealTimeFields.size(); ++i) {
    const RealTimeField& field = kRealTimeFields[i];
    if (field.offset >= packet.size()) {
      break;
    }
    if (is_old && field.offset == kOldFieldsBegin) {
      for (const RealTimeField& old : kOldRealTimeFields) {
        reader.read(old);
      }
    }
    if (is_old && field.offset >= kOldFieldsBegin && field.offset < kOldFieldsEnd) {
      continue;
    }
    if (!reader.read(field)) {
      return Error{fmt::format("a real-time packet with an impossible {} at byte {}", field.name,
                               field.offset)};
    }
  }
  return reading;
}

}  // namespace longarm::protocols::ur
