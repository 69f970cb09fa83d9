// SPDX-License-Identifier: Apache-2.0
// Makes report data as the program would: six joints that follow a plan through delayed loops; written by hand, not measured.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { described } from './sample_figures.mjs';
import { base64 } from './sample_floats.mjs';
import { packedPositions, sampleMotion } from './sample_motion.mjs';

const joints = ['shoulder_pan', 'shoulder_lift', 'elbow', 'wrist_1', 'wrist_2', 'wrist_3'].map(
  (name) => `${name}_joint`,
);
const gains = [16, 14, 22, 30, 26, 24]; // 1/s
const goals = [
  [0, -1.57, 1.57, -1.57, -1.57, 0],
  [0.6, -1.3, 1.4, -1.7, -1.4, 0.3],
  [0.9, -1.7, 1.9, -1.8, -1.6, 0.8],
  [0.1, -1.9, 2.1, -1.75, -1.5, 0.2],
  [-0.5, -1.4, 1.6, -1.6, -1.3, -0.4],
  [0, -1.57, 1.57, -1.57, -1.57, 0],
];
const moveS = 1.4;
const stepS = 0.002;
const keptEvery = 5;
const count = 1000;

const xyz = (points, before = '') =>
  Object.fromEntries(
    ['x', 'y', 'z'].map((axis, i) => [before + axis, base64(points.map((p) => p[i]))]),
  );

// A repeatable generator; a report is not a place for surprises.
const generator = (seed) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};

// Position of the arm's tip for joint angles: a plain shoulder, elbow, wrist chain, as sample_motion.mjs draws it.
function tip([pan, lift, elbow, wrist1]) {
  const [a, b, c] = [lift, lift + elbow, lift + elbow + wrist1];
  const reach = 0.425 * Math.cos(a) + 0.392 * Math.cos(b) + 0.16 * Math.cos(c);
  const height = 0.089 - 0.425 * Math.sin(a) - 0.392 * Math.sin(b) - 0.16 * Math.sin(c);
  const side = 0.109;
  return [
    reach * Math.cos(pan) - side * Math.sin(pan),
    reach * Math.sin(pan) + side * Math.cos(pan),
    height,
  ];
}

function planAt(time) {
  const segment = Math.min(goals.length - 2, Math.floor(time / moveS));
  const t = Math.min(1, (time - segment * moveS) / moveS);
  const blend = t ** 3 * (10 - 15 * t + 6 * t * t);
  const rate = time >= (goals.length - 1) * moveS ? 0 : (30 * t * t * (1 - t) ** 2) / moveS;
  return goals[segment].map((from, j) => {
    const way = goals[segment + 1][j] - from;
    return { position: from + blend * way, velocity: rate * way };
  });
}

// Each joint: velocity command = plan's velocity + gain × (plan − delayed position), acting after the delay.
function simulate(delayS, boost) {
  const lag = Math.round(delayS / stepS);
  const positions = [[...goals[0]]];
  const commands = [];
  const velocity = joints.map(() => 0);
  const kept = { tips: [], commands: joints.map(() => []), positions: joints.map(() => []) };
  for (let k = 0; k < count * keptEvery; ++k) {
    const plan = planAt(k * stepS);
    const seen = positions[Math.max(0, k - lag)];
    commands.push(
      plan.map(
        ({ position, velocity: wanted }, j) => wanted + boost * gains[j] * (position - seen[j]),
      ),
    );
    const acting = k >= lag ? commands[k - lag] : joints.map(() => 0);
    const now = positions[k].map((position, j) => {
      velocity[j] += (acting[j] - velocity[j]) * (stepS / 0.012); // the drive follows with a lag of 12 ms
      const limited = Math.max(-3.1, Math.min(3.1, velocity[j]));
      return position + stepS * limited;
    });
    positions.push(now);
    if (k % keptEvery === 0) {
      kept.tips.push(tip(now));
      now.forEach((position, j) => kept.positions[j].push(position));
      commands[k].forEach((command, j) => kept.commands[j].push(Math.fround(command)));
    }
  }
  return kept;
}

