// SPDX-License-Identifier: Apache-2.0
// Claims about the data: how samples are decoded, what is refused, which axis orders the series, what is shown at first.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { primaryAxis } from '../../src/report/axes';
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

const value = (number: number | null) => ({ text: String(number), number });

test('the axis of the link orders the series, else the numeric one that matters most', () => {
  const cut = { key: 'cut', unit: '', values: [value(null), value(null)] };
  const period = { key: 'control.period', unit: 's', values: [value(0.001)] };
  const rate = { key: 'physics.period', unit: 's', values: [value(0.001), value(0.002)] };
  const delay = { key: 'link.delay', unit: 's', values: [value(0), value(0.01)] };
  const gain = { key: 'gain', unit: '', values: [value(10), value(20)] };
  const none = { rows: [], columns: [] };
  assert.equal(primaryAxis({ axes: [cut, rate, delay], ...none }), 2);
  assert.equal(primaryAxis({ axes: [period, cut], ...none }), 1, 'one value orders nothing');
  assert.equal(primaryAxis({ axes: [cut], ...none }), 0);
  // Along the first axis the metric changes by 1, along the second by 5.
  const row = (point: number[], mean: number): Row => ({
    point,
    n: 1,
    verdicts: { stable: 1 },
    unstable_joint: null,
    cells: [{ mean, low: null, high: null }],
  });
  const rows = [row([0, 0], 1), row([1, 0], 2), row([0, 1], 6), row([1, 1], 7)];
  const columns = [{ name: 'metric', label: '', unit: '', scale: 1, digits: 1 }];
  assert.equal(primaryAxis({ axes: [rate, gain], rows, columns }), 1);
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
    axes: [data.axes![0], { key: 'gain', unit: '', values: [value(10), value(100)] }],
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
  assert.deepEqual(labels().slice(0, 3), ['0\u202fms', '1\u202fms', '2\u202fms']);
  selection.setFilter(1, null);
  assert.equal(labels()[3], '0\u202fms, gain 100');
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

test('durations of an axis are told in one unit', () => {
  const axis = {
    key: 'physics.period',
    unit: 's',
    values: [value(0), value(0.00025), value(0.001)],
  };
  const [shown] = decodeReport({ ...empty, axes: [axis] }).axes;
  assert.deepEqual(
    shown.values.map(({ text }) => text),
    ['0\u202fms', '0.25\u202fms', '1\u202fms'],
  );
});

const metric = {
  name: 'reference_path_deviation_max_m',
  label: 'distance to the run without the link, max',
  unit: 'mm',
  scale: 1000,
  digits: 3,
};

test('the page opens on the slice with the largest stable effect, else with most unstable runs', () => {
  const data = gains();
  const row = (point: number[], mean: number, unstable = 0): Row => ({
    point,
    n: 1,
    verdicts: unstable ? { unstable } : { stable: 1 },
    unstable_joint: null,
    cells: [{ mean, low: null, high: null }],
  });
  const open = (rows: Row[]) =>
    new Selection(decodeReport({ ...data, rows, columns: [metric] })).filter(1);
  assert.equal(open([row([0, 0], 0.001), row([1, 0], 0.004), row([0, 1], 0.003)]), 0);
  assert.equal(open([row([0, 0], 0.002), row([0, 1], 0.003), row([1, 0], 99, 1)]), 1);
  assert.equal(open([row([0, 0], 0), row([1, 1], 99, 1)]), 1);
});

test('one run is compared with the reference run', () => {
  const run = decodeReport({ ...empty, columns: [metric] });
  assert.equal(run.columns[0].label, 'distance to the reference run, max');
});

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
