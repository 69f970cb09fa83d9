// SPDX-License-Identifier: Apache-2.0
// Calibration: the split of round trips by closed form, the files, and a small measurement for
// real.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/components/calibrate/calibration.h"
#include "longarm/core/input_files.h"
#include "longarm/network/varying_time.h"
#include "longarm/system/forked_process.h"
#include "longarm/system/socket.h"

namespace longarm::components {
namespace {

using namespace std::chrono_literals;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Round trips without noise: a write of 2 us + 1 ns/B, one way 20 us + 3 ns/B (the write is part
/// of it), components 4 us + 8 ns/B more per round trip.
Calibration noiseless() {
  Calibration result;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1000}, std::size_t{2000}}) {
    const auto b = static_cast<std::int64_t>(bytes);
    const Duration write = 2us + Duration(b);
    const Duration round_trip = 2 * (20us + Duration(3 * b));
    for (int i = 0; i < 10; ++i) {
      result.raw.push_back({bytes, round_trip, write});
      result.framed.push_back({bytes, round_trip + 4us + Duration(8 * b), 0us});
    }
  }
  return result;
}

struct Moments {
  double mean = 0.0;
  double variance = 0.0;
};

Moments moments(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  Moments result;
  for (const double each : values) {
    result.mean += each / n;
  }
  for (const double each : values) {
    result.variance += (each - result.mean) * (each - result.mean) / n;
  }
  return result;
}

TEST(Calibration, SplitsRoundTripsIntoTheirParts) {
  Calibration calibration = noiseless();
  analyse(calibration, {});
  EXPECT_NEAR(calibration.stack_send.per_byte_ns, 1.0, 1e-6);
  EXPECT_NEAR(calibration.stack_receive.per_byte_ns, 2.0, 1e-6);  // 3 - 1
  ASSERT_EQ(calibration.stack_send.seconds.size(), 30U);
  for (const double each : calibration.stack_send.seconds) {
    EXPECT_NEAR(each, 2e-6, 1e-12);
  }
  for (const double each : calibration.stack_receive.seconds) {
    EXPECT_NEAR(each, 18e-6, 1e-12);  // 20 - 2
  }
  // a quarter of 4 us + 8 ns/B
  EXPECT_NEAR(calibration.serialise.seconds.at(0), 1e-6, 1e-12);
  EXPECT_NEAR(calibration.serialise.per_byte_ns, 2.0, 1e-6);
  EXPECT_EQ(calibration.deserialise.per_byte_ns, calibration.serialise.per_byte_ns);
}

TEST(Calibration, TakesTheWireOutThatIsSimulatedItself) {
  Calibration calibration = noiseless();
  CalibrationPlan plan;
  plan.wire_fixed_s = 5e-6;
  plan.wire_ns_per_byte = 1.5;
  analyse(calibration, plan);
  EXPECT_NEAR(calibration.stack_receive.seconds.at(0), 13e-6, 1e-12);  // 20 - 5 - 2
  EXPECT_NEAR(calibration.stack_receive.per_byte_ns, 0.5, 1e-6);       // 3 - 1.5 - 1
}

TEST(Calibration, KeepsTheSpreadOfRoundTrips) {
  // halves of 20 and 30 us, equally often, and 11 in 1000 of 10 and of 40 us; writes of nothing.
  // Variance of a half: 0.978 * 5^2 + 0.022 * 15^2 = 29.4 us^2. Two independent ways must make a
  // round trip with four times that, so each has twice that, about 25 us; but nothing is to be
  // shorter than 10 us, which costs 0.011 * 15^2 = 2.5 us^2: 56.325 us^2.
  Calibration calibration;
  for (int i = 0; i < 1000; ++i) {
    const bool is_far = i < 22;
    const Duration even = is_far ? 20us : 40us;
    const Duration odd = is_far ? 80us : 60us;
    calibration.raw.push_back({64, i % 2 == 0 ? even : odd, 0us});
  }
  analyse(calibration, {});
  const Moments ways = moments(calibration.stack_receive.seconds);
  EXPECT_NEAR(ways.mean, 25e-6, 1e-12);
  EXPECT_NEAR(ways.variance, 56.325e-12, 1e-15);
}

