#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes those pages of docs/reference that are made of what the program says of itself.
"""Usage: reference_pages.py PROGRAM [--check PAGE]. Without --check, writes all pages.

--check writes nothing and fails if the page differs.
"""
import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/reference"


def said(*arguments):
    environment = {key: value for key, value in os.environ.items() if key != "LONGARM_DATA"}
    return subprocess.run([sys.argv[1], *arguments], check=True, capture_output=True, text=True, env=environment).stdout


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


PAGES = {"actors": actors, "commands": commands, "keys": keys}


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
