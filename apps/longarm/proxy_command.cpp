// SPDX-License-Identifier: Apache-2.0
// `longarm proxy`: a relay in real time between clients and servers, with a link in the middle.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/longarm/commands.h"
#include "apps/longarm/descriptor_limit.h"
#include "apps/longarm/interruption.h"
#include "apps/longarm/progress_text.h"
#include "apps/longarm/proxy_routes.h"
#include "labs/labs.h"
#include "longarm/cell/plugin.h"
#include "longarm/config/text_file.h"
#include "longarm/core/text.h"
#include "longarm/proxy/relay_run.h"

namespace longarm::app {
namespace {

namespace fs = std::filesystem;

struct ProxyArguments {
  ProxyRoutes routes;
  std::string tun;
  proxy::LinkOptions link;
  std::vector<std::string> tcp;
  std::vector<std::string> plugins;
  std::string seed = "1";
  std::string duration;
  std::string idle;
  std::string spin = "0s";
  std::string corrupt;
  std::string clients;
  std::string capture;
  std::string capture_megabytes;
  std::string out;
  bool wants_real_time = false;
  bool prints_json = false;
};

Duration read_duration(const char* option, const std::string& text, bool may_be_zero,
                       Diagnostics& problems) {
  const Result<Duration> duration = parse_duration(text);
  if (!duration || *duration < Duration(0) || (*duration == Duration(0) && !may_be_zero)) {
    problems.error({option}, fmt::format("'{}' is not a duration", text),
                   fmt::format("e.g. {} 30s", option));
    return Duration(0);
  }
  return *duration;
}

/// Digits only: no sign that would turn into a large number, and nothing that does not fit.
std::uint64_t read_number(const char* option, const std::string& text, std::uint64_t least,
                          std::uint64_t most, const char* example, Diagnostics& problems) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end || number < least || number > most) {
    problems.error({option},
                   fmt::format("'{}' is not a whole number from {} to {}", text, least, most),
                   fmt::format("e.g. {} {}", option, example));
    return least;
  }
  return number;
}

/// What would change nothing is a misunderstanding.
void refuse_what_has_no_effect(const ProxyArguments& arguments,
                               const std::vector<proxy::RelayRoute>& routes,
                               Diagnostics& problems) {
  const auto has = [&](proxy::RelayTransport transport) {
    return std::any_of(routes.begin(), routes.end(),
                       [&](const auto& route) { return route.transport == transport; });
  };
  const bool has_tun = !arguments.tun.empty();
  const bool has_udp = has(proxy::RelayTransport::kUdp);
  if (!arguments.tcp.empty() && !has(proxy::RelayTransport::kTcp)) {
    problems.error(
        {"--tcp"}, "it applies to TCP ports only, and there are none",
        has_tun ? "with --tun, the kernels at both ends use their own TCP" : "remove it");
  }
  if (!arguments.idle.empty() && !has_udp) {
    problems.error({"--idle"}, "it applies to UDP ports only, and there are none",
                   "remove it; TCP connections are closed by their clients");
  }
  if (!arguments.corrupt.empty() && !has_udp && !has_tun) {
    problems.error({"--corrupt"}, "it applies to UDP ports only, and there are none",
                   "remove it; TCP retransmits damaged data");
  }
  if (!arguments.clients.empty() && has_tun) {
    problems.error({"--clients"}, "TUN devices have no clients", "remove it");
  }
  if (!arguments.capture_megabytes.empty() && arguments.capture.empty() && arguments.out.empty()) {
    problems.error({"--capture-limit"}, "there is no capture to limit",
                   "add --capture FILE or --out DIR");
  }
}

void read_tun(const ProxyArguments& arguments, Diagnostics& problems,
              proxy::RelayRunOptions& options) {
  if (arguments.tun.empty()) {
    return;
  }
  const std::size_t comma = arguments.tun.find(',');
  options.tun_near = arguments.tun.substr(0, comma);
  options.tun_far = comma == std::string::npos ? "" : arguments.tun.substr(comma + 1);
  if (options.tun_near.empty() || options.tun_far.empty() || options.tun_near == options.tun_far) {
    problems.error({"--tun"}, fmt::format("'{}' does not name two devices", arguments.tun),
                   "e.g. --tun near,far");
  }
  if (!arguments.routes.is_empty()) {
    problems.error({"--tun"}, "--tun cannot be combined with --listen, --to or --ports",
                   "remove --listen, --to and --ports, or --tun");
  }
}

