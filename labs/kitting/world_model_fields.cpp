// SPDX-License-Identifier: Apache-2.0
// The keys of the world model, and what makes no sense among them.
#include <cmath>

#include "labs/kitting/world_model.h"

namespace longarm::kitting {

void list_fields(Fields& fields, WorldModelConfig& config) {
  fields.field("frames", config.frames, "camera frames that are averaged, at most");
  fields.field("moved_m", config.moved_m, "farther from its average than this, it has moved");
  fields.field("moved_deg", config.moved_deg, "turned by more than this, it has moved");
  fields.field("seated_m", config.seated_m, "beside its seat by no more: it sits");
  fields.field("seated_height_m", config.seated_height_m, "above or below its seat by no more");
  fields.field("seated_deg", config.seated_deg, "tilted by no more");
  fields.field("slot_radius_m", config.slot_radius_m, "a part nearer is in the slot's way");
  fields.field("upright_deg", config.upright_deg, "tilted by more it has fallen over");
  fields.field("lying_height_m", config.lying_height_m,
               "higher above its zone's surface it is in the air");
  fields.field("missing_frames", config.missing_frames,
               "in view and not reported so often, it is missing");
  fields.field("stale_after", config.stale_after, "unseen for longer, it is not known any more");
  fields.field("least_confidence", config.least_confidence, "less sure detections do not count");
  if (config.frames < 1) {
    fields.reject("frames", "at least one frame is averaged", "20 is usual");
  }
  if (config.missing_frames < 1) {
    fields.reject("missing_frames", "at least one frame must miss it", "5 is usual");
  }
  if (config.stale_after <= Duration::zero()) {
    fields.reject("stale_after", "it must be longer than zero", "3s is usual");
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
