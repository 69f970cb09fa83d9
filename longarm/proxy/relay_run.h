// SPDX-License-Identifier: Apache-2.0
// A whole proxy: all its relays on one link in the middle, from start to statistics.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "longarm/core/time.h"
#include "longarm/proxy/capture.h"
#include "longarm/proxy/link_options.h"
#include "longarm/proxy/relay_address.h"
#include "longarm/proxy/relay_link.h"
#include "longarm/proxy/tcp_relay.h"
#include "longarm/proxy/tun_relay.h"
#include "longarm/proxy/udp_relay.h"
#include "longarm/system/reactor.h"

namespace longarm::proxy {

/// A port to listen at and the server behind it.
struct RelayRoute {
  RelayTransport transport = RelayTransport::kTcp;
  Address listen;  ///< port 0: any free one
  Address to;
};

struct RelayRunOptions {
  std::vector<RelayRoute> routes;
  std::string tun_near;  ///< names of two devices; empty: none
  std::string tun_far;
  RelayLinks links;
  network::TcpOptions tcp = TcpLinkOptions::relay_tcp_options();
  std::uint64_t seed = 1;
  bool passes_damaged = true;  ///< datagrams and packets with a flipped bit
  Duration idle_after = std::chrono::seconds(60);
  std::size_t most_clients = 1000;  ///< of each port
  Duration spin{0};
  bool wants_real_time = false;  ///< priority over ordinary programs (SCHED_FIFO), if it may
  std::string capture;           ///< file; empty: none
  std::uint64_t capture_bytes = Capture::kMostBytes;
  /// Hears at once of what the user should know, a sentence each: a server that cannot be reached.
  /// May be empty.
  std::function<void(const std::string& sentence)> tell;
};

/// What it is at, for a line of progress.
struct RelayProgress {
  Duration elapsed{0};
  std::uint64_t conversations = 0;  ///< now
  std::uint64_t packets = 0;        ///< that left, both ways
  std::uint64_t bytes = 0;
  Duration lateness_median{0};  ///< the worse direction's
  Duration lateness_p99{0};
};

class RelayRun {
 public:
  /// Listens from now on. Throws InputError: a port that is taken, a host that nobody knows, a
  /// device that cannot be had. Nothing has been written by then.
  explicit RelayRun(const RelayRunOptions& options);
  ~RelayRun();

  /// The file of the capture, if one is wanted; to be called before run(). Throws InputError if it
  /// cannot be written.
  void open_capture();

  /// "tcp 127.0.0.1:30003 to 192.168.1.10:30003", one for each route.
  std::vector<std::string> places() const;

  /// Until `until` after the start, or until `is_over`, which is asked ten times a second, says so.
  /// Relays run in the thread that calls this.
  void run(Duration until, const std::function<bool(Duration elapsed)>& is_over);
  /// Takes a moment in which nothing is relayed: to be asked for now and then only.
  RelayProgress progress() const;

  nlohmann::ordered_json statistics() const;
  /// Why it ended before its time, in words; empty if it did not.
  std::string problem() const;
  /// Tables for people.
  std::string tables() const;
  /// What to look at before trusting the results, a sentence each.
  std::vector<std::string> warnings() const;

 private:
  /// Figures of one kind of relay under its name.
  struct Part {
    std::string name;
    RelayFigures figures;
  };

  void open_routes();
  void open_tun();
  std::vector<Part> parts() const;
  void warn_of_full_queues(std::vector<std::string>& lines) const;

  RelayRunOptions options_;
  std::string priority_problem_;
  std::unique_ptr<system::Reactor> reactor_;
  std::unique_ptr<Capture> capture_;
  std::unique_ptr<TcpLink> tcp_link_;
  std::unique_ptr<RelayLinkPair> packet_links_;
  std::vector<std::unique_ptr<TcpRelay>> tcp_relays_;
  std::vector<std::unique_ptr<UdpRelay>> udp_relays_;
  std::unique_ptr<TunRelay> tun_relay_;
};

}  // namespace longarm::proxy
