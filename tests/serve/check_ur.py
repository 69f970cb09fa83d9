# SPDX-License-Identifier: Apache-2.0
# The served UR5 as its clients see it: streams, scripts, RTDE, dashboard, stops, the driver's program, bad keys.
import math
import pathlib
import select
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, holds, main  # noqa: E402
from ur_clients import Dashboard, RealTime, Rtde, metrics, packages_of, primary_packet, served, skipped  # noqa: E402

CYCLE_S = 0.008
HOME = [0.0, -math.pi / 2, math.pi / 2, -math.pi / 2, -math.pi / 2, 0.0]


def near(found, expected, by, what):
    pairs = zip(found, expected) if isinstance(found, list) else [(found, expected)]
    holds(all(abs(a - b) <= by for a, b in pairs), f"{what}: {found} is not within {by} of {expected}")


def is_at_rest(state):
    return max(map(abs, state["qd_target"])) == 0.0


def cycles_between(states):
    """Steps of timing of the controller from packet to packet, in cycles; they must be whole."""
    out = []
    for before, after in zip(states, states[1:]):
        cycles = (after["time"] - before["time"]) / CYCLE_S
        near(cycles, round(cycles), 1e-6, "cycles between packets")
        out.append(round(cycles))
    return out


def case_the_real_time_stream_has_a_packet_per_cycle(program):
    with served(program) as robot:
        clients = RealTime(robot), RealTime(robot, "realtime_ro")
        states = [[client.state() for _ in range(150)] for client in clients]
        clients[1].say("speedj([1,1,1,1,1,1],5,5)\n")  # it can only listen
        state = clients[0].state()
        for client in clients:
            client.close()
        robot.end()
    missed = 0
    for each in states:
        cycles = cycles_between(each)
        holds(min(cycles) >= 1, f"in order: {cycles}")
        missed += sum(cycles) - len(cycles)
    holds(missed <= skipped(), f"{missed} packets are missing, {skipped()} were not sent")
    holds(states[0][0]["time"] >= 40.0, f"drivers wait until the clock has {states[0][0]['time']}")
    near(state["q"], HOME, 1e-6, "home")
    holds(is_at_rest(state), "it is at rest")
    equal((state["robot_mode"], state["safety_mode"], state["safety_status"]), (7.0, 1.0, 1.0), "modes")
    equal(state["joint_modes"], [253.0] * 6, "joint modes")
    program("replay", "run")


