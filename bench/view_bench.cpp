// SPDX-License-Identifier: Apache-2.0
// What viewers cost the thread that steps a recorded run: the same run with nobody listening, with
// a feed that nobody watches, and with ten viewers that read.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "labs/labs.h"
#include "longarm/cell/run.h"
#include "longarm/view/live_conversation.h"
#include "longarm/view/live_feed.h"
#include "longarm/view/scene.h"
#include "longarm/view/views.h"
#include "longarm/view/web_server.h"

namespace {

using namespace longarm;
using namespace std::chrono_literals;

constexpr int kViewers = 10;
constexpr double kLimit = 1.05;  // times the same run with nobody listening
constexpr int kBlocks = 40;
constexpr int kSteps = 2000;
constexpr int kPacedBlocks = 12;
constexpr int kPacedSteps = 1000;  // in real time: a second

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

/// CPU time of this thread: what viewers cost others does not count.
double thread_cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Sockets of pages that take whatever comes, on a thread of their own.
class Viewers {
 public:
  Viewers(std::uint16_t port, int count) {
    for (int i = 0; i < count; ++i) {
      sockets_.push_back(connected(port));
    }
    thread_ = std::thread([this] { read_all(); });
  }
  ~Viewers() {
    is_over_ = true;
    thread_.join();
    for (const int each : sockets_) {
      ::close(each);
    }
  }
  Viewers(const Viewers&) = delete;
  Viewers& operator=(const Viewers&) = delete;

  double received_mb() const { return 1e-6 * static_cast<double>(received_.load()); }
  int lost() const { return lost_; }

