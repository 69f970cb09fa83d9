#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes the gears, vessels and kit trays beside this file from their drawings; parts.md says where the numbers come from.
"""Usage: models/make_parts.py [--check] [FOLDER]. Lengths are millimetres here and metres in what is written.

--check writes nothing and fails if a file differs.
"""

import math
import pathlib
import sys

sys.dont_write_bytecode = True
from make_visuals import Mesh, lathe, loft, section  # noqa: E402

# gear: tip diameter, boss diameter below and above, heights of boss, disc and peg, mass in kg
GEARS = {
    "small": (47.4, 15.0, 40.0, 12.6, 6.0, 16.0, 0.008),
    "medium": (74.7, 39.8, 65.0, 12.6, 6.0, 16.0, 0.020),
    "large": (100.9, 64.0, 90.0, 13.0, 6.0, 16.0, 0.0385),
}
PEG_DIAMETER = 8.0
TEETH = {"small": 26, "medium": 30, "large": 36}
# what is drawn: colours that differ in brightness as well, for those who see no red or green
GEAR_COLOURS = {"small": "0.95 0.88 0.25 1", "medium": "0.00 0.42 0.70 1", "large": "0.84 0.37 0.05 1"}
PEG_COLOUR = "0.88 0.88 0.86 1"
VESSEL_COLOUR = "0.70 0.70 0.68 1"
KIT_COLOUR = "0.36 0.39 0.43 1"
# slot: floor and top diameter
SLOTS = {"small": (14.0, 40.0), "medium": (39.0, 65.0), "large": (64.0, 90.0)}
# tray: outline along x and y, slots with their centres
TRAYS = {
    "sku_small_gear_vessel": (132.0, 132.0, [("small", sx * 28.0, sy * 28.0) for sy in (1, -1) for sx in (-1, 1)]),
    "sku_medium_gear_vessel": (182.0, 182.0, [("medium", sx * 40.5, sy * 40.5) for sy in (1, -1) for sx in (-1, 1)]),
    "sku_large_gear_vessel": (240.3, 127.8, [("large", -55.0, 0.0), ("large", 55.0, 0.0)]),
    "sku_kit_m2l1_vessel": (160.0, 190.0, [("medium", -40.0, 55.0), ("medium", 40.0, 55.0), ("large", 0.0, -40.0)]),
    "sku_kit_s2l2_vessel": (
        220.0, 166.0,
        [("large", -55.0, 28.0), ("large", 55.0, 28.0), ("small", -40.0, -55.0), ("small", 40.0, -55.0)]),
}
TRAY_HEIGHT = 17.0
FLOOR_HEIGHT = 4.0
TRAY_MASS = 0.39

# what collides, where it differs from the drawing
PIECES = 8  # of a slot's wall
WALL_THICKNESS = 5.0
FLOOR_CLEARANCE = 0.5  # the floor is lower by this: a gear sits on its cone, not on both
DISC_CLEARANCE = 0.5  # the disc begins higher by this: it clears the tray's top
RING_HEIGHT = 9.0  # where the boss touches its slot, above its bottom
BOSS_CLEARANCE = 0.2  # below, it is thinner by this

SLIDING_FRICTION = 0.3
GRIP_FRICTION = 0.8
TRAY_FRICTION = 0.6
STIFFNESS = "<kp>1e5</kp><kd>5</kd>"  # N/m and N s/m: a gear of 0.4 N sinks in by less than a micrometre


def number(value):
    """Rounded to nanometres and the like, without trailing zeros."""
    text = f"{value:.9f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def frustum(lower_radius, upper_radius, height, bottom):
    """Volume, centre height, and moments about the centre along z and across, per density."""
    if math.isclose(lower_radius, upper_radius):
        area = math.pi * lower_radius**2
        volume = area * height
        return (volume, bottom + height / 2, volume * lower_radius**2 / 2,
                volume * (3 * lower_radius**2 + height**2) / 12)
    # r(z) is a straight line: integrals of r^2, z r^2, r^4 and z^2 r^2 by Gauss's rule, exact to the ninth power
    nodes = (-0.906179845938664, -0.538469310105683, 0.0, 0.538469310105683, 0.906179845938664)
    weights = (0.236926885056189, 0.478628670499366, 0.568888888888889, 0.478628670499366, 0.236926885056189)
    volume = first = fourth = second = 0.0
    for node, weight in zip(nodes, weights):
        z = height * (1 + node) / 2
        r = lower_radius + (upper_radius - lower_radius) * z / height
        w = weight * height / 2
        volume += w * math.pi * r**2
        first += w * math.pi * r**2 * z
        second += w * math.pi * r**2 * z**2
        fourth += w * math.pi * r**4
    centre = first / volume
    return volume, bottom + centre, fourth / 2, fourth / 4 + second - volume * centre**2


