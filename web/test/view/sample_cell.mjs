// SPDX-License-Identifier: Apache-2.0
// A made-up cell for tests: an arm with six joints, a belt with a part, a light curtain, a camera, and a small network.

const turn = (axis, angle) => [
  ...axis.map((value) => value * Math.sin(angle / 2)),
  Math.cos(angle / 2),
];
const multiply = ([ax, ay, az, aw], [bx, by, bz, bw]) => [
  aw * bx + ax * bw + ay * bz - az * by,
  aw * by - ax * bz + ay * bw + az * bx,
  aw * bz + ax * by - ay * bx + az * bw,
  aw * bw - ax * bx - ay * by - az * bz,
];
const rotate = (q, v) => {
  const [x, y, z, w] = q;
  const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
  return [
    v[0] + w * t[0] + y * t[2] - z * t[1],
    v[1] + w * t[1] + z * t[0] - x * t[2],
    v[2] + w * t[2] + x * t[1] - y * t[0],
  ];
};
const none = [0, 0, 0, 1];
const quarter = turn([0, 1, 0], Math.PI / 2);
const onY = turn([1, 0, 0], Math.PI / 2); // a cylinder's axis from z to y

// Parent, place, turn and axis of each joint: the proportions of a small six-axis arm.
const joints = [
  { name: 'shoulder_pan', p: [0, 0, 0.089], q: none, axis: [0, 0, 1] },
  { name: 'shoulder_lift', p: [0, 0.136, 0], q: quarter, axis: [0, 1, 0] },
  { name: 'elbow', p: [0, -0.12, 0.425], q: none, axis: [0, 1, 0] },
  { name: 'wrist_1', p: [0, 0, 0.392], q: quarter, axis: [0, 1, 0] },
  { name: 'wrist_2', p: [0, 0.093, 0], q: none, axis: [0, 0, 1] },
  { name: 'wrist_3', p: [0, 0, 0.095], q: none, axis: [0, 1, 0] },
];
export const jointNames = joints.map(({ name }) => name);

const grey = [0.75, 0.77, 0.8, 1];
const blue = [0.28, 0.52, 0.78, 1];
const dark = [0.24, 0.26, 0.29, 1];

// A bent plate, to have a mesh.
function bracket() {
  const vertices = [];
  const triangles = [];
  const steps = 24;
  for (let i = 0; i <= steps; ++i) {
    const angle = (Math.PI * i) / steps;
    for (const [radius, z] of [
      [0.05, 0],
      [0.05, 0.05],
      [0.035, 0.05],
      [0.035, 0],
    ])
      vertices.push([radius * Math.cos(angle), radius * Math.sin(angle), z]);
  }
  for (let i = 0; i < steps; ++i) {
    for (let k = 0; k < 4; ++k) {
      const [a, b] = [4 * i + k, 4 * i + ((k + 1) % 4)];
      triangles.push([a, a + 4, b], [b, a + 4, b + 4]);
    }
  }
  return { vertices, triangles };
}
export const meshes = [bracket()];

