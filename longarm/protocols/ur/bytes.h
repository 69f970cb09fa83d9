// SPDX-License-Identifier: Apache-2.0
// Numbers as UR controllers put them on the wire: big-endian, one after the other.
#pragma once

#include "longarm/system/bytes.h"

namespace longarm::protocols::ur {

using ByteWriter = system::ByteWriter<std::endian::big>;
using ByteReader = system::ByteReader<std::endian::big>;

}  // namespace longarm::protocols::ur