def lumped(parts, mass):
    """Mass, centre and tensor of solids of one density: (volume, (x, y, z), (ixx, iyy, izz)); holes are negative."""
    total = sum(volume for volume, _, _ in parts)
    centre = [sum(volume * at[i] for volume, at, _ in parts) / total for i in range(3)]
    tensor = [[0.0] * 3 for _ in range(3)]
    for volume, at, own in parts:
        d = [at[i] - centre[i] for i in range(3)]
        square = sum(x * x for x in d)
        for i in range(3):
            tensor[i][i] += own[i] + volume * square
            for j in range(3):
                tensor[i][j] -= volume * d[i] * d[j]
    scale = mass / total
    return mass, centre, [[value * scale for value in row] for row in tensor]


def inertial(mass, centre, tensor):
    moments = "".join(
        f"<{tag}>{tensor[i][j] * 1e-6:.6g}</{tag}>"
        for tag, i, j in (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2)))
    place = " ".join(number(c * 1e-3) for c in centre)
    return [f"<inertial><pose>{place} 0 0 0</pose><mass>{number(mass)}</mass>",
            f"  <inertia>{moments}</inertia></inertial>"]


def pose(x, y, z, roll=0.0, pitch=0.0, yaw=0.0):
    return f"<pose>{' '.join(number(c * 1e-3) for c in (x, y, z))} {' '.join(number(c) for c in (roll, pitch, yaw))}</pose>"


def collision(name, place, shape, friction):
    return [f'<collision name="{name}">{place}<geometry>{shape}</geometry>',
            f"  <surface><contact><ode>{STIFFNESS}</ode></contact><friction><ode><mu>{friction}</mu></ode></friction></surface></collision>"]


def visual(name, place, shape, colour):
    return [f'<visual name="{name}">{place}<geometry>{shape}</geometry>',
            f"  <material><ambient>{colour}</ambient><diffuse>{colour}</diffuse></material></visual>"]


def mesh(file):
    return f"<mesh><uri>meshes/{file}.obj</uri><scale>0.001 0.001 0.001</scale></mesh>"


def cylinder(radius, length):
    return f"<cylinder><radius>{number(radius * 1e-3)}</radius><length>{number(length * 1e-3)}</length></cylinder>"


def box(x, y, z):
    return f"<box><size>{' '.join(number(c * 1e-3) for c in (x, y, z))}</size></box>"


def gear(size):
    tip, below, above, boss_height, disc_height, peg_height, mass = GEARS[size]
    disc_bottom, peg_bottom = boss_height, boss_height + disc_height
    parts = []
    for lower, upper, height, bottom in ((below / 2, above / 2, boss_height, 0.0),
                                         (tip / 2, tip / 2, disc_height, disc_bottom),
                                         (PEG_DIAMETER / 2, PEG_DIAMETER / 2, peg_height, peg_bottom)):
        volume, centre, along, across = frustum(lower, upper, height, bottom)
        parts.append((volume, (0.0, 0.0, centre), (across, across, along)))
    lines = inertial(*lumped(parts, mass))
    shapes = [
        ("boss", below / 2 - BOSS_CLEARANCE, 0.0, RING_HEIGHT, SLIDING_FRICTION),
        ("ring", below / 2 + RING_HEIGHT, RING_HEIGHT, disc_bottom + DISC_CLEARANCE, SLIDING_FRICTION),
        ("disc", tip / 2, disc_bottom + DISC_CLEARANCE, peg_bottom, SLIDING_FRICTION),
        ("peg", PEG_DIAMETER / 2, peg_bottom, peg_bottom + peg_height, GRIP_FRICTION),
    ]
    for name, radius, low, high, friction in shapes:
        place, shape = pose(0, 0, (low + high) / 2), cylinder(radius, high - low)
        lines += collision(name, place, shape, friction)
        if name == "peg":
            lines += visual(name, place, shape, PEG_COLOUR)
    lines += visual("gear", "", mesh("gear"), GEAR_COLOURS[size])
    return lines, [("peg", pose(0, 0, peg_bottom + peg_height / 2))], {"gear": gear_mesh(size)}


