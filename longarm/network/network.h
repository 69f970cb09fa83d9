// SPDX-License-Identifier: Apache-2.0
// A backend on the kernel's clock, between hosts whose operating systems take their time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "longarm/core/random.h"
#include "longarm/network/backend.h"
#include "longarm/network/host.h"
#include "longarm/network/stream_backend.h"
#include "longarm/network/topology.h"
#include "longarm/sim/kernel.h"

namespace longarm::network {

/// What the two ends of a flow hear, at the instant when the program does.
struct FlowEvents {
  std::function<void(Side side)> connected;
  std::function<void(Side side, MessageId message)> delivered;
  std::function<void(Side side, MessageId message, DropReason reason)> lost;
  std::function<void(Side side)> reset;
};

/// Who hears what happens to streams, at the instant when it does.
class StreamUser {
 public:
  virtual ~StreamUser() = default;
  virtual void hear(const StreamNews& news) = 0;
};

/// `done` is called once a core of the host has worked for so long, never at once.
using OccupyCore = std::function<void(NodeId host, Duration work, std::function<void()> done)>;

/// Delays of the operating systems are drawn here, from streams "<host>.stack_send" and so on, so
/// that every backend has the same. On one flow nothing overtakes what was sent before it.
class Network final : private sim::EventSource {
 public:
  /// `hosts` are by NodeId; switches have an entry, too, which means nothing.
  Network(sim::Kernel& kernel, std::unique_ptr<Backend> backend, std::vector<Host> hosts,
          std::uint64_t seed);
  ~Network() override;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Who has the cores for hosts with `stack_uses_cores`; before the first message.
  void set_cores(OccupyCore occupy) { occupy_ = std::move(occupy); }

  std::size_t host_count() const { return hosts_.size(); }
  const Host& host(NodeId node) const { return hosts_[static_cast<std::size_t>(node)]; }
  Backend& backend() { return *backend_; }
  const Backend& backend() const { return *backend_; }
  /// What it has carried until now.
  NetworkFigures figures() const { return backend_->figures(kernel_.now()); }

  /// Fails if the backend cannot (no route was found out earlier; a dead process). The hosts may be
  /// one and the same: then messages take its loopback and never reach the backend.
  Result<FlowId> open(const FlowRequest& request, FlowEvents events);
  /// Now. `size_bytes` is what crosses; the contents stay with the caller, under the id returned.
  MessageId send(FlowId flow, Side from, std::uint32_t size_bytes);
  void close(FlowId flow, Side side);
  void reset(FlowId flow, Side side);

  /// Null: nobody any more. The backend must have streams.
  void set_stream_user(StreamUser* user) {
    stream_user_ = user;
    stream_backend_ = backend_->streams();
  }
  // what an operating system takes for so many bytes, from the same streams as for messages
  Duration draw_send(NodeId host, std::size_t size_bytes);
  Duration draw_receive(NodeId host, std::size_t size_bytes);
  Duration draw_loopback(NodeId host, std::size_t size_bytes);

 private:
  struct Flow;
  struct Line;

  /// The program at `side` hears of it at `at`, and not before what it is to hear before that.
  void hear(FlowId flow, Side side, Fate fate, MessageId message, Time at);
  /// A core of `node` works for so long; then, and after all that stands before it in the line,
  /// comes `then`.
  void work(Line& line, std::size_t node, Duration work, std::function<void()> then);
  /// The same as without cores, which have to be waited for.
  void send_by_cores(FlowId flow, Side from, MessageId message);
  void receive_by_cores(FlowId flow, const Delivery& delivery);
  void end(FlowId flow, Side side, const std::function<void(FlowId, Side, Time)>& tell_backend);

  void tell_of_end(FlowId flow, Side side,
                   const std::function<void(FlowId, Side, Time)>& tell_backend);

  Time next_event() const override;
  Result<std::optional<Time>> advance(Time until) override;
  void hand_over(Time now) override;

  sim::Kernel& kernel_;
  sim::SourceId source_;
  std::unique_ptr<Backend> backend_;
  std::vector<Host> hosts_;
  std::vector<RandomStream> send_draws_;
  std::vector<RandomStream> receive_draws_;
  std::vector<RandomStream> loopback_draws_;
  std::deque<Flow> flows_;
  std::vector<FlowId> by_backend_flow_;
  std::vector<Delivery> due_;
  std::vector<StreamNews> news_;
  StreamUser* stream_user_ = nullptr;
  StreamBackend* stream_backend_ = nullptr;  // as soon as there was a user
  OccupyCore occupy_;
};

}  // namespace longarm::network
