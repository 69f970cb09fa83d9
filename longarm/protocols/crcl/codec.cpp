// SPDX-License-Identifier: Apache-2.0
// The documents of CRCL: which fields, which tolerance, which root.
#include "longarm/protocols/crcl/codec.h"

#include <utility>

#include "longarm/protocols/crcl/command_fields.h"
#include "longarm/protocols/crcl/reader.h"
#include "longarm/protocols/crcl/status_fields.h"
#include "longarm/protocols/crcl/writer.h"

namespace longarm::protocols::crcl {
namespace {

constexpr std::string_view kCommandRoot = "CRCLCommandInstance";
constexpr std::string_view kProgramRoot = "CRCLProgram";
constexpr std::string_view kStatusRoot = "CRCLStatus";

bool is_in_schema_of_2019(const Command& command) {
  return !std::holds_alternative<LoopBlockStart>(command.body) &&
         !std::holds_alternative<LoopBlockEnd>(command.body);
}

Error not_in_schema(const Command& command) {
  return {fmt::format("{} is not in the schema of 2019", type_name(command.body))};
}

}  // namespace

Result<CommandInstance> decode_command(std::string_view document) {
  return Reader({}).read<CommandInstance>(document, kCommandRoot);
}

Result<Program> decode_program(std::string_view document) {
  Result<ProgramParts> read = Reader({}).read<ProgramParts>(document, kProgramRoot);
  if (!read) {
    return read.error();
  }
  ProgramParts parts = std::move(read).value();
  Program program{.name = std::move(parts.name), .commands = {}};
  program.commands.reserve(parts.middle.size() + 2);
  program.commands.push_back(std::move(parts.init));
  for (Command& command : parts.middle) {
    program.commands.push_back(std::move(command));
  }
  program.commands.push_back(std::move(parts.end));
  return program;
}

Result<Status> decode_status(std::string_view document) {
  return Reader({.of_nonfinite = true, .of_extensions = true, .of_namespaces = true})
      .read<Status>(document, kStatusRoot);
}

std::optional<std::int64_t> command_id_in(std::string_view document) {
  // By text alone: the document may be broken in ways that leave no tree to search.
  constexpr std::string_view kStart = "<CommandID>";
  const std::size_t start = document.find(kStart);
  if (start == std::string_view::npos) {
    return std::nullopt;
  }
  document.remove_prefix(start + kStart.size());
  return parse_long(document.substr(0, document.find('<')));
}

DocumentKind kind_of(std::string_view document) {
  // The first tag that begins with a letter is the root's; comments may hold others.
  std::size_t at = 0;
  while ((at = document.find('<', at)) != std::string_view::npos) {
    const std::string_view rest = document.substr(at);
    if (rest.starts_with("<!--")) {
      at = document.find("-->", at);
    } else if (rest.starts_with("<?") || rest.starts_with("<!")) {
      at = document.find('>', at);
    } else {
      const std::string_view name = rest.substr(1, rest.find_first_of(" \t\r\n/>") - 1);
      return name == kCommandRoot   ? DocumentKind::kCommand
             : name == kProgramRoot ? DocumentKind::kProgram
             : name == kStatusRoot  ? DocumentKind::kStatus
                                    : DocumentKind::kUnknown;
    }
  }
  return DocumentKind::kUnknown;
}

Result<std::string> encode(const CommandInstance& instance) {
  if (!is_in_schema_of_2019(instance.command)) {
    return not_in_schema(instance.command);
  }
  return Writer().write(instance, kCommandRoot);
}

Result<std::string> encode(const Program& program) {
  const std::vector<Command>& commands = program.commands;
  if (commands.size() < 2 || !std::holds_alternative<InitCanon>(commands.front().body) ||
      !std::holds_alternative<EndCanon>(commands.back().body)) {
    return Error{"a program begins with InitCanon and ends with EndCanon"};
  }
  const ProgramParts parts{
      program.name, commands.front(), {commands.begin() + 1, commands.end() - 1}, commands.back()};
  for (const Command& command : parts.middle) {
    if (!is_in_schema_of_2019(command)) {
      return not_in_schema(command);
    }
    if (std::holds_alternative<InitCanon>(command.body) ||
        std::holds_alternative<EndCanon>(command.body)) {
      return Error{fmt::format("{} in the middle of a program", type_name(command.body))};
    }
  }
  return Writer().write(parts, kProgramRoot);
}

Result<std::string> encode(const Status& status) {
  return Writer().write(status, kStatusRoot);
}

std::string_view type_name(const CommandBody& body) {
  return kCommandTypes[body.index()];
}

}  // namespace longarm::protocols::crcl
