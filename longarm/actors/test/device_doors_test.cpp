// SPDX-License-Identifier: Apache-2.0
// What cameras, curtains and contact sensors say to programs outside, and across the network.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "longarm/actors/device_lines.h"
#include "longarm/actors/outlet.h"
#include "longarm/actors/relay_door.h"
#include "longarm/actors/test/cell_fixture.h"
#include "longarm/protocols/lines_door.h"

namespace longarm::actors {
namespace {

using Line = nlohmann::json;
using protocols::ConnectionId;

constexpr ConnectionId kOutside{1};

class DeviceDoors : public AprsCells {
 protected:
  /// All whole lines that a client has not heard yet.
  static std::vector<Line> lines_of(protocols::Door& door) {
    std::vector<Line> lines;
    std::istringstream text(door.take_cyclic(kOutside));
    for (std::string line; std::getline(text, line);) {
      lines.push_back(Line::parse(line));
    }
    return lines;
  }
  static const Line* find(const Line& things, const std::string& name) {
    for (const Line& thing : things) {
      if (thing["name"] == name) {
        return &thing;
      }
    }
    return nullptr;
  }
};

TEST_F(DeviceDoors, TellWhereACameraSeesPartsAndTraysWithTheirSlots) {
  const auto run = make({}, {"actors.camera_2.port=0"});
  protocols::Door* door = find_door(*run, "camera_2.frames");
  ASSERT_NE(door, nullptr);
  EXPECT_EQ(door->port(), 0);
  door->open(kOutside, Time{});
  run_until(*run, 250ms);
  const std::vector<Line> lines = lines_of(*door);
  ASSERT_EQ(lines.size(), 3u) << "at 0, 100 and 200 ms";
  const Line& last = lines.back();
  EXPECT_EQ(last["device"], "camera_2");
  EXPECT_EQ(last["kind"], "camera");
  EXPECT_EQ(last["stamp_s"], 0.2);
  EXPECT_EQ(last["number"], 2);
  const Line* gear = find(last["parts"], "medium_gear_1");
  ASSERT_NE(gear, nullptr) << last;
  EXPECT_EQ((*gear)["model"], "sku_part_medium_gear");
  EXPECT_NEAR((*gear)["position_m"][0].get<double>(), place_of(*run, "medium_gear_1").x(), 1e-4);
  // bolted to the table, and not among what is loose
  const Line* tray = find(last["trays"], "m2l1_kit_1");
  ASSERT_NE(tray, nullptr) << last;
  EXPECT_EQ((*tray)["model"], "sku_kit_m2l1_vessel");
  EXPECT_EQ((*tray)["slots"].size(), 3u);
  const Line* slot = find((*tray)["slots"], "slot_3_large");
  ASSERT_NE(slot, nullptr) << *tray;
  const model::Pose X_WT = run->world().engine().pose(body_of(*run, "m2l1_kit_1"));
  const model::Vector3 p_WS = X_WT * model::Vector3(0.0, -0.04, 0.004);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR((*slot)["position_m"][static_cast<std::size_t>(i)].get<double>(), p_WS[i], 1e-6);
  }
  std::size_t bolted = 0;
  for (const Line& each : last["trays"]) {
    bolted += each["is_bolted"].get<bool>() ? 1 : 0;
  }
  EXPECT_GT(bolted, 0u) << last["trays"];
}

TEST_F(DeviceDoors, SeeWhatIsWatchedWhereThatIsSaid) {
  const auto run =
      make({}, {"actors.camera_2.port=0", "actors.camera_2.watch=[medium_gear_1, m2l1_kit_1]"});
  protocols::Door* door = find_door(*run, "camera_2.frames");
  door->open(kOutside, Time{});
  run_until(*run, 50ms);
  const std::vector<Line> lines = lines_of(*door);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["parts"].size(), 1u);
  EXPECT_EQ(lines[0]["trays"].size(), 1u);
}

TEST_F(DeviceDoors, ChangeNothingInTheWorld) {
  const auto plain = make({});
  const auto open = make({}, {"actors.camera_1.port=0", "actors.curtain.port=0",
                              "actors.camera_1.topic=/camera_1/frames"});
  run_until(*plain, 300ms);
  run_until(*open, 300ms);
  EXPECT_EQ(open->world_hash(), plain->world_hash());
  EXPECT_EQ(open->world().doors().size(), plain->world().doors().size() + 3);
}

