// SPDX-License-Identifier: Apache-2.0
// Contents beside a backend that only counts them; connections that stay on a host; datagrams.
#include "longarm/network/streams.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/core/index.h"
#include "longarm/network/byte_queue.h"
#include "longarm/network/ring.h"

namespace longarm::network {
namespace {

constexpr std::size_t kLargestDatagram = 65'507;
/// An IP header and eight bytes of what found nobody, behind ICMP's own eight, which take the place
/// of UDP's (RFC 792).
constexpr std::uint32_t kUnreachableBytes = 20 + 8;
/// As often as over cables a call that is ignored is repeated.
constexpr int kMostRecalls = 6;
/// Of a window that is not open wide enough for what waits; Linux' loopback has segments that long.
constexpr std::uint64_t kLoopbackCrumb = 65'483;

class ProgramStreams final : public Streams, private StreamUser, private PacketContents {
  using What = StreamNews::What;

 public:
  ProgramStreams(sim::Kernel& kernel, Network& network, StreamBackend& backend)
      : kernel_(kernel),
        source_(kernel.add_source("streams")),
        network_(network),
        backend_(backend) {
    network_.set_stream_user(this);
    backend_.set_contents(this);
  }
  ~ProgramStreams() override {
    backend_.set_contents(nullptr);
    network_.set_stream_user(nullptr);
  }
  ProgramStreams(const ProgramStreams&) = delete;
  ProgramStreams& operator=(const ProgramStreams&) = delete;

  void set_doorman(NodeId host, Doorman& doorman) override {
    const auto place = static_cast<std::size_t>(host);
    doormen_.resize(std::max(doormen_.size(), place + 1));
    doormen_[place] = &doorman;
  }

  Result<std::unique_ptr<Stream>> connect(HostPort from, HostPort to, Label label,
                                          const TcpOptions& options, int priority,
                                          StreamListener& listener) override;
  bool send_datagram(HostPort from, HostPort to, Label label, std::span<const std::byte> bytes,
                     int priority) override;

 private:
  class Handle;

  /// What a program is about to hear.
  struct Heard {
    What what{};
    StreamFailure why{};
    std::uint64_t value = 0;
  };

  struct Connection;
  struct End {
    Connection* connection = nullptr;
    Side side{};
    HostPort port;
    TcpOptions options;
    StreamListener* listener = nullptr;
    bool is_held = false;       ///< by a program
    bool is_connected = false;  ///< and whatever follows, as far as the program has heard
    bool has_fin = false;
    bool is_over = false;
    bool is_shut = false;
    bool is_waiting_for_room = false;
    std::uint64_t coming = 0;   ///< of the other end's bytes, as far as this host has them
    std::uint64_t arrived = 0;  ///< of the other end's bytes, as far as the program has heard
    std::uint64_t read = 0;
    ByteQueue out;  ///< what the other end has not read, nor a capture seen for good
    Time last_sent{};
    Time last_heard{};
    Ring<Heard> hearing;

    // only on one host
    std::uint64_t sent = 0;
    std::uint64_t acknowledged = 0;
    bool is_fin_sent = false;

    std::uint64_t written() const { return out.end(); }
  };

  struct Connection {
    FlowId flow{};
    Label label{};
    bool is_loopback = false;
    bool is_over = false;  ///< the backend has forgotten it
    int calls = 0;
    int telling = 0;  ///< programs are being told, and may do anything meanwhile
    Time called_at{};
    End ends[2];

    End& end(Side side) { return ends[index_of(side)]; }
    const End& end(Side side) const { return ends[index_of(side)]; }
    bool is_at_rest() const {
      return is_over && telling == 0 && ends[0].hearing.empty() && ends[1].hearing.empty() &&
             !ends[0].is_held && !ends[1].is_held;
    }
  };

