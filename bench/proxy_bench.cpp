// SPDX-License-Identifier: Apache-2.0
// What a relay adds to a round trip on the loopback, alone and beside 100 Mbit/s, and how late it
// is where the link has a delay. Arguments: seconds of each measurement (3).
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "longarm/proxy/link_options.h"
#include "longarm/proxy/tcp_relay.h"
#include "longarm/proxy/udp_relay.h"

namespace longarm::proxy {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using system::Descriptor;

constexpr std::size_t kPingBytes = 64;
constexpr auto kPingEvery = 1ms;
constexpr timeval kPatience{5, 0};
// 1000 bytes 12 500 times a second are 100 Mbit/s
constexpr std::size_t kDatagramBytes = 1000;
constexpr double kLoad_byte_s = 12.5e6;

Descriptor open_socket(int kind) {
  Descriptor made(socket(AF_INET, kind | SOCK_CLOEXEC, 0));
  const int one = 1;
  if (kind == SOCK_STREAM) {
    setsockopt(made.number(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  }
  setsockopt(made.number(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  return made;
}

Descriptor connect_to(int kind, const SocketAddress& to) {
  Descriptor made = open_socket(kind);
  if (connect(made.number(), reinterpret_cast<const sockaddr*>(&to.storage), to.length) != 0) {
    fmt::print(stderr, "cannot connect to {}\n", to_text(to));
    std::exit(1);
  }
  return made;
}

/// Answers pings and swallows what begins with 'x'; a thread for each conversation.
class Server {
 public:
  explicit Server(int kind) : kind_(kind), socket_(open_socket(kind)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    address_ = system::local_socket_address(socket_.number());
    if (kind == SOCK_STREAM) {
      listen(socket_.number(), 64);
    }
    threads_.emplace_back([this] { kind_ == SOCK_STREAM ? accept_all() : answer_datagrams(); });
  }
  ~Server() {
    is_over_ = true;
    shutdown(socket_.number(), SHUT_RDWR);
    connect_or_poke();
    threads_.clear();
  }
  const SocketAddress& address() const { return address_; }
  std::uint64_t swallowed() const { return swallowed_; }

 private:
  void connect_or_poke() {
    Descriptor poke = open_socket(kind_);
    connect(poke.number(), reinterpret_cast<const sockaddr*>(&address_.storage), address_.length);
    send(poke.number(), "x", 1, MSG_NOSIGNAL);
  }
  void accept_all() {
    while (!is_over_) {
      const int client = accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC);
      if (is_over_) {
        close(client);
        return;
      }
      if (client >= 0) {
        threads_.emplace_back([this, client] { answer(client); });
      }
    }
  }
  void answer(int client) {
    const Descriptor socket(client);
    const int one = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    std::vector<char> bytes(1 << 18);
    for (;;) {
      const ssize_t size = recv(client, bytes.data(), bytes.size(), 0);
      if (size <= 0) {
        return;
      }
      if (bytes[0] == 'x') {
        swallowed_ += static_cast<std::uint64_t>(size);
      } else {
        send(client, bytes.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL);
      }
    }
  }
  void answer_datagrams() {
    std::vector<char> bytes(1 << 16);
    while (!is_over_) {
      SocketAddress from;
      from.length = sizeof from.storage;
      const ssize_t size = recvfrom(socket_.number(), bytes.data(), bytes.size(), 0,
                                    reinterpret_cast<sockaddr*>(&from.storage), &from.length);
      if (size > 0 && bytes[0] == 'x') {
        swallowed_ += static_cast<std::uint64_t>(size);
      } else if (size > 0) {
        sendto(socket_.number(), bytes.data(), static_cast<std::size_t>(size), 0,
               reinterpret_cast<const sockaddr*>(&from.storage), from.length);
      }
    }
  }

  int kind_;
  Descriptor socket_;
  SocketAddress address_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::uint64_t> swallowed_{0};
  std::vector<std::jthread> threads_;
};

/// Sends so many bytes a second until it is destroyed; 0: as many as there is room for.
class Load {
 public:
  Load(int kind, const SocketAddress& to, double byte_s)
      : socket_(connect_to(kind, to)), thread_([this, kind, byte_s](const std::stop_token& stop) {
          const std::string bytes(kind == SOCK_STREAM ? 12'500 : kDatagramBytes, 'x');
          const auto start = Clock::now();
          double sent = 0.0;
          while (!stop.stop_requested()) {
            const double due =
                byte_s > 0.0 ? byte_s * std::chrono::duration<double>(Clock::now() - start).count()
                             : sent + 1.0;
            if (sent >= due) {
              std::this_thread::sleep_for(200us);
              continue;
            }
            const ssize_t size = send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            sent += static_cast<double>(std::max<ssize_t>(size, 0));
          }
        }) {}
  ~Load() {
    thread_.request_stop();
    std::this_thread::sleep_for(1ms);
    shutdown(socket_.number(), SHUT_RDWR);
  }

 private:
  Descriptor socket_;
  std::jthread thread_;
};

/// Round trips, in seconds, one begun each millisecond; those lost are left out.
class Pinger {
 public:
  Pinger(int kind, const SocketAddress& to) : socket_(connect_to(kind, to)) {}
  void ping(std::vector<double>& round_trips_s) {
    std::array<char, kPingBytes> bytes{};
    bytes[0] = 'p';
    const auto start = Clock::now();
    send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    std::size_t got = 0;
    while (got < bytes.size()) {
      const ssize_t size = recv(socket_.number(), bytes.data(), bytes.size() - got, 0);
      if (size <= 0) {
        return;
      }
      got += static_cast<std::size_t>(size);
    }
    round_trips_s.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }

 private:
  Descriptor socket_;
};

double quantile_us(std::vector<double>& values_s, double share) {
  if (values_s.empty()) {
    return 0.0;
  }
  std::sort(values_s.begin(), values_s.end());
  const auto index = static_cast<std::size_t>(share * static_cast<double>(values_s.size() - 1));
  return 1e6 * values_s[index];
}

RelayLinks links_of(const std::string& line) {
  LinkOptions options;
  options.line = line;
  return read_links(options, network::built_in_link_models());
}

/// Both kinds of relay before one server, on a thread.
class Relay {
 public:
  Relay(int kind, const std::string& line, const SocketAddress& server)
      : links_(links_of(line)), reactor_(std::move(system::Reactor::make()).value()) {
    const Address listen{"127.0.0.1", 0};
    const Address to{"127.0.0.1", port_of(server)};
    if (kind == SOCK_STREAM) {
      TcpLinkOptions options;
      options.up = links_.up;
      options.down = links_.down;
      tcp_link_ = std::make_unique<TcpLink>(*reactor_, options);
      TcpRelayOptions relay;
      relay.listen = listen;
      relay.to = to;
      tcp_ = std::move(TcpRelay::make(*reactor_, *tcp_link_, nullptr, relay)).value();
    } else {
      udp_links_ = std::make_unique<RelayLinkPair>(
          *reactor_, RelayLinkPair::Models{*links_.up, *links_.down}, 1);
      UdpRelayOptions relay;
      relay.listen = listen;
      relay.to = to;
      udp_ = std::move(UdpRelay::make(*reactor_, *udp_links_, nullptr, relay)).value();
    }
    thread_ = std::jthread([this] { reactor_->run(); });
  }
  ~Relay() { stop(); }
  void stop() {
    reactor_->stop();
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  const SocketAddress& address() const { return tcp_ ? tcp_->address() : udp_->address(); }
  RelayFigures figures() const { return tcp_ ? tcp_link_->figures() : udp_links_->figures(); }

 private:
  RelayLinks links_;
  std::unique_ptr<system::Reactor> reactor_;
  std::unique_ptr<TcpLink> tcp_link_;
  std::unique_ptr<RelayLinkPair> udp_links_;
  std::unique_ptr<TcpRelay> tcp_;
  std::unique_ptr<UdpRelay> udp_;
  std::jthread thread_;
};

/// Pings past the relay and through it by turns, so that both see the same machine; with a load on
/// the same way as the pings, or without. `load_byte_s` < 0: none.
void compare(const char* name, int kind, double load_byte_s, double seconds) {
  Server server(kind);
  Relay relay(kind, "", server.address());
  std::array<std::vector<double>, 2> round_trips;
  std::array<double, 2> load_s{};
  std::array<double, 2> load_bytes{};
  Pinger direct(kind, server.address());
  Pinger relayed(kind, relay.address());
  constexpr int kTurns = 4;
  for (int turn = 0; turn < kTurns; ++turn) {
    for (const std::size_t way : {0U, 1U}) {
      std::unique_ptr<Load> load;
      if (load_byte_s >= 0.0) {
        load = std::make_unique<Load>(kind, way == 0 ? server.address() : relay.address(),
                                      load_byte_s);
        std::this_thread::sleep_for(50ms);
      }
      const std::uint64_t before = server.swallowed();
      const auto start = Clock::now();
      const auto end = start + std::chrono::duration<double>(seconds / kTurns);
      for (auto due = start; due < end; due = std::max(due + kPingEvery, Clock::now())) {
        std::this_thread::sleep_until(due);
        (way == 0 ? direct : relayed).ping(round_trips[way]);
      }
      load_bytes[way] += static_cast<double>(server.swallowed() - before);
      load_s[way] += std::chrono::duration<double>(Clock::now() - start).count();
    }
  }
  std::array<double, 2> median{};
  std::array<double, 2> p99{};
  for (const std::size_t way : {0U, 1U}) {
    median[way] = quantile_us(round_trips[way], 0.5);
    p99[way] = quantile_us(round_trips[way], 0.99);
    fmt::print("{:<33} {:<7} {:>8.0f} {:>8.0f} {:>10.1f}\n", name, way == 0 ? "direct" : "relay",
               median[way], p99[way], 8e-6 * load_bytes[way] / load_s[way]);
  }
  fmt::print("{:<33} added   {:>8.0f} {:>8.0f}  median x {:.2f}\n", "", median[1] - median[0],
             p99[1] - p99[0], median[1] / median[0]);
}

/// With a delay: what the relay reports of itself, and what a client sees.
void measure_lateness(const char* name, int kind, double load_byte_s, double seconds) {
  Server server(kind);
  Relay relay(kind, "delay 20ms", server.address());
  std::vector<double> round_trips;
  Pinger pinger(kind, relay.address());
  std::unique_ptr<Load> load;
  if (load_byte_s > 0.0) {
    load = std::make_unique<Load>(kind, relay.address(), load_byte_s);
  }
  pinger.ping(round_trips);  // a connection begins with a handshake
  round_trips.clear();
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    pinger.ping(round_trips);
  }
  load.reset();
  relay.stop();
  const RelayFigures figures = relay.figures();
  for (const DirectionFigures* way : {&figures.up, &figures.down}) {
    const auto us = [](Duration d) { return 1e6 * to_seconds(d); };
    fmt::print("{:<33} {:<5} late: median {:>6.0f} us, p99 {:>6.0f} us, most {:>6.0f} us\n", name,
               way == &figures.up ? "up" : "down", us(way->lateness().median()),
               us(way->lateness().p99()), us(way->lateness().max()));
  }
  fmt::print("{:<33} round trip beyond 40 ms: median {:.0f} us, p99 {:.0f} us\n", name,
             quantile_us(round_trips, 0.5) - 40e3, quantile_us(round_trips, 0.99) - 40e3);
}

void run(double seconds) {
  fmt::print("{:<33} {:<7} {:>8} {:>8} {:>10}\n", "round trips of 64 bytes", "way", "median us",
             "p99 us", "load Mbit/s");
  compare("TCP", SOCK_STREAM, -1.0, seconds);
  compare("TCP beside 100 Mbit/s", SOCK_STREAM, kLoad_byte_s, seconds);
  compare("TCP beside all there is room for", SOCK_STREAM, 0.0, seconds);
  compare("UDP", SOCK_DGRAM, -1.0, seconds);
  compare("UDP beside 100 Mbit/s", SOCK_DGRAM, kLoad_byte_s, seconds);
  fmt::print("\n");
  measure_lateness("TCP, delay 20ms", SOCK_STREAM, -1.0, seconds);
  measure_lateness("TCP, delay 20ms, 100 Mbit/s", SOCK_STREAM, kLoad_byte_s, seconds);
  measure_lateness("UDP, delay 20ms", SOCK_DGRAM, -1.0, seconds);
}

}  // namespace
}  // namespace longarm::proxy

int main(int argc, char** argv) {
  longarm::proxy::run(argc > 1 ? std::atof(argv[1]) : 3.0);
  return 0;
}
