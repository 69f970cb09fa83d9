// SPDX-License-Identifier: Apache-2.0
// Numbers and strings as MCAP and CDR store them: little-endian.
#pragma once

#include "longarm/system/bytes.h"

namespace longarm::record {

static_assert(std::endian::native == std::endian::little, "arrays are copied as they are");

using system::as_bytes;
using ByteBuffer = system::ByteWriter<std::endian::little>;
using ByteReader = system::ByteReader<std::endian::little>;

}  // namespace longarm::record
