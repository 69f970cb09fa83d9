// SPDX-License-Identifier: Apache-2.0
// Two unmodified programs put the same packets on the wire as two simulated actors that send the
// same, at the same instants, whatever the link does.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "longarm/network/test/link_fixture.h"
#include "longarm/network/test/packets_fixture.h"
#include "longarm/programs/programs.h"
#include "longarm/programs/test/supervisor_fixture.h"

namespace longarm::programs {
namespace {

using namespace std::chrono_literals;
using network::Plan;
using network::Seen;

constexpr std::uint64_t kSeed = 7;
constexpr const char* kLossy = "delay 3ms 1ms distribution normal loss 1%";

network::Topology two_hosts(const std::string& line) {
  network::Cable cable = network::cable(1e7, 2ms);
  if (!line.empty()) {
    cable.impairment[0] = cable.impairment[1] = network::netem(line);
  }
  return network::star(2, cable);
}

std::filesystem::path folder(const char* what) {
  const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
  return std::filesystem::path(::testing::TempDir()) / "longarm_programs_equal" / info->name() /
         what;
}

std::vector<Seen> with_programs(const network::Topology& topology,
                                const std::vector<std::string>& client,
                                const std::vector<std::string>& server, std::string& output) {
  {
    sim::Kernel clock;
    std::vector<network::Host> hosts(2);
    hosts[0].name = "h0";
    hosts[1].name = "h1";
    network::Network network(
        clock,
        network::make_builtin_backend(topology, {kSeed, folder("programs").string(), nullptr}),
        hosts, kSeed);
    auto programs = Programs::make(clock, network, 2, kSeed, {}, Log());
    if (!programs) {
      ADD_FAILURE() << programs.error().message;
      return {};
    }
    const auto start = [&](std::uint32_t host, const std::vector<std::string>& words) {
      Program program;
      program.name = words[1];
      program.command = words;
      program.written = [&, is_client = host == 0](int, std::string_view bytes) {
        output += is_client ? bytes : "";
      };
      EXPECT_TRUE((*programs)->start(network::NodeId{host}, std::move(program)));
    };
    start(1, server);
    start(0, client);
    const Result<Time> ran = clock.run_until(Time(1000s));
    EXPECT_TRUE(ran) << ran.error().message;
  }
  return network::seen_in(folder("programs"));
}

void compare(const std::string& line, const Plan& plan, const std::vector<std::string>& client,
             std::size_t least_packets) {
  const std::vector<Seen> expected =
      network::with_messages(two_hosts(line), network::NodeId{1}, plan, {}, folder("messages"));
  std::string output;
  const std::vector<Seen> seen = with_programs(
      two_hosts(line), client,
      {test_program("talks"), "serve", "80", std::to_string(plan.request_bytes)}, output);
  EXPECT_EQ(output, "");
  EXPECT_GE(expected.size(), least_packets);
  ASSERT_EQ(seen.size(), expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ASSERT_EQ(seen[i].time_ns, expected[i].time_ns) << i;
    ASSERT_EQ(seen[i].length, expected[i].length) << i;
    ASSERT_TRUE(seen[i] == expected[i]) << i;
  }
}

void compare_calls(const std::string& line, int calls, std::uint32_t bytes,
                   std::size_t least_packets) {
  compare(line, {{}, calls, bytes, true},
          {test_program("talks"), "call", "h1", "80", std::to_string(calls), std::to_string(bytes)},
          least_packets);
}

void compare_bulk(const std::string& line, std::uint32_t bytes, std::size_t least_packets) {
  compare(line, {{{100ms, network::Side::kOpener, bytes}}},
          {test_program("talks"), "send", "h1", "80", std::to_string(bytes)}, least_packets);
}

// each call is two segments with data at least, seen at both ends
TEST(ProgramsEqualActors, CallsOverAGoodLink) {
  compare_calls("", 200, 100, 800);
}
TEST(ProgramsEqualActors, CallsUnderLoss) {
  compare_calls(kLossy, 1000, 100, 4000);
}
TEST(ProgramsEqualActors, LargeCallsUnderLoss) {
  compare_calls(kLossy, 200, 10'000, 4000);
}
// 5 000 000 bytes are 3453 segments, acknowledged two by two
TEST(ProgramsEqualActors, BulkOverAGoodLink) {
  compare_bulk("", 5'000'000, 10'000);
}
TEST(ProgramsEqualActors, BulkUnderLoss) {
  compare_bulk(kLossy, 5'000'000, 10'000);
}

#ifdef LONGARM_ICE_ECHO
// The request has 38 bytes: a header of 14, the number 4, "echo" 5, no category 1, no facet 1,
// "poke" 5, mode 1, no context 1, and an empty encapsulation 6. The reply has 14 + 4 + 1 + 6 = 25.
// TCP with timestamps adds 32, IP 20, and PPP 2 of framing; every packet crosses two cables of 10
// Mbit/s and 2 ms: 2 (92 + 79) 800 ns and 8 ms. The client rests for a second after connecting, or
// its first request would stand behind the acknowledgement of what the server greets it with.
TEST(ProgramsEqualActors, CallsOfIceTakeTheTimeOfThePackets) {
  std::string output;
  const std::string server = LONGARM_ICE_ECHO;
  with_programs(two_hosts(""), {server, "call", "h1", "80", "500", "1"}, {server, "serve", "80"},
                output);
  EXPECT_EQ(output, "8273600 8273600\n");
}
#endif

}  // namespace
}  // namespace longarm::programs
