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


# Robotiq 2F-85 --------------------------------------------------------------------------------------------------------


def robotiq_2f85():
    """The left half of the linkage; the right half is the same, turned by half a turn about z."""
    def bar(outline, low, high, edge=1.0):  # an outline in x and z between two places along y
        return extruded(outline, -high, -low, edge).standing()

    def pin(x, z, radius, half_width):
        return lathe((radius, -half_width), (radius, half_width), segments=12).along("y").moved(x=x, z=z)

    tip = [(7, -5), (8.5, 2), (4, 20), (-6, 42), (-11, 50), (-18.9, 51.2), (-18.9, 2), (-12, -5)]
    heel = strap(0, 0, 7.5, -17.9, 6.5, 6, 6)
    plate = bar(strap(0, 0, 6, 37.157, 43.422, 5.5, 6), 11.6, 15)
    return {
        "base_body": loft([section(0, 37.5, 37.5), section(13, 37.5, 37.5), section(14, 36, 36), section(17, 36, 36),
                           section(18, 37.5, 37.5), section(24, 37.5, 36, 34), section(40, 38, 29, 16),
                           section(62, 36, 25, 10), section(65, 33, 22, 9)]),
        "base_metal": lathe((37.8, 2), (38.2, 3), (38.2, 10), (37.8, 11)) + pin(30.6, 54.9, 4.5, 26.4)
            + pin(-30.6, 54.9, 4.5, 26.4) + slab((34, 20), 64, 69, 4, 1),
        "knuckle_body": bar(strap(0, 0, 8.5, 31.526, -3.763, 8, 6), -14, 14, 1.5),
        "finger_body": bar(strap(0, 0, 7.8, 5.631, 47.185, 7, 6), -10.8, 10.8, 1.5),
        "finger_metal": pin(0, 0, 4, 14.6) + pin(5.631, 47.185, 3.8, 13),
        "inner_knuckle_body": plate + plate.mirrored("y"),
        "inner_knuckle_metal": pin(0, 0, 3.5, 16) + pin(37.157, 43.422, 3.5, 16),
        "finger_tip_body": bar(tip, -11, 11, 1) + bar(heel, -11, 11, 1),
        "finger_tip_pad": bar([(-25.26, 13.7), (-18.5, 13.7), (-18.5, 51.2), (-25.26, 51.2)], -11, 11, 0.7),
    }


# FANUC LR Mate 200iD --------------------------------------------------------------------------------------------------


