// SPDX-License-Identifier: Apache-2.0
// The templates behind message.h: writing, measuring, reading and describing by one list of fields.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "longarm/components/message.h"

namespace longarm::components {
namespace internal {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

template <typename T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;
template <typename T>
concept TimeLike = std::same_as<T, Time> || std::same_as<T, Duration>;

template <typename T>
struct VectorOf : std::false_type {};
template <typename T>
struct VectorOf<std::vector<T>> : std::true_type {
  using Element = T;
};
template <typename T>
struct ArrayOf : std::false_type {};
template <typename T, std::size_t n>
struct ArrayOf<std::array<T, n>> : std::true_type {
  using Element = T;
  static constexpr std::size_t kCount = n;
};

template <typename T>
concept Vector = VectorOf<T>::value;
template <typename T>
concept Array = ArrayOf<T>::value;
template <typename T>
concept Message = requires {
  T::kTypeName;
};

/// Seconds and the nanoseconds above them. What does not fit 32 bits becomes the nearest that does.
struct SplitTime {
  std::uint32_t seconds = 0;
  std::uint32_t nanoseconds = 0;
};
SplitTime split(Time time);
SplitTime split(Duration duration);

/// Without its elements: what a value takes at least. Bounds what a claimed length may ask for.
template <typename T>
std::size_t least_size() {
  if constexpr (std::same_as<T, bool>) {
    return 1;
  } else if constexpr (Number<T>) {
    return sizeof(T);
  } else if constexpr (TimeLike<T>) {
    return 8;
  } else if constexpr (std::same_as<T, std::string> || Vector<T>) {
    return 4;
  } else if constexpr (Array<T>) {
    return ArrayOf<T>::kCount * least_size<typename ArrayOf<T>::Element>();
  } else {
    static_assert(Message<T>, "no type of a message");
    std::size_t sum = 0;
    T message{};
    auto add = [&sum]<typename F>(std::string_view, const F&) { sum += least_size<F>(); };
    T::list_fields(std::as_const(message), add);
    return sum;
  }
}

/// Goes through a value as it stands on the wire and hands each piece to its Sink.
template <typename Sink>
struct Walk {
  template <typename T>
  void operator()(std::string_view /*name*/, const T& value) {
    Sink& sink = static_cast<Sink&>(*this);
    if constexpr (std::same_as<T, bool>) {
      sink.number(static_cast<std::uint8_t>(value ? 1 : 0));
    } else if constexpr (Number<T>) {
      sink.number(value);
    } else if constexpr (TimeLike<T>) {
      sink.time(value);
    } else if constexpr (std::same_as<T, std::string>) {
      sink.number(static_cast<std::uint32_t>(value.size()));
      sink.raw(value.data(), value.size());
    } else if constexpr (Vector<T>) {
      sink.number(static_cast<std::uint32_t>(value.size()));
      elements(value);
    } else if constexpr (Array<T>) {
      elements(value);
    } else {
      T::list_fields(value, sink);
    }
  }

  template <typename T>
  void elements(const T& values) {
    using Element = typename T::value_type;
    if constexpr (Number<Element>) {
      static_cast<Sink&>(*this).raw(values.data(), values.size() * sizeof(Element));
    } else {
      for (const Element& element : values) {
        (*this)({}, element);
      }
    }
  }
};

/// Adds up what values take.
struct Meter : Walk<Meter> {
  std::size_t size = 0;

  template <Number T>
  void number(T) {
    size += sizeof(T);
  }
  void time(TimeLike auto) { size += 8; }
  void raw(const void*, std::size_t bytes) { size += bytes; }
};

/// Writes into room that has been measured before.
struct Writer : Walk<Writer> {
  explicit Writer(std::byte* room) : at(room) {}
  std::byte* at;

  template <Number T>
  void number(T value) {
    std::memcpy(at, &value, sizeof(T));
    at += sizeof(T);
  }
  void time(TimeLike auto value) {
    const SplitTime parts = split(value);
    number(parts.seconds);
    number(parts.nanoseconds);
  }
  void raw(const void* from, std::size_t size) {
    if (size > 0) {
      std::memcpy(at, from, size);
      at += size;
    }
  }
};

/// Reads until something does not fit; after that it reads nothing more.
struct Reader {
  std::span<const std::byte> rest;
  std::string complaint;

  bool is_good() const { return complaint.empty(); }
  void fail(std::string_view field, std::string_view what);
  /// The next `size` bytes, or null.
  const std::byte* take(std::size_t size, std::string_view field);
  /// A length before a string or an array whose elements take at least `least` bytes each.
  std::size_t length(std::size_t least, std::string_view field);

  template <Number T>
  T number(std::string_view field) {
    T value{};
    if (const std::byte* from = take(sizeof(T), field)) {
      std::memcpy(&value, from, sizeof(T));
    }
    return value;
  }

