// SPDX-License-Identifier: Apache-2.0
// The table of keys and values that earlier versions called something else.
#pragma once

#include <string>
#include <string_view>

namespace longarm::config {

/// A hint that names the present spelling of a whole dotted key, such as
/// "actors.kitting.executor.hope"; empty if it was never renamed.
std::string renamed_key_hint(std::string_view key);

/// Likewise for a word out of a fixed set, by the last part of its key, such as "preset".
std::string renamed_value_hint(std::string_view key, std::string_view value);

}  // namespace longarm::config