def gear_mesh(size):
    """Boss and toothed disc; a tooth is 2.25 modules high, and narrower at its tip."""
    tip, below, above, boss_height, disc_height = GEARS[size][:5]
    teeth, top = TEETH[size], boss_height + disc_height
    root = tip / 2 - 2.25 * tip / (teeth + 2)
    outline = []
    for i in range(teeth):
        for radius, share in ((root, -0.32), (tip / 2, -0.14), (tip / 2, 0.14), (root, 0.32)):
            angle = 2 * math.pi * (i + share) / teeth
            outline.append((radius * math.cos(angle), radius * math.sin(angle)))
    disc = loft([[(x, y, z) for x, y in outline] for z in (boss_height, top)], ends="none")
    count = len(outline)
    for first, turn in ((0, lambda face: face[::-1]), (count, lambda face: face)):
        disc.faces += [turn(tuple(first + 4 * i + k for k in range(4))) for i in range(teeth)]
        disc.faces.append(turn(tuple(first + 4 * i + k for i in range(teeth) for k in (0, 3))))
    return lathe((below / 2, 0), (above / 2, boss_height), ends="first") + disc


def seat_height(size):
    """Of a gear's bottom above the tray's underside: where both cones of 45 degrees meet."""
    return FLOOR_HEIGHT + (GEARS[size][1] - SLOTS[size][0]) / 2


def top_rectangles(width, depth, slots):
    """The outline without squares around the slots, as rectangles (x0, x1, y0, y1)."""
    squares = [(x - SLOTS[s][1] / 2, x + SLOTS[s][1] / 2, y - SLOTS[s][1] / 2, y + SLOTS[s][1] / 2) for s, x, y in slots]
    cuts = sorted({-depth / 2, depth / 2} | {c for q in squares for c in q[2:]})
    rows = []
    for y0, y1 in zip(cuts, cuts[1:]):
        blocked = sorted(q[:2] for q in squares if q[2] < y1 and q[3] > y0)
        x, free = -width / 2, []
        for x0, x1 in blocked:
            if x0 > x:
                free.append((x, x0))
            x = max(x, x1)
        if x < width / 2:
            free.append((x, width / 2))
        rows += [(x0, x1, y0, y1) for x0, x1 in free]
    merged = []
    for x0, x1, y0, y1 in rows:
        for i, other in enumerate(merged):
            if other[:2] == (x0, x1) and math.isclose(other[3], y0):
                merged[i] = (x0, x1, other[2], y1)
                break
        else:
            merged.append((x0, x1, y0, y1))
    return merged


def wall(name, size, x, y):
    """Boxes all around whose inner faces touch the cone from outside: a round gear sits exactly as deep as in the cone."""
    floor, top = (d / 2 for d in SLOTS[size])
    length = (TRAY_HEIGHT - FLOOR_HEIGHT) * math.sqrt(2)
    width = 2 * top * math.tan(math.pi / PIECES)
    lines = []
    for i in range(PIECES):
        yaw = 2 * math.pi * i / PIECES
        # the middle of the inner face, then half the thickness outwards and down
        radius = (floor + top) / 2 + WALL_THICKNESS / 2 / math.sqrt(2)
        height = (FLOOR_HEIGHT + TRAY_HEIGHT) / 2 - WALL_THICKNESS / 2 / math.sqrt(2)
        place = pose(x + radius * math.cos(yaw), y + radius * math.sin(yaw), height, 0, -math.pi / 4, yaw)
        lines += collision(f"{name}_wall_{i + 1}", place, box(length, width, WALL_THICKNESS), SLIDING_FRICTION)
    return lines


