// SPDX-License-Identifier: Apache-2.0
// The link in the middle for TCP: the built-in network's model of TCP, run in real time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "longarm/network/backend.h"
#include "longarm/proxy/relay_figures.h"
#include "longarm/system/reactor.h"

namespace longarm::proxy {

struct TcpLinkOptions {
  /// What the two directions of the one cable do to the model's packets: up is client to server.
  std::shared_ptr<const network::LinkModel> up;
  std::shared_ptr<const network::LinkModel> down;
  std::uint64_t seed = 1;
  network::TcpOptions tcp = relay_tcp_options();
  /// Bytes that all connections hold together. Once reached, those that hold more than a little are
  /// not read from.
  std::size_t most_bytes = 256 << 20;

  /// Those of the simulator, and keep-alive: the end of a peer whose RST was lost is found out.
  static network::TcpOptions relay_tcp_options();
};

/// One connection, as the model sees it. Sides: kOpener is the client, kPeer the server. It may ask
/// the link for anything from within a call, but must not be destroyed in one.
class TcpFlow {
 public:
  virtual ~TcpFlow() = default;
  virtual void connected(network::Side side) = 0;
  /// The oldest message that is under way to `side` is there since `due`.
  virtual void delivered(network::Side side, Time due) = 0;
  /// RST; no more answers; or the FIN of a side that was closed.
  virtual void reset(network::Side side) = 0;
  /// After all of the above that happened at one instant.
  virtual void settle() = 0;
  /// Other connections hold less now.
  virtual void has_room() = 0;
};

/// Everything that was asked of the model and that came of it: what a replay in virtual time needs.
class TcpLinkObserver {
 public:
  enum class Asked : std::uint8_t { kOpen, kSend, kClose, kReset };
  virtual ~TcpLinkObserver() = default;
  virtual void asked(Asked what, Time at, network::FlowId flow, network::Side side,
                     network::MessageId message, std::uint32_t size_bytes) = 0;
  virtual void happened(const network::Delivery& delivery) = 0;
};

struct TcpLinkFigures {
  network::FlowFigures up;  ///< all connections together
  network::FlowFigures down;
  network::CableFigures wire_up;
  network::CableFigures wire_down;
};

/// All connections of a proxy share it, and so its rate and its packets' numbers. The fate of
/// packet number n of a direction (segments, acknowledgements and handshakes are packets) follows
/// from the seed and n, in streams "link.up" and "link.down". What real time can change is which
/// packet is number n: how bytes are cut into reads, and who comes first. Where the same is asked
/// at the same instants, the same happens, to the nanosecond.
class TcpLink {
 public:
  /// Throws InputError for what only shows now (a file that a model names).
  TcpLink(system::Reactor& reactor, const TcpLinkOptions& options,
          TcpLinkObserver* observer = nullptr);
  ~TcpLink();
  TcpLink(const TcpLink&) = delete;
  TcpLink& operator=(const TcpLink&) = delete;

  /// The handshake begins now. The flow must be forgotten before it goes.
  network::FlowId open(TcpFlow& flow);
  void send(network::FlowId flow, network::Side from, std::uint32_t size_bytes, Time at);
  void close(network::FlowId flow, network::Side side);
  void reset(network::FlowId flow, network::Side side);
  /// It hears of nothing any more.
  void forget(network::FlowId flow);

  // bytes in memory, of all connections
  void hold(std::size_t bytes) { held_bytes_ += bytes; }
  void release(std::size_t bytes);
  bool is_full() const { return held_bytes_ >= options_.most_bytes; }
  std::size_t held_bytes() const { return held_bytes_; }
  /// has_room() will be called.
  void wait_for_room(network::FlowId flow) { waiting_.push_back(flow); }

  const TcpLinkOptions& options() const { return options_; }
  RelayFigures& figures() { return figures_; }
  const RelayFigures& figures() const { return figures_; }
  /// With what is held at the moment.
  RelayFigures figures_with_held() const;
  TcpLinkFigures model_figures() const;
  /// That take memory there: those of closed connections do until their last packets are over.
  std::size_t flows_in_model() const;

 private:
  void run();
  void tell(const std::vector<network::Delivery>& deliveries);
  static void tell(TcpFlow& flow, const network::Delivery& delivery);
  void tell_waiting();
  TcpFlow* find(network::FlowId flow) const;
  void note(TcpLinkObserver::Asked what, Time at, network::FlowId flow, network::Side side,
            network::MessageId message, std::uint32_t size_bytes);

  system::Reactor& reactor_;
  TcpLinkOptions options_;
  TcpLinkObserver* observer_;
  std::unique_ptr<network::Backend> backend_;
  system::Reactor::TimerId timer_;
  std::map<network::FlowId, TcpFlow*> flows_;
  std::vector<network::FlowId> waiting_;
  std::vector<network::Delivery> deliveries_;
  std::uint64_t next_message_ = 0;
  std::size_t held_bytes_ = 0;
  RelayFigures figures_;
};

}  // namespace longarm::proxy
