#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the tutorial and checks those of README and docs, so that no page shows one that does not work.

check_docs.py LONGARM ROOT tutorial   every command, in order, in one folder; outputs are those that the pages show
check_docs.py LONGARM ROOT rewrite    the same, and shown lines that differ are replaced by the likest ones of the output
check_docs.py LONGARM ROOT commands   every other page: subcommands, options, names, keys and values, without running

A command that neither can do must be in NOT_RUN, with the reason. One that is not is an error.
"""

import concurrent.futures
import dataclasses
import difflib
import functools
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading

# What no test runs, and why. The first pattern that matches the beginning of a command counts.
NOT_RUN = [
    (r"\./dev (test|asan|tsan|build|format|fidelity|validate|coverage|mutations|fuzz|bench|includes|setup|example)\b",
     "builds or tests the project itself"),
    (r"(\./dev |build/release/apps/longarm-ros2?/)?longarm-ros2?\b", "needs a served cell; tests/ros and tests/ros2 join one"),
    (r"(mpirun|srun) ", "needs MPI processes; cli tests run a study under mpirun"),
    (r"cmake |ctest |ninja |build/", "builds the project or a plug-in; project.package_as_a_stranger does"),
    (r"git (clone|log) |cd |mkdir |alias |export ", "the test has a folder and a program of its own"),
    (r"ping ", "needs a network and a minute"),
    (r"(sudo |apt(-get)? |docker )", "changes the machine"),
    (r"(tc|ip|sysctl|iperf3|tcpdump|editcap|until|for|while|done)\b", "needs root or a real network"),
    (r"(mbpoll|nc|ncat|telnet|curl) ", "needs a served cell; tests/serve talk to one"),
    (r"(echo|printf|timeout|sqlite3|cat|ls|less|head|tail|grep|jq|sha256sum|diff|kill|wait|sleep|rm|cp)\b",
     "a tool of the system"),
    (r"(python3|clients/|tests/|examples/|bench/)", "a script of the project, which has a test of its own"),
    (r"(source|roscore|rostopic|rosparam|rosservice)\b", "of a shell that uses ROS; tests/ros does"),
    (r"(xdg-open|firefox|chromium|wireshark|rviz2?|ros2?|rosbag|roslaunch|gz|ign)\b|LC_ALL=C ping ", "another program"),
    (r"(#SBATCH|#!/bin/sh)", "a batch job's header"),
    (r"--set ", "goes on from the text above it"),
]

# Files that pages tell the reader to make, and what stands in for them.
STAND_INS = {
    "my_cell.yaml": "scenarios/ur5-waypoints.yaml",
    "cell.yaml": "scenarios/aprs.yaml",
    "near.yaml": "include: scenarios/aprs-outside.yaml",
    "system.yaml": "examples/python_backend/two-components.yaml",
    "my_study.yaml": "studies/ur5-latency.yaml",
    "my_arm.urdf": "models/ur5/ur5.urdf",
    "my_arm.yaml": "scenarios/ur5-waypoints.yaml",
    "cuts/hosts-5/start.yaml": "scenarios/armar-rectangle.yaml",
    "runs/armar-rectangle-place/best.yaml": "scenarios/armar-rectangle.yaml",
}
PING = """PING 10.0.0.7 (10.0.0.7) 56(84) bytes of data.
64 bytes from 10.0.0.7: icmp_seq=1 ttl=64 time=12.1 ms
64 bytes from 10.0.0.7: icmp_seq=2 ttl=64 time=11.4 ms
64 bytes from 10.0.0.7: icmp_seq=4 ttl=64 time=14.0 ms
"""
TRACE = "time_s,delay_s\n0,0.005\n0.001,0.006\n"

# Subcommands whose first argument is a scenario that can be loaded without running it.
LOADED = {"run", "serve", "execute", "margin", "place", "node", "calibrate"}
# Subcommands whose arguments are results of other commands.
OF_RESULTS = {"bag", "view", "report", "export", "replay", "frame", "path", "delays", "crcl"}
# What pages of the tutorial start and the reader ends with Ctrl-C.
ENDS_BY_INTERRUPT = re.compile(r"longarm (view (?!.*--out)|serve |run .*--view)")
DOTS = "…"


@dataclasses.dataclass
class Command:
    page: str
    line: int
    text: str
    output: list

    def __str__(self):
        return f"{self.page}:{self.line}: $ {self.text}"


# --- what pages say ------------------------------------------------------------------------------


def blocks(path):
    """(language, number of its first line, lines) of each fenced block."""
    language, start, lines = None, 0, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fence = re.match(r"\s*```(\w*)", line)
        if not fence:
            lines.append(line)
        elif language is None:
            language, start, lines = fence[1], number + 1, []
        else:
            yield language, start, lines
            language = None


def joined(lines, first):
    """The command that begins at lines[first] and the number of lines it takes."""
    text, count = lines[first], 1
    while text.endswith("\\") and first + count < len(lines):
        text = text[:-1].rstrip() + " " + lines[first + count].strip()
        count += 1
    return text, count


def commands_of(path, name, scripts_are_whole):
    """Every command of a page with the output that is shown below it."""
    commands = []
    for language, start, lines in blocks(path):
        prompted = any(line.startswith("$ ") for line in lines)
        if language not in ("console", "sh", "bash", ""):
            continue
        if language in ("sh", "bash") and not prompted and scripts_are_whole:
            commands.append(Command(name, start, "\n".join(lines), []))
            continue
        i, last = 0, None
        while i < len(lines):
            if prompted and lines[i].startswith("$ "):
                text, count = joined(lines, i)
                last = Command(name, start + i, text[2:], [])
                commands.append(last)
            elif not prompted and (language in ("sh", "bash") or re.match(r"(longarm|\./dev) ", lines[i])):
                text, count = joined(lines, i)
                if text.strip():
                    commands.append(Command(name, start + i, text, []))
            else:
                count = 1
                if last is not None:
                    last.output.append(lines[i])
            i += count
    return commands


def pages(root):
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]


# --- what the program knows ------------------------------------------------------------------------


class Program:
    def __init__(self, binary, root):
        self.binary = binary
        self.root = root

    def __call__(self, *arguments, timeout=300):
        environment = {k: v for k, v in os.environ.items() if k != "LONGARM_DATA"}
        return subprocess.run([self.binary, *arguments], capture_output=True, text=True, env=environment,
                              stdin=subprocess.DEVNULL, timeout=timeout)

    @functools.cache
    def options(self, word):
        """{option: whether a value follows}; None if there is no such subcommand."""
        help_text = self(word, "--help")
        if f"Usage: longarm {word} " not in help_text.stdout + " ":
            return None
        found = re.findall(r"^\s+(?:-\w,\s*)?(--[\w-]+)(.*)$", help_text.stdout, re.M)
        # a value's name follows after one space, a flag's meaning after several
        return {name: re.match(r" (?!Excludes:|Needs:)\S", rest) is not None for name, rest in found}

    @functools.cache
    def lint(self, target, sets, plugins):
        words = ["lint", target, *plugins]
        for each in sets:
            words += ["--set", each]
        done = self(*words)
        return "" if done.returncode == 0 else done.stdout + done.stderr

    @functools.cache
    def fails(self, *arguments):
        done = self(*arguments)
        return "" if done.returncode == 0 else done.stdout + done.stderr


# --- commands that are only looked at --------------------------------------------------------------


def parts_of(text):
    """The commands of a line: what stands between && | ; and &, without redirections and comments."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="&|;><")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words, skip = [], False
    for word in lexer:
        if set(word) <= set("&|;") and word:
            yield words
            words = []
        elif set(word) <= set("<>") and word:
            if words and words[-1] in ("1", "2"):
                words.pop()
            skip = True
        elif skip:
            skip = False
        else:
            words.append(word)
    yield words