  template <typename T>
  void operator()(std::string_view field, T& value) {
    if (!is_good()) {
      return;
    }
    if constexpr (std::same_as<T, bool>) {
      value = number<std::uint8_t>(field) != 0;
    } else if constexpr (Number<T>) {
      value = number<T>(field);
    } else if constexpr (std::same_as<T, Time>) {
      const auto seconds = number<std::uint32_t>(field);
      value = Time(std::chrono::seconds(seconds) + Duration(number<std::uint32_t>(field)));
    } else if constexpr (std::same_as<T, Duration>) {
      const auto seconds = number<std::int32_t>(field);
      value = std::chrono::seconds(seconds) + Duration(number<std::int32_t>(field));
    } else if constexpr (std::same_as<T, std::string>) {
      const std::size_t size = length(1, field);
      if (const std::byte* from = take(size, field)) {
        value.assign(reinterpret_cast<const char*>(from), size);
      }
    } else if constexpr (Vector<T>) {
      value.resize(length(least_size<typename T::value_type>(), field));
      elements(field, value);
    } else if constexpr (Array<T>) {
      elements(field, value);
    } else {
      T::list_fields(value, *this);
    }
  }

  template <typename T>
  void elements(std::string_view field, T& values) {
    using Element = typename T::value_type;
    if constexpr (Number<Element>) {
      const std::size_t size = values.size() * sizeof(Element);
      const std::byte* from = take(size, field);
      if (from != nullptr && size > 0) {
        std::memcpy(values.data(), from, size);
      }
    } else if constexpr (std::same_as<Element, bool>) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = number<std::uint8_t>(field) != 0;
      }
    } else {
      for (Element& element : values) {
        (*this)(field, element);
      }
    }
  }
};

template <typename T>
std::string type_name() {
  if constexpr (std::same_as<T, bool>) {
    return "bool";
  } else if constexpr (std::integral<T>) {
    return (std::is_signed_v<T> ? "int" : "uint") + std::to_string(8 * sizeof(T));
  } else if constexpr (std::floating_point<T>) {
    return "float" + std::to_string(8 * sizeof(T));
  } else if constexpr (std::same_as<T, std::string>) {
    return "string";
  } else if constexpr (std::same_as<T, Time>) {
    return "time";
  } else if constexpr (std::same_as<T, Duration>) {
    return "duration";
  } else if constexpr (Vector<T>) {
    return type_name<typename T::value_type>() + "[]";
  } else if constexpr (Array<T>) {
    return type_name<typename T::value_type>() + "[" + std::to_string(ArrayOf<T>::kCount) + "]";
  } else {
    return std::string(T::kTypeName);
  }
}

/// Writes one line a field, and remembers the messages among them for later.
struct Describer {
  std::string text;
  std::vector<std::pair<std::string, std::string>>& others;

  template <typename T>
  void operator()(std::string_view name, const T& /*value*/) {
    text += type_name<T>() + " " + std::string(name) + "\n";
    remember<T>();
  }

  template <typename T>
  void remember() {
    if constexpr (Vector<T> || Array<T>) {
      using Element = typename T::value_type;
      static_assert(!Vector<Element> && !Array<Element>, "arrays of arrays need a message between");
      remember<Element>();
    } else if constexpr (Message<T>) {
      const std::string type = type_name<T>();
      const auto is_same = [&type](const auto& other) { return other.first == type; };
      if (std::none_of(others.begin(), others.end(), is_same)) {
        const std::size_t index = others.size();
        others.emplace_back(type, "");
        Describer inner{"", others};
        const T message{};
        T::list_fields(message, inner);
        others[index].second = std::move(inner.text);
      }
    }
  }
};

}  // namespace internal

template <typename T>
std::string schema() {
  std::vector<std::pair<std::string, std::string>> others;
  internal::Describer describer{"", others};
  const T message{};
  T::list_fields(message, describer);
  std::string text = std::move(describer.text);
  for (const auto& [type, fields] : others) {
    text += std::string(80, '=') + "\nMSG: " + type + "\n" + fields;
  }
  return text;
}

template <typename T>
std::size_t wire_size(const T& message) {
  internal::Meter meter;
  T::list_fields(message, meter);
  return meter.size;
}

template <typename T>
Bytes encode(const T& message) {
  Bytes bytes(wire_size(message));
  internal::Writer writer{bytes.data()};
  T::list_fields(message, writer);
  return bytes;
}

template <typename T>
Result<T> decode(std::span<const std::byte> bytes) {
  T message{};
  internal::Reader reader{bytes, {}};
  T::list_fields(message, reader);
  if (reader.is_good() && !reader.rest.empty()) {
    reader.fail({}, "bytes are left over");
  }
  if (!reader.is_good()) {
    return Error{std::string(T::kTypeName) + ": " + reader.complaint};
  }
  return message;
}

}  // namespace longarm::components
