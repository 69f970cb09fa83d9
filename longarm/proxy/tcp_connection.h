// SPDX-License-Identifier: Apache-2.0
// One client and its server, each on a socket of its own, with the link's model in between.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "longarm/proxy/capture.h"
#include "longarm/proxy/relay_address.h"
#include "longarm/proxy/tcp_link.h"
#include "longarm/proxy/tcp_stream.h"
#include "longarm/system/reactor.h"
#include "longarm/system/socket.h"

namespace longarm::proxy {

/// What all connections of a relay have in common.
struct TcpConnectionOptions {
  SocketAddress server;
  /// Read from one socket and not yet written to the other, each way. A sender whose receiver does
  /// not read is not read from beyond it.
  std::size_t most_bytes = 4 << 20;
  /// Why the server could not be reached, once for each connection that it ends.
  std::function<void(const std::string& why)> server_failed = [](const std::string&) {};
};

/// Bytes of each socket are messages of the model, at most a segment long, and are written to the
/// other when the model has brought them there. A FIN is an empty message, so that each direction
/// ends by itself; a socket that is reset resets the flow, and a flow that is reset its sockets.
/// The server is called when the model's handshake is over.
class TcpConnection final : private TcpFlow {
 public:
  /// `done` is called once, when nothing can happen any more; it may not destroy the connection at
  /// once. `server` is a socket that will be connected: had now, as there may be none left then.
  /// `options` outlive it. `capture` may be null.
  TcpConnection(system::Reactor& reactor, TcpLink& link, system::Descriptor client,
                system::Descriptor server, const TcpConnectionOptions& options, Capture* capture,
                std::function<void()> done);
  ~TcpConnection() override;

  /// Once. It may be over at once.
  void start();

 private:
  using Side = network::Side;

  /// One of the two sockets.
  struct End {
    system::Descriptor socket;
    system::Reactor::WatchId watch = system::Reactor::kNoWatch;
    SocketAddress own;                  ///< ours
    SocketAddress peer;                 ///< theirs
    bool is_connected = false;          ///< may be read and written
    bool is_closed = false;             ///< nothing goes in or out any more
    bool is_over_in_model = false;      ///< hears of nothing there: finished, closed or reset
    bool is_finished_in_model = false;  ///< by a FIN of the model that follows its last message
  };

  // of TcpFlow
  void connected(Side side) override;
  void delivered(Side side, Time due) override;
  void reset(Side side) override;
  void settle() override;
  void has_room() override;

  End& end(Side side) { return ends_[static_cast<std::size_t>(side)]; }
  TcpStream& stream_from(Side side) { return streams_[static_cast<std::size_t>(side)]; }
  DirectionFigures& figures_from(Side side);

  std::string call_server();
  void stand(Side side);
  void look_at(Side side, std::uint32_t happened);
  bool may_read(Side side);
  void read(Side side);
  void hand_over(Side side, std::span<const std::byte> bytes);
  void finish(Side side);
  void write(Side to);
  void fail_server(const std::string& why);
  void update_watch(Side side);
  void break_off(Side side);
  void close(Side side, bool with_reset);
  void close_uncalled_server();
  void drop_bytes_to(Side side);
  void over_in_model(Side side);
  bool is_done(Side side);

  system::Reactor& reactor_;
  TcpLink& link_;
  const TcpConnectionOptions& options_;
  Capture* capture_;
  std::function<void()> done_;
  system::Descriptor uncalled_;  // the server's socket until then
  std::array<End, 2> ends_;
  std::array<TcpStream, 2> streams_;  // by who sends
  network::FlowId flow_{};
  bool has_flow_ = true;
  bool is_waiting_for_room_ = false;
  bool is_done_ = false;
};

}  // namespace longarm::proxy
