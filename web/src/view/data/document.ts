// SPDX-License-Identifier: Apache-2.0
// The document that describes what is to be shown: scenes, runs, their tables, marks and networks.

import { rowAt } from '../../shared/data/rows';
import { Frame, Model, Quaternion, Shape, Tool, Vector } from '../../shared/scene/scene';

export interface CameraDevice {
  kind: 'camera';
  name: string;
  frame: number;
  p: Vector;
  q: Quaternion;
  axis?: Vector;
  near_m: number;
  far_m: number;
  half_width: number;
  half_height: number;
  table: number | null;
}
export interface CurtainDevice {
  kind: 'curtain';
  name: string;
  beams: [Vector, Vector][];
  table: number | null;
}
export interface BeltDevice {
  kind: 'belt';
  name: string;
  frame: number;
  p: Vector;
  q: Quaternion;
  size: [number, number];
  table: number | null;
  column: string;
}
export type Device = CameraDevice | CurtainDevice | BeltDevice;

export interface Scene {
  frames: Frame[];
  shapes: Shape[];
  meshes: { vertices: number; triangles: number }[];
  models: Model[];
  tools: Tool[];
  devices: Device[];
}

export interface Column {
  name: string;
  unit: string;
}

export interface Table {
  id: number;
  topic: string;
  type: string;
  rows: number;
  first_s: number;
  last_s: number;
  period_s: number | null;
  columns: Column[]; // the first is the time
  has_texts: boolean;
}

export interface Mark {
  t_s: number;
  kind: string;
  text: string;
}

export interface Plan {
  name: string;
  path_m: Vector[];
  waypoints_m: Vector[];
  hold_start_s: number | null;
}

export interface NetworkNode {
  name: string;
  kind: 'host' | 'switch';
  actors?: string[];
}
export interface NetworkLink {
  name: string;
  a: string;
  b: string;
  text: string;
  phases?: { t_s: number; text: string }[]; // of a cable that changes: what it is like from when on
}

// What a cable is like at time t.
export function linkText({ text, phases = [] }: NetworkLink, t: number): string {
  const row = rowAt(
    phases.map(({ t_s: from }) => from),
    phases.length,
    t,
  );
  return row < 0 ? text : phases[row].text;
}
export interface NetworkFlow {
  flow?: number;
  from: string;
  to: string;
  route: string[];
}
export interface Network {
  backend: string; // what carries messages; empty: not known
  nodes: NetworkNode[];
  links: NetworkLink[];
  flows: NetworkFlow[];
  packets: number | null;
}

export interface Run {
  label: string;
  folder: string;
  scene: number;
  role: 'run' | 'ghost';
  start_s: number;
  end_s: number;
  physics_period_s?: number; // missing where the scenario could not be loaded
  verdict: string;
  problem: string;
  warnings: string[];
  tables: Table[];
  marks: Mark[];
  plans: Plan[];
  network: Network | null;
  metrics: Record<string, unknown>;
}

export interface ViewDocument {
  format: 1;
  source: 'served' | 'file' | 'live';
  title: string;
  longarm_version: string;
  scenes: Scene[];
  runs: Run[];
}

// Sender, receiver and kind of message of a table that records the link of one arm; null: it records something else.
export function linkEnds({ topic, has_texts: hasTexts }: Table): [string, string, string] | null {
  const found = /^\/?(.*?)\/?link\/(states|commands)$/.exec(topic);
  if (!found || !hasTexts) return null;
  const arm = found[1] ? `${found[1]} ` : '';
  const ends = [`${arm}controller`, `${arm}robot`];
  return found[2] === 'commands' ? [ends[0], ends[1], 'command'] : [ends[1], ends[0], 'state'];
}

// A run without a network may have arms with a link of their own each.
function networkOf(run: Run): Network | null {
  if (run.network) {
    const { backend = '', nodes = [], links = [], flows = [], packets = null } = run.network;
    return { backend, nodes, links, flows, packets };
  }
  const pairs = (run.tables ?? []).map(linkEnds).filter((ends) => ends !== null);
  if (!pairs.length) return null;
  const names = [...new Set(pairs.flatMap(([from, to]) => [from, to]))].sort();
  const links = pairs.filter(([, , kind]) => kind === 'command');
  return {
    backend: '',
    nodes: names.map((name) => ({ name, kind: 'host', actors: [] })),
    links: links.map(([a, b]) => ({ name: 'link', a, b, text: '' })),
    flows: [...links, ...pairs].map(([from, to]) => ({ from, to, route: [from, to] })),
    packets: null,
  };
}

const kinds = ['camera', 'curtain', 'belt'];

// Devices of other kinds, and those without a size, are not drawn.
function completedDevice(device: Device): Device[] {
  if (!kinds.includes(device.kind)) return [];
  if (device.kind === 'belt' && !device.size) return [];
  if (device.kind === 'curtain') return device.beams ? [device] : [];
  return [{ ...device, p: device.p ?? [0, 0, 0], q: device.q ?? [0, 0, 0, 1] }];
}

// What the program may leave out is filled in, so that nothing else on the page has to ask.
export function completed(raw: unknown): ViewDocument {
  const given = raw as Partial<ViewDocument>;
  if (given.format !== 1)
    throw new Error(`This page reads documents of format 1, not ${String(given.format)}.`);
  if (!given.runs?.length) throw new Error('The document has no runs.');
  const scenes = (given.scenes ?? []).map((scene) => ({
    frames: scene.frames ?? [],
    shapes: scene.shapes ?? [],
    meshes: scene.meshes ?? [],
    models: scene.models ?? [],
    tools: scene.tools ?? [],
    devices: (scene.devices ?? []).flatMap(completedDevice),
  }));
  if (!scenes.length)
    scenes.push({ frames: [], shapes: [], meshes: [], models: [], tools: [], devices: [] });
  const runs = given.runs.map((run) => ({
    label: run.label || 'run',
    folder: run.folder ?? '',
    scene: run.scene in scenes ? run.scene : 0,
    role: run.role ?? 'run',
    start_s: run.start_s ?? 0,
    end_s: run.end_s ?? 0,
    physics_period_s: run.physics_period_s,
    verdict: run.verdict ?? '',
    problem: run.problem ?? '',
    warnings: run.warnings ?? [],
    tables: run.tables ?? [],
    marks: run.marks ?? [],
    plans: run.plans ?? [],
    network: networkOf(run),
    metrics: run.metrics ?? {},
  }));
  return {
    format: 1,
    source: given.source ?? 'file',
    title: given.title || runs[0].label,
    longarm_version: given.longarm_version ?? '',
    scenes,
    runs,
  };
}

export const tableOf = (run: Run, topic: string): Table | undefined =>
  run.tables.find((table) => table.topic === topic);

export const columnOf = (table: Table, name: string): number =>
  table.columns.findIndex((column) => column.name === name);
