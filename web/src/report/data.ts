// SPDX-License-Identifier: Apache-2.0
// The report's data as the program writes it, and the curves in it decoded for drawing.

import type { Model, Shape, Frame, Tool } from '../shared/scene/scene';
import type { MovedFrame } from './motion/joint_poses';
import { effectColumn, isLinkAxis, linkEffect, withShownValues } from './axes';

export type Verdict = 'stable' | 'unstable' | 'undecided';

export interface RawXyz {
  x: string;
  y: string;
  z: string;
}
export interface AxisValue {
  text: string;
  number: number | null;
}
export interface Axis {
  key: string;
  unit: string;
  values: AxisValue[];
}

export interface LinkStatistics {
  sent: number;
  delivered: number;
  dropped: number;
  reordered: number;
  delay_p50_s: number | null;
  delay_p99_s: number | null;
  delay_max_s: number | null;
  age_mean_s: number | null;
  histogram: [number, number, number][];
}
export interface Link {
  states: LinkStatistics | null;
  commands: LinkStatistics | null;
}

// At equally spaced instants; packed columns, deflated, base64.
export interface RawPoses {
  start_s: number;
  period_s: number;
  count: number;
  data: string;
}

interface RawSeries {
  label: string;
  point: number[];
  is_reference: boolean;
  slice_of?: (number | null)[]; // of a run outside the grid: the values that are its own
  verdict: Verdict;
  ended: string;
  start_s: number;
  period_s: number;
  count: number;
  end_effector_m: RawXyz | null;
  velocity_command_rad_s: string[] | null;
  cumulated_velocity_command_difference_rad: string | null;
  positions?: string | null; // of the joints that move something: packed columns, deflated, base64
  poses?: RawPoses | null; // of the frames that move, where joints do not tell them
  link: Link | null;
  curves?: (string | null)[]; // of an experiment, in the order of its list
}

export interface Column {
  name: string;
  label: string;
  unit: string;
  scale: number;
  digits: number;
  expected?: string; // the column that holds its closed form
  is_of_machine?: boolean; // no result: differs from run to run
}
// What an experiment shows; units are those of scale × SI.
export interface Experiment {
  kind: string;
  curves: { name: string; label: string; unit: string; scale: number }[];
  outcome: string; // a column that is true or false; empty: none
  outcome_is_good?: boolean; // whether true is what one hopes for; it is if nobody says
}
export interface Cell {
  mean: number;
  low: number | null;
  high: number | null;
  n?: number; // of the runs that have it
}
export interface Row {
  point: number[];
  n: number;
  verdicts: Partial<Record<Verdict, number>>;
  unstable_joint: string | null;
  cells: (Cell | null)[];
}

export interface Tried {
  latency_s: number;
  verdict: Verdict;
  growth_per_s: number | null;
  growth_standard_error_per_s: number | null;
  joint: string | null;
}
export interface Margin {
  cut: string;
  direction: string;
  gain: number | null;
  control_period_s: number;
  physics_period_s: number;
  critical_s: number | null;
  unstable_s: number | null;
  undecided_s: number[];
  closed_form_s: number | null;
  closed_form: string | null;
  closed_form_joint: string | null;
  first_joint: string | null;
  period_s: number | null;
  closed_form_period_s: number | null;
  growth_per_s: number | null;
  growth_standard_error_per_s: number | null;
  searched_up_to_s: number | null;
  is_at_limit?: boolean; // stable as far as it was searched
  closed_form_has_limit?: boolean; // false: stable at every latency
  tried: Tried[];
}

// The robot, and what its joints move; of meshes the bytes, deflated, base64.
export interface Motion {
  scene: {
    frames: Frame[];
    shapes: Shape[];
    meshes: { vertices: number; triangles: number; data: string }[];
    models: Model[];
    tools: Tool[];
  };
  joints: MovedFrame[];
}

export interface About {
  longarm_version: string;
  scenario: string;
  engine: string;
  cut: string;
  command: string;
  runs: number;
  seeds: number;
  source: string;
  identity: string;
  scenario_yaml: string;
  warnings: string[];
}