def first_value(values):
    """The first of an axis's values: 0ms of 0ms..20ms:2ms, [1,2] of [1,2],[3,4]."""
    depth, quote, end = 0, "", len(values)
    for i, c in enumerate(values):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "[{":
            depth += 1
        elif c in "]}":
            depth -= 1
        elif c == "," and depth == 0:
            end = i
            break
    first = values[:end].strip("\"'")
    return first.split("..")[0] if re.fullmatch(r"[\w.-]+\.\.[\w.:-]+", first) else first


def sets_of_axis(axis):
    keys, _, values = axis.partition("=")
    first = first_value(values)
    if "," in keys:
        return [f"{key}={value}" for key, value in zip(keys.split(","), first.split("/"))]
    return [f"{keys}={first}"]


def scenario_of_study(root, name):
    """Name and `set` are in the study's file; None if it is a scenario by itself."""
    path = pathlib.Path(name) if name.endswith(".yaml") else root / "studies" / f"{name}.yaml"
    found = re.search(r"^scenario:\s*(\S+)", path.read_text(), re.M) if path.exists() else None
    return found[1] if found else None


def split_arguments(words, options):
    """(positional arguments, {option: values}); a text where an option is unknown."""
    positional, given = [], {}
    i = 0
    while i < len(words):
        if words[i] == "--":
            positional += words[i + 1:]
            break
        name, equals, value = words[i].partition("=")
        if not name.startswith("--"):
            positional.append(words[i])
        elif name not in options:
            return f"unknown option '{name}'"
        elif not options[name]:
            given[name] = []
        elif equals:
            given.setdefault(name, []).append(value)
        elif i + 1 < len(words):
            i += 1
            given.setdefault(name, []).append(words[i])
        else:
            return f"no value after '{name}'"
        i += 1
    return positional, given


