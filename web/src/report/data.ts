// SPDX-License-Identifier: Apache-2.0
// The report's data as the program writes it, and the curves in it decoded for drawing.

import type { Model, Shape, Frame, Tool } from '../shared/scene/scene';
import type { MovedFrame } from './motion/joint_poses';

export type Verdict = 'stable' | 'unstable' | 'undecided';

export interface RawXyz {
  x: string;
  y: string;
  z: string;
}
export interface AxisValue {
  text: string; // "40"
  name: string; // "gain 40", where the axis is not told
  number: number | null; // in SI units
}
export interface Axis {
  key: string;
  title: string;
  unit: string; // of number × scale
  scale: number;
  is_numeric: boolean;
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
  curves?: Record<string, string>; // in the units of their figures
  positions?: string | null; // of the joints that move something: packed columns, deflated, base64
  poses?: RawPoses | null; // of the frames that move, where joints do not tell them
  link: Link | null;
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
export interface Experiment {
  kind: string;
  outcome: string; // a column that is true or false; empty: none
}

// What figures show, as the program describes them; its SVG files are drawn from the same.
export interface FigureInfo {
  file: string;
  title: string;
  caption: string;
}
export interface TimeFigureInfo extends FigureInfo {
  unit: string;
  up_title: string;
  panel_height: number;
  panels: { title: string; curve: string }[]; // of curves in this unit
}
export interface MetricInfo {
  column: number;
  title: string;
  is_log: boolean;
  floor: number; // up to here a number is zero, or rounding; as shown
  words: string; // the caption after "Slip [mm] over force [N]"
}
export interface OverInfo {
  axis: number;
  is_log: boolean;
  lines: { name: string; value: number | null; rows: number[] }[]; // value: whose colour it has
}
export interface MetricFigureInfo extends FigureInfo {
  first: number; // of the metrics
  axis: number;
  floor_words: string;
  metrics: MetricInfo[];
  over: OverInfo[];
}
export interface OutcomeSign {
  name: string;
  mark: string;
  words: string;
  colour: string;
}
export interface OutcomeFigureInfo extends FigureInfo {
  column: number;
  across: number; // axes of the map at first
  up: number | null;
  signs: OutcomeSign[];
  of_rows: number[];
}
export interface MarginFrame {
  end_s: number;
  unit: string;
  scale: number;
  constant: number; // growths are drawn linearly up to it, logarithmically beyond
  low: number;
  high: number;
  ticks: number[];
}
export interface MarginPanel {
  title: string;
  across_title: string;
  found: string;
  closed_form: string;
  is_at_limit: boolean;
  near: MarginFrame;
  all: MarginFrame;
}
export interface MarginFigureInfo extends FigureInfo {
  margins: MarginPanel[];
}
export interface PathsInfo extends FigureInfo {
  view: { azimuth: number; elevation: number }; // of the eye, rad
  // of each series, where it is furthest from the one that it is compared with: a series, or the plan
  differences: ({
    distance_m: number;
    is_seen: boolean; // large enough to look at
    centre_m: Point3;
    words: string[];
    base: number | null;
  } | null)[];
}
export interface Figures {
  paths?: PathsInfo;
  metric?: MetricFigureInfo;
  outcome?: OutcomeFigureInfo;
  links?: FigureInfo;
  margin?: MarginFigureInfo;
  [overTime: string]: FigureInfo | undefined;
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
  primary?: number; // the axis that series are compared along
  focus?: (number | null)[]; // the values of the others to open on
  colours?: Record<'light' | 'dark', string[]>; // of the values of the first
  figures?: Figures;
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
  motion: PackedMotion | null; // null: nobody knows how its robot moved
  link: Link | null;
  curves: Record<string, Float32Array>;
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

type Rest = Omit<RawReport, 'format' | 'plan' | 'series' | 'rows_left_out' | 'margin_remarks'>;
export interface Report extends Required<Rest> {
  plan: Plan | null;
  series: Series[];
  rowsLeftOut: number;
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
  return point.map((value, i) =>
    is_reference && axes[i].key.startsWith('link.') ? undefined : value,
  );
}

function pathOf({ curves = {} }: RawSeries): Path | null {
  const [x, y, z] = ['x', 'y', 'z'].map((axis) => curves[`end_effector.${axis}`]);
  return x && y && z ? decodePath({ x, y, z }) : null;
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

function decodeSeries(raw: RawSeries[], axes: Axis[]): Series[] {
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
    path: pathOf(series),
    motion: packedMotion(series),
    link: series.link ?? null,
    curves: Object.fromEntries(
      Object.entries(series.curves ?? {}).map(([name, samples]) => [name, decodeFloats(samples)]),
    ),
  }));
}

export function decodeReport(raw: RawReport): Report {
  if (raw.format === undefined) throw new Error('This page contains no report.');
  if (raw.format !== 1)
    throw new Error(`The data is in format ${raw.format}; this page reads format 1.`);
  const { plan, axes = [] } = raw;
  return {
    kind: raw.kind,
    title: raw.title,
    about: raw.about ?? {},
    axes,
    repeats: raw.repeats ?? null,
    experiment: raw.experiment ?? null,
    primary: raw.primary ?? 0,
    focus: raw.focus ?? [],
    colours: raw.colours ?? { light: [], dark: [] },
    figures: raw.figures ?? {},
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
    series: decodeSeries(raw.series ?? [], axes),
    columns: raw.columns ?? [],
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

export const isWildRow = (row: Row): boolean => (row.verdicts.unstable ?? 0) > 0;
