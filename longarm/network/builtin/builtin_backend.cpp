// SPDX-License-Identifier: Apache-2.0
// The built-in network: runs its events in order and hands flows their packets.
#include "longarm/network/builtin/builtin_backend.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/core/diagnostic.h"
#include "longarm/network/builtin/capture/capture.h"
#include "longarm/network/builtin/core.h"
#include "longarm/network/builtin/datagrams.h"
#include "longarm/network/builtin/fabric.h"
#include "longarm/network/builtin/frame_follower.h"
#include "longarm/network/builtin/tcp_end.h"
#include "longarm/network/builtin/wire.h"

namespace longarm::network {
namespace {

constexpr std::int64_t kSmallestMtuBytes = 68;  // RFC 791
constexpr std::int64_t kLargestMtuBytes = 65'535;
constexpr int kMaxPriority = 255;

struct Flow {
  Flow(std::uint32_t index, const FlowRequest& asked) : id(index), request(asked) {}

  std::uint32_t id;
  FlowRequest request;
  FlowOptions peer_options;  // only of a stream; otherwise both sides have the same
  FlowEnd ends[2];
  std::unique_ptr<TcpEnd> tcp[2];  // only of TCP
  std::uint32_t commands = 0;      // that wait for their instant
  bool is_forgotten = false;
  bool is_for_programs = false;  // a stream, or datagrams that may arrive twice

  bool is_tcp() const { return request.options.transport == Transport::kTcp; }
  bool is_at_rest() const {
    return commands == 0 && ends[0].packets_under_way + ends[1].packets_under_way == 0 &&
           tcp[0]->is_at_rest() && tcp[1]->is_at_rest();
  }
};

/// What was asked for at an instant to come.
struct Command {
  enum class Kind : std::uint8_t {
    kConnect,
    kSend,
    kClose,
    kReset,
    // of streams; `message` of kChange is the index of what is to change
    kAccept,
    kRefuse,
    kIgnore,
    kWrite,
    kUpdateWindow,
    kChange,
    kShutDown,
    kRelease
  };
  Kind kind{};
  MessageId message{};
  std::uint32_t size_bytes = 0;
};

const char* word_for(Transport transport) {
  switch (transport) {
    case Transport::kUdp:
      return "udp";
    case Transport::kTcp:
      return "tcp";
    case Transport::kRaw:
      break;
  }
  return "raw";
}

RoutingTable find_ways(const Topology& topology) {
  Result<RoutingTable> routes = RoutingTable::make(topology);
  if (!routes) {
    refuse(routes.error().message, "give the hosts links, and routes that lead to the end");
  }
  if (topology.mtu_bytes < kSmallestMtuBytes || topology.mtu_bytes > kLargestMtuBytes) {
    refuse(fmt::format("no network has packets of at most {} bytes", topology.mtu_bytes),
           "Ethernet's is 1500");
  }
  return std::move(routes).value();
}

class BuiltinBackend final : public Backend, private StreamBackend, private PacketEnd {
 public:
  BuiltinBackend(const Topology& topology, const BackendOptions& options,
                 const BuiltinOptions& builtin)
      : forgets_closed_flows_(builtin.forgets_closed_flows),
        nodes_(topology.nodes),
        capture_(options.capture_folder.empty()
                     ? nullptr
                     : std::make_unique<Capture>(topology, options.capture_folder)),
        follower_(options.frame_watcher == nullptr
                      ? nullptr
                      : std::make_unique<FrameFollower>(
                            *options.frame_watcher, core_.packets,
                            [this](const NetworkPacket& packet) { return message_of(packet); })),
        datagrams_(core_),
        // what is to be captured or followed must be sent when it is sent
        fabric_(topology, find_ways(topology), options.seed, core_.events, core_.packets, *this,
                capture_.get(), follower_.get(), builtin.always_decides || capture_ || follower_) {
    core_.fabric = &fabric_;
    forgotten_[0].name = "flows that are over, from their openers";
    forgotten_[1].name = "flows that are over, from their peers";
    forgotten_streams_[0].name = "streams that are over, from their openers";
    forgotten_streams_[1].name = "streams that are over, from their peers";
    core_.mtu_bytes = static_cast<std::uint32_t>(topology.mtu_bytes);
    if (capture_) {
      capture_->set_programs([this](const NetworkPacket& packet) { return program_of(packet); });
    }
  }

