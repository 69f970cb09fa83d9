// SPDX-License-Identifier: Apache-2.0
// A Fields visitor for tests that leaves every field as it is; derive from it and override what
// matters.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/fields.h"

namespace longarm {

class IgnoringFields : public Fields {
 public:
  void section(std::string_view, std::string_view, const std::function<void(Fields&)>&,
               std::string_view) override {}
  void entries(std::string_view, std::string_view, std::vector<std::string>&,
               const std::function<void(Fields&, std::size_t)>&) override {}
  void reject(std::string_view, std::string, std::string) override {}

 private:
  void do_field(const Field&) override {}
};

}  // namespace longarm
