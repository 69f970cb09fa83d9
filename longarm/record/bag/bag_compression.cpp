// SPDX-License-Identifier: Apache-2.0
// bzip2 and LZ4 frames, by their own libraries.
#include "longarm/record/bag/bag_compression.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <bzlib.h>
#include <fmt/format.h>
#include <lz4frame.h>

#include "longarm/core/check.h"

namespace longarm::record {
namespace {

constexpr std::uint64_t kLargestBagChunk = std::uint64_t{1} << 30;
constexpr std::size_t kPiece = std::size_t{1} << 18;

/// Makes room for one piece more, of at most `size` bytes in all and one that should stay free, so
/// that the end and its checksum are read, too; where it starts.
std::size_t grow(std::vector<std::byte>& out, std::uint64_t size) {
  const std::size_t before = out.size();
  out.resize(std::min<std::size_t>(before + kPiece, static_cast<std::size_t>(size) + 1));
  return before;
}

Error unfinished() {
  return Error{"the chunk does not decompress: its end is missing"};
}

/// The decompressor of bzip2, which wants to be closed however it ends.
class Bz2Stream {
 public:
  explicit Bz2Stream(std::span<const std::byte> stored) {
    check(BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK, "bzip2 starts");
    // it reads through that pointer only
    stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(stored.data()));
    stream_.avail_in = static_cast<unsigned>(stored.size());
  }
  ~Bz2Stream() { BZ2_bzDecompressEnd(&stream_); }
  Bz2Stream(const Bz2Stream&) = delete;
  Bz2Stream& operator=(const Bz2Stream&) = delete;

  /// Fills `out` as far as possible; bytes written, BZ_OK or what went wrong.
  std::size_t read(std::span<std::byte> out, int& status) {
    stream_.next_out = reinterpret_cast<char*>(out.data());
    stream_.avail_out = static_cast<unsigned>(out.size());
    status = BZ2_bzDecompress(&stream_);
    return out.size() - stream_.avail_out;
  }

 private:
  bz_stream stream_{};
};

Result<bool> open_bz2(std::span<const std::byte> stored, std::uint64_t size,
                      std::vector<std::byte>& out) {
  Bz2Stream stream(stored);
  while (out.size() <= size) {
    const std::size_t before = grow(out, size);
    int status = BZ_OK;
    const std::size_t got = stream.read(std::span(out).subspan(before), status);
    out.resize(before + got);
    if (status != BZ_OK && status != BZ_STREAM_END) {
      return Error{fmt::format("the chunk does not decompress: bzip2 error {}", status)};
    }
    if (status == BZ_STREAM_END) {
      break;
    }
    if (got == 0) {
      return unfinished();
    }
  }
  return true;
}

struct FreeLz4 {
  void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
};

Result<bool> open_lz4(std::span<const std::byte> stored, std::uint64_t size,
                      std::vector<std::byte>& out) {
  LZ4F_dctx* made = nullptr;
  check(LZ4F_isError(LZ4F_createDecompressionContext(&made, LZ4F_VERSION)) == 0, "LZ4 starts");
  const std::unique_ptr<LZ4F_dctx, FreeLz4> context(made);
  std::size_t at = 0;
  while (out.size() <= size) {
    const std::size_t before = grow(out, size);
    std::size_t written = out.size() - before;
    std::size_t consumed = stored.size() - at;
    const std::size_t left = LZ4F_decompress(context.get(), out.data() + before, &written,
                                             stored.data() + at, &consumed, nullptr);
    out.resize(before + written);
    at += consumed;
    if (LZ4F_isError(left) != 0) {
      return Error{
          fmt::format("the chunk does not decompress: LZ4 error {}", LZ4F_getErrorName(left))};
    }
    if (left == 0) {
      break;
    }
    if (written == 0 && consumed == 0) {
      return unfinished();
    }
  }
  return true;
}

void close_bz2(std::span<const std::byte> content, std::vector<std::byte>& out) {
  constexpr int kLargestBlock = 9;
  // what bzip2 promises to be enough
  auto size = static_cast<unsigned>(content.size() + content.size() / 100 + 600);
  out.resize(size);
  const int status = BZ2_bzBuffToBuffCompress(
      reinterpret_cast<char*>(out.data()), &size,
      const_cast<char*>(reinterpret_cast<const char*>(content.data())),  // it only reads there
      static_cast<unsigned>(content.size()), kLargestBlock, 0, 0);
  check(status == BZ_OK, "bzip2 has room for what it writes");
  out.resize(size);
}

/// Frames as rosbag's own reader wants them: independent blocks and a checksum of the whole.
void close_lz4(std::span<const std::byte> content, std::vector<std::byte>& out) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  preferences.frameInfo.blockSizeID = LZ4F_max4MB;
  out.resize(LZ4F_compressFrameBound(content.size(), &preferences));
  const std::size_t size =
      LZ4F_compressFrame(out.data(), out.size(), content.data(), content.size(), &preferences);
  check(LZ4F_isError(size) == 0, "LZ4 has room for what it writes");
  out.resize(size);
}

}  // namespace

void compress_chunk(BagCompression compression, std::span<const std::byte> content,
                    std::vector<std::byte>& out) {
  switch (compression) {
    case BagCompression::kNone:
      out.assign(content.begin(), content.end());
      return;
    case BagCompression::kBz2:
      return close_bz2(content, out);
    case BagCompression::kLz4:
      return close_lz4(content, out);
  }
}

Result<bool> decompress_chunk(std::string_view compression, std::span<const std::byte> stored,
                              std::uint64_t size, std::vector<std::byte>& out) {
  if (size > kLargestBagChunk) {
    return Error{fmt::format("the chunk claims to hold {} bytes", size)};
  }
  out.clear();
  Result<bool> opened = true;
  if (compression == compression_name(BagCompression::kNone)) {
    out.assign(stored.begin(), stored.end());
  } else if (compression == compression_name(BagCompression::kBz2)) {
    opened = open_bz2(stored, size, out);
  } else if (compression == compression_name(BagCompression::kLz4)) {
    opened = open_lz4(stored, size, out);
  } else {
    return Error{fmt::format("the chunk is compressed with '{}'; none, bz2 and lz4 can be read",
                             compression.substr(0, 32))};
  }
  if (opened && out.size() != size) {
    return Error{fmt::format("the chunk holds {} bytes instead of {}", out.size(), size)};
  }
  return opened;
}

}  // namespace longarm::record