function histogram(delayS, jitterS, random) {
  const bins = [];
  const [low, width] = [delayS, Math.max(jitterS, 1e-6) / 16];
  for (let i = 0; i < (jitterS > 0 ? 16 : 1); ++i)
    bins.push([low + i * width, low + (i + 1) * width, 0]);
  for (let i = 0; i < 10000; ++i)
    ++bins[Math.min(bins.length - 1, Math.floor(bins.length * random() ** 1.7))][2];
  return bins;
}

function linkOf(delayS, seed) {
  const random = generator(seed);
  const direction = (dropped) => ({
    sent: 10000 + dropped,
    delivered: 10000,
    dropped,
    reordered: Math.round(20 * random()),
    delay_p50_s: delayS * 1.05,
    delay_p99_s: delayS * 1.2,
    delay_max_s: delayS * 1.25,
    age_mean_s: delayS + 0.0005,
    histogram: histogram(delayS, delayS * 0.25, random),
  });
  return {
    states: direction(Math.round(12 * random())),
    commands: direction(Math.round(12 * random())),
  };
}

const verdictOf = (delayS, boost) => {
  const product = Math.max(...gains) * boost * (2 * delayS + 0.012);
  return product > 1.57 ? 'unstable' : product > 1.1 ? 'undecided' : 'stable';
};

function seriesOf(label, point, delayS, boost, reference) {
  const run = simulate(delayS, boost);
  let sum = 0;
  const cumulated = reference
    ? run.commands[0].map((_, k) => {
        run.commands.forEach((commands, j) => {
          sum += Math.abs(commands[k] - reference.commands[j][k]) * stepS * keptEvery;
        });
        return sum;
      })
    : null;
  const series = {
    label,
    point,
    is_reference: !reference,
    verdict: verdictOf(delayS, boost),
    ended: 'completed',
    start_s: 0,
    period_s: stepS * keptEvery,
    count,
    curves: {
      ...xyz(run.tips, 'end_effector.'),
      ...Object.fromEntries(
        joints.map((joint, j) => [`velocity_command.${joint}`, base64(run.commands[j])]),
      ),
      ...(cumulated ? { cumulated_velocity_command_difference: base64(cumulated) } : {}),
    },
    positions: packedPositions(run.positions),
    link: reference ? linkOf(delayS, 7 + Math.round(delayS * 1e6)) : null,
  };
  return { series, run };
}

function marginsOf() {
  const random = generator(3);
  const margins = [];
  for (const cut of ['velocity', 'effort', 'stale-servo']) {
    for (const direction of ['both', 'states', 'commands']) {
      const critical =
        { velocity: 0.021, effort: 0.004, 'stale-servo': 0.047 }[cut] *
        (direction === 'both' ? 1 : 2);
      const tried = [0, 0.25, 0.5, 0.75, 0.9, 0.98, 1, 1.02, 1.06, 1.25, 1.5, 2, 4].map((part) => ({
        latency_s: Number((critical * part).toFixed(6)),
        verdict: part <= 1 ? 'stable' : part < 1.03 ? 'undecided' : 'unstable',
        growth_per_s: 12 * (part - 1.01) * (part > 1 ? 1.4 : 1) + 0.1 * random(),
        growth_standard_error_per_s: 0.2 + 0.3 * random(),
        joint: 'wrist_1_joint',
      }));
      margins.push({
        cut,
        direction,
        gain: null,
        control_period_s: 0.001,
        physics_period_s: 0.001,
        critical_s: critical,
        unstable_s: Number((critical * 1.06).toFixed(6)),
        undecided_s: [Number((critical * 1.02).toFixed(6))],
        closed_form_s: cut === 'stale-servo' ? null : critical * 1.01,
        closed_form:
          cut === 'stale-servo'
            ? null
            : cut === 'effort'
              ? '|z| < 1 for det((z−1)² + h·K·z^−11) = 0'
              : 'K·h < 2 sin(π/(2(2n+1)))',
        closed_form_joint: cut === 'stale-servo' ? null : 'wrist_1_joint',
        first_joint: 'wrist_1_joint',
        period_s: 4 * critical,
        closed_form_period_s: 4.04 * critical,
        growth_per_s: 0.9,
        growth_standard_error_per_s: 0.04,
        searched_up_to_s: 0.3,
        tried,
      });
      if (cut === 'stale-servo' && direction === 'both') {
        // Stable as far as it was searched, as the closed form says it should be.
        Object.assign(margins[margins.length - 1], {
          critical_s: 0.3,
          unstable_s: null,
          undecided_s: [],
          is_at_limit: true,
          closed_form_has_limit: false,
          tried: tried.map((one) => ({ ...one, verdict: 'stable', growth_per_s: -2 })),
        });
      }
    }
  }
  return margins;
}

