// SPDX-License-Identifier: Apache-2.0
// Reads packets from one device, writes them to the other when the link lets them go.
#include "longarm/proxy/tun_relay.h"

#include <utility>

#include <fmt/format.h>
#include <sys/epoll.h>

namespace longarm::proxy {
namespace {

constexpr std::size_t kPacketRoom = 65'536;
constexpr int kPacketsAtOnce = 64;

}  // namespace

Result<std::unique_ptr<TunRelay>> TunRelay::make(system::Reactor& reactor, RelayLinkPair& links,
                                                 Capture* capture, const std::string& near,
                                                 const std::string& far) {
  Result<TunDevice> first = TunDevice::open(near);
  if (!first) {
    return first.error();
  }
  Result<TunDevice> second = TunDevice::open(far);
  if (!second) {
    return second.error();
  }
  return std::unique_ptr<TunRelay>(
      new TunRelay(reactor, links, capture, std::move(first).value(), std::move(second).value()));
}

TunRelay::TunRelay(system::Reactor& reactor, RelayLinkPair& links, Capture* capture, TunDevice near,
                   TunDevice far)
    : reactor_(reactor),
      links_(links),
      capture_(capture),
      devices_{std::move(near), std::move(far)},
      room_(kPacketRoom) {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    watches_[i] = reactor.watch(devices_[i].number(), EPOLLIN, [this, i](std::uint32_t happened) {
      if ((happened & EPOLLERR) != 0) {
        end_without(i);
        return;
      }
      hear(i);
    });
  }
}

TunRelay::~TunRelay() {
  for (const system::Reactor::WatchId watch : watches_) {
    reactor_.forget(watch);
  }
}

void TunRelay::end_without(std::size_t device) {
  reactor_.forget(watches_[device]);
  if (problem_.empty()) {
    problem_ = fmt::format("the TUN device '{}' is gone: it or its namespace was deleted",
                           devices_[device].name());
  }
  reactor_.stop();
}

void TunRelay::hear(std::size_t device) {
  RelayLink& link = device == 0 ? links_.up() : links_.down();
  for (int i = 0; i < kPacketsAtOnce; ++i) {
    const auto packet = devices_[device].read(room_);
    if (!packet) {
      return;
    }
    const Time now = reactor_.now();
    if (capture_ != nullptr) {
      capture_->ip_packet(now, *packet);
    }
    link.offer(now, *packet, packet->size(), *this, 1 - device);
  }
}

HandOver TunRelay::hand_over(std::uint64_t conversation, std::span<const std::byte> bytes) {
  if (!devices_[conversation].write(bytes)) {
    return HandOver::kRefused;
  }
  if (capture_ != nullptr) {
    capture_->ip_packet(reactor_.now(), bytes);
  }
  return HandOver::kSent;
}

}  // namespace longarm::proxy
