// SPDX-License-Identifier: Apache-2.0
// Live runs and their replays: the same bits, also of a run that was killed.
#include "longarm/serve/live_run.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "longarm/core/random.h"
#include "longarm/serve/stepped.h"
#include "longarm/serve/test/served_world.h"

namespace longarm::serve {
namespace {

/// Talks to both doors as the draws say: whole and broken requests, goodbyes and resets.
void talk_at_random(std::uint16_t plc, std::uint16_t echo, std::uint64_t seed, int rounds) {
  RandomStream random(seed, "client");
  modbus::Client words;
  auto belt = std::make_unique<TestClient>(plc);
  auto repeats = std::make_unique<TestClient>(echo);
  for (int i = 0; i < rounds; ++i) {
    const std::uint64_t draw = random.bits();
    switch (draw % 8) {
      case 0:
        belt->say(words.write_register(0x8000, (draw >> 8) % 2).bytes);
        break;
      case 1:
        belt->say(words.write_register(0x8001, (draw >> 8) % 2).bytes);
        break;
      case 2:
      case 3:
        belt->say(
            words.write_register(0x8002, static_cast<std::uint16_t>((draw >> 8) % 0x8001)).bytes);
        break;
      case 4:
        belt->say(words.read_input_registers(0, 9).bytes.substr(0, 1 + (draw >> 8) % 12));
        break;
      case 5:
        repeats->say("line " + std::to_string(draw) + "\n");
        repeats->hear();
        break;
      case 6:
        repeats->reset();
        repeats = std::make_unique<TestClient>(echo);
        break;
      default:
        belt = std::make_unique<TestClient>(plc);
    }
  }
}

TEST(LiveRun, IsRepeatedBitForBitWithoutItsClients) {
  ServedWorld served("random_clients");
  std::vector<std::thread> clients;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    clients.emplace_back(talk_at_random, served.plc_port(), served.echo_port(), seed, 200);
  }
  for (std::thread& client : clients) {
    client.join();
  }
  served.stop();
  const ReplayReport report = replay_file(served.recording());
  EXPECT_TRUE(report.is_same) << report.difference;
  EXPECT_EQ(report.world_hash, served.world.hash());
  EXPECT_EQ(report.said_hash, served.run().conversations().hash());
  EXPECT_EQ(report.steps, served.run().steps());
  EXPECT_GT(report.events, 200U);
  EXPECT_GE(report.checkpoints, 1U);
  EXPECT_EQ(report.how_it_ended, "stopped");
  EXPECT_EQ(report.problem, "");
}

TEST(LiveRun, AnswersAtOnceWhenTheNextStepIsFarAway) {
  // a step takes a minute by the wall clock
  ServedWorld served("slow", {}, 0.001 / 60.0);
  TestClient client(served.echo_port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.say("?\n"));
    EXPECT_THAT(client.hear(4), testing::EndsWith(" ?\n"));
  }
}

TEST(LiveRun, WhoseRecordingIsChangedIsNotTheSame) {
  ServedWorld served("changed");
  {
    TestClient client(served.plc_port());
    modbus::Client words;
    client.say(words.write_register(0x8002, 0x4000).bytes + words.write_register(0x8000, 1).bytes);
    EXPECT_EQ(client.hear(24).size(), 24U);
  }
  // until there are a few checkpoints
  TestClient clock(served.echo_port());
  std::string heard;
  do {
    ASSERT_TRUE(clock.say("?\n"));
    heard = clock.hear(4);
  } while (std::stoll(heard) < 300'000'000);
  served.stop();
  EXPECT_TRUE(replay_file(served.recording()).is_same);
  std::ifstream file(served.recording());
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto speed = text.find("06800240");  // function 6, register 0x8002, half speed
  ASSERT_NE(speed, std::string::npos);
  text[speed + 6] = '3';
  const std::filesystem::path changed = served.recording().string() + ".changed";
  std::ofstream(changed) << text;
  const ReplayReport report = replay_file(changed);
  std::filesystem::remove(changed);
  EXPECT_FALSE(report.is_same);
  EXPECT_TRUE(report.differs_at);
}

constexpr int kAnswered = 20;

/// At least so many events, and a checkpoint.
bool has_recorded(const std::filesystem::path& file, int events) {
  auto made = RecordingReader::make(file);
  if (!made) {
    return false;
  }
  RecordingReader reader = std::move(made).value();
  int found = 0;
  int checkpoints = 0;
  while (const auto entry = reader.next()) {
    ++(entry->event ? found : checkpoints);
  }
  return found >= events && checkpoints >= 1;
}

