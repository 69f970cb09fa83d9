// SPDX-License-Identifier: Apache-2.0
// Everything that is seen in the scene, kept at the shown time.
import { Mesh as ThreeMesh, Plane, Raycaster, Vector2, Vector3 } from 'three';

import { Context, calmly } from '../context';
import { Mesh } from '../../shared/scene/scene';
import { Source } from '../data/source';
import { RunState } from '../runs';
import { Body, bodiesOf } from '../../shared/scene/bodies';
import { Contacts } from './contacts';
import { BeltView, CameraView, CurtainView, DeviceView } from './devices';
import { FrameAxes } from './frame_axes';
import { Labels } from './labels';
import { Measure } from './measure';
import { Plans } from './plans';
import { Poses } from '../../shared/scene/poses';
import { RunShapes } from '../../shared/scene/run_shapes';
import { Stage } from '../../shared/scene/stage';
import { Trails } from './trails';

export const showable = {
  visuals: 'Visual shapes',
  collisions: 'Collision shapes',
  frames: 'Frames',
  devices: 'Devices and contacts',
  trails: 'Tool trails',
  plans: 'Planned path',
  labels: 'Labels',
};
export type Shown = Record<keyof typeof showable, boolean>;

// What one run adds to the scene.
class RunScene {
  readonly poses: Poses;
  readonly trails: Trails;
  readonly plans: Plans;
  readonly axes: FrameAxes;
  readonly contacts: Contacts;
  readonly devices: DeviceView[];
  shapes: RunShapes | null = null;
  private lastTime = NaN;
  private lastRow = -1;
  private hadNext = false;

  constructor(
    readonly state: RunState,
    { source }: Context,
    labels: Labels,
    loaded: () => void,
  ) {
    this.poses = new Poses(state.scene.frames);
    this.trails = new Trails(source, state);
    this.plans = new Plans(state.run.plans, labels);
    this.axes = new FrameAxes(state.scene.frames, labels);
    this.contacts = new Contacts(source, state, loaded);
    this.devices = state.scene.devices.map((device) => {
      if (device.kind === 'belt') return new BeltView(source, state, device, loaded);
      if (device.kind === 'curtain') return new CurtainView(source, state, device, loaded);
      return new CameraView(source, state, device, labels, loaded);
    });
  }

  get groups() {
    const { trails, plans, axes, contacts, devices } = this;
    return [trails, plans, axes, contacts, ...devices].map(({ group }) => group);
  }

  // Waits for the poses to start with.
  async start(source: Source, t: number): Promise<void> {
    const table = this.state.table('/tf');
    const rows = table ? this.state.rowsOf(table) : 0;
    if (!table || !rows) return;
    await source.prepare(this.state.index, table.id);
    const row = Math.max(0, await this.state.rowAt(table, t));
    const all = table.columns.map((_, i) => i);
    const columns = await source.rows(this.state.index, table.id, all, row, row + 1);
    if (columns[0].length) this.poses.update({ columns, index: 0, hasNext: false, row }, t);
  }

  // What changed: nothing, lines only, or shapes, too. While the rows of a time are on their way, nothing does.
  update(t: number, axisLength: number): 'nothing' | 'lines' | 'shapes' {
    const table = this.state.table('/tf');
    const reader = table && this.state.reader(table);
    // before its first row a run is where it starts
    const found = reader && (reader.at(t) ?? reader.at(Math.max(t, table.first_s)));
    if (found) reader!.expect(found.row + 400);
    const hasMoved =
      found &&
      (this.lastTime !== t || this.lastRow !== found.row || this.hadNext !== found.hasNext);
    if (hasMoved) {
      this.lastTime = t;
      this.lastRow = found.row;
      this.hadNext = found.hasNext;
      this.poses.update(found, t);
      this.shapes?.update(this.poses);
      this.axes.update(this.poses, axisLength);
    }
    let hasChanged = Boolean(hasMoved);
    for (const device of this.devices)
      if (device.group.visible) hasChanged = device.update(t, this.poses) || hasChanged;
    hasChanged = this.contacts.update(t) || hasChanged;
    hasChanged = this.shapes?.mark(this.contacts.joined(t)) || hasChanged;
    const hasGrown = this.trails.update(t);
    if (found === null) return 'nothing'; // all is drawn once, when the poses have come
    return hasChanged ? 'shapes' : hasGrown ? 'lines' : 'nothing';
  }

  forgetTime(): void {
    this.lastTime = NaN;
  }
}

export class SceneView {
  readonly runs: RunScene[];
  readonly measure: Measure;
  readonly shown: Shown = {
    visuals: true,
    collisions: false,
    frames: false,
    devices: true,
    trails: true,
    plans: true,
    labels: true,
  };
  followed = -1; // a frame of the first visible run
  private followedAt: Vector3 | null = null;
  private bodies: Body[][] = [];
  private isFast = false;
  private readonly growTrails = calmly(700, () => void this.loadTrails());

  constructor(
    readonly stage: Stage,
    private readonly context: Context,
  ) {
    const labels = new Labels(stage);
    const loaded = () => this.update();
    this.runs = context.runs.map((state) => new RunScene(state, context, labels, loaded));
    this.measure = new Measure(labels);
    stage.scene.add(this.measure.group);
    for (const run of this.runs) stage.scene.add(...run.groups);
    stage.onQuality((isFast) => {
      this.isFast = isFast;
      for (const run of this.runs) run.shapes?.setFast(isFast);
    });
    context.clock.onChange(() => this.update());
    context.on('data', () => this.update());
    context.on('runs', () => this.applyShown());
    context.on('theme', () => this.setTheme());
  }

