// SPDX-License-Identifier: Apache-2.0
// Belts that run, curtains whose broken beams are red, cameras with what they have just seen.
import {
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  OctahedronGeometry,
  PlaneGeometry,
  RepeatWrapping,
  Sprite,
} from 'three';
import { LineMaterial, LineMaterialParameters } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';

import { BeltDevice, CameraDevice, CurtainDevice, columnOf } from '../data/document';
import { Vector } from '../../shared/scene/scene';
import { rowAt } from '../../shared/data/rows';
import { Source } from '../data/source';
import { TextReader } from '../data/text_reader';
import { RunState } from '../runs';
import { matrixOf } from '../../shared/scene/bodies';
import { Labels } from './labels';
import { Poses } from '../../shared/scene/poses';

export interface DeviceView {
  readonly group: Group;
  update(t: number, poses: Poses): boolean; // whether anything changed
}

const frameMatrix = (poses: Poses, frame: number) =>
  matrixOf(
    poses.positions.subarray(3 * frame, 3 * frame + 3),
    poses.quaternions.subarray(4 * frame, 4 * frame + 4),
  );

// How far a belt has run at each of its rows: its speed is held from row to row.
export function distances(times: ArrayLike<number>, speeds: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(times.length);
  for (let i = 1; i < times.length; ++i) {
    const speed = Number.isNaN(speeds[i - 1]) ? 0 : speeds[i - 1];
    sums[i] = sums[i - 1] + speed * (times[i] - times[i - 1]);
  }
  return sums;
}

const stripeLength = 0.1;

function stripes(): CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = 64;
  canvas.height = 8;
  const drawing = canvas.getContext('2d')!;
  drawing.fillStyle = 'rgba(255,255,255,0.16)';
  drawing.fillRect(0, 0, 10, 8);
  const texture = new CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.anisotropy = 4;
  return texture;
}

export class BeltView implements DeviceView {
  readonly group = new Group();
  private readonly texture = stripes();
  private times: ArrayLike<number> = [];
  private speeds: ArrayLike<number> = [];
  private run: ArrayLike<number> = [];
  private last = NaN;
  private asked = 0;

  constructor(
    private readonly source: Source,
    private readonly state: RunState,
    private readonly device: BeltDevice,
    private readonly loaded: () => void,
  ) {
    const [length, width] = device.size;
    this.texture.repeat.set(length / stripeLength, 1);
    const mesh = new Mesh(
      new PlaneGeometry(length, width),
      new MeshBasicMaterial({
        map: this.texture,
        transparent: true,
        depthWrite: false,
        polygonOffset: true,
        polygonOffsetFactor: -2,
        polygonOffsetUnits: -4,
      }),
    );
    mesh.matrixAutoUpdate = false;
    mesh.matrix.copy(matrixOf(device.p, device.q));
    this.group.matrixAutoUpdate = false;
    this.group.add(mesh);
    void this.load();
  }

  async load(): Promise<void> {
    const table = this.state.tableById(this.device.table);
    if (!table) return;
    const column = columnOf(table, this.device.column);
    const rows = this.state.rowsOf(table);
    if (column < 0 || rows > 2_000_000 || rows === this.asked) return;
    this.asked = rows;
    const read = [0, column];
    const [times, speeds] = await this.source.rows(this.state.index, table.id, read, 0, rows);
    this.run = distances(times, speeds);
    [this.times, this.speeds] = [times, speeds];
    this.last = NaN;
    this.loaded();
  }

  private distanceAt(t: number): number {
    const row = rowAt(this.times, this.times.length, t);
    return row < 0 ? 0 : this.run[row] + this.speeds[row] * (t - this.times[row]);
  }

  update(t: number, poses: Poses): boolean {
    this.group.matrix.copy(frameMatrix(poses, this.device.frame));
    this.group.matrixWorldNeedsUpdate = true;
    const distance = this.distanceAt(t);
    if (distance === this.last) return false;
    this.last = distance;
    this.texture.offset.x = -(distance / stripeLength) % 1;
    return true;
  }
}

interface CurtainMessage {
  is_broken?: boolean;
  broken_beams?: number[];
}

export class CurtainView implements DeviceView {
  readonly group = new Group();
  private readonly texts: TextReader<CurtainMessage> | null;
  private readonly broken = new LineSegmentsGeometry();
  private readonly brokenLines: LineSegments2;
  private shown = '';

