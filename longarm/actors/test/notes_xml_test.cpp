// SPDX-License-Identifier: Apache-2.0
// The XML of NIST's notes of 2018 as they print it: plug-in, contact sensor and infinite friction.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "labs/labs.h"
#include "longarm/cell/run.h"

namespace longarm::actors {
namespace {

// The notes' model names a file of its own; its joints carry that model's name in front.
constexpr const char* kArm = R"(<sdf version="1.6"><model name="fanuc_lrmate200id">
  <link name="base"><inertial><mass>5</mass></inertial></link>
  <joint name="mount" type="fixed"><parent>world</parent><child>base</child></joint>
  <link name="fanuc_robotiq_85_left_finger_tip_link">
    <inertial><pose>0 0 0.5 0 0 0</pose><mass>1</mass></inertial>
    <sensor name="left_finger_contact" type="contact">
                <contact>
                    <collision>fanuc_robotiq_85_left_finger_tip_link_collision</collision>
                </contact>
       </sensor>
    <collision name="fanuc_robotiq_85_left_finger_tip_link_collision">
      <pose>0 0 0.5 0 0 0</pose>
      <geometry><box><size>0.1 0.1 0.1</size></box></geometry>
                <surface>
                    <contact>
                        <ode>
                            <kp>100000</kp>
                            <kd>1</kd>
                            <max_vel>0.1</max_vel>
                            <min_depth>0.0001</min_depth>
                        </ode>
                    </contact>
                    <friction>
                        <ode>
                            <mu>Inf</mu>
                            <mu2>Inf</mu2>
                        </ode>
                    </friction>
                </surface>
    </collision>
  </link>
  <joint name="robotiq_85_left_finger_tip_joint" type="prismatic"><parent>base</parent>
    <child>fanuc_robotiq_85_left_finger_tip_link</child><axis><xyz>1 0 0</xyz></axis></joint>
</model></sdf>)";

// A block with infinite friction, too, lies on the finger.
std::string world(const std::string& more) {
  return R"(<sdf version="1.6"><world name="lab">
        <model name="lrmate">
            <include>
                <static>false</static>
                <uri>model://fanuc_lrmate200id</uri>
                <pose>-0.169 -1.140 0.934191 0 0 0</pose>
            </include>
            <plugin filename="libgzjointcmdplugin.so" name="fanuc_jnts">
                <topic>~/fanuc/joints</topic>)" +
         more + R"(
            </plugin>
        </model>
        <model name="block"><pose>-0.169 -1.14 1.505 0 0 0</pose><link name="block">
          <inertial><mass>0.1</mass>
            <inertia><ixx>3e-5</ixx><iyy>3e-5</iyy><izz>3e-5</izz></inertia></inertial>
          <collision name="body"><geometry><box><size>0.04 0.04 0.04</size></box></geometry>
            <surface><friction><ode><mu>inf</mu></ode></friction></surface></collision>
        </link></model>
</world></sdf>)";
}

const std::string kFinger = "<finger_joint> robotiq_85_left_finger_tip_joint </finger_joint>";

class NotesXml : public testing::Test {
 protected:
  NotesXml() {
    std::filesystem::create_directories(folder_ + "/fanuc_lrmate200id");
    std::ofstream(folder_ + "/fanuc_lrmate200id/model.sdf") << kArm;
  }

  cell::PreparedScenario prepare(const std::string& plugin, const std::string& sensor,
                                 const std::string& engine = "ode") {
    std::ofstream(folder_ + "/lab.sdf") << world(plugin);
    const std::string keys = "world: lab.sdf\nlength: 1s\nengine: " + engine +
                             "\nactors:\n  lrmate: {kind: joint-topic}\n  touch: {kind: "
                             "contact-sensor, sensor: " +
                             sensor + "}\n";
    return cell::load_scenario_text(keys, folder_ + "/cell.yaml", {}, labs::built_in_plugins());
  }
  std::string refusal(const std::string& plugin, const std::string& sensor) {
    try {
      prepare(plugin, sensor);
    } catch (const InputError& error) {
      return error.diagnostics().front().message;
    }
    return "";
  }

  std::string folder_ = testing::TempDir() + "longarm_notes_xml";
};

TEST_F(NotesXml, RunsAsPrinted) {
  for (const std::string engine : {"ode", "mujoco"}) {
    cell::Run run(
        prepare(kFinger + "<Force_update>true</Force_update>", "left_finger_contact", engine));
    run.run_until(run.end());
    const auto results = run.results();
    EXPECT_EQ(results["ended"], "completed") << engine;
    EXPECT_EQ(results["lrmate"]["topic"], "~/fanuc/joints");
    // the block falls by 1 mm, then lies there
    EXPECT_GT(results["touch"]["touched_s"].get<double>(), 0.9) << engine;
  }
}

TEST_F(NotesXml, SaysWhatIsWrongWithThePlugInAndTheSensor) {
  EXPECT_EQ(refusal("<finger_joint>thumb</finger_joint>", "left_finger_contact"),
            "model 'lrmate' has no joint 'thumb'");
  EXPECT_NE(refusal("<Force_update>perhaps</Force_update>", "left_finger_contact")
                .find("plugin 'fanuc_jnts': <Force_update> is true or false, once"),
            std::string::npos);
  EXPECT_EQ(refusal(kFinger, "right_finger_contact"),
            "the world has no <sensor type=\"contact\"> 'right_finger_contact' with collisions");
}

}  // namespace
}  // namespace longarm::actors