  std::string name() const override { return "builtin"; }

  Result<FlowId> open(const FlowRequest& request, Time at) override {
    if (request.opener == request.peer) {
      return Error{"a flow within one host does not reach the network"};
    }
    if (request.options.priority < 0 || request.options.priority > kMaxPriority) {
      return Error{fmt::format("priority {} is not between 0 and {}", request.options.priority,
                               kMaxPriority)};
    }
    Flow& flow = take_flow(request);
    flow.ends[0].node = flow.ends[1].peer_node = request.opener;
    flow.ends[1].node = flow.ends[0].peer_node = request.peer;
    if (flow.is_tcp()) {
      make_tcp_end(flow, Side::kOpener, flow.request.options);
      make_tcp_end(flow, Side::kPeer, flow.request.options);
      flow.tcp[1]->listen();
      command(at, FlowId(flow.id), Side::kOpener, {Command::Kind::kConnect});
    }
    return FlowId(flow.id);
  }

  void send(FlowId flow, Side from, MessageId message, std::uint32_t size_bytes, Time at) override {
    command(at, flow, from, {Command::Kind::kSend, message, size_bytes});
  }
  void close(FlowId flow, Side side, Time at) override {
    command(at, flow, side, {Command::Kind::kClose});
  }
  void reset(FlowId flow, Side side, Time at) override {
    command(at, flow, side, {Command::Kind::kReset});
  }
  void change(CableId cable, const CableChange& change) override {
    fabric_.change(now_, cable, change);
  }

  StreamBackend* streams() override { return this; }

  Time next_event() const override { return core_.events.next_time(); }

  Result<bool> advance(Time until, std::vector<Delivery>& out) override {
    const std::int64_t until_ns = until.time_since_epoch().count();
    while (!core_.events.empty() && core_.events.top().time_ns < until_ns) {
      if (has_something_to_tell() && core_.events.top().time() > now_) {
        break;
      }
      const Event event = core_.events.pop();
      now_ = event.time();
      ++events_run_;
      run(event);
      forget_touched();
    }
    const bool has_something = has_something_to_tell();
    core_.due.move_to(out);
    return has_something;
  }

  NetworkFigures figures(Time now) const override {
    NetworkFigures all;
    for (const Flow& flow : flows_) {
      if (flow.is_forgotten) {
        continue;
      }
      for (const Side side : {Side::kOpener, Side::kPeer}) {
        const FlowEnd& end = flow.ends[index_of(side)];
        all.flows.push_back(flow.is_tcp() ? flow.tcp[index_of(side)]->figures() : end.figures);
        all.flows.back().name =
            fmt::format("{} > {} {} {}", name_of(end.node), name_of(end.peer_node),
                        word_for(flow.request.options.transport), flow.id);
      }
    }
    if (forgets_closed_flows_) {
      all.flows.insert(all.flows.end(), std::begin(forgotten_), std::end(forgotten_));
    }
    if (has_forgotten_streams_) {
      all.flows.insert(all.flows.end(), std::begin(forgotten_streams_),
                       std::end(forgotten_streams_));
    }
    all.cables = fabric_.figures(now);
    all.events = events_run_;
    return all;
  }

 private:
  Result<FlowId> open_stream(const FlowRequest& request, Time at) override {
    Result<FlowId> opened = open(request, at);
    if (opened) {
      Flow& flow = flow_of(*opened);
      flow.is_for_programs = has_streams_ = true;
      flow.peer_options = request.options;
      make_tcp_end(flow, Side::kPeer, flow.peer_options);
      flow.tcp[0]->carry_stream();
      flow.tcp[1]->carry_stream();
    }
    return opened;
  }

  Result<FlowId> open_datagrams(const FlowRequest& request) override {
    Result<FlowId> opened = open(request, now_);
    if (opened) {
      flow_of(*opened).is_for_programs = true;
    }
    return opened;
  }

