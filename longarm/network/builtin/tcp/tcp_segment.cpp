// SPDX-License-Identifier: Apache-2.0
// The size of a TCP header with its options.
#include "longarm/network/builtin/tcp/tcp_segment.h"

namespace longarm::network::tcp {
namespace {

constexpr std::uint32_t kPlainBytes = 20;
constexpr std::uint32_t kMssBytes = 4;
constexpr std::uint32_t kTimestampBytes = 12;  // 10 and two of padding

}  // namespace

std::uint32_t Segment::header_bytes(const TcpOptions& options) const {
  if (is_syn) {
    // Window scale takes 3 bytes, SACK 2: one word each where something pads them, and together
    // with a timestamp (10) the SACK's two fill the padding.
    const bool is_like_ns3 = options.send_latency > Duration::zero();
    std::uint32_t size = kPlainBytes + (is_like_ns3 ? 0U : kMssBytes) + 4U;
    if (has_timestamp) {
      return size + kTimestampBytes;
    }
    return size + (permits_sack ? 4U : 0U);
  }
  std::uint32_t size = kPlainBytes + (has_timestamp ? kTimestampBytes : 0U);
  if (sack_count > 0) {
    size += 4U + 8U * sack_count;
  }
  return size;
}

}  // namespace longarm::network::tcp
