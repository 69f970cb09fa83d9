// SPDX-License-Identifier: Apache-2.0
// What users are told about scenarios whose model file is impossible, or whose servo is too stiff
// for it.
#include <gtest/gtest.h>

#include "longarm/actors/test/arm_fixture.h"

namespace longarm::actors {
namespace {

/// Drum on a base: 1 kg·m² about the joint, as in the ready model, but in seven lines.
const std::string kDrum =
    "<robot name='arm'>\n"
    "<link name='base'/>\n"
    "<link name='drum'><inertial>\n"
    "<mass value='8'/><inertia ixx='0.56' ixy='0' ixz='0' iyy='0.56' iyz='0' izz='1'/>\n"
    "</inertial></link>\n"
    "<joint name='turn' type='continuous'><parent link='base'/><child link='drum'/>\n"
    "<axis xyz='0 0 1'/><limit effort='100' velocity='10'/></joint>\n"
    "</robot>\n";

std::string with(std::string text, const std::string& old_words, const std::string& new_words) {
  const std::size_t at = text.find(old_words);
  EXPECT_NE(at, std::string::npos) << old_words;
  return text.replace(at, old_words.size(), new_words);
}

/// Both files in one folder, whose name is left out of the complaint.
class BrokenModels : public testing::Test {
 protected:
  std::string complaint(const std::string& urdf, const std::string& more_yaml = {},
                        const LoadOptions& options = {}) {
    folder_.write("arm.urdf", urdf);
    const std::string yaml =
        "robot: {model: arm.urdf, end_effector: drum}\n"
        "task: {path: step, joints_rad: [[0.1]], hold: 10ms}\n"
        "gain: 1\n" +
        more_yaml;
    try {
      prepared_ = load_scenario_text(yaml, folder_.file("cell.yaml"), options, built_in_plugins());
    } catch (const InputError& problem) {
      return without_folder(problem.what());
    }
    return {};
  }

  std::string without_folder(std::string text) const {
    const std::string folder = folder_.file("");
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
      text.erase(at, folder.size());
    }
    return text;
  }