  // Fetches meshes and builds the bodies of all scenes; tells how far it is.
  async load(progress: (done: number, all: number) => void): Promise<void> {
    const { source } = this.context;
    const { scenes } = source.document;
    const all = scenes.reduce((sum, scene) => sum + scene.meshes.length, 0);
    let done = 0;
    this.bodies = [];
    for (const [s, scene] of scenes.entries()) {
      const meshes: Mesh[] = await Promise.all(
        scene.meshes.map(async (_, m) => {
          const mesh = await source.mesh(s, m);
          progress(++done, all);
          return mesh;
        }),
      );
      this.bodies.push(bodiesOf(scene, meshes));
    }
    await Promise.all(this.runs.map((run) => run.start(source, this.context.clock.time)));
    this.rebuild();
    this.update();
    this.fit();
    this.setTheme();
    const seen = this.stage.viewpoint();
    void this.loadTrails().then(() => {
      if (this.stage.viewpoint() === seen) this.fit(); // paths may leave the frame
    });
  }

  private async loadTrails(): Promise<void> {
    for (const { trails } of this.runs) {
      await trails.load().catch((error: unknown) => console.warn(error));
      this.update();
      this.stage.touch();
    }
  }

  // A live run got longer.
  grow(): void {
    this.growTrails();
    for (const run of this.runs)
      for (const device of run.devices) if (device instanceof BeltView) void device.load();
  }

  private rebuild(): void {
    const main = this.runs[0].state.run.scene;
    this.runs.forEach((run, i) => {
      run.shapes?.dispose();
      const { state } = run;
      const bodies = this.bodies[state.run.scene] ?? [];
      const withFixed = i === 0 || state.run.scene !== main;
      const colour = state.colour(this.context.theme);
      run.shapes = new RunShapes(bodies, state.look, colour, withFixed, this.stage.light, i);
      run.shapes.setFast(this.isFast);
      run.shapes.update(run.poses);
      this.stage.scene.add(run.shapes.group);
    });
    this.applyShown();
  }

  private setTheme(): void {
    const { theme } = this.context;
    this.stage.setTheme(theme === 'dark');
    if (!this.bodies.length) return;
    for (const run of this.runs) {
      run.trails.setColour(run.state.colour(theme));
      run.plans.build(theme, this.stage.size);
      run.axes.setTheme(theme);
      run.forgetTime();
    }
    this.rebuild();
    this.update();
  }

  applyShown(): void {
    const { shown } = this;
    const first = this.firstVisible();
    for (const run of this.runs) {
      const { isVisible } = run.state;
      const isFirst = run === first;
      if (run.shapes) {
        // the fixed surroundings are those of the first run, even while it is switched off
        run.shapes.show(isVisible, shown.visuals, shown.collisions, run === this.runs[0]);
      }
      run.trails.group.visible = isVisible && shown.trails;
      run.plans.group.visible = (isVisible || run === this.runs[0]) && shown.plans;
      run.plans.setLabels(shown.labels);
      run.axes.group.visible = isFirst && shown.frames;
      run.axes.setNames(shown.labels);
      run.contacts.group.visible = isFirst && shown.devices;
      for (const { group } of run.devices) group.visible = isFirst && shown.devices;
      run.forgetTime();
    }
    this.update();
    this.stage.touchShapes();
  }

  private firstVisible(): RunScene | undefined {
    return this.runs.find((run) => run.state.isVisible);
  }

  update(): void {
    const t = this.context.clock.time;
    const axisLength = Math.max(0.03, Math.min(0.12, 0.05 * this.stage.size));
    const visible = this.runs.filter((run) => run.state.isVisible);
    const changes = visible.map((run) => run.update(t, axisLength));
    this.keepFollowing();
    if (changes.includes('shapes')) this.stage.touchShapes();
    else if (changes.includes('lines')) this.stage.touch();
  }

  follow(frame: number): void {
    this.followed = frame;
    this.followedAt = null;
    const at = this.followedPosition();
    if (at) this.stage.shift(at.sub(this.stage.controls.target));
    this.keepFollowing();
  }

  private followedPosition(): Vector3 | null {
    const run = this.firstVisible();
    if (!run || this.followed < 0) return null;
    return new Vector3().fromArray(run.poses.positions, 3 * this.followed);
  }

  private keepFollowing(): void {
    const now = this.followedPosition();
    if (now && this.followedAt) this.stage.shift(now.clone().sub(this.followedAt));
    this.followedAt = now;
  }

  fit(): void {
    const points: Vector3[] = [];
    for (const { shapes, state, trails, plans } of this.runs) {
      if (!shapes || !state.isVisible) continue;
      const { models } = state.scene;
      const robots = models.filter(({ is_robot: isRobot }) => isRobot);
      points.push(...shapes.outline(new Set(robots.flatMap(({ frames }) => frames))));
      for (const point of [...trails.points(), ...plans.points()]) points.push(point);
    }
    this.stage.setContent(points);
    this.stage.look('oblique');
  }

  // The point of the scene under a point of the page; on the floor where there is nothing else.
  pick(clientX: number, clientY: number): Vector3 | null {
    const { canvas, camera } = this.stage;
    const box = canvas.getBoundingClientRect();
    const ray = new Raycaster();
    const x = (2 * (clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (clientY - box.top)) / box.height;
    ray.setFromCamera(new Vector2(x, y), camera);
    const meshes = this.runs
      .flatMap(({ shapes }) => shapes?.group.children ?? [])
      .filter((one): one is ThreeMesh => one.visible && one instanceof ThreeMesh);
    const [hit] = ray.intersectObjects(meshes, false);
    if (hit) return hit.point;
    const floor = new Plane(new Vector3(0, 0, 1), -this.stage.floor.height);
    return ray.ray.intersectPlane(floor, new Vector3());
  }
}