void read_numbers(const ProxyArguments& arguments, Diagnostics& problems,
                  proxy::RelayRunOptions& options) {
  options.seed = read_number("--seed", arguments.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                             "5", problems);
  if (!arguments.clients.empty()) {
    options.most_clients =
        read_number("--clients", arguments.clients, 1, 1'000'000, "1000", problems);
  }
  if (!arguments.capture_megabytes.empty()) {
    options.capture_bytes = read_number("--capture-limit", arguments.capture_megabytes, 1,
                                        1'000'000, "1000", problems) *
                            1'000'000;
  }
}

proxy::RelayRunOptions options_of(const ProxyArguments& arguments, Duration& until) {
  Diagnostics problems;
  proxy::RelayRunOptions options;
  if (arguments.tun.empty()) {
    options.routes = read_routes(arguments.routes, problems);
  }
  read_tun(arguments, problems, options);
  until = arguments.duration.empty()
              ? Duration::max()
              : read_duration("--duration", arguments.duration, false, problems);
  if (!arguments.idle.empty()) {
    options.idle_after = read_duration("--idle", arguments.idle, false, problems);
  }
  options.spin = read_duration("--spin", arguments.spin, true, problems);
  read_numbers(arguments, problems, options);
  if (!arguments.corrupt.empty() && arguments.corrupt != "flip" && arguments.corrupt != "drop") {
    problems.error(
        {"--corrupt"}, fmt::format("'{}' is neither flip nor drop", arguments.corrupt),
        "flip passes the datagram on with one bit changed; drop discards it, as a checksum would");
  }
  if (!problems.has_errors()) {
    refuse_what_has_no_effect(arguments, options.routes, problems);
  }
  problems.throw_if_errors();
  options.links = proxy::read_links(
      arguments.link, cell::plugins_with(labs::built_in_plugins(), arguments.plugins).link_models);
  options.tcp = proxy::read_tcp_options(arguments.tcp, options.tcp);
  options.passes_damaged = arguments.corrupt != "drop";
  options.wants_real_time = arguments.wants_real_time;
  options.capture = arguments.capture;
  if (options.capture.empty() && !arguments.out.empty()) {
    options.capture = (fs::path(arguments.out) / "capture.pcap").string();
  }
  return options;
}

/// Made before anything runs, so that hours of measurement are not lost to a typing error; but
/// after all ports are ours, so that nothing is left behind where one is taken.
void make_folder(const ProxyArguments& arguments, const proxy::RelayRunOptions& options) {
  if (arguments.out.empty()) {
    return;
  }
  std::error_code problem;
  fs::create_directories(arguments.out, problem);
  if (problem) {
    throw InputError(
        Diagnostic{{"--out"},
                   fmt::format("cannot create folder '{}': {}", arguments.out, problem.message()),
                   "results are written there"});
  }
  config::write_text_file(fs::path(arguments.out) / "link.yaml", options.links.yaml);
}

std::string progress_text(const proxy::RelayProgress& progress) {
  return fmt::format(
      "{:.0f} s  {} connections  {} packets  {:.1f} MB  lateness: median {:.3f} ms, 99 % {:.3f} ms",
      to_seconds(progress.elapsed), progress.conversations, progress.packets,
      static_cast<double>(progress.bytes) * 1e-6, to_seconds(progress.lateness_median) * 1e3,
      to_seconds(progress.lateness_p99) * 1e3);
}

void tell_results(const ProxyArguments& arguments, const proxy::RelayRun& run) {
  const nlohmann::ordered_json statistics = run.statistics();
  if (!arguments.out.empty()) {
    config::write_text_file(fs::path(arguments.out) / "statistics.json", statistics.dump(2) + "\n");
  }
  if (arguments.prints_json) {
    fmt::print("{}\n", statistics.dump(2));
  } else {
    fmt::print("{:.1f} s relayed\n{}", statistics["elapsed_s"].get<double>(), run.tables());
  }
  for (const std::string& warning : run.warnings()) {
    fmt::print(stderr, "warning: {}\n", warning);
  }
}

/// A client of a TCP port is two descriptors, one of a UDP port is one.
void tell_of_too_few_descriptors(const proxy::RelayRunOptions& options) {
  std::uint64_t needed = 0;
  for (const proxy::RelayRoute& route : options.routes) {
    needed += options.most_clients * (route.transport == proxy::RelayTransport::kTcp ? 2 : 1);
  }
  if (needed > most_descriptors()) {
    fmt::print(stderr,
               "note: {} clients at each of {} ports need {} file descriptors, but the limit is {} "
               "(ulimit -n): some clients may be rejected\n",
               options.most_clients, options.routes.size(), needed, most_descriptors());
  }
}

