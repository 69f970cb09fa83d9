// SPDX-License-Identifier: Apache-2.0
// Puts relays, links and capture on one reactor, and sums up what they counted.
#include "longarm/proxy/relay_run.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pthread.h>
#include <sched.h>

#include "longarm/core/diagnostic.h"

namespace longarm::proxy {
namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kLookEvery = std::chrono::milliseconds(100);
constexpr int kPriority = 20;  // of 1 to 99; before ordinary programs, behind the kernel's own

[[noreturn]] void give_up(const std::string& message, const std::string& hint) {
  throw InputError(Diagnostic{{}, message, hint});
}

/// What getting a port may need.
std::string hint_of(const std::string& message) {
  if (message.find("in use") != std::string::npos) {
    return "another program uses this port; choose another with --listen";
  }
  if (message.find("ermission") != std::string::npos) {
    return "ports below 1024 need root; choose a larger one";
  }
  return "--listen is where clients connect to, --to the server";
}

std::int64_t calendar_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Puts this thread before ordinary programs; what stands in the way, if something does.
std::string take_real_time_priority() {
  sched_param parameters{};
  parameters.sched_priority = kPriority;
  const int problem = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
  return problem == 0 ? "" : std::strerror(problem);
}

Json flow_json(const network::FlowFigures& flow, const network::CableFigures& wire) {
  return {{"packets", wire.packets},
          {"bytes", wire.bytes},
          {"lost", wire.dropped_loss},
          {"queue_full", wire.dropped_queue},
          {"retransmissions", flow.retransmissions},
          {"timeouts", flow.timeouts},
          {"tail_probes", flow.tail_probes}};
}

std::string model_table(const TcpLinkFigures& model) {
  std::string text =
      fmt::format("  {:<24}{:>16}{:>16}\n", "tcp, in the model", "to the server", "to the client");
  const auto line = [&](const char* name, std::uint64_t up, std::uint64_t down) {
    text += fmt::format("  {:<24}{:>16}{:>16}\n", name, up, down);
  };
  line("packets", model.wire_up.packets, model.wire_down.packets);
  line("lost", model.wire_up.dropped_loss, model.wire_down.dropped_loss);
  line("queue full", model.wire_up.dropped_queue, model.wire_down.dropped_queue);
  line("retransmissions", model.up.retransmissions, model.down.retransmissions);
  line("time-outs", model.up.timeouts, model.down.timeouts);
  line("probes of the tail", model.up.tail_probes, model.down.tail_probes);
  return text;
}

}  // namespace

RelayRun::RelayRun(const RelayRunOptions& options) : options_(options) {
  Result<std::unique_ptr<system::Reactor>> reactor = system::Reactor::make({options.spin});
  if (!reactor) {
    give_up(reactor.error().message, "close some programs");
  }
  reactor_ = std::move(reactor).value();
  if (!options.capture.empty()) {
    const std::int64_t begun_ns = calendar_ns() - reactor_->now().time_since_epoch().count();
    capture_ = std::make_unique<Capture>(begun_ns, options.capture_bytes);
  }
  open_routes();
  open_tun();
}

RelayRun::~RelayRun() = default;

void RelayRun::open_capture() {
  if (capture_ == nullptr) {
    return;
  }
  const Result<bool> opened = capture_->write_to(options_.capture);
  if (!opened) {
    give_up(opened.error().message, "packets are captured there");
  }
}

void RelayRun::open_routes() {
  const auto make_packet_links = [&] {
    if (packet_links_ == nullptr) {
      packet_links_ = std::make_unique<RelayLinkPair>(
          *reactor_, RelayLinkPair::Models{*options_.links.up, *options_.links.down}, options_.seed,
          options_.passes_damaged);
    }
  };
  for (const RelayRoute& route : options_.routes) {
    if (route.transport == RelayTransport::kUdp) {
      make_packet_links();
      Result<std::unique_ptr<UdpRelay>> relay = UdpRelay::make(
          *reactor_, *packet_links_, capture_.get(),
          {route.listen, route.to, options_.idle_after, options_.most_clients, options_.tell});
      if (!relay) {
        give_up(relay.error().message, hint_of(relay.error().message));
      }
      udp_relays_.push_back(std::move(relay).value());
      continue;
    }
    if (tcp_link_ == nullptr) {
      TcpLinkOptions link;
      link.up = options_.links.up;
      link.down = options_.links.down;
      link.seed = options_.seed;
      link.tcp = options_.tcp;
      tcp_link_ = std::make_unique<TcpLink>(*reactor_, link);
    }
    TcpRelayOptions tcp;
    tcp.listen = route.listen;
    tcp.to = route.to;
    tcp.most_connections = options_.most_clients;
    tcp.tell = options_.tell;
    Result<std::unique_ptr<TcpRelay>> relay =
        TcpRelay::make(*reactor_, *tcp_link_, capture_.get(), tcp);
    if (!relay) {
      give_up(relay.error().message, hint_of(relay.error().message));
    }
    tcp_relays_.push_back(std::move(relay).value());
  }
}

void RelayRun::open_tun() {
  if (options_.tun_near.empty()) {
    return;
  }
  packet_links_ = std::make_unique<RelayLinkPair>(
      *reactor_, RelayLinkPair::Models{*options_.links.up, *options_.links.down}, options_.seed,
      options_.passes_damaged);
  Result<std::unique_ptr<TunRelay>> relay = TunRelay::make(
      *reactor_, *packet_links_, capture_.get(), options_.tun_near, options_.tun_far);
  if (!relay) {
    give_up(relay.error().message, TunDevice::hint_of(relay.error()));
  }
  tun_relay_ = std::move(relay).value();
}