TEST(Calibration, StaysPositiveOnABusyMachine) {
  // halves of 20 to 24 us; one round trip in 25 waits 10 ms for a core: mean 22 + 200 us
  Calibration calibration;
  for (int i = 0; i < 1000; ++i) {
    const Duration wait = i % 25 == 7 ? Duration(10ms) : Duration(0);
    calibration.raw.push_back({64, 40us + Duration(2us) * (i % 5) + wait, 0us});
  }
  analyse(calibration, {});
  std::vector<double> ways = calibration.stack_receive.seconds;
  std::sort(ways.begin(), ways.end());
  EXPECT_NEAR(ways.front(), 20e-6, 1e-9) << "nothing is faster than the fastest";
  EXPECT_NEAR(ways[ways.size() / 2], 22e-6, 2e-6);
  const Moments found = moments(ways);
  EXPECT_NEAR(found.mean, 222e-6, 1e-9);
  // a round trip: 0.04 * 0.96 * (10 ms)^2; a way has half of it, less what is not to be negative:
  // 0.96 * (200 us)^2
  EXPECT_NEAR(found.variance, 0.5 * 0.04 * 0.96 * 1e-4 - 0.96 * 4e-8, 1e-9);
  EXPECT_THAT(calibration.warnings, testing::IsEmpty());
}

TEST(Calibration, AWriteThatWasInterruptedIsTheSendersOnly) {
  Calibration calibration = noiseless();
  calibration.raw[0].write += 1ms;
  calibration.raw[0].round_trip += 1ms;
  analyse(calibration, {});
  const auto [least, most] = std::minmax_element(calibration.stack_receive.seconds.begin(),
                                                 calibration.stack_receive.seconds.end());
  // the other side's write is taken to be the mean of 30, 1 ms / 30 more than 2 us; half of that
  EXPECT_NEAR(*least, 18e-6 - 1e-3 / 60, 1e-9);
  EXPECT_NEAR(*most, *least, 1e-9);
}

TEST(Calibration, WarnsOfWhatIsClipped) {
  Calibration calibration = noiseless();
  CalibrationPlan plan;
  plan.wire_fixed_s = 50e-6;  // more than there is
  analyse(calibration, plan);
  EXPECT_THAT(calibration.warnings,
              testing::ElementsAre(testing::StartsWith(
                  "stack_receive: 30 of 30 values would be negative and are set to 0")));
}

TEST(Calibration, ComponentsAreComparedByMedians) {
  // bare round trips waited now and then, calls did not: means would make serialising negative
  Calibration calibration = noiseless();
  for (std::size_t i = 0; i < calibration.raw.size(); i += 10) {
    calibration.raw[i].round_trip += 1ms;
  }
  analyse(calibration, {});
  EXPECT_NEAR(calibration.serialise.seconds.at(0), 1e-6, 1e-12);
  EXPECT_NEAR(calibration.serialise.per_byte_ns, 2.0, 1e-6);
}

TEST(Calibration, WarnsWhenWhatComponentsAddIsNotMeasurable) {
  Calibration calibration;
  for (int i = 0; i < 100; ++i) {
    calibration.raw.push_back({64, 100us + Duration(1us) * (i % 50), 5us});
    calibration.framed.push_back({64, 101us + Duration(1us) * (i % 50), 0us});
  }
  analyse(calibration, {});
  // a quarter of 1 us; the middle half is 24 us wide: 1.25 * 24/1.35 / 10 us for each median, two
  // of them, a quarter, and twice that
  EXPECT_THAT(calibration.warnings, testing::ElementsAre(testing::HasSubstr(
                                        "cannot be distinguished from noise (0.2 ± 1.6 us)")));
}

