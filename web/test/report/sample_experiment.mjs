// SPDX-License-Identifier: Apache-2.0
// Report data of an experiment as the program would write it: a gripper's three laws by force and mass; written by hand,
// not measured.
import { deflateRawSync } from 'node:zlib';

import { packColumn } from '../view/pack.mjs';
import { described } from './sample_figures.mjs';
import { base64 } from './sample_floats.mjs';
import { sampleMotion } from './sample_motion.mjs';

const laws = ['parallel', 'constant-force', 'mimic-pid'];
const forces = [1, 10, 40, 500];
const masses = [0.05, 0.2];
const count = 400;
const periodS = 0.005;

const axis = (key, values) => ({
  key,
  unit: '',
  values: values.map((value) => ({
    text: String(value),
    number: typeof value === 'number' ? value : null,
  })),
});

const curvesOf = (law, force, mass) => {
  const times = Array.from({ length: count }, (_, i) => (i + 1) * periodS);
  const size = (0.001 * (1 + law) * mass) / Math.sqrt(force);
  return {
    x: base64(times.map((t) => 1e3 * size * Math.sin(4 * Math.PI * t))),
    y: base64(times.map((t) => 200 * size * Math.cos(4 * Math.PI * t))),
    angle: base64(times.map((t) => (180 / Math.PI) * 10 * size * Math.sin(4 * Math.PI * t))),
  };
};

// A point that was not run yet, one that diverged, one that is undecided, one whose runs disagree.
function rowOf(point, index) {
  const [law, force, mass] = point;
  const isWild = index === 5;
  const held = index === 7 ? null : index === 9 ? 0.5 : Number(forces[force] > 20 * masses[mass]);
  const slip = (0.002 * (1 + 0.1 * law)) / forces[force];
  const cell = (mean, half) => ({
    mean,
    low: half ? mean - half : null,
    high: half ? mean + half : null,
    n: 2,
  });
  return {
    point,
    n: 2,
    verdicts: isWild ? { unstable: 2 } : { stable: 2 },
    unstable_joint: null,
    cells: [
      held === null ? null : cell(held, 0),
      cell(slip, isWild ? 0 : 0.1 * slip),
      cell(0.002 / forces[force], 0),
      cell(12 + index, 0.5),
    ],
  };
}

const own = {
  outcome: 'is_held',
  curves: [
    { name: 'x', label: 'displacement along the closing axis', unit: 'mm' },
    { name: 'y', label: 'displacement across it', unit: 'mm' },
    { name: 'angle', label: 'angle', unit: 'deg' },
  ],
};

export const sampleExperiment = () => described(experiment(), own);

function experiment() {
  const rows = [];
  const series = [];
  laws.forEach((law, i) =>
    forces.forEach((force, j) =>
      masses.forEach((mass, k) => {
        const point = [i, j, k];
        if (i === 2 && j === 3 && k === 1) return;
        const row = rowOf(point, rows.length);
        rows.push(row);
        series.push({
          label: `${law}, force_n ${force}, mass_kg ${mass}`,
          point,
          is_reference: false,
          verdict: row.verdicts.unstable ? 'unstable' : 'stable',
          ended: row.verdicts.unstable ? 'diverged' : 'completed',
          start_s: periodS,
          period_s: periodS,
          count,
          curves: curvesOf(i, force, mass),
        });
      }),
    ),
  );
  const column = (name, label, unit, scale, digits, more = {}) => ({
    ...{ name, label, unit, scale, digits },
    ...more,
  });
  return {
    format: 1,
    kind: 'study',
    title: 'a part in a gripper',
    about: {
      longarm_version: '0.1.0',
      scenario: 'grip',
      engine: 'mujoco',
      cut: '',
      command: 'longarm sweep grip --axis seed=1,2',
      runs: 2 * rows.length,
      seeds: 2,
      source: 'study.db',
      identity: '9c1f0a57d3e2b846',
      scenario_yaml: 'experiment: grip\n',
      warnings: ['2 of 48 runs are not finished'],
    },
    axes: [axis('law', laws), axis('force_n', forces), axis('mass_kg', masses)],
    repeats: { key: 'seed', count: 2 },
    experiment: { kind: 'grip', outcome: 'is_held' },
    joints: [],
    plan: null,
    series,
    columns: [
      column('is_held', 'held', '', 1, 0),
      column('slip_m', 'slip', 'mm', 1e3, 4, { expected: 'slip_closed_m' }),
      column('slip_closed_m', 'slip, closed form', 'mm', 1e3, 4),
      column('real_time_factor', 'real-time factor', '×', 1, 2, { is_of_machine: true }),
    ],
    rows,
    rows_left_out: 0,
    margins: [],
    margin_remarks: [],
  };
}

// A run of a cell: its report has poses from the trace, at other instants than its curves.
export function sampleCell() {
  const data = experiment();
  const { scene } = sampleMotion([
    'shoulder_pan',
    'shoulder_lift',
    'elbow',
    'wrist_1',
    'wrist_2',
    'wrist_3',
  ]);
  const [period, poseCount] = [0.05, 21];
  const times = Array.from({ length: poseCount }, (_, i) => 0.1 + i * period);
  const moving = scene.frames.filter((frame) => frame.moving >= 0);
  const columns = moving.flatMap(({ p, moving: number }) => {
    const turn = (t) => (number === 0 ? 0.05 * t : 0); // half of the angle
    return [
      ...p.map((value) => times.map(() => value)),
      times.map(() => 0),
      times.map(() => 0),
      times.map((t) => Math.sin(turn(t))),
      times.map((t) => Math.cos(turn(t))),
    ];
  });
  const poses = {
    start_s: times[0],
    period_s: period,
    count: poseCount,
    data: deflateRawSync(Buffer.concat(columns.map((column) => packColumn(column)))).toString(
      'base64',
    ),
  };
  const series = [{ ...data.series[0], label: 'this run', point: [], poses }];
  const rows = [{ ...data.rows[0], point: [] }];
  const run = { kind: 'run', title: 'a cell', axes: [], repeats: null, series, rows };
  return { ...described({ ...data, ...run }, own), motion: { scene, joints: [] } };
}
