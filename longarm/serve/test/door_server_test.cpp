// SPDX-License-Identifier: Apache-2.0
// Clients that behave, and all the ways of not doing so: the world goes on and others are served.
#include "longarm/serve/door_server.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <modbus/modbus.h>
#include <sys/resource.h>

#include "longarm/serve/test/served_world.h"

namespace longarm::serve {
namespace {

using testing::HasSubstr;

/// Asks the echo door until the world has gone on by so much; false if it does not.
bool goes_on(TestClient& client, Duration by) {
  std::int64_t first = -1;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < 20s) {
    client.say("?\n");
    std::string heard;
    while (!heard.ends_with("?\n")) {
      const std::string more = client.hear();
      if (more.empty()) {
        return false;
      }
      heard += more;
    }
    const std::int64_t now = std::stoll(heard);
    first = first < 0 ? now : first;
    if (now - first >= by.count()) {
      return true;
    }
  }
  return false;
}

/// Of the process, in bytes; 0 where it cannot be known.
std::size_t resident_bytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 0;  // sanitizers keep what was freed
#endif
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  std::size_t resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

struct ModbusFree {
  void operator()(modbus_t* context) const {
    modbus_close(context);
    modbus_free(context);
  }
};
using Master = std::unique_ptr<modbus_t, ModbusFree>;

Master connect_master(std::uint16_t port) {
  Master master(modbus_new_tcp("127.0.0.1", port));
  modbus_set_response_timeout(master.get(), 5, 0);
  return modbus_connect(master.get()) == 0 ? std::move(master) : nullptr;
}

// an independent implementation on the other side: libmodbus
TEST(DoorServer, IsUnderstoodByLibmodbus) {
  ServedWorld served("libmodbus");
  const Master master = connect_master(served.plc_port());
  ASSERT_NE(master, nullptr);
  modbus_t* const m = master.get();
  EXPECT_EQ(modbus_write_register(m, 0x8001, 0), 1);
  EXPECT_EQ(modbus_write_register(m, 0x8002, 0x4000), 1);
  EXPECT_EQ(modbus_write_register(m, 0x8000, 1), 1);
  std::uint16_t back[3] = {};
  ASSERT_EQ(modbus_read_registers(m, 0x8000, 3, back), 3);
  EXPECT_THAT(back, testing::ElementsAre(1, 0, 0x4000));
  // 0.1 m/s is 1000; within a millimetre per second of it after a while
  std::uint16_t inputs[modbus::kInputCount] = {};
  for (int i = 0; i < 20'000 && inputs[modbus::kMeasuredSpeed] < 990; ++i) {
    ASSERT_EQ(modbus_read_input_registers(m, 0, modbus::kInputCount, inputs),
              static_cast<int>(modbus::kInputCount));
  }
  EXPECT_NEAR(inputs[modbus::kMeasuredSpeed], 1000, 10);
  EXPECT_EQ(inputs[modbus::kCommandedSpeed], 1000);

  std::uint8_t bits[4] = {};
  EXPECT_EQ(modbus_read_bits(m, 0, 2, bits), 2);
  EXPECT_EQ(bits[0], 1);
  EXPECT_EQ(bits[1], 0);
  EXPECT_EQ(modbus_read_input_bits(m, 0, 4, bits), 4);
  EXPECT_EQ(bits[modbus::kIsRunning], 1);
  EXPECT_EQ(modbus_write_bit(m, 1, 1), 1);
  const std::uint8_t off[2] = {0, 0};
  EXPECT_EQ(modbus_write_bits(m, 0, 2, off), 2);
  const std::uint16_t all[3] = {1, 1, 0x100};
  EXPECT_EQ(modbus_write_registers(m, 0x8000, 3, all), 3);
  EXPECT_EQ(modbus_mask_write_register(m, 0x8002, 0xFF00, 0x0011), 1);
  const std::uint16_t one = 1;
  EXPECT_EQ(modbus_write_and_read_registers(m, 0, 1, &one, 0, 3, back), 3);
  EXPECT_THAT(back, testing::ElementsAre(1, 1, 0x111));
  // exceptions arrive as such
  EXPECT_EQ(modbus_write_register(m, 0x8005, 1), -1);
  EXPECT_EQ(errno, EMBXILADD);
  EXPECT_EQ(modbus_write_register(m, 0x8000, 5), -1);
  EXPECT_EQ(errno, EMBXILVAL);
  std::uint8_t ignored[64] = {};
  EXPECT_EQ(modbus_report_slave_id(m, sizeof ignored, ignored), -1);
  EXPECT_EQ(errno, EMBXILFUN);
}

TEST(DoorServer, TellsWhichPortIsTaken) {
  BeltWorld world;
  Inbox inbox;
  const auto first = DoorServer::make(world.doors(), {}, inbox);
  ASSERT_TRUE(first);
  const std::uint16_t taken = (*first)->addresses()[0].port;
  EXPECT_NE(taken, 0);
  const auto second = DoorServer::make(world.doors(), {.ports = {{"echo", taken}}}, inbox);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "echo: cannot listen at 127.0.0.1:" + std::to_string(taken) +
                                        ": Address already in use");
}