  void answer(FlowId id, Answer answer, const TcpOptions& options, Time at) override {
    if (answer == Answer::kAccept) {
      Flow& flow = flow_of(id);
      flow.peer_options.tcp = options;
      const std::unique_ptr<TcpEnd> called = std::move(flow.tcp[1]);
      make_tcp_end(flow, Side::kPeer, flow.peer_options);
      flow.tcp[1]->continue_timers(*called);
      flow.tcp[1]->carry_stream();
      called->hand_over_call(*flow.tcp[1]);
    }
    command(at, id, Side::kPeer,
            {answer == Answer::kAccept   ? Command::Kind::kAccept
             : answer == Answer::kRefuse ? Command::Kind::kRefuse
                                         : Command::Kind::kIgnore});
  }

  void write(FlowId flow, Side side, std::uint32_t bytes, Time at) override {
    command(at, flow, side, {Command::Kind::kWrite, MessageId{}, bytes});
  }
  void read(FlowId flow, Side side, std::uint64_t bytes, Time now) override {
    if (tcp_end(flow, side).read(bytes)) {
      command(now, flow, side, {Command::Kind::kUpdateWindow});
    }
  }
  void change(FlowId flow, Side side, const StreamChange& change, Time at) override {
    std::size_t place = 0;
    while (place < stream_changes_.size() && stream_changes_[place]) {
      ++place;  // few wait at a time
    }
    stream_changes_.resize(std::max(stream_changes_.size(), place + 1));
    stream_changes_[place] = change;
    command(at, flow, side, {Command::Kind::kChange, MessageId{place}});
  }
  void shut_down(FlowId flow, Side side, Time at) override {
    command(at, flow, side, {Command::Kind::kShutDown});
  }
  void release(FlowId flow, Side side, Time at) override {
    command(at, flow, side, {Command::Kind::kRelease});
  }
  void await(FlowId flow, Side side, std::uint64_t acknowledged) override {
    tcp_end(flow, side).await(acknowledged);
  }
  StreamState state(FlowId flow, Side side) const override {
    return flows_[static_cast<std::uint32_t>(flow)].tcp[index_of(side)]->state();
  }
  void set_contents(const PacketContents* contents) override { contents_ = contents; }
  bool is_capturing() const override { return capture_ != nullptr; }
  void take_news(std::vector<StreamNews>& out) override {
    if (core_.news.size() > 1) {
      std::stable_sort(core_.news.begin(), core_.news.end(),
                       [](const StreamNews& a, const StreamNews& b) {
                         return std::tie(a.flow, a.side) < std::tie(b.flow, b.side);
                       });
    }
    out.insert(out.end(), core_.news.begin(), core_.news.end());
    core_.news.clear();
  }

  std::optional<ProgramPacket> program_of(const NetworkPacket& packet) const {
    if (contents_ == nullptr || !flows_[packet.flow].is_for_programs) {
      return std::nullopt;
    }
    const bool is_tcp = packet.transport == Transport::kTcp;
    const FlowId flow{packet.flow};
    const std::uint64_t datagram =
        is_tcp ? 0 : static_cast<std::uint64_t>(datagrams_.message_of(packet));
    ProgramPacket program;
    program.ports = contents_->ports(flow, packet.from, datagram);
    program.payload.resize(is_tcp ? packet.payload_bytes : packet.datagram_bytes);
    contents_->copy(flow, packet.from, datagram, is_tcp ? packet.segment.sequence - 1 : 0,
                    program.payload);
    return program;
  }

  bool has_something_to_tell() const { return !core_.due.empty() || !core_.news.empty(); }
  Flow& flow_of(FlowId flow) { return flows_[static_cast<std::uint32_t>(flow)]; }
  TcpEnd& tcp_end(FlowId flow, Side side) { return *flow_of(flow).tcp[index_of(side)]; }

  /// In the place of an earlier one.
  void make_tcp_end(Flow& flow, Side side, const FlowOptions& options) {
    const std::size_t place = index_of(side);
    auto end = std::make_unique<TcpEnd>(core_, flow.id, side, options, flow.ends[place],
                                        flow.ends[1 - place]);
    if (flow.tcp[place]) {
      end->continue_timers(*flow.tcp[place]);
    }
    flow.tcp[place] = std::move(end);
    if (flow.tcp[1 - place]) {
      flow.tcp[0]->join(*flow.tcp[1]);
      flow.tcp[1]->join(*flow.tcp[0]);
    }
  }

