// SPDX-License-Identifier: Apache-2.0
// `longarm calibrate`: what operating systems, serialising and methods really take, for scenarios.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "apps/longarm/real_components.h"
#include "longarm/components/calibrate/calibration.h"
#include "longarm/core/diagnostic.h"
#include "longarm/network/netem/tc_units.h"
#include "longarm/system/forked_process.h"

namespace longarm::app {
namespace {

using components::Address;

struct CalibrateArguments {
  std::string scenario;
  std::string serve;
  std::string to;
  std::string listen = "127.0.0.1";
  std::string rate;
  double wire_us = 0.0;
  double pause_us = 1000.0;
  std::int64_t count = 1000;
  std::size_t servers = 4;
  std::vector<std::size_t> sizes{64, 256, 1024, 4096, 16384};
  double seconds = 3.0;
  std::string out = "calibration";
};

Address address_of(const std::string& option, const std::string& text) {
  const Result<Address> address = system::parse_address(text);
  if (!address) {
    refuse(option + ": " + address.error().message, "for example 192.168.0.7:7400");
  }
  return *address;
}

int serve(const CalibrateArguments& arguments) {
  const Result<bool> served = components::serve_calibration(
      address_of("--serve", arguments.serve), arguments.servers, [](const Address& address) {
        fmt::print("ready {}\n", system::to_text(address));
        std::fflush(stdout);
      });
  if (!served) {
    refuse(served.error().message,
           "check that the address belongs to this machine and that the port is free");
  }
  return kDone;
}

components::CalibrationPlan make_plan(const CalibrateArguments& arguments) {
  components::CalibrationPlan plan;
  plan.ping.sizes = arguments.sizes;
  plan.ping.count = arguments.count;
  plan.ping.pause = Duration(static_cast<std::int64_t>(arguments.pause_us * 1e3));
  plan.listen_host = arguments.listen;
  plan.wire_fixed_s = arguments.wire_us * 1e-6;
  if (!arguments.rate.empty()) {
    const std::optional<std::int64_t> rate = network::parse_tc_rate(arguments.rate);
    if (!rate || *rate <= 0) {
      refuse(fmt::format("--rate: '{}' is not a rate", arguments.rate), "for example 1Gbit");
    }
    plan.wire_ns_per_byte = 8e9 / static_cast<double>(*rate);
  }
  return plan;
}

/// Another process of this machine, unless another machine was named.
components::Calibration measure(const CalibrateArguments& arguments) {
  std::optional<system::ForkedProcess> here;
  Address server;
  if (arguments.to.empty()) {
    Result<system::ForkedProcess> started =
        system::ForkedProcess::start([&](const auto& say_ready) {
          (void)components::serve_calibration({arguments.listen, 0}, arguments.servers, say_ready);
        });
    if (!started) {
      refuse(started.error().message, "--listen must be an address of this machine");
    }
    server = started->address();
    here = std::move(started).value();
  } else {
    server = address_of("--to", arguments.to);
  }
  Result<components::Calibration> measured = components::measure(server, make_plan(arguments));
  if (!measured) {
    refuse(measured.error().message,
           "on the other machine, run: longarm calibrate --serve HOST:PORT");
  }
  return std::move(measured).value();
}

int calibrate(const CalibrateArguments& arguments) {
  if (!arguments.serve.empty()) {
    return serve(arguments);
  }
  std::error_code problem;
  std::filesystem::create_directories(arguments.out, problem);
  if (problem) {
    refuse(fmt::format("cannot create folder '{}': {}", arguments.out, problem.message()),
           "choose another --out");
  }
  std::optional<RealComponents> scenario;
  if (!arguments.scenario.empty()) {
    scenario = load_real_components(arguments.scenario, {});
  }
  components::Calibration calibration = measure(arguments);
  if (scenario) {
    const auto length = Duration(static_cast<std::int64_t>(arguments.seconds * 1e9));
    Result<std::vector<components::MeasuredMethod>> methods =
        components::measure_methods(scenario->loops, make_plan(arguments).ping.pause, length);
    if (!methods) {
      refuse(methods.error().message, "");
    }
    calibration.methods = std::move(methods).value();
  }
  if (const Result<bool> written = components::write_calibration(calibration, arguments.out);
      !written) {
    refuse(written.error().message, "choose another --out");
  }
  for (const std::string& warning : calibration.warnings) {
    fmt::print(stderr, "warning: {}\n", warning);
  }
  fmt::print(
      "{}\n"
      "written to {}: calibration.yaml, options.txt and the files they name\n",
      components::describe(calibration), arguments.out);
  return kDone;
}

}  // namespace

Command add_calibrate_command(CLI::App& word) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  word.add_option(
      "scenario", arguments->scenario,
      "also run the components of this scenario as processes and measure each of their methods");
  word.add_option("--out", arguments->out, "folder for the results")->type_name("DIR");
  word.add_option("--to", arguments->to, "measure the path to another machine that runs --serve")
      ->type_name("HOST:PORT");
  word.add_option("--serve", arguments->serve,
                  "answer measurements of other machines until interrupted")
      ->type_name("HOST:PORT");
  word.add_option("--listen", arguments->listen, "this machine's address")->type_name("HOST");
  word.add_option("--rate", arguments->rate,
                  "rate of the wire in between, e.g. 1Gbit; the simulation adds the wire itself");
  word.add_option("--wire-us", arguments->wire_us, "additional one-way delay of the wire, in us")
      ->check(CLI::Range(0.0, 1e7));
  word.add_option("--pause-us", arguments->pause_us,
                  "pause between rounds; programs that have slept wake up more slowly")
      ->check(CLI::Range(0.0, 1e7));
  word.add_option("--servers", arguments->servers,
                  "peers asked per round; with --serve, on the serving side")
      ->check(CLI::Range(1, 64));
  word.add_option("--count", arguments->count, "round trips of each size")
      ->check(CLI::Range(1, 10'000'000));
  word.add_option("--sizes", arguments->sizes, "message sizes in bytes")
      ->delimiter(',')
      ->check(CLI::Range(0, 16'000'000));
  word.add_option("--seconds", arguments->seconds, "how long to run the scenario's components")
      ->check(CLI::Range(0.1, 3600.0));
  word.footer(
      "Writes stack_send.csv and stack_receive.csv (operating system), serialise.csv and\n"
      "deserialise.csv (component library), execution_COMPONENT_METHOD.csv (methods), and the "
      "keys\n"
      "that refer to them: calibration.yaml to paste, options.txt for the command line:\n"
      "  longarm run SCENARIO $(cat calibration/options.txt)\n"
      "One-way times are half of a round trip minus the wire; see docs/how-to/processes.md.");
  return [arguments] { return calibrate(*arguments); };
}

}  // namespace longarm::app
