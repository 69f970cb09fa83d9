#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a folder of longarm/ or labs/ needs a folder that docs/explanation/architecture.md does not list above it, or sub-folders need each other in circles."""

import graphlib
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
problems = []

# the map: the order of its lines in docs/explanation/architecture.md is the order of the layers; labs/ itself is called labs
lines = re.findall(r"^(?:longarm|labs)/(\w*)/?( .*\n(?: .*\n)*)", (root / "docs/explanation/architecture.md").read_text(), re.MULTILINE)
order = [name or "labs" for name, _ in lines]
named = {name or "labs": re.findall(r"(\w+)/", text) for name, text in lines}
places = {path.parent.name: path.parent for top in ("longarm", "labs") for path in (root / top).glob("*/CMakeLists.txt")}
places["labs"] = root / "labs"
folders = sorted(places)
for name in folders:
    if name not in order:
        problems.append(f"docs/explanation/architecture.md: {places[name].relative_to(root)}/ is not on the map")
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


def check_inside(folder, order):
    """Sub-folders need only those before them in `order`, and make no circle with the folder's own headers; its sources, which
    register what there is, may use them all."""
    children = [path for path in sorted(folder.iterdir()) if path.is_dir() and path.name != "test" and not (path / "CMakeLists.txt").exists()]
    files = {path.name: found for path in children if (found := [*path.rglob("*.h"), *path.rglob("*.cpp")])}
    files["."] = folder.glob("*.h")
    include = re.compile(rf'#include "{folder.relative_to(root)}/(?:(\w+)/)?[\w/]+\.h"')
    needs = {name: {other or "." for file in found for other in include.findall(file.read_text())} - {name} for name, found in files.items()}
    rank = {".": -1} | {name: index for index, name in enumerate(order)}
    for name in files.keys() - rank.keys():
        problems.append(f"docs/explanation/architecture.md: {(folder / name).relative_to(root)}/ is not on the map")
    for name, others in needs.items():
        for other in others:
            if name != "." and rank.get(other, -1) > rank.get(name, -1):
                problems.append(f"{(folder / name).relative_to(root)}/ may not include {other}/, which the map does not name before it")
    try:
        graphlib.TopologicalSorter(needs).prepare()
    except graphlib.CycleError as error:
        problems.append(f"{folder.relative_to(root)}/: a circle of includes: {' < '.join(error.args[1])}")
    for path in children:
        check_inside(path, order)


for name in folders:
    check_inside(places[name], named.get(name, []))

print("\n".join(problems) if problems else f"{len(folders)} folders, all in order")
sys.exit(bool(problems))
