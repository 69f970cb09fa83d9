#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on what no reader should find in texts: private codes, machine paths, long lines, broken links.

check_words.py ROOT [--summary]: every problem with its place, or only how many there are in each file
"""

import collections
import pathlib
import re
import subprocess
import sys

TOP = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CITATION.cff", "Dockerfile", "docs", "scenarios",
       "studies", "examples", "models", "clients", "kitting", "apps", "web"]
TEXT = {".md", ".yaml", ".sdf", ".urdf", ".py", ".h", ".cpp", ".txt", ".ts", ".mjs", ".css", ".html", ".cff", ".pddl", ""}
MOST_COLUMNS = 100
# Written by the program, in lines as long as they come.
GENERATED = {"actors.md", "commands.md", "errors.md", "keys.md"}

PRIVATE_CODE = re.compile(r"\bS00[0-4]\b|\b[ENKP][0-9]{2}\b")
# Words of the same form that everybody may read.
PUBLIC_CODES = {
    "P13", "P31", "P32", "P23", "P14",  # transition probabilities of tc netem's `loss state`
    "P95", "P99", "P50",                # percentiles
}
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home/\w+|Users/\w+)(?:/[\w.-]+)+")
DOCS_PATH = re.compile(r"\bdocs/[\w/-]+\.md\b")

LINK = re.compile(r"!?\[(?:[^\]\\`]|\\.|`[^`]*`)*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
IMAGE = re.compile(r"<(?:img|a)\b[^>]*?(?:src|href)=\"([^\"]+)\"")
HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*$")
FENCE = re.compile(r"\s*(```+|~~~+)")
INLINE_CODE = re.compile(r"(`+)(?:(?!\1).)*\1")


def text_files(root):
    """Files of the project below TOP: those that git knows, or all where there is no git."""
    asked = [name for name in TOP if (root / name).exists()]
    known = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "--", *asked],
                           capture_output=True, text=True)
    if known.returncode == 0:
        paths = [root / name for name in known.stdout.splitlines()]
    else:
        paths = [path for name in asked for path in [root / name, *(root / name).rglob("*")]]
    for path in sorted(paths):
        if path.is_file() and path.suffix in TEXT and not {"node_modules", "dist"} & set(path.parts):
            yield path


def slug(heading):
    """The anchor that Git hosts make of a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    plain = re.sub(r"[^\w\- ]", "", plain.lower())
    return plain.replace(" ", "-")


def outside_code(lines):
    """(number, line) of what is not in a fenced block."""
    fence = None
    for number, line in enumerate(lines, 1):
        found = FENCE.match(line)
        if found and (fence is None or line.strip().startswith(fence)):
            fence = found[1] if fence is None else None
        elif fence is None:
            yield number, line


def anchors(path, cache={}):
    if path not in cache:
        made = collections.Counter()
        cache[path] = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", path.read_text()))
        for _, line in outside_code(path.read_text().splitlines()):
            found = HEADING.match(line)
            if found:
                name = slug(found[1])
                cache[path].add(f"{name}-{made[name]}" if made[name] else name)
                made[name] += 1
    return cache[path]


def broken(path, target):
    """What is wrong with a link in the file `path`; None if nothing is."""
    if re.match(r"[a-z][a-z+.-]*:", target):
        return None
    name, _, anchor = target.partition("#")
    goal = (path.parent / name).resolve() if name else path
    if not goal.exists():
        return f"broken link '{target}'"
    if anchor and goal.suffix == ".md" and anchor not in anchors(goal):
        return f"no heading '#{anchor}' in {goal.name}"
    return None


def is_too_long(line):
    is_code = line.startswith("    ") and not re.match(r" {4,}([-*+]|\d+\.) ", line)
    if len(line) <= MOST_COLUMNS or is_code or line.lstrip().startswith(("|", "<img", "<a ")):
        return False
    # addresses cannot be broken
    without_addresses = re.sub(r"\]\([^)]*\)", "]()", re.sub(r"https?://\S+", "", line))
    return len(without_addresses) > MOST_COLUMNS


def problems_of(root, path):
    text = path.read_text(errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        for code in PRIVATE_CODE.findall(line):
            if code not in PUBLIC_CODES:
                yield number, f"private code '{code}'"
        for place in MACHINE_PATH.findall(line):
            yield number, f"machine path '{place}'"
        for page in DOCS_PATH.findall(line):
            if path.suffix != ".md" and not (root / page).exists():
                yield number, f"no page '{page}'"
    if path.suffix != ".md":
        return
    for number, line in outside_code(text.splitlines()):
        if is_too_long(line) and path.name not in GENERATED:
            yield number, f"{len(line)} columns"
    # links may go over a line's end
    plain = "\n".join(line for _, line in numbered_without_code(text.splitlines()))
    for found in [*LINK.finditer(plain), *IMAGE.finditer(plain)]:
        problem = broken(path, found[1])
        if problem:
            yield plain.count("\n", 0, found.start()) + 1, problem


def numbered_without_code(lines):
    """Every line, those of code blocks and code in lines blank, so that numbers stay."""
    kept = dict(outside_code(lines))
    for number in range(1, len(lines) + 1):
        line = kept.get(number, "")
        # code within the text of a link is part of it
        yield number, line if "](" in line else INLINE_CODE.sub("", line)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = collections.defaultdict(list)
    count = 0
    for path in text_files(root):
        count += 1
        for number, problem in problems_of(root, path):
            found[path.relative_to(root)].append(f"{path.relative_to(root)}:{number}: {problem}")
    for name, problems in found.items():
        print(f"{len(problems):5} {name}" if "--summary" in sys.argv else "\n".join(problems))
    total = sum(map(len, found.values()))
    print(f"{total} problems in {len(found)} of {count} files")
    return bool(total)


if __name__ == "__main__":
    sys.exit(main())
