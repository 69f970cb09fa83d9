// SPDX-License-Identifier: Apache-2.0
// IP packets between two TUN devices, each through the link in the middle: real kernels talk across
// it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/proxy/capture.h"
#include "longarm/proxy/relay_link.h"
#include "longarm/proxy/tun_device.h"
#include "longarm/system/reactor.h"

namespace longarm::proxy {

/// What the system sends to device `near` comes out of device `far`, and the other way round. Up is
/// from near to far.
class TunRelay final : private PacketReceiver {
 public:
  /// `capture` may be null.
  static Result<std::unique_ptr<TunRelay>> make(system::Reactor& reactor, RelayLinkPair& links,
                                                Capture* capture, const std::string& near,
                                                const std::string& far);
  ~TunRelay() override;
  TunRelay(const TunRelay&) = delete;
  TunRelay& operator=(const TunRelay&) = delete;

  /// Empty while both devices are there; then it stops the reactor, and this says why.
  const std::string& problem() const { return problem_; }

 private:
  TunRelay(system::Reactor& reactor, RelayLinkPair& links, Capture* capture, TunDevice near,
           TunDevice far);
  void hear(std::size_t device);
  void end_without(std::size_t device);
  HandOver hand_over(std::uint64_t conversation, std::span<const std::byte> bytes) override;

  system::Reactor& reactor_;
  RelayLinkPair& links_;
  Capture* capture_;
  std::array<TunDevice, 2> devices_;
  std::array<system::Reactor::WatchId, 2> watches_{};
  std::vector<std::byte> room_;
  std::string problem_;
};

}  // namespace longarm::proxy