/// An address of this machine that is not the loopback's, in host order; 0 if it has none.
std::uint32_t other_address() {
  ifaddrs* all = nullptr;
  std::uint32_t found = 0;
  if (getifaddrs(&all) == 0) {
    for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
      if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) {
        continue;
      }
      const auto* address = reinterpret_cast<const sockaddr_in*>(each->ifa_addr);
      const std::uint32_t host = ntohl(address->sin_addr.s_addr);
      found = (host >> 24) == 127 ? found : host;
    }
    freeifaddrs(all);
  }
  return found;
}

TEST(DoorServer, AnswersAtTheLoopbackAddressOnlyUnlessToldOtherwise) {
  // 127.0.0.2 is this machine as well, but not where we listen
  constexpr std::uint32_t kOtherLoopback = INADDR_LOOPBACK + 1;
  const std::uint32_t outside = other_address();
  {
    ServedWorld served("loopback");
    EXPECT_TRUE(TestClient(served.echo_port()).is_connected());
    EXPECT_FALSE(TestClient(served.echo_port(), kOtherLoopback).is_connected());
    EXPECT_TRUE(outside == 0 || !TestClient(served.echo_port(), outside).is_connected());
  }
  ServedWorld open("open", {.is_open_to_all = true});
  EXPECT_TRUE(TestClient(open.echo_port(), kOtherLoopback).is_connected());
  EXPECT_TRUE(outside == 0 || TestClient(open.echo_port(), outside).is_connected());
}

TEST(DoorServer, AnswersWhoHasStoppedTalking) {
  ServedWorld served("half_open");
  TestClient client(served.echo_port());
  client.say("last words\n");
  client.stop_talking();
  EXPECT_THAT(client.hear(5), HasSubstr("last words"));
  EXPECT_TRUE(client.hear_end());
}

