// SPDX-License-Identifier: Apache-2.0
// The pcap format with nanoseconds: a header for each file, a header for each packet.
#include "longarm/network/builtin/capture/capture.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/network/trace/pcap_file.h"

namespace longarm::network {
namespace {

constexpr std::uint32_t kEthernetLink = 1;
constexpr std::uint32_t kRawIpLink = 101;
constexpr std::uint32_t kLongestFrame = 65'535 + 14;

/// Names are the user's; files must stay in their folder.
std::string file_name(const std::string& node, const std::string& cable) {
  std::string name = node + "-" + cable + ".pcap";
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '\\' || c == '\0'; }, '_');
  return name;
}

}  // namespace

Capture::Capture(const Topology& topology, const std::string& folder) {
  std::error_code ignored;  // the files below tell
  std::filesystem::create_directories(folder, ignored);
  for (const Cable& cable : topology.cables) {
    for (const NodeId end : cable.ends) {
      const std::string& node = topology.nodes[static_cast<std::size_t>(end)].name;
      const std::filesystem::path path =
          std::filesystem::path(folder) / file_name(node, cable.name);
      Interface& interface = interfaces_.emplace_back();
      interface.framing = cable.framing;
      interface.file.open(path, std::ios::binary);
      if (!interface.file) {
        throw InputError(Diagnostic{
            {}, fmt::format("cannot write '{}'", path.string()), "packets are captured there"});
      }
      interface.file << pcap_file_header(
          kLongestFrame, cable.framing == Framing::kEthernet ? kEthernetLink : kRawIpLink);
    }
  }
}

void Capture::observe(Time now, std::uint32_t interface, const NetworkPacket& packet) {
  auto& [file, framing] = interfaces_[interface];
  const std::optional<ProgramPacket> program =
      program_of_ ? program_of_(packet) : std::optional<ProgramPacket>();
  const std::string bytes = program ? frame_bytes(framing, packet, kLongestFrame, &*program)
                                    : frame_bytes(framing, packet, kMostBytes);
  file << pcap_record_header(now.time_since_epoch().count(), bytes.size(),
                             frame_length(framing, packet))
       << bytes;
}

}  // namespace longarm::network