def lrmate200id():
    """Link 1 is a fork that holds the upper arm, which is a fork that holds link 3; link 4 is the slender forearm."""
    def side(outline, low, high, edge):  # an outline in x and z between two places along y, and its mirror image
        return extruded(outline, -high, -low, edge, soft=True).standing().both_sides("y")

    def disc(x, z, radius, y):
        return lathe((radius, 0), (radius, 1), (radius - 2, 3), ends="last").along("y").moved(x=x, y=y, z=z).both_sides("y")

    def prong(sections, x, z, radius, low, high):  # of a fork: (z, half x, half y, corner, x, y) up to a drum about y
        drum = lathe((radius, low), (radius, high, 14), (radius * 0.6, high), segments=20).along("y").moved(x=x, z=z)
        return (loft([section(*each, segments=16) for each in sections]) + drum).both_sides("y")

    elbow = [(-60, -38), (-38, -51), (42, -51), (72, -28), (84, -14), (86, 0), (86, 74), (76, 84), (-34, 84), (-62, 66),
             (-74, 34), (-74, -10)]
    cheek = arc(335, 0, 40, -90, 90, 10) + [(260, 41), (225, 34), (225, -30), (260, -39)]
    wrist_bore = lathe((36, 36), (36, 52), (32, 70, 3), (32, 74), ends="last").along("x")
    return {
        "base_link_body": loft([section(8, 94, 94, 16, x=-1), section(60, 92, 91, 26, x=-2), section(120, 90, 88, 44, x=-3),
                                section(152, 88, 86, 70, x=-2), section(164, 85, 84, 80), section(168, 81, 81)]),
        "base_link_dark": slab((190, 190), 0, 9, 12, 1.5) + slab((14, 116), 28, 118, 8, 2, x=-96)
            + merged(*(lathe((9, -104), (9, -90), segments=12).along("x").moved(y=y, z=z)
                       for y, z in ((-34, 92), (0, 92), (34, 92), (-34, 56), (34, 56)))) + ring(78, 160, 172),
        "link_1_body": loft([section(-158, 84, 84), section(-138, 88, 96, 84, x=1), section(-105, 87, 112, 60, x=9),
                             section(-76, 80, 110, 50, x=14), section(-62, 70, 98, 40, x=16)])
            + prong([(-112, 66, 34, 33, 12, 72), (-80, 65, 29, 26, 22, 86), (-45, 62, 21, 17, 38, 94), (0, 60, 21, 17, 50, 94)],
                    50, 0, 62, 72, 116),
        "link_1_dark": disc(50, 0, 34, 116),
        "link_2_body": loft([section(0, 56, 69, 18), section(70, 54, 76, 18), section(240, 48, 76, 16),
                             section(258, 40, 74, 12)])
            + lathe((60, -69), (60, 69), ends="both").along("y")
            + prong([(20, 58, 14, 12, 0, 55), (60, 57, 15, 14, 0, 58), (150, 53, 21, 17, 0, 91.5), (330, 49, 20, 17, 0, 91.5)],
                    0, 330, 50, 71, 112),
        "link_2_dark": disc(0, 330, 27, 112),
        "link_3_body": extruded(elbow, -66, 66, 9, soft=True).standing(),
        "link_3_dark": ring(46, 80, 92).along("x").moved(z=35) + lathe((44, -70), (44, 70)).along("y"),
        "link_4_body": loft([section(90, 48, 48, 42), section(98, 50, 50, 40), section(165, 50, 53, 26, x=4),
                             section(225, 46, 53, 24, x=2), section(256, 43, 51, 22, x=1), section(276, 37, 42, 20),
                             section(285, 30, 34, 18)]).turned(90).along("x")
            + side(cheek, 37.5, 51, 7),
        "link_4_dark": disc(335, 0, 22, 50.6),
        "link_5_body": lathe((37, -36), (42, -31), (42, 31), (37, 36)).along("y")
            + lathe((39, 0), (39, 36), (36, 44), ends="none").along("x"),
        "link_5_dark": wrist_bore,
        "link_6_metal": lathe((20, -6), (20, -0.6), (19.4, 0), (10, 0), (10, -3), ends="last").along("x"),
    }


# Yaskawa Motoman SIA20F -----------------------------------------------------------------------------------------------


def lap(radius, reach, neck, drum, near, far, segments=28):
    """Half of a joint: a round neck at z = reach becomes a drum about the y axis that fills one side of the arm.

    The drum lies between y = near and y = far; one of them is about 0, where the other half touches it.
    """
    middle, half = (near + far) / 2, abs(far - near) / 2
    sections = []
    for share in (0.0, neck, neck + (1 - neck) * 0.33, neck + (1 - neck) * 0.67, 1.0):
        t = max(0.0, (share - neck) / (1.0 - neck))
        blend = t * t * (3 - 2 * t)
        sections.append(section(reach * (1 - share), radius + (drum - 1.5 - radius) * blend,
                                radius + (half - 1 - radius) * blend, radius + (min(28.0, half) - radius) * blend,
                                y=middle * blend, segments=segments))
    if reach > 0:
        sections.reverse()
    axle = "y" if far > near else "-y"
    edge = min(20.0, half * 0.4)
    barrel = lathe((drum, 0), (drum, 2 * half, edge), (drum * 0.6, 2 * half), segments=segments)
    return loft(sections) + barrel.along(axle).moved(y=near)