  TempFolder folder_;
  PreparedScenario prepared_;
};

TEST_F(BrokenModels, AreNotThisDrum) {
  EXPECT_EQ(complaint(kDrum), "");
}

TEST_F(BrokenModels, WithNegativeMass) {
  EXPECT_EQ(
      complaint(with(kDrum, "value='8'", "value='-8'")),
      "arm.urdf:4:1: error: link 'drum': <mass> attribute 'value' must be greater than 0, is -8\n"
      "  hint: remove <inertial> if the link has no mass");
}

TEST_F(BrokenModels, WithMomentsThatNoSolidHas) {
  // 0.1 + 0.56 < 1
  EXPECT_EQ(complaint(with(kDrum, "ixx='0.56'", "ixx='0.1'")),
            "arm.urdf:3:1: error: body 'drum' has impossible principal moments: 0.1 + 0.56 is less "
            "than 1 kg·m²\n"
            "  hint: the sum of the two smaller ones must be at least the largest; robot.inertia: "
            "estimate computes one from its shapes; --allow inertia-triangle ignores it where the "
            "engine can");
}

TEST_F(BrokenModels, WithAnInertiaThatIsNotPositiveDefinite) {
  // eigenvalues of [[0.56, 0.6], [0.6, 0.56]] are 0.56 ± 0.6
  EXPECT_EQ(complaint(with(kDrum, "ixy='0'", "ixy='0.6'")),
            "arm.urdf:3:1: error: body 'drum' has an inertia that is not positive definite: its "
            "principal moments are -0.04, 1 and 1.16 kg·m²\n"
            "  hint: all three must be greater than 0; check the signs of ixy, ixz and iyz; "
            "robot.inertia: estimate computes one from its shapes; --allow inertia-definite "
            "ignores it where the engine can");
}

TEST_F(BrokenModels, WithJointsInACircle) {
  const std::string back =
      "<joint name='back' type='fixed'><parent link='drum'/><child link='base'/></joint>\n</robot>";
  EXPECT_EQ(complaint(with(kDrum, "</robot>", back)),
            "arm.urdf:8:1: error: joints form a cycle: base -> drum -> base\n"
            "  hint: joint 'back' closes it; remove it or change its child");
}

TEST_F(BrokenModels, WithNothingThatMoves) {
  EXPECT_EQ(complaint(with(kDrum, "continuous", "fixed")),
            "cell.yaml:1:16: error: the robot has no joint that moves\n"
            "  hint: all of its joints are fixed: make one revolute or prismatic");
}

TEST_F(BrokenModels, WithLimitsThatExcludeEachOther) {
  // not that the waypoint is beyond limits between which nothing lies
  const std::string limited =
      with(with(kDrum, "continuous", "revolute"), "<limit ", "<limit lower='1' upper='-1' ");
  EXPECT_EQ(complaint(limited),
            "arm.urdf:6:1: error: joint 'turn' has its lower limit 1 above its upper limit -1\n"
            "  hint: swap them; --allow limits ignores it where the engine can");
}

TEST_F(BrokenModels, ThatAreXacro) {
  const std::string complaint_of_xacro =
      complaint(with(kDrum, "</robot>", "<xacro:arm prefix=''/></robot>"));
  EXPECT_EQ(complaint_of_xacro,
            "arm.urdf:8:1: error: there is no macro 'arm'\n"
            "  hint: include the file that defines it before it is used");
}

TEST_F(BrokenModels, ThatAreNotXml) {
  EXPECT_EQ(complaint(with(kDrum, "</robot>", "</root>")),
            "arm.urdf:8:3: error: the XML is not well formed: start-end tags mismatch\n"
            "  hint: every <tag> needs its </tag>, every attribute its quotes");
}

// --- servo ---------------------------------------------------------------------------------------

TEST_F(BrokenModels, WithAServoTooStiffForItsStep) {
  // kv·h/J = 3000 · 0.001 / 1 = 3; J must be above kv·h/2 = 1.5, or kv below 2·J/h = 2000
  const std::string stiff = "servo: {model: pid, p: 3000}\n";
  EXPECT_EQ(complaint(kDrum, stiff),
            "arm.urdf:6:1: error: joint 'turn': the servo cannot be stable: kv·h/J = 3 must be "
            "below 2 (kv = 3000 N·m·s/rad, h = 0.001 s, J = 1 kg·m²)\n"
            "  hint: use a gain below 2000 N·m·s/rad, or add more than 0.5 kg·m² of rotor inertia; "
            "--allow servo-step ignores it where the engine can");
  EXPECT_EQ(complaint(kDrum, stiff, {{"servo.rotor_inertia_kg_m2=0.51"}, {}}), "");
  EXPECT_EQ(complaint(kDrum, stiff, {{"servo.p=1999"}, {}}), "");
}

TEST_F(BrokenModels, RunWhenAllowed) {
  ASSERT_EQ(complaint(kDrum, "servo: {model: pid, p: 3000}\n", {{"task.hold=1s"}, {"servo-step"}}),
            "");
  // allowed is not forgotten: it warns, and the servo does what the finding said
  ASSERT_EQ(prepared_.warnings.size(), 1U);
  EXPECT_EQ(prepared_.warnings[0].severity, Severity::kWarning);
  EXPECT_EQ(run_to_end(prepared_)["stable"], false);
}

TEST_F(BrokenModels, OfImpossibleMomentsRunWhenAllowed) {
  const std::string thin = with(kDrum, "ixx='0.56'", "ixx='0.1'");
  for (const std::string engine : {"mujoco", "ode"}) {
    ASSERT_EQ(complaint(thin, "engine: " + engine + "\n", {{}, {"inertia-triangle"}}), "");
    EXPECT_EQ(prepared_.warnings.size(), 1U);
    EXPECT_EQ(run_to_end(prepared_)["ended"], "completed") << engine;
  }
}

TEST_F(BrokenModels, OfNoMassMoveWithoutDynamicsOrWithAnEstimate) {
  const std::string empty = with(kDrum,
                                 "<inertial>\n"
                                 "<mass value='8'/><inertia ixx='0.56' ixy='0' ixz='0' iyy='0.56' "
                                 "iyz='0' izz='1'/>\n"
                                 "</inertial>",
                                 "");
  EXPECT_EQ(complaint(empty),
            "arm.urdf:3:1: error: body 'drum' moves but has no mass\n"
            "  hint: give it an <inertial>, or make joint 'turn' fixed; robot.inertia: estimate "
            "computes one from its shapes; --allow mass ignores it where the engine can");
  ASSERT_EQ(complaint(empty, "", {{}, {"mass"}}), "");
  ASSERT_EQ(prepared_.warnings.size(), 1U);
  EXPECT_EQ(prepared_.warnings[0].message,
            "masses or inertias of 1 body are ESTIMATED from shapes: 'drum' (0.1 kg)");
  ASSERT_EQ(complaint(empty, "engine: kinematic\n"), "");
  EXPECT_TRUE(prepared_.warnings.empty());
  EXPECT_EQ(run_to_end(prepared_)["ended"], "completed");
}

TEST_F(BrokenModels, OfAnIndefiniteInertiaRunOnAnEstimateWhenAllowed) {
  const std::string urdf = with(kDrum, "ixy='0'", "ixy='0.6'");
  for (const std::string engine : {"mujoco", "ode"}) {
    ASSERT_EQ(complaint(urdf, "engine: " + engine + "\n", {{}, {"inertia-definite"}}), "");
    ASSERT_EQ(prepared_.warnings.size(), 1U);
    EXPECT_EQ(prepared_.warnings[0].message,
              "masses or inertias of 1 body are ESTIMATED from shapes: 'drum' (8 kg, given)");
    EXPECT_EQ(run_to_end(prepared_)["ended"], "completed") << engine;
  }
}

TEST_F(BrokenModels, OfImpossibleMomentsMoveWithoutDynamics) {
  ASSERT_EQ(complaint(with(kDrum, "ixy='0'", "ixy='0.6'"), "engine: kinematic\n"), "");
  EXPECT_TRUE(prepared_.warnings.empty());
  EXPECT_EQ(run_to_end(prepared_)["ended"], "completed");
}

TEST_F(BrokenModels, InSdfWithoutInertialRunWithItsDefaultAndSaySo) {
  const std::string sdf =
      "<sdf version='1.9'><model name='arm'>\n"
      "<link name='base'><inertial><mass>1</mass></inertial></link>\n"
      "<link name='drum'/>\n"
      "<joint name='turn' type='continuous'><parent>base</parent><child>drum</child>\n"
      "<axis><xyz>0 0 1</xyz></axis></joint>\n"
      "</model></sdf>\n";
  ASSERT_EQ(complaint(sdf), "");
  ASSERT_EQ(prepared_.warnings.size(), 1U);
  EXPECT_EQ(without_folder(prepared_.warnings[0].format()),
            "arm.urdf:3:1: warning: link 'drum' has no <inertial>; SDF's default of 1 kg and 1 "
            "kg·m² is used\n"
            "  hint: give it one, or make it a <frame> if it has no mass");
}

TEST_F(BrokenModels, WithAMissingMeshSayWhereTheyLooked) {
  const std::string urdf =
      with(kDrum, "</inertial>",
           "</inertial><collision><geometry><mesh filename='drum.stl'/></geometry></collision>");
  EXPECT_EQ(complaint(urdf),
            "arm.urdf:5:33: error: link 'drum': there is no mesh 'drum.stl'; looked for drum.stl\n"
            "  hint: a plain path is relative to the model file");
}

}  // namespace
}  // namespace longarm::actors
