// SPDX-License-Identifier: Apache-2.0
// Another process drives a joint through ignition-transport and hears of it.
#include "longarm/serve/ignition_bridge.h"

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "longarm/protocols/jointcmd/door.h"
#include "longarm/protocols/lines_door.h"

extern char** environ;

namespace longarm::serve {
namespace {

using namespace std::chrono_literals;
namespace jointcmd = protocols::jointcmd;

/// One joint that is where it is told to be.
class OneJoint final : public jointcmd::JointPort {
 public:
  const std::vector<jointcmd::JointInfo>& joints() const override { return joints_; }
  void set_velocity(std::size_t, double velocity, double) override { velocity_ = velocity; }
  void release(std::size_t) override {}
  jointcmd::JointReading read(std::size_t) const override {
    return {"finger", true, position_, velocity_, 0.0};
  }
  void move(double time_s) { position_ += velocity_ * time_s; }

 private:
  std::vector<jointcmd::JointInfo> joints_{{"finger", true, 10.0}};
  double position_ = 0.0;
  double velocity_ = 0.0;
};

/// A program of its own, ended with the object.
class Process {
 public:
  Process(const std::string& program, std::vector<std::string> arguments,
          const std::string& output) {
    arguments.insert(arguments.begin(), program);
    std::vector<char*> raw;
    for (std::string& argument : arguments) {
      raw.push_back(argument.data());
    }
    raw.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    is_started_ = ::posix_spawn(&id_, program.c_str(), &actions, nullptr, raw.data(), environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Process() {
    if (is_started_ && !exit_code().has_value()) {
      ::kill(id_, SIGKILL);
      ::waitpid(id_, nullptr, 0);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool is_started() const { return is_started_; }
  std::optional<int> exit_code() {
    int status = 0;
    if (!code_.has_value() && ::waitpid(id_, &status, WNOHANG) == id_) {
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    return code_;
  }

 private:
  pid_t id_ = 0;
  bool is_started_ = false;
  std::optional<int> code_;
};

std::string contents_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Where this process's sockets listen: local addresses in /proc/net/tcp, which are hexadecimal.
std::vector<std::string> listening_addresses() {
  std::vector<std::string> inodes;
  std::vector<std::string> found;
  std::ifstream table("/proc/self/net/tcp");
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string slot, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    words >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> user >>
        timeout >> inode;
    if (state != "0A") {
      continue;
    }
    for (int descriptor = 0; descriptor < 256; ++descriptor) {
      char target[64] = {};
      const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
      if (::readlink(link.c_str(), target, sizeof(target) - 1) > 0 &&
          "socket:[" + inode + "]" == target) {
        found.push_back(local.substr(0, 8));
      }
    }
  }
  return found;
}

TEST(IgnitionBridge, TurnsTheNamesOfDoorsIntoTopics) {
  EXPECT_EQ(topic_of("jointcmd.~/fanuc/joints"), "/fanuc/joints");
  EXPECT_EQ(topic_of("jointcmd.fanuc"), "/fanuc");
  EXPECT_EQ(topic_of("topic./camera_1/frames"), "/camera_1/frames");
  EXPECT_EQ(topic_of("topic.~/camera_1/frames"), "/camera_1/frames");
  EXPECT_EQ(topic_of("fanuc.crcl"), "");
  EXPECT_EQ(topic_of("camera_1.frames"), "");
}

TEST(IgnitionBridge, LetsAnotherProcessHearLines) {
  const std::string partition = "longarm-test-" + std::to_string(::getpid());
  ::setenv("IGN_PARTITION", partition.c_str(), 1);
  protocols::LinesDoor door("topic./test/lines", std::nullopt);
  Inbox inbox;
  auto made = IgnitionBridge::make({&door}, false, inbox);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const std::unique_ptr<IgnitionBridge> bridge = std::move(made).value();
  const std::optional<DoorEvent> opened = inbox.pop();
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(opened->kind, DoorEventKind::kOpen);
  door.open(opened->client, Time{});

  const std::string output = testing::TempDir() + "/longarm-lines.txt";
  Process listener(LONGARM_JOINT_PUBLISHER, {"/test/lines"}, output);
  ASSERT_TRUE(listener.is_started());
  for (int i = 0; i < 600 && !listener.exit_code().has_value(); ++i) {
    door.say("{\"device\":\"camera_1\"}");
    bridge->send_cyclic(opened->client, door.take_cyclic(opened->client));
    std::this_thread::sleep_for(50ms);
  }
  ASSERT_EQ(listener.exit_code(), 0);
  EXPECT_EQ(contents_of(output), "{\"device\":\"camera_1\"}\n");
  EXPECT_GT(bridge->figures().published, 0U);
}

TEST(IgnitionBridge, LetsAnotherProcessDriveAJoint) {
  // of this run alone, whoever else is on this computer
  const std::string partition = "longarm-test-" + std::to_string(::getpid());
  ::setenv("IGN_PARTITION", partition.c_str(), 1);
  OneJoint joint;
  jointcmd::JointCommandDoor door({"~/test/joints", "gripper", {}, 20ms}, joint);
  Inbox inbox;
  auto made = IgnitionBridge::make({&door}, false, inbox);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const std::unique_ptr<IgnitionBridge> bridge = std::move(made).value();
  ASSERT_EQ(bridge->topics().size(), 1U);

  // 0100007F is 127.0.0.1
  const std::vector<std::string> addresses = listening_addresses();
  EXPECT_FALSE(addresses.empty());
  for (const std::string& address : addresses) {
    EXPECT_EQ(address, "0100007F");
  }

  const std::string output = testing::TempDir() + partition;
  Process publisher(LONGARM_JOINT_PUBLISHER, {"/test/joints", "finger", "0.0125"}, output);
  ASSERT_TRUE(publisher.is_started());
  ConnectionId client{};
  Time now{};
  const auto give_up = std::chrono::steady_clock::now() + 60s;
  while (!publisher.exit_code().has_value() && std::chrono::steady_clock::now() < give_up) {
    while (std::optional<DoorEvent> event = inbox.pop()) {
      if (event->kind == DoorEventKind::kOpen) {
        client = event->client;
        door.open(client, now);
      } else if (event->kind == DoorEventKind::kData) {
        door.receive(event->client, event->bytes, now);
      }
    }
    door.step(now);
    joint.move(0.02);
    bridge->send(client, door.take_output(client));
    now += 20ms;
    std::this_thread::sleep_for(1ms);
  }
  ASSERT_TRUE(publisher.exit_code().has_value()) << "the other process did not come to an end";
  if (bridge->figures().received == 0) {
    ::unlink(output.c_str());
    GTEST_SKIP() << "no multicast between processes here, so ignition-transport finds nobody";
  }
  EXPECT_EQ(publisher.exit_code(), 0);
  EXPECT_NEAR(joint.read(0).position, 0.0125, 1e-9);
  EXPECT_GE(door.accepted(), 1U);
  EXPECT_GE(door.refused(), 1U);
  const std::string said = contents_of(output);
  EXPECT_TRUE(said.starts_with("moved by 0.0125, overshoot 0.0000, fastest ")) << said;
  EXPECT_NE(said.find("\n"
                      "jointcmd.~/test/joints: message rejected: model 'gripper' has no joint "
                      "'no_such_joint'\n"),
            std::string::npos)
      << said;
  ::unlink(output.c_str());
}

}  // namespace
}  // namespace longarm::serve
