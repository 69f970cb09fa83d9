#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes the meshes that our robots, grippers and cell furniture are drawn with, from their published dimensions.
"""Usage: models/make_visuals.py [--check] [FOLDER]. Lengths are millimetres, here and in what is written.

Each model below returns {file: mesh}; a file is named after its link and material, and its mesh is in the link's frame.
Colours, and which link shows which file, are in the model files. --check writes nothing and fails if a file differs.
"""

import math
import pathlib
import sys

SEGMENTS = 24  # around a circle
ROUNDING = 0.732  # of the way from a corner to its chord: two facets that turn by 30 degrees each at a right angle


# Meshes ---------------------------------------------------------------------------------------------------------------


class Mesh:
    """Corners and faces, anticlockwise seen from outside. Operations return new meshes; + merges."""

    def __init__(self, points=(), faces=()):
        self.points, self.faces = list(points), list(faces)

    def __add__(self, other):
        first = len(self.points)
        return Mesh(self.points + other.points, self.faces + [tuple(i + first for i in face) for face in other.faces])

    def moved(self, x=0.0, y=0.0, z=0.0):
        return Mesh([(a + x, b + y, c + z) for a, b, c in self.points], self.faces)

    def along(self, axis):
        """Turned so that its z axis points along one of x, y, z, -x, -y, -z."""
        turn = {
            "x": lambda x, y, z: (z, x, y), "-x": lambda x, y, z: (-z, -x, y),
            "y": lambda x, y, z: (y, z, x), "-y": lambda x, y, z: (-y, -z, x),
            "z": lambda x, y, z: (x, y, z), "-z": lambda x, y, z: (x, -y, -z),
        }[axis]
        return Mesh([turn(*point) for point in self.points], self.faces)

    def standing(self):
        """Turned about x by a right angle: an outline in x and y becomes one in x and z, extruded along -y."""
        return Mesh([(x, -z, y) for x, y, z in self.points], self.faces)

    def turned(self, degrees, axis="z"):
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        turn = {
            "x": lambda x, y, z: (x, c * y - s * z, s * y + c * z),
            "y": lambda x, y, z: (c * x + s * z, y, c * z - s * x),
            "z": lambda x, y, z: (c * x - s * y, s * x + c * y, z),
        }[axis]
        return Mesh([turn(*point) for point in self.points], self.faces)

    def mirrored(self, axis):
        sign = [-1.0 if name == axis else 1.0 for name in "xyz"]
        return Mesh([tuple(s * c for s, c in zip(sign, point)) for point in self.points],
                    [tuple(reversed(face)) for face in self.faces])

    def both_sides(self, axis):
        return self + self.mirrored(axis)

    def text(self, what, decimals=1):
        """Wavefront OBJ; corners that round to the same place are one."""
        numbers, lines, renumbered = {}, [], []
        for point in self.points:
            line = "v " + " ".join(number(c, decimals) for c in point)
            if line not in numbers:
                numbers[line] = len(numbers) + 1
                lines.append(line)
            renumbered.append(numbers[line])
        for face in self.faces:
            corners = [renumbered[i] for i in face]
            corners = [c for i, c in enumerate(corners) if c != corners[i - 1]]
            if len(corners) > 2:
                lines.append("f " + " ".join(map(str, corners)))
        return f"# SPDX-License-Identifier: Apache-2.0\n# {what}\n" + "\n".join(lines) + "\n"


def number(value, decimals):
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".") if decimals else f"{value:.0f}"
    return "0" if text in ("-0", "") else text


def merged(*meshes):
    return sum(meshes, Mesh())


def loft(sections, ends="both"):
    """A skin over closed curves of equally many points, anticlockwise seen from where the last one is."""
    count = len(sections[0])
    points = [point for section in sections for point in section]
    faces = []
    for row in range(len(sections) - 1):
        for i in range(count):
            j = (i + 1) % count
            faces.append((row * count + i, row * count + j, (row + 1) * count + j, (row + 1) * count + i))
    if ends in ("both", "first"):
        faces.append(tuple(reversed(range(count))))
    if ends in ("both", "last"):
        faces.append(tuple(range(len(points) - count, len(points))))
    return Mesh(points, faces)


