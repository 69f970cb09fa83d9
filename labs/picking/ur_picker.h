// SPDX-License-Identifier: Apache-2.0
// The kind `ur-picker`.
#pragma once

#include <memory>

#include "longarm/cell/actor.h"

namespace longarm::picking {

std::unique_ptr<cell::ActorModel> make_ur_picker();

}  // namespace longarm::picking