def case_the_primary_port_begins_with_its_version(program):
    with served(program, "--speed", "4") as robot:
        for door in ("primary", "secondary", "primary_ro"):
            with robot.connect(door) as link:
                kind, body = primary_packet(link)
                equal(kind, 20, "a robot message")
                holds(len(body) < 500, "old drivers have room for 512 bytes")
                source, message, size = struct.unpack_from(">bbB", body, 8)
                equal((message, body[11:11 + size]), (3, b"URControl"), "the version")
                equal(tuple(body[11 + size:13 + size]), (3, 15), "firmware")
                stamps = []
                while len(stamps) < 4:
                    kind, body = primary_packet(link)
                    if kind == 16:
                        packages = packages_of(body)
                        stamps.append(struct.unpack_from(">Q", packages[0])[0])
                holds({0, 1, 2, 3, 4} <= set(packages), f"packages {sorted(packages)}")
                equal(packages[0][8:15], bytes([1, 1, 1, 0, 0, 0, 0]), "connected, enabled, on, no stop, no program")
                equal(packages[0][15], 7, "running")
                joints = [struct.unpack_from(">d", packages[1], 41 * i)[0] for i in range(6)]
                near(joints, HOME, 1e-6, "joints")
                # the first comes with the next cycle, the others with the first one after every 100 ms
                holds(all(stamp % 100_000 < 8_000 for stamp in stamps[1:]), f"{stamps} us")
                equal(len({stamp // 100_000 for stamp in stamps[1:]}), 3, f"{stamps} us")
        # as drivers do: away after the first packet
        for _ in range(30):
            with robot.connect("primary") as link:
                primary_packet(link)
        RealTime(robot).state()
        robot.end()


def case_rtde_speaks_both_versions(program):
    names = ["timestamp", "actual_q", "robot_mode", "safety_mode", "runtime_state", "actual_digital_output_bits"]
    types = ["DOUBLE", "VECTOR6D", "INT32", "INT32", "UINT32", "UINT64"]
    with served(program, "--speed", "4") as robot:
        for version, frequency, apart in ((1, None, CYCLE_S), (2, 125.0, CYCLE_S), (2, 25.0, 5 * CYCLE_S)):
            rtde = Rtde(robot, version)
            equal(struct.unpack(">4I", rtde.ask("v"))[:2], (3, 15), "version of the controller")
            equal(rtde.outputs(names, frequency), types, "types")
            rtde.start()
            data = [rtde.data() for _ in range(40)]
            near(data[0]["actual_q"], HOME, 1e-6, "joints")
            equal((data[0]["robot_mode"], data[0]["safety_mode"]), (7, 1), "modes")
            gaps = [b["timestamp"] - a["timestamp"] for a, b in zip(data, data[1:])]
            holds(all(abs(gap / apart - round(gap / apart)) < 1e-5 for gap in gaps), f"gaps {gaps}")
            near(min(gaps), apart, 1e-6, "time between packets")
            rtde.pause()
            rtde.close()
        rtde = Rtde(robot)
        equal(rtde.outputs(["timestamp", "no_such"]), ["DOUBLE", "NOT_FOUND"], "what is not there")
        robot.end()
    program("replay", "run")


def case_rtde_inputs_reach_programs_and_outputs(program):
    with served(program, "--speed", "4") as robot:
        rtde = Rtde(robot)
        rtde.outputs(["output_int_register_3", "output_double_register_4", "actual_digital_output_bits",
                      "target_speed_fraction", "output_bit_registers0_to_31"])
        numbers, kinds = rtde.inputs(["input_int_register_3", "input_double_register_4"])
        equal(kinds, ["INT32", "DOUBLE"], "types")
        other = Rtde(robot)
        equal(other.inputs(["input_int_register_3"]), (0, ["IN_USE"]), "one writer")
        outs, out_kinds = rtde.inputs(["standard_digital_output_mask", "standard_digital_output"])
        slider, slider_kinds = rtde.inputs(["speed_slider_mask", "speed_slider_fraction"])
        rtde.start()
        with robot.connect("secondary") as link:
            link.sendall(b"sec copy():\n"
                         b"  write_output_integer_register(3, read_input_integer_register(3) + 1)\n"
                         b"  write_output_float_register(4, read_input_float_register(4) * 2)\n"
                         b"end\n")
            rtde.wait(lambda data: data["output_int_register_3"] == 1, "the program has run")
            rtde.write(numbers, kinds, 41, 1.25)
            rtde.write(outs, out_kinds, 0b101, 0b100)
            rtde.write(slider, slider_kinds, 1, 0.5)
            rtde.wait(lambda data: data["actual_digital_output_bits"] == 0b100, "output 2 is on")
            link.sendall(b"sec copy():\n"
                         b"  write_output_integer_register(3, read_input_integer_register(3) + 1)\n"
                         b"  write_output_float_register(4, read_input_float_register(4) * 2)\n"
                         b"end\n")
            data = rtde.wait(lambda data: data["output_int_register_3"] == 42, "the number has come")
        equal(data["output_double_register_4"], 2.5, "the other number")
        equal(data["target_speed_fraction"], 0.5, "speed slider")
        robot.end()
    program("replay", "run")


def case_the_dashboard_answers(program):
    with served(program, "--speed", "max") as robot:
        board = Dashboard(robot)
        equal(board.ask("robotmode"), "Robotmode: RUNNING", "robotmode")
        equal(board.ask("safetymode"), "Safetymode: NORMAL", "safetymode")
        equal(board.ask("running"), "Program running: false", "running")
        holds("3.15" in board.ask("PolyscopeVersion"), "version")
        board.ask("power off")
        board.wait("robotmode", "Robotmode: POWER_OFF")
        board.ask("power on")
        board.wait("robotmode", "Robotmode: IDLE")
        board.ask("brake release")
        board.wait("robotmode", "Robotmode: RUNNING")
        board.ask("quit")
        board.close()
        robot.end()
    program("replay", "run")


def case_speedj_moves_by_speed_times_time(program):
    with served(program) as robot:
        stream = RealTime(robot)
        stream.state()
        stream.say("speedj([0,0,0,0,0,0.5],5,0.8)\n")
        stream.wait(lambda state: state["qd_target"][5] == 0.5, "the speed is reached")
        first = stream.state()
        equal(first["program_state"], 2.0, "a program runs")
        last = first
        while last["time"] < first["time"] + 0.4:
            last = stream.state()
        equal(last["qd_target"][5], 0.5, "it goes on")
        turned = 0.5 * (last["time"] - first["time"])
        near(last["q_target"][5] - first["q_target"][5], turned, 1e-9, "target")
        near(last["q"][5] - first["q"][5], turned, 2e-3, "joint")
        near(last["q"][5], last["q_target"][5], 0.02, "joint and target")
        # 0.8 s are over: it gives up by itself
        rest = stream.wait(is_at_rest, "it stops", 2.0)
        near(rest["q"][:5], HOME[:5], 1e-3, "the others")
        robot.end()
    equal(metrics()["served"]["doors"]["ur5.realtime"]["clients"], 1, "clients")
    program("replay", "run")


def case_moves_arrive(program):
    goal = [0.3, -1.2, 1.4, -1.8, -1.4, 0.5]
    with served(program, "--speed", "max") as robot:
        stream = RealTime(robot)
        stream.say(f"movej({goal}, a=1.4, v=1.05)\n")
        state = stream.wait(lambda state: is_at_rest(state) and abs(state["q_target"][0] - 0.3) < 1e-9, "movej arrives")
        near(state["q_target"], goal, 1e-9, "target")
        stream.wait(lambda state: abs(state["q"][1] - goal[1]) < 1e-4, "the joints follow")
        begin = stream.state()["tcp_target"]
        end = begin[:]
        end[1] += 0.1
        end[2] += 0.05
        stream.say(f"movel(p{end}, a=1.2, v=0.25)\n")
        off = 0.0
        while True:
            state = stream.state()
            along = (2 * (state["tcp_target"][1] - begin[1]) + (state["tcp_target"][2] - begin[2])) / 5
            line = [begin[0], begin[1] + 2 * along, begin[2] + along]
            off = max(off, math.dist(line, state["tcp_target"][:3]))
            if math.dist(state["tcp_target"][:3], end[:3]) < 1e-6 and is_at_rest(state):
                break
        holds(off < 1e-5, f"{off} m off a straight line")
        near(state["tcp_target"][3:], begin[3:], 1e-5, "orientation")
        robot.end()
    program("replay", "run")


def case_a_protective_stop_is_unlocked_after_a_while(program):
    with served(program, "--speed", "max") as robot:
        stream, board = RealTime(robot), Dashboard(robot)
        stream.say("speedj([0,0,0,0,0,9],20,1)\n")  # nearly three times what the joint can do
        state = stream.wait(lambda state: state["safety_mode"] == 3.0, "a protective stop")
        equal(board.ask("safetymode"), "Safetymode: PROTECTIVE_STOP", "dashboard")
        state = stream.wait(is_at_rest, "it stands")
        stream.say("speedj([0,0,0,0,0,0.2],5,1)\n")
        for _ in range(50):
            equal(stream.state()["q_target"], state["q_target"], "nothing moves it")
        start = time.monotonic()
        while board.ask("unlock protective stop") != "Protective stop releasing":
            holds(time.monotonic() - start < 60, "it is never unlocked")
        rest = stream.wait(lambda state: state["safety_mode"] == 1.0, "normal again")["q_target"][5]
        stream.say("speedj([0,0,0,0,0,0.2],5,1)\n")
        # where it has come to, as at this speed the packets of a whole second may be skipped
        stream.wait(lambda state: state["q_target"][5] > rest + 0.05, "it moves again")
        robot.end()
    program("replay", "run")


# a program as drivers upload it: it calls back, and follows what it is sent
DRIVER = """\
def follow_driver():
  global target = get_actual_joint_positions()
  global is_on = True
  thread follow():
    while is_on:
      enter_critical
      wanted = target
      exit_critical
      servoj(wanted, t=0.008, lookahead_time=0.03, gain=300)
    end
    stopj(4.0)
  end
  if socket_open("127.0.0.1", %d):
    worker = run follow()
    while is_on:
      frame = socket_read_binary_integer(7)
      if frame[0] < 7 or frame[7] == 0:
        is_on = False
      else:
        enter_critical
        target = [frame[1] / 1000000.0, frame[2] / 1000000.0, frame[3] / 1000000.0, frame[4] / 1000000.0, frame[5] / 1000000.0, frame[6] / 1000000.0]
        exit_critical
      end
    end
    join worker
    socket_close()
  end
end
"""


def case_a_drivers_program_calls_back_and_is_driven(program):
    with served(program) as robot, socket.create_server(("127.0.0.1", 0)) as reverse:
        reverse.settimeout(30)
        stream = RealTime(robot)
        stream.say(DRIVER % reverse.getsockname()[1])
        link = reverse.accept()[0]
        link.settimeout(30)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # 0.2 rad in 100 packets, then there
        for i in range(150):
            stream.state()
            turned = 0.2 * min(1.0, i / 100)
            joints = [round(1e6 * (angle + (turned if joint == 5 else 0.0))) for joint, angle in enumerate(HOME)]
            link.sendall(struct.pack(">7i", *joints, 1))
        stream.wait(lambda state: abs(state["q"][5] - 0.2) < 2e-3, "it follows", 5.0)
        link.sendall(struct.pack(">7i", *[0] * 7))
        stream.wait(lambda state: state["program_state"] == 1.0, "the program has ended", 5.0)
        equal(link.recv(1), b"", "it hangs up")
        link.close()
        # nobody is there: the program goes on without, and we are told
        stream.say(f"def knock():\n  set_digital_out(0, True)\n  if socket_open(\"127.0.0.1\", {unused_port()}):\n"
                   "    set_digital_out(1, True)\n  else:\n    set_digital_out(2, True)\n  end\nend\n")
        stream.wait(lambda state: state["outputs"] == 0b101, "it sees that nobody answers", 10.0)
        robot.end()
    holds("ur5.sockets: call failed: 127.0.0.1:" in robot.warnings, robot.warnings)
    equal(metrics()["served"]["doors"]["ur5.sockets"]["calls"], 2, "calls")
    equal(metrics()["served"]["doors"]["ur5.sockets"]["failed_calls"], 1, "failed calls")
    program("replay", "run")


def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as gone:
        return gone.getsockname()[1]


def case_a_client_that_stalls_does_not_stall_others(program):
    with served(program) as robot:
        lazy, good = RealTime(robot), RealTime(robot)
        states = [good.state() for _ in range(250)]  # 2 s
        # what the system kept for the lazy one comes at once; then there is a gap, and fresh ones
        old = lazy.state()
        kept = [old]
        while select.select([lazy.link], [], [], 0.003)[0] and len(kept) < 1000:
            kept.append(lazy.state())
        fresh = lazy.state()
        now = good.state()
        while now["time"] < fresh["time"]:
            now = good.state()
        robot.end()
    missed = sum(cycles_between(states)) - len(states) + 1
    holds(missed <= skipped(), f"{missed} packets are missing, {skipped()} were not sent")
    holds(missed < 100, f"{missed} of {len(states)} packets are missing")
    holds(min(cycles_between(kept)) >= 1, "in order")
    holds(len(kept) < 200, f"{len(kept)} old packets at once")
    holds(metrics()["machine"]["serving"]["stream_packets_skipped_for_slow_clients"] > 50, "cycles were left out")
    holds("stream packets dropped: " in robot.words, robot.words)
    holds(fresh["time"] >= states[-1]["time"] - 0.1, f"news of {fresh['time']} s at {states[-1]['time']} s")
    program("replay", "run")


def case_two_ports_are_a_profile(program):
    two = ["--set", "actors.ur5.ports.profile=two-ports"]
    with served(program, *two, doors=["primary", "realtime"]) as robot:
        equal(sorted(robot.ports), ["primary", "realtime"], "doors")
        with robot.connect("primary") as link:
            equal(primary_packet(link)[0], 20, "version first")
        stream = RealTime(robot)
        stream.say("speedj([0,0,0,0,0,0.1],5,1)\n")
        stream.wait(lambda state: state["qd_target"][5] == 0.1, "it moves")
        robot.end()
    # whoever has those ports, the complaint names them
    for words, door, port in ((two, "primary", 50001), (two, "realtime", 50003), ([], "rtde", 30004)):
        with socket.socket() as taken:
            try:
                taken.bind(("127.0.0.1", port))
                taken.listen()
            except OSError:
                pass
            others = ["primary", "realtime"] if words else ["primary", "primary_ro", "secondary", "secondary_ro",
                                                           "realtime", "realtime_ro", "dashboard"]
            at = [word for each in others if each != door for word in ("--port", f"ur5.{each}=0")]
            done = program("serve", "ur5-live", *words, *at, "--for", "1ms", expect=2)
        holds(f"error: ur5.{door}: cannot listen at 127.0.0.1:{port}: " in done.stderr, done.stderr)


def case_keys_that_make_no_sense_are_refused(program):
    for setting in ("actors.ur5.ports.profile=sede", "actors.ur5.ports.primary=70000", "actors.ur5.ports.rtde=30001",
                    "actors.ur5.home_rad=[1, 2]", "actors.ur5.home_rad=[9, 0, 0, 0, 0, 0]", "actors.ur5.frimware=3.15",
                    "actors.ur5.firmware=abc", "physics.period=3ms", "actors.ur5.start=asleep"):
        done = program("serve", "ur5-live", "--set", setting, "--for", "1ms", expect=2)
        holds("error: " in done.stderr and "hint: " in done.stderr, f"{setting}: {done.stderr}")
        holds("our own fault" not in done.stderr, f"{setting}: {done.stderr}")


if __name__ == "__main__":
    sys.exit(main(globals()))
