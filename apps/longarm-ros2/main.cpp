// SPDX-License-Identifier: Apache-2.0
// longarm-ros2: joins a cell that `longarm serve` runs, and is a ROS 2 node for it.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/longarm-ros/cell_connection.h"
#include "apps/longarm-ros2/cell_node.h"

namespace longarm::ros2 {
namespace {

using Json = CellNode::Json;
using ros_port::CellConnection;
using ros_port::Line;
using namespace std::chrono_literals;

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongUse = 2;

constexpr std::uint32_t kMostDomain = 232;  // beyond, DDS has no ports

volatile std::sig_atomic_t is_interrupted = 0;

struct WrongUse : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Arguments {
  std::string address;
  std::string domain;
  std::string release = "jazzy";
  double wait_s = 10.0;
  DdsSettings dds;
};

std::uint32_t read_domain(const std::string& option) {
  const char* const variable = std::getenv("ROS_DOMAIN_ID");
  const std::string text = !option.empty() ? option : variable == nullptr ? "" : variable;
  if (text.empty()) {
    return 0;
  }
  const bool is_number = text.size() < 4 && text.find_first_not_of("0123456789") == text.npos;
  if (!is_number || std::stoul(text) > kMostDomain) {
    throw WrongUse(fmt::format("{}: '{}' is not a number from 0 to {}",
                               option.empty() ? "ROS_DOMAIN_ID" : "--domain", text, kMostDomain));
  }
  return static_cast<std::uint32_t>(std::stoul(text));
}

/// Tries until the cell is there, for a while. The first thing that a cell says is its hello.
std::optional<Json> join(CellConnection& cell, const std::string& host, std::uint16_t port,
                         std::chrono::duration<double> patience, std::string& problem) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (is_interrupted == 0) {
    problem = cell.connect(host, port);
    if (problem.empty()) {
      std::string line;
      const Line what = cell.next_line(line, 10s);
      if (what == Line::kComplete) {
        Json hello = Json::parse(line, nullptr, false);
        if (!hello.is_object()) {
          throw WrongUse(
              fmt::format("what answers at {}:{} is not a cell's port for ROS", host, port));
        }
        return hello;
      }
      problem = fmt::format("{}:{} says nothing", host, port);
    }
    if (std::chrono::steady_clock::now() > end) {
      break;
    }
    std::this_thread::sleep_for(50ms);
  }
  return std::nullopt;
}

/// Until the connection or the program ends; whether the cell was reset.
bool pass_on(CellConnection& cell, CellNode& node) {
  bool is_reset = false;
  std::string text;
  while (is_interrupted == 0) {
    const Line what = cell.next_line(text, 200ms);
    if (what == Line::kClosed) {
      return is_reset;
    }
    if (what == Line::kComplete) {
      const Json line = Json::parse(text, nullptr, false);
      node.hear(line);
      is_reset = is_reset || line.value("state", "") == "reset";
    }
  }
  return false;
}

void print_topics(const CellNode& node) {
  for (const std::string& topic : node.published()) {
    fmt::print("publishes  {}\n", topic);
  }
  for (const std::string& topic : node.subscribed()) {
    fmt::print("subscribes {}\n", topic);
  }
  std::fflush(stdout);
}

int run(const Arguments& arguments) {
  std::string host = "127.0.0.1";
  std::uint16_t port = 11511;
  if (!arguments.address.empty() && !ros_port::parse_address(arguments.address, host, port)) {
    throw WrongUse(fmt::format("'{}' is not HOST:PORT, e.g. 127.0.0.1:11511", arguments.address));
  }
  DdsSettings settings = arguments.dds;
  settings.domain = read_domain(arguments.domain);
  settings.is_for_humble = arguments.release == "humble";

  CellConnection cell;
  std::string problem;
  const auto patience = std::chrono::duration<double>(arguments.wait_s);
  std::optional<Json> hello = join(cell, host, port, patience, problem);
  if (!hello) {
    if (is_interrupted != 0) {
      return kDone;
    }
    throw WrongUse(
        fmt::format("no cell: {}\n  hint: start one first, e.g. longarm serve ur5-ros; it prints "
                    "the address of "
                    "its port for ROS",
                    problem));
  }
  CellNode node(settings, *hello, [&cell](const std::string& line) { cell.send(line); });
  fmt::print("node /{} for the cell at {}:{}, domain {}, {}\n", settings.node, host, port,
             settings.domain, settings.is_open ? "all computers" : "this computer only");
  print_topics(node);
  while (pass_on(cell, node)) {
    fmt::print("the cell begins again\n");
    std::fflush(stdout);
    if (!join(cell, host, port, 30s, problem)) {
      break;
    }
  }
  if (is_interrupted == 0) {
    fmt::print("the cell has ended\n");
  }
  return kDone;
}

void list_options(CLI::App& app, Arguments& out) {
  app.add_option("address", out.address,
                 "where the cell's port for ROS is; default: 127.0.0.1:11511")
      ->type_name("HOST:PORT");
  app.add_option("--domain", out.domain,
                 "DDS domain; default: ROS_DOMAIN_ID from the environment, or 0")
      ->type_name("N");
  app.add_flag("--open", out.dds.is_open,
               "talk to other computers, as CYCLONEDDS_URI says; otherwise to this one only");
  app.add_option("--node", out.dds.node, "name of the node; default: longarm")
      ->type_name("NAME")
      ->check([](const std::string& name) {
        const bool is_right = !name.empty() && name.size() < 256 &&
                              name.find_first_of("0123456789") != 0 &&
                              name.find_first_not_of(
                                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_") == name.npos;
        return is_right ? "" : fmt::format("'{}' is not a name of letters, digits and _", name);
      });
  app.add_option("--ros", out.release,
                 "whose nodes are to know this one's name: humble, or jazzy (default; also Iron, "
                 "Kilted and Rolling)")
      ->check(CLI::IsMember({"humble", "jazzy"}));
  app.add_option("--wait", out.wait_s, "how long to try until the cell is there; default: 10")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 1e6));
  app.footer(
      "Start a cell first, e.g. longarm serve ur5-ros. The node publishes its joint states, "
      "frames\n"
      "and clock, and takes trajectories and commands from topics; other nodes need\n"
      "use_sim_time:=true. Ends with the cell, or on Ctrl-C.\n"
      "DDS has no passwords: use --open only where anyone may move the robots.");
}

}  // namespace
}  // namespace longarm::ros2

int main(int count, char** words) {
  using namespace longarm::ros2;
  CLI::App app("Makes a cell of longarm serve a ROS 2 node, over DDS.", "longarm-ros2");
  Arguments arguments;
  list_options(app, arguments);
  try {
    app.parse(count, words);
    std::signal(SIGINT, [](int) { is_interrupted = 1; });
    std::signal(SIGTERM, [](int) { is_interrupted = 1; });
    return run(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kWrongUse;
  } catch (const WrongUse& error) {
    fmt::print(stderr, "longarm-ros2: error: {}\n", error.what());
    return kWrongUse;
  } catch (const std::exception& error) {
    fmt::print(stderr, "longarm-ros2: error: {}\n", error.what());
    return kFailed;
  }
}
