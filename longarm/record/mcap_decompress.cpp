// SPDX-License-Identifier: Apache-2.0
// Streams a chunk through zstd, so that memory follows what is there and not what is claimed.
#include "longarm/record/mcap_decompress.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <zstd.h>

namespace longarm::record {
namespace {

constexpr std::uint64_t kLargestChunk = std::uint64_t{256} << 20;

struct FreeDecompressor {
  void operator()(ZSTD_DCtx* decompressor) const { ZSTD_freeDCtx(decompressor); }
};

}  // namespace

Result<bool> decompress(std::string_view compression, std::span<const std::byte> stored,
                        std::uint64_t size, std::vector<std::byte>& out) {
  if (size > kLargestChunk) {
    return Error{fmt::format("the chunk claims to hold {} bytes", size)};
  }
  if (compression.empty()) {
    out.assign(stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(
                                                    std::min<std::uint64_t>(size, stored.size())));
    return true;
  }
  if (compression != "zstd") {
    return Error{
        fmt::format("the chunk is compressed with '{}', only zstd is read here", compression)};
  }
  const std::unique_ptr<ZSTD_DCtx, FreeDecompressor> decompressor(ZSTD_createDCtx());
  ZSTD_inBuffer input{stored.data(), stored.size(), 0};
  const std::size_t piece = ZSTD_DStreamOutSize();
  out.clear();
  while (out.size() < size) {
    const std::size_t before = out.size();
    out.resize(before + std::min<std::size_t>(piece, static_cast<std::size_t>(size) - before));
    ZSTD_outBuffer output{out.data() + before, out.size() - before, 0};
    const std::size_t left = ZSTD_decompressStream(decompressor.get(), &output, &input);
    out.resize(before + output.pos);
    if (ZSTD_isError(left) != 0) {
      return Error{fmt::format("the chunk does not decompress: {}", ZSTD_getErrorName(left))};
    }
    if (left == 0 || (output.pos == 0 && input.pos == input.size)) {
      break;
    }
  }
  return true;
}

}  // namespace longarm::record