def rounded(corners):
    """A polyline without its corners: (a, b) stays, (a, b, radius) becomes two facets."""
    out = []
    for i, (a, b, *radius) in enumerate(corners):
        if not radius or i in (0, len(corners) - 1):
            out.append((a, b))
            continue
        ends = []
        for c, d, *_ in (corners[i - 1], corners[i + 1]):
            length = math.hypot(c - a, d - b)
            ends.append((a + (c - a) / length * radius[0], b + (d - b) / length * radius[0]))
        middle = [(p + q) / 2 for p, q in zip(*ends)]
        out += [ends[0], (a + ROUNDING * (middle[0] - a), b + ROUNDING * (middle[1] - b)), ends[1]]
    return out


def lathe(*profile, segments=SEGMENTS, ends="both"):
    """Turned about z: (radius, z) or (radius, z, rounding) from the bottom up; ends that are not closed are hidden."""
    circle = [(math.cos(t), math.sin(t)) for t in (2 * math.pi * i / segments for i in range(segments))]
    return loft([[(r * c, r * s, z) for c, s in circle] for r, z in rounded(profile)], ends)


def section(z, half_x, half_y, corner=None, x=0.0, y=0.0, segments=SEGMENTS):
    """A rectangle with round corners at height z; a circle if both halves and the corner are equal."""
    corner = min(half_x, half_y) if corner is None else corner
    quarter = segments // 4
    points = []
    for k in range(4):
        sx, sy = ((1, 1), (-1, 1), (-1, -1), (1, -1))[k]
        for i in range(quarter):
            t = math.pi / 2 * (k + (i + 0.5) / quarter)
            points.append((x + sx * (half_x - corner) + corner * math.cos(t),
                           y + sy * (half_y - corner) + corner * math.sin(t), z))
    return points


def slab(size, low, high, corner, edge=0.0, x=0.0, y=0.0, segments=12):
    """A box of (x, y) size between two heights, with round corners seen from above and rounded edges."""
    if edge == 0.0:
        levels = [(0.0, low), (0.0, high)]
    else:
        levels = rounded([(edge * 2, low), (0.0, low, edge), (0.0, high, edge), (edge * 2, high)])[1:-1]
    return loft([section(z, size[0] / 2 - inset, size[1] / 2 - inset, max(corner - inset, 0.1), x, y, segments)
                 for inset, z in levels])


def inset_outline(outline, inset):
    """Every edge moved inwards; for outlines whose edges are longer than that."""
    out = []
    for i, (x, y) in enumerate(outline):
        (x0, y0), (x1, y1) = outline[i - 1], outline[(i + 1) % len(outline)]
        first, second = math.hypot(x - x0, y - y0), math.hypot(x1 - x, y1 - y)
        n0, n1 = (-(y - y0) / first, (x - x0) / first), (-(y1 - y) / second, (x1 - x) / second)
        scale = inset / (1.0 + n0[0] * n1[0] + n0[1] * n1[1])
        out.append((x + scale * (n0[0] + n1[0]), y + scale * (n0[1] + n1[1])))
    return out


def extruded(outline, low, high, edge=0.0, soft=False):
    """A convex outline, anticlockwise, between two heights; edges are chamfered, or rounded if soft."""
    levels = [(0.0, low), (0.0, high)]
    if edge > 0.0:
        levels = [(edge, low), (0.0, low + edge), (0.0, high - edge), (edge, high)]
    if edge > 0.0 and soft:
        levels = rounded([(edge * 2, low), (0.0, low, edge), (0.0, high, edge), (edge * 2, high)])[1:-1]
    return loft([[(x, y, z) for x, y in inset_outline(outline, inset)] for inset, z in levels])


def arc(x, y, radius, start, end, steps):
    angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
    return [(x + radius * math.cos(t), y + radius * math.sin(t)) for t in angles]


