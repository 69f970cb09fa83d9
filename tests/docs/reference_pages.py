#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes those pages of docs/reference that are made of what the program says of itself.
"""Usage: reference_pages.py PROGRAM [--check PAGE]. Without --check, writes all pages.

--check writes nothing and fails if the page differs.
"""
import concurrent.futures
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

import error_cases

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/reference"


PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "LONGARM_DATA"}


def said(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout


def block(text):
    return f"```\n{text.strip()}\n```\n"


def actors():
    return said("keys", "actors")


def commands():
    help_text = said("--help")
    listed = help_text.split("Subcommands:\n")[1].split("\n\n")[0]
    names = re.findall(r"^  (\w+) ", listed, re.MULTILINE)
    page = f"# Commands\n\nThe output of `longarm --help` and of `longarm SUBCOMMAND --help`.\n\n{block(help_text)}"
    for name in names:
        page += f"\n## {name}\n\n{block(said(name, '--help'))}"
    return page


def table(lines):
    """Of lines that have a key and its meaning."""
    rows = [line.split(None, 1) for line in lines]
    return "| key | meaning |\n|---|---|\n" + "".join(f"| `{key}` | {cell(text)} |\n" for key, text in rows)


def cell(text):
    return text.replace("|", "\\|")


def keys():
    """The keys of a scenario with one arm, by the first word of their names."""
    paragraphs = said("keys").strip().split("\n\n")
    groups = {}
    for line in paragraphs[0].splitlines():
        groups.setdefault(line.split()[0].split(".")[0], []).append(line)
    page = ("# Keys of a scenario\n\n"
            "The output of `longarm keys`: the keys of a scenario with one arm, which `--set KEY=VALUE` changes.\n"
            "[actors.md](actors.md) lists the keys of actors in a cell.\n\n## General\n\n")
    page += table([line for lines in groups.values() if len(lines) == 1 for line in lines])
    for name, lines in groups.items():
        if len(lines) > 1:
            page += f"\n## {name}\n\n{table(lines)}"
    page += "".join(f"\n{paragraph}\n" for paragraph in paragraphs[1:-1])
    page += f"\n## Failures\n\nThe output of `longarm keys failures`.\n\n{block(said('keys', 'failures'))}"
    return page + f"\n## Names\n\nThe output of `longarm list`.\n\n{block(said('list'))}"


# --- errors --------------------------------------------------------------------------------------

# "cell.yaml:2:1: error: …" with a hint below it, or a line of the log: "warning     0.006000 s  world: …".
DIAGNOSTIC = re.compile(r"^(?:.*?: )?(error|warning)(?:: | +[\d.]+ s +\w+: )(.*)(?:\n  hint: (.*))?", re.MULTILINE)
MOST_NAMES = 4  # of a list of valid ones


def output_of(case):
    """What the command of a case says, in a folder with its files alone."""
    with tempfile.TemporaryDirectory(prefix="longarm-errors-") as folder, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = str(taken.getsockname()[1])
        for name, text in case.files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for command in [*case.before, case.command]:
            done = subprocess.run([PROGRAM, *(word.replace("{port}", port) for word in command)], cwd=folder,
                                  capture_output=True, text=True, env=ENVIRONMENT, stdin=subprocess.DEVNULL, timeout=120)
        text = (done.stderr + done.stdout).replace(port, "PORT")
        for place in (folder, str(ROOT)):
            text = text.replace(place + "/", "…/")
        return text


def diagnostic(case):
    """(severity, message, hint) of a case: the first that has the words it is about."""
    text = output_of(case)
    for severity, message, hint in DIAGNOSTIC.findall(text):
        if case.about in message:
            return severity, message, hint
    sys.exit(f"longarm {' '.join(case.command)}: no message that says '{case.about}' in\n{text}")


def shortened(text):
    """With the first of a long list of names."""
    found = re.fullmatch(r"(.*names are: )(.*)", text)
    names = found[2].split(", ") if found else []
    return found[1] + ", ".join([*names[:MOST_NAMES], "…"]) if len(names) > MOST_NAMES else text


def code(text):
    return f"`{cell(shortened(text))}`"


def prose(text):
    return cell(re.sub(r"[<>*]", lambda found: "\\" + found[0], shortened(text)))


def errors():
    """Messages in groups, in the order of error_cases.py, each once."""
    page = ("# Errors and warnings\n\n"
            "What Longarm says about mistakes in commands and files, by what you were doing. Search for a few words of the\n"
            "message; names, numbers and paths in it are examples. The right column begins with the program's own hint.\n\n"
            "In front of a message stands its place: the file with line and column (`cell.yaml:12:5: error: …`), or the\n"
            "option. All errors of a file are reported at once, with exit code 2, before anything runs; exit code 1 is a run\n"
            "that failed. A *warning* does not stop a run: check what it says before you trust the results.\n\n"
            "Servers answer their clients in the words of their protocols: [CRCL](crcl.md), [RTDE](ur-rtde.md#refusals),\n"
            "[URScript](urscript.md#errors), [Modbus](modbus.md#functions-and-exceptions), [joint topics](jointcmd.md).\n")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = {id(case): result for case, result in
                 zip(all_cases(), pool.map(diagnostic, all_cases()))}
    for heading, introduction, cases in error_cases.GROUPS:
        page += f"\n## {heading}\n\n" + (f"{introduction}\n\n" if introduction else "")
        page += "| message | what to do |\n|---|---|\n"
        hints = set()
        for case in cases:
            severity, message, hint = found[id(case)]
            mark = "*warning* " if severity == "warning" else ""
            said_before = hint in hints and len(hint) > 100
            hints.add(hint)
            advice = " ".join(part for part in ("as above" if said_before else sentence(prose(hint)), case.advice) if part)
            page += f"| {mark}{code(message)} | {advice} |\n"
    return page


def all_cases():
    return [case for _, _, cases in error_cases.GROUPS for case in cases]


def sentence(text):
    """A hint, before advice that follows it."""
    return text + ("" if not text or text[-1] in ".!?…" else ".")


PAGES = {"actors": actors, "commands": commands, "errors": errors, "keys": keys}


def main():
    if sys.argv[2:3] != ["--check"]:
        for name, make in PAGES.items():
            (FOLDER / f"{name}.md").write_text(make())
        return 0
    name = sys.argv[3]
    if (FOLDER / f"{name}.md").read_text() == PAGES[name]():
        return 0
    print(f"docs/reference/{name}.md is not what the program says; ./dev reference writes it again", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