 private:
  static int connected(std::uint16_t port) {
    const int out = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const std::string hello = fmt::format(
        "GET /live HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: {}\r\n\r\n",
        port, view::kLiveProtocol);
    std::array<char, 12> answer{};
    if (::connect(out, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 ||
        ::send(out, hello.data(), hello.size(), 0) != static_cast<ssize_t>(hello.size()) ||
        ::recv(out, answer.data(), answer.size(), MSG_WAITALL) != ssize_t{answer.size()} ||
        std::string_view(answer.data(), answer.size()) != "HTTP/1.1 101") {
      give_up("a viewer cannot connect");
    }
    return out;
  }

  void read_all() {
    // an empty pong, masked: the server drops who says nothing for long
    constexpr std::array<unsigned char, 6> kAlive{0x8a, 0x80, 0, 0, 0, 0};
    std::vector<pollfd> waiting;
    for (const int each : sockets_) {
      waiting.push_back({each, POLLIN, 0});
    }
    std::vector<char> buffer(1 << 16);
    auto last_word = std::chrono::steady_clock::now();
    while (!is_over_) {
      ::poll(waiting.data(), waiting.size(), 100);
      for (pollfd& each : waiting) {
        if (each.fd < 0 || each.revents == 0) {
          continue;
        }
        const ssize_t count = ::recv(each.fd, buffer.data(), buffer.size(), 0);
        if (count <= 0) {
          each.fd = -1;
          ++lost_;
          continue;
        }
        received_ += static_cast<std::uint64_t>(count);
      }
      if (std::chrono::steady_clock::now() - last_word > 5s) {
        last_word = std::chrono::steady_clock::now();
        for (const int each : sockets_) {
          ::send(each, kAlive.data(), kAlive.size(), MSG_NOSIGNAL);
        }
      }
    }
  }

  std::vector<int> sockets_;
  std::atomic<std::uint64_t> received_{0};
  std::atomic<int> lost_{0};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

/// A recorded run, which somebody may listen to and somebody may watch.
class Loop {
 public:
  enum class Audience { kNobody, kFeed, kPages };

  Loop(const cell::PreparedScenario& prepared, const std::string& path, Audience audience)
      : scene_(view::make_scene(prepared)), document_(view::live_document(prepared, scene_)) {
    cell::RunSetup setup;
    setup.trace = path;
    setup.listener = audience == Audience::kNobody ? nullptr : &feed_;
    simulation_ = std::make_unique<cell::Run>(prepared, std::move(setup));
    if (audience != Audience::kPages) {
      return;
    }
    auto server = view::WebServer::make(
        {.protocols = {view::kLiveProtocol}}, [](const auto&) { return view::WebAnswer{404}; },
        [this](const std::string&, view::WebSocketClient& client) {
          return view::talk_to_viewer(feed_, document_, client);
        });
    if (!server) {
      give_up(server.error().message);
    }
    server_ = std::move(server).value();
    viewers_ = std::make_unique<Viewers>(server_->port(), kViewers);
  }

  /// CPU time of this thread for some steps, as fast as they go.
  double block(int steps) {
    const double before = thread_cpu_s();
    advance(steps);
    return thread_cpu_s() - before;
  }

  /// The same, each step when its time has come.
  double paced_block(int steps) {
    const auto start = std::chrono::steady_clock::now();
    double cpu = 0.0;
    for (int i = 0; i < steps; ++i) {
      std::this_thread::sleep_until(start + i * 1ms);
      const double before = thread_cpu_s();
      advance(1);
      cpu += thread_cpu_s() - before;
    }
    return cpu;
  }

  const Viewers* viewers() const { return viewers_.get(); }

 private:
  void advance(int steps) {
    simulation_->run_until(simulation_->now() + steps * Duration(1ms));
    if (simulation_->failure()) {
      give_up("the loop does not run");
    }
  }

  view::LiveFeed feed_;
  view::Scene scene_;
  nlohmann::ordered_json document_;
  std::unique_ptr<cell::Run> simulation_;
  std::unique_ptr<view::WebServer> server_;
  std::unique_ptr<Viewers> viewers_;
};

/// Whether ten viewers stay within the limit.
bool measure(const char* name, const cell::LoadOptions& options, bool is_paced,
             const std::filesystem::path& folder) {
  const cell::Plugins plugins = labs::built_in_plugins();
  const cell::PreparedScenario prepared = cell::load_scenario("ur5-waypoints", options, plugins);
  Loop alone(prepared, folder / "alone.mcap", Loop::Audience::kNobody);
  Loop fed(prepared, folder / "fed.mcap", Loop::Audience::kFeed);
  Loop watched(prepared, folder / "watched.mcap", Loop::Audience::kPages);

  // turn and turn about, so that all see the same machine; the first round warms up
  const int steps = is_paced ? kPacedSteps : kSteps;
  const int blocks = is_paced ? kPacedBlocks : kBlocks;
  std::array<std::vector<double>, 3> us;
  const std::array<Loop*, 3> loops{&alone, &fed, &watched};
  for (int i = 0; i <= blocks; ++i) {
    for (std::size_t turn = 0; turn < loops.size(); ++turn) {
      // who comes first is another one each time
      const std::size_t k = (turn + static_cast<std::size_t>(i)) % loops.size();
      const double cpu = is_paced ? loops[k]->paced_block(steps) : loops[k]->block(steps);
      if (i > 0) {
        us[k].push_back(cpu / steps * 1e6);
      }
    }
  }
  const Viewers& viewers = *watched.viewers();
  if (viewers.lost() > 0 || viewers.received_mb() < 0.1) {
    give_up("the viewers did not watch");
  }
  const double ratio = middle_of(us[2]) / middle_of(us[0]);
  std::printf("%-34s %8.2f %8.2f %8.2f %8.3f %8.3f %8.1f  %s\n", name, middle_of(us[0]),
              middle_of(us[1]), middle_of(us[2]), middle_of(us[1]) / middle_of(us[0]), ratio,
              viewers.received_mb() / kViewers, ratio <= kLimit ? "within 1.05" : "ABOVE 1.05");
  return ratio <= kLimit;
}

}  // namespace

int main() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("longarm-view-bench-{}", ::getpid());
  std::filesystem::create_directories(folder);
  std::printf(
      "UR5, 1 kHz, recorded into trace.mcap; CPU time of the stepping thread per step, medians of "
      "blocks:\nnobody listens (a), a feed that nobody watches (b), %d viewers that read (c)\n\n",
      kViewers);
  std::printf("%-34s %8s %8s %8s %8s %8s %8s\n", "ur5-waypoints, delay 5 ms", "a us", "b us",
              "c us", "b to a", "c to a", "MB each");
  const cell::LoadOptions options{{"link.delay=5ms", "task.hold=900s"}, {}};
  const bool is_cheap_paced = measure("paced in real time", options, true, folder);
  const bool is_cheap_fast = measure("as fast as it goes", options, false, folder);
  std::filesystem::remove_all(folder);
  return is_cheap_paced && is_cheap_fast ? 0 : 1;
}
