// SPDX-License-Identifier: Apache-2.0
// External backends that behave, and many that do not: who, what and when is said, and no process
// stays behind.
#include "longarm/network/external/external_backend.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "longarm/core/diagnostic.h"
#include "longarm/network/external/local_socket.h"
#include "longarm/network/test/external_fixture.h"

namespace longarm::network {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

/// Two hosts and a cable of 1 Mbit/s and 1 ms.
Topology two_hosts() {
  Topology topology;
  topology.nodes = {{"edge", false, Duration(0)}, {"robot", false, Duration(0)}};
  Cable cable;
  cable.name = "wire";
  cable.ends[0] = NodeId{0};
  cable.ends[1] = NodeId{1};
  cable.rate_bit_s = 1e6;
  cable.propagation = milliseconds(1);
  topology.cables.push_back(cable);
  return topology;
}

ExternalOptions bad(const std::string& way, Duration patience = milliseconds(20000)) {
  const std::string script = LONGARM_SOURCE_DIR "/longarm/network/test/bad_backend.py";
  return {"bad", {"python3", script, way}, patience};
}

ExternalOptions example() {
  return {"example",
          {"python3", LONGARM_SOURCE_DIR "/examples/python_backend/backend.py"},
          milliseconds(20000)};
}

FlowRequest udp_flow() {
  FlowRequest request{NodeId{0}, NodeId{1}, {}};
  request.options.transport = Transport::kUdp;
  return request;
}

/// What the user reads when the backend cannot even be made.
std::string refusal(const ExternalOptions& options, const Topology& topology = two_hosts()) {
  try {
    make_external_backend(topology, {}, options);
  } catch (const InputError& error) {
    return error.diagnostics().at(0).message;
  }
  return "none";
}

/// What the run ends with: a message is sent, a window goes well, the next one does not.
std::string failure(const ExternalOptions& options) {
  const std::unique_ptr<Backend> backend = make_external_backend(two_hosts(), {}, options);
  const Result<FlowId> flow = backend->open(udp_flow(), at_ns(0));
  if (!flow) {
    return flow.error().message;
  }
  backend->send(*flow, Side::kOpener, MessageId{7}, 100, at_ns(1000));
  std::vector<Delivery> out;
  EXPECT_TRUE(backend->advance(at_ns(1500), out).has_value());
  const Result<bool> advanced = backend->advance(at_ns(1'000'000'000), out);
  EXPECT_TRUE(out.empty());
  // a backend that has failed stays so
  EXPECT_FALSE(backend->advance(at_ns(2'000'000'000), out).has_value());
  return advanced ? "none" : advanced.error().message;
}

std::string said(const std::string& what) {
  return "network backend 'bad' " + what + ", at simulated time 0.000001000 s";
}

TEST(ExternalBackend, CarriesMessagesAsTheirCableSays) {
  const std::unique_ptr<Backend> backend = make_external_backend(two_hosts(), {}, example());
  const Result<FlowId> flow = backend->open(udp_flow(), at_ns(0));
  ASSERT_TRUE(flow.has_value()) << flow.error().message;
  backend->send(*flow, Side::kOpener, MessageId{1}, 125, at_ns(0));
  backend->send(*flow, Side::kOpener, MessageId{2}, 125, at_ns(0));

  // 125 bytes at 1 Mbit/s take 1 ms, then 1 ms of propagation; the second waits for the first
  std::vector<Delivery> out;
  ASSERT_TRUE(backend->advance(at_ns(2'000'000), out).has_value());
  EXPECT_TRUE(out.empty()) << "windows are half open";
  ASSERT_TRUE(backend->advance(at_ns(10'000'000), out).has_value());
  ASSERT_EQ(out.size(), 1u) << "an advance ends with the first instant that has deliveries";
  EXPECT_EQ(out[0].time, at_ns(2'000'000));
  EXPECT_EQ(out[0].message, MessageId{1});
  EXPECT_EQ(out[0].side, Side::kPeer);
  EXPECT_EQ(backend->next_event(), at_ns(3'000'000));
  ASSERT_TRUE(backend->advance(at_ns(10'000'000), out).has_value());
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[1].time, at_ns(3'000'000));
  EXPECT_EQ(backend->next_event(), Time::max());

  const NetworkFigures figures = backend->figures();
  ASSERT_EQ(figures.flows.size(), 2u);
  EXPECT_EQ(figures.flows[0].name, "edge > robot udp 0");
  EXPECT_EQ(figures.flows[0].bytes_delivered, 250u);
  ASSERT_EQ(figures.cables.size(), 2u);
  EXPECT_EQ(figures.cables[0].name, "wire: edge > robot");
  EXPECT_EQ(figures.cables[0].packets, 2u);
}

TEST(ExternalBackend, TakesWhatIsSentInAnInstantItHasReached) {
  const std::unique_ptr<Backend> backend = make_external_backend(two_hosts(), {}, example());
  const Result<FlowId> flow = backend->open(udp_flow(), at_ns(0));
  backend->send(*flow, Side::kOpener, MessageId{1}, 125, at_ns(0));
  std::vector<Delivery> out;
  ASSERT_TRUE(backend->advance(Time::max(), out).has_value());
  backend->send(*flow, Side::kPeer, MessageId{1}, 125, out.at(0).time);
  EXPECT_EQ(backend->next_event(), out.at(0).time);
  ASSERT_TRUE(backend->advance(Time::max(), out).has_value());
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[1].time, at_ns(4'000'000));
  EXPECT_EQ(out[1].side, Side::kOpener);
}

TEST(ExternalBackend, SaysWhoCouldNotBeStarted) {
  EXPECT_EQ(
      refusal({"gone", {"no-such-program-at-all"}, milliseconds(500)}),
      "network backend 'gone' cannot be started: cannot start 'no-such-program-at-all': No such "
      "file or directory");
  EXPECT_THAT(refusal(bad("exits at once")), HasSubstr("exited with status 3 without connecting"));
}

TEST(LocalSocket, WaitsNoLongerThanItsPatience) {
  const auto socket = external::LocalSocket::listen();
  ASSERT_TRUE(socket.has_value());
  const Result<bool> accepted =
      (*socket)->accept(milliseconds(30), [] { return std::optional<std::string>(); });
  ASSERT_FALSE(accepted.has_value());
  EXPECT_EQ(accepted.error().message, "has not connected for 0.03 s");
}

TEST(ExternalBackend, SaysWhatTheOtherSideCannotDo) {
  EXPECT_EQ(refusal(bad("speaks another version")),
            "network backend 'bad' uses version 2 of 'longarm-network'; expected version 1 of "
            "'longarm-network'");
  EXPECT_EQ(refusal(bad("refuses to build")), "network backend 'bad' does not support: cables");
  EXPECT_EQ(failure(bad("refuses to open")), "network backend 'bad' does not support: tcp");
}

TEST(ExternalBackend, RefusesImpairmentsThatGoByTime) {
  Topology topology = two_hosts();
  topology.cables[0].impairment[1] = built_in_link_models().make("queue");
  EXPECT_EQ(refusal(example(), topology),
            "network backend 'example' does not support the link model of cable 'wire', which "
            "depends on packet size or time");
}

TEST(ExternalBackend, EndsTheRunWithWhoWhatAndWhen) {
  EXPECT_EQ(failure(bad("crashes")), said("was killed by signal 11 (Segmentation fault)"));
  EXPECT_EQ(failure(bad("exits")), said("exited with status 4"));
  EXPECT_EQ(failure(bad("hangs", milliseconds(1000))), said("has not answered for 1 s"));
  // whichever comes first, the end of patience or of memory set aside
  EXPECT_THAT(
      failure(bad("never ends its line", milliseconds(1000))),
      ::testing::AnyOf(said("has not answered for 1 s"), said("sent a line that is too long")));
  EXPECT_EQ(failure(bad("says what is no JSON")), said("sent an invalid answer: 'hello?'"));
  EXPECT_EQ(failure(bad("answers out of order")),
            said("answered out of order: 'figures' instead of 'advanced'"));
  EXPECT_EQ(failure(bad("reports an error")), said("reports: out of cables"));
}

TEST(ExternalBackend, BelievesNoImpossibleDelivery) {
  EXPECT_THAT(failure(bad("leaves out the time")), HasSubstr("'time_ns' is missing or wrong"));
  EXPECT_EQ(failure(bad("delivers in the past")),
            said("delivered a message in the past, at 0.000000500 s"));
  EXPECT_EQ(failure(bad("delivers another message")),
            said("delivered message 8 of flow 0, which is not in flight"));
  EXPECT_EQ(failure(bad("delivers on another flow")), said("reported flow 3, which is not open"));
  EXPECT_EQ(failure(bad("delivers twice")),
            said("delivered message 7 of flow 0, which is not in flight"));
  EXPECT_EQ(failure(bad("goes on after a delivery")),
            said("delivered a message at 0.000002000 s and did not stop"));
  EXPECT_EQ(failure(bad("stops for no reason")), said("stopped without a reason"));
  EXPECT_EQ(failure(bad("goes too far")), said("reported the time 5.000000000 s"));
  EXPECT_EQ(failure(bad("wants fates of nothing")),
            said("asked for the fate of packets that do not exist or whose fate is known"));
}

TEST(ExternalBackend, LeavesNoProcessBehind) {
  const std::string file = testing::TempDir() + "longarm_backend_pid";
  // a script that hands over to the real thing: its process group goes as a whole
  const std::string script = "echo $$ > '" + file +
                             "'; python3 '" LONGARM_SOURCE_DIR
                             "/examples/python_backend/backend.py' \"$@\"";
  make_external_backend(two_hosts(), {}, {"sh", {"sh", "-c", script, "sh"}, milliseconds(20000)});
  pid_t process = 0;
  std::ifstream(file) >> process;
  ASSERT_GT(process, 1);
  EXPECT_NE(kill(process, 0), 0);
  EXPECT_EQ(waitpid(process, nullptr, WNOHANG), -1) << "it was waited for";
  // the file descriptors of a killed group close a moment later than our wait returns
  for (int i = 0; i < 200 && kill(-process, 0) == 0; ++i) {
    usleep(10'000);
  }
  EXPECT_NE(kill(-process, 0), 0);
}

TEST(SplitCommand, KeepsBlanksInQuotesAndAfterBackslashes) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(split_command("python3  back.py\t-v").value(), (Words{"python3", "back.py", "-v"}));
  EXPECT_EQ(split_command("'my net' \"a 'b'\" c\\ d ''").value(),
            (Words{"my net", "a 'b'", "c d", ""}));
  EXPECT_EQ(split_command("echo $HOME;ls").value(), (Words{"echo", "$HOME;ls"}));
  EXPECT_FALSE(split_command("'open").has_value());
  EXPECT_FALSE(split_command("   ").has_value());
}

TEST(WithFoundFiles, NamesWhatIsBesideTheScenario) {
  const std::string folder = testing::TempDir() + "found_files";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/back.py") << "pass\n";
  const InputFiles files(folder + "/scenario.yaml");
  const std::string there = "'" + folder + "/back.py'";
  EXPECT_EQ(with_found_files("exec python3  back.py -v", files), "exec python3  " + there + " -v");
  EXPECT_EQ(with_found_files("back.py", files), there);
  // what is in quotes, what is nowhere, and what is found without us stays
  for (const std::string command : {"sh -c 'python3 back.py'", "python3 other.py", "/bin/sh", " ",
                                    "", "python3 \"a b\" back.py"}) {
    EXPECT_EQ(with_found_files(command, files), command);
  }
}

}  // namespace
}  // namespace longarm::network
