// SPDX-License-Identifier: Apache-2.0
// Blocking sockets: the shortest way through the system that a program has.
#include "longarm/components/calibrate/ping_pong.h"

#include <array>
#include <chrono>
#include <thread>

#include <fcntl.h>

#include "longarm/components/real/socket_transport.h"
#include "longarm/system/wait.h"

namespace longarm::components {
namespace {

using system::WallClock;

constexpr Duration kPatience{10'000'000'000};

/// False when the peer is gone or silent.
bool read_all(int socket, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (count <= 0) {
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

void echo(int socket) {
  constexpr std::size_t kLargest = 16U << 20U;
  Bytes message(kLengthBytes);
  while (read_all(socket, std::span(message).first(kLengthBytes))) {
    const std::size_t length = read_length(message);
    if (length > kLargest) {
      return;
    }
    message.resize(kLengthBytes + length);
    if (!read_all(socket, std::span(message).subspan(kLengthBytes)) ||
        !system::send_all(socket, message)) {
      return;
    }
  }
}

void set_patience(int socket) {
  const timeval limit{kPatience.count() / 1'000'000'000, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

Result<PingSample> ping_once(int socket, Bytes& message) {
  const auto start = WallClock::now();
  const Result<bool> sent = system::send_all(socket, message);
  const auto written = WallClock::now();
  if (!sent || !read_all(socket, message)) {
    return Error{"the other side stopped answering"};
  }
  const auto end = WallClock::now();
  return PingSample{message.size() - kLengthBytes, end - start, written - start};
}

}  // namespace

Result<bool> serve_echo(const Address& listen,
                        const std::function<void(const Address&)>& say_ready) {
  const Result<system::Descriptor> listener = system::bind_socket(listen, SOCK_STREAM);
  if (!listener) {
    return listener.error();
  }
  say_ready(system::local_address(listener->number()));
  while (true) {
    system::wait_for(listener->number(), POLLIN, kPatience);
    const system::Descriptor socket(::accept4(listener->number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.is_open()) {
      system::set_nodelay(socket.number(), true);
      echo(socket.number());
    }
  }
}

Result<std::vector<PingSample>> ping(const std::vector<Address>& servers, const PingPlan& plan,
                                     std::int64_t first, std::int64_t rounds) {
  std::vector<system::Descriptor> sockets;
  for (const Address& server : servers) {
    Result<system::Descriptor> socket = system::connect_stream(server, kPatience);
    if (!socket) {
      return socket.error();
    }
    set_patience(socket->number());
    sockets.push_back(std::move(socket).value());
  }
  std::vector<PingSample> samples;
  Bytes message;
  for (std::int64_t round = -1; round < rounds; ++round) {
    std::this_thread::sleep_for(plan.pause);
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      message.assign(kLengthBytes + size_of_ping(plan, first + round + 1, i), std::byte{0});
      write_length(message.size() - kLengthBytes, message);
      const Result<PingSample> sample = ping_once(sockets[i].number(), message);
      if (!sample) {
        return sample.error();
      }
      if (round >= 0) {
        samples.push_back(*sample);
      }
    }
  }
  return samples;
}

}  // namespace longarm::components
