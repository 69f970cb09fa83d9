// SPDX-License-Identifier: Apache-2.0
// The pcap format with nanoseconds: a header for each file, a header for each packet.
#include "longarm/network/builtin/capture/capture.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/network/builtin/capture/packet_bytes.h"

namespace longarm::network {
namespace {

constexpr std::uint32_t kNanosecondMagic = 0xa1b23c4d;
constexpr std::uint32_t kEthernetLink = 1;
constexpr std::uint32_t kRawIpLink = 101;
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

/// The same byte order everywhere: the magic number says which.
void write32(std::ofstream& file, std::uint32_t value) {
  const char bytes[4] = {static_cast<char>(value), static_cast<char>(value >> 8),
                         static_cast<char>(value >> 16), static_cast<char>(value >> 24)};
  file.write(bytes, sizeof bytes);
}

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
      write32(interface.file, kNanosecondMagic);
      write32(interface.file, 2U | (4U << 16U));  // version 2.4
      write32(interface.file, 0);
      write32(interface.file, 0);
      write32(interface.file, kMostBytes);
      write32(interface.file, cable.framing == Framing::kEthernet ? kEthernetLink : kRawIpLink);
    }
  }
}

void Capture::observe(Time now, std::uint32_t interface, const NetworkPacket& packet) {
  auto& [file, framing] = interfaces_[interface];
  const std::vector<std::uint8_t> bytes = frame_bytes(framing, packet, kMostBytes);
  const std::int64_t time_ns = now.time_since_epoch().count();
  write32(file, static_cast<std::uint32_t>(time_ns / kNanosecondsPerSecond));
  write32(file, static_cast<std::uint32_t>(time_ns % kNanosecondsPerSecond));
  write32(file, static_cast<std::uint32_t>(bytes.size()));
  write32(file, frame_length(framing, packet));
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

}  // namespace longarm::network