function arm(first) {
  const frames = [];
  const shapes = [];
  const put = (frame, kind, size, p, q, colour) =>
    shapes.push({
      frame,
      name: `${kind} ${shapes.length}`,
      p,
      q,
      kind,
      size,
      colour,
      mesh: -1,
      role: 'visual',
    });
  frames.push({ name: 'base', parent: 0, p: [0, 0, 0.72], q: none, moving: -1 });
  joints.forEach(({ name, p, q }, i) =>
    frames.push({ name: `${name}_link`, parent: first + i, p, q, moving: i }),
  );
  frames.push({ name: 'tool0', parent: first + 6, p: [0, 0.082, 0], q: none, moving: -1 });
  put(first, 'cylinder', [0.15, 0.15, 0.06], [0, 0, 0.03], none, dark);
  put(first + 1, 'capsule', [0.118, 0.118, 0.22], [0, 0, 0.01], none, grey);
  put(first + 1, 'cylinder', [0.116, 0.116, 0.16], [0, 0.06, 0], onY, grey);
  put(first + 2, 'cylinder', [0.12, 0.12, 0.13], [0, 0, 0], onY, blue);
  put(first + 2, 'cylinder', [0.105, 0.105, 0.38], [0, 0, 0.21], none, grey);
  put(first + 2, 'cylinder', [0.11, 0.11, 0.13], [0, 0, 0.425], onY, blue);
  put(first + 3, 'cylinder', [0.098, 0.098, 0.12], [0, 0, 0], onY, grey);
  put(first + 3, 'cylinder', [0.08, 0.08, 0.36], [0, 0, 0.2], none, grey);
  put(first + 3, 'cylinder', [0.085, 0.085, 0.11], [0, 0.01, 0.392], onY, blue);
  put(first + 4, 'capsule', [0.078, 0.078, 0.17], [0, 0.06, 0], onY, grey);
  put(first + 5, 'capsule', [0.078, 0.078, 0.16], [0, 0, 0.06], none, grey);
  put(first + 6, 'cylinder', [0.076, 0.076, 0.05], [0, 0.04, 0], onY, blue);
  put(first + 6, 'cylinder', [0.063, 0.063, 0.03], [0, 0.075, 0], onY, dark);
  shapes.push({
    frame: first + 7,
    name: 'bracket',
    p: [0, 0.0, -0.025],
    q: none,
    kind: 'mesh',
    size: [1, 1, 1],
    colour: [0.85, 0.45, 0.15, 1],
    mesh: 0,
    role: 'visual',
  });
  const collisions = shapes.map((shape) => ({ ...shape, role: 'collision' }));
  return { frames, shapes: [...shapes, ...collisions] };
}

const beltTop = 0.55;

export function sampleScene() {
  const robot = arm(1);
  const frames = [
    { name: 'world', parent: -1, p: [0, 0, 0], q: none, moving: -1 },
    ...robot.frames,
    { name: 'part', parent: 0, p: [-0.9, -0.45, beltTop + 0.03], q: none, moving: 6 },
    { name: 'belt', parent: 0, p: [0, -0.5, 0], q: none, moving: -1 },
  ];
  const box = (frame, size, p, colour, name) => ({
    frame,
    name,
    p,
    q: none,
    kind: 'box',
    size,
    colour,
    mesh: -1,
    role: 'visual',
  });
  const [part, belt] = [9, 10];
  const shapes = [
    {
      frame: 0,
      name: 'ground',
      p: [0, 0, 0],
      q: none,
      kind: 'plane',
      size: [10, 10, 0],
      colour: null,
      mesh: -1,
      role: 'visual',
    },
    {
      frame: 0,
      name: 'pedestal',
      p: [0, 0, 0.35],
      q: none,
      kind: 'cylinder',
      size: [0.22, 0.22, 0.7],
      colour: dark,
      mesh: -1,
      role: 'visual',
    },
    box(0, [0.4, 0.4, 0.02], [0, 0, 0.71], [0.45, 0.47, 0.5, 1], 'plate'),
    ...robot.shapes,
    box(part, [0.06, 0.06, 0.06], [0, 0, 0], [0.93, 0.6, 0.16, 1], 'part'),
    box(belt, [2, 0.3, 0.04], [0, 0, beltTop - 0.02], [0.18, 0.19, 0.2, 1], 'belt'),
    box(belt, [2.04, 0.02, 0.08], [0, 0.16, beltTop - 0.03], null, 'rail'),
    box(belt, [2.04, 0.02, 0.08], [0, -0.16, beltTop - 0.03], null, 'rail'),
    ...[-0.85, 0.85].flatMap((x) =>
      [-0.12, 0.12].map((y) =>
        box(belt, [0.05, 0.05, beltTop - 0.06], [x, y, (beltTop - 0.06) / 2], null, 'leg'),
      ),
    ),
    ...[-0.9, 0.9].map((x) =>
      box(0, [0.04, 0.04, 1.5], [x, 0.75, 0.75], [0.9, 0.75, 0.1, 1], 'post'),
    ),
  ];
  return {
    frames,
    shapes,
    meshes: meshes.map(({ vertices, triangles }) => ({
      vertices: vertices.length,
      triangles: triangles.length,
    })),
    models: [
      { name: 'arm', frames: [1, 2, 3, 4, 5, 6, 7, 8], is_robot: true, is_moving: true },
      { name: 'part', frames: [9], is_robot: false, is_moving: true },
      { name: 'belt', frames: [10], is_robot: false, is_moving: false },
      { name: 'cell', frames: [0], is_robot: false, is_moving: false },
    ],
    tools: [{ name: 'robot', frame: 8, topic: '/end_effector_pose' }],
    devices: [
      {
        kind: 'camera',
        name: 'overhead',
        frame: 0,
        p: [-0.5, -0.5, 1.45],
        q: none,
        near_m: 0.1,
        far_m: 0.9,
        half_width: 0.35,
        half_height: 0.25,
        table: 7,
      },
      {
        kind: 'curtain',
        name: 'curtain',
        beams: [0.3, 0.5, 0.7, 0.9, 1.1, 1.3].map((z) => [
          [-0.9, 0.75, z],
          [0.9, 0.75, z],
        ]),
        table: 8,
      },
      {
        kind: 'belt',
        name: 'belt',
        frame: 10,
        p: [0, 0, beltTop + 0.001],
        q: none,
        size: [2, 0.3],
        table: 9,
        column: 'speed_m_s',
      },
    ],
  };
}

