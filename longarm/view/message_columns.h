// SPDX-License-Identifier: Apache-2.0
// Messages of a trace as rows of a table: which numbers they have, and what else they say.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/record/mcap_format.h"

namespace longarm::view {

struct Column {
  std::string name;
  std::string unit{};
};

/// Of one channel. Column 0 is the time at which the message was logged.
class MessageColumns {
 public:
  virtual ~MessageColumns() = default;

  const std::vector<Column>& columns() const { return columns_; }
  /// Whether a row has a text as well: JSON with what is no number.
  virtual bool has_texts() const { return false; }
  /// One number per column; NaN: the message has none.
  void decode(Time log_time, std::span<const std::byte> data, std::span<double> row) const;
  virtual std::string text(std::span<const std::byte> /*data*/) const { return {}; }

 protected:
  explicit MessageColumns(std::vector<Column> columns) : columns_(std::move(columns)) {}
  virtual void decode_values(std::span<const std::byte> data, std::span<double> values) const = 0;

 private:
  std::vector<Column> columns_;
};

/// How to read a channel whose first message is `sample`; null: there is nothing to show of it over
/// time, as of shapes.
std::unique_ptr<MessageColumns> columns_of(const record::McapChannel& channel,
                                           const record::McapSchema& schema,
                                           std::span<const std::byte> sample);

}  // namespace longarm::view
