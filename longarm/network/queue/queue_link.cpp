// SPDX-License-Identifier: Apache-2.0
// Sending a message pushes out the one sent n messages before. If nobody sends, nothing moves.
#include "longarm/network/queue/queue_link.h"

#include <deque>

namespace longarm::network {
namespace {

constexpr std::int64_t kMaxSlots = 1'000'000;

class QueueLink final : public Link {
 public:
  explicit QueueLink(const QueueConfig& config) : config_(config) {}

 private:
  void do_send(Time now, const Packet& packet, LinkOutput& output) override {
    waiting_.push_back(packet);
    if (waiting_.size() > static_cast<std::size_t>(config_.slots)) {
      output.arrive(waiting_.front(), now);
      waiting_.pop_front();
    }
  }

  QueueConfig config_;
  std::deque<Packet> waiting_;
};

class QueueModel final : public LinkModel {
 public:
  void list_fields(Fields& fields) override { network::list_fields(fields, config_); }
  std::unique_ptr<Link> make(const LinkContext&) const override {
    return std::make_unique<QueueLink>(config_);
  }

 private:
  QueueConfig config_;
};

}  // namespace

void list_fields(Fields& fields, QueueConfig& config) {
  fields.field("slots", config.slots, "number of messages that each message waits for");
  if (config.slots < 0 || config.slots > kMaxSlots) {
    fields.reject("slots", "slots must be between 0 and 1000000", "0 passes messages through");
  }
}

void register_queue_link(LinkModelRegistry& registry) {
  registry.add("queue", "a queue that moves by one slot per message (key: slots)",
               [] { return std::make_unique<QueueModel>(); });
}

}  // namespace longarm::network