const stations = [
  [0, -1.9, 1.8, -1.5, -1.57, 0],
  [-1.3, -1.5, 1.9, -2.0, -1.57, 0.4],
  [-1.75, -1.05, 1.75, -2.25, -1.57, 0.4],
  [-0.6, -1.6, 1.5, -1.5, -1.57, 1.2],
  [0.5, -1.2, 1.75, -2.1, -1.57, 1.2],
  [0, -1.9, 1.8, -1.5, -1.57, 0],
];
const legSeconds = 2;
export const lengthSeconds = legSeconds * (stations.length - 1) + 1;

// What is commanded at a time: from station to station, at rest in each.
function commanded(t) {
  const leg = Math.max(0, Math.min(stations.length - 2, Math.floor(t / legSeconds)));
  const part = Math.max(0, Math.min(1, t / legSeconds - leg));
  const eased = part ** 3 * (10 - 15 * part + 6 * part ** 2);
  return stations[leg].map((from, i) => from + eased * (stations[leg + 1][i] - from));
}

// A loop over a network follows late and swings about its path, the more the longer the delay.
export function jointsAt(t, delay) {
  const late = commanded(t - delay);
  const wobble = 3.2 * delay * delay * 40;
  return late.map((value, i) => {
    const speed = (commanded(t - delay + 0.01)[i] - commanded(t - delay - 0.01)[i]) / 0.02;
    return value + wobble * speed * Math.sin(2 * Math.PI * (0.9 + 0.2 * i) * t);
  });
}

export function posesAt(t, delay) {
  const angles = jointsAt(t, delay);
  const local = joints.map(({ p, q, axis }, i) => ({ p, q: multiply(q, turn(axis, angles[i])) }));
  let [p, q] = [[0, 0, 0.72], none];
  for (const one of [...local, { p: [0, 0.082, 0], q: none }]) {
    const moved = rotate(q, one.p);
    p = p.map((value, k) => value + moved[k]);
    q = multiply(q, one.q);
  }
  const x = -0.9 + 0.15 * Math.min(t, 9);
  local.push({ p: [x, -0.5, beltTop + 0.03], q: none });
  return { local, tool: { p, q } };
}