// a process of its own serves and is killed while clients talk to it
TEST(LiveRun, ThatIsKilledIsRepeatedUpToThere) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const std::filesystem::path kept =
      std::filesystem::path(testing::TempDir()) / "longarm_serve_killed.jsonl";
  const pid_t child = fork();
  if (child == 0) {
    ServedWorld served("killed");
    const std::uint16_t ports[2] = {served.plc_port(), served.echo_port()};
    if (write(pipe_ends[1], ports, sizeof ports) == sizeof ports) {
      pause();
    }
    _exit(1);
  }
  std::uint16_t ports[2] = {};
  ASSERT_EQ(read(pipe_ends[0], ports, sizeof ports), static_cast<ssize_t>(sizeof ports));
  TestClient client(ports[0]);
  modbus::Client words;
  // Lines are kept for 5 ms, on a busy machine for more: until a checkpoint and the first twenty
  // that were answered are in the file.
  int answered = 0;
  const auto start = std::chrono::steady_clock::now();
  while (!has_recorded(kept, 1 + kAnswered) && std::chrono::steady_clock::now() - start < 20s) {
    client.say(words.write_register(0x8002, static_cast<std::uint16_t>(answered)).bytes);
    answered += static_cast<int>(words.hear(client.hear(12)).size());
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);

  const ReplayReport report = replay_file(kept);
  std::filesystem::remove(kept);
  EXPECT_TRUE(report.is_same) << report.difference;
  EXPECT_EQ(report.how_it_ended, "");
  EXPECT_GE(report.checkpoints, 1U);
  EXPECT_GE(answered, kAnswered);
  // the client came, and said all that was answered
  EXPECT_GE(report.events, 1U + kAnswered);
}

TEST(LiveRun, TakesInBytesBetweenSteps) {
  BeltWorld world;
  Inbox inbox;
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "longarm_between_steps.jsonl";
  RecordingWriter recording =
      std::move(RecordingWriter::make(file, {1ms, {"plc", "echo"}})).value();
  LiveRun run(world, {.speed = 0.0}, inbox, {nullptr, nullptr}, recording);
  const ConnectionId client = inbox.new_client();
  inbox.push({DoorEventKind::kOpen, 1, client, {}});
  run.run_until(Time(5ms), [] { return false; });
  EXPECT_EQ(run.steps(), 5U);
  inbox.push({DoorEventKind::kData, 1, client, "now\n"});
  run.step();
  // "5000000 now\n": heard at the start of the sixth step, at 5 ms
  EXPECT_EQ(run.conversations().figures(1).bytes_out, 12U);
  std::filesystem::remove(file);
}

TEST(Stepped, UnderstandsItsWords) {
  EXPECT_EQ(std::get<StepWords>(*parse_stepped("step")).steps, 1U);
  EXPECT_EQ(std::get<StepWords>(*parse_stepped(" step  12 \r")).steps, 12U);
  EXPECT_EQ(std::get<RunWords>(*parse_stepped("run 2s")).length, 2s);
  EXPECT_TRUE(std::holds_alternative<QuitWords>(*parse_stepped("quit")));
  EXPECT_EQ(parse_stepped("step -1").error().message,
            "'-1' is not a number of steps; use: step [N], run 2s, or quit");
  EXPECT_EQ(parse_stepped("run 2").error().message,
            "'2' is not a duration; use: step [N], run 2s, or quit");
  EXPECT_EQ(parse_stepped("jump").error().message,
            "unknown command 'jump'; use: step [N], run 2s, or quit");
  EXPECT_FALSE(parse_stepped("step 99999999999999999999"));
  EXPECT_FALSE(parse_stepped(""));
}

TEST(Stepped, StepsWhenToldTo) {
  BeltWorld world;
  Inbox inbox;
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "longarm_stepped.jsonl";
  RecordingWriter recording =
      std::move(RecordingWriter::make(file, {1ms, {"plc", "echo"}})).value();
  LiveRun run(world, {.speed = 0.0}, inbox, {nullptr, nullptr}, recording);
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const std::string words = "step 3\nhop\nrun 10ms\nstep 2";  // the last line has no end
  ASSERT_EQ(write(pipe_ends[1], words.data(), words.size()), static_cast<ssize_t>(words.size()));
  close(pipe_ends[1]);
  std::string told;
  run_stepped(
      run, world, Time(1h), pipe_ends[0], [&](const std::string& text) { told += text; },
      [] { return false; });
  close(pipe_ends[0]);
  EXPECT_EQ(run.steps(), 13U);
  EXPECT_EQ(told,
            "0.000000 s> 0.003000 s> unknown command 'hop'; use: step [N], run 2s, or quit\n"
            "0.003000 s> 0.013000 s> ");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace longarm::serve
