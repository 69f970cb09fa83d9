// SPDX-License-Identifier: Apache-2.0
// Everything that is seen in the scene, kept at the shown time.
import { Box3, Vector3 } from 'three';

import { Theme } from '../../shared/colours';
import { Mesh, Source } from '../data/source';
import { RunState } from '../runs';
import { Body, bodiesOf } from './bodies';
import { Poses } from './poses';
import { RunShapes } from './run_shapes';
import { Stage } from './stage';

export interface Shown {
  visuals: boolean;
  collisions: boolean;
  frames: boolean;
  devices: boolean;
  trails: boolean;
  plans: boolean;
  labels: boolean;
}

// What one run adds to the scene.
export class RunScene {
  readonly poses: Poses;
  shapes: RunShapes | null = null;
  private lastTime = NaN;
  private lastRow = -1;

  constructor(readonly state: RunState) {
    this.poses = new Poses(state.scene.frames);
  }

  // Whether anything moved.
  update(t: number): boolean {
    const table = this.state.table('/tf');
    if (!table) return false;
    const reader = this.state.reader(table);
    // before its first row a run is where it starts
    const found = reader.at(t) ?? reader.at(Math.max(t, table.first_s));
    if (!found) return false;
    reader.expect(found.row + 400);
    if (this.lastTime === t && this.lastRow === found.row) return false;
    this.lastTime = t;
    this.lastRow = found.row;
    this.poses.update(found, t);
    this.shapes?.update(this.poses);
    return true;
  }

  forgetTime(): void {
    this.lastTime = NaN;
  }
}

export class SceneView {
  readonly runs: RunScene[];
  readonly shown: Shown = {
    visuals: true,
    collisions: false,
    frames: false,
    devices: true,
    trails: true,
    plans: true,
    labels: true,
  };
  private bodies: Body[][] = [];
  private theme: Theme = 'light';
  private time = NaN;

  constructor(
    readonly stage: Stage,
    private readonly source: Source,
    states: RunState[],
  ) {
    this.runs = states.map((state) => new RunScene(state));
  }

  // Fetches meshes and builds the bodies of all scenes; tells how far it is.
  async load(progress: (done: number, all: number) => void): Promise<void> {
    const { scenes } = this.source.document;
    const all = scenes.reduce((sum, scene) => sum + scene.meshes.length, 0);
    let done = 0;
    this.bodies = [];
    for (const [s, scene] of scenes.entries()) {
      const meshes: Mesh[] = await Promise.all(
        scene.meshes.map(async (_, m) => {
          const mesh = await this.source.mesh(s, m);
          progress(++done, all);
          return mesh;
        }),
      );
      this.bodies.push(bodiesOf(scene, meshes));
    }
    this.rebuild();
  }

  private rebuild(): void {
    const main = this.runs[0].state.run.scene;
    this.runs.forEach((run, i) => {
      run.shapes?.dispose();
      const { state } = run;
      const bodies = this.bodies[state.run.scene] ?? [];
      const withFixed = i === 0 || state.run.scene !== main;
      run.shapes = new RunShapes(bodies, state.look, state.colour(this.theme), withFixed);
      run.shapes.update(run.poses);
      this.stage.scene.add(run.shapes.group);
    });
    this.applyShown();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.stage.setTheme(theme === 'dark');
    if (this.bodies.length) this.rebuild();
  }

  applyShown(): void {
    for (const { shapes, state } of this.runs) {
      if (!shapes) continue;
      shapes.group.visible = state.isVisible;
      shapes.setRoles(this.shown.visuals, this.shown.collisions);
    }
    this.stage.touchShapes();
  }

  update(t: number): void {
    this.time = t;
    let hasMoved = false;
    for (const run of this.runs) if (run.state.isVisible) hasMoved = run.update(t) || hasMoved;
    if (hasMoved) this.stage.touchShapes();
  }

  // Data has come that was missing.
  refresh(): void {
    for (const run of this.runs) run.forgetTime();
    if (!Number.isNaN(this.time)) this.update(this.time);
  }

  fit(): void {
    const bounds = new Box3();
    for (const { shapes, state } of this.runs)
      if (shapes && state.isVisible) bounds.union(shapes.bounds());
    if (bounds.isEmpty()) bounds.set(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 1));
    this.stage.setBounds(bounds, Math.min(0, bounds.min.z));
    this.stage.look('oblique');
  }
}
