// SPDX-License-Identifier: Apache-2.0
// Claims about the data: how samples are decoded, what is refused, which axis orders the series, what is shown at first.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RawReport, Row, decodeFloats, decodeReport } from '../../src/report/data';
import { tableWords } from '../../src/report/metric_table';
import { Selection, spreadChoice } from '../../src/report/selection';

test('samples are little-endian float32 in base64', () => {
  // 1.0f = 00 00 80 3f, −2.5f = 00 00 20 c0 → AACAPwAAIMA=
  assert.deepEqual([...decodeFloats('AACAPwAAIMA=')], [1, -2.5]);
  assert.deepEqual([...decodeFloats('')], []);
  // 00 00 c0 7f is a quiet NaN
  assert.ok(Number.isNaN(decodeFloats('AADAfw==')[0]));
});

test('bytes that are no whole samples are refused', () => {
  assert.throws(() => decodeFloats('AACA'), /3 bytes are not float32 samples/);
});

const empty: RawReport = { format: 1, kind: 'run', title: 't', about: {} };

test('an empty page and another format are told in words', () => {
  assert.throws(() => decodeReport({} as RawReport), /contains no report/);
  assert.throws(() => decodeReport({ ...empty, format: 2 }), /format 2; this page reads format 1/);
});

test('parts that are missing are empty', () => {
  const report = decodeReport(empty);
  assert.deepEqual([report.axes, report.series, report.rows, report.margins], [[], [], [], []]);
  assert.equal(report.plan, null);
});

const value = (text: string, number: number | null = null, name = text) => ({ text, name, number });

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
        title: 'link.delay [ms]',
        unit: 'ms',
        scale: 1000,
        is_numeric: true,
        values: Array.from({ length: delays }, (_, i) => value(`${i} ms`, i / 1000)),
      },
      {
        key: 'cut',
        title: 'cut',
        unit: '',
        scale: 1,
        is_numeric: false,
        values: ['velocity', 'effort'].slice(0, cuts).map((text) => value(text)),
      },
    ],
    primary: 0,
    focus: [null, cuts - 1],
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

test('a further axis starts where the data says and filters', () => {
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

// gain 10 and 100, latencies 2, 10 and 20 ms, and the run without the link of each gain.
function gains(): RawReport {
  const data = study(3, 2);
  const reference = (label: string, gain: number) => ({
    ...data.series![0],
    label,
    point: [],
    slice_of: [null, gain],
    is_reference: true,
  });
  return {
    ...data,
    axes: [
      data.axes![0],
      {
        ...{ key: 'gain', title: 'gain', unit: '', scale: 1, is_numeric: true },
        values: [value('10', 10, 'gain 10'), value('100', 100, 'gain 100')],
      },
    ],
    series: [
      ...data.series!,
      reference('without the link, gain 10', 0),
      reference('without the link, gain 100', 1),
    ],
  };
}

test('a reference is shown only in the slice that it belongs to', () => {
  const selection = new Selection(decodeReport(gains()));
  const references = () =>
    selection
      .candidates()
      .filter((series) => series.isReference)
      .map((series) => series.label);
  selection.setFilter(1, 0);
  assert.deepEqual(references(), ['without the link, gain 10']);
  selection.setFilter(1, 1);
  assert.deepEqual(references(), ['without the link, gain 100']);
  const [one] = selection.visible();
  assert.equal(selection.referenceOf(one)!.label, 'without the link, gain 100');
  assert.equal(selection.labelOf(selection.referenceOf(one)!), 'without the link');
  selection.setFilter(1, null);
  assert.equal(references().length, 2);
});

test('a label tells only what differs within the slice', () => {
  const selection = new Selection(decodeReport(gains()));
  selection.setFilter(1, 1);
  const labels = () => selection.visible().map((series) => selection.labelOf(series));
  assert.deepEqual(labels().slice(0, 3), ['0 ms', '1 ms', '2 ms']);
  selection.setFilter(1, null);
  assert.equal(labels()[3], '0 ms, gain 100');
});

test('references take no place of the dozen, and being one of many is not being switched off', () => {
  const data = study(40, 1);
  data.series!.push({
    ...data.series![0],
    label: 'without the link',
    point: [],
    is_reference: true,
  });
  const selection = new Selection(decodeReport(data));
  assert.equal(selection.visible().length, 13);
  const hidden = selection.candidates().find((series) => !selection.isOn(series))!;
  assert.equal(selection.isUnticked(hidden), false);
  selection.setOn(selection.visible()[0], false);
  assert.equal(selection.isUnticked(selection.candidates()[0]), true);
});

const metric = {
  name: 'reference_path_deviation_max_m',
  label: 'distance to the run without the link, max',
  unit: 'mm',
  scale: 1000,
  digits: 3,
};

test('what stands under the table tells parts, unstable runs and equal seeds', () => {
  const cell = (low: number, n = 6) => ({ mean: 1, low, high: 2 - low, n });
  const row = (cells: Row['cells'], verdicts = {}): Row => ({
    point: [0],
    n: 6,
    verdicts,
    unstable_joint: null,
    cells,
  });
  const words = (rows: Row[]) =>
    tableWords(
      decodeReport({ ...empty, rows, columns: [metric], repeats: { key: 'seed', count: 6 } }),
    ).join(' ');
  assert.equal(words([row([cell(1)])]), 'All seeds gave the same run.');
  assert.match(words([row([cell(0.9)])]), /^Means; after ±/);
  assert.match(words([row([cell(0.9, 3)])]), /only that many of the runs have it/);
  assert.match(words([row([cell(0.9)], { stable: 5, unstable: 1 })]), /† includes runs that/);
  assert.doesNotMatch(words([row([cell(0.9)], { stable: 6 })]), /†|only so many/);
});