export interface RawReport {
  format: number;
  kind: 'study' | 'run' | 'margin';
  title: string;
  about: Partial<About>;
  axes?: Axis[];
  repeats?: { key: string; count: number } | null;
  experiment?: Experiment | null;
  joints?: string[];
  plan?: {
    path_m: RawXyz;
    waypoints_m: number[][];
    start_m: number[] | null;
    hold_start_s: number | null;
  } | null;
  motion?: Motion | null;
  series?: RawSeries[];
  columns?: Column[];
  rows?: Row[];
  rows_left_out?: number;
  margins?: Margin[];
  margin_remarks?: string[];
}

// Three coordinates of equal length, metres.
export interface Path {
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
}
export type Point3 = [number, number, number];

export interface Series {
  index: number; // in the report
  label: string; // unique
  point: number[];
  slice: (number | undefined)[]; // values on the axes that it belongs to; a reference to every link of its cell
  isReference: boolean;
  verdict: Verdict;
  ended: string;
  startS: number;
  periodS: number;
  count: number;
  path: Path | null;
  velocity: Float32Array[];
  cumulated: Float32Array | null;
  motion: PackedMotion | null; // null: nobody knows how its robot moved
  link: Link | null;
  curves: (Float32Array | null)[]; // of an experiment, in the units of its list
}

// Of a run, packed still: positions of joints, or poses of frames.
export interface PackedMotion {
  startS: number;
  periodS: number;
  count: number;
  data: string;
  isPoses: boolean;
}

export interface Plan {
  path: Path;
  waypoints: Point3[];
  start: Point3 | null;
  holdStartS: number | null;
}

export interface Report {
  kind: 'study' | 'run' | 'margin';
  title: string;
  about: Partial<About>;
  axes: Axis[];
  repeats: { key: string; count: number } | null;
  experiment: Experiment | null;
  joints: string[];
  plan: Plan | null;
  motion: Motion | null;
  series: Series[];
  columns: Column[];
  rows: Row[];
  rowsLeftOut: number;
  margins: Margin[];
  marginRemarks: string[];
}

// Base64 of little-endian float32, on machines of either byte order.
export function decodeFloats(base64: string): Float32Array {
  const text = atob(base64);
  if (text.length % 4 !== 0) throw new Error(`${text.length} bytes are not float32 samples`);
  const view = new DataView(new ArrayBuffer(text.length));
  for (let i = 0; i < text.length; ++i) view.setUint8(i, text.charCodeAt(i));
  const floats = new Float32Array(text.length / 4);
  for (let i = 0; i < floats.length; ++i) floats[i] = view.getFloat32(4 * i, true);
  return floats;
}

export function decodePath(raw: RawXyz): Path {
  const path = { x: decodeFloats(raw.x), y: decodeFloats(raw.y), z: decodeFloats(raw.z) };
  if (path.x.length !== path.y.length || path.x.length !== path.z.length) {
    throw new Error('a path has coordinates of different lengths');
  }
  return path;
}

// Two series of the same name would be one in the legend: later ones are numbered.
function uniqueLabels(labels: string[]): string[] {
  const seen = new Map<string, number>();
  return labels.map((label) => {
    const times = (seen.get(label) ?? 0) + 1;
    seen.set(label, times);
    return times === 1 ? label : `${label} (${times})`;
  });
}

// A reference that is a point of the grid, too, serves every link of its cell.
function sliceOf(
  { slice_of, point, is_reference }: RawSeries,
  axes: Axis[],
): (number | undefined)[] {
  if (!point?.length) return (slice_of ?? []).map((value) => value ?? undefined);
  return point.map((value, i) => (is_reference && isLinkAxis(axes[i]) ? undefined : value));
}

function decodeCurves({ curves }: RawSeries, experiment: Experiment | null): Series['curves'] {
  return (experiment?.curves ?? []).map(({ scale }, i) => {
    const samples = curves?.[i];
    return samples ? decodeFloats(samples).map((value) => value * scale) : null;
  });
}

