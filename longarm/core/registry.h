// SPDX-License-Identifier: Apache-2.0
// Names of interchangeable parts (physics engines, link models, controllers) and how to make them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "longarm/core/suggest.h"

namespace longarm {

/// An ordinary object, filled by explicit register_xxx() calls: no statics, no load order.
template <typename Interface, typename... Args>
class Registry {
 public:
  using Factory = std::function<std::unique_ptr<Interface>(Args...)>;

  /// `kind` is used in messages only, e.g. "physics engine".
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  /// `summary` is the line that `longarm list` prints beside the name.
  void add(std::string name, std::string summary, Factory factory) {
    if (!entries_.emplace(name, Entry{std::move(summary), std::move(factory)}).second) {
      throw std::logic_error(kind_ + " '" + name + "' is registered twice");
    }
  }

  /// All parts of another one. Throws std::logic_error for a name that is taken.
  void add_all(const Registry& other) {
    for (const auto& [name, entry] : other.entries_) {
      add(name, entry.summary, entry.factory);
    }
  }

  bool has(const std::string& name) const { return entries_.contains(name); }

  /// Throws std::invalid_argument with the valid names when there is no such part.
  std::unique_ptr<Interface> make(const std::string& name, Args... args) const {
    const auto found = entries_.find(name);
    if (found == entries_.end()) {
      throw std::invalid_argument(unknown(name) + "; valid names are: " + join(names()));
    }
    return found->second.factory(std::forward<Args>(args)...);
  }

  /// "unknown physics engine 'mujico'"
  std::string unknown(const std::string& name) const {
    return "unknown " + kind_ + " '" + name + "'";
  }

  /// Sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, entry] : entries_) {
      all.push_back(name);
    }
    return all;
  }

  const std::string& summary(const std::string& name) const { return entries_.at(name).summary; }
  const std::string& kind() const { return kind_; }

 private:
  struct Entry {
    std::string summary;
    Factory factory;
  };

  std::string kind_;
  std::map<std::string, Entry> entries_;
};

}  // namespace longarm
