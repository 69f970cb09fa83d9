#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a folder of longarm/ needs a folder that docs/architecture.md does not list above it."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
problems = []

# the map: the order of "longarm/NAME/" lines in docs/architecture.md is the order of the layers
order = re.findall(r"^longarm/(\w+)/", (root / "docs/architecture.md").read_text(), re.MULTILINE)
folders = sorted(path.parent.name for path in (root / "longarm").glob("*/CMakeLists.txt"))
for name in folders:
    if name not in order:
        problems.append(f"docs/architecture.md: longarm/{name}/ is not on the map")
rank = {name: index for index, name in enumerate(order)}

# what each folder says it depends on, and what that makes reachable
depends = {}
for name in folders:
    text = (root / "longarm" / name / "CMakeLists.txt").read_text()
    depends[name] = set(re.findall(r"longarm::(\w+)", text))
    for other in sorted(depends[name]):
        if rank.get(other, -1) >= rank.get(name, -1):
            problems.append(f"longarm/{name}/CMakeLists.txt: {name} may not depend on {other}, which is not above it")


def reachable(name, seen=frozenset()):
    return {name}.union(*(reachable(d, seen | {name}) for d in depends.get(name, set()) - seen))


# what each file includes
for name in folders:
    allowed = reachable(name)
    for path in sorted((root / "longarm" / name).rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'#include [<"](longarm|apps|bench|tests|examples)/(\w+)/', line)
            if match and (match.group(1) != "longarm" or match.group(2) not in allowed):
                problems.append(f"{path.relative_to(root)}:{number}: {name} may not include {match.group(1)}/{match.group(2)}")

print("\n".join(problems) if problems else f"{len(folders)} folders, all in order")
sys.exit(bool(problems))
