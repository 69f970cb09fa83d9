// SPDX-License-Identifier: Apache-2.0
// What a client says in lines, a line at a time.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "longarm/protocols/talk_door.h"

namespace longarm::protocols {

struct LineTalk : Conversation {
  std::string line;  ///< so far, no more than is needed to see that it is too long
};

/// `answer(line)` for every line that these bytes end, until the talk is over; a line of more than
/// `most` bytes is handed on cut to one byte more.
template <typename Answer>
void hear_lines(LineTalk& talk, std::string_view bytes, std::size_t most, const Answer& answer) {
  while (!bytes.empty() && !talk.is_over) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    talk.line += bytes.substr(0, std::min(end, most + 1 - talk.line.size()));
    if (end == bytes.size()) {
      return;
    }
    bytes.remove_prefix(end + 1);
    answer(std::exchange(talk.line, {}));
    talk.is_over = talk.is_over || talk.output.size() > kMaxOutputBytes;
  }
}

}  // namespace longarm::protocols
