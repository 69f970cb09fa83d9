# SPDX-License-Identifier: Apache-2.0
"""Small pictures and figures of distributions, with nothing but the standard library."""

import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 64, 64, 36, 48
COLOURS = ["#1f6f8b", "#d1495b", "#66a182", "#8d6a9f"]


def summary(values):
    """Mean, standard deviation and percentiles of values in seconds, as milliseconds."""
    ordered = sorted(values)
    mean = sum(ordered) / len(ordered)
    spread = math.sqrt(sum((each - mean) ** 2 for each in ordered) / max(1, len(ordered) - 1))

    def at(share):
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    return {"count": len(ordered), "mean": mean * 1e3, "sd": spread * 1e3, "p50": at(0.5) * 1e3, "p90": at(0.9) * 1e3,
            "p99": at(0.99) * 1e3}


def _frame(title, x_label, y_label):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
            f'<text x="{WIDTH / 2}" y="20" text-anchor="middle" font-size="14">{title}</text>',
            f'<text x="{WIDTH / 2}" y="{HEIGHT - 10}" text-anchor="middle">{x_label}</text>',
            f'<text x="16" y="{HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 16 {HEIGHT / 2})">{y_label}</text>',
            f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}" fill="none" stroke="#888"/>']


def _x(share):
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share):
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _line(points, colour, dashes=""):
    path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>'


def _legend(names):
    return [f'<text x="{WIDTH - RIGHT - 8}" y="{TOP + 18 + 16 * i}" text-anchor="end" fill="{COLOURS[i]}">{name}</text>'
            for i, name in enumerate(names)]


def distributions(path, title, named_values):
    """Histograms, one outline for each {name: seconds}, over milliseconds."""
    everything = sorted(each for values in named_values.values() for each in values)
    low, high = everything[0] * 1e3, everything[int(0.995 * (len(everything) - 1))] * 1e3
    high = max(high, low + 1e-6)
    bins = 60
    outlines = {}
    for name, values in named_values.items():
        counts = [0] * bins
        for each in values:
            index = int((each * 1e3 - low) / (high - low) * bins)
            if 0 <= index < bins:
                counts[index] += 1
        outlines[name] = [count / len(values) for count in counts]
    top = max(max(each) for each in outlines.values()) * 1.1
    lines = _frame(title, "cycle time / ms", "share of cycles")
    for i, shares in enumerate(outlines.values()):
        points = [(k / bins, share / top) for b, share in enumerate(shares) for k in (b, b + 1)]
        lines.append(_line(points, COLOURS[i]))
    for k in range(5):
        lines.append(f'<text x="{_x(k / 4)}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{low + (high - low) * k / 4:.2f}</text>')
        lines.append(f'<text x="{LEFT - 6}" y="{_y(k / 4) + 4}" text-anchor="end">{top * k / 4:.2f}</text>')
    lines += _legend(outlines)
    _write(path, lines)


def two_axes(path, title, x_label, xs, left, right):
    """Two curves over a logarithmic axis; `left` and `right` are (label, values)."""
    lines = _frame(title, x_label, left[0])
    low, high = math.log10(min(xs)), math.log10(max(xs))
    for i, (label, values) in enumerate((left, right)):
        top = max(max(values), 1e-12) * 1.1
        lines.append(_line([((math.log10(x) - low) / (high - low), max(0.0, y) / top) for x, y in zip(xs, values)], COLOURS[i]))
        for k in range(5):
            x, anchor = (LEFT - 6, "end") if i == 0 else (WIDTH - RIGHT + 6, "start")
            lines.append(f'<text x="{x}" y="{_y(k / 4) + 4}" text-anchor="{anchor}" fill="{COLOURS[i]}">{top * k / 4:.3g}</text>')
    for x in xs:
        lines.append(f'<text x="{_x((math.log10(x) - low) / (high - low))}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{x:g}</text>')
    lines += _legend([left[0], right[0]])
    _write(path, lines)


def _write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "</svg>", ""]))
