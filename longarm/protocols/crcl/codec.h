// SPDX-License-Identifier: Apache-2.0
// CRCL documents to types and back. Reads the schemas of 2019 and 2021, writes that of 2019.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "longarm/core/result.h"
#include "longarm/protocols/crcl/commands.h"
#include "longarm/protocols/crcl/status.h"

namespace longarm::protocols::crcl {

/// The errors say where and what, e.g. "CRCLCommand/EndPosition/Point/X: 'nan' is not a number".
/// Order of elements is the schema's. Numbers that are not finite are refused in commands and taken
/// in statuses. Document types and entities of one's own are refused.
Result<CommandInstance> decode_command(std::string_view document);
Result<Program> decode_program(std::string_view document);
/// What the schema does not know at the end of a status (extensions of other servers) is read over.
Result<Status> decode_status(std::string_view document);

/// The CommandID of a document that may be wrong in every other way, so that the answer can name
/// it.
std::optional<std::int64_t> command_id_in(std::string_view document);

enum class DocumentKind { kCommand, kProgram, kStatus, kUnknown };
/// By the root element; the document may still be wrong.
DocumentKind kind_of(std::string_view document);

/// Documents with an XML declaration, valid by the schema of 2019, or why that cannot be: numbers
/// that are not finite, fractions outside 0 … 1, commands of 2021, empty lists where there must be
/// something, gripper names that are no NMTOKEN. Names that are no XML IDs, or not unique, and a
/// guard's fields of 2021 are left out.
Result<std::string> encode(const CommandInstance& instance);
Result<std::string> encode(const Program& program);
Result<std::string> encode(const Status& status);

/// "MoveToType" for a MoveTo, as in xsi:type.
std::string_view type_name(const CommandBody& body);

}  // namespace longarm::protocols::crcl