int relay(const ProxyArguments& arguments) {
  Duration until{0};
  proxy::RelayRunOptions options = options_of(arguments, until);
  for (const Diagnostic& warning : options.links.warnings) {
    fmt::print(stderr, "{}\n", warning.format());
  }
  allow_many_descriptors();
  // the relay ends and tells what it counted
  std::signal(SIGINT, [](int) { is_interrupted = 1; });
  std::signal(SIGTERM, [](int) { is_interrupted = 1; });
  std::signal(SIGHUP,
              [](int) { is_interrupted = 1; });  // its terminal is gone: results all the same
  options.tell = [](const std::string& sentence) { fmt::print(stderr, "{}\n", sentence); };
  proxy::RelayRun run(options);
  make_folder(arguments, options);
  run.open_capture();

  std::FILE* const out = arguments.prints_json ? stderr : stdout;
  for (const std::string& place : run.places()) {
    fmt::print(out, "{}\n", place);
  }
  std::fflush(out);
  tell_of_too_few_descriptors(options);
  {
    ProgressText line;
    Duration shown{0};
    run.run(until, [&](Duration elapsed) {
      if (elapsed - shown >= std::chrono::seconds(1)) {
        shown = elapsed;
        line.show(progress_text(run.progress()));
      }
      return is_interrupted != 0;
    });
  }
  tell_results(arguments, run);
  if (!run.problem().empty()) {
    fmt::print(stderr, "error: {}\n", run.problem());
    return kCheckFailed;
  }
  return kDone;
}

void add_link_options(CLI::App& word, ProxyArguments& arguments) {
  word.add_option("--link", arguments.link.line, "what happens to packets, in tc netem syntax")
      ->type_name("NETEM");
  word.add_option("--link-up", arguments.link.line_up, "as --link, from client to server only")
      ->type_name("NETEM");
  word.add_option("--link-down", arguments.link.line_down, "as --link, from server to client only")
      ->type_name("NETEM");
  word.add_option("--link-file", arguments.link.file,
                  "a YAML file with a 'link:' group, as in scenarios")
      ->type_name("FILE");
  word.add_option("--set", arguments.link.sets,
                  "set a key of the link, e.g. link.preset=wifi, link.up.delay=5ms")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  word.add_option("--tcp", arguments.tcp,
                  "set a key of the TCP model, e.g. min_rto=50ms, congestion=reno")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_plugin_option(word, arguments.plugins);
  word.add_option("--seed", arguments.seed, "random seed; default: 1")->type_name("NUMBER");
  word.add_option(
          "--corrupt", arguments.corrupt,
          "what to do with datagrams that the link corrupts: flip a bit (default), or drop them")
      ->type_name("flip|drop");
}

void add_result_options(CLI::App& word, ProxyArguments& arguments) {
  word.add_option("--duration", arguments.duration, "how long to run; default: until Ctrl-C")
      ->type_name("DURATION");
  word.add_option("--out", arguments.out, "folder for statistics.json, link.yaml and capture.pcap")
      ->type_name("DIR");
  word.add_option("--capture", arguments.capture, "write all packets to this pcap file")
      ->type_name("FILE");
  word.add_option("--capture-limit", arguments.capture_megabytes, "largest size of the capture")
      ->type_name("MB");
  word.add_flag("--json", arguments.prints_json, "print only the statistics, as JSON");
}

}  // namespace

Command add_proxy_command(CLI::App& word) {
  const auto arguments = std::make_shared<ProxyArguments>();
  add_route_options(word, arguments->routes);
  word.add_option("--tun", arguments->tun, "relay IP packets between two TUN devices (Linux, root)")
      ->type_name("NEAR,FAR");
  add_link_options(word, *arguments);
  word.add_option("--clients", arguments->clients, "largest number of clients per port")
      ->type_name("NUMBER");
  word.add_option("--idle", arguments->idle, "drop a UDP client after this time without datagrams")
      ->type_name("DURATION");
  word.add_option("--spin", arguments->spin,
                  "busy-wait for this long before a packet is due: less lateness, one core busy")
      ->type_name("DURATION");
  word.add_flag("--real-time", arguments->wants_real_time,
                "use real-time scheduling (needs root or CAP_SYS_NICE): less lateness");
  add_result_options(word, *arguments);
  word.footer(
      "A robot's ports with 10 ms each way, for a driver on this machine:\n"
      "  longarm proxy --ports 30001-30004,29999 --to 192.168.1.10 --link \"delay 10ms 2ms\"\n"
      "One UDP port that loses 1 %:\n"
      "  longarm proxy --listen udp:9000 --to robot.local:9000 --link \"loss 1%\"\n"
      "The link acts on each datagram. TCP connections end at the relay, where a model of TCP "
      "computes\n"
      "the effect of loss; --tun relays the packets of the real TCP instead "
      "(docs/how-to/proxy.md).\n"
      "With added delay a real robot may move late and jerkily: keep clear of it.");
  return [arguments] { return relay(*arguments); };
}

}  // namespace longarm::app
