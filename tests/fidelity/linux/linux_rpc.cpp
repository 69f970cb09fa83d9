// SPDX-License-Identifier: Apache-2.0
// A client and a server on real sockets, each in a thread with a network namespace of its own, and
// the relay between them.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <future>
#include <mutex>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/fidelity/linux/rpc_trial.h"
#include "tests/fidelity/linux/tun_namespace.h"

namespace longarm::fidelity {
namespace {

using Clock = std::chrono::steady_clock;
constexpr const char* kClientAddress = "10.77.0.1";
constexpr const char* kServerAddress = "10.77.0.2";
constexpr std::uint16_t kPort = 7000;  // of a namespace that nobody else is in
constexpr int kRelayPriority = 50;
constexpr int kPeerPriority = 40;
constexpr int kPoll_ms = 50;
// a call that takes longer than any back-off at these loss rates has hung
constexpr std::chrono::seconds kPatience{120};

/// What has arrived of the message that is on its way.
struct Connection {
  int file = -1;
  std::uint32_t received_bytes = 0;
  std::array<char, sizeof(Clock::rep)> stamp{};  ///< its first bytes: when a stream's was due
};

/// How long messages of a stream took, where they arrive.
class Arrivals {
 public:
  void add(const Connection& connection) {
    const auto now = Clock::now().time_since_epoch();
    Clock::rep due = 0;
    std::memcpy(&due, connection.stamp.data(), sizeof(due));
    const std::lock_guard lock(mutex_);
    seconds_.push_back(std::chrono::duration<double>(now - Clock::duration(due)).count());
  }
  std::vector<double> seconds() const {
    const std::lock_guard lock(mutex_);
    return seconds_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<double> seconds_;
};

void prepare(int file, const std::string& congestion) {
  const int on = 1;
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(file, IPPROTO_TCP, TCP_CONGESTION, congestion.data(),
             static_cast<socklen_t>(congestion.size()));
}

sockaddr_in server_address() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  inet_pton(AF_INET, kServerAddress, &address.sin_addr);
  return address;
}

/// A message that begins with `stamp`. Socket buffers hold many of them, so it goes in one piece.
bool send_stamped(int file, std::uint32_t size_bytes, Clock::rep stamp) {
  std::vector<char> message(size_bytes);
  std::memcpy(message.data(), &stamp, sizeof(stamp));
  return send(file, message.data(), message.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(message.size());
}

bool send_all(int file, std::uint32_t size_bytes) {
  static const std::vector<char> zeros(1 << 20);
  std::uint32_t sent = 0;
  while (sent < size_bytes) {
    const ssize_t now = send(file, zeros.data(), size_bytes - sent, MSG_NOSIGNAL);
    if (now <= 0) {
      return false;
    }
    sent += static_cast<std::uint32_t>(now);
  }
  return true;
}

/// Whether `whole` bytes are together now; those of the next message stay.
bool receive_some(Connection& connection, std::uint32_t whole) {
  std::array<char, 1 << 16> buffer;
  const std::size_t wanted =
      std::min<std::size_t>(whole - connection.received_bytes, buffer.size());
  const ssize_t size = recv(connection.file, buffer.data(), wanted, 0);
  if (size > 0) {
    const std::size_t from = std::min<std::size_t>(connection.received_bytes, sizeof(Clock::rep));
    const std::size_t count =
        std::min(static_cast<std::size_t>(size), connection.stamp.size() - from);
    std::copy_n(buffer.begin(), count, connection.stamp.begin() + static_cast<long>(from));
    connection.received_bytes += static_cast<std::uint32_t>(size);
  }
  if (connection.received_bytes < whole) {
    return false;
  }
  connection.received_bytes = 0;
  return true;
}

/// Answers whatever connects, until it is over.
void serve(const RpcTrial& trial, int listener, const std::atomic<bool>& is_over,
           Arrivals& arrivals) {
  std::vector<Connection> peers;
  while (!is_over) {
    std::vector<pollfd> files{{listener, POLLIN, 0}};
    for (const Connection& peer : peers) {
      files.push_back({peer.file, POLLIN, 0});
    }
    if (poll(files.data(), files.size(), kPoll_ms) <= 0) {
      continue;
    }
    for (std::size_t i = 1; i < files.size(); ++i) {
      if ((files[i].revents & POLLIN) != 0 && receive_some(peers[i - 1], trial.request_bytes)) {
        if (trial.is_stream()) {
          arrivals.add(peers[i - 1]);
        } else {
          send_all(peers[i - 1].file, trial.reply_bytes);
        }
      }
    }
    if ((files[0].revents & POLLIN) != 0) {
      const int file = accept(listener, nullptr, nullptr);
      if (file >= 0) {
        prepare(file, trial.congestion);
        peers.push_back({file});
      }
    }
  }
  for (const Connection& peer : peers) {
    close(peer.file);
  }
}

Result<int> listen_here(const RpcTrial& trial) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = server_address();
  prepare(listener, trial.congestion);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(listener, 64) != 0) {
    return Error{std::string("the server cannot listen: ") + std::strerror(errno)};
  }
  return listener;
}

bool is_asked_and_answered(int file, const RpcTrial& trial) {
  if (!send_all(file, trial.request_bytes)) {
    return false;
  }
  Connection connection{file};
  std::uint32_t before = 0;
  while (!receive_some(connection, trial.reply_bytes)) {
    if (connection.received_bytes == before) {
      return false;  // closed, or nothing came for as long as we wait
    }
    before = connection.received_bytes;
  }
  return true;
}

/// One connection, which asks, waits for the answer, and asks again.
Result<std::vector<double>> call_in_turn(const RpcTrial& trial) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  prepare(file, trial.congestion);
  const timeval patience{kPatience.count(), 0};
  setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  const sockaddr_in address = server_address();
  if (connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    const Error error{std::string("the client cannot connect: ") + std::strerror(errno)};
    close(file);
    return error;
  }
  std::vector<double> seconds;
  if (trial.is_stream()) {
    auto due = Clock::now();
    for (int i = 0; i < trial.calls; ++i, due += trial.period) {
      std::this_thread::sleep_until(due);
      if (!send_stamped(file, trial.request_bytes, due.time_since_epoch().count())) {
        close(file);
        return Error{"a message could not be sent"};
      }
    }
    close(file);
    return seconds;
  }
  for (int i = 0; i < trial.calls; ++i) {
    const auto asked_at = Clock::now();
    if (!is_asked_and_answered(file, trial)) {
      close(file);
      return Error{"no answer for two minutes"};
    }
    seconds.push_back(std::chrono::duration<double>(Clock::now() - asked_at).count());
  }
  close(file);
  return seconds;
}

