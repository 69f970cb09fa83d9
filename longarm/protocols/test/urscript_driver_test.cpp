// SPDX-License-Identifier: Apache-2.0
// A program of the shape that drivers upload: a reverse socket, a servo thread, a braking rule.
#include <deque>
#include <set>

#include <gtest/gtest.h>

#include "urscript_host.h"

namespace longarm::protocols::ur::script {
namespace {

/// A robot at the other end of whose socket somebody sends set-points: seven integers, of which the
/// last says whether there will be more.
class StreamedHost : public Host {
 public:
  struct Frame {
    int cycle = 0;  ///< in which it arrives
    List numbers;
  };
  std::deque<Frame> frames;
  int cycle = 0;
  std::vector<std::string> log;  ///< "cycle: call"

  Outcome begin(ThreadId thread, std::string_view function,
                std::span<const Value> arguments) override {
    if (function == "socket_open") {
      log.push_back(
          fmt::format("{}: open {} {}", cycle, to_text(arguments[0]), to_text(arguments[1])));
      return {Outcome::Kind::kDone, boolean(true), {}};
    }
    if (function == "socket_read_binary_integer") {
      return read();
    }
    if (function == "get_actual_joint_positions") {
      return {Outcome::Kind::kDone, list(std::array{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}), {}};
    }
    if (function == "servoj" || function == "stopj") {
      log.push_back(fmt::format("{}: {} {}", cycle, function, to_text(arguments[0])));
      moving_.insert(thread);
      return {Outcome::Kind::kWaiting, {}, {}};
    }
    if (function == "sleep") {
      return {Outcome::Kind::kWaiting, {}, {}};
    }
    log.push_back(fmt::format("{}: {}", cycle, function));
    return {};
  }

  // Motions and sleeps take one cycle.
  Outcome go_on(ThreadId thread) override {
    if (moving_.erase(thread) > 0 || frames.empty()) {
      return {};
    }
    return read();
  }

  void abandon(ThreadId thread) override {
    log.push_back(fmt::format("{}: abandoned", cycle));
    moving_.erase(thread);
  }

 private:
  Outcome read() {
    if (frames.empty() || frames.front().cycle > cycle) {
      return {Outcome::Kind::kWaiting, {}, {}};
    }
    List numbers = frames.front().numbers;
    frames.pop_front();
    // as the real one: how many there are, then they themselves
    numbers.insert(numbers.begin(), integer(static_cast<std::int64_t>(numbers.size())));
    return {Outcome::Kind::kDone, {numbers}, {}};
  }

  std::set<ThreadId> moving_;
};

const std::string kProgram = R"(
def follower():
	UNIT = 1000000
	IDLE = 0
	FOLLOW = 1
	mode = IDLE
	goal = get_actual_joint_positions()

	def follow(q):
		enter_critical
		mode = FOLLOW
		goal = q
		exit_critical
	end

	thread servo():
		last_mode = IDLE
		while True:
			enter_critical
			q = goal
			must_brake = (last_mode == FOLLOW) and (mode == IDLE)
			last_mode = mode
			mode = IDLE
			exit_critical
			if must_brake:
				stopj(1.0)
				sync()
			elif last_mode == FOLLOW:
				servoj(q, 0, 0, 0.008, lookahead_time=0.03, gain=750)
			else:
				sync()
			end
		end
	end

	socket_open("192.168.0.2", 50001)
	servo_handle = run servo()
	more = 1
	while more > 0:
		numbers = socket_read_binary_integer(6+1)
		if numbers[0] > 0:
			q = [numbers[1]/UNIT, numbers[2]/UNIT, numbers[3]/UNIT,
			     numbers[4]/UNIT, numbers[5]/UNIT, numbers[6]/UNIT]
			more = numbers[7]
			follow(q)
		end
	end
	sleep(.1)
	socket_close()
	kill servo_handle
end
)";

List frame(std::int64_t first, std::int64_t more) {
  return {integer(first), integer(0), integer(0),   integer(0),
          integer(0),     integer(0), integer(more)};
}

// Main is asked before the servo thread in each cycle, so that a set-point that arrives in cycle k
// is followed in cycle k. Frames in cycles 1, 2, 3; none in 4: the brake; the last one in 7.
TEST(UrscriptDriver, FollowsWhatTheSocketBringsAndBrakesWhenItStops) {
  StreamedHost host;
  host.frames = {
      {1, frame(100000, 1)}, {2, frame(200000, 1)}, {3, frame(300000, 1)}, {7, frame(400000, 0)}};
  const auto program = compile(kProgram);
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_TRUE(program->moves_robot());
  Machine machine(host);
  machine.start(*program);
  for (host.cycle = 0; machine.is_running() && host.cycle < 20; ++host.cycle) {
    machine.run_cycle();
  }
  const std::vector<std::string> expected{
      "0: open 192.168.0.2 50001",
      "1: servoj [0.1, 0, 0, 0, 0, 0]",
      "2: servoj [0.2, 0, 0, 0, 0, 0]",
      "3: servoj [0.3, 0, 0, 0, 0, 0]",
      "4: stopj 1",
      // cycle 5: stopj is done, sync(); cycle 6: nothing to do
      "7: servoj [0.4, 0, 0, 0, 0, 0]",
      "8: socket_close",
      // servoj was asked for its end after main killed the thread: never
      "8: abandoned",
  };
  EXPECT_EQ(host.log, expected);
  const auto ends = machine.take_ends();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].kind, ProgramEnd::Kind::kFinished);
  EXPECT_EQ(ends[0].program, "follower");
}

TEST(UrscriptDriver, WaitsForEverOnASilentSocketWithoutBeingALoop) {
  StreamedHost host;
  host.frames = {{1'000'000, frame(0, 0)}};
  const auto program = compile(kProgram);
  ASSERT_TRUE(program) << program.error().message;
  Machine machine(host);
  machine.start(*program);
  for (host.cycle = 0; host.cycle < 2000; ++host.cycle) {
    machine.run_cycle();
  }
  EXPECT_TRUE(machine.is_running());
  EXPECT_EQ(host.log.size(), 1U);
}

}  // namespace
}  // namespace longarm::protocols::ur::script