TEST_F(DeviceDoors, ComeBehindTheLinkOfADeviceWithoutAHost) {
  const auto run =
      make({}, {"actors.camera_1.port=0", "actors.camera_1.link={model: delay, delay: 30ms}"});
  protocols::Door* door = find_door(*run, "camera_1.frames");
  door->open(kOutside, Time{});
  run_until(*run, 29ms);
  EXPECT_TRUE(lines_of(*door).empty());
  run_until(*run, 32ms);
  EXPECT_EQ(lines_of(*door).size(), 1u);
}

TEST_F(DeviceDoors, TellWhenACurtainIsBroken) {
  const auto run = make({"2s curtain broken for 2s"}, {"actors.curtain.port=0"});
  protocols::Door* door = find_door(*run, "curtain.reports");
  door->open(kOutside, Time{});
  bool was_broken = false;
  for (Duration at = 100ms; at <= 5s; at += 100ms) {
    run_until(*run, at);
    for (const Line& line : lines_of(*door)) {
      const Result<devices::CurtainReport> report = read_curtain_line(line.dump());
      ASSERT_TRUE(report.has_value()) << report.error().message;
      const bool is_broken = report->is_broken;
      was_broken = was_broken || is_broken;
      EXPECT_EQ(line["broken_beams"].empty(), !is_broken);
      EXPECT_EQ(is_broken, report->stamp >= Time(2s) && report->stamp < Time(4s))
          << line["stamp_s"];
    }
  }
  EXPECT_TRUE(was_broken);
}

TEST_F(DeviceDoors, TellWhatAContactSensorFeels) {
  const auto run = make({}, {"actors.feel={kind: contact-sensor, collisions: [large_vessel_1], "
                             "port: 0, topic: /feel}",
                             "simplify.mode=none"});
  protocols::Door* door = find_door(*run, "feel.touches");
  door->open(kOutside, Time{});
  run_until(*run, 60ms);
  const std::vector<Line> lines = lines_of(*door);
  ASSERT_FALSE(lines.empty()) << "a tray rests on something";
  EXPECT_EQ(lines.back()["kind"], "contact-sensor");
  ASSERT_FALSE(lines.back()["touches"].empty());
  EXPECT_TRUE(lines.back()["touches"][0]["other"].is_string());
  EXPECT_EQ(find_door(*run, "topic./feel")->port(), std::nullopt);
}

// at 100 ms there was one since the beginning, at 200 and 300 ms there was none
TEST_F(DeviceDoors, RepeatTheLastLineWhenNothingIsNew) {
  const auto run = make({});
  Outlet outlet(run->world(), "device", {.port = 0.0}, "words");
  protocols::Door* door = find_door(*run, "device.words");
  door->open(kOutside, Time{});
  outlet.say("once");
  outlet.repeat_every(100ms);
  run_until(*run, 350ms);
  EXPECT_EQ(door->take_cyclic(kOutside), "once\nonce\nonce\n");
}

TEST_F(DeviceDoors, RefusePortsThatAreNone) {
  EXPECT_THAT(told(kAprs, {"actors.camera_1.port=70000"}),
              testing::HasSubstr("70000 is not a TCP port"));
  EXPECT_THAT(told(kAprs, {"actors.curtain.port=1.5"}),
              testing::HasSubstr("1.5 is not a TCP port"));
}

/// Two hosts on one cable of 20 ms.
constexpr const char* kNetwork =
    "network={hosts: {camera_1: {}, executor: {}}, links: {cable: {between: [camera_1, executor], "
    "rate: 1Gbit, propagation: 20ms}}}";

TEST_F(DeviceDoors, AreHeardAcrossTheNetwork) {
  const auto run = make({}, {"actors.executor={kind: client, host: executor}",
                             "actors.camera_1.host=camera_1", "actors.camera_1.port=0", kNetwork});
  cell::NetworkClientLink& link =
      run->world().dial("executor", {"camera_1", ""}, "camera_1.frames");
  std::string heard;
  std::optional<Time> first;
  link.listen([&](std::string_view bytes, Time now) {
    heard += bytes;
    first = first.value_or(now);
  });
  run_until(*run, 350ms);
  ASSERT_TRUE(first.has_value());
  // three trips until the door knows that somebody has come, then the line: four times 20 ms
  EXPECT_GE(*first, Time(80ms));
  EXPECT_LT(*first, Time(90ms));
  EXPECT_GE(std::count(heard.begin(), heard.end(), '\n'), 3);
  EXPECT_TRUE(read_camera_line(heard.substr(0, heard.find('\n'))).has_value()) << heard;
}