TEST(Calibration, WritesFilesThatAScenarioReads) {
  Calibration calibration = noiseless();
  analyse(calibration, {});
  calibration.methods.push_back({"/State", "get", 90, 1100, {0.001, 0.002}});
  const std::string folder = testing::TempDir() + "calibration_files";
  ASSERT_TRUE(write_calibration(calibration, folder).has_value());
  const std::string yaml = text_of(std::filesystem::path(folder) / "calibration.yaml");
  EXPECT_THAT(yaml, testing::HasSubstr("stack_send: {file: stack_send.csv, per_byte_ns: 1.0000}"));
  EXPECT_THAT(yaml, testing::HasSubstr(
                        "actors:\n  State:\n    serves:\n      get: {execution: {fixed: 0s, file: "
                        "execution_State_get.csv}}"));
  const std::string options = text_of(std::filesystem::path(folder) / "options.txt");
  EXPECT_THAT(options, testing::HasSubstr("--set actors.State.serves.get.execution.fixed=0s\n"
                                          "--set actors.State.serves.get.execution.file=/"));
  network::VaryingTime time;
  time.file = "execution_State_get.csv";
  InputFiles files(folder + "/scenario.yaml");
  EXPECT_THAT(network::load(time, files), testing::IsEmpty());
  EXPECT_EQ(time.mean(0), 1500us);
}

TEST(Calibration, MeasuresAgainstAnotherProcess) {
  const system::ForkedProcess server =
      std::move(system::ForkedProcess::start([](const auto& say_ready) {
        (void)serve_calibration({"127.0.0.1", 0}, 4, say_ready);
      })).value();
  CalibrationPlan plan;
  plan.ping.sizes = {16, 2000};
  plan.ping.count = 40;
  plan.ping.pause = 0us;
  const Result<Calibration> calibration = measure(server.address(), plan);
  ASSERT_TRUE(calibration.has_value()) << calibration.error().message;
  // 40 of each of two sizes, four servers a round: 20 rounds and one
  EXPECT_EQ(calibration->raw.size(), 84U);
  EXPECT_EQ(calibration->framed.size(), 84U);
  for (const PingSample& sample : calibration->raw) {
    EXPECT_GT(sample.write, 0us);
    EXPECT_GE(sample.round_trip, sample.write);
  }
  EXPECT_THAT(describe(*calibration), testing::HasSubstr("stack_receive"));
}

TEST(Calibration, SaysSoWhenNobodyServes) {
  const Address nobody = [] {
    const system::Descriptor free_for_a_moment =
        std::move(system::bind_socket({"127.0.0.1", 0}, SOCK_STREAM)).value();
    return system::local_address(free_for_a_moment.number());
  }();
  CalibrationPlan plan;
  plan.ping.count = 1;
  EXPECT_FALSE(measure(nobody, plan).has_value());
}

TEST(Calibration, MeasuresWhatMethodsOfRealProcessesTake) {
  LoopConfig server;
  server.name = "State";
  server.serves.resize(1);
  server.serves[0].name = "get";
  server.serves[0].reply_bytes = 500;
  server.serves[0].execution.fixed = 2ms;
  LoopConfig caller;
  caller.name = "Loop";
  caller.period = 10ms;
  caller.calls.resize(1);
  caller.calls[0].name = "get";
  caller.calls[0].to = "State";
  caller.calls[0].request_bytes = 50;
  const auto methods = measure_methods({server, caller}, 10ms, 200ms);
  ASSERT_TRUE(methods.has_value()) << methods.error().message;
  ASSERT_EQ(methods->size(), 1U);
  const MeasuredMethod& get = methods->at(0);
  EXPECT_EQ(get.component, "/State");
  EXPECT_EQ(get.method, "get");
  EXPECT_GE(get.request_bytes, 50);
  EXPECT_GE(get.reply_bytes, 500);
  EXPECT_LT(get.reply_bytes, 600) << "the frame is small";
  EXPECT_EQ(get.execution_s.size(), 20U);
  EXPECT_GE(*std::min_element(get.execution_s.begin(), get.execution_s.end()), 0.002);
}

}  // namespace
}  // namespace longarm::components
