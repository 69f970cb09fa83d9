// SPDX-License-Identifier: Apache-2.0
// Dials, sends and listens.
#include "labs/kitting/line.h"

#include <chrono>

namespace longarm::kitting {

void list_fields(Fields& fields, TalkConfig& config) {
  fields.field("poll", config.poll, "how often a robot is asked how its command is getting on");
  fields.field("patience", config.patience, "without an answer for so long it counts as silent");
  fields.field("give_up_after", config.give_up_after,
               "without an answer for so long it counts as dead");
  if (config.poll < std::chrono::milliseconds(1)) {
    fields.reject("poll", "must be at least 1ms", "50ms asks twenty times a second");
  }
  if (config.patience < config.poll) {
    fields.reject("patience", "is shorter than 'poll'", "give it several polls");
  }
  if (config.give_up_after < config.patience) {
    fields.reject("give_up_after", "is shorter than 'patience'",
                  "a link that comes back should be survived");
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
