// SPDX-License-Identifier: Apache-2.0
// What one direction of one wire does to the packets put on it. Link models are plug-ins, chosen by
// name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/core/fields.h"
#include "longarm/core/input_files.h"
#include "longarm/core/registry.h"
#include "longarm/core/time.h"
#include "longarm/network/key_remark.h"

namespace longarm::network {

/// A message seen by the network: never its contents.
struct Packet {
  std::uint64_t index = 0;  ///< counts the packets of this direction from zero; keys random draws
  std::size_t size_bytes = 0;
  std::uint32_t handle = 0;  ///< the sender's; a link only hands it back
};

/// Why a packet does not arrive.
enum class DropReason : std::uint8_t { kLoss, kQueueFull, kCorrupt };

/// Where a link says what becomes of packets.
class LinkOutput {
 public:
  virtual ~LinkOutput() = default;
  /// The packet reaches the far end at `when`, not before now. A second call for one packet is a
  /// duplicate.
  virtual void arrive(const Packet& packet, Time when) = 0;
  virtual void drop(const Packet& packet, DropReason reason) = 0;
};

/// One direction in operation. Each packet sent must sooner or later arrive or be dropped.
class Link {
 public:
  virtual ~Link() = default;
  /// Takes a packet at `now`; may speak of this packet and of earlier ones it still holds.
  void send(Time now, const Packet& packet, LinkOutput& output) { do_send(now, packet, output); }

 private:
  virtual void do_send(Time now, const Packet& packet, LinkOutput& output) = 0;
};

/// Whose link it is, for random streams and messages.
struct LinkContext {
  std::uint64_t seed = 0;
  std::string name;  ///< e.g. "link.states"
};

/// What the fate of a packet depends on. Fates by index can be drawn before there are packets,
/// which is how network simulators in other processes get the same ones.
enum class FateRule : std::uint8_t {
  kByTime,         ///< on its size, the time, or what else is under way
  kByIndex,        ///< on its index alone
  kByIndexInOrder  ///< likewise, but it arrives no earlier than those sent before it
};

/// A link's configuration and the way to make the link: one plug-in.
class LinkModel {
 public:
  virtual ~LinkModel() = default;
  /// Reads or writes the model's keys under `link.`.
  virtual void list_fields(Fields& fields) = 0;
  /// Reads the files that keys name, once, after the keys were read and before make(). For models
  /// that need none there is nothing to do.
  virtual std::vector<KeyRemark> load(InputFiles&) { return {}; }
  virtual std::unique_ptr<Link> make(const LinkContext& context) const = 0;
  /// Of the links it makes, as long as no limit of theirs is reached.
  virtual FateRule fate_rule() const { return FateRule::kByTime; }
};

using LinkModelRegistry = Registry<LinkModel>;

/// none, delay, queue, netem, profile, trace and preset.
LinkModelRegistry built_in_link_models();

}  // namespace longarm::network