  constructor(
    source: Source,
    state: RunState,
    private readonly device: CurtainDevice,
    loaded: () => void,
  ) {
    const table = state.tableById(device.table);
    this.texts = table?.has_texts ? new TextReader(source, state, table, loaded) : null;
    const beams = new LineSegmentsGeometry();
    beams.setPositions(device.beams.flat(2));
    // many beams are drawn fainter, so that what is behind them is seen
    const opacity = Math.max(0.2, Math.min(0.7, 8 / Math.max(1, device.beams.length)));
    const lines = this.lines(beams, { color: '#2aa56d', linewidth: 1.4, opacity });
    this.brokenLines = this.lines(this.broken, { color: '#e5261f', linewidth: 3 });
    this.brokenLines.visible = false;
    this.group.add(lines, this.brokenLines);
  }

  private lines(geometry: LineSegmentsGeometry, options: LineMaterialParameters): LineSegments2 {
    const material = new LineMaterial({ transparent: true, depthWrite: false, ...options });
    const made = new LineSegments2(geometry, material);
    made.frustumCulled = false;
    return made;
  }

  update(t: number): boolean {
    const found = this.texts?.at(t);
    if (!found) return false;
    const { is_broken: isBroken, broken_beams: beams } = found.message;
    const all = isBroken ? this.device.beams.map((_, i) => i) : [];
    const broken = (beams ?? all).filter((i) => i in this.device.beams);
    if (broken.join() === this.shown) return false;
    this.shown = broken.join();
    this.brokenLines.visible = broken.length > 0;
    if (broken.length) this.broken.setPositions(broken.flatMap((i) => this.device.beams[i].flat()));
    return true;
  }
}

interface CameraMessage {
  detections?: { name?: string; position_m?: Vector }[];
}

// Corners of the field of view at a distance, looking along one of the camera's axes.
function corners(device: CameraDevice, distance: number): Vector[] {
  const [x, y, z] = device.axis ?? [0, 0, -1];
  const [w, h] = [device.half_width * distance, device.half_height * distance];
  const signs: [number, number][] = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ];
  if (Math.abs(x) > 0.7) return signs.map(([a, b]) => [x * distance, a * w, b * h]);
  if (Math.abs(y) > 0.7) return signs.map(([a, b]) => [a * w, y * distance, b * h]);
  return signs.map(([a, b]) => [a * w, b * h, z * distance]);
}

function frustum(device: CameraDevice): BufferGeometry {
  const [near, far] = [corners(device, device.near_m), corners(device, device.far_m)];
  const points: Vector[] = [];
  for (let i = 0; i < 4; ++i) {
    const next = (i + 1) % 4;
    points.push([0, 0, 0], far[i], near[i], near[next], far[i], far[next]);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(points.flat()), 3));
  return geometry;
}

const seenSeconds = 0.3;
const mostNames = 6;

export class CameraView implements DeviceView {
  readonly group = new Group();
  private readonly own = new Group(); // in the camera's frame
  private readonly markers = new Group();
  private readonly texts: TextReader<CameraMessage> | null;
  private readonly ball = new OctahedronGeometry(0.022);
  private readonly material = new MeshBasicMaterial({ color: '#d9468f', wireframe: true });
  private names: Sprite[] = [];
  private shown: unknown = null;

  constructor(
    source: Source,
    state: RunState,
    private readonly device: CameraDevice,
    private readonly labels: Labels,
    loaded: () => void,
  ) {
    const table = state.tableById(device.table);
    this.texts = table?.has_texts ? new TextReader(source, state, table, loaded) : null;
    const material = new LineBasicMaterial({ color: '#b8588f', transparent: true, opacity: 0.55 });
    const lines = new LineSegments(frustum(device), material);
    lines.matrixAutoUpdate = false;
    lines.matrix.copy(matrixOf(device.p, device.q));
    this.own.matrixAutoUpdate = false;
    this.own.add(lines);
    this.group.add(this.own, this.markers);
  }

  update(t: number, poses: Poses): boolean {
    this.own.matrix.copy(frameMatrix(poses, this.device.frame));
    this.own.matrixWorldNeedsUpdate = true;
    const found = this.texts?.at(t) ?? null;
    const isFresh = found !== null && t - found.time <= seenSeconds;
    const key = isFresh ? found.message : null;
    if (key === this.shown) return false;
    this.shown = key;
    this.names.splice(0).forEach((name) => this.labels.drop(name));
    this.markers.clear();
    const detections = (isFresh && found.message.detections) || [];
    for (const { name, position_m: position } of detections) {
      if (!position) continue;
      const marker = new Mesh(this.ball, this.material);
      marker.position.fromArray(position);
      this.markers.add(marker);
      if (!name || detections.length > mostNames) continue; // names over each other tell nothing
      const label = this.labels.make(name, { ink: '#ffffff', paper: '#b03a78' }, [0.5, -0.6]);
      label.position.fromArray(position);
      this.names.push(label);
      this.markers.add(label);
    }
    return true;
  }
}
