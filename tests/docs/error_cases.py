# SPDX-License-Identifier: Apache-2.0
# Mistakes that users make, as commands that produce the program's messages: what docs/reference/errors.md is made of.
"""A case is a command that ends in a message, and what to add to its hint. `files` are written before it runs; {port} in
a command is a port that another program uses."""
import dataclasses
import shlex


@dataclasses.dataclass
class Case:
    command: list
    advice: str
    files: dict = dataclasses.field(default_factory=dict)
    about: str = ""  # words of the message, if the command gives several
    before: list = dataclasses.field(default_factory=list)  # commands that come first


def case(command, advice="", files=None, about="", before=()):
    return Case(shlex.split(command), advice, files or {}, about, [shlex.split(each) for each in before])


def scenario(text, advice="", about="", **files):
    """A mistake in a scenario file, found without running it."""
    return Case(["lint", "cell.yaml"], advice, {"cell.yaml": text, **{name.replace("__", "."): t for name, t in files.items()}},
                about)


def key(name, value, advice="", about="", base="ur5-waypoints"):
    """A mistake in the value of one key, wherever it is written."""
    return Case(["lint", base, "--set", f"{name}={value}"], advice, {}, about)


def robot(text, advice="", about=""):
    return Case(["inspect", "arm.urdf"], advice, {"arm.urdf": text}, about)

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="lift" type="revolute">
    <parent link="base"/><child link="upper"/><limit lower="-1" upper="1" effort="10" velocity="1"/>
  </joint>
</robot>
"""
SHAPE = "<collision><geometry>{}</geometry></collision></inertial>"
MINE = "robot: {model: arm.urdf, end_effector: upper}\ntask: {path: joint, joints_rad: [[0.5]]}\ncut: velocity\ngain: 5\n"
CELL = "length: 1s\nnetwork: {star: {hosts: 2, rate: 1Gbit}}\nactors:\n  camera_1: {kind: camera, host: pc1}\n"
TALK = CELL + """  system: {kind: middleware}
  Client: {kind: component, host: pc1, period: 10ms, calls: {ask: {to: Server}}}
  Server: {kind: component, host: pc2, serves: {ask: {}}}
