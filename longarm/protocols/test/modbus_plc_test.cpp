// SPDX-License-Identifier: Apache-2.0
// The belt's controller: the lab's registers, its scan, and clients that do not behave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/protocols/modbus/client.h"
#include "longarm/protocols/modbus/plc_door.h"

namespace longarm::protocols::modbus {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr ConnectionId kFirst{1};
constexpr ConnectionId kSecond{2};

/// A belt that does at once as it is told, so that expected numbers are exact.
struct PlainBelt {
  double velocity_m_s = 0.0;
  double encoder_m = 0.0;
  bool is_jammed = false;
  bool is_stopped = false;
  int commands = 0;

  BeltPort port() {
    return {.command =
                [this](double velocity) {
                  velocity_m_s = velocity;
                  ++commands;
                },
            .velocity_m_s = [this] { return velocity_m_s; },
            .encoder_m = [this] { return encoder_m; },
            .is_jammed = [this] { return is_jammed; },
            .is_stopped = [this] { return is_stopped; },
            .is_safety_stopped = [] { return false; }};
  }
};

class Plc : public testing::Test {
 protected:
  explicit Plc(const PlcConfig& config = {}) : door_("plc", config, belt_.port()) {
    door_.open(kFirst, Time{});
  }

  Answer ask(const Client::Sent& sent, ConnectionId client = kFirst) {
    door_.receive(client, sent.bytes, now_);
    const auto heard = client_.hear(door_.take_output(client));
    EXPECT_EQ(heard.size(), 1U);
    return heard.empty() ? Answer{Exception::kDeviceFailure, {}} : heard[0].answer;
  }
  Answer write(std::uint16_t address, std::uint16_t value) {
    return ask(client_.write_register(address, value));
  }
  void step(int count = 1) {
    for (int i = 0; i < count; ++i) {
      door_.before_step(now_);
      belt_.encoder_m += belt_.velocity_m_s * 0.001;
      now_ += 1ms;
    }
  }