TEST(DoorServer, EndsATalkThatTheDoorHasEnded) {
  ServedWorld served("bye");
  TestClient client(served.echo_port());
  client.say("bye\n");
  EXPECT_THAT(client.hear(5), HasSubstr("bye\n"));
  EXPECT_TRUE(client.hear_end());
  TestClient plc(served.plc_port());
  plc.say("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(plc.hear_end());
}

TEST(DoorServer, SurvivesResetsInTheMiddleOfMessages) {
  ServedWorld served("resets");
  modbus::Client words;
  for (int i = 0; i < 100; ++i) {
    TestClient client(i % 2 == 0 ? served.plc_port() : served.echo_port());
    client.say(
        words.write_register(0x8002, 5).bytes.substr(0, static_cast<std::size_t>(i) % 11 + 1));
    client.reset();
  }
  TestClient client(served.echo_port());
  EXPECT_TRUE(goes_on(client, 10ms));
  const Master master = connect_master(served.plc_port());
  ASSERT_NE(master, nullptr);
  EXPECT_EQ(modbus_write_register(master.get(), 0x8002, 7), 1);
  served.stop();
  EXPECT_EQ(served.world.plc.counters().writes, 1U);  // none of the broken ones
}

// 500 clients that send a byte and wait, and one that works
TEST(DoorServer, ServesOthersBesideFiveHundredSlowOnes) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4096);
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 1200) {
    GTEST_SKIP() << "only " << limit.rlim_cur << " descriptors are allowed";
  }
  ServedWorld served("five_hundred");
  std::vector<std::unique_ptr<TestClient>> slow;
  modbus::Client words;
  const std::string request = words.write_register(0x8002, 1).bytes;
  for (int i = 0; i < 500; ++i) {
    slow.push_back(std::make_unique<TestClient>(served.plc_port()));
    ASSERT_TRUE(slow.back()->is_connected()) << i;
    slow.back()->say(request.substr(0, 1));
  }
  TestClient client(served.echo_port());
  EXPECT_TRUE(goes_on(client, 50ms));
  // byte by byte they get there, too
  for (std::size_t at = 1; at < request.size(); ++at) {
    for (const auto& each : slow) {
      each->say(request.substr(at, 1));
    }
  }
  for (const auto& each : slow) {
    EXPECT_EQ(each->hear(request.size()), request);
  }
  slow.clear();
  EXPECT_TRUE(goes_on(client, 10ms));
  served.stop();
  EXPECT_EQ(served.world.plc.counters().answers, 500U);
  EXPECT_EQ(served.run().conversations().figures(0).most_open, 500U);
}

TEST(DoorServer, SendsAwayMoreClientsThanItsLimit) {
  ServedWorld served("limit", {.max_clients = 3});
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<TestClient>(served.echo_port()));
    EXPECT_TRUE(goes_on(*clients.back(), 0ms));
  }
  TestClient fourth(served.echo_port());
  EXPECT_TRUE(fourth.hear_end());
  EXPECT_EQ(served.figures().refused, 1U);
  TestClient plc(served.plc_port());  // the limit is each door's own
  modbus::Client words;
  plc.say(words.write_register(0x8000, 1).bytes);
  EXPECT_EQ(plc.hear(12).size(), 12U);
  // there is room again when one has gone
  clients.pop_back();
  EXPECT_TRUE(goes_on(*clients.back(), 20ms));
  TestClient fifth(served.echo_port());
  EXPECT_TRUE(goes_on(fifth, 0ms));
}

// it asks for up to 64 MB and reads nothing; the system keeps some of it, we 1 MB at most
TEST(DoorServer, DropsAClientThatDoesNotReadAndKeepsMemoryBounded) {
  ServedWorld served("not_reading");
  TestClient client(served.echo_port());
  ASSERT_TRUE(goes_on(client, 1ms));
  const std::size_t before = resident_bytes();
  TestClient lazy(served.echo_port());
  for (int i = 0; i < 640 && served.figures().dropped == 0; ++i) {
    lazy.say("flood 100000\n");
    ASSERT_TRUE(goes_on(client, 0ms));
  }
  EXPECT_TRUE(goes_on(client, 50ms));
  EXPECT_EQ(served.figures().dropped, 1U);
  EXPECT_LT(served.figures().most_output, 1'200'000U);
  EXPECT_LT(resident_bytes(), before + 32'000'000U);
}

// 20 MB without an end of a line, from each of four clients as fast as they can
TEST(DoorServer, TakesInFloodsWithoutGrowing) {
  ServedWorld served("flood");
  TestClient client(served.echo_port());
  ASSERT_TRUE(goes_on(client, 1ms));
  const std::size_t before = resident_bytes();
  std::vector<std::thread> floods;
  for (int i = 0; i < 4; ++i) {
    floods.emplace_back([&] {
      TestClient loud(served.echo_port());
      const std::string much(1'000'000, 'a');
      for (int n = 0; n < 20; ++n) {
        loud.say(much);
      }
    });
  }
  EXPECT_TRUE(goes_on(client, 50ms));  // while they do
  for (std::thread& flood : floods) {
    flood.join();
  }
  EXPECT_LT(resident_bytes(), before + 32'000'000U);
  EXPECT_TRUE(goes_on(client, 10ms));
}

}  // namespace
}  // namespace longarm::serve
