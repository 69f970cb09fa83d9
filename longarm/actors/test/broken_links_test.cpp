// SPDX-License-Identifier: Apache-2.0
// What users are told about links, clocks, worlds, plug-ins and plans that make no sense: the whole
// text.
#include <filesystem>

#include <gmock/gmock.h>

#include "longarm/actors/test/arm_fixture.h"
#include "longarm/actors/test/broken_fixture.h"

namespace longarm::actors {
namespace {

/// Three lines that make a good scenario of whatever follows; so that it begins in line 4.
const std::string kHead =
    "robot: {model: one-joint, end_effector: tip}\n"
    "task: {path: step, joints_rad: [[0.1]], hold: 10ms}\n"
    "gain: 10\n";

/// The text users see on stderr, without the folder of the scenario and of `file`.
std::string complaint_in_folder(const std::string& text, const std::string& file_name = {},
                                const std::string& file_content = {}) {
  const TempFolder folder;
  if (!file_name.empty()) {
    folder.write(file_name, file_content);
  }
  try {
    load_scenario_text(text, folder.file("cell.yaml"), {}, built_in_plugins());
  } catch (const InputError& problem) {
    std::string what = problem.what();
    const std::string path = folder.file("");
    const std::string above = std::filesystem::path(path).parent_path().parent_path() / "";
    for (const auto& [words, mark] :
         {std::pair{path, std::string()}, std::pair{above, std::string("ABOVE/")}}) {
      for (std::size_t at = what.find(words); at != std::string::npos; at = what.find(words)) {
        what.replace(at, words.size(), mark);
      }
    }
    return what;
  }
  return {};
}

class BrokenLinks : public testing::TestWithParam<Broken> {};

TEST_P(BrokenLinks, AreExplained) {
  const Broken& input = GetParam();
  EXPECT_EQ(complaint_in_folder(input.text, input.file_name, input.file_content), input.complaint);
}

TEST(BrokenLinks, AreNotTheseLines) {
  EXPECT_EQ(complaint_in_folder(kHead), "");
  EXPECT_EQ(complaint_in_folder(
                kUr5 + "task: {path: joint, joints_rad: [[0, -1.5, 1.5, -1.5, -1.5, 0]]}\n"),
            "");
}

// --- netem ---------------------------------------------------------------------------------------

INSTANTIATE_TEST_SUITE_P(
    Netem, BrokenLinks,
    testing::Values(
        Broken{"Typo", kHead + "link: {netem: dealy 5ms}\n",
               "cell.yaml:4:15: error: 'dealy' is not a netem option\n"
               "  hint: did you mean 'delay'?"},
        Broken{"UnknownUnit", kHead + "link: {netem: delay 5mm}\n",
               "cell.yaml:4:15: error: '5mm' after 'delay' is not a time such as 100ms, 250us or "
               "1.5s\n"
               "  hint: delay TIME [JITTER [CORRELATION]] [distribution "
               "uniform|normal|pareto|paretonormal]"},
        Broken{
            "MoreThanAll", kHead + "link: {netem: loss 120%}\n",
            "cell.yaml:4:15: error: '120%' after 'loss' is not a percentage from 0% to 100%\n"
            "  hint: loss [random] PERCENT [CORRELATION], loss state P13 [P31 [P32 [P23 [P14]]]], "
            "or loss gemodel P [R [1-H [1-K]]]"},
        Broken{"Twice", kHead + "link:\n  states: {netem: delay 1ms delay 2ms}\n",
               "cell.yaml:5:19: error: 'delay' is given twice\n"
               "  hint: keep one of them"},
        Broken{"CutOff", kHead + "link: {netem: delay 5ms rate}\n",
               "cell.yaml:4:15: error: the line ends after 'rate'; a rate such as 1mbit or 100kbit "
               "is missing\n"
               "  hint: rate RATE [PACKETOVERHEAD [CELLSIZE [CELLOVERHEAD]]], for example rate "
               "1mbit"},
        Broken{"ReorderOfNothing", kHead + "link: {netem: reorder 25%}\n",
               "cell.yaml:4:15: error: nothing can be reordered without a delay: packets that are "
               "reordered skip it\n"
               "  hint: reorder PERCENT [CORRELATION] [gap DISTANCE], with a delay"},
        Broken{
            "CongestionMarks", kHead + "link: {netem: loss 1% ecn}\n",
            "cell.yaml:4:15: error: 'ecn' is not supported: packets are dropped instead of marked\n"
            "  hint: remove 'ecn'"},
        Broken{"Distribution", kHead + "link: {netem: delay 5ms 1ms distribution norml}\n",
               "cell.yaml:4:15: error: unknown distribution 'norml'\n"
               "  hint: did you mean 'normal'?"},
        Broken{"LossAsAKey", kHead + "link: {loss: 1%}\n",
               "cell.yaml:4:8: error: unknown key 'link.loss'\n"
               "  hint: link.netem can do this: \"loss 1%\""},
        Broken{"LossBesideADelay", kHead + "link:\n  states: {delay: 5ms, loss: 1%}\n",
               "cell.yaml:5:24: error: unknown key 'link.states.loss'\n"
               "  hint: link.states.netem can do this: \"delay 5ms loss 1%\""},
        Broken{"JitterAsAKey", kHead + "link: {jitter: 2ms}\n",
               "cell.yaml:4:8: error: unknown key 'link.jitter'\n"
               "  hint: link.netem can do this: \"delay 10ms 2ms\""},
        Broken{"AListIsSaidOnce", kHead + "link: {netem: [delay 5ms]}\n",
               "cell.yaml:4:15: error: 'link.netem' must be a text, not a list"},
        Broken{"AnUnknownPresetIsSaidOnce", kHead + "link: {preset: wify}\n",
               "cell.yaml:4:16: error: unknown link.preset 'wify'\n"
               "  hint: did you mean 'wifi'?"},
        Broken{"OfOneDirectionIsCalledSo", kHead + "link: {states: {preset: wify}}\n",
               "cell.yaml:4:25: error: unknown link.states.preset 'wify'\n"
               "  hint: did you mean 'wifi'?"},
        Broken{"Empty", kHead + "link: {model: netem}\n",
               "cell.yaml:4:7: error: the netem line is empty\n"
               "  hint: for example: delay 10ms 2ms loss 0.1%"}),
    name_of);

TEST(BrokenLinks, OfACableAreSaidOnce) {
  const std::string cable =
      kHead + "network:\n  hosts: {edge: {}, robot: {}}\n  links: {wire: {between: [edge, robot], ";
  EXPECT_EQ(complaint_in_folder(cable + "preset: wify}}\n"),
            "cell.yaml:6:50: error: unknown network.links.wire.preset 'wify'\n"
            "  hint: did you mean 'wifi'?");
  EXPECT_EQ(complaint_in_folder(cable + "loss: 1%}}\n"),
            "cell.yaml:6:42: error: unknown key 'network.links.wire.loss'\n"
            "  hint: network.links.wire.netem can do this: \"loss 1%\"");
}

// What tc prints has a colon in it, which YAML would take for a group of keys.
TEST(GoodLinks, MayBePastedFromTc) {
  const std::string shown =
      "qdisc noqueue 0: dev lo root refcnt 2 \n"
      "qdisc netem 8001: dev eth0 root refcnt 2 limit 1000 delay 10ms  2ms loss 0.1%\n"
      " Sent 3414 bytes 29 pkt (dropped 0, overlimits 0 requeues 0) \n"
      "qdisc noqueue 0: dev wlan0 root refcnt 2 \n";
  const auto hash = [](const std::string& netem) {
    return state_hash("one-joint", Changes{"gain=10", "task.hold=100ms", "link.netem=" + netem});
  };
  EXPECT_EQ(hash(shown), hash("delay 10ms 2ms loss 0.1%"));
  EXPECT_EQ(hash("qdisc netem 10: parent 1:1 limit 1000 delay 10ms 2ms loss 0.1%"),
            hash("delay 10ms 2ms loss 0.1%"));
  EXPECT_NE(hash("delay 10ms"), hash("delay 12ms"));
}

// --- profiles and several models -----------------------------------------------------------------

const std::string kPhaseHint =
    "\n  hint: for example: \"60s rate 1mbit delay 50ms loss 1% limit 100\"";

INSTANTIATE_TEST_SUITE_P(
    Profile, BrokenLinks,
    testing::Values(
        Broken{"PhaseWithoutLength", kHead + "link:\n  phases:\n    - rate 1mbit\n",
               "cell.yaml:6:5: error: phase 1: a phase must start with its duration, such as 60s, "
               "not 'rate'" +
                   kPhaseHint},
        Broken{"PhaseTypo", kHead + "link: {phases: [1s dely 5ms]}\n",
               "cell.yaml:4:16: error: phase 1: unknown option 'dely' in a phase; did you mean "
               "'delay'?" +
                   kPhaseHint},
        Broken{"SecondPhase", kHead + "link: {phases: [1s delay 5ms, 1s rate fast]}\n",
               "cell.yaml:4:16: error: phase 2: 'fast' after 'rate' is not a rate such as 1mbit or "
               "100kbit" +
                   kPhaseHint},
        Broken{"AlwaysDown", kHead + "link: {phases: [1s rate 0]}\n",
               "cell.yaml:4:16: error: the rate is 0 in every phase: packets would wait forever\n"
               "  hint: give one phase a rate"},
        Broken{"DownInTheEnd",
               kHead + "link: {phases: [1s rate 1mbit, 1s rate 0], repeat: false}\n",
               "cell.yaml:4:16: error: the last phase continues forever, and its rate is 0\n"
               "  hint: give it a rate, or set repeat: true"},
        Broken{"ProfileAndPhases", kHead + "link: {profile: darpa, phases: [1s delay 5ms]}\n",
               "cell.yaml:4:17: error: 'profile' and 'phases' exclude each other\n"
               "  hint: for example profile: darpa"},
        Broken{"OvertakingOfNothing", kHead + "link: {overtaking: true}\n",
               "cell.yaml:4:8: error: 'overtaking' belongs to the link models preset and profile "
               "and trace\n"
               "  hint: choose one with link.model"},
        Broken{"NetemAndTrace", kHead + "link: {netem: delay 1ms, trace: a.csv}\n",
               "cell.yaml:4:26: error: 'trace' cannot be combined with 'netem': they belong to "
               "link models trace and netem\n"
               "  hint: keep one of them"},
        Broken{"RepeatOfNetem", kHead + "link: {model: netem, netem: delay 1ms, repeat: false}\n",
               "cell.yaml:4:40: error: link model 'netem' ignores 'repeat'\n"
               "  hint: remove it, or use link model profile"}),
    name_of);

// --- traces --------------------------------------------------------------------------------------

const std::string kSeeDocs =
    "\n"
    "  hint: see docs/how-to/links.md for the supported formats";

INSTANTIATE_TEST_SUITE_P(
    Trace, BrokenLinks,
    testing::Values(
        Broken{"Missing", kHead + "link: {trace: delays.csv}\n",
               "cell.yaml:4:15: error: file not found: 'delays.csv'; looked for delays.csv, "
               "./delays.csv"},
        Broken{"Line", kHead + "link: {trace: delays.csv}\n",
               "cell.yaml:4:15: error: delays.csv: line 4: 'fast' is not a delay; write 'lost' or "
               "nothing for a lost packet" +
                   kSeeDocs,
               "delays.csv", "time_s,delay_ms\n0,5\n\n0.1,fast\n"},
        Broken{"BackInTime", kHead + "link: {commands: {trace: delays.csv}}\n",
               "cell.yaml:4:26: error: delays.csv: line 4: this time is before the one above" +
                   kSeeDocs,
               "delays.csv", "time_s,delay_ms\n0,5\n2,5\n1,5\n"},
        Broken{"NoHeader", kHead + "link: {trace: delays.csv}\n",
               "cell.yaml:4:15: error: delays.csv: line 1: a header such as 'time_s,delay_s' or "
               "'timestamp,rtt_ms' is expected, not '0,5'" +
                   kSeeDocs,
               "delays.csv", "0,5\n1,5\n"},
        Broken{"NegativeDelay", kHead + "link: {trace: delays.csv}\n",
               "cell.yaml:4:15: error: delays.csv: line 2: the delay -5 is negative" + kSeeDocs,
               "delays.csv", "time_s,delay_ms\n0,-5\n"},
        Broken{"PingWithoutAnswer", kHead + "link: {trace: ping.txt}\n",
               "cell.yaml:4:15: error: ping.txt: this output of ping has no answer with icmp_seq "
               "and time",
               "ping.txt", "PING 10.0.0.2 (10.0.0.2) 56(84) bytes\nno answer yet for icmp_seq=1\n"},
        Broken{"CaptureAlone", kHead + "link: {trace: sent.pcap}\n",
               "cell.yaml:4:15: error: a capture at the sender needs one at the receiver\n"
               "  hint: name it with trace_received",
               "sent.pcap", "\xd4\xc3\xb2\xa1"},
        Broken{"CaptureCutShort", kHead + "link: {trace: sent.pcap, trace_received: sent.pcap}\n",
               "cell.yaml:4:15: error: sent.pcap: at the sender: the file header needs 24 bytes, "
               "the file ends at byte 4",
               "sent.pcap", "\xd4\xc3\xb2\xa1"},
        Broken{"ReceiverOfACsv", kHead + "link: {trace: delays.csv, trace_received: delays.csv}\n",
               "cell.yaml:4:43: error: 'trace_received' needs a pcap file as 'trace'\n"
               "  hint: remove it, or give both captures",
               "delays.csv", "time_s,delay_s\n0,0\n"}),
    name_of);

// --- what is expected of a link, and clocks ------------------------------------------------------

INSTANTIATE_TEST_SUITE_P(
    Timing, BrokenLinks,
    testing::Values(
        Broken{"Deadline", kHead + "link: {deadline: -1ms}\n",
               "cell.yaml:4:18: error: deadline must not be negative\n"
               "  hint: use 0s or more"},
        Broken{"SurvivalTime", kHead + "link: {commands: {survival_time: -1ms}}\n",
               "cell.yaml:4:34: error: survival_time must not be negative\n"
               "  hint: use 0s or more"},
        Broken{"WatchdogFasterThanControl",
               kHead + "control: {period: 20ms}\nlink: {watchdog: ur}\n",
               "cell.yaml:4:19: error: watchdog 'ur' stops a robot that gets a command every 20ms\n"
               "  hint: use a control.period below its time-out of 20ms"},
        Broken{"WatchdogWithARuleOfItsOwn", kHead + "link: {watchdog: ur, on_silence: zero}\n",
               "cell.yaml:4:34: error: watchdog 'ur' ignores 'on_silence'\n"
               "  hint: remove it, or use watchdog generic"},
        Broken{"Jitter", kHead + "control: {period: 2ms, jitter: 2ms}\n",
               "cell.yaml:4:32: error: control.jitter 2ms must be at least 0s and less than "
               "control.period 2ms\n"
               "  hint: otherwise ticks would be reordered or lost"},
        Broken{"Phase", kHead + "control: {phase: -1ms}\n",
               "cell.yaml:4:18: error: control.phase -1ms must be at least 0s and less than "
               "control.period 1ms\n"
               "  hint: otherwise ticks would be reordered or lost"},
        Broken{"Drift", kHead + "control: {clock_drift_ppm: 200000}\n",
               "cell.yaml:4:28: error: control.clock_drift_ppm must be between -100000 and 100000\n"
               "  hint: real clocks are off by less than 100 parts per million"}),
    name_of);

// --- worlds, meshes, plug-ins --------------------------------------------------------------------

const std::string kMeshArm =
    "<robot name='arm'><link name='base'/>\n"
    "<link name='drum'><inertial><mass value='8'/>\n"
    "<inertia ixx='0.56' ixy='0' ixz='0' iyy='0.56' iyz='0' izz='1'/></inertial>\n"
    "<collision><geometry><mesh filename='package://my_arm/drum.stl'/></geometry></collision>\n"
    "</link>\n"
    "<joint name='turn' type='continuous'><parent link='base'/><child link='drum'/></joint>\n"
    "</robot>\n";

INSTANTIATE_TEST_SUITE_P(
    Files, BrokenLinks,
    testing::Values(
        Broken{"WorldMissing", kHead + "world: hall.sdf\n",
               "cell.yaml:4:8: error: file not found: 'hall.sdf'; looked for hall.sdf, ./hall.sdf\n"
               "  hint: world must be an SDF file beside the scenario, or the name of a built-in "
               "world"},
        Broken{"WorldWithoutAnEnd", kHead + "world: hall.sdf\n",
               "hall.sdf:4:3: error: the XML is not well formed: start-end tags mismatch\n"
               "  hint: every <tag> needs its </tag>, every attribute its quotes",
               "hall.sdf", "<sdf version='1.9'>\n<world name='w'>\n<model name='m'>\n</world>\n"},
        Broken{"WorldOfARobot", kHead + "world: hall.urdf\n",
               "hall.urdf: error: this is a robot, not a world\n"
               "  hint: a world is an SDF file with a <world>",
               "hall.urdf", "<robot name='x'><link name='l'/></robot>\n"},
        Broken{"MeshNowhere",
               "robot: {model: arm.urdf, end_effector: drum, search_path: [shelf, /nowhere]}\n"
               "task: {path: step, joints_rad: [[0.1]], hold: 10ms}\ngain: 10\n",
               "arm.urdf:4:22: error: link 'drum': there is no mesh 'package://my_arm/drum.stl'; "
               "looked for my_arm/drum.stl, ABOVE/my_arm/drum.stl, shelf/my_arm/drum.stl, "
               "/nowhere/my_arm/drum.stl\n"
               "  hint: put the folder that holds 'my_arm' into robot.search_path or "
               "LONGARM_MODEL_PATH",
               "arm.urdf", kMeshArm},
        Broken{"PluginMissing", kHead + "plugins: [clever.so]\n",
               "cell.yaml:4:11: error: file not found: 'clever.so'; looked for clever.so, "
               "./clever.so\n"
               "  hint: build the plug-in first"},
        Broken{"PluginOfText", kHead + "plugins: [clever.so]\n",
               "clever.so: error: this plug-in cannot be loaded: clever.so: file too short\n"
               "  hint: check that it is a shared object for this machine and linked with all its "
               "libraries",
               "clever.so", "int main() {}\n"},
        Broken{"Controller", kHead + "controller: pdi\n",
               "cell.yaml:4:13: error: unknown controller 'pdi'\n"
               "  hint: did you mean 'pid'?"},
        Broken{"ControllerKey", kHead + "controller: {name: pid, loop_delay: 20ms}\n",
               "cell.yaml:4:25: error: unknown key 'controller.loop_delay'\n"
               "  hint: valid names are: name"}),
    name_of);

TEST(BrokenLinks, OfAWorldWithAnImpossibleBoxAreExplainedOnEveryEngine) {
  const std::string hall =
      "<sdf version='1.9'><world name='w'>\n<model name='m'><static>true</static><link name='l'>\n"
      "<collision name='c'><geometry><box><size>1 -1 1</size></box></geometry></collision>\n"
      "</link></model></world></sdf>\n";
  for (const char* engine : {"mujoco", "kinematic", "ode"}) {
    ASSERT_THAT(
        complaint_in_folder(kHead + "world: hall.sdf\nengine: " + engine + "\n", "hall.sdf", hall),
        testing::StartsWith("hall.sdf:3:"))
        << engine;
  }
}

// --- plans ---------------------------------------------------------------------------------------

const std::string kPlanned =
    kUr5 + "task:\n  path: rrt-connect\n  joints_rad: [[0.2, -1.57, 1.57, -1.57, -1.57, 0]]\n  ";

/// A crate where the forearm is at home.
const std::string kCrate =
    "<sdf version='1.9'><world name='w'><model name='crate'><static>true</static>\n"
    "<pose>0.4 0.1 0.5 0 0 0</pose><link name='l'><collision name='c'><geometry><box>\n"
    "<size>0.3 0.3 0.3</size></box></geometry></collision></link></model></world></sdf>\n";

INSTANTIATE_TEST_SUITE_P(
    Plans, BrokenLinks,
    testing::Values(
        Broken{"LemniscateWithoutCentre", kUr5 + "task: {path: lemniscate}\n",
               "cell.yaml:6:7: error: the lemniscate has no centre\n"
               "  hint: give task.lemniscate.centre_m_deg"},
        Broken{"NoIterations", kPlanned + "planner: {max_iterations: 0}\n",
               "cell.yaml:9:29: error: task.planner.max_iterations must be from 1 to 10000000\n"
               "  hint: for example: 10000"},
        Broken{"NegativeClearance", kPlanned + "planner: {clearance_m: -0.01}\n",
               "cell.yaml:9:26: error: task.planner.clearance_m must not be negative\n"
               "  hint: use 0 or more"},
        Broken{"Replan", kPlanned + "replan: perrun\n",
               "cell.yaml:9:11: error: unknown task.replan 'perrun'\n"
               "  hint: did you mean 'per-run'?"},
        Broken{"StartInACrate", kPlanned + "hold: 1s\nworld: hall.sdf\n",
               "cell.yaml:7:3: error: the task cannot be planned: from home to waypoint 1: the "
               "start is in collision: 'forearm_link' and 'crate' are closer than 0.0125 m\n"
               "  hint: move the waypoints, or change task.planner.clearance_m or max_iterations",
               "hall.sdf", kCrate}),
    name_of);

}  // namespace
}  // namespace longarm::actors