/// All connections at the same time; their threads stay in the caller's namespace.
Result<std::vector<double>> call(const RpcTrial& trial) {
  std::vector<Result<std::vector<double>>> of_each(static_cast<std::size_t>(trial.connections),
                                                   Error{"not started"});
  std::vector<std::thread> threads;
  for (auto& seconds : of_each) {
    threads.emplace_back([&trial, &seconds] { seconds = call_in_turn(trial); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::vector<double> all;
  for (const auto& seconds : of_each) {
    if (!seconds) {
      return seconds.error();
    }
    all.insert(all.end(), seconds->begin(), seconds->end());
  }
  return all;
}

}  // namespace

Result<RpcTimes> measure_on_linux(const RpcTrial& trial) {
  std::atomic<bool> is_over{false};
  std::promise<Result<int>> server_device;
  std::promise<Result<int>> client_device;
  std::promise<void> may_call;
  std::promise<Result<std::vector<double>>> answers;
  Arrivals arrivals;

  // a namespace belongs to the thread that entered it, and to the sockets it makes there
  std::thread server([&] {
    Result<int> device = enter_tun_namespace(kServerAddress);
    const Result<int> listener = device ? listen_here(trial) : Result<int>(device.error());
    ask_for_real_time(kPeerPriority);
    server_device.set_value(listener ? device : Result<int>(listener.error()));
    if (listener) {
      serve(trial, *listener, is_over, arrivals);
      close(*listener);
    }
  });
  std::thread client([&] {
    const Result<int> device = enter_tun_namespace(kClientAddress);
    ask_for_real_time(kPeerPriority);
    client_device.set_value(device);
    may_call.get_future().wait();
    answers.set_value(device && !is_over ? call(trial)
                                         : Result<std::vector<double>>(Error{"not started"}));
    // the kernel still carries what a stream has left behind
    const auto whole = static_cast<std::size_t>(trial.calls * trial.connections);
    const auto given_up_at = Clock::now() + kPatience;
    while (device && trial.is_stream() && arrivals.seconds().size() < whole &&
           Clock::now() < given_up_at) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kPoll_ms));
    }
    is_over = true;
  });

  const Result<int> there = server_device.get_future().get();
  const Result<int> here = client_device.get_future().get();
  RpcTimes times;
  if (!there || !here) {
    is_over = true;
    may_call.set_value();
    client.join();
    server.join();
    return there ? here.error() : there.error();
  }
  std::thread carrier([&] {
    times.has_real_time = ask_for_real_time(kRelayPriority);
    Relay relay({*here, *there},
                {make_trial_link(trial, "forward"), make_trial_link(trial, "backward")});
    may_call.set_value();
    relay.run(is_over);
    times.relay = relay.lateness();
  });
  client.join();
  server.join();
  carrier.join();
  close(*here);
  close(*there);
  Result<std::vector<double>> seconds = answers.get_future().get();
  if (!seconds) {
    return seconds.error();
  }
  times.seconds = trial.is_stream() ? arrivals.seconds() : std::move(seconds).value();
  std::sort(times.seconds.begin(), times.seconds.end());
  return times;
}

}  // namespace longarm::fidelity
