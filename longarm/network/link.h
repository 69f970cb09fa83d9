// SPDX-License-Identifier: Apache-2.0
// A link: what one direction of one wire does to packets (delay, loss, order). Link models are
// plug-ins, chosen by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/core/fields.h"
#include "longarm/core/input_files.h"
#include "longarm/core/registry.h"
#include "longarm/core/time.h"
#include "longarm/network/key_remark.h"

namespace longarm::network {

/// A packet as links see it: number and size, never the contents.
struct Packet {
  std::uint64_t index = 0;  ///< number in this direction, from 0; random draws use it as key
  std::size_t size_bytes = 0;
  std::uint32_t handle = 0;  ///< belongs to the sender; links return it unchanged
};

/// Why a packet does not arrive.
enum class DropReason : std::uint8_t { kLoss, kQueueFull, kCorrupt };

/// Receives a link's decisions about packets.
class LinkOutput {
 public:
  virtual ~LinkOutput() = default;
  /// The packet reaches the far end at `when`, not before now. A second call for one packet is a
  /// duplicate.
  virtual void arrive(const Packet& packet, Time when) = 0;
  /// The packet will not arrive.
  virtual void drop(const Packet& packet, DropReason reason) = 0;
};

/// One direction of a wire during a run. Every packet sent must eventually arrive or be dropped.
class Link {
 public:
  virtual ~Link() = default;
  /// Accepts a packet at `now`. Reports to `output` what becomes of it, now or in a later call.
  void send(Time now, const Packet& packet, LinkOutput& output) { do_send(now, packet, output); }

 private:
  virtual void do_send(Time now, const Packet& packet, LinkOutput& output) = 0;
};

/// Identifies a link, for its random stream and for messages.
struct LinkContext {
  std::uint64_t seed = 0;
  std::string name;  ///< e.g. "link.states"
};

/// What loss and delay of a packet depend on. Fates that depend on the index alone can be drawn in
/// advance, and so sent to network simulators in other processes.
enum class FateRule : std::uint8_t {
  kByTime,         ///< size, time, or other packets in transit
  kByIndex,        ///< the index alone
  kByIndexInOrder  ///< the index, but no packet arrives before an earlier one
};

/// A link model: its keys, and a factory of links. Register it in Plugins::link_models.
class LinkModel {
 public:
  virtual ~LinkModel() = default;
  /// Lists the model's keys, which stand under `link.`.
  virtual void list_fields(Fields& fields) = 0;
  /// Reads the files that keys name, once, after the keys were read and before make(). Returns
  /// errors and warnings.
  virtual std::vector<KeyRemark> load(InputFiles&) { return {}; }
  /// Creates one direction of a link.
  virtual std::unique_ptr<Link> make(const LinkContext& context) const = 0;
  /// What fates depend on with the current keys, as long as no queue limit is reached.
  virtual FateRule fate_rule() const { return FateRule::kByTime; }
  /// The options of tc netem that do the same, with which such a link can be exchanged while
  /// packets are under way; no value: there are none.
  virtual std::optional<std::string> as_netem() const { return std::nullopt; }
};

using LinkModelRegistry = Registry<LinkModel>;

/// The models none, delay, queue, netem, profile, trace and preset.
LinkModelRegistry built_in_link_models();

}  // namespace longarm::network
