// SPDX-License-Identifier: Apache-2.0
// Dials, sends and listens.
#include "labs/kitting/line.h"

#include <chrono>

namespace longarm::kitting {

void list_fields(Fields& fields, TalkConfig& config) {
  fields.field("poll", config.poll, "how often to ask a robot for the state of its command");
  fields.field("silent_after", config.silent_after,
               "time without an answer after which it counts as silent");
  fields.field("give_up_after", config.give_up_after,
               "time without an answer after which it counts as dead");
  if (config.poll < std::chrono::milliseconds(1)) {
    fields.reject("poll", "must be at least 1ms", "50ms asks twenty times a second");
  }
  if (config.silent_after < config.poll) {
    fields.reject("silent_after", "is shorter than 'poll'", "use several polls");
  }
  if (config.give_up_after < config.silent_after) {
    fields.reject("give_up_after", "is shorter than 'silent_after'",
                  "allow time for a link to recover");
  }
}

bool Line::open(Time now) {
  if (link_ != nullptr && (link_->is_up() || now - dialled_ < std::chrono::seconds(1))) {
    return false;
  }
  dialled_ = now;
  link_ = &dial_(link_);
  ++dials_;
  link_->listen([this](std::string_view bytes, Time when) {
    last_heard_ = when;
    heard_bytes_ += bytes.size();
    heard_(bytes, when);
    bell_.ring();
  });
  return true;
}

void Line::send(std::string_view bytes) {
  if (link_ == nullptr) {
    return;
  }
  sent_bytes_ += bytes.size();
  link_->send(bytes);
}

}  // namespace longarm::kitting