  PlainBelt belt_;
  PlcDoor door_;
  Client client_;
  Time now_{};
};

// 0x4000 of 0x8000 is half of 0.2 m/s
TEST_F(Plc, DrivesTheBeltFromTheLabsRegisters) {
  write(0x8001, 0);
  write(0x8002, 0x4000);
  write(0x8000, 1);
  step();
  EXPECT_DOUBLE_EQ(belt_.velocity_m_s, 0.1);
  write(0x8001, 1);
  step(10);
  EXPECT_DOUBLE_EQ(belt_.velocity_m_s, -0.1);
  write(0x8000, 0);
  step(10);
  EXPECT_DOUBLE_EQ(belt_.velocity_m_s, 0.0);
}

TEST_F(Plc, TakesAddressesWithAndWithoutTheOffset) {
  write(2, 0x8000);
  EXPECT_THAT(ask(client_.read_holding_registers(0x8000, 3)).values, ElementsAre(0, 0, 0x8000));
  write(0x8000, 1);
  EXPECT_THAT(ask(client_.read_holding_registers(0, 3)).values, ElementsAre(1, 0, 0x8000));
  step();
  EXPECT_DOUBLE_EQ(belt_.velocity_m_s, 0.2);  // 0x8000 is full speed, no negative number
}

// scans at 0, 10, 20 ms: what is written at 1 ms acts at 10 ms
TEST_F(Plc, ActsAtTheNextScanOnly) {
  step();
  write(0x8002, 0x8000);
  write(0x8000, 1);
  EXPECT_EQ(belt_.commands, 0);
  step(9);  // those at 1 … 9 ms
  EXPECT_EQ(belt_.commands, 0);
  step();
  EXPECT_EQ(belt_.commands, 1);
  EXPECT_DOUBLE_EQ(belt_.velocity_m_s, 0.2);
}

// 0.2 m/s: 2000 tenths of mm/s. Commanded at the scan at 0, by that at 20 ms the surface has gone
// 20 steps of 0.2 mm = 4 mm = 400 hundredths.
TEST_F(Plc, LatchesWhatTheBeltDoes) {
  write(0x8002, 0x8000);
  write(0x8000, 1);
  step(21);
  const auto heard = ask(client_.read_input_registers(0, kInputCount)).values;
  ASSERT_EQ(heard.size(), kInputCount);
  EXPECT_EQ(heard[kMeasuredSpeed], 2000);
  EXPECT_EQ(joined(heard[kEncoderHigh], heard[kEncoderLow]), 400);
  EXPECT_EQ(heard[kFlags], 1 << kIsRunning);
  EXPECT_EQ(heard[kCommandedSpeed], 2000);
  EXPECT_EQ(heard[kWritesLow], 2);
  EXPECT_EQ(heard[kScansLow], 3);  // at 0, 10 and 20 ms
  // the same until the next scan
  belt_.is_jammed = true;
  step(9);
  EXPECT_EQ(ask(client_.read_input_registers(kFlags, 1)).values[0], 1 << kIsRunning);
  step();
  EXPECT_EQ(ask(client_.read_input_registers(kFlags, 1)).values[0],
            (1 << kIsRunning) | (1 << kIsJammed));
}

TEST_F(Plc, CountsBackwardsInTwosComplement) {
  write(0x8002, 0x8000);
  write(0x8001, 1);
  write(0x8000, 1);
  step(11);
  const auto heard = ask(client_.read_input_registers(0, 3)).values;
  EXPECT_EQ(static_cast<std::int16_t>(heard[kMeasuredSpeed]), -2000);
  EXPECT_EQ(joined(heard[kEncoderHigh], heard[kEncoderLow]), -200);  // 10 steps of 0.2 mm
}

TEST_F(Plc, RefusesWhatARegisterCannotHold) {
  EXPECT_EQ(write(0x8000, 2).exception, Exception::kIllegalValue);
  EXPECT_EQ(write(0x8001, 2).exception, Exception::kIllegalValue);
  EXPECT_EQ(write(0x8002, 0x8001).exception, Exception::kIllegalValue);
  EXPECT_EQ(write(0x8003, 0).exception, Exception::kIllegalAddress);
  EXPECT_EQ(write(3, 0).exception, Exception::kIllegalAddress);
  EXPECT_EQ(write(0x7FFF, 0).exception, Exception::kIllegalAddress);
  EXPECT_EQ(ask(client_.read_holding_registers(0xFFFF, 125)).exception, Exception::kIllegalAddress);
  EXPECT_EQ(ask(client_.read_input_registers(0, kInputCount + 1)).exception,
            Exception::kIllegalAddress);
  EXPECT_EQ(door_.counters().writes, 0U);
  EXPECT_EQ(door_.counters().exceptions, 8U);
}

TEST_F(Plc, WritesSeveralRegistersOrNone) {
  const std::uint16_t good[] = {1, 1, 0x2000};
  ask(client_.write_registers(0x8000, good));
  const std::uint16_t bad[] = {0, 2, 0};
  EXPECT_EQ(ask(client_.write_registers(0x8000, bad)).exception, Exception::kIllegalValue);
  EXPECT_THAT(ask(client_.read_holding_registers(0x8000, 3)).values, ElementsAre(1, 1, 0x2000));
  step();
  EXPECT_DOUBLE_EQ(belt_.velocity_m_s, -0.05);
  EXPECT_EQ(door_.log().size(), 3U);
}

TEST_F(Plc, HasCoilsForItsSwitches) {
  write(0x8002, 0x8000);
  ask(client_.ask({.function = Function::kWriteCoils, .address = 0, .count = 2, .values = {1, 1}}));
  step();
  EXPECT_DOUBLE_EQ(belt_.velocity_m_s, -0.2);
  ask(client_.ask({.function = Function::kWriteCoil, .address = 1, .count = 1, .values = {0}}));
  EXPECT_THAT(ask(client_.ask({.function = Function::kReadCoils, .count = 2, .values = {}})).values,
              ElementsAre(1, 0));
  // the speed is no coil
  EXPECT_EQ(
      ask(client_.ask({.function = Function::kReadCoils, .count = 3, .values = {}})).exception,
      Exception::kIllegalAddress);
  step(10);
  EXPECT_THAT(
      ask(client_.ask({.function = Function::kReadDiscreteInputs, .count = 4, .values = {}}))
          .values,
      ElementsAre(1, 0, 0, 0));
}

// (0x1234 and 0xFF00) or (0x0056 and not 0xFF00) = 0x1256
TEST_F(Plc, MasksAndExchangesRegisters) {
  write(0x8002, 0x1234);
  ask(client_.ask({.function = Function::kMaskWriteRegister,
                   .address = 0x8002,
                   .count = 1,
                   .values = {},
                   .and_mask = 0xFF00,
                   .or_mask = 0x0056}));
  EXPECT_THAT(ask(client_.read_holding_registers(2, 1)).values, ElementsAre(0x1256));
  const Answer answer = ask(client_.ask({.function = Function::kReadWriteRegisters,
                                         .address = 0x8002,
                                         .count = 1,
                                         .write_address = 2,
                                         .values = {7}}));
  EXPECT_THAT(answer.values, ElementsAre(7));  // written before it is read
}

TEST_F(Plc, EchoesUnitAndTransaction) {
  Client other(247);
  const Client::Sent sent = other.write_register(0x8000, 1);
  door_.receive(kFirst, sent.bytes, now_);
  EXPECT_EQ(door_.take_output(kFirst), sent.bytes);  // a written register is echoed whole
  EXPECT_EQ(door_.take_output(kFirst), "");
}

TEST_F(Plc, ServesManyClientsTheSameRegisters) {
  door_.open(kSecond, now_);
  write(0x8002, 77);
  EXPECT_THAT(ask(client_.read_holding_registers(2, 1), kSecond).values, ElementsAre(77));
  door_.close(kFirst, now_);
  EXPECT_THAT(ask(client_.read_holding_registers(2, 1), kSecond).values, ElementsAre(77));
  EXPECT_EQ(door_.clients(), 1U);
  EXPECT_EQ(door_.log().at(0).client, kFirst);
}

TEST_F(Plc, EndsATalkThatIsNoModbus) {
  door_.receive(kFirst, "GET / HTTP/1.1\r\n\r\n", now_);
  EXPECT_TRUE(door_.is_over(kFirst));
  EXPECT_EQ(door_.take_output(kFirst), "");
  EXPECT_EQ(door_.counters().lost, 1U);
}

// each answer has 12 bytes; nobody fetches them
TEST_F(Plc, SendsAwayWhoAsksAndNeverListens) {
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    many += client_.write_register(0x8002, 1).bytes;
  }
  for (int i = 0; i < 100 && !door_.is_over(kFirst); ++i) {
    door_.receive(kFirst, many, now_);
  }
  EXPECT_TRUE(door_.is_over(kFirst));
  EXPECT_LT(door_.take_output(kFirst).size(), 300U * 1024);
}

