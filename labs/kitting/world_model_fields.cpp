// SPDX-License-Identifier: Apache-2.0
// The keys of the world model, and what makes no sense among them.
#include <cmath>

#include "labs/kitting/world_model.h"

namespace longarm::kitting {

void list_fields(Fields& fields, WorldModelConfig& config) {
  fields.field("frames", config.frames, "largest number of camera frames to average");
  fields.field("moved_m", config.moved_m,
               "distance from its average beyond which an object has moved");
  fields.field("moved_deg", config.moved_deg, "rotation beyond which an object has moved");
  fields.field("seated_m", config.seated_m, "largest horizontal offset of a seated part");
  fields.field("seated_height_m", config.seated_height_m,
               "largest vertical offset of a seated part");
  fields.field("seated_deg", config.seated_deg, "largest tilt of a seated part");
  fields.field("slot_radius_m", config.slot_radius_m, "distance within which a part blocks a slot");
  fields.field("upright_deg", config.upright_deg, "tilt beyond which a part has fallen over");
  fields.field("lying_height_m", config.lying_height_m,
               "height above its zone beyond which a part is in the air");
  fields.field("missing_frames", config.missing_frames,
               "frames without a visible object after which it is missing");
  fields.field("stale_after", config.stale_after,
               "time unseen after which the position of an object is unknown");
  fields.field("least_confidence", config.least_confidence,
               "least confidence of detections that count");
  if (config.frames < 1) {
    fields.reject("frames", "at least one frame is averaged", "20 is usual");
  }
  if (config.missing_frames < 1) {
    fields.reject("missing_frames", "at least one frame must miss it", "5 is usual");
  }
  if (config.stale_after <= Duration::zero()) {
    fields.reject("stale_after", "it must be greater than zero", "3s is usual");
  }
  const auto check = [&](std::string_view key, double value) {
    if (!(value > 0.0 && std::isfinite(value))) {
      fields.reject(key, std::string(key) + " must be more than 0", "see longarm keys");
    }
  };
  check("moved_m", config.moved_m);
  check("moved_deg", config.moved_deg);
  check("seated_m", config.seated_m);
  check("seated_height_m", config.seated_height_m);
  check("seated_deg", config.seated_deg);
  check("slot_radius_m", config.slot_radius_m);
  check("upright_deg", config.upright_deg);
  check("lying_height_m", config.lying_height_m);
}

}  // namespace longarm::kitting
