// SPDX-License-Identifier: Apache-2.0
// Reading and writing: what is possible at once, and waiting for the rest.
#include "longarm/programs/kernel/transfer.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <limits.h>
#include <signal.h>

#include "longarm/programs/kernel/signals.h"

namespace longarm::programs {
namespace {

constexpr std::size_t kMostAtOnce = 1 << 20;
constexpr std::size_t kMostInOneCall = 0x7ffff000;  // as Linux has it

/// Calls `action(address, size)` for the parts of the places from `offset` on, until it says no.
template <typename Action>
bool for_each_piece(const Places& places, std::size_t offset, std::size_t size, Action action) {
  for (const iovec& piece : places.pieces) {
    if (size == 0) {
      break;
    }
    if (offset >= piece.iov_len) {
      offset -= piece.iov_len;
      continue;
    }
    const std::size_t count = std::min(piece.iov_len - offset, size);
    if (!action(reinterpret_cast<std::uint64_t>(piece.iov_base) + offset, count)) {
      return false;
    }
    offset = 0;
    size -= count;
  }
  return true;
}

Reply reply_of(std::int64_t result) {
  return Reply::done(result);
}

/// One reading at once; nothing: there is nothing yet.
std::optional<Reply> try_reading(Kernel& kernel, Thread& thread, File& file, const Places& places) {
  if (file.is_read_natively()) {
    return file.readiness() != 0 ? std::optional(Reply::native()) : std::nullopt;
  }
  std::vector<std::byte> bytes(std::min(places.size, kMostAtOnce));
  const std::int64_t result = file.read(bytes);
  if (result == -EAGAIN) {
    return std::nullopt;
  }
  if (result > 0 &&
      !scatter(kernel, thread, places, std::span(bytes).first(static_cast<std::size_t>(result)))) {
    return Reply::error(EFAULT);
  }
  if (result > 0) {
    kernel.received(thread, std::span(bytes).first(static_cast<std::size_t>(result)));
  }
  return reply_of(result);
}

/// A writing under way.
struct Writing {
  Places places;
  std::size_t written = 0;