  /// Datagrams from one host to another, of one priority.
  struct Channel {
    struct Datagram {
      HostPort from;
      HostPort to;
      Label label{};
      std::vector<std::byte> bytes;
      bool is_unreachable = false;  ///< no datagram, but the answer to one: at the sender
      std::uint32_t unreachable_bytes = 0;
    };
    struct Arrival {
      std::uint64_t number = 0;
      Side at{};
      bool is_last = false;
      bool is_lost = false;
    };
    NodeId from{};
    NodeId to{};
    FlowId flow{};
    bool is_loopback = false;
    std::uint64_t next_number = 1;
    Time last_sent{};
    Time last_heard{};
    std::map<std::uint64_t, Datagram> under_way;  ///< by number
    Ring<Arrival> arriving;
  };

  Connection& take_connection();
  void forget_if_over(Connection& c);
  Doorman* doorman(NodeId host) const {
    const auto place = static_cast<std::size_t>(host);
    return place < doormen_.size() ? doormen_[place] : nullptr;
  }
  StreamBackend::Answer ask_doorman(Connection& c);

  // of handles
  std::size_t write(Connection& c, Side side, std::span<const std::byte> bytes);
  std::size_t read(Connection& c, Side side, std::span<std::byte> out);
  void shut_down(Connection& c, Side side);
  void reset(Connection& c, Side side);
  void release(Connection& c, Side side);
  void change(Connection& c, Side side, const StreamChange& change);
  std::uint64_t acknowledged(const Connection& c, Side side) const;
  std::uint64_t unacknowledged(const Connection& c, Side side) const {
    return c.end(side).written() - acknowledged(c, side);
  }
  /// So much has to be acknowledged for its program to be told that it may write again.
  static std::uint64_t enough_room(const End& end);
  std::uint64_t room(const Connection& c, Side side) const;
  std::uint64_t unsent(const Connection& c, Side side) const;
  Duration smoothed_round_trip(const Connection& c, Side side) const;
  void wait_for_room(Connection& c, Side side);

  void hear(const StreamNews& news) override;
  void hear(Connection& c, Side side, const Heard& heard, Time at);
  void tell(Connection& c, Side side, const Heard& heard);
  void tell_connected(Connection& c, Side side);

  // on one host
  void call_over_loopback(Connection& c);
  void answer_over_loopback(Connection& c);
  void push_over_loopback(Connection& c, Side from);
  void acknowledge_over_loopback(Connection& c, Side from);
  void reset_over_loopback(Connection& c, Side from);
  Duration loopback(const Connection& c, std::uint64_t bytes) {
    return network_.draw_loopback(c.ends[0].port.host, bytes);
  }

  Ports ports(FlowId flow, Side from, std::uint64_t datagram) const override;
  void copy(FlowId flow, Side from, std::uint64_t datagram, std::uint64_t offset,
            std::span<std::byte> out) const override;
  const Channel::Datagram* datagram_of(FlowId flow, std::uint64_t number) const;

  Channel* channel(NodeId from, NodeId to, int priority);
  void hear_datagram(Channel& channel, const Channel::Arrival& arrival, Time at);
  void tell_datagram(Channel& channel, const Channel::Arrival& arrival);
  void send_unreachable(Channel& channel, const Channel::Datagram& datagram);

