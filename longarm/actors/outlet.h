// SPDX-License-Identifier: Apache-2.0
// Where programs outside hear what a device says: lines of JSON at a TCP port, and on a topic.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "longarm/cell/world.h"
#include "longarm/core/fields.h"
#include "longarm/protocols/lines_door.h"

namespace longarm::actors {

struct OutletKeys {
  std::optional<double> port{};  ///< nothing: no TCP door
  std::string topic{};           ///< of ignition-transport; empty: none

  bool is_open() const { return port.has_value() || !topic.empty(); }
};
void list_fields(Fields& fields, OutletKeys& keys);

/// A device's server of lines, as actors on other hosts ask for it.
struct LinesServer {
  static constexpr cell::Interface kInterface{"server of lines", cell::Reach::kSpoken, true};
  const protocols::LinesDoor* door = nullptr;  ///< null: it has no port
};

/// What others may know of a device before it is made.
class OutletDescription {
 public:
  virtual ~OutletDescription() = default;
  /// At which programs outside hear it; without, nobody may ask for its server.
  virtual bool has_port() const = 0;
};

/// Has a door for each key that is given: ACTOR.WHAT at the port, and the topic. Without any it
/// costs nothing and changes nothing.
class Outlet {
 public:
  /// `what` is what the lines are: "frames".
  Outlet(cell::World& world, const std::string& actor, const OutletKeys& keys,
         const std::string& what);

  bool is_open() const { return port_ || topic_; }
  void say(const std::string& line);
  /// Says the last line again whenever there was no new one for so long: who lost it does not stay
  /// behind, though the device speaks only when something happens.
  void repeat_every(Duration period);

 private:
  void tell(const std::string& line) const;

  cell::World& world_;
  sim::SourceId source_{};
  std::unique_ptr<protocols::LinesDoor> port_;
  std::unique_ptr<protocols::LinesDoor> topic_;
  LinesServer server_;
  std::string last_;
  bool is_fresh_ = false;  ///< there was a line since the last look
};

}  // namespace longarm::actors