def sia20f():
    """Seven joints in a snake: the halves of the bending ones (L, U, B) lie beside each other, left and right in turn."""
    def cap(radius, y):  # what covers a bending joint's drive
        return lathe((radius, -2), (radius, 2), (radius - 3, 5), ends="last").along("y" if y > 0 else "-y").moved(y=y)

    return {
        "base_link_body": slab((286, 283), 0, 26, 30, 4, y=-1.5)
            + loft([section(26, 124, 124, 40), section(60, 116, 116, 60), section(100, 109, 109), section(108, 109, 109)])
            + loft([section(0, 58, 80, 16, x=-142), section(150, 56, 76, 16, x=-140), section(172, 40, 66, 16, x=-138)]),
        "base_link_dark": ring(102, 104, 116, 28) + slab((12, 116), 40, 140, 8, 2, x=-196)
            + merged(*(lathe((13, -208), (13, -196), segments=12).along("x").moved(y=y, z=100) for y in (-30, 30))),
        "link_s_body": lap(109, -296, 0.45, 109, 3, 110),
        "link_s_blue": cap(78, 110),
        "link_l_body": lap(88, 243, 0.2, 118, -3, -119),
        "link_l_blue": cap(84, -119),
        "link_l_dark": ring(82, 240, 249, 28) + ring(86, -4, 4, 28).along("y"),
        "link_e_body": lap(90, -241, 0.4, 88, -3, -103),
        "link_e_blue": cap(62, -103),
        "link_u_body": lap(67, 235, 0.2, 91, 3, 96),
        "link_u_blue": cap(64, 96),
        "link_u_dark": ring(60, 233, 242, 28) + ring(64, -4, 4, 28).along("y"),
        "link_r_body": lap(67, -178, 0.35, 66, 3, 83),
        "link_r_blue": cap(46, 83),
        "link_b_body": lap(56, 160, 0.2, 69, -3, -79),
        "link_b_blue": cap(49, -79),
        "link_b_dark": lathe((48, 158), (48, 166)) + ring(46, -4, 4).along("y"),
        "link_t_metal": lathe((50, -16), (50, -1), (49, 0), (25, 0), (25, -5), ends="both"),
    }


# ARMAR-III, left arm --------------------------------------------------------------------------------------------------


def armar3():
    """Only the lengths between the arm's joints are published; everything else is chosen to look right."""
    def cap(radius, z, axis="z"):
        return lathe((radius, 0), (radius, 3), (radius - 4, 8), ends="last").moved(z=z).along(axis)

    def finger(x, length):  # three phalanges, curled towards -z
        return tube([(x, -96, 0), (x, -96 - 0.45 * length, -4), (x, -96 - 0.78 * length, -16), (x, -96 - length, -34)], 8.5)

    base = [section(70, 300, 340, 110, y=60), section(90, 310, 350, 120, y=60), section(330, 305, 345, 120, y=60),
            section(420, 270, 300, 120, y=65), section(450, 230, 250, 110, y=70)]
    torso = [section(930, 100, 84, 50, y=140), section(1010, 118, 96, 60, y=138), section(1180, 158, 118, 64, y=128),
             section(1300, 172, 120, 64, y=123), section(1400, 160, 104, 60, y=120), section(1445, 104, 78, 52, y=120),
             section(1458, 70, 60, 46, y=120)]
    head = [section(1505, 52, 60, 40, y=130), section(1540, 76, 88, 52, y=134), section(1610, 82, 94, 56, y=136),
            section(1660, 72, 82, 54, y=132), section(1685, 46, 52, 40, y=128)]
    upper = [section(z, r, r, x=x) for z, r, x in ((-262, 44, 16), (-250, 47, 15), (-150, 52, 8), (-78, 54, 2), (-66, 50, 1))]
    fore = [section(z, r, r) for z, r in ((-196, 36), (-188, 39), (-110, 45), (-62, 47), (-52, 43))]
    return {
        "platform_blue": loft(base[1:4], "none") + loft(torso),
        "platform_silver": loft(base[3:], "last") + lathe((96, 440), (96, 640), (74, 660), (74, 900), (74, 940)).moved(y=140)
            + lathe((64, -196), (64, 196)).along("x").moved(y=123, z=1375) + loft(head)
            + cap(60, 196, "x").moved(y=123, z=1375),
        "platform_dark": loft([section(20, 285, 325, 100, y=60), section(72, 300, 340, 110, y=60)])
            + loft(base[:2], "none") + lathe((46, 1450), (46, 1515), segments=16).moved(y=126)
            + merged(*(lathe((16, 80), (16, 98), (10, 100), segments=12, ends="last").along("y").moved(x=x, y=133, z=1602)
                       for x in (-34, 34)))
            + slab((160, 10), 1080, 1200, 12, 2, y=240),
        "shoulder_1_l_silver": lathe((60, -38), (60, -14), (50, -2)),
        "shoulder_2_l_silver": lathe((56, -56), (60, -50), (60, 50), (56, 56)),
        "shoulder_2_l_blue": cap(44, 55) + cap(44, 55).along("-z"),
        "upperarm_l_silver": lathe((48, -74), (48, -20)) + lathe((36, -290), (42, -256), ends="none").moved(x=18)
            + slab((52, 58), -318, -258, 20, 4, x=19),
        "upperarm_l_blue": loft(upper),
        "elbow_l_silver": lathe((42, -46), (46, -41), (46, 41), (42, 46)),
        "elbow_l_blue": cap(34, 45) + cap(34, 45).along("-z"),
        "underarm_l_silver": lathe((30, -232), (34, -190), ends="none") + lathe((40, -60), (40, -10)),
        "underarm_l_blue": loft(fore),
        "wrist_1_l_silver": lathe((28, -32), (32, -28), (32, 28), (28, 32), segments=20),
        "wrist_2_l_silver": lathe((27, 8), (30, 22), (34, 30), segments=20).along("-y"),
        "wrist_2_l_dark": merged(*(finger(x, length) for x, length in ((-30, 74), (-10, 82), (10, 80), (30, 68))))
            + tube([(-34, -48, -6), (-56, -72, -16), (-52, -104, -34), (-42, -124, -44)], 9.5),
        "wrist_2_l_blue": loft([section(26, 32, 18, 16), section(40, 38, 19, 15), section(92, 41, 15, 12),
                                section(102, 38, 11, 9)]).along("-y").turned(90, "y"),
    }


