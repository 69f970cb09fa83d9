// SPDX-License-Identifier: Apache-2.0
// TCP as programs see it: readiness, errors and options; the stream does the rest.
#include "longarm/programs/kernel/tcp_socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

namespace longarm::programs {
namespace {

constexpr std::uint32_t kReadable = POLLIN | POLLRDNORM;
constexpr std::uint32_t kWritable = POLLOUT | POLLWRNORM;
/// What programs are told of a segment's size; without timestamps it would be 1460.
constexpr int kLoopbackSegment = 32'768;

int error_of(network::StreamFailure why) {
  switch (why) {
    case network::StreamFailure::kRefused:
      return ECONNREFUSED;
    case network::StreamFailure::kTimedOut:
      return ETIMEDOUT;
    case network::StreamFailure::kReset:
      return ECONNRESET;
  }
  return ECONNRESET;
}

}  // namespace

TcpSocket::~TcpSocket() {
  if (stream_ && lingers_for_nothing()) {
    stream_->reset();
  }
}

network::TcpOptions TcpSocket::default_options() {
  network::TcpOptions options;
  options.is_nodelay = false;
  return options;
}

int TcpSocket::protocol() const {
  return IPPROTO_TCP;
}

std::uint32_t TcpSocket::readiness() const {
  std::uint32_t ready = error() != 0 ? POLLERR : 0U;
  switch (state_) {
    case State::kNew:
      return ready | kWritable | POLLHUP;
    case State::kListening:
      return waiting_.empty() ? 0U : kReadable;
    case State::kConnecting:
      return ready;
    case State::kFailed:
      return ready | kReadable | kWritable | POLLHUP | POLLRDHUP;
    case State::kConnected:
      break;
  }
  const bool is_over = stream_->has_fin() || reads_nothing_;
  if (is_over) {
    ready |= kReadable | POLLRDHUP;
  }
  if (stream_->readable() >= low_water_) {
    ready |= kReadable;
  }
  if (writes_nothing_) {
    ready |= kWritable | (is_over ? POLLHUP : 0U);
  } else if (stream_->room() > 0 && stream_->room() >= stream_->unacknowledged() / 2) {
    ready |= kWritable;  // when a third of the buffer is free, as Linux has it
  }
  return ready;
}

std::int64_t TcpSocket::connect(Thread&, const SocketName& name) {
  sa_family_t given = AF_UNSPEC;
  std::memcpy(&given, name.data(), std::min(name.size(), sizeof(given)));
  if (given == AF_UNSPEC && name.size() >= sizeof(given)) {
    stream_.reset();
    state_ = State::kNew;
    peer_.reset();
    return 0;
  }
  int problem = 0;
  std::optional<InetAddress> to = parse_inet(family(), name, problem);
  if (!to) {
    return problem;
  }
  switch (state_) {
    case State::kConnected:
      return -EISCONN;
    case State::kConnecting:
      return -EALREADY;
    case State::kListening:
      return -EISCONN;
    case State::kFailed:
      if (error() != 0) {
        return -take_error();
      }
      return -ECONNABORTED;
    case State::kNew:
      break;
  }
  Host* there = nullptr;
  if (const std::int64_t wrong = resolve(*to, there); wrong < 0) {
    return wrong;
  }
  if (kernel().streams() == nullptr) {
    return -ENETUNREACH;
  }
  if (const std::int64_t wrong = bind_anywhere(); wrong < 0) {
    return wrong;
  }
  // who asks for an answer has to be there
  kernel().state<Internet>().ports(kernel(), *there);
  const std::uint32_t source = source_towards(*to);
  Result<std::unique_ptr<network::Stream>> stream =
      kernel().streams()->connect({host().node, local_.port}, {there->node, to->port},
                                  label_of(source, to->address), options_, priority_, *this);
  if (!stream) {
    return -ENETUNREACH;
  }
  stream_ = std::move(stream).value();
  local_.address = source;
  peer_ = *to;
  state_ = State::kConnecting;
  return -EINPROGRESS;
}

std::optional<std::int64_t> TcpSocket::connect_result() {
  if (state_ == State::kConnecting) {
    return std::nullopt;
  }
  if (state_ == State::kFailed) {
    const int why = take_error();
    state_ = State::kNew;  // it may be tried again
    stream_.reset();
    peer_.reset();
    return -(why == 0 ? ECONNREFUSED : why);
  }
  return 0;
}

std::int64_t TcpSocket::listen(Thread&, int backlog) {
  if (state_ != State::kNew && state_ != State::kListening) {
    return -EINVAL;
  }
  if (const std::int64_t wrong = bind_anywhere(); wrong < 0) {
    return wrong;
  }
  for (const InetSocket* other :
       kernel().state<Internet>().ports(kernel(), host()).at(SOCK_STREAM, local_.port)) {
    if (other != this && other->is_listening() && !goes_with(*other, local_.address)) {
      return -EADDRINUSE;
    }
  }
  state_ = State::kListening;
  constexpr int kMost = 4096;
  backlog_ = static_cast<std::size_t>(backlog < 0 ? kMost : std::min(backlog, kMost));
  return 0;
}

void TcpSocket::arrived(std::unique_ptr<network::Stream> stream) {
  coming_ -= std::min<std::size_t>(coming_, 1);
  auto socket = std::make_shared<TcpSocket>(kernel(), host(), family());
  socket->take_options(*this);
  socket->options_ = options_;
  socket->state_ = State::kConnected;
  const network::Label label = stream->label();
  socket->peer_ = InetAddress{source_of(label), stream->remote().number};
  socket->take_place({destination_of(label), stream->local().number});
  socket->stream_ = std::move(stream);
  socket->stream_->set_listener(*socket);
  waiting_.push_back(std::move(socket));
  changed();
}

std::shared_ptr<Socket> TcpSocket::accept() {
  if (waiting_.empty()) {
    return nullptr;
  }
  std::shared_ptr<TcpSocket> socket = std::move(waiting_.front());
  waiting_.pop_front();
  return socket;
}

std::int64_t TcpSocket::send(Outgoing& message) {
  if (!message.passed.empty()) {
    return -EINVAL;
  }
  if (error() != 0) {
    return -take_error();
  }
  if (state_ == State::kConnecting) {
    return -EAGAIN;
  }
  if (state_ != State::kConnected || writes_nothing_) {
    return -EPIPE;
  }
  if (message.bytes.empty()) {
    return 0;
  }
  const bool has_more = (message.flags & MSG_MORE) != 0;
  if (has_more && !is_corked_) {
    stream_->set_cork(true);
  }
  const std::size_t taken = stream_->write(message.bytes);
  if (!has_more && !is_corked_) {
    stream_->set_cork(false);
  }
  return taken == 0 ? -EAGAIN : static_cast<std::int64_t>(taken);
}

std::int64_t TcpSocket::receive(Incoming& message) {
  if (state_ == State::kListening || state_ == State::kNew) {
    return -ENOTCONN;
  }
  if ((message.flags & MSG_OOB) != 0) {
    return -EINVAL;
  }
  if (stream_ && stream_->readable() > 0) {
    const std::size_t count =
        (message.flags & MSG_PEEK) != 0 ? stream_->peek(message.room) : stream_->read(message.room);
    return static_cast<std::int64_t>(count);
  }
  if (error() != 0) {
    return -take_error();
  }
  if (state_ == State::kFailed || reads_nothing_ || (stream_ && stream_->has_fin())) {
    return 0;
  }
  return -EAGAIN;
}

std::int64_t TcpSocket::shut_down(int how) {
  if (how < SHUT_RD || how > SHUT_RDWR) {
    return -EINVAL;
  }
  if (state_ == State::kListening) {
    if (how == SHUT_WR) {
      return 0;
    }
    state_ = State::kNew;
    waiting_.clear();
    changed();
    return 0;
  }
  if (state_ != State::kConnected && state_ != State::kConnecting) {
    return -ENOTCONN;
  }
  if (how != SHUT_RD && !std::exchange(writes_nothing_, true)) {
    stream_->shut_down_writing();
  }
  if (how != SHUT_WR) {
    reads_nothing_ = true;
  }
  changed();
  return 0;
}

void TcpSocket::connected() {
  state_ = State::kConnected;
  changed();
}

void TcpSocket::readable() {
  changed();
}

void TcpSocket::writable() {
  changed();
}

void TcpSocket::failed(network::StreamFailure why) {
  // a reset behind the end of what the other side sent is no surprise, only what was written since
  const bool is_behind_end = why == network::StreamFailure::kReset && stream_ && stream_->has_fin();
  set_error(is_behind_end ? EPIPE : error_of(why));
  state_ = State::kFailed;
  changed();
}

std::int64_t TcpSocket::readable_bytes() const {
  return stream_ ? static_cast<std::int64_t>(stream_->readable()) : 0;
}

std::int64_t TcpSocket::unsent_bytes() const {
  return stream_ ? static_cast<std::int64_t>(stream_->unacknowledged()) : 0;
}

// --- options ----------------------------------------------------------------------------------

std::optional<std::int64_t> TcpSocket::set_option(int level, int name, const std::string& value) {
  const auto tell_keep_alive = [&](bool is_on) {
    if (stream_) {
      stream_->set_keep_alive(is_on ? options_.keep_alive_after : Duration(0),
                              options_.keep_alive_every, options_.keep_alive_probes);
    }
  };
  if (level == SOL_SOCKET) {
    switch (name) {
      case SO_KEEPALIVE:
        options_.keep_alive_after =
            int_of(value) == 0 ? Duration(0) : Duration(std::chrono::hours(2));
        tell_keep_alive(int_of(value) != 0);
        break;
      case SO_SNDBUF:
        options_.send_buffer_bytes = std::max(2 * int_of(value), 4608);
        if (stream_) {
          stream_->set_send_buffer(options_.send_buffer_bytes);
        }
        break;
      case SO_RCVBUF:
        options_.receive_buffer_bytes = std::max(2 * int_of(value), 2304);
        if (stream_) {
          stream_->set_receive_buffer(options_.receive_buffer_bytes);
        }
        break;
      case SO_RCVLOWAT:
        low_water_ = static_cast<std::uint32_t>(std::max(int_of(value), 1));
        return 0;
      default:
        break;
    }
    return Socket::set_option(level, name, value);
  }
  if (level != IPPROTO_TCP) {
    return InetSocket::set_option(level, name, value);
  }
  const int number = int_of(value);
  switch (name) {
    case TCP_NODELAY:
      options_.is_nodelay = number != 0;
      if (stream_) {
        stream_->set_nodelay(options_.is_nodelay);
      }
      return 0;
    case TCP_CORK:
      is_corked_ = number != 0;
      if (stream_) {
        stream_->set_cork(is_corked_);
      }
      return 0;
    case TCP_QUICKACK:
      if (stream_) {
        stream_->set_quick_ack(number != 0);
      }
      return 0;
    case TCP_KEEPIDLE:
      options_.keep_alive_after = std::chrono::seconds(number);
      tell_keep_alive(true);
      return 0;
    case TCP_KEEPINTVL:
      options_.keep_alive_every = std::chrono::seconds(number);
      tell_keep_alive(true);
      return 0;
    case TCP_KEEPCNT:
      options_.keep_alive_probes = number;
      tell_keep_alive(true);
      return 0;
    case TCP_MAXSEG:
      options_.mss_bytes = std::clamp(number, 88, 1460) - (options_.has_timestamps ? 12 : 0);
      return 0;
    case TCP_CONGESTION:
      if (value.rfind("reno", 0) == 0 || value.rfind("cubic", 0) == 0) {
        options_.congestion = value[0] == 'r' ? network::CongestionControl::kReno
                                              : network::CongestionControl::kCubic;
        return 0;
      }
      return -ENOENT;
    case TCP_USER_TIMEOUT:
    case TCP_DEFER_ACCEPT:
    case TCP_SYNCNT:
    case TCP_LINGER2:
    case TCP_NOTSENT_LOWAT:
    case TCP_WINDOW_CLAMP:
      return 0;
    default:
      return -ENOPROTOOPT;  // fast open and the like
  }
}

std::optional<std::string> TcpSocket::option(int level, int name) {
  if (level == SOL_SOCKET && name == SO_SNDBUF) {
    return option_of(static_cast<int>(options_.send_buffer_bytes));
  }
  if (level == SOL_SOCKET && name == SO_RCVBUF) {
    return option_of(static_cast<int>(options_.receive_buffer_bytes));
  }
  if (level == SOL_SOCKET && name == SO_RCVLOWAT) {
    return option_of(static_cast<int>(low_water_));
  }
  if (level != IPPROTO_TCP) {
    return InetSocket::option(level, name);
  }
  const auto seconds = [](Duration span) {
    return option_of(
        static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(span).count()));
  };
  switch (name) {
    case TCP_NODELAY:
      return option_of(options_.is_nodelay ? 1 : 0);
    case TCP_CORK:
      return option_of(is_corked_ ? 1 : 0);
    case TCP_QUICKACK:
      return option_of(1);
    case TCP_MAXSEG:
      return option_of(peer_ && peer_->is_loopback() ? kLoopbackSegment
                                                     : static_cast<int>(options_.mss_bytes));
    case TCP_KEEPIDLE:
      return seconds(options_.keep_alive_after.count() == 0 ? Duration(std::chrono::hours(2))
                                                            : options_.keep_alive_after);
    case TCP_KEEPINTVL:
      return seconds(options_.keep_alive_every);
    case TCP_KEEPCNT:
      return option_of(static_cast<int>(options_.keep_alive_probes));
    case TCP_CONGESTION: {
      constexpr std::size_t kLongestName = 16;
      const bool is_reno = options_.congestion == network::CongestionControl::kReno;
      return std::string(is_reno ? "reno" : "cubic") +
             std::string(kLongestName - (is_reno ? 4 : 5), '\0');
    }
    case TCP_INFO:
      return info();
    default:
      return std::nullopt;
  }
}

std::string TcpSocket::info() const {
  tcp_info info{};
  // numbers of states as the kernel has them
  info.tcpi_state = state_ == State::kConnected    ? TCP_ESTABLISHED
                    : state_ == State::kListening  ? TCP_LISTEN
                    : state_ == State::kConnecting ? TCP_SYN_SENT
                                                   : TCP_CLOSE;
  info.tcpi_snd_mss = static_cast<std::uint32_t>(options_.mss_bytes);
  info.tcpi_rcv_mss = info.tcpi_snd_mss;
  info.tcpi_advmss = info.tcpi_snd_mss;
  info.tcpi_pmtu = 1500;
  if (stream_) {
    info.tcpi_rtt = static_cast<std::uint32_t>(stream_->smoothed_round_trip().count() / 1000);
    info.tcpi_unacked = static_cast<std::uint32_t>(
        (static_cast<std::int64_t>(stream_->unacknowledged()) + options_.mss_bytes - 1) /
        options_.mss_bytes);
  }
  return {reinterpret_cast<const char*>(&info), sizeof(info)};
}

}  // namespace longarm::programs
