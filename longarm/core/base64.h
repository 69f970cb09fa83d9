// SPDX-License-Identifier: Apache-2.0
// Bytes as text (RFC 4648).
#pragma once

#include <string>
#include <string_view>

#include "longarm/core/result.h"

namespace longarm {

std::string base64(std::string_view bytes);
/// Fails on what is no base64, saying why.
Result<std::string> from_base64(std::string_view text);

}  // namespace longarm
