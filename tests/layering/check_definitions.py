#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when two files define different types under one name in one namespace.

No compiler or linker says so: the program takes one type's destructor for both, and frees what was never allocated.
Types in anonymous namespaces and nested types are their file's own. Tests are compared with their folder's, since both
are in one program.
"""

import collections
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])\'', re.S)
TOKEN = re.compile(r"namespace\s*(?P<namespace>[\w:]*)\s*\{"
                   r"|(?<!enum )\b(?:struct|class)\s+(?:\[\[\w+\]\]\s*)?(?P<type>\w+)(?:\s+final)?\s*(?::[^:;{}][^;{}]*)?\{"
                   r"|[{}]")


def types_of(path):
    """Qualified names of the types that a file defines for everybody."""
    scopes = []  # the name of a namespace, or None for everything else between braces
    for token in TOKEN.finditer(NOISE.sub(" ", path.read_text())):
        if token["namespace"] is not None:
            scopes.append(token["namespace"] or None)
        elif token["type"]:
            if None not in scopes:
                yield "::".join([*scopes, token["type"]])
            scopes.append(None)
        elif token[0] == "{":
            scopes.append(None)
        elif scopes:
            scopes.pop()


definitions = collections.defaultdict(set)
for path in sorted(path for top in ("longarm", "labs") for path in (root / top).rglob("*")):
    if path.suffix in (".h", ".cpp"):
        for name in types_of(path):
            definitions[name].add(path.relative_to(root))

problems = []
for name, paths in sorted(definitions.items()):
    tested = [path for path in paths if "test" in path.parts]
    plain = [path for path in paths if "test" not in path.parts]
    for folder in {path.parts[1] for path in paths}:
        together = plain + [path for path in tested if path.parts[1] == folder]
        if len(together) > 1:
            problems.append(f"{name} is defined in {', '.join(map(str, sorted(together)))}")
print("\n".join(sorted(set(problems))) if problems else f"{len(definitions)} types, each defined once")
sys.exit(bool(problems))
