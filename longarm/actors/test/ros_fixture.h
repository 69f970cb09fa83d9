// SPDX-License-Identifier: Apache-2.0
// For tests of the kind `ros`: programs that have joined a run's port, and what they hear.
#pragma once

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/actors/test/cell_fixture.h"

namespace longarm::actors {

using RosLine = nlohmann::json;

/// A program that has joined, and reads all that it gets after each step.
class RosProgram {
 public:
  RosProgram(protocols::Door& door, std::uint32_t number, Time now)
      : door_(door), client_(protocols::ConnectionId{number}) {
    door_.open(client_, now);
    listen();
    hello = heard.at(0);
    heard.clear();
  }

  /// A line, without its end.
  void say(const std::string& line, Time now) { door_.receive(client_, line + "\n", now); }
  void listen() {
    std::istringstream text(door_.take_output(client_) + door_.take_cyclic(client_));
    for (std::string line; std::getline(text, line);) {
      heard.push_back(RosLine::parse(line));
    }
  }
  void leave(Time now) { door_.close(client_, now); }

  /// Lines heard so far that have this key.
  std::vector<RosLine> with(const std::string& key) const {
    std::vector<RosLine> lines;
    for (const RosLine& line : heard) {
      if (line.contains(key)) {
        lines.push_back(line);
      }
    }
    return lines;
  }
  /// Of what is told of a goal: "accepted succeeded".
  std::string states_of(const std::string& goal) const {
    std::string states;
    for (const RosLine& line : with("goal")) {
      if (line["goal"] == goal) {
        states += (states.empty() ? "" : " ") + line["state"].get<std::string>();
      }
    }
    return states;
  }
  /// The last one that is told of a goal.
  RosLine end_of(const std::string& goal) const {
    RosLine end;
    for (const RosLine& line : with("goal")) {
      if (line["goal"] == goal) {
        end = line;
      }
    }
    return end;
  }

  RosLine hello;
  std::vector<RosLine> heard;

 private:
  protocols::Door& door_;
  protocols::ConnectionId client_;
};

/// A run, and the programs that have joined it.
class RosTest : public AprsCells {
 protected:
  void start(const cell::PreparedScenario& prepared) {
    prepared_ = std::make_unique<cell::PreparedScenario>(prepared);
    run_ = run_of(*prepared_);
    door_ = find_door(*run_, "ros");
    ASSERT_NE(door_, nullptr);
  }
  RosProgram& join() {
    programs_.push_back(std::make_unique<RosProgram>(
        *door_, static_cast<std::uint32_t>(programs_.size() + 1), run_->now()));
    return *programs_.back();
  }
  void leave(RosProgram& program) {
    program.leave(run_->now());
    std::erase_if(programs_, [&](const auto& each) { return each.get() == &program; });
  }
  /// A request; steps follow.
  void say(RosProgram& program, const std::string& line) { program.say(line, run_->now()); }

  void go(Duration span) {
    go_until([] { return false; }, span);
  }
  /// Whether it came to that.
  bool go_until(const std::function<bool()>& is_enough, Duration at_most = 10s) {
    const Time end = run_->now() + at_most;
    while (run_->now() < end) {
      if (is_enough()) {
        return true;
      }
      step(*run_);
      for (const auto& program : programs_) {
        program->listen();
      }
    }
    return is_enough();
  }
  bool go_to_end_of(RosProgram& program, const std::string& goal, Duration at_most = 10s) {
    return go_until(
        [&] {
          const RosLine end = program.end_of(goal);
          return !end.is_null() && end["state"] != "accepted";
        },
        at_most);
  }

  double position(std::size_t joint) const { return run_->world().engine().positions()[joint]; }
  RosLine results() const { return RosLine::parse(run_->results()["ros"].dump()); }

  std::unique_ptr<cell::PreparedScenario> prepared_;
  std::unique_ptr<cell::Run> run_;
  protocols::Door* door_ = nullptr;
  std::vector<std::unique_ptr<RosProgram>> programs_;
};

}  // namespace longarm::actors
