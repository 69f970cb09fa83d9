// SPDX-License-Identifier: Apache-2.0
// Reads MCAP files from start to end, also those that were cut short, as far as they go.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/record/mcap_format.h"

namespace longarm::record {

/// Good while the callback runs.
struct McapMessage {
  const McapChannel& channel;
  const McapSchema& schema;
  Time log_time{};
  std::uint32_t sequence = 0;
  std::span<const std::byte> data;
};

struct McapAttachment {
  std::string name;
  std::string media_type;
  std::string content;
};

/// What was in a file, and how far it could be read.
struct McapContents {
  std::string profile;
  std::string library;
  std::vector<McapSchema> schemas;
  std::vector<McapChannel> channels;
  std::vector<McapAttachment> attachments;
  std::uint64_t message_count = 0;
  std::optional<Time> first;  ///< log times of the messages handed out
  std::optional<Time> last;
  bool is_complete = false;  ///< everything is there and every checksum holds
  bool is_damaged = false;   ///< what is there is not what was written; else it was cut short
  std::string problem;  ///< "damaged at byte 70: why" or "cut short at byte 70: why"; else empty
};

using McapCallback = std::function<void(const McapMessage&)>;

/// Hands out all messages in the order they were written; the summary at the file's end is checked
/// but not needed. A chunk is handed out only once its checksum holds; the last one of a file cut
/// short goes as far as it decompresses into whole messages. At the first damage reading stops, so
/// that what was handed out has no holes. Fails if `path` cannot be read, is no MCAP file or is
/// damaged before its first message; everything else is a `problem`.
Result<McapContents> read_mcap(const std::string& path, const McapCallback& on_message = {});

/// The same of a file that is in memory; `name` is for messages only.
Result<McapContents> read_mcap_bytes(std::span<const std::byte> file, const std::string& name,
                                     const McapCallback& on_message = {});

}  // namespace longarm::record
