// SPDX-License-Identifier: Apache-2.0
// Makes the sample cell into what the viewer's page gets: node sample_view.mjs PAGE.html OUT.html [RUNS]
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';

import { packColumn } from './pack.mjs';
import {
  jointNames,
  jointsAt,
  lengthSeconds,
  meshes,
  posesAt,
  sampleScene,
} from './sample_cell.mjs';

const axes = ['x', 'y', 'z', 'qx', 'qy', 'qz', 'qw'];
const units = ['m', 'm', 'm', '', '', '', ''];

// A table with its rows: columns of numbers, and texts where it has them.
function table(id, topic, type, columns, rows, texts = null) {
  const values = columns.map((_, c) => Float64Array.from(rows, (row) => row[c]));
  const count = rows.length;
  const gaps = new Set(rows.slice(1).map((row, i) => (row[0] - rows[i][0]).toFixed(9)));
  return {
    about: {
      id,
      topic,
      type,
      rows: count,
      first_s: count ? values[0][0] : 0,
      last_s: count ? values[0][count - 1] : 0,
      period_s: gaps.size === 1 ? Number([...gaps][0]) : null,
      columns: columns.map(([name, unit]) => ({ name, unit })),
      has_texts: texts !== null,
    },
    values,
    texts,
  };
}

const every = (period, length, make) =>
  Array.from({ length: Math.round(length / period) + 1 }, (_, i) => make(i * period, i));
const time = ['time', 's'];

// Messages go to the robot and back each 20 ms; every 37th is lost.
function packets(length, delay) {
  const rows = [];
  every(0.02, length - 0.2, (t, i) => {
    const flows = [
      [0, 'edge', 'robot', 'command'],
      [1, 'robot', 'edge', 'state'],
    ];
    for (const [flow, from, to, name] of flows) {
      const message = 2 * i + flow;
      const sent = t + flow * 0.004;
      const base = { flow, from, to, message, name, size_bytes: 120 };
      rows.push([sent, { event: 'sent', ...base }]);
      const late = Math.max(0.001, delay) * (1 + 0.3 * Math.sin(i));
      if (message % 37 === 5)
        rows.push([sent + late / 2, { event: 'lost', ...base, reason: 'queue full', at: 'radio' }]);
      else rows.push([sent + late, { event: 'delivered', ...base }]);
    }
  });
  return rows.sort((a, b) => a[0] - b[0]);
}

function tablesOf(delay, length) {
  const moving = [...jointNames.map((name) => `${name}_link`), 'part'];
  const tf = every(0.01, length, (t) => [
    t,
    ...posesAt(t, delay).local.flatMap(({ p, q }) => [...p, ...q]),
  ]);
  const states = every(0.002, length, (t) => {
    const [now, before] = [jointsAt(t, delay), jointsAt(t - 0.002, delay)];
    return [t, ...now, ...now.map((value, i) => (value - before[i]) / 0.002)];
  });
  const tool = every(0.002, length, (t) => {
    const { p, q } = posesAt(t, delay).tool;
    return [t, ...p, ...q];
  });
  const frames = every(0.25, length, (t) => [t]);
  const broken = [0, 4.2, 4.9, 8.1, 8.3].map((t, i) => ({
    t,
    text: { is_broken: i % 2 === 1, broken_beams: i % 2 === 1 ? [2, 3] : [] },
  }));
  const sent = packets(length, delay);
  const contacts = every(0.05, length, (t) => {
    const { p } = posesAt(t, delay).tool;
    return {
      t,
      text:
        t > 3.8 && t < 4.2
          ? { contacts: [{ position_m: p, force_N: [2, 0, 15], a: 'tool', b: 'part' }] }
          : { contacts: [] },
    };
  });
  return [
    table(
      1,
      '/tf',
      'tf2_msgs/msg/TFMessage',
      [time, ...moving.flatMap((name) => axes.map((axis, i) => [`${name}.${axis}`, units[i]]))],
      tf,
    ),
    table(
      2,
      '/joint_states',
      'sensor_msgs/msg/JointState',
      [
        time,
        ...jointNames.map((name) => [`position.${name}`, 'rad']),
        ...jointNames.map((name) => [`velocity.${name}`, 'rad/s']),
      ],
      states,
    ),
    table(
      3,
      '/end_effector_pose',
      'geometry_msgs/msg/PoseStamped',
      [time, ...axes.map((axis, i) => [axis, units[i]])],
      tool,
    ),
    table(
      7,
      '/overhead/detections',
      'longarm/Detections',
      [time],
      frames,
      frames.map(([t]) =>
        JSON.stringify({ detections: [{ name: 'part', position_m: posesAt(t, 0).local[6].p }] }),
      ),
    ),
    table(
      8,
      '/curtain',
      'longarm/Curtain',
      [time, ['is_broken', '']],
      broken.map(({ t, text }) => [t, Number(text.is_broken)]),
      broken.map(({ text }) => JSON.stringify(text)),
    ),
    table(
      9,
      '/belt',
      'longarm/Belt',
      [time, ['speed_m_s', 'm/s']],
      every(0.1, length, (t) => [t, t < 9 ? 0.15 : 0]),
    ),
    table(
      12,
      '/network/packets',
      'longarm/Packet',
      [time, ['flow', ''], ['message', ''], ['size_bytes', 'B']],
      sent.map(([t, one]) => [t, one.flow, one.message, one.size_bytes]),
      sent.map(([, one]) => JSON.stringify(one)),
    ),
    table(
      13,
      '/contacts',
      'longarm/Contacts',
      [time],
      contacts.map(({ t }) => [t]),
      contacts.map(({ text }) => JSON.stringify(text)),
    ),
    table(
      14,
      '/merged',
      'longarm/Merged',
      [time],
      [[0], [4.2], [6]],
      [[], ['part'], []].map((merged) => JSON.stringify({ merged })),
    ),
    table(
      15,
      '/gaps',
      'longarm/Gaps',
      [time, ['sometimes', 'N'], ['constant', '']],
      every(0.05, length, (t, i) => [t, i % 10 < 4 ? Math.sin(t) : NaN, 7]),
    ),
  ];
}

