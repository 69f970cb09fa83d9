// SPDX-License-Identifier: Apache-2.0
// longarm-ros: joins a served cell and is its ROS 1 face.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <ros/ros.h>

#include "apps/longarm-ros/cell_connection.h"
#include "apps/longarm-ros/cell_messages.h"
#include "apps/longarm-ros/cell_node.h"
#include "longarm/core/version.h"

namespace {

using namespace longarm::ros_port;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr int kEndedByOthers = 1;
constexpr int kBadInput = 2;
constexpr milliseconds kLongestWelcome{10'000};

struct Options {
  std::string address = "127.0.0.1:11511";
  double wait_s = 0.0;
  std::string clock = "auto";
  std::string host = "127.0.0.1";
  std::uint16_t port = 11511;
};

constexpr const char* kMore =
    "Start `longarm serve SCENARIO` with an actor of kind ros, and roscore, first. Publishes\n"
    "/clock, /joint_states, /tf, robot descriptions, sensors and diagnostics, and offers\n"
    "trajectory and gripper actions, command topics, services and parameters; the names are\n"
    "those of ros_controllers. Sets /use_sim_time: start your own nodes afterwards, or use\n"
    "roslaunch. NAME:=VALUE words of ROS are understood, e.g. /tf:=/robot/tf.\n"
    "Exit code 0: ended by Ctrl-C or rosnode kill; 1: the cell or the ROS master has gone;\n"
    "2: bad input, or no cell or no master is there. See docs/how-to/ros.md.\n"
    "  longarm serve ur5-ros & roscore & longarm-ros\n"
    "  rostopic hz /joint_states";

int fail(int code, const std::string& problem, const std::string& hint) {
  fmt::print(stderr, "longarm-ros: error: {}\n", problem);
  if (!hint.empty()) {
    fmt::print(stderr, "  hint: {}\n", hint);
  }
  return code;
}

/// Connects and reads the welcome; an error if that fails until the time is over. The cell may be
/// about to start.
std::string join(CellConnection& connection, const Options& options, Clock::time_point end,
                 Welcome& welcome) {
  while (true) {
    std::string problem = connection.connect(options.host, options.port);
    if (problem.empty()) {
      std::string line;
      switch (connection.next_line(line, kLongestWelcome)) {
        case Line::kComplete:
          welcome = parse_welcome(line);
          return {};
        case Line::kLate:
          return "whoever is there says nothing; it is not an actor of kind ros";
        case Line::kClosed:
          problem = fmt::format("{}:{}: {}", options.host, options.port, connection.why_closed());
          break;
      }
    }
    if (Clock::now() >= end || !ros::isInitialized() || ros::isShuttingDown()) {
      return problem;
    }
    std::this_thread::sleep_for(milliseconds(100));
  }
}

Clock::time_point in_seconds(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

bool has_clock(const Options& options, const Welcome& welcome) {
  return options.clock == "yes" || (options.clock == "auto" && welcome.is_served);
}

int run(const Options& options) {
  CellConnection connection;
  Welcome welcome;
  const Clock::time_point end = in_seconds(options.wait_s);
  if (const std::string problem = join(connection, options, end, welcome); !problem.empty()) {
    return fail(kBadInput, fmt::format("no cell: {}", problem),
                "start one with `longarm serve ur5-ros`; --wait waits for it");
  }
  while (!ros::master::check()) {
    if (Clock::now() < end && !ros::isShuttingDown()) {
      std::this_thread::sleep_for(milliseconds(100));
      continue;
    }
    return fail(kBadInput, fmt::format("no ROS master at {}", ros::master::getURI()),
                "start one with roscore, or set ROS_MASTER_URI");
  }
  const bool publishes_clock = has_clock(options, welcome);
  if (publishes_clock) {
    ros::param::set("/use_sim_time", true);  // before this node looks
  }
  CellNode node(connection, welcome, publishes_clock);
  ros::AsyncSpinner spinner(1);
  spinner.start();
  ROS_INFO("joined the cell at %s:%d: %zu robots", options.host.c_str(), options.port,
           welcome.robots.size());
  while (true) {
    switch (node.run()) {
      case CellNode::End::kShutDown:
        return EXIT_SUCCESS;
      case CellNode::End::kMasterGone:
        return fail(kEndedByOthers,
                    fmt::format("the ROS master at {} is gone", ros::master::getURI()),
                    "start roscore and this program again");
      case CellNode::End::kCellGone:
        return fail(kEndedByOthers,
                    fmt::format("the cell at {}:{} is gone: {}", options.host, options.port,
                                connection.why_closed()),
                    "the run may have reached its length; look at what longarm serve printed");
      case CellNode::End::kReset:
        ROS_INFO("the cell begins again");
        if (const std::string problem = join(connection, options, in_seconds(20.0), welcome);
            !problem.empty()) {
          return fail(kEndedByOthers, fmt::format("the cell has not come back: {}", problem), "");
        }
        node.begin_again(welcome);
        break;
    }
  }
}

}  // namespace

int main(int count, char** words) {
  Options options;
  CLI::App app("join a cell that `longarm serve` runs, as its ROS 1 node\n");
  app.name("longarm-ros");
  app.footer(kMore);
  app.set_version_flag("--version", "longarm-ros " LONGARM_VERSION);
  app.add_option("address", options.address, "HOST:PORT, HOST or PORT of the cell")
      ->capture_default_str();
  app.add_option("--wait", options.wait_s,
                 "seconds to wait for a cell or a ROS master that is not there yet")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--clock", options.clock,
                 "publish /clock and set /use_sim_time; auto: unless this program itself runs in\n"
                 "simulated time")
      ->check(CLI::IsMember({"yes", "no", "auto"}));
  std::vector<std::string> own;
  ros::removeROSArgs(count, words, own);
  std::vector<const char*> arguments;
  for (const std::string& word : own) {
    arguments.push_back(word.c_str());
  }
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::Success& wish) {
    return app.exit(wish);
  } catch (const CLI::ParseError& problem) {
    return fail(kBadInput, problem.what(), "longarm-ros --help");
  }
  if (!parse_address(options.address, options.host, options.port)) {
    return fail(kBadInput, fmt::format("'{}' is no address", options.address),
                "give HOST:PORT, HOST or PORT, e.g. 127.0.0.1:11511");
  }
  try {
    ros::init(count, words, "longarm");
    return run(options);
  } catch (const ros::InvalidNameException& problem) {
    return fail(kBadInput, problem.what(), "");
  } catch (const std::exception& problem) {
    return fail(kEndedByOthers, problem.what(), "");
  }
}
