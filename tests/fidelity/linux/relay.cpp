// SPDX-License-Identifier: Apache-2.0
// Waits for packets and for the instants at which others are due.
#include "tests/fidelity/linux/relay.h"

#include <algorithm>
#include <utility>

#include <poll.h>
#include <time.h>
#include <unistd.h>

namespace longarm::fidelity {
namespace {

constexpr std::size_t kLargestPacket = 65'536;
// so that it notices when it is over
constexpr Duration kLongestWait = std::chrono::milliseconds(20);

std::int64_t monotonic_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool is_ipv4(const std::vector<std::byte>& packet) {
  return !packet.empty() && std::to_integer<int>(packet[0]) >> 4 == 4;
}

}  // namespace

Relay::Relay(std::array<int, 2> devices, std::array<std::unique_ptr<network::Link>, 2> links)
    : devices_(devices), links_(std::move(links)), start_ns_(monotonic_ns()) {}

Time Relay::now() const {
  return Time(Duration(monotonic_ns() - start_ns_));
}

void Relay::run(const std::atomic<bool>& is_over) {
  while (!is_over) {
    take_all_from(0);
    take_all_from(1);
    send_what_is_due();
    wait();
  }
}

void Relay::take_all_from(int side) {
  const auto from = static_cast<std::size_t>(side);
  for (;;) {
    present_.resize(kLargestPacket);
    const ssize_t size = read(devices_[from], present_.data(), present_.size());
    if (size <= 0) {
      return;
    }
    present_.resize(static_cast<std::size_t>(size));
    if (!is_ipv4(present_)) {
      continue;  // what IPv6 says to itself
    }
    present_to_ = 1 - side;
    links_[from]->send(now(), {next_index_[from]++, present_.size(), 0}, *this);
  }
}

void Relay::arrive(const network::Packet&, Time when) {
  due_.push({when, next_sequence_++, present_to_, present_});
}

void Relay::drop(const network::Packet&, network::DropReason) {
  ++lateness_.dropped;
}

void Relay::send_what_is_due() {
  while (!due_.empty() && due_.top().at <= now()) {
    const Due& packet = due_.top();
    const double late_s = to_seconds(now() - packet.at);
    ++lateness_.packets;
    lateness_sum_s_ += late_s;
    lateness_.max_s = std::max(lateness_.max_s, late_s);
    const ssize_t written = write(devices_[static_cast<std::size_t>(packet.to)],
                                  packet.bytes.data(), packet.bytes.size());
    if (written < 0) {
      ++lateness_.dropped;
    }
    due_.pop();
  }
}

void Relay::wait() {
  Duration left = kLongestWait;
  if (!due_.empty()) {
    left = std::clamp<Duration>(due_.top().at - now(), Duration(0), kLongestWait);
  }
  const timespec timeout{0, static_cast<long>(left.count())};
  pollfd files[2] = {{devices_[0], POLLIN, 0}, {devices_[1], POLLIN, 0}};
  ppoll(files, 2, &timeout, nullptr);
}

Lateness Relay::lateness() const {
  Lateness out = lateness_;
  out.mean_s = out.packets > 0 ? lateness_sum_s_ / static_cast<double>(out.packets) : 0.0;
  return out;
}

}  // namespace longarm::fidelity