  const std::string& name_of(NodeId node) const {
    return nodes_[static_cast<std::size_t>(node)].name;
  }

  void command(Time at, FlowId flow, Side side, const Command& asked) {
    check(at >= now_, "the network was told of what is past");
    std::uint32_t index = 0;
    if (free_commands_.empty()) {
      index = static_cast<std::uint32_t>(commands_.size());
      commands_.push_back(asked);
    } else {
      index = free_commands_.back();
      free_commands_.pop_back();
      commands_[index] = asked;
    }
    ++flows_[static_cast<std::uint32_t>(flow)].commands;
    core_.events.push(at, EventKind::kCommand, end_of(static_cast<std::uint32_t>(flow), side),
                      index);
  }

  Flow& take_flow(const FlowRequest& request) {
    if (free_flows_.empty()) {
      return flows_.emplace_back(static_cast<std::uint32_t>(flows_.size()), request);
    }
    Flow& flow = flows_[free_flows_.back()];
    free_flows_.pop_back();
    flow.request = request;
    flow.ends[0] = flow.ends[1] = FlowEnd{};
    flow.is_forgotten = flow.is_for_programs = false;
    return flow;
  }

  /// Something has happened to it; after the event it may be over.
  void touch(std::uint32_t flow) {
    if (forgets_closed_flows_ || has_streams_) {
      touched_.push_back(flow);
    }
  }

  void forget_touched() {
    for (const std::uint32_t index : touched_) {
      Flow& flow = flows_[index];
      if (!flow.is_tcp() || flow.is_forgotten ||
          (!flow.is_for_programs && !forgets_closed_flows_) || !flow.is_at_rest()) {
        continue;
      }
      flow.is_forgotten = true;
      free_flows_.push_back(index);
      for (const std::size_t side : {0, 1}) {
        (flow.is_for_programs ? forgotten_streams_ : forgotten_)[side] += flow.tcp[side]->figures();
      }
      if (flow.is_for_programs) {
        has_forgotten_streams_ = true;
        core_.news.push_back({now_, FlowId(index), Side::kPeer, StreamNews::What::kOver});
      }
    }
    touched_.clear();
  }

  void run(const Event& event) {
    switch (event.kind()) {
      case EventKind::kTimer:
        touch(event.subject() / 2);
        return flows_[event.subject() / 2].tcp[event.subject() % 2]->timer(now_, event.item);
      case EventKind::kCommand: {
        const Command asked = commands_[event.item];
        free_commands_.push_back(event.item);
        Flow& flow = flows_[event.subject() / 2];
        const auto side = Side(static_cast<std::uint8_t>(event.subject() % 2));
        --flow.commands;
        touch(flow.id);
        return flow.is_tcp() ? obey(*flow.tcp[index_of(side)], asked) : obey(flow, side, asked);
      }
      default:
        return fabric_.run(event);
    }
  }

  void obey(TcpEnd& end, const Command& asked) {
    switch (asked.kind) {
      case Command::Kind::kConnect:
        return end.connect(now_);
      case Command::Kind::kSend:
        return end.send(now_, asked.message, asked.size_bytes);
      case Command::Kind::kClose:
        return end.close(now_);
      case Command::Kind::kReset:
        return end.reset(now_);
      case Command::Kind::kAccept:
        return end.answer(now_, Answer::kAccept);
      case Command::Kind::kRefuse:
        return end.answer(now_, Answer::kRefuse);
      case Command::Kind::kIgnore:
        return end.answer(now_, Answer::kIgnore);
      case Command::Kind::kWrite:
        return end.write(now_, asked.size_bytes);
      case Command::Kind::kUpdateWindow:
        return end.update_window(now_);
      case Command::Kind::kChange:
        return end.change(now_, take_stream_change(asked));
      case Command::Kind::kShutDown:
        return end.shut_down(now_);
      case Command::Kind::kRelease:
        return end.release(now_);
    }
  }

  StreamChange take_stream_change(const Command& asked) {
    return *std::exchange(stream_changes_[static_cast<std::size_t>(asked.message)], std::nullopt);
  }

