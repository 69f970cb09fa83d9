// SPDX-License-Identifier: Apache-2.0
// Calibration: the split of round trips by closed form, the files, and a small measurement for
// real.
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/components/calibrate/calibration.h"
#include "longarm/components/calibrate/forked_process.h"
#include "longarm/core/input_files.h"
#include "longarm/network/varying_time.h"

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
  // round trips of 40 and 60 us, equally often, writes of nothing: SD of a round trip 10 us. Two
  // independent ways drawn from ours: each SD must be 10/sqrt(2) us, about 25 us.
  Calibration calibration;
  for (int i = 0; i < 100; ++i) {
    calibration.raw.push_back({64, i % 2 == 0 ? 40us : 60us, 0us});
  }
  analyse(calibration, {});
  double sum = 0.0;
  double squares = 0.0;
  for (const double each : calibration.stack_receive.seconds) {
    sum += each / 100.0;
    squares += each * each / 100.0;
  }
  EXPECT_NEAR(sum, 25e-6, 1e-12);
  EXPECT_NEAR(squares - sum * sum, 50e-12, 1e-15);
}

TEST(Calibration, WritesFilesThatAScenarioReads) {
  Calibration calibration = noiseless();
  analyse(calibration, {});
  calibration.methods.push_back({"/State", "get", 90, 1100, {0.001, 0.002}});
  const std::string folder = testing::TempDir() + "calibration_files";
  ASSERT_TRUE(write_calibration(calibration, folder).has_value());
  const std::string yaml = text_of(std::filesystem::path(folder) / "calibration.yaml");
  EXPECT_THAT(yaml, testing::HasSubstr("stack_send: {file: stack_send.csv, per_byte_ns: 1.0000}"));
  EXPECT_THAT(yaml,
              testing::HasSubstr("  State:\n    serves:\n      get: {execution: {fixed: 0s, file: "
                                 "execution_State_get.csv}}"));
  network::VaryingTime time;
  time.file = "execution_State_get.csv";
  InputFiles files(folder + "/scenario.yaml");
  EXPECT_THAT(network::load(time, files), testing::IsEmpty());
  EXPECT_EQ(time.mean(0), 1500us);
}

TEST(Calibration, MeasuresAgainstAnotherProcess) {
  const ForkedProcess server = std::move(ForkedProcess::start([](const auto& say_ready) {
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
    const Descriptor free_for_a_moment =
        std::move(bind_socket({"127.0.0.1", 0}, SOCK_STREAM)).value();
    return local_address(free_for_a_moment.number());
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