  Reply so_far(int otherwise) const {
    return written > 0 ? reply_of(static_cast<std::int64_t>(written)) : Reply::error(otherwise);
  }
};

/// Nothing: there is no room for the rest yet.
std::optional<Reply> try_writing(Kernel& kernel, Thread& thread, File& file, Writing& writing) {
  do {
    std::vector<std::byte> bytes(std::min(writing.places.size - writing.written, kMostAtOnce));
    if (!gather(kernel, thread, writing.places, writing.written, bytes)) {
      return writing.so_far(EFAULT);
    }
    const std::int64_t result = file.write(bytes);
    if (result == -EAGAIN) {
      return std::nullopt;
    }
    if (result == -EPIPE && file.is_stream()) {
      signal_thread(kernel, thread, {SIGPIPE, SI_KERNEL, 0, 0, 0});
    }
    if (result < 0) {
      return writing.so_far(static_cast<int>(-result));
    }
    writing.written += static_cast<std::size_t>(result);
    if (!file.is_stream()) {
      return reply_of(result);
    }
    if (static_cast<std::size_t>(result) < bytes.size()) {
      return std::nullopt;
    }
  } while (writing.written < writing.places.size);
  return writing.so_far(0);
}

}  // namespace

Places one_place(std::uint64_t address, std::uint64_t size) {
  Places places;
  places.size = std::min<std::uint64_t>(size, kMostInOneCall);
  if (static_cast<std::int64_t>(size) < 0) {
    places.error = EINVAL;
  }
  iovec piece{};
  piece.iov_base = reinterpret_cast<void*>(address);
  piece.iov_len = places.size;
  places.pieces.push_back(piece);
  return places;
}

Places many_places(Kernel& kernel, const Thread& thread, std::uint64_t address,
                   std::uint64_t count) {
  Places places;
  places.is_list = true;
  if (count > IOV_MAX) {
    places.error = EINVAL;
    return places;
  }
  places.pieces.resize(count);
  if (count > 0 &&
      !kernel.read(thread, address, std::as_writable_bytes(std::span(places.pieces)))) {
    places.error = EFAULT;
    return places;
  }
  for (iovec& piece : places.pieces) {
    if (static_cast<std::int64_t>(piece.iov_len) < 0) {
      places.error = EINVAL;
      return places;
    }
    piece.iov_len = std::min(piece.iov_len, kMostInOneCall - places.size);
    places.size += piece.iov_len;
  }
  return places;
}

bool scatter(Kernel& kernel, const Thread& thread, const Places& places,
             std::span<const std::byte> bytes) {
  return for_each_piece(places, 0, bytes.size(), [&](std::uint64_t address, std::size_t size) {
    const bool is_there = kernel.write(thread, address, bytes.first(size));
    bytes = bytes.subspan(size);
    return is_there;
  });
}

bool gather(Kernel& kernel, const Thread& thread, const Places& places, std::size_t offset,
            std::span<std::byte> bytes) {
  return for_each_piece(places, offset, bytes.size(), [&](std::uint64_t address, std::size_t size) {
    const bool is_there = kernel.read(thread, address, bytes.first(size));
    bytes = bytes.subspan(size);
    return is_there;
  });
}

Reply read_file(Kernel& kernel, Thread& thread, const std::shared_ptr<File>& file, Places places) {
  if ((file->access() & O_ACCMODE) == O_WRONLY) {
    return Reply::error(EBADF);
  }
  if (!file->can_read()) {
    return Reply::error(EINVAL);
  }
  if (places.error != 0) {
    return Reply::error(places.error);
  }
  if (places.is_list && places.size == 0) {
    return Reply::done(0);
  }
  if (const auto reply = try_reading(kernel, thread, *file, places)) {
    return *reply;
  }
  if (file->is_nonblocking()) {
    return Reply::error(EAGAIN);
  }
  Wait wait;
  wait.files = {file};
  if (const std::optional<Duration> limit = file->read_limit()) {
    wait.deadline = kernel.after(thread, *limit);
    wait.at_deadline = [] { return Reply::error(EAGAIN); };
    wait.interrupted = [] { return Reply::error(EINTR); };
  }
  wait.attempt = [&kernel, &thread, &file = *file, places = std::move(places)] {
    return try_reading(kernel, thread, file, places);
  };
  return kernel.wait(thread, std::move(wait));
}

Reply write_file(Kernel& kernel, Thread& thread, const std::shared_ptr<File>& file, Places places) {
  if ((file->access() & O_ACCMODE) == O_RDONLY) {
    return Reply::error(EBADF);
  }
  if (!file->can_write()) {
    return Reply::error(EINVAL);
  }
  if (places.error != 0) {
    return Reply::error(places.error);
  }
  if (places.is_list && places.size == 0) {
    return Reply::done(0);
  }
  const auto writing = std::make_shared<Writing>(Writing{std::move(places), 0});
  if (const auto reply = try_writing(kernel, thread, *file, *writing)) {
    return *reply;
  }
  if (file->is_nonblocking()) {
    return writing->so_far(EAGAIN);
  }
  Wait wait;
  wait.files = {file};
  const std::optional<Duration> limit = file->write_limit();
  if (limit) {
    wait.deadline = kernel.after(thread, *limit);
    wait.at_deadline = [writing] { return writing->so_far(EAGAIN); };
  }
  wait.interrupted = [writing, is_limited = limit.has_value()] {
    return writing->written > 0 || is_limited ? writing->so_far(EINTR) : Reply::restart();
  };
  wait.attempt = [&kernel, &thread, &file = *file, writing] {
    return try_writing(kernel, thread, file, *writing);
  };
  return kernel.wait(thread, std::move(wait));
}

}  // namespace longarm::programs
