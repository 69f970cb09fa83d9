#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a source file does not open with its licence and a sentence saying what it is for."""

import pathlib
import sys

root = pathlib.Path(sys.argv[1])
TOP = ["CMakeLists.txt", "dev", ".ci", "apps", "bench", "clients", "cmake", "examples", "labs", "longarm", "models", "scenarios", "studies",
       "tests", "web"]
paths = [path for top in TOP for path in sorted([root / top, *(root / top).rglob("*")])]
problems = []
for path in paths:
    name = path.relative_to(root)
    if "node_modules" in name.parts or name.parts[:2] == ("web", "dist"):  # what npm fetched and made
        continue
    if not path.is_file() or path.suffix not in (".h", ".cpp", ".ts", ".mjs", ".css", ".py", ".cmake", ".yaml", ".urdf",
                                                  ".sdf", ""):
        continue
    if path.suffix == "" and path.name not in ("dev", "run"):
        continue
    lines = path.read_text().splitlines()
    if not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines[:3]):
        problems.append(f"{name}: no SPDX line")
    if path.suffix in (".h", ".cpp", ".ts", ".mjs") and not (len(lines) > 1 and lines[1].startswith("// ")):
        problems.append(f"{name}:2: no sentence saying what the file is for")
    if path.suffix == ".h" and "#pragma once" not in lines:
        problems.append(f"{name}: no #pragma once")
print("\n".join(problems) if problems else "all files open as they should")
sys.exit(bool(problems))