std::vector<std::string> RelayRun::places() const {
  std::vector<std::string> all;
  for (const auto& relay : tcp_relays_) {
    all.push_back(fmt::format("tcp {} to {}", to_text(relay->address()), to_text(relay->server())));
  }
  for (const auto& relay : udp_relays_) {
    all.push_back(fmt::format("udp {} to {}", to_text(relay->address()), to_text(relay->server())));
  }
  if (tun_relay_ != nullptr) {
    all.push_back(fmt::format("tun {} to {}", options_.tun_near, options_.tun_far));
  }
  return all;
}

void RelayRun::run(Duration until, const std::function<bool(Duration elapsed)>& is_over) {
  system::Reactor::TimerId timer{};
  const std::function<void()> look = [&] {
    if (is_over(reactor_->now().time_since_epoch())) {
      reactor_->stop();
    }
    reactor_->set_timer(timer, reactor_->now() + kLookEvery);
  };
  timer = reactor_->add_timer(look);
  if (options_.wants_real_time) {
    priority_problem_ = take_real_time_priority();
  }
  reactor_->set_timer(timer, reactor_->now() + kLookEvery);
  reactor_->run(until == Duration::max() ? Time::max() : Time(until));
  reactor_->remove_timer(timer);
  for (const auto& relay : udp_relays_) {
    relay->count_kernel_losses();
  }
  if (capture_ != nullptr) {
    capture_->flush();
  }
}

std::string RelayRun::problem() const {
  return tun_relay_ == nullptr ? "" : tun_relay_->problem();
}

std::vector<RelayRun::Part> RelayRun::parts() const {
  std::vector<Part> all;
  if (tcp_link_ != nullptr) {
    all.push_back({"tcp", tcp_link_->figures_with_held()});
  }
  if (packet_links_ != nullptr) {
    all.push_back({tun_relay_ == nullptr ? "udp" : "tun", packet_links_->figures()});
  }
  return all;
}

RelayProgress RelayRun::progress() const {
  RelayProgress out;
  out.elapsed = reactor_->now().time_since_epoch();
  const auto add = [&](const RelayFigures& figures) {
    out.conversations += figures.conversations_now;
    for (const DirectionFigures* side : {&figures.up, &figures.down}) {
      out.packets += side->packets_out();
      out.bytes += side->bytes_out();
      out.lateness_median = std::max(out.lateness_median, side->lateness().median());
      out.lateness_p99 = std::max(out.lateness_p99, side->lateness().p99());
    }
  };
  if (tcp_link_ != nullptr) {
    add(tcp_link_->figures());
  }
  if (packet_links_ != nullptr) {
    add(packet_links_->counts());
  }
  return out;
}

Json RelayRun::statistics() const {
  Json out;
  out["elapsed_s"] = to_seconds(reactor_->now().time_since_epoch());
  out["seed"] = options_.seed;
  out["routes"] = places();
  out["link"] = options_.links.yaml;
  for (const Part& part : parts()) {
    out[part.name] = figures_json(part.figures);
  }
  if (tcp_link_ != nullptr) {
    const TcpLinkFigures model = tcp_link_->model_figures();
    out["tcp"]["model"]["up"] = flow_json(model.up, model.wire_up);
    out["tcp"]["model"]["down"] = flow_json(model.down, model.wire_down);
  }
  if (capture_ != nullptr) {
    out["capture"] = {{"file", options_.capture},
                      {"packets", capture_->packets()},
                      {"bytes", capture_->bytes()},
                      {"is_cut", capture_->is_cut()}};
  }
  out["warnings"] = warnings();
  return out;
}

std::string RelayRun::tables() const {
  std::string text;
  for (const Part& part : parts()) {
    text += figures_text(part.figures, part.name);
  }
  if (tcp_link_ != nullptr) {
    text += model_table(tcp_link_->model_figures());
  }
  return text;
}

void RelayRun::warn_of_full_queues(std::vector<std::string>& lines) const {
  const auto warn = [&](const char* kind, std::uint64_t up, std::uint64_t down) {
    if (up + down > 0) {
      lines.push_back(
          fmt::format("{}: {} packets to the server and {} to the client were dropped because the "
                      "link's queue was full (netem holds 1000 packets unless limit is given)",
                      kind, up, down));
    }
  };
  if (tcp_link_ != nullptr) {
    const TcpLinkFigures model = tcp_link_->model_figures();
    warn("tcp, in the model", model.wire_up.dropped_queue, model.wire_down.dropped_queue);
  }
  if (packet_links_ != nullptr) {
    const RelayFigures& counts = packet_links_->counts();
    warn(tun_relay_ == nullptr ? "udp" : "tun", counts.up.drops(network::DropReason::kQueueFull),
         counts.down.drops(network::DropReason::kQueueFull));
  }
}

std::vector<std::string> RelayRun::warnings() const {
  std::vector<std::string> all;
  for (const Part& part : parts()) {
    const std::vector<std::string> some = figures_warnings(part.figures, part.name);
    all.insert(all.end(), some.begin(), some.end());
  }
  for (const auto& relay : tcp_relays_) {
    const std::vector<std::string> some = relay->warnings();
    all.insert(all.end(), some.begin(), some.end());
  }
  warn_of_full_queues(all);
  if (!priority_problem_.empty()) {
    all.push_back(
        fmt::format("cannot get real-time priority: {}; it needs CAP_SYS_NICE", priority_problem_));
  }
  if (capture_ != nullptr && capture_->is_cut()) {
    all.push_back(
        fmt::format("the capture ends after {} packets: its file is full", capture_->packets()));
  }
  return all;
}

}  // namespace longarm::proxy