# Grippers -------------------------------------------------------------------------------------------------------------


def fanuc_gripper():
    """Adapter, spacer and a pneumatic parallel gripper with a rail for its jaws; the fingers move along y."""
    fitting = lathe((5, 0), (5, 8), (6.5, 9), (6.5, 16), (4, 17), segments=12, ends="last").along("x")
    finger = [(28.5, 0), (28.5, 15), (22, 24), (20, 42), (12, 42), (12, 0)]
    return {
        "palm_dark": lathe((31.5, 0), (36, 2), (36, 12), ends="last") + slab((88, 90), 139, 152, 6, 1.5)
            + fitting.moved(x=38, y=18, z=84) + fitting.moved(x=38, y=18, z=112),
        "palm_aluminium": lathe((30, 10), (30, 44), ends="none") + slab((82, 82), 40, 54, 10, 2)
            + slab((78, 86), 54, 139, 9, 3),
        "finger_aluminium": extruded([(y, z) for y, z in finger], -11, 11, 1).along("x"),
        "finger_rubber": slab((19, 2.2), 24, 41, 1, y=11.1),
    }


def motoman_gripper():
    """As the other one, larger and round; the fingers move along x."""
    fitting = lathe((6, 0), (6, 8), (8, 9), (8, 18), (5, 19), segments=12, ends="last").along("y")
    finger = [(71, 0), (71, 22), (52, 30), (40, 59), (23, 59), (23, 0)]
    return {
        "palm_dark": lathe((50, 0), (55, 3), (55, 18), ends="last") + ring(62, 118, 126)
            + lathe((60, 234), (63.5, 238), (63.5, 257), (61.5, 258.8))
            + fitting.moved(x=20, y=60, z=170) + fitting.moved(x=-20, y=60, z=170),
        "palm_aluminium": lathe((42, 16), (42, 92, 8), (58, 100, 3), (63.5, 106), (63.5, 118), ends="last")
            + lathe((63.5, 126), (63.5, 220), (58, 227), ends="both") + ring(50, 226, 236),
        "finger_aluminium": extruded(finger, -19, 19, 1.5).standing(),
        "finger_rubber": slab((3, 34), 34, 57, 1, x=22),
    }


