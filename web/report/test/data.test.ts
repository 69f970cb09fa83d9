// SPDX-License-Identifier: Apache-2.0
// Claims about the data: how samples are decoded, what is refused, which axis orders the series, what is shown at first.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RawReport, decodeFloats, decodeReport, primaryAxis } from '../src/data';
import { Selection, spreadChoice } from '../src/selection';

test('samples are little-endian float32 in base64', () => {
  // 1.0f = 00 00 80 3f, −2.5f = 00 00 20 c0 → AACAPwAAIMA=
  assert.deepEqual([...decodeFloats('AACAPwAAIMA=')], [1, -2.5]);
  assert.deepEqual([...decodeFloats('')], []);
  // 00 00 c0 7f is a quiet NaN
  assert.ok(Number.isNaN(decodeFloats('AADAfw==')[0]));
});

test('bytes that are no whole samples are refused', () => {
  assert.throws(() => decodeFloats('AACA'), /3 bytes are no float32 samples/);
});

const empty: RawReport = { format: 1, kind: 'run', title: 't', about: {} };

test('an empty page and another format are told in words', () => {
  assert.throws(() => decodeReport({} as RawReport), /holds no report/);
  assert.throws(() => decodeReport({ ...empty, format: 2 }), /format 2; this page reads format 1/);
});

test('parts that are missing are empty', () => {
  const report = decodeReport(empty);
  assert.deepEqual([report.axes, report.series, report.rows, report.margins], [[], [], [], []]);
  assert.equal(report.plan, null);
});

const value = (number: number | null) => ({ text: String(number), number });

test('the first numeric axis with several values orders the series', () => {
  const cut = { key: 'cut', unit: '', values: [value(null), value(null)] };
  const period = { key: 'control.period', unit: 's', values: [value(0.001)] };
  const delay = { key: 'link.delay', unit: 's', values: [value(0), value(0.01)] };
  assert.equal(primaryAxis([cut, period, delay]), 2);
  assert.equal(primaryAxis([cut, period]), 1);
  assert.equal(primaryAxis([cut]), 0);
});

function study(delays: number, cuts: number): RawReport {
  const series = [];
  for (let c = 0; c < cuts; ++c) {
    for (let d = 0; d < delays; ++d) {
      series.push({
        label: `${d} ms`,
        point: [d, c],
        is_reference: false,
        verdict: 'stable' as const,
        ended: 'completed',
        start_s: 0,
        period_s: 1,
        count: 0,
        end_effector_m: null,
        velocity_command_rad_s: null,
        cumulated_velocity_command_difference_rad: null,
        link: null,
      });
    }
  }
  return {
    ...empty,
    kind: 'study',
    about: { cut: 'effort' },
    series,
    axes: [
      {
        key: 'link.delay',
        unit: 's',
        values: Array.from({ length: delays }, (_, i) => value(i / 1000)),
      },
      {
        key: 'cut',
        unit: '',
        values: ['velocity', 'effort'].slice(0, cuts).map((text) => ({ text, number: null })),
      },
    ],
  };
}

test('no more than twelve series are drawn at first, both ends among them', () => {
  const selection = new Selection(decodeReport(study(40, 1)));
  const drawn = selection.visible().map((series) => series.point[0]);
  assert.equal(drawn.length, 12);
  assert.equal(drawn[0], 0);
  assert.equal(drawn[11], 39);
  assert.deepEqual([...spreadChoice(5, 3)], [0, 2, 4]);
});

test('a further axis starts at the value of the scenario and filters', () => {
  const selection = new Selection(decodeReport(study(3, 2)));
  assert.deepEqual(
    selection.visible().map((series) => series.point),
    [
      [0, 1],
      [1, 1],
      [2, 1],
    ],
  );
  selection.setFilter(1, null);
  assert.equal(selection.visible().length, 6);
  selection.setAll(false);
  assert.equal(selection.visible().length, 0);
});

test('series of one name are told apart', () => {
  const labels = decodeReport(study(1, 2)).series.map((series) => series.label);
  assert.deepEqual(labels, ['0 ms', '0 ms (2)']);
});