"""


FIRST = "run one-joint --set task.hold=100ms --out first"


def mine(urdf, advice="", about=""):
    """A robot in a scenario of its own."""
    return Case(["lint", "cell.yaml"], advice, {"cell.yaml": MINE, "arm.urdf": urdf}, about)


def failure(sentence, advice=""):
    return scenario(CELL + f'failures: ["{sentence}"]\n', advice)


def domain(text, problem="(define (problem q) (:domain d) (:goal (p)))"):
    return case("plan domain.pddl problem.pddl", "", {"domain.pddl": text, "problem.pddl": problem})


GROUPS = [
    ("Commands and options", "", [
        case("runn ur5-waypoints"),
        case("run", "Name a ready scenario (`longarm list`) or a file."),
        case("run ur5-waypoints --sett link.delay=5ms"),
        case("list robots", "Quote a value that contains spaces."),
        case("run ur5-waypoint", "A name without `.yaml` is a ready scenario; give the path of a file of your own."),
        case("run ur5-latency"),
        case("run ur5-waypoints --set link.delay"),
        case("run ur5-waypoints --out taken", "", {"taken/notes.txt": "mine\n"}),
        case("run ur5-waypoints --out taken", "", {"taken": "a file\n"}),
    ]),
    ("Scenario files: form", "`longarm lint FILE` finds these without running the scenario.", [
        scenario("link: {delay: 5ms\n"),
        scenario("- link\n- delay\n"),
        scenario("title: one\ntitle: two\n"),
        scenario("title: one\n---\ntitle: two\n"),
        scenario("include: nowhere.yaml\n"),
        scenario("include: cell.yaml\n"),
        scenario("experiment: kitting\n", "A file of version 0.1."),
        scenario("robot: {model: ur5}\nactors: {plc: {kind: plc}}\n"),
        scenario("scenario: ur5-waypoints\n"),
    ]),
    ("Scenario files: keys and values", "`--set` and the axes of a study give the same messages.", [
        key("link.dealy", "5ms", "`longarm keys` lists all keys."),
        key("link.preset", "urllc", "The changelog lists renamed keys and values."),
        key("link.delay", "5", "Every time has a unit."),
        key("gain", "high"),
        key("seed", "1.5"),
        key("record.trace", "maybe", "Write `true` or `false`."),
        key("cut", "velocty"),
        key("engine", "bullet"),
        key("task.joints_rad", "5"),
        key("link.states", "5"),
        key("physics.period", "0ms"),
        key("control.period", "1500us"),
    ]),
    ("Robot models", "`longarm inspect FILE` finds these and shows what Longarm understood.", [
        key("robot.model", "ur55"),
        case("inspect arm.urdf", "", {"arm.urdf": "<robot name=\"arm\"><link name=\"base\"></robot>"}),
        robot(ARM.replace("child link=\"upper\"", "child link=\"uper\""), about="unknown child"),
        robot(ARM.replace("</robot>", "<link name=\"lost\"/></robot>")),
        robot(ARM.replace("type=\"revolute\"", "type=\"revolved\"")),
        robot(ARM.replace("<limit lower=\"-1\" upper=\"1\" effort=\"10\" velocity=\"1\"/>", "")),
        robot(ARM.replace("</inertial>", "</inertial><collision><geometry><mesh filename=\"part.stl\"/></geometry></collision>")),
        robot(ARM.replace("</robot>", "<link name=\"tip\"/><joint name=\"lift\" type=\"fixed\"><parent link=\"upper\"/>"
                          "<child link=\"tip\"/></joint></robot>")),
        robot("<robot name=\"arm\" xmlns:xacro=\"http://ros.org/wiki/xacro\"><link name=\"base\"/><xacro:wheel/></robot>"),
        case("inspect arm.sdf", "", {"arm.sdf": "<sdf version=\"1.9\"></sdf>"}),
    ]),
    ("Robots in a scenario", "A finding with a name can be accepted: `--allow NAME`.", [
        key("robot.end_effector", "tool9"),
        key("robot.home_rad", "[0,0,0]"),
        key("robot.home_rad", "[0,9,0,0,0,0]"),
        mine(ARM.replace("<mass value=\"1\"/>", "<mass value=\"0\"/>"), about="no mass"),
        mine(ARM.replace("ixx=\"1\"", "ixx=\"5\"")),
        mine(ARM.replace("velocity=\"1\"", "velocity=\"0\"")),
        case("lint ur5-waypoints --set cut=effort --set servo.rotor_inertia_kg_m2=[0,0,0,0,0,0]"),
        case("lint ur5-waypoints --set \"task.poses_m_deg=[[9,0,0,0,0,0]]\""),
        case("lint ur5-waypoints --set \"task.joints_rad=[[0,0,0,0,0,0]]\""),
        scenario("robot: {model: one-joint, end_effector: tip, home_rad: [0]}\n"
                 "task: {path: trajectory, trajectory: motion.csv}\ngain: 10\n", "",
                 motion__csv="time_s,position.joint\n0,0.5\n1,0.6\n"),
        case("lint ur5-waypoints --set engine=kinematic --set command=effort"),
        case("lint ur5-waypoints --set cut=effort --set command=position"),
    ]),
    ("Links", "[links.md](../how-to/links.md) has the options of netem and the formats of traces.", [
        key("link.netem", "delay 5ms looss 1%"),
        key("link.netem", "delay"),
        key("link.netem", "loss 300%"),
        key("link.netem", "rate fast"),
        key("link.netem", "delay 5ms distribution normal"),
        key("link.netem", "reorder 25%"),
        key("link.netem", "ecn"),
        case("lint ur5-waypoints --set link.delay=5ms --set link.slots=3"),
        scenario("robot: {model: ur5}\nlink: {trace: nowhere.csv}\n", "Files are looked up beside the scenario first.",
                 about="nowhere.csv"),
        case("lint ur5-waypoints --set link.trace=log.txt", "", {"log.txt": "no measurement\n"}),
        case("lint ur5-waypoints --set link.trace=log.csv", "", {"log.csv": "time_s,delay_s\n1,0.005\n0,0.005\n"}),
        key("link.phases", "[\"60s rate fast\"]"),
        key("link.phases", "[\"60s rate 0\"]"),
        key("link.netem", "loss 0.3% 25%"),
        key("link.netem", "delay 5ms 10ms"),
        key("link.netem", "delay 10ms 5ms 25%"),
    ]),
    ("Networks and backends", "", [
        key("network.links.bridge.between", "[office,robott]", base="ur5-topology"),
        key("network.links.bridge.between", "[office]", base="ur5-topology"),
        key("network.hosts.far", "{}", base="ur5-topology"),
        key("control.host", "far", base="ur5-topology"),
        key("network.links.bridge.rate", "fast", base="ur5-topology"),
        key("network.links.bridge.rate", "0", base="ur5-topology"),
        key("network.flows.priority", "3", base="ur5-topology"),
        key("network.links.bridge.schedule", "[\"5s down\"]", base="ur5-topology", about="cable down"),
        key("network.star", "{hosts: 3}", base="ur5-topology", about="combined"),
        key("network.backend", "external", base="ur5-topology"),
        case("run ur5-topology --set network.backend=external --set network.command=false --out run",
             "The reason is in the backend's own output."),
    ]),
    ("Cells and actors", "`longarm keys KIND` lists the keys of a kind.", [
        scenario(CELL + "  belt: {kind: bellt}\n"),
        scenario(CELL + "  belt: {}\n"),
        scenario(CELL + "  my belt: {kind: camera}\n"),
        scenario(CELL + "  world: {kind: camera}\n"),
        scenario(CELL + "  plc: {kind: plc}\n"),
        scenario(CELL + "  plc: {kind: plc, belt: belt}\n"),
        scenario(CELL + "  safety: {kind: safety, curtains: [camera_1], stops: []}\n"),
        scenario(CELL + "  camera_2: {kind: camera, host: edge}\n"),
        scenario(CELL + "  camera_2: {kind: camera, watch: [gear]}\n"),
        scenario(CELL + "  curtain: {kind: curtain}\n"),
        scenario(CELL + "  load: {kind: traffic, host: pc1, rate: 1Mbit}\n"),
        scenario("world: aprs\n" + CELL + "  belt: {kind: belt, joint: \"conveyor::driv\"}\n"),
        scenario("world: nowhere\n" + CELL),
        scenario("measure: [camera_1.speed]\n" + CELL),
        scenario("plugins: [mine.so]\n" + CELL, "[plugins.md](../how-to/plugins.md) shows how to build one."),
        scenario("plugins: [mine.so]\n" + CELL, "", mine__so="text\n"),
    ]),
    ("Failures to inject", "`longarm keys failures` lists them. A failure is a sentence: when, what, and which failure.", [
        failure("camera_1 blind"),
        failure("20s camera_9 blind"),
        failure("20s camera_1 explodes"),
        failure("20s camera_1 blind now"),
        failure("20s link wire down"),
        failure("500ms link cable1 slow"),
        failure("500ms camera_1 blind for 0s"),
        failure("20s camera_1 blind"),
    ]),
    ("Components", "", [
        scenario(TALK.replace("to: Server", "to: Sever")),
        scenario(CELL + "  Client: {kind: component, host: pc1, period: 10ms}\n"),
        scenario(TALK.replace("serves: {ask: {}}", "serves: {}")),
        scenario(TALK.replace("period: 10ms", "period: 10ms, parameters: {priod: 0.1}")),
        scenario(TALK.replace("period: 10ms", "period: 10ms, parameters: {period: fast}")),
        scenario(TALK.replace("period: 10ms", "period: 10ms, namespace: left"), "write `to: /Server`, or remap it."),
        scenario(TALK.replace("period: 10ms", "period: 10ms, goals: {pick: {to: Server}}")),
        scenario(TALK + "placement: everywhere\n"),
        case("node ur5-waypoints --component Loop --names 127.0.0.1:7401"),
        case("node cell.yaml --component Nobody --names 127.0.0.1:7401", "", {"cell.yaml": TALK}),
        case("calibrate --rate fast"),
    ]),
    ("Studies, limits, placements", "", [
        case("sweep nowhere"),
        case("sweep ur5-waypoints"),
        case("sweep ur5-waypoints --axis link.delay"),
        case("sweep ur5-waypoints --axis link.delay=0ms..20ms"),
        case("sweep ur5-waypoints --axis link.delay=20ms..0ms:5ms"),
        case("sweep ur5-waypoints --axis link.delay=5ms,5ms"),
        case("sweep ur5-waypoints --axis seed=1,2 --axis seed=3,4"),
        case("sweep ur5-waypoints --axis link.delay,cut=5ms/effort,10ms"),
        case("margin ur5-waypoints --set link.delay=5ms"),
        case("margin ur5-waypoints --resolution 1500us"),
        case("margin cell.yaml", "", {"cell.yaml": CELL}),
        case("margin ur5-topology --link wire"),
        case("place ur5-waypoints --hosts 2"),
        case("place cell.yaml --hosts 2 --pin Nobody=pc1", "", {"cell.yaml": TALK}),
        case("place cell.yaml --hosts 2 --capacity pc1=0 --capacity pc2=1", "", {"cell.yaml": TALK}),
        case("place cell.yaml --hosts 2 --minimise speed", "", {"cell.yaml": TALK}),
    ]),
    ("Runs and their results", "Names of signals and frames are those of the run; `longarm view` shows them.", [
        case("run one-joint --set gain=1e12 --set link.delay=5ms --set task.hold=200ms --out run",
             "Position or speed became implausible: check gains, delays and masses. Results up to then are kept."),
        case("run ur5-waypoints --set cut=effort --set link.delay=100ms --set task.hold=100ms --out run",
             "An unstable or badly placed arm; `first_contact` in `metrics.json` has the time.", about="touches"),
        case("run one-joint --out /dev/null/run", "Check the path and your permissions."),
        case("run one-joint --reference nowhere --out run"),
        case("run one-joint --set task.hold=100ms --set engine=ode --reference first --out second", "", before=[FIRST]),
        case("frame first base nothing --at 1s", "", before=[FIRST]),
        case("replay nowhere"),
        case("replay first", "", before=[FIRST + " --set record.trace=false"]),
        case("view nowhere"),
        case("view first", "", before=[FIRST + " --set record.trace=false"]),
        case("report nowhere"),
        case("export nowhere"),
        case("report notes", "", {"notes/study.db": "no database\n"}),
    ]),
    ("ROS bags", "[bags.md](../how-to/bags.md) says what `longarm bag` reads and writes.", [
        case("bag nowhere.bag"),
        case("bag notes.bag", "", {"notes.bag": "no bag\n"}),
        case("bag first --topics /joint_state", "", before=[FIRST]),
        case("bag first --plan /clock", "", before=[FIRST]),
        case("bag first --link-trace /clock", "", before=[FIRST]),
    ]),
    ("Serving, relaying and driving a cell", "", [
        case("serve one-joint"),
        case("serve cell.yaml --port camera=0", "", {"cell.yaml": CELL.replace("host: pc1", "port: 0")}),
        case("serve cell.yaml --port camera_1.frames={port}", "Another program, often another `longarm serve`, uses it.",
             {"cell.yaml": CELL.replace("host: pc1", "port: 0")}),
        case("serve ur5-live --port ur5.sockets=5"),
        case("serve ur5-live --port ur5.rtde"),
        case("serve ur5-live --port ur5.rtde=1 --port ur5.rtde=2"),
        case("serve ur5-live --set actors.ur5.firmware=5.4"),
        case("serve ur5-live --speed fast"),
        case("execute ur5-live"),
        case("crcl 127.0.0.1"),
        case("proxy --listen 40003"),
        case("proxy --listen 0.0.0.0:40003 --to 127.0.0.1:30003"),
        case("proxy --listen 40003 --to 127.0.0.1:40003"),
        case("proxy --listen udp:40003 --to tcp:127.0.0.1:30003"),
        case("proxy --listen {port} --to 127.0.0.1:30003"),
        case("proxy --ports 30001-3000x --to 127.0.0.1"),
    ]),
    ("Plans in PDDL", "", [
        domain("(define (domain d)"),
        domain("(define (domain d) (:requirements :fluents))"),
        domain("(define (domain d) (:predicates (p)))", "(define (problem q) (:domain d) (:goal (x)))"),
        domain("(define (domain d) (:predicates (p)))", "(define (problem q) (:domain e) (:goal (p)))"),
        case("plan ur5-waypoints"),
    ]),
    ("Setting up a robot of your own", "", [
        case("new nowhere.urdf"),
        case("new arm.urdf", "", {"arm.urdf": ARM, "arm.yaml": "title: mine\n"}),
    ]),
]