  sim::Kernel& kernel_;
  sim::SourceId source_;
  Network& network_;
  StreamBackend& backend_;
  std::vector<Doorman*> doormen_;
  std::deque<Connection> connections_;  // a deque: they are referred to
  std::vector<Connection*> free_;
  std::vector<Connection*> by_flow_;  // or null
  std::map<std::tuple<NodeId, NodeId, int>, Channel> channels_;
  std::vector<Channel*> channel_by_flow_;  // or null
};

/// What a program holds of a connection.
class ProgramStreams::Handle final : public Stream {
 public:
  Handle(ProgramStreams& streams, Connection& connection, Side side)
      : streams_(streams), connection_(connection), side_(side) {}
  ~Handle() override { streams_.release(connection_, side_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void set_listener(StreamListener& listener) override { end().listener = &listener; }
  HostPort local() const override { return end().port; }
  HostPort remote() const override { return connection_.end(other(side_)).port; }
  Label label() const override { return connection_.label; }
  bool is_connected() const override { return end().is_connected && !end().is_over; }

  std::size_t write(std::span<const std::byte> bytes) override {
    return streams_.write(connection_, side_, bytes);
  }
  std::size_t room() const override { return streams_.room(connection_, side_); }
  std::size_t unacknowledged() const override {
    return streams_.unacknowledged(connection_, side_);
  }
  std::size_t unsent() const override { return streams_.unsent(connection_, side_); }

  std::size_t readable() const override { return end().arrived - end().read; }
  bool has_fin() const override { return end().has_fin; }
  bool is_at_end() const override { return end().has_fin && readable() == 0; }
  std::size_t read(std::span<std::byte> out) override {
    return streams_.read(connection_, side_, out);
  }
  std::size_t peek(std::span<std::byte> out, std::size_t offset) const override {
    if (offset >= readable()) {
      return 0;
    }
    return connection_.end(other(side_))
        .out.copy(end().read + offset, out.first(std::min(out.size(), readable() - offset)));
  }

  void shut_down_writing() override { streams_.shut_down(connection_, side_); }
  void reset() override { streams_.reset(connection_, side_); }

  void set_nodelay(bool is_nodelay) override {
    end().options.is_nodelay = is_nodelay;
    change({StreamChange::What::kNodelay, is_nodelay});
  }
  void set_cork(bool is_corked) override { change({StreamChange::What::kCork, is_corked}); }
  void set_quick_ack(bool is_quick) override { change({StreamChange::What::kQuickAck, is_quick}); }
  void set_keep_alive(Duration after, Duration every, std::int64_t probes) override {
    end().options.keep_alive_after = after;
    end().options.keep_alive_every = every;
    end().options.keep_alive_probes = probes;
    change({StreamChange::What::kKeepAlive, true, probes, after, every});
  }
  void set_send_buffer(std::int64_t bytes) override {
    end().options.send_buffer_bytes = bytes;
    change({StreamChange::What::kSendBuffer, true, bytes});
    if (end().is_waiting_for_room) {
      streams_.wait_for_room(connection_, side_);
    }
  }
  void set_receive_buffer(std::int64_t bytes) override {
    end().options.receive_buffer_bytes = bytes;
    change({StreamChange::What::kReceiveBuffer, true, bytes});
  }
  const TcpOptions& options() const override { return end().options; }
  Duration smoothed_round_trip() const override {
    return streams_.smoothed_round_trip(connection_, side_);
  }

 private:
  End& end() { return connection_.end(side_); }
  const End& end() const { return connection_.end(side_); }
  void change(const StreamChange& what) { streams_.change(connection_, side_, what); }

  ProgramStreams& streams_;
  Connection& connection_;
  Side side_;
};

// Connections.

ProgramStreams::Connection& ProgramStreams::take_connection() {
  if (free_.empty()) {
    return connections_.emplace_back();
  }
  Connection& c = *free_.back();
  free_.pop_back();
  c = Connection();
  return c;
}

void ProgramStreams::forget_if_over(Connection& c) {
  if (c.is_loopback && !c.is_over) {
    // a peer that is not held may still be handed out, while something is on its way
    c.is_over = !c.ends[0].is_held && !c.ends[1].is_held && c.ends[0].hearing.empty() &&
                c.ends[1].hearing.empty() && c.telling == 0;
  }
  if (!c.is_at_rest()) {
    return;
  }
  c.ends[0].out.clear();
  c.ends[1].out.clear();
  c.telling = -1;  // never at rest again
  free_.push_back(&c);
}

Result<std::unique_ptr<Stream>> ProgramStreams::connect(HostPort from, HostPort to, Label label,
                                                        const TcpOptions& options, int priority,
                                                        StreamListener& listener) {
  const bool is_loopback = from.host == to.host;
  FlowId flow{};
  if (!is_loopback) {
    FlowRequest request{from.host, to.host, {}};
    request.options.transport = Transport::kTcp;
    request.options.tcp = options;
    request.options.priority = priority;
    const Result<FlowId> opened = backend_.open_stream(request, kernel_.now());
    if (!opened) {
      return opened.error();
    }
    flow = *opened;
  }
  Connection& c = take_connection();
  c.flow = flow;
  c.label = label;
  c.is_loopback = is_loopback;
  c.ends[0].connection = c.ends[1].connection = &c;
  c.ends[1].side = Side::kPeer;
  c.ends[0].port = from;
  c.ends[1].port = to;
  c.ends[0].options = c.ends[1].options = options;
  c.ends[0].listener = &listener;
  c.ends[0].is_held = true;
  if (is_loopback) {
    c.called_at = kernel_.now();
    call_over_loopback(c);
  } else {
    const auto place = static_cast<std::size_t>(flow);
    by_flow_.resize(std::max(by_flow_.size(), place + 1));
    by_flow_[place] = &c;
  }
  return std::unique_ptr<Stream>(std::make_unique<Handle>(*this, c, Side::kOpener));
}

StreamBackend::Answer ProgramStreams::ask_doorman(Connection& c) {
  Doorman* const asked = doorman(c.ends[1].port.host);
  if (asked == nullptr) {
    return StreamBackend::Answer::kRefuse;
  }
  switch (asked->called(c.ends[1].port, c.ends[0].port, c.label, c.ends[1].options)) {
    case Doorman::Answer::kAccept:
      return StreamBackend::Answer::kAccept;
    case Doorman::Answer::kRefuse:
      return StreamBackend::Answer::kRefuse;
    case Doorman::Answer::kIgnore:
      break;
  }
  c.ends[1].options = c.ends[0].options;
  return StreamBackend::Answer::kIgnore;
}

// What programs do.

std::uint64_t ProgramStreams::acknowledged(const Connection& c, Side side) const {
  const End& end = c.end(side);
  return c.is_loopback ? end.acknowledged
                       : std::min(end.written(), backend_.state(c.flow, side).acknowledged);
}

std::uint64_t ProgramStreams::room(const Connection& c, Side side) const {
  const End& end = c.end(side);
  if (end.is_over || end.is_shut) {
    return 0;
  }
  const auto buffer = static_cast<std::uint64_t>(end.options.send_buffer_bytes);
  return buffer - std::min(buffer, unacknowledged(c, side));
}

std::uint64_t ProgramStreams::unsent(const Connection& c, Side side) const {
  const End& end = c.end(side);
  const std::uint64_t sent = c.is_loopback ? end.sent : backend_.state(c.flow, side).sent;
  return end.written() - std::min(end.written(), sent);
}

Duration ProgramStreams::smoothed_round_trip(const Connection& c, Side side) const {
  return c.is_loopback ? Duration(0) : backend_.state(c.flow, side).smoothed_round_trip;
}

std::size_t ProgramStreams::write(Connection& c, Side side, std::span<const std::byte> bytes) {
  End& end = c.end(side);
  const std::size_t size = std::min<std::uint64_t>(bytes.size(), room(c, side));
  if (size > 0) {
    end.out.append(bytes.first(size));
    if (c.is_loopback) {
      push_over_loopback(c, side);
    } else {
      end.last_sent =
          std::max(kernel_.now() + network_.draw_send(end.port.host, size), end.last_sent);
      backend_.write(c.flow, side, static_cast<std::uint32_t>(size), end.last_sent);
    }
  }
  // who took all of it may still ask whether there is room for more, and find too little
  const bool is_full = size < bytes.size() || acknowledged(c, side) < enough_room(end);
  if (is_full && !end.is_over && !end.is_shut) {
    wait_for_room(c, side);
  }
  return size;
}

// Linux' rule: a third of the buffer has to be free, so that writers are not woken for crumbs.
std::uint64_t ProgramStreams::enough_room(const End& end) {
  const auto most = static_cast<std::uint64_t>(end.options.send_buffer_bytes) * 2 / 3;
  return end.written() - std::min(end.written(), most);
}

void ProgramStreams::wait_for_room(Connection& c, Side side) {
  End& end = c.end(side);
  end.is_waiting_for_room = true;
  if (acknowledged(c, side) >= enough_room(end)) {
    // a larger buffer; but not within the call that made it larger
    ++c.telling;
    kernel_.deliver(kernel_.now(), source_, [this, &end](Time) {
      --end.connection->telling;
      tell(*end.connection, end.side, {What::kWritable});
    });
  } else if (!c.is_loopback) {
    backend_.await(c.flow, side, enough_room(end));
  }
}

std::size_t ProgramStreams::read(Connection& c, Side side, std::span<std::byte> out) {
  End& end = c.end(side);
  End& from = c.end(other(side));
  const std::size_t size = std::min<std::uint64_t>(out.size(), end.arrived - end.read);
  if (size == 0) {
    return 0;
  }
  from.out.copy(end.read, out.first(size));
  end.read += size;
  from.out.forget_before(backend_.is_capturing() ? std::min(end.read, acknowledged(c, other(side)))
                                                 : end.read);
  if (c.is_loopback) {
    push_over_loopback(c, other(side));
  } else {
    backend_.read(c.flow, side, size, kernel_.now());
  }
  return size;
}

void ProgramStreams::shut_down(Connection& c, Side side) {
  End& end = c.end(side);
  if (std::exchange(end.is_shut, true) || end.is_over) {
    return;
  }
  if (c.is_loopback) {
    push_over_loopback(c, side);
  } else {
    backend_.shut_down(c.flow, side, std::max(kernel_.now(), end.last_sent));
  }
}

void ProgramStreams::reset(Connection& c, Side side) {
  End& end = c.end(side);
  if (std::exchange(end.is_over, true)) {
    return;
  }
  if (c.is_loopback) {
    reset_over_loopback(c, side);
  } else {
    network_.backend().reset(c.flow, side, kernel_.now());
  }
}

void ProgramStreams::release(Connection& c, Side side) {
  End& end = c.end(side);
  end.is_held = false;
  end.listener = nullptr;
  if (!c.is_loopback) {
    backend_.release(c.flow, side, std::max(kernel_.now(), end.last_sent));
  } else if (!end.is_over && !end.is_connected && end.written() == 0) {
    end.is_over = true;
  } else if (!end.is_over) {
    if (end.arrived > end.read) {
      end.is_over = true;
      reset_over_loopback(c, side);
    } else if (!std::exchange(end.is_shut, true)) {
      push_over_loopback(c, side);
    }
  }
  forget_if_over(c);
}

void ProgramStreams::change(Connection& c, Side side, const StreamChange& change) {
  End& end = c.end(side);
  if (!c.is_loopback) {
    backend_.change(c.flow, side, change, std::max(kernel_.now(), end.last_sent));
  } else if (change.what == StreamChange::What::kReceiveBuffer) {
    push_over_loopback(c, other(side));
  }
}

// What programs hear.

void ProgramStreams::hear(const StreamNews& news) {
  const auto place = static_cast<std::size_t>(news.flow);
  if (news.what == What::kDatagram || news.what == What::kLost) {
    Channel& channel = *channel_by_flow_[place];
    if (news.what == What::kLost) {
      hear_datagram(channel, {news.value, news.side, true, true}, news.time);
      return;
    }
    const Channel::Datagram& datagram = channel.under_way.at(news.value);
    const Duration delay = datagram.is_unreachable
                               ? Duration(0)
                               : network_.draw_receive(channel.to, datagram.bytes.size());
    hear_datagram(channel, {news.value, news.side, news.is_last}, news.time + delay);
    return;
  }

  Connection& c = *by_flow_[place];
  End& end = c.end(news.side);
  switch (news.what) {
    case What::kCalled: {
      const StreamBackend::Answer answer = ask_doorman(c);
      backend_.answer(c.flow, answer, end.options, news.time);
      return;
    }
    case What::kOver:
      c.is_over = true;
      by_flow_[place] = nullptr;
      forget_if_over(c);
      return;
    case What::kReadable: {
      const Duration delay = network_.draw_receive(end.port.host, news.value - end.coming);
      end.coming = news.value;
      hear(c, news.side, {news.what, news.why, news.value}, news.time + delay);
      return;
    }
    case What::kWritable:  // no program's business until now: nothing to be overtaken
      tell(c, news.side, {news.what});
      return;
    default:
      hear(c, news.side, {news.what, news.why, 0}, news.time);
      return;
  }
}

// Nothing overtakes what is to be heard before it. On one host nothing is heard within the call
// that brought it about.
void ProgramStreams::hear(Connection& c, Side side, const Heard& heard, Time at) {
  End& end = c.end(side);
  end.last_heard = std::max(at, end.last_heard);
  if (end.last_heard == kernel_.now() && end.hearing.empty() && !c.is_loopback) {
    tell(c, side, heard);
    return;
  }
  end.hearing.push_back(heard);
  kernel_.deliver(end.last_heard, source_, [this, &end](Time) {
    const Heard now = end.hearing.front();
    end.hearing.pop_front();
    tell(*end.connection, end.side, now);
  });
}

void ProgramStreams::tell(Connection& c, Side side, const Heard& heard) {
  End& end = c.end(side);
  if (end.is_over) {
    forget_if_over(c);
    return;
  }
  ++c.telling;
  switch (heard.what) {
    case What::kCalled:
      answer_over_loopback(c);
      break;
    case What::kConnected:
      tell_connected(c, side);
      break;
    case What::kReadable:
      end.arrived = heard.value;
      if (end.listener != nullptr) {
        end.listener->readable();
      }
      if (c.is_loopback) {
        acknowledge_over_loopback(c, other(side));
      }
      break;
    case What::kFin:
      end.has_fin = true;
      if (end.listener != nullptr) {
        end.listener->readable();
      }
      break;
    case What::kWritable:
      end.is_waiting_for_room = false;
      if (end.listener != nullptr) {
        end.listener->writable();
      }
      break;
    case What::kFailed:
      end.is_over = true;
      if (end.listener != nullptr) {
        end.listener->failed(heard.why);
      }
      break;
    default:
      break;
  }
  --c.telling;
  forget_if_over(c);
}

void ProgramStreams::tell_connected(Connection& c, Side side) {
  End& end = c.end(side);
  if (side == Side::kPeer) {
    if (c.is_loopback && !c.ends[0].is_connected) {
      return;  // the caller has gone meanwhile
    }
    end.is_connected = end.is_held = true;
    doorman(end.port.host)->arrived(end.port, std::make_unique<Handle>(*this, c, side));
    return;
  }
  end.is_connected = true;
  if (end.listener != nullptr) {
    end.listener->connected();
  }
  if (c.is_loopback) {
    push_over_loopback(c, side);  // what was written early
  }
}

// On one host: what is written reaches the other program after the loopback's time, as far as its
// buffer takes it. What has arrived is acknowledged.

void ProgramStreams::call_over_loopback(Connection& c) {
  const Duration since = c.ends[0].options.initial_rto * ((std::int64_t{1} << c.calls) - 1);
  hear(c, Side::kPeer, {What::kCalled}, c.called_at + since + loopback(c, 0));
}

void ProgramStreams::answer_over_loopback(Connection& c) {
  if (c.ends[0].is_over) {
    return;  // the caller has gone
  }
  const TcpOptions& options = c.ends[0].options;
  switch (ask_doorman(c)) {
    case StreamBackend::Answer::kAccept: {
      const Time at_opener = kernel_.now() + loopback(c, 0);
      hear(c, Side::kOpener, {What::kConnected}, at_opener);
      hear(c, Side::kPeer, {What::kConnected}, at_opener + loopback(c, 0));
      return;
    }
    case StreamBackend::Answer::kRefuse:
      hear(c, Side::kOpener, {What::kFailed, StreamFailure::kRefused},
           kernel_.now() + loopback(c, 0));
      return;
    case StreamBackend::Answer::kIgnore:
      ++c.calls;
      if (c.calls <= std::min<std::int64_t>(kMostRecalls, options.max_retries)) {
        call_over_loopback(c);
        return;
      }
      hear(c, Side::kOpener, {What::kFailed, StreamFailure::kTimedOut},
           c.called_at + options.initial_rto * ((std::int64_t{1} << c.calls) - 1));
      return;
  }
}

void ProgramStreams::push_over_loopback(Connection& c, Side side) {
  End& from = c.end(side);
  const End& to = c.end(other(side));
  if (!from.is_connected || from.is_over) {
    return;
  }
  const auto buffer = static_cast<std::uint64_t>(to.options.receive_buffer_bytes);
  const std::uint64_t window = buffer - std::min(buffer, from.sent - to.read);
  const std::uint64_t waiting = from.written() - from.sent;
  const std::uint64_t size = std::min(waiting, window);
  if (size > 0 && (size == waiting || size >= std::min(kLoopbackCrumb, buffer / 2))) {
    from.sent += size;
    from.last_sent = std::max(kernel_.now() + loopback(c, size), from.last_sent);
    hear(c, other(side), {What::kReadable, {}, from.sent}, from.last_sent);
  }
  if (from.is_shut && from.sent == from.written() && !std::exchange(from.is_fin_sent, true)) {
    from.last_sent = std::max(kernel_.now() + loopback(c, 0), from.last_sent);
    hear(c, other(side), {What::kFin}, from.last_sent);
  }
}

void ProgramStreams::acknowledge_over_loopback(Connection& c, Side side) {
  End& from = c.end(side);
  End& to = c.end(other(side));
  from.acknowledged = to.arrived;
  if (!to.is_held && !std::exchange(to.is_over, true)) {
    reset_over_loopback(c, other(side));  // nobody is left to read
    return;
  }
  if (from.is_waiting_for_room && acknowledged(c, side) >= enough_room(from)) {
    tell(c, side, {What::kWritable});
  }
}

void ProgramStreams::reset_over_loopback(Connection& c, Side side) {
  hear(c, other(side), {What::kFailed, StreamFailure::kReset}, kernel_.now() + loopback(c, 0));
}

// What captures ask for.

const ProgramStreams::Channel::Datagram* ProgramStreams::datagram_of(FlowId flow,
                                                                     std::uint64_t number) const {
  const auto place = static_cast<std::size_t>(flow);
  if (place >= channel_by_flow_.size() || channel_by_flow_[place] == nullptr) {
    return nullptr;
  }
  const auto& under_way = channel_by_flow_[place]->under_way;
  const auto found = under_way.find(number);
  return found == under_way.end() ? nullptr : &found->second;
}

PacketContents::Ports ProgramStreams::ports(FlowId flow, Side from, std::uint64_t datagram) const {
  const auto place = static_cast<std::size_t>(flow);
  if (place < by_flow_.size() && by_flow_[place] != nullptr) {
    const Connection& c = *by_flow_[place];
    return {c.end(from).port.number, c.end(other(from)).port.number};
  }
  if (const Channel::Datagram* const known = datagram_of(flow, datagram)) {
    return {known->from.number, known->to.number, known->is_unreachable, known->unreachable_bytes};
  }
  return {};
}

void ProgramStreams::copy(FlowId flow, Side from, std::uint64_t datagram, std::uint64_t offset,
                          std::span<std::byte> out) const {
  const auto place = static_cast<std::size_t>(flow);
  if (place < by_flow_.size() && by_flow_[place] != nullptr) {
    by_flow_[place]->end(from).out.copy(offset, out);
    return;
  }
  const Channel::Datagram* const known = datagram_of(flow, datagram);
  if (known != nullptr && !known->bytes.empty()) {
    std::copy_n(known->bytes.begin(), std::min(out.size(), known->bytes.size()), out.begin());
  }
}

// Datagrams.

ProgramStreams::Channel* ProgramStreams::channel(NodeId from, NodeId to, int priority) {
  const auto key = std::tuple(from, to, priority);
  if (const auto found = channels_.find(key); found != channels_.end()) {
    return &found->second;
  }
  const bool is_loopback = from == to;
  FlowId flow{};
  if (!is_loopback) {
    FlowRequest request{from, to, {}};
    request.options.transport = Transport::kUdp;
    request.options.priority = priority;
    const Result<FlowId> opened = backend_.open_datagrams(request);
    if (!opened) {
      return nullptr;
    }
    flow = *opened;
  }
  Channel& made = channels_[key];
  made.from = from;
  made.to = to;
  made.flow = flow;
  made.is_loopback = is_loopback;
  if (!is_loopback) {
    const auto place = static_cast<std::size_t>(flow);
    channel_by_flow_.resize(std::max(channel_by_flow_.size(), place + 1));
    channel_by_flow_[place] = &made;
  }
  return &made;
}

bool ProgramStreams::send_datagram(HostPort from, HostPort to, Label label,
                                   std::span<const std::byte> bytes, int priority) {
  check(bytes.size() <= kLargestDatagram, "a datagram is larger than IP can carry");
  Channel* const way = channel(from.host, to.host, priority);
  if (way == nullptr) {
    return false;
  }
  const std::uint64_t number = way->next_number++;
  way->under_way.emplace(
      number, Channel::Datagram{from, to, label, {bytes.begin(), bytes.end()}, false, 0});
  if (way->is_loopback) {
    const Duration delay = network_.draw_loopback(from.host, bytes.size());
    hear_datagram(*way, {number, Side::kPeer, true}, kernel_.now() + delay);
    return true;
  }
  way->last_sent =
      std::max(kernel_.now() + network_.draw_send(from.host, bytes.size()), way->last_sent);
  network_.backend().send(way->flow, Side::kOpener, MessageId{number},
                          static_cast<std::uint32_t>(bytes.size()), way->last_sent);
  return true;
}

void ProgramStreams::hear_datagram(Channel& way, const Channel::Arrival& arrival, Time at) {
  way.last_heard = std::max(at, way.last_heard);
  if (way.last_heard == kernel_.now() && way.arriving.empty() && !way.is_loopback) {
    tell_datagram(way, arrival);
    return;
  }
  way.arriving.push_back(arrival);
  kernel_.deliver(way.last_heard, source_, [this, &way](Time) {
    const Channel::Arrival now = way.arriving.front();
    way.arriving.pop_front();
    tell_datagram(way, now);
  });
}

void ProgramStreams::tell_datagram(Channel& way, const Channel::Arrival& arrival) {
  // whoever hears of it may send others
  Channel::Datagram copy;
  const Channel::Datagram* datagram = &copy;
  const auto found = way.under_way.find(arrival.number);
  if (arrival.is_last) {
    copy = std::move(found->second);
    way.under_way.erase(found);
  } else {
    datagram = &found->second;
  }
  if (arrival.is_lost) {
    return;
  }
  if (datagram->is_unreachable) {
    if (Doorman* const sender = doorman(way.from)) {
      sender->unreachable(datagram->from, datagram->to);
    }
    return;
  }
  Doorman* const receiver = doorman(way.to);
  if (receiver == nullptr ||
      !receiver->datagram(datagram->to, datagram->from, datagram->label, datagram->bytes)) {
    send_unreachable(way, *datagram);
  }
}

void ProgramStreams::send_unreachable(Channel& way, const Channel::Datagram& datagram) {
  const std::uint64_t number = way.next_number++;
  way.under_way.emplace(number,
                        Channel::Datagram{datagram.from,
                                          datagram.to,
                                          {},
                                          {},
                                          true,
                                          static_cast<std::uint32_t>(datagram.bytes.size())});
  if (way.is_loopback) {
    hear_datagram(way, {number, Side::kOpener, true},
                  kernel_.now() + network_.draw_loopback(way.from, kUnreachableBytes));
    return;
  }
  network_.backend().send(way.flow, Side::kPeer, MessageId{number}, kUnreachableBytes,
                          kernel_.now());
}

}  // namespace

Result<std::unique_ptr<Streams>> make_streams(sim::Kernel& kernel, Network& network) {
  StreamBackend* const backend = network.backend().streams();
  if (backend == nullptr) {
    return Error{fmt::format(
        "programs need the built-in network: '{}' carries messages, but no streams of bytes",
        network.backend().name())};
  }
  for (std::uint32_t node = 0; node < network.host_count(); ++node) {
    if (const Host& host = network.host(NodeId{node}); host.stack_uses_cores) {
      return Error{fmt::format(
          "programs cannot run on a network where a stack uses cores, as that of host '{}'",
          host.name)};
    }
  }
  return std::unique_ptr<Streams>(std::make_unique<ProgramStreams>(kernel, network, *backend));
}

}  // namespace longarm::network