def cup_tool(tube_radius):
    """What both vacuum tools share: a body with an air fitting, and a tube."""
    fitting = lathe((4.5, 0), (4.5, 6), (6, 7), (6, 14), (3.5, 15), segments=12, ends="last").along("x").moved(x=27, z=34)
    return {
        "base_aluminium": lathe((30, 8), (30, 50, 3), (22, 58, 2), (tube_radius + 5, 60)),
        "base_dark": lathe((28, 0), (28, 8)) + fitting,
        "tube_aluminium": lathe((tube_radius, -2), (tube_radius, 52), (tube_radius * 1.25, 53),
                                (tube_radius * 1.25, 60), segments=16),
    }


def vacuum_gripper():
    bellows = lathe((5, 0), (8, 2.5), (5.5, 5), (8.5, 7.5), (6, 9), (9, 12), (8, 12), (4, 9), segments=16, ends="last")
    return cup_tool(8) | {"cup_rubber": bellows}


def peg_cup():
    return cup_tool(5) | {"cup_rubber": lathe((2, 0), (2, 6), (1.6, 8), (3, 12), (2.4, 12), (1, 9), segments=12, ends="last")}


# What stands in the kitting laboratory --------------------------------------------------------------------------------


def profile_bar(size, low, high):
    """An upright aluminium profile with a groove along each side; its ends are covered by something."""
    half, groove, depth = size / 2, size * 0.1, size * 0.13
    corner = [(groove, half - depth), (groove, half), (half - 1.5, half), (half, half - 1.5), (half, groove),
              (half - depth, groove)]
    outline = []
    for c, s in ((1, 0), (0, -1), (-1, 0), (0, 1)):  # clockwise, quarter by quarter
        outline += [(c * x - s * y, s * x + c * y) for x, y in corner]
    outline.reverse()
    return loft([[(x, y, z) for x, y in outline] for z in (low, high)], ends="none")


def foot(radius, height):
    return lathe((radius, 0), (radius, height * 0.3), (radius * 0.4, height * 0.45), (radius * 0.4, height), segments=12)


def conveyor():
    """Belt around two drums between aluminium rails; the belt's frame is in the middle of its top."""
    long = 3235.0
    rail = [(-28, 0), (28, 0), (28, 18), (23, 22), (23, 52), (28, 56), (28, 78), (-28, 78),
            (-28, 56), (-23, 52), (-23, 22), (-28, 18)]
    rails = loft([[(a, b, z) for a, b in rail] for z in (-long / 2, long / 2)], "none").along("x").moved(y=338, z=802)
    ends = merged(*(slab((6, 57), 801, 881, 2, x=sx * long / 2, y=338) for sx in (-1, 1)))
    legs = merged(*(profile_bar(80, 40, 806).moved(x=x, y=y) for x in (-1400, 1400) for y in (-300, 300)))
    braces = merged(*(slab((40, 540), 240, 280, 2, x=x) for x in (-1400, 1400)))
    loop = strap(-1475, -45, 45, 1475, -45, 45, 8)
    return {
        "bed_aluminium": rails.both_sides("y") + legs + braces,
        "bed_dark": ends.both_sides("y") + merged(*(foot(38, 44).moved(x=x, y=y) for x in (-1400, 1400) for y in (-300, 300)))
            + slab((2880, 600), 806, 818, 2) + slab((180, 130), 690, 800, 14, 4, x=1180, y=240)
            + lathe((50, 0), (50, 150, 8), (30, 150), segments=16).along("-x").moved(x=1090, y=240, z=745),
        "surface_belt": extruded(loop, -305, 305).standing(),
    }


