// SPDX-License-Identifier: Apache-2.0
// Claims about the pages of experiments: which curves share a figure, what a map shows, where scales are logarithmic.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Axis, decodeReport } from '../../src/report/data';
import { keyWithUnit, rounded } from '../../src/shared/format';
import { facets, ordered, wrapped } from '../../src/report/outcome_figure';
import { sampleExperiment } from './sample_experiment.mjs';

const axis = (key: string, texts: string[], isNumeric = false): Axis => ({
  key,
  title: key,
  unit: '',
  scale: 1,
  is_numeric: isNumeric,
  values: texts.map((text) => ({
    text,
    name: isNumeric ? `${key} ${text}` : text,
    number: isNumeric ? Number(text) : null,
  })),
});

test('curves are decoded under their names', () => {
  const report = decodeReport(sampleExperiment());
  const { curves } = report.series[0];
  assert.deepEqual(Object.keys(curves), ['x', 'y', 'angle']);
  // law 0, 1 N, 50 g: 1 mm × 0.05 of a sine of 2 Hz, after 1/8 s at its top, in mm
  assert.ok(Math.abs(curves.x[24] - 0.05) < 1e-6, String(curves.x[24]));
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

test('numbers of a map grow to the right and upwards, whatever their order in the study', () => {
  assert.deepEqual(ordered(axis('force', ['10', '2', '33'], true)), [1, 0, 2]);
  assert.deepEqual(ordered(axis('law', ['b', 'a'])), [0, 1]);
});

test('titles of maps are broken between values, never within one', () => {
  assert.deepEqual(wrapped('depth 0.001, gripper ode', 14), ['depth 0.001', 'gripper ode']);
  assert.deepEqual(wrapped('depth 0.001, gripper ode', 24), ['depth 0.001, gripper ode']);
  assert.deepEqual(wrapped('contact.min_depth_m 0.001', 5), ['contact.min_depth_m 0.001']);
  assert.deepEqual(wrapped('', 5), []);
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