def tray(name):
    width, depth, slots = TRAYS[name]
    volume = width * depth * TRAY_HEIGHT
    squares = (width**2, depth**2, TRAY_HEIGHT**2)
    parts = [(volume, (0.0, 0.0, TRAY_HEIGHT / 2),
              tuple(volume / 12 * (sum(squares) - squares[i]) for i in range(3)))]
    for size, x, y in slots:
        hole, centre, along, across = frustum(SLOTS[size][0] / 2, SLOTS[size][1] / 2, TRAY_HEIGHT - FLOOR_HEIGHT,
                                              FLOOR_HEIGHT)
        parts.append((-hole, (x, y, centre), (-across, -across, -along)))
    lines = inertial(*lumped(parts, TRAY_MASS))
    floor = FLOOR_HEIGHT - FLOOR_CLEARANCE
    plates = [("floor", pose(0, 0, floor / 2), box(width, depth, floor))]
    for i, (x0, x1, y0, y1) in enumerate(top_rectangles(width, depth, slots)):
        plates.append((f"top_{i + 1}", pose((x0 + x1) / 2, (y0 + y1) / 2, (floor + TRAY_HEIGHT) / 2),
                       box(x1 - x0, y1 - y0, TRAY_HEIGHT - floor)))
    for plate, place, shape in plates:
        lines += collision(plate, place, shape, TRAY_FRICTION)
    frames = []
    for i, (size, x, y) in enumerate(slots):
        lines += wall(f"slot_{i + 1}", size, x, y)
        frames.append((f"slot_{i + 1}_{size}", pose(x, y, seat_height(size))))
    lines += visual("tray", "", mesh("tray"), KIT_COLOUR if "kit" in name else VESSEL_COLOUR)
    return lines, frames, {"tray": tray_mesh(width, depth, slots)}


def tray_mesh(width, depth, slots):
    """A plate with conical slots and a chamfer of 1 mm around its top."""
    def corners(inset, z):
        return [(sx * (width / 2 - inset), sy * (depth / 2 - inset), z) for sx, sy in ((1, 1), (-1, 1), (-1, -1), (1, -1))]

    out = loft([corners(0, 0), corners(0, TRAY_HEIGHT - 1), corners(1, TRAY_HEIGHT)], ends="first")
    for x0, x1, y0, y1 in top_rectangles(width - 2, depth - 2, slots):
        out += Mesh([(x, y, TRAY_HEIGHT) for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))], [(0, 1, 2, 3)])
    for size, x, y in slots:
        floor, top = (d / 2 for d in SLOTS[size])
        rims = [section(FLOOR_HEIGHT, floor, floor, x=x, y=y), section(TRAY_HEIGHT, top, top, x=x, y=y)]
        # around the slot's rim lies a square: every point of the rim has one on it
        square = []
        for px, py, z in rims[1]:
            stretch = top / max(abs(px - x), abs(py - y))
            square.append((x + (px - x) * stretch, y + (py - y) * stretch, z))
        for k in range(4):  # the points next to a corner meet in it
            middle = len(square) // 8 + k * len(square) // 4
            corner = (x + (top if k in (0, 3) else -top), y + (top if k in (0, 1) else -top), TRAY_HEIGHT)
            square[middle - 1] = square[middle] = corner
        out += loft([list(reversed(rim)) for rim in (rims[0], rims[1], square)], ends="first")
    return out


def written(folder, name, what, content):
    """The files of one model, and their texts."""
    lines, frames, meshes = content
    text = ['<?xml version="1.0"?>', "<!-- SPDX-License-Identifier: Apache-2.0 -->",
            f"<!-- {what} Written by ../make_parts.py; ../parts.md says where the numbers come from. -->",
            '<sdf version="1.9">', f'  <model name="{name}">', '    <link name="body">']
    text += ["      " + line for line in lines]
    text += ["    </link>"]
    text += [f'    <frame name="{frame}" attached_to="body">{place}</frame>' for frame, place in frames]
    text += ["  </model>", "</sdf>", ""]
    files = {folder / name / f"{name}.sdf": "\n".join(text)}
    for file, each in meshes.items():
        what = f"{name}: {file}, millimetres. Written by ../../make_parts.py."
        files[folder / name / "meshes" / f"{file}.obj"] = each.text(what, 2)
    return files


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    folder = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).parent
    files = {}
    for size in GEARS:
        files |= written(folder, f"sku_part_{size}_gear",
                         f"A {size} gear of the first generation; its frame is the middle of its bottom.", gear(size))
    for name in TRAYS:
        files |= written(folder, name, "A tray with conical slots; its frame is the middle of its underside, those of "
                         "its slots are where a seated gear's frame is.", tray(name))
    if "--check" in sys.argv[1:]:
        problems = [f"{path}: not what make_parts.py writes" for path, text in files.items()
                    if not path.exists() or path.read_text(encoding="utf-8") != text]
        print("\n".join(problems) if problems else f"{len(files)} files are up to date")
        sys.exit(bool(problems))
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
