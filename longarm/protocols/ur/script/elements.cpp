// SPDX-License-Identifier: Apache-2.0
// Elements of URScript lists and poses, and how large values may be.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/protocols/ur/script/convert.h"
#include "longarm/protocols/ur/script/machine.h"
#include "longarm/protocols/ur/script/operators.h"

namespace longarm::protocols::ur::script {

namespace {

/// 0 … size - 1, or a failure.
Failure read_index(const Value& index, std::size_t size, std::size_t& place) {
  const auto number = to_integer(index);
  if (!number) {
    return fmt::format("an index must be an integer, not {}", kind_name(index));
  }
  if (*number < 0 || static_cast<std::size_t>(*number) >= size) {
    return fmt::format("index {} of a list of {}", *number, size);
  }
  place = static_cast<std::size_t>(*number);
  return {};
}

struct Size {
  std::size_t elements = 0;
  std::size_t depth = 0;
};

// Lists are never deeper than kMaximumListDepth, one more while being checked.
void measure(const Value& value, std::size_t depth, Size& size) {
  const auto* elements = std::get_if<List>(&value.kind);
  if (elements == nullptr) {
    return;
  }
  size.depth = std::max(size.depth, depth + 1);
  size.elements += elements->size();
  for (const auto& element : *elements) {
    measure(element, depth + 1, size);
  }
}

}  // namespace

Failure get_element(const Value& list, const Value& index, Value& element) {
  std::size_t place = 0;
  if (const auto* pose = std::get_if<PoseValue>(&list.kind)) {
    Failure failure = read_index(index, pose->numbers.size(), place);
    if (failure.empty()) {
      element.kind = pose->numbers[place];
    }
    return failure;
  }
  const auto* elements = std::get_if<List>(&list.kind);
  if (elements == nullptr) {
    return fmt::format("an index into {}", kind_name(list));
  }
  Failure failure = read_index(index, elements->size(), place);
  // a copy first: the element may be inside of what it replaces
  if (failure.empty()) {
    element = Value((*elements)[place]);
  }
  return failure;
}

Failure set_element(Value& list, std::span<const Value> indices, Value value) {
  Value* target = &list;
  std::size_t place = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (auto* pose = std::get_if<PoseValue>(&target->kind); pose && i + 1 == indices.size()) {
      Failure failure = read_index(indices[i], pose->numbers.size(), place);
      if (!failure.empty()) {
        return failure;
      }
      const auto number = to_number(value);
      if (!number) {
        return fmt::format("a pose holds numbers, not {}", kind_name(value));
      }
      pose->numbers[place] = *number;
      return {};
    }
    auto* elements = std::get_if<List>(&target->kind);
    if (elements == nullptr) {
      return fmt::format("an index into {}", kind_name(*target));
    }
    Failure failure = read_index(indices[i], elements->size(), place);
    if (!failure.empty()) {
      return failure;
    }
    target = &(*elements)[place];
  }
  const bool may_grow = std::holds_alternative<List>(value.kind);
  *target = std::move(value);
  return may_grow ? check_size(list) : Failure{};
}

std::size_t weight(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value.kind)) {
    return 1 + text->size() / 64;
  }
  const auto* elements = std::get_if<List>(&value.kind);
  if (elements == nullptr) {
    return 1;
  }
  std::size_t sum = 1;
  for (const auto& element : *elements) {
    sum += weight(element);
  }
  return sum;
}

Failure take_in(Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.kind)) {
    if (!fits_integer(*integer)) {
      value.kind = static_cast<double>(*integer);
    }
  } else if (const auto* number = std::get_if<double>(&value.kind)) {
    if (!std::isfinite(*number)) {
      return "a number that is not finite";
    }
  } else if (const auto* pose = std::get_if<PoseValue>(&value.kind)) {
    for (const double one : pose->numbers) {
      if (!std::isfinite(one)) {
        return "a pose that is not finite";
      }
    }
  } else if (auto* elements = std::get_if<List>(&value.kind)) {
    for (auto& element : *elements) {
      Failure failure = take_in(element);
      if (!failure.empty()) {
        return failure;
      }
    }
  }
  return {};
}

Failure check_size(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value.kind)) {
    if (text->size() <= kMaximumText) {
      return {};
    }
    return fmt::format("a string of {} bytes; {} are the limit", text->size(), kMaximumText);
  }
  Size size;
  measure(value, 0, size);
  if (size.elements > kMaximumElements) {
    return fmt::format("a list of {} elements; {} are the limit", size.elements, kMaximumElements);
  }
  if (size.depth > kMaximumListDepth) {
    return fmt::format("lists in lists, {} deep; {} are the limit", size.depth, kMaximumListDepth);
  }
  return {};
}

}  // namespace longarm::protocols::ur::script