function packedMotion({
  poses,
  positions,
  start_s,
  period_s,
  count,
}: RawSeries): PackedMotion | null {
  const data = poses?.data ?? positions;
  if (!data) return null;
  const times = poses ?? { start_s, period_s, count };
  const { start_s: startS, period_s: periodS, count: rows } = times;
  return { startS, periodS, count: rows, data, isPoses: Boolean(poses) };
}

function decodeSeries(raw: RawSeries[], axes: Axis[], experiment: Experiment | null): Series[] {
  const labels = uniqueLabels(raw.map((series) => series.label.replace(/(\d\s?)us\b/g, '$1µs')));
  return raw.map((series, index) => ({
    index,
    label: labels[index],
    point: series.point ?? [],
    slice: sliceOf(series, axes),
    isReference: series.is_reference,
    verdict: series.verdict,
    ended: series.ended,
    startS: series.start_s,
    periodS: series.period_s,
    count: series.count,
    path: series.end_effector_m ? decodePath(series.end_effector_m) : null,
    velocity: (series.velocity_command_rad_s ?? []).map(decodeFloats),
    cumulated: series.cumulated_velocity_command_difference_rad
      ? decodeFloats(series.cumulated_velocity_command_difference_rad)
      : null,
    motion: packedMotion(series),
    link: series.link ?? null,
    curves: decodeCurves(series, experiment),
  }));
}

// Where the program names no references, runs that are no different from theirs stand for them, one per cell.
function withReferences(series: RawSeries[], raw: RawReport): RawSeries[] {
  const [axes, columns, rows] = [raw.axes ?? [], raw.columns ?? [], raw.rows ?? []];
  const column = effectColumn(columns, rows);
  if (series.some((one) => one.is_reference) || columns[column]?.name !== linkEffect) return series;
  const same = new Set(
    rows.filter((row) => row.cells[column]?.mean === 0).map((row) => pointKey(row.point)),
  );
  const cells = new Set<string>();
  return series.map((one) => {
    const cell = pointKey(one.point.filter((_, i) => !isLinkAxis(axes[i])));
    if (!one.point.length || !same.has(pointKey(one.point)) || cells.has(cell)) return one;
    cells.add(cell);
    return { ...one, is_reference: true };
  });
}

// One run has been compared with a run that was named, whatever its link.
function shownColumns({ kind, columns = [] }: RawReport): Column[] {
  if (kind !== 'run') return columns;
  return columns.map((column) => ({
    ...column,
    label: column.label.replace('the run without the link', 'the reference run'),
  }));
}

export function decodeReport(raw: RawReport): Report {
  if (raw.format === undefined) throw new Error('This page contains no report.');
  if (raw.format !== 1)
    throw new Error(`The data is in format ${raw.format}; this page reads format 1.`);
  const { plan, axes = [] } = raw;
  const experiment = raw.experiment ?? null;
  return {
    kind: raw.kind,
    title: raw.title,
    about: raw.about ?? {},
    axes: axes.map(withShownValues),
    repeats: raw.repeats ?? null,
    experiment,
    joints: raw.joints ?? [],
    plan: plan
      ? {
          path: decodePath(plan.path_m),
          waypoints: (plan.waypoints_m ?? []) as Point3[],
          start: (plan.start_m ?? null) as Point3 | null,
          holdStartS: plan.hold_start_s ?? null,
        }
      : null,
    motion: raw.motion ?? null,
    series: decodeSeries(withReferences(raw.series ?? [], raw), axes, experiment),
    columns: shownColumns(raw),
    rows: raw.rows ?? [],
    rowsLeftOut: raw.rows_left_out ?? 0,
    margins: raw.margins ?? [],
    marginRemarks: raw.margin_remarks ?? [],
  };
}

export const pointKey = (point: number[]): string => point.join(',');

// Whether the curves of a series belong in the frame at first: what ran away does not.
export const isTame = (series: Series): boolean =>
  series.verdict !== 'unstable' && series.ended !== 'diverged';
