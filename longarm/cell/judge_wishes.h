// SPDX-License-Identifier: Apache-2.0
// Whether actors can have what they ask for, before anything is made.
#pragma once

#include <vector>

#include "longarm/cell/cell_config.h"

namespace longarm::cell {

/// Wishes that name nobody and are meant for the only one who can fulfil them.
void complete_wishes(CellConfig& config);

/// Names, hosts and wishes of all actors. Keys of remarks are the scenario's.
void judge_wishes(const CellConfig& config, const ActorRegistry& kinds,
                  std::vector<KeyRemark>& remarks);

/// Numbers of the actors so that each comes after all that it asks for, else as in the file. A
/// circle is a remark.
std::vector<std::size_t> making_order(const CellConfig& config, std::vector<KeyRemark>& remarks);

}  // namespace longarm::cell
