// SPDX-License-Identifier: Apache-2.0
// System calls of sockets: from the memory of a process to a Socket and back.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "longarm/programs/kernel/calls.h"
#include "longarm/programs/kernel/signals.h"
#include "longarm/programs/kernel/socket.h"

namespace longarm::programs {
namespace {

constexpr std::size_t kMostNames = 128;
constexpr std::size_t kMostControl = 64 * 1024;
/// What one call moves at most; streams say so, and programs go on.
constexpr std::size_t kMostBytes = 4 << 20;
constexpr std::size_t kMostParts = 1024;

/// Where bytes lie between a process and a socket.
struct Scratch {
  std::vector<std::byte> bytes;

  std::span<std::byte> take(std::size_t count) {
    if (bytes.size() < count) {
      bytes.resize(count);
    }
    return std::span(bytes).first(count);
  }
};

std::shared_ptr<Socket> socket_of(const Thread& thread, int number) {
  return std::dynamic_pointer_cast<Socket>(Kernel::file(thread, number));
}

/// For a descriptor that is no socket of ours: the machine's own kernel has the right error.
Reply not_a_socket(const Thread& thread, int number) {
  return Kernel::file(thread, number) ? Reply::error(ENOTSOCK) : Reply::native();
}

/// Tries now, and, if it is to wait, whenever the socket changes.
Reply retry(Kernel& kernel, Thread& thread, const std::shared_ptr<Socket>& socket, bool waits,
            const std::optional<Duration>& timeout, std::function<std::optional<Reply>()> attempt,
            int at_timeout = EAGAIN) {
  if (const std::optional<Reply> reply = attempt()) {
    return *reply;
  }
  if (!waits) {
    return Reply::error(EAGAIN);
  }
  Wait wait;
  wait.files = {socket};
  wait.attempt = std::move(attempt);
  if (timeout) {
    wait.deadline = kernel.now() + *timeout;
    wait.at_deadline = [at_timeout] { return Reply::error(at_timeout); };
    wait.interrupted = [] { return Reply::error(EINTR); };
  }
  return kernel.wait(thread, std::move(wait));
}

std::optional<std::string> read_bytes(Kernel& kernel, const Thread& thread, std::uint64_t address,
                                      std::size_t count) {
  std::string bytes(count, '\0');
  if (count > 0 && !kernel.read(thread, address, std::as_writable_bytes(std::span(bytes)))) {
    return std::nullopt;
  }
  return bytes;
}

/// A name, and how long it really is, as calls return them.
bool write_name(Kernel& kernel, const Thread& thread, const std::string& name,
                std::uint64_t address, std::uint64_t length_address) {
  if (address == 0 || length_address == 0) {
    return true;
  }
  std::uint32_t room = 0;
  if (!kernel.get(thread, length_address, room)) {
    return false;
  }
  const std::string shown = name.substr(0, room);
  return kernel.write(thread, address, std::as_bytes(std::span(shown))) &&
         kernel.put(thread, length_address, static_cast<std::uint32_t>(name.size()));
}

void raise_broken_pipe(Kernel& kernel, Thread& thread, int flags) {
  if ((flags & MSG_NOSIGNAL) == 0) {
    signal_thread(kernel, thread, {SIGPIPE, SI_KERNEL, 0, 0, 0});
  }
}

// --- making and naming ---------------------------------------------------------------------------

constexpr int kTypeFlags = SOCK_NONBLOCK | SOCK_CLOEXEC;

Reply open_socket(Kernel& kernel, Thread& thread, const Call& call) {
  const int type = static_cast<int>(call.arguments[1]);
  int problem = 0;
  const std::shared_ptr<Socket> socket =
      make_socket(kernel, *thread.process->host, static_cast<int>(call.arguments[0]),
                  type & ~kTypeFlags, static_cast<int>(call.arguments[2]), problem);
  if (!socket) {
    return Reply::done(problem);
  }
  socket->set_nonblocking((type & SOCK_NONBLOCK) != 0);
  return Reply::done(kernel.open(thread, socket, (type & SOCK_CLOEXEC) != 0));
}

Reply open_pair(Kernel& kernel, Thread& thread, const Call& call) {
  const int family = static_cast<int>(call.arguments[0]);
  const int flags = static_cast<int>(call.arguments[1]);
  const int type = flags & ~kTypeFlags;
  if (family != AF_UNIX) {
    return Reply::error(family == AF_INET || family == AF_INET6 ? EOPNOTSUPP : EAFNOSUPPORT);
  }
  if (type != SOCK_STREAM && type != SOCK_DGRAM && type != SOCK_SEQPACKET) {
    return Reply::error(ESOCKTNOSUPPORT);
  }
  const auto [first, second] = make_socket_pair(kernel, thread, type);
  int numbers[2] = {-1, -1};
  for (int i = 0; i < 2; ++i) {
    const std::shared_ptr<Socket>& one = i == 0 ? first : second;
    one->set_nonblocking((flags & SOCK_NONBLOCK) != 0);
    numbers[i] = kernel.open(thread, one, (flags & SOCK_CLOEXEC) != 0);
    if (numbers[i] < 0) {
      return Reply::done(numbers[i]);
    }
  }
  return kernel.put(thread, call.arguments[3], numbers) ? Reply::done(0) : Reply::error(EFAULT);
}

std::optional<std::string> name_argument(Kernel& kernel, const Thread& thread,
                                         std::uint64_t address, std::uint64_t length, int& error) {
  if (length > kMostNames) {
    error = EINVAL;
    return std::nullopt;
  }
  std::optional<std::string> name = read_bytes(kernel, thread, address, length);
  error = name ? 0 : EFAULT;
  return name;
}

Reply bind_socket(Kernel& kernel, Thread& thread, const Call& call) {
  const std::shared_ptr<Socket> socket = socket_of(thread, call.descriptor());
  if (!socket) {
    return not_a_socket(thread, call.descriptor());
  }
  int error = 0;
  const std::optional<std::string> name =
      name_argument(kernel, thread, call.arguments[1], call.arguments[2], error);
  if (!name) {
    return Reply::error(error);
  }
  const std::int64_t result = socket->bind(thread, *name);
  // the file of a Unix socket is the placeholder's
  return result == 0 && socket->binds_natively(*name) ? Reply::native() : Reply::done(result);
}

Reply connect_socket(Kernel& kernel, Thread& thread, const Call& call) {
  const std::shared_ptr<Socket> socket = socket_of(thread, call.descriptor());
  if (!socket) {
    return not_a_socket(thread, call.descriptor());
  }
  int error = 0;
  const std::optional<std::string> name =
      name_argument(kernel, thread, call.arguments[1], call.arguments[2], error);
  if (!name) {
    return Reply::error(error);
  }
  const std::int64_t result = socket->connect(thread, *name);
  const bool is_under_way = result == -EINPROGRESS || result == -EALREADY;
  if (!is_under_way || socket->is_nonblocking()) {
    return Reply::done(result);
  }
  return retry(
      kernel, thread, socket, true, socket->send_timeout(),
      [socket]() -> std::optional<Reply> {
        const std::optional<std::int64_t> outcome = socket->connect_result();
        return outcome ? std::optional(Reply::done(*outcome)) : std::nullopt;
      },
      EINPROGRESS);
}

Reply listen_socket(Kernel&, Thread& thread, const Call& call) {
  const std::shared_ptr<Socket> socket = socket_of(thread, call.descriptor());
  if (!socket) {
    return not_a_socket(thread, call.descriptor());
  }
  return Reply::done(socket->listen(thread, static_cast<int>(call.arguments[1])));
}

Reply accept_with(Kernel& kernel, Thread& thread, const Call& call, int flags) {
  const std::shared_ptr<Socket> socket = socket_of(thread, call.descriptor());
  if (!socket) {
    return not_a_socket(thread, call.descriptor());
  }
  if ((flags & ~kTypeFlags) != 0) {
    return Reply::error(EINVAL);
  }
  if (socket->type() == SOCK_DGRAM) {
    return Reply::error(EOPNOTSUPP);
  }
  const std::uint64_t address = call.arguments[1];
  const std::uint64_t length = call.arguments[2];
  return retry(kernel, thread, socket, !socket->is_nonblocking(), socket->receive_timeout(),
               [&kernel, &thread, socket, flags, address, length]() -> std::optional<Reply> {
                 if (!socket->is_listening()) {
                   return Reply::error(EINVAL);
                 }
                 const std::shared_ptr<Socket> accepted = socket->accept();
                 if (!accepted) {
                   return std::nullopt;
                 }
                 accepted->set_nonblocking((flags & SOCK_NONBLOCK) != 0);
                 const std::string peer = accepted->peer_name().value_or(std::string());
                 const int number = kernel.open(thread, accepted, (flags & SOCK_CLOEXEC) != 0);
                 if (number >= 0 && !write_name(kernel, thread, peer, address, length)) {
                   return Reply::error(EFAULT);
                 }
                 return Reply::done(number);
               });
}

Reply accept_socket(Kernel& kernel, Thread& thread, const Call& call) {
  return accept_with(kernel, thread, call, 0);
}

Reply accept4_socket(Kernel& kernel, Thread& thread, const Call& call) {
  return accept_with(kernel, thread, call, static_cast<int>(call.arguments[3]));
}

Reply tell_name(Kernel& kernel, Thread& thread, const Call& call) {
  const std::shared_ptr<Socket> socket = socket_of(thread, call.descriptor());
  if (!socket) {
    return not_a_socket(thread, call.descriptor());
  }
  const std::optional<std::string> name =
      call.number == SYS_getsockname ? std::optional(socket->name()) : socket->peer_name();
  if (!name) {
    return Reply::error(ENOTCONN);
  }
  return write_name(kernel, thread, *name, call.arguments[1], call.arguments[2])
             ? Reply::done(0)
             : Reply::error(EFAULT);
}

Reply shut_down_socket(Kernel&, Thread& thread, const Call& call) {
  const std::shared_ptr<Socket> socket = socket_of(thread, call.descriptor());
  if (!socket) {
    return not_a_socket(thread, call.descriptor());
  }
  return Reply::done(socket->shut_down(static_cast<int>(call.arguments[1])));
}

// --- options ---------------------------------------------------------------------------------

Reply set_socket_option(Kernel& kernel, Thread& thread, const Call& call) {
  const std::shared_ptr<Socket> socket = socket_of(thread, call.descriptor());
  if (!socket) {
    return not_a_socket(thread, call.descriptor());
  }
  const std::size_t length = std::min<std::uint64_t>(call.arguments[4], 4096);
  const std::optional<std::string> value = read_bytes(kernel, thread, call.arguments[3], length);
  if (!value) {
    return Reply::error(EFAULT);
  }
  const std::optional<std::int64_t> result = socket->set_option(
      static_cast<int>(call.arguments[1]), static_cast<int>(call.arguments[2]), *value);
  return Reply::done(result.value_or(-ENOPROTOOPT));
}

Reply get_socket_option(Kernel& kernel, Thread& thread, const Call& call) {
  const std::shared_ptr<Socket> socket = socket_of(thread, call.descriptor());
  if (!socket) {
    return not_a_socket(thread, call.descriptor());
  }
  const std::optional<std::string> value =
      socket->option(static_cast<int>(call.arguments[1]), static_cast<int>(call.arguments[2]));
  if (!value) {
    return Reply::error(ENOPROTOOPT);
  }
  std::uint32_t room = 0;
  if (!kernel.get(thread, call.arguments[4], room)) {
    return Reply::error(EFAULT);
  }
  const std::string shown = value->substr(0, room);
  const bool is_written =
      kernel.write(thread, call.arguments[3], std::as_bytes(std::span(shown))) &&
      kernel.put(thread, call.arguments[4], static_cast<std::uint32_t>(shown.size()));
  return is_written ? Reply::done(0) : Reply::error(EFAULT);
}

// --- sending ---------------------------------------------------------------------------------

/// A message as sendto(2) and sendmsg(2) describe it.
struct Message {
  std::vector<iovec> parts;
  std::uint64_t name = 0;
  std::uint32_t name_length = 0;
  std::uint64_t control = 0;
  std::size_t control_length = 0;
};

std::optional<Message> read_message(Kernel& kernel, const Thread& thread, std::uint64_t address,
                                    int& error) {
  msghdr header{};
  if (!kernel.get(thread, address, header)) {
    error = EFAULT;
    return std::nullopt;
  }
  if (header.msg_iovlen > kMostParts) {
    error = EMSGSIZE;
    return std::nullopt;
  }
  Message message;
  message.parts.resize(header.msg_iovlen);
  if (!message.parts.empty() &&
      !kernel.read(thread, reinterpret_cast<std::uint64_t>(header.msg_iov),
                   std::as_writable_bytes(std::span(message.parts)))) {
    error = EFAULT;
    return std::nullopt;
  }
  message.name = reinterpret_cast<std::uint64_t>(header.msg_name);
  message.name_length = header.msg_namelen;
  message.control = reinterpret_cast<std::uint64_t>(header.msg_control);
  message.control_length = header.msg_controllen;
  return message;
}

std::size_t size_of(const std::vector<iovec>& parts) {
  std::size_t size = 0;
  for (const iovec& part : parts) {
    size += std::min(part.iov_len, kMostBytes);
  }
  return std::min(size, kMostBytes);
}

std::optional<std::vector<Passed>> read_passed(Kernel& kernel, const Thread& thread,
                                               const Message& message, int& error) {
  std::vector<Passed> passed;
  const std::size_t length = std::min(message.control_length, kMostControl);
  const std::optional<std::string> bytes = read_bytes(kernel, thread, message.control, length);
  if (!bytes) {
    error = EFAULT;
    return std::nullopt;
  }
  for (std::size_t at = 0; at + sizeof(cmsghdr) <= bytes->size();) {
    cmsghdr header{};
    std::memcpy(&header, bytes->data() + at, sizeof(header));
    if (header.cmsg_len < sizeof(header) || at + header.cmsg_len > bytes->size()) {
      error = EINVAL;
      return std::nullopt;
    }
    const bool is_rights = header.cmsg_level == SOL_SOCKET && header.cmsg_type == SCM_RIGHTS;
    for (std::size_t i = at + sizeof(header); is_rights && i + 4 <= at + header.cmsg_len; i += 4) {
      int number = -1;
      std::memcpy(&number, bytes->data() + i, sizeof(number));
      if (std::shared_ptr<File> file = Kernel::file(thread, number)) {
        passed.emplace_back(std::move(file));
      } else if (std::shared_ptr<NativeFile> native =
                     kernel.machine().take_native(*thread.process, number)) {
        passed.emplace_back(std::move(native));
      } else {
        error = EBADF;
        return std::nullopt;
      }
    }
    at += CMSG_ALIGN(header.cmsg_len);
  }
  return passed;
}

Reply send_message(Kernel& kernel, Thread& thread, int number, const Message& message, int flags) {
  const std::shared_ptr<Socket> socket = socket_of(thread, number);
  if (!socket) {
    return not_a_socket(thread, number);
  }
  int error = 0;
  std::optional<std::string> name;
  if (message.name != 0) {
    name = name_argument(kernel, thread, message.name, message.name_length, error);
    if (!name) {
      return Reply::error(error);
    }
  }
  std::optional<std::vector<Passed>> passed = read_passed(kernel, thread, message, error);
  if (!passed) {
    return Reply::error(error);
  }
  /// What is left to send; shared with the attempts to come.
  struct Job {
    std::vector<std::byte> bytes;
    std::size_t done = 0;
    std::string to;
    std::vector<Passed> passed;
  };
  const auto job = std::make_shared<Job>();
  job->bytes.resize(size_of(message.parts));
  job->to = name.value_or(std::string());
  job->passed = std::move(*passed);
  std::size_t filled = 0;
  for (const iovec& part : message.parts) {
    const std::size_t count = std::min(part.iov_len, job->bytes.size() - filled);
    if (count > 0 && !kernel.read(thread, reinterpret_cast<std::uint64_t>(part.iov_base),
                                  std::span(job->bytes).subspan(filled, count))) {
      return Reply::error(EFAULT);
    }
    filled += count;
  }
  const bool waits = !socket->is_nonblocking() && (flags & MSG_DONTWAIT) == 0;
  const bool is_stream = socket->type() == SOCK_STREAM;
  const auto attempt = [&kernel, &thread, socket, job, flags, waits,
                        is_stream]() -> std::optional<Reply> {
    for (;;) {
      Outgoing outgoing;
      outgoing.bytes = std::span<const std::byte>(job->bytes).subspan(job->done);
      outgoing.to = job->to;
      outgoing.flags = flags;
      outgoing.passed = std::move(job->passed);
      const std::int64_t sent = socket->send(outgoing);
      job->passed = std::move(outgoing.passed);
      if (sent >= 0) {
        job->done += static_cast<std::size_t>(sent);
        job->passed.clear();
        if (waits && is_stream && job->done < job->bytes.size()) {
          continue;
        }
        return Reply::done(static_cast<std::int64_t>(job->done));
      }
      if (sent == -EAGAIN) {
        const bool is_partly_sent = job->done > 0 && !waits;
        return is_partly_sent ? std::optional(Reply::done(static_cast<std::int64_t>(job->done)))
                              : std::nullopt;
      }
      if (job->done > 0) {
        return Reply::done(static_cast<std::int64_t>(job->done));
      }
      if (sent == -EPIPE && socket->type() == SOCK_STREAM) {
        raise_broken_pipe(kernel, thread, flags);
      }
      return Reply::done(sent);
    }
  };
  return retry(kernel, thread, socket, waits, socket->send_timeout(), attempt);
}

Reply send_to(Kernel& kernel, Thread& thread, const Call& call) {
  Message message;
  message.parts = {{reinterpret_cast<void*>(call.arguments[1]), call.arguments[2]}};
  message.name = call.arguments[4];
  message.name_length = static_cast<std::uint32_t>(call.arguments[5]);
  return send_message(kernel, thread, call.descriptor(), message,
                      static_cast<int>(call.arguments[3]));
}

Reply send_one(Kernel& kernel, Thread& thread, const Call& call) {
  if (!socket_of(thread, call.descriptor())) {
    return not_a_socket(thread, call.descriptor());
  }
  int error = 0;
  const std::optional<Message> message = read_message(kernel, thread, call.arguments[1], error);
  return message ? send_message(kernel, thread, call.descriptor(), *message,
                                static_cast<int>(call.arguments[2]))
                 : Reply::error(error);
}

/// One after the other, as long as each is answered at once.
Reply send_many(Kernel& kernel, Thread& thread, const Call& call) {
  if (!socket_of(thread, call.descriptor())) {
    return not_a_socket(thread, call.descriptor());
  }
  const std::size_t count = std::min<std::size_t>(call.arguments[2], kMostParts);
  std::int64_t sent = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t address = call.arguments[1] + i * sizeof(mmsghdr);
    int error = 0;
    const std::optional<Message> message = read_message(kernel, thread, address, error);
    if (!message) {
      return sent > 0 ? Reply::done(sent) : Reply::error(error);
    }
    // only the first may wait: what is said to the caller is how many went
    const int flags = static_cast<int>(call.arguments[3]) | (i > 0 ? MSG_DONTWAIT : 0);
    const Reply reply = send_message(kernel, thread, call.descriptor(), *message, flags);
    if (reply.kind != Reply::Kind::kDone) {
      return reply;
    }
    if (reply.value < 0) {
      return sent > 0 ? Reply::done(sent) : reply;
    }
    kernel.put(thread, address + offsetof(mmsghdr, msg_len),
               static_cast<std::uint32_t>(reply.value));
    ++sent;
  }
  return Reply::done(sent);
}

// --- receiving -------------------------------------------------------------------------------

std::string control_message(int level, int type, const std::string& data) {
  cmsghdr header{};
  header.cmsg_len = CMSG_LEN(data.size());
  header.cmsg_level = level;
  header.cmsg_type = type;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes += data;
  bytes.resize(CMSG_ALIGN(bytes.size()), '\0');
  return bytes;
}

/// Gives the thread what was passed; the numbers, as many as there is room for.
std::string open_passed(Kernel& kernel, Thread& thread, const std::vector<Passed>& passed,
                        std::size_t most, bool closes_on_exec, bool& is_cut) {
  std::string numbers;
  for (const Passed& one : passed) {
    if (numbers.size() / sizeof(int) >= most) {
      is_cut = true;
      break;
    }
    int number = -1;
    if (const auto* file = std::get_if<std::shared_ptr<File>>(&one)) {
      number = kernel.open(thread, *file, closes_on_exec);
    } else {
      number = kernel.machine().add_native(thread, *std::get<std::shared_ptr<NativeFile>>(one),
                                           closes_on_exec);
    }
    if (number < 0) {
      is_cut = true;
      break;
    }
    numbers.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  return numbers;
}

/// What belongs into msg_control.
std::string control_of(Kernel& kernel, Thread& thread, Incoming& incoming, std::size_t room,
                       bool closes_on_exec) {
  std::string control;
  bool is_cut = false;
  for (const auto& [kind, data] : incoming.control) {
    const std::string one = control_message(kind.first, kind.second, data);
    if (control.size() + CMSG_LEN(data.size()) > room) {
      is_cut = true;
      break;
    }
    control += one;
  }
  if (!incoming.passed.empty()) {
    const std::size_t left = room - std::min(room, control.size());
    const std::size_t most = left < sizeof(cmsghdr) ? 0 : (left - sizeof(cmsghdr)) / sizeof(int);
    const std::string numbers =
        open_passed(kernel, thread, incoming.passed, most, closes_on_exec, is_cut);
    if (!numbers.empty()) {
      control += control_message(SOL_SOCKET, SCM_RIGHTS, numbers);
    }
  }
  if (is_cut) {
    incoming.result_flags |= MSG_CTRUNC;
  }
  control.resize(std::min(control.size(), room));
  return control;
}

/// Receives once or, for MSG_WAITALL, until there is enough; then `finish` writes what else the
/// call returns.
Reply receive_message(
    Kernel& kernel, Thread& thread, int number, const Message& message, int flags,
    std::function<Reply(const std::shared_ptr<Socket>&, Incoming&, std::int64_t)> finish) {
  const std::shared_ptr<Socket> socket = socket_of(thread, number);
  if (!socket) {
    return not_a_socket(thread, number);
  }
  if ((flags & MSG_ERRQUEUE) != 0) {
    return Reply::error(EAGAIN);
  }
  const std::size_t size = size_of(message.parts);
  const bool wants_all =
      (flags & MSG_WAITALL) != 0 && socket->type() == SOCK_STREAM && (flags & MSG_PEEK) == 0;
  const auto done = std::make_shared<std::size_t>(0);
  const bool waits = !socket->is_nonblocking() && (flags & MSG_DONTWAIT) == 0;
  auto attempt = [&kernel, &thread, socket, parts = message.parts, flags, size, wants_all, waits,
                  done, finish = std::move(finish)]() -> std::optional<Reply> {
    for (;;) {
      Incoming incoming;
      incoming.room = kernel.state<Scratch>().take(size - *done);
      incoming.flags = flags;
      const std::int64_t result = socket->receive(incoming);
      if (result < 0) {
        if (result == -EAGAIN) {
          const bool is_enough = *done > 0 && !waits;
          return is_enough ? std::optional(Reply::done(static_cast<std::int64_t>(*done)))
                           : std::nullopt;
        }
        return Reply::done(*done > 0 ? static_cast<std::int64_t>(*done) : result);
      }
      // a datagram may say that it was longer than what there was room for
      const std::size_t count = std::min(static_cast<std::size_t>(result), incoming.room.size());
      std::size_t skip = *done;
      std::size_t written = 0;
      for (const iovec& part : parts) {
        const std::size_t begin = std::min(skip, part.iov_len);
        skip -= begin;
        const std::size_t now = std::min(part.iov_len - begin, count - written);
        if (now > 0 && !kernel.write(thread, reinterpret_cast<std::uint64_t>(part.iov_base) + begin,
                                     incoming.room.subspan(written, now))) {
          return Reply::error(EFAULT);
        }
        written += now;
      }
      *done += count;
      if ((flags & MSG_PEEK) == 0) {
        kernel.received(thread, incoming.room.first(count));
      }
      if (wants_all && count > 0 && *done < size && incoming.passed.empty()) {
        continue;
      }
      const bool is_whole = socket->type() != SOCK_STREAM;
      return finish(socket, incoming, is_whole ? result : static_cast<std::int64_t>(*done));
    }
  };
  return retry(kernel, thread, socket, waits, socket->receive_timeout(), std::move(attempt));
}

Reply receive_from(Kernel& kernel, Thread& thread, const Call& call) {
  Message message;
  message.parts = {{reinterpret_cast<void*>(call.arguments[1]), call.arguments[2]}};
  const std::uint64_t address = call.arguments[4];
  const std::uint64_t length = call.arguments[5];
  return receive_message(
      kernel, thread, call.descriptor(), message, static_cast<int>(call.arguments[3]),
      [&kernel, &thread, address, length](const std::shared_ptr<Socket>&, Incoming& incoming,
                                          std::int64_t result) {
        return write_name(kernel, thread, incoming.from, address, length) ? Reply::done(result)
                                                                          : Reply::error(EFAULT);
      });
}

Reply receive_into(Kernel& kernel, Thread& thread, int number, std::uint64_t address, int flags) {
  int error = 0;
  const std::optional<Message> message = read_message(kernel, thread, address, error);
  if (!message) {
    return Reply::error(error);
  }
  const bool closes_on_exec = (flags & MSG_CMSG_CLOEXEC) != 0;
  return receive_message(
      kernel, thread, number, *message, flags,
      [&kernel, &thread, address, message = *message, closes_on_exec](
          const std::shared_ptr<Socket>&, Incoming& incoming, std::int64_t result) {
        const std::string control =
            control_of(kernel, thread, incoming, message.control == 0 ? 0 : message.control_length,
                       closes_on_exec);
        const std::string name = incoming.from.substr(0, message.name_length);
        const bool is_written =
            (message.name == 0 ||
             (kernel.write(thread, message.name, std::as_bytes(std::span(name))) &&
              kernel.put(thread, address + offsetof(msghdr, msg_namelen),
                         static_cast<std::uint32_t>(incoming.from.size())))) &&
            (message.control == 0 ||
             kernel.write(thread, message.control, std::as_bytes(std::span(control)))) &&
            kernel.put(thread, address + offsetof(msghdr, msg_controllen),
                       static_cast<std::uint64_t>(control.size())) &&
            kernel.put(thread, address + offsetof(msghdr, msg_flags), incoming.result_flags);
        return is_written ? Reply::done(result) : Reply::error(EFAULT);
      });
}

Reply receive_one(Kernel& kernel, Thread& thread, const Call& call) {
  if (!socket_of(thread, call.descriptor())) {
    return not_a_socket(thread, call.descriptor());
  }
  return receive_into(kernel, thread, call.descriptor(), call.arguments[1],
                      static_cast<int>(call.arguments[2]));
}

/// As many as there are; only for the first does it wait.
Reply receive_many(Kernel& kernel, Thread& thread, const Call& call) {
  const std::shared_ptr<Socket> socket = socket_of(thread, call.descriptor());
  if (!socket) {
    return not_a_socket(thread, call.descriptor());
  }
  const std::uint64_t address = call.arguments[1];
  const std::size_t count = std::min<std::size_t>(call.arguments[2], kMostParts);
  const int flags = static_cast<int>(call.arguments[3]);
  const int number = call.descriptor();
  const auto attempt = [&kernel, &thread, number, address, count, flags]() -> std::optional<Reply> {
    std::int64_t received = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t place = address + i * sizeof(mmsghdr);
      const Reply reply =
          receive_into(kernel, thread, number, place, (flags & ~MSG_WAITFORONE) | MSG_DONTWAIT);
      if (reply.value < 0) {
        if (received > 0) {
          break;
        }
        return reply.value == -EAGAIN ? std::nullopt : std::optional(reply);
      }
      kernel.put(thread, place + offsetof(mmsghdr, msg_len),
                 static_cast<std::uint32_t>(reply.value));
      ++received;
    }
    return Reply::done(received);
  };
  const bool waits = !socket->is_nonblocking() && (flags & MSG_DONTWAIT) == 0;
  return retry(kernel, thread, socket, waits, socket->receive_timeout(), attempt);
}

}  // namespace

void add_socket_calls(CallTable& table) {
  table[SYS_socket] = open_socket;
  table[SYS_socketpair] = open_pair;
  table[SYS_bind] = bind_socket;
  table[SYS_connect] = connect_socket;
  table[SYS_listen] = listen_socket;
  table[SYS_accept] = accept_socket;
  table[SYS_accept4] = accept4_socket;
  table[SYS_getsockname] = tell_name;
  table[SYS_getpeername] = tell_name;
  table[SYS_shutdown] = shut_down_socket;
  table[SYS_setsockopt] = set_socket_option;
  table[SYS_getsockopt] = get_socket_option;
  table[SYS_sendto] = send_to;
  table[SYS_sendmsg] = send_one;
  table[SYS_sendmmsg] = send_many;
  table[SYS_recvfrom] = receive_from;
  table[SYS_recvmsg] = receive_one;
  table[SYS_recvmmsg] = receive_many;
}

}  // namespace longarm::programs