def check_longarm(program, words):
    """What is wrong with `longarm words...`; an empty text if nothing is."""
    if not words or words[0] in ("--help", "--version"):
        return ""
    word, *rest = words
    options = program.options(word)
    if options is None:
        return f"unknown subcommand '{word}'"
    split = split_arguments(rest, {"--help": False, **options})
    if isinstance(split, str):
        return split
    positional, given = split
    if "--plugin" in given or word in OF_RESULTS or "--help" in given:
        return ""
    sets = tuple(given.get("--set", [])) + tuple(each for axis in given.get("--axis", []) for each in sets_of_axis(axis))
    if any("…" in each or "$(" in each for each in [*positional, *sets]):
        return ""
    if word == "sweep" and positional:
        scenario = scenario_of_study(program.root, positional[0])
        return program.lint(scenario or positional[0], sets, ())
    if word == "proxy":
        lines = tuple(f"link.netem={line}" for line in given.get("--link", []))
        return program.lint("ur5-waypoints", lines, ()) if lines else ""
    if word in LOADED or (word == "plan" and len(positional) == 1 and "--domain" not in given):
        return program.lint(positional[0], sets, ()) if positional else ""
    if word == "oracle":
        known = program("oracle", "--list").stdout
        return "".join(f"no oracle '{name}'" for name in positional if name not in known)
    if word in ("exec", "keys", "list", "inspect", "lint", "nodes"):
        return program.fails(word, *rest)
    if word in ("new", "plan"):
        return ""
    return f"the test does not know how to check 'longarm {word}'"


def problem_of(program, command):
    text = command.text.strip()
    for pattern, _ in NOT_RUN:
        if re.match(pattern, text) and not text.startswith("./dev longarm "):
            return ""
    try:
        parts = [words for words in parts_of(text) if words]
    except ValueError as problem:
        return str(problem)
    for words in parts:
        if words[:2] == ["./dev", "longarm"]:
            words = words[1:]
        if words[0] == "longarm" or words[0].endswith("/bin/longarm"):
            problem = check_longarm(program, words[1:])
            if problem:
                return problem
        elif not any(re.match(pattern, " ".join(words)) for pattern, _ in NOT_RUN):
            return "unknown command: add it to NOT_RUN with a reason, or let it start with longarm"
    return ""


def make_stand_ins(root):
    for name, source in STAND_INS.items():
        pathlib.Path(name).parent.mkdir(parents=True, exist_ok=True)
        text = source + "\n" if source.startswith("include: ") else (root / source).read_text()
        pathlib.Path(name).write_text(text)
    pathlib.Path("ping.txt").write_text(PING)
    for name in ("states.csv", "commands.csv", "trace.csv"):
        pathlib.Path(name).write_text(TRACE)
    for name in ("examples", "scenarios", "models", "studies", "kitting", "clients"):
        pathlib.Path(name).symlink_to(root / name)


def check_commands(program, root):
    make_stand_ins(root)
    commands = [command for page in pages(root) if page.parent.name != "tutorial"
                for command in commands_of(page, str(page.relative_to(root)), False)]
    # loading a cell takes a second; two at once
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = list(pool.map(lambda command: problem_of(program, command), commands))
    bad = [(command, problem) for command, problem in zip(commands, problems) if problem]
    for command, problem in bad:
        print(f"{command}\n  {problem.strip()}\n")
    print(f"{len(bad)} of {len(commands)} commands are wrong")
    return bool(bad)


# --- the tutorial ----------------------------------------------------------------------------------

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def is_near(shown, found):
    """Equal, or off by a thousandth or by one in the last digit shown."""
    digits = len(shown.partition(".")[2]) if "e" not in shown else 3
    return abs(float(shown) - float(found)) <= max(1.001 * 10.0 ** -digits if "." in shown else 0.0, 1e-3 * abs(float(shown)))