def optical_table():
    """The slab is anodised black with a grid of holes (here every 200 mm; a real one has them every 25 mm)."""
    def dot(x, y):
        return Mesh([(x + 6, y, 845.4), (x, y + 6, 845.4), (x - 6, y, 845.4), (x, y - 6, 845.4)], [(0, 1, 2, 3)])

    pitch = 200.0
    holes = merged(*(dot(155 + pitch * (i - 5.5), 411 + pitch * (j - 2.5)) for i in range(12) for j in range(6)
                     if abs(152 + pitch * (i - 5.5)) > 185 or abs(406 + pitch * (j - 2.5)) > 185))
    legs = [(x, y) for x in (-912.5, 1222.5) for y in (-47.5, 870.5)]
    return {
        "body_top": slab((2440, 1223), 820, 845, 12, 2, x=155, y=411.5),
        "body_side": slab((2424, 1207), 545, 820, 10, x=155, y=411.5)
            + merged(*(slab((290, 290), 60, 500, 20, 3, x=x, y=y) for x, y in legs)),
        "body_hole": holes + merged(*(slab((305, 305), 0, 60, 14, x=x, y=y) for x, y in legs))
            + merged(*(lathe((90, 495), (90, 545), segments=16, ends="none").moved(x=x, y=y) for x, y in legs)),
        "body_aluminium": slab((356, 356), 845, 910, 12, 2.5, x=3, y=5),
    }


def fanuc_table():
    """A plate on a frame of 45 mm profiles."""
    xs, ys = (-493.5, 573.5), (-1440.5, -874.5)
    rails = merged(*(profile_bar(45, xs[0] + 22, xs[1] - 22).along("x").moved(y=y, z=z) for y in ys for z in (863, 220)),
                   *(profile_bar(45, ys[0] + 22, ys[1] - 22).along("y").moved(x=x, z=z) for x in xs for z in (863, 220)))
    return {
        "body_top": slab((1112, 611), 886, 916, 8, 2, x=40, y=-1157.5),
        "body_aluminium": rails + merged(*(profile_bar(45, 30, 886).moved(x=x, y=y) for x in xs for y in ys)),
        "body_steel": slab((279.4, 279.4), 916, 934.2, 8, 2, x=-169, y=-1140),
        "body_dark": merged(*(foot(24, 32).moved(x=x, y=y) for x in xs for y in ys)),
    }


def light_curtain():
    """One pole in its middle, which looks along x; it stands on a foot 200 mm high."""
    half = 1703.672 / 2
    return {
        "pole_yellow": loft([section(z, 22.5 - i, 22 - i, 6, segments=16) for i, z in
                             ((2, -half + 14), (0, -half + 16), (0, half - 16), (2, half - 14))]),
        "pole_dark": slab((43, 42), -half, -half + 16, 5, 1) + slab((43, 42), half - 16, half, 5, 1)
            + lathe((16, -1040), (16, -half), segments=12) + slab((160, 160), -1051.8, -1040, 10, 2),
        "pole_window": slab((4, 24), -half + 30, half - 30, 1.5, x=21.4),
    }


def overhead_camera():
    """A housing whose lens looks down; its frame is in the middle of the lens."""
    return {
        "body_dark": slab((80, 80), 26, 76, 8, 2)
            + lathe((21, 2), (24, 0), (24, 10), (22, 12), (22, 20), (26, 22), (26, 28), ends="none"),
        "body_glass": lathe((21.5, 3), (21.5, 6)),
        "body_aluminium": slab((80, 80), 76, 80, 6) + slab((30, 50), 80, 92, 3, 1)
            + lathe((6, -10), (6, 2), segments=12).along("x").moved(x=40, z=50),
    }


# ---------------------------------------------------------------------------------------------------------------------


MODELS = {
    "ur5": ur5, "robotiq-2f85": robotiq_2f85, "lrmate200id": lrmate200id, "sia20f": sia20f, "armar3": armar3,
    "fanuc-gripper": fanuc_gripper, "motoman-gripper": motoman_gripper, "vacuum-gripper": vacuum_gripper, "peg-cup": peg_cup,
    "conveyor": conveyor, "optical-table": optical_table, "fanuc-table": fanuc_table, "light-curtain": light_curtain,
    "overhead-camera": overhead_camera,
}


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
        model = "".join(path.read_text(encoding="utf-8") for path in (folder / name).glob("*.*df"))
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
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
