// SPDX-License-Identifier: Apache-2.0
// The one list of a config struct's fields, from which reading, writing and the reference page all
// come.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "longarm/core/time.h"

namespace longarm {

/// Where joints are to be: all of them in order, or some by name. Radians or metres; users may
/// write `30deg` and `20mm`.
struct JointPositions {
  std::vector<double> values;
  std::vector<std::string> names{};  ///< one per value; empty: in the order of the joints
};

/// A visitor. Each config struct has one function `void list_fields(Fields&, Config&)` that names
/// every field with a sentence for the user; a reader, a writer and a documenter each visit that
/// same list. Optional values are absent until set. Durations are written with a unit ("2ms").
class Fields {
 public:
  virtual ~Fields() = default;

  /// Where a field is, of any type that a field may have.
  using Value = std::variant<bool*, double*, std::int64_t*, std::string*, Duration*,
                             std::optional<double>*, std::optional<Duration>*, std::vector<double>*,
                             std::vector<std::vector<double>>*, std::vector<std::string>*,
                             std::vector<std::vector<std::string>>*, JointPositions*,
                             std::vector<JointPositions>*>;

  struct Field {
    std::string_view key;
    Value value;
    std::string_view doc;
    const std::vector<std::string>* choices = nullptr;  ///< if it is a word out of a fixed set
    std::string_view unwritten{};  ///< this value is left out of what is written
  };

  template <typename T>
  requires std::constructible_from<Value, T*>
  void field(std::string_view key, T& value, std::string_view doc) { do_field({key, &value, doc}); }

  /// A field that few need: written only if it is not `unwritten`, its default.
  template <typename T>
  requires std::constructible_from<Value, T*>
  void rare(std::string_view key, T& value, std::string_view unwritten, std::string_view doc) {
    do_field({key, &value, doc, nullptr, unwritten});
  }

  /// A word out of a fixed set.
  void choice(std::string_view key, std::string& value, const std::vector<std::string>& choices,
              std::string_view doc, std::string_view unwritten = {}) {
    do_field({key, &value, doc, &choices, unwritten});
  }

  /// A group of fields under one key. Where `shorthand` names one of them, `key: value` sets just
  /// that one.
  virtual void section(std::string_view key, std::string_view doc,
                       const std::function<void(Fields&)>& list,
                       std::string_view shorthand = {}) = 0;

  /// Groups of fields under names that the user makes up: `hosts: {edge: {cores: 4}}`, or just
  /// `hosts: [edge, robot]`. Use named()
  /// below. A reader fills `names`, in the order of the file, if the key is there; `list` is then
  /// called for each, and with kAnyName by those who only describe.
  virtual void entries(std::string_view key, std::string_view doc, std::vector<std::string>& names,
                       const std::function<void(Fields&, std::size_t index)>& list) = 0;
  static constexpr std::size_t kAnyName = SIZE_MAX;

  /// For values whose meaning the list itself must check: records an error at the place of `key`.
  virtual void reject(std::string_view key, std::string message, std::string hint) = 0;

 private:
  virtual void do_field(const Field& field) = 0;
};

/// Lists items that have a `name`, each with `list_item(Fields&, Item&)`.
template <typename Item, typename ListItem>
void named(Fields& fields, std::string_view key, std::string_view doc, std::vector<Item>& items,
           const ListItem& list_item) {
  std::vector<std::string> names;
  for (const Item& item : items) {
    names.push_back(item.name);
  }
  fields.entries(key, doc, names, [&](Fields& group, std::size_t index) {
    Item any;
    if (index == Fields::kAnyName) {
      list_item(group, any);
      return;
    }
    if (index >= items.size()) {
      items.resize(index + 1);
    }
    if (items[index].name != names[index]) {
      items[index] = Item{};  // of the file; what stood here was a default
    }
    items[index].name = names[index];
    list_item(group, items[index]);
  });
  items.resize(names.size());
}

}  // namespace longarm