TEST_F(DeviceDoors, AreReachedThroughADoorOnAnotherHost) {
  const auto run = make({}, {"actors.executor={kind: client, host: executor}",
                             "actors.camera_1.host=camera_1", "actors.camera_1.port=0", kNetwork});
  cell::World& world = run->world();
  RelayDoor<protocols::BroadcastDoor> relay(
      "executor.camera_1.frames", 0,
      [&]() -> protocols::ClientLink& {
        return world.dial("executor", {"camera_1", ""}, "camera_1.frames");
      },
      [&](protocols::ClientLink& link) { world.hang_up(link); });
  EXPECT_TRUE(relay.is_over(kOutside)) << "nobody has come";
  relay.open(kOutside, Time{});
  std::string heard;
  while (run->now() < Time(400ms)) {
    step(*run);
    EXPECT_EQ(relay.take_output(kOutside), "");
    const std::string piece = relay.take_cyclic(kOutside);
    EXPECT_TRUE(piece.empty() || piece.ends_with('\n')) << "lines are whole";
    heard += piece;
  }
  EXPECT_GE(std::count(heard.begin(), heard.end(), '\n'), 3);
  EXPECT_FALSE(relay.is_over(kOutside));
  const auto& door = dynamic_cast<const protocols::LinesDoor&>(*find_door(*run, "camera_1.frames"));
  EXPECT_EQ(door.clients(), 1u);
  relay.close(kOutside, run->now());
  run_until(*run, 500ms);
  EXPECT_EQ(door.clients(), 0u) << "that it has gone crosses the network, too";
  EXPECT_TRUE(relay.is_over(kOutside));
}

TEST(DeviceLines, GiveBackTheFrameThatWasSent) {
  model::Cell cell;
  const CameraLines lines(cell, "camera");
  devices::CameraFrame frame{Time(1234567891ns), 12, {}};
  devices::Detection detection{"gear", model::Pose::Identity(), 0.95};
  detection.X_WP.translation() = model::Vector3(0.1, -1.0 / 3.0, 1e-9);
  detection.X_WP.linear() =
      Eigen::AngleAxisd(1.0, model::Vector3(1, 2, 3).normalized()).toRotationMatrix();
  frame.detections.push_back(detection);
  const Result<devices::CameraFrame> back = read_camera_line(lines.line(frame));
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(back->stamp, frame.stamp);
  EXPECT_EQ(back->number, 12u);
  ASSERT_EQ(back->detections.size(), 1u);
  EXPECT_EQ(back->detections[0].name, "gear");
  EXPECT_EQ(back->detections[0].X_WP.translation(), detection.X_WP.translation());
  EXPECT_TRUE(back->detections[0].X_WP.linear().isApprox(detection.X_WP.linear(), 1e-12));
  EXPECT_EQ(back->detections[0].confidence, 0.95);
}

TEST(DeviceLines, ThatCannotBeReadAreRefusedInWords) {
  const auto why = [](std::string_view line) {
    const Result<devices::CameraFrame> frame = read_camera_line(line);
    return frame ? std::string("nothing") : frame.error().message;
  };
  EXPECT_EQ(why("nonsense"), "not a JSON object: 'nonsense'");
  EXPECT_EQ(why("[]"), "not a JSON object: '[]'");
  EXPECT_EQ(why("{}"), "stamp_s is missing or not a time");
  EXPECT_EQ(why(R"({"stamp_s":1e300})"), "stamp_s is missing or not a time");
  EXPECT_EQ(why(R"({"stamp_s":1,"number":-1})"), "number is missing or not a frame number");
  EXPECT_EQ(why(R"({"stamp_s":1,"number":1,"parts":[]})"), "trays is missing or not a list");
  EXPECT_EQ(why(R"({"stamp_s":1,"number":1,"parts":[7],"trays":[]})"),
            "a detected object has no name");
  EXPECT_EQ(why(R"({"stamp_s":1,"number":1,"parts":[{"name":"a"}],"trays":[]})"),
            "'a' needs position_m, quaternion_wxyz and confidence");
  EXPECT_EQ(why(R"({"stamp_s":1,"number":1,"parts":[{"name":"a","position_m":[0,0,0],)"
                R"("quaternion_wxyz":[2,0,0,0],"confidence":1}],"trays":[]})"),
            "quaternion_wxyz of 'a' is not a unit quaternion");
  EXPECT_EQ(read_curtain_line(R"({"stamp_s":1,"is_broken":1})").error().message,
            "is_broken is missing or not a boolean");
}

}  // namespace
}  // namespace longarm::actors
