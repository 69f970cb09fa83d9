// SPDX-License-Identifier: Apache-2.0
// Brings the trays on the belt to where the arms reach them: Modbus to move, cameras to see.
#pragma once

#include <cstdint>
#include <string>

#include "labs/kitting/plc_conversation.h"
#include "labs/kitting/world_model.h"
#include "longarm/core/fields.h"

namespace longarm::kitting {

struct BeltDriveConfig {
  double full_speed_m_s = 0.2;    ///< as the belt's controller has it
  double speed = 0.5;             ///< fraction of it
  double fine_speed = 0.1;        ///< for corrections
  Duration reaction{60'000'000};  ///< from the decision to stop until it stands, about
  Duration start_timeout{
      3'000'000'000};            ///< told to move and not moving for so long: it has failed
  std::int64_t corrections = 4;  ///< after the first run
};
void list_fields(Fields& fields, BeltDriveConfig& config);

class BeltDrive {
 public:
  BeltDrive(sim::TaskContext context, WorldModel& world, Dial dial, const TalkConfig& talk,
            const BeltDriveConfig& config);

  /// Until the trays stand at the station; empty: they do. Otherwise what went wrong; the belt is
  /// told to stop then as well.
  sim::Task<std::string> bring();

  /// Without waiting for an answer.
  void stop_now() { talk_.stop_now(); }

  const PlcConversation& talk() const { return talk_; }

 private:
  /// One run in one direction.
  sim::Task<std::string> approach(double fraction);
  /// Until cameras have seen the trays stand.
  sim::Task<void> settle();
  /// When a camera last showed anything.
  Time last_shown() const;
  /// By now, seen from the last frame on at this speed.
  double distance_m(double velocity_m_s) const;

  sim::TaskContext context_;
  WorldModel& world_;
  BeltDriveConfig config_;
  PlcConversation talk_;
  Bell bell_;
};

}  // namespace longarm::kitting