def strap(x0, y0, r0, x1, y1, r1, steps=8):
    """The outline around two circles."""
    length, heading = math.hypot(x1 - x0, y1 - y0), math.degrees(math.atan2(y1 - y0, x1 - x0))
    lean = math.degrees(math.acos((r0 - r1) / length))
    return (arc(x1, y1, r1, heading - lean, heading + lean, steps)
            + arc(x0, y0, r0, heading + lean, heading + 360 - lean, steps))


def tube(path, radius, segments=8):
    """A round bar along points, mitred where it bends; its ends are closed."""
    def difference(p, q):
        return [b - a for a, b in zip(p, q)]

    def unit(v):
        length = math.sqrt(sum(c * c for c in v))
        return [c / length for c in v]

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    heads = [unit(difference(p, q)) for p, q in zip(path, path[1:])]
    side = unit(cross(heads[0], (0, 0, 1) if abs(heads[0][2]) < 0.9 else (1, 0, 0)))
    rings = []
    for i, point in enumerate(path):
        before, after = heads[max(i - 1, 0)], heads[min(i, len(heads) - 1)]
        normal = unit([a + b for a, b in zip(before, after)])
        up = unit(cross(before, side))
        ring = []
        for k in range(segments):
            c, s = math.cos(2 * math.pi * k / segments), math.sin(2 * math.pi * k / segments)
            spoke = [radius * (c * a + s * b) for a, b in zip(side, up)]
            slide = sum(a * b for a, b in zip(spoke, normal)) / sum(a * b for a, b in zip(before, normal))
            ring.append(tuple(p + q - slide * h for p, q, h in zip(point, spoke, before)))
        rings.append(list(reversed(ring)))
        side = unit(cross(cross(after, side), after))
    return loft(list(reversed(rings)))


def lid(radius, height, segments=SEGMENTS):
    """A cap that stands on z = 0: a rounded rim and a shallow dome."""
    return lathe((radius, 0), (radius, height, height * 0.75), (radius * 0.55, height), segments=segments, ends="last")


def ring(radius, low, high, segments=SEGMENTS):
    return lathe((radius, low), (radius, high), segments=segments)


# UR5 ------------------------------------------------------------------------------------------------------------------


