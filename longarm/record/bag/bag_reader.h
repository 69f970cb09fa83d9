// SPDX-License-Identifier: Apache-2.0
// Reads rosbag files of format 2.0 from start to end, whoever wrote them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/record/bag/bag_format.h"

namespace longarm::record {

/// Good while the callback runs.
struct BagMessage {
  const BagConnection& connection;
  Time time{};  ///< of its reception
  std::span<const std::byte> data;
};

struct BagContents {
  std::map<std::uint32_t, BagConnection> connections;  ///< by id
  std::uint64_t message_count = 0;
};

using BagCallback = std::function<void(const BagMessage&)>;

/// Hands out all messages in the order in which they were written. Fails, perhaps after some
/// messages, if `path` cannot be read, is no bag, was not closed by its writer, was cut short or is
/// damaged; the error names the file, the place, and what to do.
Result<BagContents> read_bag(const std::string& path, const BagCallback& on_message = {});

/// The same of a file that is in memory; `name` is for messages only.
Result<BagContents> read_bag_bytes(std::span<const std::byte> file, const std::string& name,
                                   const BagCallback& on_message = {});

}  // namespace longarm::record
