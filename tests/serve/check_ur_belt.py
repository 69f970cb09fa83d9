# SPDX-License-Identifier: Apache-2.0
# A UR5 beside a belt, served: the example that takes a gear with nothing but sockets, and its replay.
import json
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, holds, main  # noqa: E402
from served_cell import Cell  # noqa: E402

DOORS = ["ur5.primary", "ur5.primary_ro", "ur5.secondary", "ur5.secondary_ro", "ur5.realtime", "ur5.realtime_ro", "ur5.rtde",
         "ur5.dashboard", "ur5.gripper", "plc", "camera.frames"]


def case_a_client_of_your_own_takes_a_gear_off_the_belt(longarm):
    with Cell(longarm, "ur5-belt-live", DOORS, "--no-trace", "--out", "cell", "--for", "120s") as cell:
        at = {door: str(port) for door, port in cell.ports.items()}
        client = subprocess.run([sys.executable, str(longarm.source / "examples/ur_belt/take_a_gear.py"), "--arm", at["ur5.realtime"],
                                 "--gripper", at["ur5.gripper"], "--camera", at["camera.frames"]], text=True, capture_output=True, timeout=110)
        holds(client.returncode == 0 and "is in the crate" in client.stdout, client.stdout + client.stderr)
        time.sleep(2)  # for it to come to rest there
        cell.process.send_signal(signal.SIGINT)
        equal(cell.process.wait(timeout=60), 0, "exit code of serve")
    metrics = json.loads(pathlib.Path("cell/metrics.json").read_text())
    equal([metrics["feeder"]["delivered"], metrics["feeder"]["dropped"]], [1, 0], "what became of the gears")
    equal(json.loads(longarm("replay", "cell", "--json").stdout)["same"], True, "replay")


if __name__ == "__main__":
    sys.exit(main(globals()))
