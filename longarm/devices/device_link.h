// SPDX-License-Identifier: Apache-2.0
// The link between a device and whoever listens to it: its keys, and a typed end for each device.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/input_files.h"
#include "longarm/network/channel.h"
#include "longarm/network/link.h"
#include "longarm/sim/kernel.h"

namespace longarm::devices {

/// One direction: devices only speak.
struct DeviceLinkConfig {
  std::string model = "none";
  std::shared_ptr<network::LinkModel> plugin;  ///< shared: copies of a config only read it
  network::LinkRequirements requirements;
};

void list_fields(Fields& fields, DeviceLinkConfig& config,
                 const network::LinkModelRegistry& models);
/// Reads the files that the link's keys name. Keys of remarks are those below the link's.
std::vector<network::KeyRemark> load(DeviceLinkConfig& config, InputFiles& files);
std::unique_ptr<network::Link> make_link(const DeviceLinkConfig& config,
                                         const network::LinkContext& context);

/// Where a device's messages go.
template <typename Message>
using Send = std::function<void(const Message& message, std::size_t size_bytes)>;

/// What a device says, through its link, to a listener that keeps the newest.
template <typename Message>
class DevicePort {
 public:
  /// `period` is how often the device speaks at least; zero if there is no such thing.
  DevicePort(sim::Kernel& kernel, const std::string& name, std::unique_ptr<network::Link> link,
             Duration period = Duration(0), const network::LinkRequirements& requirements = {})
      : channel_(
            kernel, name, std::move(link),
            [this](const Message& message, Time now) { receive(message, now); },
            network::LinkMeter(period, requirements)) {}

  void send(const Message& message, std::size_t size_bytes) { channel_.send(message, size_bytes); }

  /// The newest message at the listener's end, by its stamp.
  const std::optional<Message>& latest() const { return latest_; }
  Time latest_arrival() const { return latest_arrival_; }
  network::LinkReport report(Time end) const { return channel_.report(end); }

  using Listener = std::function<void(const Message&, Time now)>;
  /// Is told of each message that arrives, old ones too.
  void listen(Listener listener) { listener_ = std::move(listener); }

 private:
  void receive(const Message& message, Time now) {
    if (!latest_ || message.stamp >= latest_->stamp) {
      latest_ = message;
      latest_arrival_ = now;
    }
    if (listener_) {
      listener_(message, now);
    }
  }

  network::Channel<Message> channel_;
  std::optional<Message> latest_;
  Time latest_arrival_{};
  Listener listener_;
};

}  // namespace longarm::devices