class SignedPlc : public Plc {
 protected:
  SignedPlc()
      : Plc({.full_speed_m_s = 0.5,
             .is_reversed = true,
             .has_signed_speed = true,
             .scan_period = 0ms,
             .log_capacity = 2}) {}
};

// -0x4000 of 0x8000 is half of 0.5 m/s backwards; direction 0 is against the axis: forwards again
TEST_F(SignedPlc, ReversesForNegativeSpeeds) {
  write(0x8000, 1);
  write(0x8002, 0xC000);
  step();
  EXPECT_DOUBLE_EQ(belt_.velocity_m_s, 0.25);
  write(0x8002, 0x8000);
  step();
  EXPECT_DOUBLE_EQ(belt_.velocity_m_s, 0.5);  // -32768, full speed backwards
  EXPECT_EQ(door_.log().size(), 2U);
  EXPECT_EQ(door_.counters().writes, 3U);
}

TEST_F(Plc, LeavesTheBeltAloneUntilSomeoneWrites) {
  belt_.velocity_m_s = 0.07;  // as the scenario says
  step(30);
  EXPECT_DOUBLE_EQ(belt_.velocity_m_s, 0.07);
  write(0x8000, 0);
  step(10);
  EXPECT_DOUBLE_EQ(belt_.velocity_m_s, 0.0);
}

}  // namespace
}  // namespace longarm::protocols::modbus
