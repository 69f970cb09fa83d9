#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a folder of longarm/ or labs/ needs a folder that docs/architecture.md does not list above it."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
problems = []

# the map: the order of its lines in docs/architecture.md is the order of the layers; labs/ itself is called labs
order = re.findall(r"^(?:longarm|labs)/(\w*)/? ", (root / "docs/architecture.md").read_text(), re.MULTILINE)
order = [name or "labs" for name in order]
places = {path.parent.name: path.parent for top in ("longarm", "labs") for path in (root / top).glob("*/CMakeLists.txt")}
places["labs"] = root / "labs"
folders = sorted(places)
for name in folders:
    if name not in order:
        problems.append(f"docs/architecture.md: {places[name].relative_to(root)}/ is not on the map")
rank = {name: index for index, name in enumerate(order)}

# what each folder says it depends on, and what that makes reachable
depends = {}
for name in folders:
    # whom tests link to besides is their own affair
    text = (places[name] / "CMakeLists.txt").read_text().split("if(LONGARM_TESTS)")[0]
    depends[name] = set(re.findall(r"longarm::(\w+)", text))
    for other in sorted(depends[name]):
        if rank.get(other, -1) >= rank.get(name, -1):
            problems.append(f"{places[name].relative_to(root)}/CMakeLists.txt: {name} may not depend on {other}, which is not above it")


def reachable(name, seen=frozenset()):
    return {name}.union(*(reachable(d, seen | {name}) for d in depends.get(name, set()) - seen))


# what each file includes; tests may use everything that comes with the program
for name in folders:
    allowed = reachable(name)
    found = places[name].glob("*") if name == "labs" else places[name].rglob("*")
    for path in sorted(found):
        if path.suffix not in (".h", ".cpp"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'#include [<"](?:(apps|bench|tests|examples)/|longarm/(\w+)/|(labs)/(?:labs.h|test/)|labs/(\w+)/)', line)
            if not match or (match.group(3) and "test" in path.parts):
                continue
            other = next(group for group in match.groups() if group)
            if match.group(1) or other not in allowed:
                problems.append(f"{path.relative_to(root)}:{number}: {name} may not include {other}")

print("\n".join(problems) if problems else f"{len(folders)} folders, all in order")
sys.exit(bool(problems))
