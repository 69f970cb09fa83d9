#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wraps paragraphs of Markdown files that have lines of more than 100 columns; leaves everything else as it is.

wrap_lines.py FILE...
"""

import pathlib
import re
import sys

from check_words import FENCE, MOST_COLUMNS, is_too_long

ITEM = re.compile(r"(\s*(?:[-*+]|\d+[.)])\s+|\s*>\s?|\s*)(.*)")
# A code span, a link or a word, with what sticks to it.
WORD = re.compile(r"(?:`+[^`]+`+|!?\[[^\]]*\]\([^)]*\)|\S)+")
# What would begin something else at the start of a line.
BEGINS = re.compile(r"([-*+>|]|#+|\d+[.)])$|[|#]|```")


def is_plain(line):
    """Whether a line is text that may be wrapped."""
    return bool(line.strip()) and not re.match(r"\s*(\||#|<|\[[^\]]+\]:|---|===)| {4}", line)


def wrap(paragraph):
    first, indent = ITEM.match(paragraph[0])[1], ""
    indent = first if first.strip() == ">" else " " * len(first)
    text = " ".join([ITEM.match(paragraph[0])[2], *(line.strip().lstrip("> ") if ">" in first else line.strip()
                                                     for line in paragraph[1:])])
    lines, line = [], first
    for word in WORD.findall(text):
        if len(line) + len(word) > MOST_COLUMNS and line.strip() not in ("", first.strip()) and not BEGINS.match(word):
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return [*lines, line.rstrip()]


def paragraphs(lines):
    """Lists of lines that belong together; what must not be wrapped comes one by one."""
    fence, paragraph, has_item = None, [], False
    for line in lines:
        found = FENCE.match(line)
        begins_item = re.match(r"\s*(?:[-*+]|\d+[.)])\s", line)
        is_text = fence is None and not found and (is_plain(line) or (has_item and line.strip() and line.startswith(" ")))
        if paragraph and (not is_text or begins_item):
            yield paragraph, True
            paragraph = []
        if is_text:
            paragraph.append(line)
            has_item = has_item or bool(begins_item)
            continue
        if not line.strip() or fence or found:
            has_item = has_item and not line.strip()
        if found and (fence is None or line.strip().startswith(fence)):
            fence = found[1] if fence is None else None
        yield [line], False
    if paragraph:
        yield paragraph, True


def main():
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        old = path.read_text()
        new = []
        for lines, is_text in paragraphs(old.splitlines()):
            # a hard break at a line's end is kept by keeping the paragraph
            can_wrap = is_text and any(map(is_too_long, lines)) and not any(line.endswith("  ") for line in lines)
            new += wrap(lines) if can_wrap else lines
        path.write_text("\n".join(new) + "\n")


if __name__ == "__main__":
    main()