  void obey(Flow& flow, Side side, const Command& asked) {
    FlowEnd& end = flow.ends[index_of(side)];
    if (asked.kind != Command::Kind::kSend) {
      end.is_closed = true;  // nobody else notices
      return;
    }
    if (!end.is_closed) {
      datagrams_.send(now_,
                      {flow.id, side, flow.request.options.transport, flow.request.options.priority,
                       asked.message, asked.size_bytes, flow.is_for_programs},
                      end);
    }
  }

  void arrived(Time now, PacketIndex index) override {
    const NetworkPacket& packet = core_.packets[index];
    Flow& flow = flows_[packet.flow];
    const std::size_t from = index_of(packet.from);
    if (packet.transport == Transport::kTcp) {
      flow.tcp[1 - from]->receive(now, packet.segment);
      --flow.ends[from].packets_under_way;
      touch(packet.flow);
      return;
    }
    datagrams_.arrived(now, packet, flow.ends[from], flow.ends[1 - from]);
  }

  void dropped(Time now, PacketIndex index, DropReason reason) override {
    const NetworkPacket& packet = core_.packets[index];
    Flow& flow = flows_[packet.flow];
    const std::size_t from = index_of(packet.from);
    if (packet.transport == Transport::kTcp) {
      ++flow.ends[from].figures.packets_lost;
      --flow.ends[from].packets_under_way;
      touch(packet.flow);
      return;
    }
    datagrams_.dropped(now, packet, reason, flow.ends[from], flow.ends[1 - from]);
  }

  std::optional<MessageId> message_of(const NetworkPacket& packet) const {
    if (packet.transport != Transport::kTcp) {
      return datagrams_.message_of(packet);
    }
    if (packet.segment.length == 0) {
      return std::nullopt;
    }
    return flows_[packet.flow].tcp[1 - index_of(packet.from)]->incoming_at(packet.segment.sequence);
  }

  void copied(PacketIndex copy) override {
    const NetworkPacket& packet = core_.packets[copy];
    if (packet.transport != Transport::kTcp) {
      datagrams_.copied(packet);
      return;
    }
    ++flows_[packet.flow].ends[index_of(packet.from)].packets_under_way;
  }

  bool forgets_closed_flows_;
  std::vector<Node> nodes_;
  Core core_;
  std::unique_ptr<Capture> capture_;         // or null
  std::unique_ptr<FrameFollower> follower_;  // or null
  Datagrams datagrams_;
  Fabric fabric_;
  std::deque<Flow> flows_;  // ends point into it
  std::vector<std::uint32_t> free_flows_;
  FlowFigures forgotten_[2];  // by side
  FlowFigures forgotten_streams_[2];
  const PacketContents* contents_ = nullptr;
  bool has_streams_ = false;
  bool has_forgotten_streams_ = false;
  std::vector<std::optional<StreamChange>> stream_changes_;
  std::vector<std::uint32_t> touched_;
  std::vector<Command> commands_;
  std::vector<std::uint32_t> free_commands_;
  Time now_{};
  std::uint64_t events_run_ = 0;
};

}  // namespace

void operator+=(FlowFigures& sum, const FlowFigures& more) {
  sum.messages_sent += more.messages_sent;
  sum.messages_delivered += more.messages_delivered;
  sum.bytes_delivered += more.bytes_delivered;
  sum.packets_sent += more.packets_sent;
  sum.packets_lost += more.packets_lost;
  sum.retransmissions += more.retransmissions;
  sum.timeouts += more.timeouts;
  sum.tail_probes += more.tail_probes;
  sum.duplicate_acks += more.duplicate_acks;
  sum.duplicates += more.duplicates;
}

std::unique_ptr<Backend> make_builtin_backend(const Topology& topology,
                                              const BackendOptions& options,
                                              const BuiltinOptions& builtin) {
  return std::make_unique<BuiltinBackend>(topology, options, builtin);
}

std::unique_ptr<Backend> make_builtin_backend(const Topology& topology,
                                              const BackendOptions& options) {
  return make_builtin_backend(topology, options, BuiltinOptions{});
}

}  // namespace longarm::network
