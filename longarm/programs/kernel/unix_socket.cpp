// SPDX-License-Identifier: Apache-2.0
// Names are those of the host's file system, or abstract; bytes go straight to the other end.
#include "longarm/programs/kernel/unix_socket.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

namespace longarm::programs {
namespace {

/// Bound sockets by host and path; weak, for their own sake.
struct UnixNames {
  std::map<std::pair<network::NodeId, std::string>, UnixSocket*> names;
  int next_abstract = 0;
};

// what waiters for each are told
constexpr std::uint32_t kMoreToRead = POLLIN | POLLPRI | POLLRDNORM | POLLRDBAND;
constexpr std::uint32_t kRoomToWrite = POLLOUT | POLLWRNORM | POLLWRBAND;

/// The memory that Linux counts for a buffer with so many bytes (skb->truesize): a structure, pages
/// that are full, and a head with the rest, of a size that its allocator has.
std::size_t memory_of(std::size_t bytes, bool is_stream) {
  constexpr std::size_t kStructure = 256;
  constexpr std::size_t kAtEnd = 320;
  constexpr std::size_t kPage = 4096;
  const std::size_t most_in_head = (is_stream ? kPage : 4 * kPage) - kAtEnd;
  const std::size_t pages = (bytes - std::min(bytes, most_in_head) + kPage - 1) / kPage;
  const std::size_t head = bytes - std::min(bytes, pages * kPage) + kAtEnd;
  return kStructure + std::bit_ceil(head) + pages * kPage;
}

/// Of the buffer of who sends a message, this much is not for its bytes.
constexpr std::size_t kLeastSpare = 32;

/// What a stream puts into one buffer at most.
constexpr std::size_t kMostInPiece = 4096 - 320 + 32'768;

constexpr std::size_t kMostDatagrams = 11;  // net.unix.max_dgram_qlen, and the one on its way

}  // namespace

UnixSocket::~UnixSocket() {
  if (is_bound_) {
    auto& names = kernel().state<UnixNames>().names;
    const auto found = names.find({host().node, path_});
    if (found != names.end() && found->second == this) {
      names.erase(found);
    }
  }
  const std::shared_ptr<UnixSocket> peer = peer_.lock();
  if (peer && type() != SOCK_DGRAM) {
    peer->peer_is_gone_ = true;
    // what it sent was not read; an empty message in front does not count, as in Linux since 6.16
    const std::size_t empty = !pieces_.empty() && pieces_.front().bytes.empty() ? 1 : 0;
    if (pieces_.size() > empty) {
      peer->set_error(ECONNRESET);
    }
    peer->changed();
  } else if (peer && !pieces_.empty()) {
    peer->changed(kRoomToWrite);  // what it sent is thrown away
  }
  for (const std::shared_ptr<UnixSocket>& one : waiting_) {
    if (const std::shared_ptr<UnixSocket> other = one->peer_.lock()) {
      other->set_error(ECONNRESET);
    }
  }
}

void UnixSocket::join(UnixSocket& first, UnixSocket& second, pid_t process) {
  for (auto [one, other] : {std::pair(&first, &second), std::pair(&second, &first)}) {
    one->peer_ = std::static_pointer_cast<UnixSocket>(other->shared_from_this());
    one->was_connected_ = true;
    one->process_ = process;
    one->peer_process_ = process;
  }
}

std::string UnixSocket::path_of(const SocketName& name) {
  if (name.size() <= sizeof(sa_family_t)) {
    return {};
  }
  std::string path = name.substr(sizeof(sa_family_t));
  if (path[0] != '\0') {
    path.resize(std::strlen(path.c_str()));
  }
  return path;
}

bool UnixSocket::binds_natively(const SocketName& name) const {
  const std::string path = path_of(name);
  return !path.empty() && path[0] != '\0';
}

std::shared_ptr<UnixSocket> UnixSocket::find(const std::string& path) const {
  const auto& names = kernel().state<UnixNames>().names;
  const auto found = names.find({host().node, path});
  return found == names.end()
             ? nullptr
             : std::static_pointer_cast<UnixSocket>(found->second->shared_from_this());
}

std::int64_t UnixSocket::bind(Thread&, const SocketName& name) {
  std::string path = path_of(name);
  UnixNames& names = kernel().state<UnixNames>();
  if (is_bound_ && path != path_) {
    return -EINVAL;
  }
  if (path.empty()) {
    char made[8];
    std::snprintf(made, sizeof(made), "%05x", names.next_abstract++);
    path = std::string(1, '\0') + made;
  }
  UnixSocket*& place = names.names[{host().node, path}];
  if (place != nullptr && place != this && path[0] == '\0') {
    return -EADDRINUSE;
  }
  // where there is a file, the machine's own kernel says whether it may be there
  place = this;
  path_ = path;
  is_bound_ = true;
  return 0;
}

std::int64_t UnixSocket::connect(Thread& thread, const SocketName& name) {
  const std::string path = path_of(name);
  sa_family_t given = AF_UNSPEC;
  std::memcpy(&given, name.data(), std::min(name.size(), sizeof(given)));
  if (type() == SOCK_DGRAM && given == AF_UNSPEC) {
    peer_.reset();
    peer_path_.clear();
    return 0;
  }
  if (given != AF_UNIX) {
    return -EINVAL;
  }
  if (is_listening_) {
    return -EINVAL;
  }
  if (type() != SOCK_DGRAM && was_connected_) {
    return -EISCONN;
  }
  const std::shared_ptr<UnixSocket> there = find(path);
  if (!there) {
    return path.empty() || path[0] == '\0' ? -ECONNREFUSED : -ENOENT;
  }
  if (there->type() != type()) {
    return -EPROTOTYPE;
  }
  if (type() == SOCK_DGRAM) {
    peer_ = there;
    peer_path_ = path;
    return 0;
  }
  return connect_stream(*there, thread.process->id);
}

std::int64_t UnixSocket::connect_stream(UnixSocket& listener, pid_t process) {
  if (!listener.is_listening_) {
    return -ECONNREFUSED;
  }
  if (listener.waiting_.size() > listener.backlog_) {
    return -EAGAIN;
  }
  auto end = std::make_shared<UnixSocket>(kernel(), host(), type());
  end->take_options(listener);
  end->peer_ = std::static_pointer_cast<UnixSocket>(shared_from_this());
  end->path_ = listener.path_;
  end->peer_path_ = path_;
  end->was_connected_ = true;
  end->process_ = listener.process_;
  end->peer_process_ = process;
  peer_ = end;
  peer_path_ = listener.path_;
  was_connected_ = true;
  process_ = process;
  peer_process_ = listener.process_;
  listener.waiting_.push_back(std::move(end));
  listener.changed();
  changed();
  return 0;
}

std::int64_t UnixSocket::listen(Thread& thread, int backlog) {
  if (type() == SOCK_DGRAM) {
    return -EOPNOTSUPP;
  }
  if (!is_bound_ || was_connected_) {
    return -EINVAL;
  }
  is_listening_ = true;
  process_ = thread.process->id;
  backlog_ = static_cast<std::size_t>(std::clamp(backlog, 0, 4096));
  return 0;
}

std::shared_ptr<Socket> UnixSocket::accept() {
  if (waiting_.empty()) {
    return nullptr;
  }
  std::shared_ptr<UnixSocket> socket = std::move(waiting_.front());
  waiting_.pop_front();
  changed();  // there is room for who waits to connect
  return socket;
}

std::uint32_t UnixSocket::readiness() const {
  std::uint32_t ready = error() != 0 ? POLLERR : 0U;
  if (is_listening_) {
    return waiting_.empty() ? ready : ready | POLLIN | POLLRDNORM;
  }
  if (!pieces_.empty()) {
    ready |= POLLIN | POLLRDNORM;
  }
  if (reads_nothing_ || peer_is_gone_) {
    ready |= POLLIN | POLLRDNORM | POLLRDHUP;
  }
  if (peer_is_gone_ || (reads_nothing_ && writes_nothing_) ||
      (type() != SOCK_DGRAM && !was_connected_)) {
    ready |= POLLHUP;
  }
  // less than a quarter of the buffer is under way
  const std::shared_ptr<UnixSocket> peer = peer_.lock();
  const bool is_crowded =
      peer && (peer->pieces_memory_ * 4 >= static_cast<std::size_t>(send_buffer()) ||
               (type() == SOCK_DGRAM && !peer->has_room_from(*this)));
  return is_crowded ? ready : ready | kRoomToWrite;
}

/// Datagrams of those who are not its peer are counted.
bool UnixSocket::has_room_from(const UnixSocket& sender) const {
  const bool is_peer = peer_.lock().get() == &sender;
  return (type() != SOCK_DGRAM || is_peer || pieces_.size() < kMostDatagrams) &&
         pieces_memory_ < static_cast<std::size_t>(sender.send_buffer());
}

void UnixSocket::push(Piece piece) {
  pieces_bytes_ += piece.bytes.size();
  pieces_memory_ += memory_of(piece.bytes.size(), type() == SOCK_STREAM);
  pieces_.push_back(std::move(piece));
}

void UnixSocket::pop() {
  const Piece& piece = pieces_.front();
  pieces_bytes_ -= piece.bytes.size() - piece.taken;
  pieces_memory_ -= memory_of(piece.bytes.size(), type() == SOCK_STREAM);
  pieces_.pop_front();
}

std::int64_t UnixSocket::wait_for_room(UnixSocket& to) {
  to.wanting_room_.push_back(std::static_pointer_cast<UnixSocket>(shared_from_this()));
  return -EAGAIN;
}

/// A datagram that was made before it turned out that nobody takes it: who waits for room hears
/// that there is some again.
std::int64_t UnixSocket::throw_away(int why) {
  changed(kRoomToWrite);
  return -why;
}

std::int64_t UnixSocket::send(Outgoing& message) {
  if (error() != 0 && keeps_records()) {
    return -take_error();
  }
  std::shared_ptr<UnixSocket> to = peer_.lock();
  if (!message.to.empty()) {
    if (type() != SOCK_DGRAM) {
      return was_connected_ ? -EISCONN : -EOPNOTSUPP;
    }
    const std::string path = path_of(message.to);
    to = find(path);
    if (!to) {
      return throw_away(path.empty() || path[0] == '\0' ? ECONNREFUSED : ENOENT);
    }
  }
  if (writes_nothing_) {
    return -EPIPE;
  }
  if (!to || peer_is_gone_) {
    if (type() == SOCK_DGRAM) {
      // who was there is forgotten when that is noticed, and what it has sent
      const bool had_peer = was_connected_ || !peer_path_.empty();
      peer_path_.clear();
      was_connected_ = false;
      while (message.to.empty() && had_peer && !pieces_.empty()) {
        pop();
      }
      return had_peer || !message.to.empty() ? throw_away(ECONNREFUSED) : throw_away(ENOTCONN);
    }
    return was_connected_ ? -EPIPE : -ENOTCONN;
  }
  if (to->reads_nothing_) {
    return type() == SOCK_DGRAM ? throw_away(EPIPE) : -EPIPE;
  }
  const std::size_t size = message.bytes.size();
  if (keeps_records() && size + kLeastSpare > static_cast<std::size_t>(send_buffer())) {
    return -EMSGSIZE;
  }
  if (!keeps_records() && size == 0) {
    return 0;
  }
  if (!to->has_room_from(*this)) {
    return wait_for_room(*to);
  }
  std::size_t count = 0;
  do {
    const std::size_t now = keeps_records() ? size : std::min(size - count, kMostInPiece);
    Piece piece;
    piece.bytes.assign(reinterpret_cast<const char*>(message.bytes.data()) + count, now);
    piece.from = is_bound_ ? path_ : std::string();
    piece.sender = process_;
    piece.passed = std::exchange(message.passed, {});
    to->push(std::move(piece));
    count += now;
  } while (count < size && to->has_room_from(*this));
  to->changed(kMoreToRead);
  return static_cast<std::int64_t>(count);
}

std::int64_t UnixSocket::receive(Incoming& message) {
  if (is_listening_ || (!was_connected_ && type() != SOCK_DGRAM)) {
    return type() == SOCK_SEQPACKET ? -ENOTCONN : -EINVAL;
  }
  if (error() != 0 && (keeps_records() || pieces_.empty())) {
    return -take_error();
  }
  if (pieces_.empty()) {
    // those who ask for datagrams without waiting do not hear that there will be none
    const bool waits = !is_nonblocking() && (message.flags & MSG_DONTWAIT) == 0;
    const bool is_over = reads_nothing_ || peer_is_gone_;
    return is_over && (type() != SOCK_DGRAM || waits) ? 0 : -EAGAIN;
  }
  const bool peeks = (message.flags & MSG_PEEK) != 0;
  std::size_t count = 0;
  std::size_t index = 0;
  std::int64_t whole = 0;
  bool has_some = false;
  bool has_freed = false;
  while (index < pieces_.size()) {
    Piece& piece = pieces_[index];
    // descriptors come with the first byte of what they were sent with, and end what comes before
    if (has_some && (keeps_records() || !piece.passed.empty() || !message.passed.empty() ||
                     count == message.room.size())) {
      break;
    }
    has_some = true;
    const std::size_t now = std::min(message.room.size() - count, piece.bytes.size() - piece.taken);
    std::memcpy(message.room.data() + count, piece.bytes.data() + piece.taken, now);
    count += now;
    whole += static_cast<std::int64_t>(piece.bytes.size());
    if (!piece.passed.empty()) {
      message.passed = peeks ? piece.passed : std::move(piece.passed);
      piece.passed.clear();
    }
    if (keeps_records()) {
      if (now < piece.bytes.size()) {
        message.result_flags |= MSG_TRUNC;
      }
      if (type() == SOCK_SEQPACKET) {
        message.result_flags |= MSG_EOR;
      }
      if (type() == SOCK_DGRAM && !piece.from.empty()) {
        const sa_family_t unix_family = AF_UNIX;
        message.from = std::string(reinterpret_cast<const char*>(&unix_family), 2) + piece.from +
                       (piece.from[0] == '\0' ? "" : std::string(1, '\0'));
      }
    }
    if (has_credentials() && message.control.empty()) {
      const ucred credentials{piece.sender, ::getuid(), ::getgid()};
      message.control.push_back(
          {{SOL_SOCKET, SCM_CREDENTIALS},
           std::string(reinterpret_cast<const char*>(&credentials), sizeof(credentials))});
    }
    if (peeks) {
      ++index;
      continue;
    }
    if (keeps_records() || piece.taken + now == piece.bytes.size()) {
      pop();
      has_freed = true;
    } else {
      pieces_bytes_ -= now;
      piece.taken += now;
      break;
    }
  }
  if (has_freed) {
    const std::shared_ptr<UnixSocket> peer = peer_.lock();
    if (peer && pieces_memory_ * 4 < static_cast<std::size_t>(peer->send_buffer())) {
      peer->changed(kRoomToWrite);
    }
    for (const std::weak_ptr<UnixSocket>& one : std::exchange(wanting_room_, {})) {
      const std::shared_ptr<UnixSocket> sender = one.lock();
      if (sender && sender != peer) {
        sender->changed(kRoomToWrite);
      }
    }
  }
  return keeps_records() && (message.flags & MSG_TRUNC) != 0 ? whole
                                                             : static_cast<std::int64_t>(count);
}

std::int64_t UnixSocket::shut_down(int how) {
  if (how < SHUT_RD || how > SHUT_RDWR) {
    return -EINVAL;
  }
  const std::shared_ptr<UnixSocket> peer = peer_.lock();
  if (how != SHUT_RD) {
    writes_nothing_ = true;
    if (peer && type() != SOCK_DGRAM) {
      peer->reads_nothing_ = true;
    }
  }
  if (how != SHUT_WR) {
    reads_nothing_ = true;
    if (peer && type() != SOCK_DGRAM) {
      peer->writes_nothing_ = true;
    }
  }
  changed();
  if (peer && type() != SOCK_DGRAM) {
    peer->changed();
  }
  return 0;
}

SocketName UnixSocket::name() const {
  const sa_family_t family = AF_UNIX;
  std::string name(reinterpret_cast<const char*>(&family), sizeof(family));
  if (!path_.empty()) {
    name += path_;
    if (path_[0] != '\0') {
      name += '\0';
    }
  }
  return name;
}

std::optional<SocketName> UnixSocket::peer_name() const {
  if (!was_connected_ && peer_.expired()) {
    return std::nullopt;
  }
  const sa_family_t family = AF_UNIX;
  std::string name(reinterpret_cast<const char*>(&family), sizeof(family));
  if (!peer_path_.empty()) {
    name += peer_path_ + (peer_path_[0] != '\0' ? std::string(1, '\0') : "");
  }
  return name;
}

std::optional<std::string> UnixSocket::option(int level, int name) {
  if (level == SOL_SOCKET && name == SO_PEERCRED) {
    const ucred credentials{peer_process_, ::getuid(), ::getgid()};
    return std::string(reinterpret_cast<const char*>(&credentials), sizeof(credentials));
  }
  return Socket::option(level, name);
}

std::int64_t UnixSocket::readable_bytes() const {
  if (type() == SOCK_DGRAM) {
    return pieces_.empty() ? 0 : static_cast<std::int64_t>(pieces_.front().bytes.size());
  }
  return static_cast<std::int64_t>(pieces_bytes_);
}

}  // namespace longarm::programs