def is_shown(shown, found):
    """Whether a line of a page is a line of the output: spaces count as one, numbers are near, … is anything."""
    shown, found = (" ".join(re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", text).split()) for text in (shown, found))
    if DOTS in shown:
        return re.fullmatch(".*".join(re.escape(part.strip()) for part in shown.split(DOTS)), found) is not None
    if NUMBER.sub("#", shown) != NUMBER.sub("#", found):
        return False
    return all(map(is_near, NUMBER.findall(shown), NUMBER.findall(found)))


def missing_line(shown_lines, found):
    """The first shown line that the output does not have after those before; None if it has them all."""
    found_lines = [line.split("\r")[-1] for line in found.splitlines()]
    place = 0
    for shown in shown_lines:
        if shown.strip() in ("", DOTS):
            continue
        while place < len(found_lines) and not is_shown(shown, found_lines[place]):
            place += 1
        if place == len(found_lines):
            return shown
        place += 1
    return None


def likest(shown, found_lines):
    """The line of an output that a shown one was made of before the program changed; the shown one if there is none."""
    if shown.strip() in ("", DOTS) or any(is_shown(shown, found) for found in found_lines):
        return shown
    near = difflib.get_close_matches(shown, found_lines, 1, 0.5)
    if not near:
        return shown
    return near[0][:max(len(shown) - 1, 20)] + DOTS if shown.endswith(DOTS) else near[0]


def rewrite(command, root, found):
    """Puts lines of the output in place of those that the page shows."""
    path = root / command.page
    lines = path.read_text().splitlines()
    first = command.line - 1 + len(command.text.splitlines())
    if command.output and lines[first:first + len(command.output)] == command.output:
        found_lines = [line.split("\r")[-1].rstrip() for line in found.splitlines()]
        lines[first:first + len(command.output)] = [likest(shown, found_lines) for shown in command.output]
        path.write_text("\n".join(lines) + "\n")


def run_until_interrupted(text, output, environment):
    """Ctrl-C once it has said what the page shows, or after two minutes; exit code and output."""
    process = subprocess.Popen(["bash", "-e", "-c", "exec " + text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, env=environment, stdin=subprocess.DEVNULL)
    given_up = threading.Timer(120, process.send_signal, [signal.SIGINT])
    given_up.start()
    found = ""
    waits_for = [line for line in output if line.strip() != DOTS] or ["the run has ended" + DOTS]
    for line in process.stdout:
        found += line
        if waits_for and missing_line(waits_for, found) is None:
            waits_for = []
            process.send_signal(signal.SIGINT)
    given_up.cancel()
    return process.wait(timeout=60), found


def run_command(command, environment):
    """What is wrong with it, and its output."""
    text = command.text
    if ENDS_BY_INTERRUPT.match(text):
        if " serve " in text:  # the usual ports may be taken here
            text += "".join(f" --port {line.split(' at ')[0]}=0" for line in command.output if " at 127.0.0.1:" in line)
        code, found = run_until_interrupted(text, command.output, environment)
    else:
        done = subprocess.run(["bash", "-e", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=environment, stdin=subprocess.DEVNULL, timeout=600)
        code, found = done.returncode, done.stdout
    is_refused = any(re.search(r"\berror: ", line) for line in command.output)
    if code != 0 and not is_refused:
        return f"exit code {code}\n{found}", found
    missing = missing_line(command.output, found)
    return f"its output has no line\n    {missing}\n  but\n{found}" if missing is not None else "", found


def check_tutorial(program, root, rewrites=False):
    """Pages tell one story: files of one are there in the next. The reader's `longarm` is an alias of ./dev longarm."""
    tools = pathlib.Path("bin")
    tools.mkdir()
    (tools / "longarm").write_text(f"#!/bin/sh\nexec '{program.binary}' \"$@\"\n")
    (tools / "longarm").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools.resolve()}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    environment.pop("LONGARM_DATA", None)
    folder = pathlib.Path("reader")
    folder.mkdir()
    os.chdir(folder)
    bad = count = 0
    for page in sorted((root / "docs/tutorial").glob("*.md")):
        for command in commands_of(page, str(page.relative_to(root)), True):
            is_own = re.match(r"(longarm|cat) ", command.text)
            if not is_own and any(re.match(pattern, command.text) for pattern, _ in NOT_RUN):
                continue
            count += 1
            problem, found = "unknown command: add it to NOT_RUN with a reason", ""
            if is_own:
                problem, found = run_command(command, environment)
            if rewrites:
                rewrite(command, root, found)
            if problem:
                bad += 1
                print(f"{command}\n  {problem.strip()}\n")
    print(f"{bad} of {count} commands do not do what the tutorial shows")
    return bool(bad) or count == 0


def main():
    binary, root, what = sys.argv[1:]
    root = pathlib.Path(root).resolve()
    program = Program(str(pathlib.Path(binary).resolve()), root)
    with tempfile.TemporaryDirectory(prefix="longarm-docs-") as folder:
        os.chdir(folder)
        try:
            if what == "commands":
                return check_commands(program, root)
            return check_tutorial(program, root, what == "rewrite")
        finally:
            os.chdir("/")


if __name__ == "__main__":
    sys.exit(main())
