// SPDX-License-Identifier: Apache-2.0
// Values as XML Schema writes them: numbers, booleans, tokens, names, text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longarm::protocols::crcl {

bool is_xml_space(char byte);
std::string_view trimmed(std::string_view text);
/// xs:token: trimmed, and each run of white space inside made one space.
std::string collapsed(std::string_view text);

/// The lexical forms of XML Schema 1.0, white space around allowed: `INF`, `-INF`, `NaN`, but
/// neither `inf` nor `0x1`. Out of range is infinite or zero, as there.
std::optional<double> parse_double(std::string_view text);
std::optional<std::int64_t> parse_long(std::string_view text);
std::optional<std::int32_t> parse_int(std::string_view text);
std::optional<bool> parse_boolean(std::string_view text);

/// xs:NMTOKEN; `is_id` is xs:ID. Letters beyond ASCII are not among those we use.
bool is_name_token(std::string_view text);
bool is_id(std::string_view text);

/// Whether the bytes are characters XML may hold, in UTF-8.
bool is_xml_text(std::string_view text);

/// Text of an element with the five entities and character references resolved; nothing if another
/// entity is named or a reference is no character.
std::optional<std::string> unescaped(std::string_view text);
/// Text for between two tags. What XML cannot hold becomes U+FFFD.
void append_escaped(std::string& out, std::string_view text);

}  // namespace longarm::protocols::crcl