// kinds: study, cuts (two axes), slices (two axes, many latencies, a reference beside the grid for each gain), run, margin
export function sampleData(kind = 'study') {
  const latenciesMs =
    kind === 'run'
      ? [10]
      : kind === 'slices'
        ? Array.from({ length: 16 }, (_, i) => 1 + 1.5 * i)
        : [0, 2, 5, 7, 10, 15, 22];
  const isGrid = kind === 'cuts' || kind === 'slices';
  const boosts =
    kind === 'cuts'
      ? [
          ['velocity', 1],
          ['effort', 1.6],
        ]
      : kind === 'slices'
        ? [
            ['10', 1],
            ['100', 1.6],
          ]
        : [['velocity', 1]];
  const reference = seriesOf('no latency (reference)', [], 0, 1, null);
  // With several cuts the run without latency of each is its reference.
  const series = kind === 'margin' || isGrid ? [] : [reference.series];
  let base = reference.run;
  const columns = [
    ['path_deviation_max_m', 'path deviation, max', 'mm', 1000, 3],
    ['path_deviation_rms_m', 'path deviation, rms', 'mm', 1000, 3],
    ['reference_path_deviation_max_m', 'deviation from the reference, max', 'mm', 1000, 3],
    ['cumulated_joint_difference_rad_s', 'cumulated joint difference', 'rad s', 1, 4],
    [
      'cumulated_velocity_command_difference_rad',
      'cumulated velocity command difference',
      'rad',
      1,
      4,
    ],
    ['overshoot_rad', 'overshoot', 'mrad', 1000, 3],
    ['settling_time_s', 'settling time', 'ms', 1000, 1],
    ['growth_per_s', 'growth', '1/s', 1, 3],
  ].map(([name, label, unit, scale, digits]) => ({ name, label, unit, scale, digits }));
  const rows = [];
  const random = generator(11);
  boosts.forEach(([cut, boost], c) => {
    if (kind === 'slices') {
      const own = seriesOf(`without the link, gain ${cut}`, [], 0, boost, null);
      series.push({ ...own.series, slice_of: [null, c] });
      base = own.run;
    }
    latenciesMs.forEach((ms, i) => {
      if (kind === 'margin') return;
      const point = isGrid ? [i, c] : kind === 'run' ? [] : [i];
      const label = isGrid ? `${ms} ms, ${cut}` : `${ms} ms`;
      const isBase = kind === 'cuts' && ms === 0;
      const made = seriesOf(label, point, ms / 1000, boost, isBase ? null : base);
      if (isBase) base = made.run;
      series.push(made.series);
      const { verdict } = made.series;
      const n = kind === 'run' ? 1 : 5;
      const wild = verdict === 'unstable' ? 60 : 1;
      rows.push({
        point,
        n,
        verdicts: verdict === 'undecided' ? { stable: 3, undecided: 2 } : { [verdict]: n },
        unstable_joint: verdict === 'unstable' ? 'wrist_1_joint' : null,
        cells: columns.map((column, k) => {
          if (column.name === 'settling_time_s' && verdict === 'unstable') return null;
          const mean =
            (0.002 + 0.0011 * ms * (1 + 0.1 * k)) * wild * (1 + 0.01 * random()) * (k > 2 ? 10 : 1);
          const half = mean * 0.04 * (1 + random());
          // Of every third row only some runs have a settling time.
          const having = column.name === 'settling_time_s' && i % 3 === 1 ? Math.min(n, 3) : n;
          return n > 1
            ? { mean, low: mean - half, high: mean + half, n: having }
            : { mean, low: null, high: null, n };
        }),
      });
    });
  });
  const planned = Array.from({ length: count }, (_, k) =>
    tip(planAt(k * stepS * keptEvery).map((joint) => joint.position)),
  );
  const delayAxis = {
    key: 'link.delay',
    unit: 's',
    values: latenciesMs.map((ms) => ({ text: `${ms}ms`, number: ms / 1000 })),
  };
  const cutAxis = {
    key: 'cut',
    unit: '',
    values: boosts.map(([text]) => ({ text, number: null })),
  };
  const gainAxis = {
    key: 'gain',
    unit: '',
    values: boosts.map(([text]) => ({ text, number: Number(text) })),
  };
  const axes = {
    study: [delayAxis],
    cuts: [delayAxis, cutAxis],
    slices: [delayAxis, gainAxis],
  };
  return described({
    format: 1,
    kind: isGrid ? 'study' : kind,
    title: 'UR5, five waypoints, by latency',
    about: {
      longarm_version: '0.1.0',
      scenario: 'ur5-waypoints',
      engine: 'mujoco',
      cut: 'velocity',
      command:
        'longarm sweep ur5-waypoints --axis link.delay=0ms,2ms,5ms,7ms,10ms,15ms,22ms --axis seed=1..5',
      runs: rows.reduce((sum, row) => sum + row.n, 0),
      seeds: 5,
      source: 'study.db',
      identity: '9c1f0a57d3e2b846',
      scenario_yaml:
        'model: ur5\ntask:\n  waypoints: 5\nlink:\n  delay: 0ms  # <script>alert(1)</script>\n',
      warnings:
        kind === 'run' ? ['The plan was made for this run; <b>compare</b> paths with care.'] : [],
    },
    axes: axes[kind] ?? [],
    repeats: kind === 'study' || isGrid ? { key: 'seed', count: 5 } : null,
    joints: kind === 'margin' ? [] : joints,
    plan:
      kind === 'margin'
        ? null
        : {
            path_m: xyz(planned),
            waypoints_m: goals.slice(1).map(tip),
            start_m: tip(goals[0]),
            hold_start_s: (goals.length - 1) * moveS,
          },
    // of cuts as an earlier version wrote them
    motion: ['cuts', 'margin'].includes(kind) ? null : sampleMotion(joints),
    series: kind === 'cuts' ? series.map((one) => ({ ...one, positions: null })) : series,
    columns: kind === 'margin' ? [] : columns,
    rows,
    rows_left_out: 0,
    margins: kind === 'study' || kind === 'margin' ? marginsOf() : [],
    margin_remarks:
      kind === 'margin'
        ? ['An outer-loop cut stays stable far beyond 10 ms; the effort cut does not.']
        : [],
  });
}

// The page with the data put in, as the program does it.
export function fillPage(page, data) {
  const text = JSON.stringify(data).replaceAll('<', '\\u003c');
  const empty = '<script type="application/json" id="report-data">{}</script>';
  if (!page.includes(empty)) throw new Error('the page has no place for data');
  return page.replace(empty, () => empty.replace('{}', () => text));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [kind, page, out] = process.argv.slice(2);
  if (!out) {
    console.error('usage: node sample_data.mjs study|cuts|slices|run|margin PAGE_TEMPLATE REPORT');
    process.exit(2);
  }
  writeFileSync(out, fillPage(readFileSync(page, 'utf8'), sampleData(kind)));
}
