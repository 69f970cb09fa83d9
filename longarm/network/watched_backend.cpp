// SPDX-License-Identifier: Apache-2.0
// Stands before another backend, and listens.
#include "longarm/network/watched_backend.h"

#include <algorithm>
#include <utility>

namespace longarm::network {
namespace {

using What = MessageEvent::What;

What what_of(Fate fate) {
  switch (fate) {
    case Fate::kConnected:
      return What::kConnected;
    case Fate::kDelivered:
      return What::kDelivered;
    case Fate::kLost:
      return What::kLost;
    case Fate::kReset:
      return What::kReset;
  }
  return What::kReset;
}

class WatchedBackend final : public Backend {
 public:
  WatchedBackend(std::unique_ptr<Backend> backend, MessageWatcher watcher)
      : backend_(std::move(backend)), watcher_(std::move(watcher)) {}

  std::string name() const override { return backend_->name(); }
  Result<FlowId> open(const FlowRequest& request, Time at) override {
    Result<FlowId> opened = backend_->open(request, at);
    if (opened) {
      const auto place = static_cast<std::size_t>(*opened);
      flows_.resize(std::max(flows_.size(), place + 1));
      flows_[place] = {request.opener, request.peer};
    }
    return opened;
  }
  void send(FlowId flow, Side from, MessageId message, std::uint32_t size_bytes, Time at) override {
    tell({at, What::kSent, flow, {}, {}, message, size_bytes}, other(from));
    backend_->send(flow, from, message, size_bytes, at);
  }
  void close(FlowId flow, Side side, Time at) override { backend_->close(flow, side, at); }
  void reset(FlowId flow, Side side, Time at) override { backend_->reset(flow, side, at); }
  void change(CableId cable, const CableChange& change) override {
    backend_->change(cable, change);
  }
  StreamBackend* streams() override { return backend_->streams(); }
  Time next_event() const override { return backend_->next_event(); }
  Result<bool> advance(Time until, std::vector<Delivery>& out) override {
    const std::size_t before = out.size();
    Result<bool> advanced = backend_->advance(until, out);
    for (std::size_t i = before; i < out.size(); ++i) {
      const Delivery& d = out[i];
      tell({d.time, what_of(d.fate), d.flow, {}, {}, d.message, 0, d.reason}, d.side);
    }
    return advanced;
  }
  NetworkFigures figures(Time now) const override { return backend_->figures(now); }

 private:
  void tell(MessageEvent event, Side towards) const {
    const auto& [opener, peer] = flows_[static_cast<std::size_t>(event.flow)];
    const bool is_to_peer = towards == Side::kPeer;
    event.from = is_to_peer ? opener : peer;
    event.to = is_to_peer ? peer : opener;
    watcher_(event);
  }

  std::unique_ptr<Backend> backend_;
  MessageWatcher watcher_;
  std::vector<std::pair<NodeId, NodeId>> flows_;
};

}  // namespace

const char* event_text(MessageEvent::What what) {
  switch (what) {
    case What::kSent:
      return "sent";
    case What::kDelivered:
      return "delivered";
    case What::kLost:
      return "lost";
    case What::kConnected:
      return "connected";
    case What::kReset:
      return "reset";
  }
  return "";
}

std::unique_ptr<Backend> make_watched_backend(std::unique_ptr<Backend> backend,
                                              MessageWatcher watcher) {
  return std::make_unique<WatchedBackend>(std::move(backend), std::move(watcher));
}

}  // namespace longarm::network