const network = {
  nodes: [
    { name: 'edge', kind: 'host', actors: ['planner', 'picker'] },
    { name: 'radio', kind: 'switch' },
    { name: 'cell', kind: 'switch' },
    { name: 'robot', kind: 'host', actors: ['arm'] },
    { name: 'camera', kind: 'host', actors: ['overhead'] },
  ],
  links: [
    { name: 'wireless', a: 'edge', b: 'radio', text: '100 Mbit/s, 2 ms' },
    { name: 'uplink', a: 'radio', b: 'cell', text: '1 Gbit/s' },
    { name: 'arm', a: 'cell', b: 'robot', text: '1 Gbit/s' },
    { name: 'vision', a: 'cell', b: 'camera', text: '1 Gbit/s' },
  ],
  flows: [
    { flow: 0, from: 'edge', to: 'robot', route: ['edge', 'radio', 'cell', 'robot'] },
    { flow: 1, from: 'robot', to: 'edge', route: ['robot', 'cell', 'radio', 'edge'] },
  ],
  packets: 12,
};

// `count` runs over one scene, with longer and longer delays; the last of several is the ghost.
export function sampleView({ count = 3, length = lengthSeconds, source = 'file' } = {}) {
  const delays = Array.from({ length: count }, (_, i) => 0.02 + 0.03 * i);
  const waypoints = [2, 4, 6, 8].map((t) => posesAt(t, 0).tool.p);
  const runs = delays.map((delay, i) => {
    const isGhost = count > 1 && i === count - 1;
    const tables = tablesOf(isGhost ? 0 : delay, length);
    return {
      tables,
      about: {
        label: isGhost ? 'without the network' : `delay ${Math.round(1000 * delay)} ms`,
        folder: `runs/sample-${i}`,
        scene: 0,
        role: isGhost ? 'ghost' : 'run',
        start_s: 0,
        end_s: length,
        verdict: isGhost ? '' : i === 0 ? 'stable' : 'unstable',
        problem: '',
        warnings: [],
        tables: tables.map(({ about }) => about),
        marks:
          i > 0
            ? []
            : [
                { t_s: 2.5, kind: 'replan', text: 'new plan' },
                { t_s: 4.2, kind: 'grasp', text: 'arm holds part' },
                { t_s: 4.9, kind: 'stop', text: 'light curtain broken' },
                { t_s: 6, kind: 'release', text: 'arm releases part' },
                { t_s: 7.35, kind: 'worst', text: '18.2 mm from the plan' },
                { t_s: 8.1, kind: 'failure', text: 'gripper loses pressure' },
                { t_s: 9.6, kind: 'loss', text: 'command lost' },
              ].filter(({ t_s }) => t_s <= length),
        plans:
          i > 0
            ? []
            : [
                {
                  name: 'robot',
                  path_m: every(0.02, lengthSeconds - 1, (t) => posesAt(t, 0).tool.p),
                  waypoints_m: waypoints,
                  hold_start_s: lengthSeconds - 1,
                },
              ],
        network: isGhost ? null : network,
        metrics: { path_deviation_max_m: 0.0182, packets_lost: 27, is_stable: i === 0 },
      },
    };
  });
  return {
    document: {
      format: 1,
      source,
      title: 'Sample cell',
      longarm_version: '0.0.0',
      scenes: [sampleScene()],
      runs: runs.map(({ about }) => about),
    },
    tables: runs.map(({ tables }) => tables),
  };
}

export function meshBytes(index) {
  const { vertices, triangles } = meshes[index];
  const bytes = Buffer.alloc(12 * (vertices.length + triangles.length));
  vertices.flat().forEach((value, i) => bytes.writeFloatLE(value, 4 * i));
  triangles.flat().forEach((value, i) => bytes.writeUInt32LE(value, 12 * vertices.length + 4 * i));
  return bytes;
}

const packed = (bytes) => deflateRawSync(bytes).toString('base64');
const script = (id, text) => `<script type="text/plain" id="${id}">${text}</script>\n`;

// The page with a document in place of its empty one, and blobs after it.
export function fillView(page, document, blobs = '') {
  const placeholder = '<script type="application/json" id="view-data">{}</script>';
  const text = JSON.stringify(document).replaceAll('<', '\\u003c');
  return page.replace(
    placeholder,
    () => `<script type="application/json" id="view-data">${text}</script>\n${blobs}`,
  );
}

export function oneFile(page, { document, tables }) {
  const blobs = [];
  tables.forEach((ofRun, run) =>
    ofRun.forEach(({ about, values, texts }) => {
      blobs.push(
        script(
          `blob-${run}-${about.id}`,
          packed(Buffer.concat(values.map((column, i) => packColumn(column, i === 0)))),
        ),
      );
      if (texts) blobs.push(script(`texts-${run}-${about.id}`, packed(JSON.stringify(texts))));
    }),
  );
  meshes.forEach((_, mesh) => blobs.push(script(`mesh-0-${mesh}`, packed(meshBytes(mesh)))));
  return fillView(page, document, blobs.join(''));
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [page, out, count] = process.argv.slice(2);
  if (!out) {
    console.error('usage: node sample_view.mjs PAGE.html OUT.html [RUNS]');
    process.exit(2);
  }
  writeFileSync(
    out,
    oneFile(readFileSync(page, 'utf8'), sampleView({ count: Number(count ?? 3) })),
  );
}