def ur5():
    """Large joints have a diameter of 119 mm and are 133 mm long with their lid, small ones 78 and 104 mm."""
    big, small, lid_height = 59.5, 39.0, 14.0

    def big_joint():  # from its flange at z = 0 to the rim of its lid
        return lathe((big - 3, 0), (big - 3, 4), (big, 9), (big, 133 - lid_height), segments=28, ends="last")

    def big_lid():
        return lid(big - 1, lid_height, 28).moved(z=133 - lid_height)

    def small_joint():
        return lathe((small - 2, 0), (small - 2, 3), (small, 6), (small, 104 - 11), ends="last")

    def small_lid():
        return lid(small - 0.7, 11).moved(z=104 - 11)

    def small_t(flange):  # wrists 1 and 2: a neck to the link before, and the drive of the next joint across it
        neck = lathe((small - 2, -46), (small - 2, -43), (small - 0.5, -40), (small - 0.5, 0), ends="none")
        seals = ring(small - 3, -47, -40) + ring(small - 3, -1, 4).along(flange).moved(y=-48 if flange == "y" else 48)
        return neck, seals

    arm_z, fore_z, fore_x = 71 + 66.5, 16.5, -392.25
    plate = lathe((74, 0), (74, 6), (72, 8), (66, 11), (61, 20), (61, 23), segments=28)
    connector = slab((44, 60), 2, 22, 6, 2).moved(y=80)
    neck_1, seal_1 = small_t("y")
    neck_2, seal_2 = small_t("-y")
    drive_1 = small_joint().along("y").moved(y=-47)
    drive_2 = small_joint().along("-y").moved(y=47)
    to_arm = lathe((big - 1, 0), (big - 1, 62), (big - 4, 66), (big - 4, 71), segments=28, ends="none").along("-y")
    necks = (lathe((54, 30), (54, 88), (50, 96), ends="none").along("-x")
             + lathe((54, 30), (54, 88), (50, 96), ends="none").along("x").moved(x=-425)).moved(z=arm_z)
    return {
        "base_link_inertia_tube": plate,
        "base_link_inertia_seal": connector + ring(57, 20, 27, 28),
        "shoulder_link_housing": big_joint().moved(z=-65) + to_arm,
        "shoulder_link_lid": big_lid().moved(z=-65),
        "shoulder_link_seal": ring(56, 66, 74, 28).along("-y"),
        "upper_arm_link_tube": lathe((50, 90), (50, 335), ends="none").along("-x").moved(z=arm_z),
        "upper_arm_link_housing": big_joint().moved(z=71) + big_joint().moved(x=-425, z=71) + necks,
        "upper_arm_link_lid": big_lid().moved(z=71) + big_lid().moved(x=-425, z=71),
        "upper_arm_link_seal": ring(54, 66, 74).moved(x=-425),
        "forearm_link_tube": lathe((39.5, 96), (39.5, 345), ends="none").along("-x").moved(z=fore_z),
        "forearm_link_housing":
            lathe((big - 5, 0), (big - 5, 4), (big - 2, 8), (big - 2, 112 - 12), segments=28,
                  ends="last").along("-z").moved(z=71)
            + lathe((47, 30), (47, 66), (42.5, 90), (42.5, 100), ends="none").along("-x").moved(z=fore_z)
            + small_joint().along("-z").moved(x=fore_x, z=63)
            + lathe((38, 20), (38, 40), (42, 48), (42, 60), ends="last").along("x").moved(x=fore_x, z=fore_z),
        "forearm_link_lid": lid(big - 3, 12, 28).along("-z").moved(z=-29) + small_lid().along("-z").moved(x=fore_x, z=63),
        "forearm_link_seal": ring(36, 60, 66).moved(x=fore_x),
        "wrist_1_link_housing": drive_1 + neck_1,
        "wrist_1_link_lid": small_lid().along("y").moved(y=-47),
        "wrist_1_link_seal": seal_1,
        "wrist_2_link_housing": drive_2 + neck_2,
        "wrist_2_link_lid": small_lid().along("-y").moved(y=47),
        "wrist_2_link_seal": seal_2,
        "wrist_3_link_housing": lathe((34, -36), (37.5, -33), (37.5, -9), (32, -6), (32, -5)),
        "wrist_3_link_tube": lathe((31.5, -6), (31.5, 0), (15.7, 0), (15.7, -4), ends="last"),
        "wrist_3_link_seal": lathe((6, 30), (6, 43, 1), (4.5, 43), segments=12).along("-y").moved(z=-20),
    }


# ---------------------------------------------------------------------------------------------------------------------


MODELS = {"ur5": ur5}


def written(folder):
    """Every file that this script writes, and its text."""
    files = {}
    for name, parts in MODELS.items():
        for file, mesh in parts().items():
            what = f"{name}: {file.replace('_', ' ')}, millimetres. Written by ../../make_visuals.py."
            files[folder / name / "meshes" / f"{file}.obj"] = mesh.text(what)
    return files


def check(folder, files):
    problems = [f"{path}: not what make_visuals.py writes" for path, text in files.items()
                if not path.exists() or path.read_text(encoding="utf-8") != text]
    for name in MODELS:
        model = "".join(path.read_text(encoding="utf-8") for suffix in ("urdf", "sdf") for path in (folder / name).glob(f"*.{suffix}"))
        there = sorted((folder / name / "meshes").glob("*"))
        problems += [f"{path}: make_visuals.py does not write it" for path in there if path not in files]
        problems += [f"{path}: its model does not show it" for path in there if f"meshes/{path.name}" not in model]
    return problems


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    folder = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).parent
    files = written(folder)
    if "--check" in sys.argv[1:]:
        problems = check(folder, files)
        print("\n".join(problems) if problems else f"{len(files)} meshes are up to date")
        sys.exit(bool(problems))
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
