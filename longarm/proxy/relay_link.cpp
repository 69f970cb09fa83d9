// SPDX-License-Identifier: Apache-2.0
// Packets wait in slots; a heap says which one leaves next, a timer of the reactor when.
#include "longarm/proxy/relay_link.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "longarm/core/check.h"

namespace longarm::proxy {
namespace {

// a slot that once held a large packet does not keep its memory for small ones
constexpr std::size_t kKeptCapacity = 4096;

}  // namespace

RelayLink::RelayLink(system::Reactor& reactor, const network::LinkModel& model,
                     RelayLinkOptions options, DirectionFigures& figures)
    : reactor_(reactor),
      link_(model.make(options.context)),
      options_(std::move(options)),
      figures_(figures),
      bits_(options_.context.seed, options_.context.name + ".bit"),
      timer_(reactor.add_timer([this] { send_what_is_due(); })) {}

RelayLink::~RelayLink() {
  reactor_.remove_timer(timer_);
}

Time RelayLink::offer(Time came, std::span<const std::byte> bytes, std::size_t wire_bytes,
                      PacketReceiver& receiver, std::uint64_t conversation) {
  figures_.received(bytes.size());
  if (held_packets_ >= options_.most_packets || held_bytes_ + bytes.size() > options_.most_bytes) {
    figures_.lose_here();
    return came;
  }
  // sockets are read one after the other, but a link's time never runs back
  last_came_ = std::max(last_came_, came);
  const std::uint32_t handle = take_slot();
  Slot& slot = slots_[handle];
  slot.bytes.assign(bytes.begin(), bytes.end());
  slot.index = next_index_++;
  slot.came = last_came_;
  slot.receiver = &receiver;
  slot.conversation = conversation;
  slot.has_left = false;
  held_bytes_ += bytes.size();
  ++held_packets_;
  last_due_ = last_came_;
  link_->send(last_came_, {slot.index, wire_bytes, handle}, output_);
  if (!departures_.empty()) {
    reactor_.set_timer(timer_, departures_.top().due);
  }
  return last_due_;
}

void RelayLink::Output::arrive(const network::Packet& packet, Time when) {
  owner_.schedule(packet.handle, when, false);
}

void RelayLink::Output::damaged(const network::Packet& packet, Time when) {
  if (owner_.options_.passes_damaged) {
    owner_.schedule(packet.handle, when, true);
  }
}

void RelayLink::Output::drop(const network::Packet& packet, network::DropReason reason) {
  const Slot& slot = owner_.slots_[packet.handle];
  check(slot.is_taken, "a link dropped a packet that it had let go");
  // of a packet that leaves all the same, only a second copy is gone
  if (slot.pending > 0) {
    return;
  }
  owner_.figures_.dropped(reason);
  owner_.release(packet.handle);
}

void RelayLink::schedule(std::uint32_t slot, Time due, bool is_damaged) {
  check(slots_[slot].is_taken, "a link delivered a packet that it had let go");
  ++slots_[slot].pending;
  last_due_ = std::max(last_due_, due);
  departures_.push({due, next_order_++, slot, is_damaged});
}

void RelayLink::send_what_is_due() {
  while (!departures_.empty() && departures_.top().due <= reactor_.now()) {
    const Departure departure = departures_.top();
    departures_.pop();
    leave(departure);
  }
  reactor_.set_timer(timer_, departures_.empty() ? Time::max() : departures_.top().due);
}

void RelayLink::leave(const Departure& departure) {
  Slot& slot = slots_[departure.slot];
  std::span<const std::byte> bytes = slot.bytes;
  if (departure.is_damaged && !bytes.empty()) {
    damaged_bytes_ = slot.bytes;
    const std::uint64_t bit = bits_.bits_at(slot.index) % (8 * bytes.size());
    damaged_bytes_[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    bytes = damaged_bytes_;
  }
  switch (slot.receiver->hand_over(slot.conversation, bytes)) {
    case HandOver::kSent:
      figures_.sent(slot.index, bytes.size(), slot.came, departure.due, reactor_.now(),
                    slot.has_left, departure.is_damaged);
      break;
    case HandOver::kRefused:
      figures_.refuse();
      break;
    case HandOver::kLost:
      figures_.lose_here();
      break;
  }
  slot.has_left = true;
  if (--slot.pending == 0) {
    release(departure.slot);
  }
}

std::uint32_t RelayLink::take_slot() {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot].is_taken = true;
  return slot;
}

void RelayLink::release(std::uint32_t index) {
  Slot& slot = slots_[index];
  held_bytes_ -= slot.bytes.size();
  --held_packets_;
  slot.is_taken = false;
  slot.bytes.clear();
  if (slot.bytes.capacity() > kKeptCapacity) {
    slot.bytes.shrink_to_fit();
  }
  free_slots_.push_back(index);
}

RelayLinkPair::RelayLinkPair(system::Reactor& reactor, const Models& models, std::uint64_t seed,
                             bool passes_damaged)
    : up_(reactor, models.up, {{seed, "link.up"}, passes_damaged}, figures_.up),
      down_(reactor, models.down, {{seed, "link.down"}, passes_damaged}, figures_.down) {}

RelayFigures RelayLinkPair::figures() const {
  RelayFigures out = figures_;
  out.up.set_held(up_.held_packets());
  out.down.set_held(down_.held_packets());
  return out;
}

}  // namespace longarm::proxy
