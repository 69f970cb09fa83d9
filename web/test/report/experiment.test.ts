// SPDX-License-Identifier: Apache-2.0
// Claims about the pages of experiments: which curves share a figure, what a map shows, where scales are logarithmic.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { primaryAxis } from '../../src/report/axes';
import { curveGroups } from '../../src/report/curves_figure';
import { Axis, Row, decodeReport } from '../../src/report/data';
import { keyWithUnit, rounded } from '../../src/shared/format';
import { chartColumns, spansDecades, withoutNoise } from '../../src/report/metric_axis';
import { firstColumn } from '../../src/report/metric_chart';
import {
  facets,
  isGood,
  mapAxes,
  ordered,
  outcomeOf,
  wrapped,
} from '../../src/report/outcome_figure';
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

test('an outcome that is bad when true has the signs the other way round', () => {
  assert.equal(isGood('yes', true), true);
  assert.equal(isGood('yes', false), false);
  assert.equal(isGood('no', false), true);
  assert.equal(isGood('mixed', false), null);
});

test('titles of maps are broken between values, never within one', () => {
  assert.deepEqual(wrapped('depth 0.001, gripper ode', 14), ['depth 0.001', 'gripper ode']);
  assert.deepEqual(wrapped('depth 0.001, gripper ode', 24), ['depth 0.001, gripper ode']);
  assert.deepEqual(wrapped('contact.min_depth_m 0.001', 5), ['contact.min_depth_m 0.001']);
  assert.deepEqual(wrapped('', 5), []);
});

test('rounding noise does not stretch a logarithmic axis', () => {
  // 2e-6 is more than a millionth of 1, 1e-6 is not
  assert.deepEqual(withoutNoise([0, 1e-15, 1e-6, 2e-6, 1]), [2e-6, 1]);
  assert.deepEqual(withoutNoise([-2, 1e-9]), [-2]);
  assert.deepEqual(withoutNoise([0, 0]), []);
});

test('what is below the last place of a column is written as zero, without a sign', () => {
  assert.equal(rounded(-1.7e-15, 3), '0.000');
  assert.equal(rounded(0.0005, 3), '0.001');
  assert.equal(rounded(-0.25, 2), '−0.25');
});

test('axes have the unit that the key ends in', () => {
  assert.equal(keyWithUnit('impulse_m_s'), 'impulse [m/s]');
  assert.equal(keyWithUnit('contact.min_depth_m'), 'contact.min_depth [m]');
  assert.equal(keyWithUnit('trays'), 'trays');
});

test('the chart opens on the first metric that is not the same everywhere', () => {
  const sample = sampleExperiment();
  assert.equal(firstColumn(decodeReport(sample)), 1);
  // all slips are rounding: only the machine differs, which is no result
  for (const row of sample.rows!) row.cells[1]!.mean = 1e-15 * row.point[0];
  assert.equal(firstColumn(decodeReport(sample)), 1);
  sample.columns![3].is_of_machine = false;
  assert.equal(firstColumn(decodeReport(sample)), 3);
});

test('only positive numbers thirty times apart get a logarithmic axis', () => {
  assert.equal(spansDecades([1, 30]), true);
  assert.equal(spansDecades([1, 29]), false);
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
