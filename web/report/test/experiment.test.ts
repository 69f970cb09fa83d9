// SPDX-License-Identifier: Apache-2.0
// Claims about the pages of experiments: which curves share a figure, what a map shows, where scales are logarithmic.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { primaryAxis } from '../src/axes';
import { curveGroups } from '../src/curves_figure';
import { Axis, Row, decodeReport } from '../src/data';
import { chartColumns, spansDecades } from '../src/metric_axis';
import { facets, mapAxes, ordered, outcomeOf } from '../src/outcome_figure';
import { sampleExperiment } from './sample_experiment.mjs';

const axis = (key: string, texts: string[], isNumeric = false): Axis => ({
  key,
  unit: '',
  values: texts.map((text) => ({ text, number: isNumeric ? Number(text) : null })),
});

const row = (mean: number | null, more: Partial<Row> = {}): Row => ({
  point: [0],
  n: 2,
  verdicts: { stable: 2 },
  unstable_joint: null,
  cells: [mean === null ? null : { mean, low: null, high: null, n: 2 }],
  ...more,
});

test('curves of one unit share a figure, in the order of the list', () => {
  const curve = (unit: string) => ({ name: '', label: '', unit, scale: 1 });
  const curves = ['mm', 'deg', 'mm'].map(curve);
  assert.deepEqual(curveGroups({ kind: '', outcome: '', curves }), [[0, 2], [1]]);
});

test('curves are decoded into the units of the list', () => {
  const report = decodeReport(sampleExperiment());
  const last = report.series[0].curves;
  assert.equal(last.length, 3);
  // law 0, 1 N, 50 g: 1 mm × 0.05 of a sine of 2 Hz, after 1/8 s at its top, in mm
  assert.ok(Math.abs(last[0]![24] - 0.05) < 1e-6, String(last[0]![24]));
});

test('an outcome is yes or no only if all runs of a point agree', () => {
  assert.equal(outcomeOf(row(1), 0), 'yes');
  assert.equal(outcomeOf(row(0), 0), 'no');
  assert.equal(outcomeOf(row(0.5), 0), 'mixed');
  assert.equal(outcomeOf(row(null), 0), 'undecided');
  assert.equal(outcomeOf(row(1, { verdicts: { unstable: 2 } }), 0), 'diverged');
  assert.equal(outcomeOf(undefined, 0), 'open');
  const half = row(1);
  half.cells[0]!.n = 1; // the other run has none
  assert.equal(outcomeOf(half, 0), 'mixed');
});

test('there is a map for every combination of the axes that it does not have', () => {
  const axes = [
    axis('velocity', ['1', '2'], true),
    axis('force', ['1', '2'], true),
    axis('depth', ['0', '1', '2'], true),
    axis('engine', ['ode']),
    axis('mass', ['1', '5'], true),
  ];
  const all = facets(axes, 0, 1);
  assert.equal(all.length, 6);
  assert.equal(all[1].name, 'depth 0, mass 5');
  assert.deepEqual(all[5].values, [0, 0, 2, 0, 1]);
});

test('a map has two numeric axes where there are two, else those that come first', () => {
  const [law, force, mass] = [
    axis('law', ['a', 'b']),
    axis('force', ['1', '2'], true),
    axis('mass', ['1', '5'], true),
  ];
  assert.deepEqual(mapAxes([law, force, mass]), { across: 1, up: 2 });
  assert.deepEqual(mapAxes([law, force]), { across: 0, up: 1 });
  assert.deepEqual(mapAxes([axis('mass', ['1'], true), law]), { across: 1, up: null });
});

test('numbers of a map grow to the right and upwards, whatever their order in the study', () => {
  assert.deepEqual(ordered(axis('force', ['10', '2', '33'], true)), [1, 0, 2]);
  assert.deepEqual(ordered(axis('law', ['b', 'a'])), [0, 1]);
});

test('only positive numbers more than two decades apart get a logarithmic axis', () => {
  assert.equal(spansDecades([1, 101]), true);
  assert.equal(spansDecades([1, 100]), false);
  assert.equal(spansDecades([0, 1000]), false);
  assert.equal(spansDecades([-1, 1000]), false);
  assert.equal(spansDecades([5]), false);
});

test('a closed form is not offered as a metric of its own', () => {
  assert.deepEqual(chartColumns(sampleExperiment().columns), [0, 1, 3]);
});

test('series of an experiment are compared by words, then by numbers, engines last', () => {
  const report = decodeReport(sampleExperiment());
  assert.equal(report.axes[primaryAxis(report)].key, 'law');
  const engines = { ...report, axes: [axis('engine', ['mujoco', 'ode']), ...report.axes.slice(1)] };
  assert.equal(engines.axes[primaryAxis(engines)].key, 'force_n');
  const arm = { ...engines, axes: [axis('cut', ['effort', 'none']), ...report.axes.slice(1)] };
  assert.notEqual(primaryAxis({ ...arm, experiment: null }), 0);
});
