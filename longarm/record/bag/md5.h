// SPDX-License-Identifier: Apache-2.0
// MD5 (RFC 1321), with which ROS 1 tells message definitions apart.
#pragma once

#include <string>
#include <string_view>

namespace longarm::record {

/// In 32 lower-case hexadecimal digits.
std::string md5_hex(std::string_view text);

}  // namespace longarm::record
