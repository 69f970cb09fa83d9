// SPDX-License-Identifier: Apache-2.0
// The ring of pages between the ends of a pipe.
#include "longarm/programs/kernel/pipe.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <deque>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>

#include "longarm/programs/kernel/kernel.h"

namespace longarm::programs {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kUsualPages = 16;
constexpr std::uint64_t kMostBytes = 1 << 20;  // for those without privileges
constexpr std::uint32_t kPipeReadable = POLLIN | POLLRDNORM;
constexpr std::uint32_t kPipeWritable = POLLOUT | POLLWRNORM;

class PipeReadEnd;
class PipeWriteEnd;

struct Ring {
  struct Page {
    std::vector<std::byte> bytes;  ///< never shrinks while it is read, so the end tells what fits
    std::size_t begin = 0;
    std::size_t size() const { return bytes.size() - begin; }
  };

  bool is_full() const { return pages.size() >= most_pages; }

  std::deque<Page> pages;
  std::size_t most_pages = kUsualPages;
  PipeReadEnd* reader = nullptr;
  PipeWriteEnd* writer = nullptr;
};

class PipeEnd : public File {
 public:
  PipeEnd(Kernel& kernel, std::shared_ptr<Ring> ring) : File(kernel), ring_(std::move(ring)) {}
  Ring& ring() const { return *ring_; }
  void tell(std::uint32_t events) { changed(events); }

  std::int64_t control(Thread& thread, std::uint64_t request, std::uint64_t argument) override {
    if (request != FIONREAD) {
      return -ENOTTY;
    }
    int count = 0;
    for (const Ring::Page& page : ring_->pages) {
      count += static_cast<int>(page.size());
    }
    return kernel().put(thread, argument, count) ? 0 : -EFAULT;
  }

 private:
  std::shared_ptr<Ring> ring_;
};

class PipeReadEnd final : public PipeEnd {
 public:
  PipeReadEnd(Kernel& kernel, const std::shared_ptr<Ring>& ring) : PipeEnd(kernel, ring) {
    ring->reader = this;
  }
  ~PipeReadEnd() override;

  Placeholder placeholder() const override { return Placeholder::kPipeRead; }
  int access() const override { return O_RDONLY; }
  std::uint32_t readiness() const override;
  std::int64_t read(std::span<std::byte> out) override;
};

class PipeWriteEnd final : public PipeEnd {
 public:
  PipeWriteEnd(Kernel& kernel, const std::shared_ptr<Ring>& ring) : PipeEnd(kernel, ring) {
    ring->writer = this;
  }
  ~PipeWriteEnd() override;

  Placeholder placeholder() const override { return Placeholder::kPipeWrite; }
  int access() const override { return O_WRONLY; }
  std::uint32_t readiness() const override;
  std::int64_t write(std::span<const std::byte> bytes) override;
};

PipeReadEnd::~PipeReadEnd() {
  ring().reader = nullptr;
  if (ring().writer != nullptr) {
    ring().writer->tell(kAllEvents);
  }
}

std::uint32_t PipeReadEnd::readiness() const {
  return (ring().pages.empty() ? 0U : kPipeReadable) | (ring().writer == nullptr ? POLLHUP : 0U);
}

std::int64_t PipeReadEnd::read(std::span<std::byte> out) {
  if (out.empty()) {
    return 0;
  }
  if (ring().pages.empty()) {
    return ring().writer == nullptr ? 0 : -EAGAIN;
  }
  const bool was_full = ring().is_full();
  std::size_t count = 0;
  while (count < out.size() && !ring().pages.empty()) {
    Ring::Page& page = ring().pages.front();
    const std::size_t taken = std::min(page.size(), out.size() - count);
    std::copy_n(page.bytes.begin() + static_cast<std::ptrdiff_t>(page.begin), taken,
                out.begin() + static_cast<std::ptrdiff_t>(count));
    page.begin += taken;
    count += taken;
    if (page.size() == 0) {
      ring().pages.pop_front();
    }
  }
  if (was_full && !ring().is_full() && ring().writer != nullptr) {
    ring().writer->tell(kPipeWritable);
  }
  return static_cast<std::int64_t>(count);
}

PipeWriteEnd::~PipeWriteEnd() {
  ring().writer = nullptr;
  if (ring().reader != nullptr) {
    ring().reader->tell(kAllEvents);
  }
}

std::uint32_t PipeWriteEnd::readiness() const {
  return (ring().is_full() ? 0U : kPipeWritable) | (ring().reader == nullptr ? POLLERR : 0U);
}

std::int64_t PipeWriteEnd::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return 0;
  }
  if (ring().reader == nullptr) {
    return -EPIPE;
  }
  std::size_t count = 0;
  // what is more than whole pages goes behind what is there, if all of it fits
  const std::size_t rest = bytes.size() % kPageBytes;
  if (rest != 0 && !ring().pages.empty()) {
    std::vector<std::byte>& last = ring().pages.back().bytes;
    if (last.size() + rest <= kPageBytes) {
      last.insert(last.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(rest));
      count = rest;
    }
  }
  while (count < bytes.size() && !ring().is_full()) {
    const auto piece = bytes.subspan(count, std::min(kPageBytes, bytes.size() - count));
    ring().pages.push_back({{piece.begin(), piece.end()}, 0});
    count += piece.size();
  }
  // even if nothing fitted: edge-triggered programs have come to rely on it
  ring().reader->tell(kPipeReadable);
  return count == 0 ? -EAGAIN : static_cast<std::int64_t>(count);
}

}  // namespace

std::pair<std::shared_ptr<File>, std::shared_ptr<File>> make_pipe(Kernel& kernel) {
  const auto ring = std::make_shared<Ring>();
  return {std::make_shared<PipeReadEnd>(kernel, ring),
          std::make_shared<PipeWriteEnd>(kernel, ring)};
}

std::int64_t pipe_capacity(const File& file) {
  const auto* end = dynamic_cast<const PipeEnd*>(&file);
  return end == nullptr ? -EBADF : static_cast<std::int64_t>(end->ring().most_pages * kPageBytes);
}

std::int64_t set_pipe_capacity(File& file, std::uint64_t bytes) {
  auto* end = dynamic_cast<PipeEnd*>(&file);
  if (end == nullptr) {
    return -EBADF;
  }
  if (bytes > (std::uint64_t{1} << 31)) {
    return -EINVAL;
  }
  Ring& ring = end->ring();
  const std::size_t pages = std::bit_ceil(
      std::max<std::size_t>(1, (static_cast<std::size_t>(bytes) + kPageBytes - 1) / kPageBytes));
  if (pages > ring.most_pages && pages * kPageBytes > kMostBytes) {
    return -EPERM;
  }
  if (pages < ring.pages.size()) {
    return -EBUSY;
  }
  ring.most_pages = pages;
  if (ring.writer != nullptr) {
    ring.writer->tell(kAllEvents);
  }
  return static_cast<std::int64_t>(pages * kPageBytes);
}

}  // namespace longarm::programs
