// SPDX-License-Identifier: Apache-2.0
// The robots of the runs that are drawn, over each other: one solid, the others as ghosts in their colours.
import { Group, Matrix4, Vector3 } from 'three';

import { PackedColumns } from '../../shared/data/packed';
import { inflateBytes } from '../../shared/data/inflate';
import { Body, bodiesOf, matrixOf } from '../../shared/scene/bodies';
import { Line, newSegments, simplified } from '../../shared/scene/lines';
import { Look, RunShapes } from '../../shared/scene/run_shapes';
import { Mesh, meshOf } from '../../shared/scene/scene';
import { Stage } from '../../shared/scene/stage';
import { TrailLines, trailPath, trailWidth } from '../../shared/scene/trail_lines';
import type { Motion, PackedMotion, Plan, Report, Series } from '../data';
import { rowAtTime, valuesAt } from '../deviation';
import { JointPoses } from './joint_poses';

export interface Shown {
  series: Series;
  look: Look;
  colour: string;
}

// What a run has kept, in the order of joints or of frames that move.
interface Kept {
  motion: PackedMotion;
  columns: Float64Array[];
}

class Robot {
  readonly poses: JointPoses;
  readonly trail = new TrailLines();
  shapes: RunShapes | null = null;
  shown: Shown | null = null;

  constructor(
    readonly series: Series,
    motion: Motion,
    private readonly kept: Kept,
  ) {
    this.poses = new JointPoses(motion.scene.frames, motion.joints, jointsOf(motion));
    const { path, startS, periodS } = series;
    if (path) {
      const times = Array.from(path.x, (_, i) => startS + i * periodS);
      this.trail.setPaths([trailPath(times, path.x, path.y, path.z)]);
    }
  }

  update(t: number): void {
    const { motion, columns } = this.kept;
    if (motion.isPoses) {
      const { row } = rowAtTime(motion, t);
      this.poses.update({ columns, index: row, hasNext: row + 1 < motion.count, row }, t);
    } else {
      this.poses.setPositions(valuesAt(columns, motion, t));
    }
    this.shapes?.update(this.poses);
    this.trail.update(t);
  }
}

// Each once, in the order in which they come.
const jointsOf = ({ joints }: Motion) => [...new Set(joints.map(({ joint }) => joint))];

async function keptOf(packed: PackedMotion, motion: Motion): Promise<Kept> {
  const { count, data, isPoses, startS, periodS } = packed;
  const columns = new PackedColumns(await inflateBytes(data), count);
  const moving = motion.scene.frames.filter((frame) => frame.moving >= 0).length;
  const numbers = isPoses ? 7 * moving : jointsOf(motion).length;
  const all = Array.from({ length: numbers }, (_, i) => columns.column(i));
  const times = Float64Array.from({ length: count }, (_, i) => startS + i * periodS);
  return { motion: packed, columns: isPoses ? [times, ...all] : all };
}

async function meshesOf({ scene }: Motion): Promise<Mesh[]> {
  return Promise.all(
    scene.meshes.map(async ({ data, vertices, triangles }) => {
      const bytes = await inflateBytes(data);
      return meshOf(bytes.slice().buffer as ArrayBuffer, vertices, triangles);
    }),
  );
}

export class Robots {
  private readonly robots = new Map<number, Robot>(); // by series
  private readonly paths = new Group(); // in the frame of the robot's base
  private planLine: Line | null = null;
  private bodies: Body[] = [];
  private isFast = false;
  private readonly tool: number; // its frame

  constructor(
    private readonly stage: Stage,
    private readonly report: Report,
    private readonly motion: Motion,
  ) {
    const [tool] = motion.scene.tools;
    this.tool = tool?.frame ?? 0;
    const { positions, quaternions } = new JointPoses(motion.scene.frames, [], []);
    const base = tool?.base ?? 0;
    const pose = matrixOf(
      positions.subarray(3 * base, 3 * base + 3),
      quaternions.subarray(4 * base, 4 * base + 4),
    );
    this.paths.applyMatrix4(pose);
    stage.scene.add(this.paths);
    stage.onQuality((isFast) => {
      this.isFast = isFast;
      for (const { shapes } of this.robots.values()) shapes?.setFast(isFast);
    });
  }

  async load(): Promise<void> {
    const { series } = this.report;
    this.bodies = bodiesOf(this.motion.scene, await meshesOf(this.motion));
    for (const one of series) {
      if (!one.motion) continue;
      const kept = await keptOf(one.motion, this.motion);
      this.robots.set(one.index, new Robot(one, this.motion, kept));
    }
  }

  // The first is drawn with its surroundings.
  show(all: Shown[], t: number): void {
    for (const robot of this.robots.values()) {
      robot.shapes?.dispose();
      robot.trail.dispose();
      robot.trail.group.removeFromParent();
      robot.shapes = robot.shown = null;
    }
    all.forEach((shown, rank) => {
      const robot = this.robots.get(shown.series.index);
      if (!robot) return;
      const { look, colour } = shown;
      robot.shown = shown;
      robot.shapes = new RunShapes(this.bodies, look, colour, rank === 0, this.stage.light, rank);
      robot.shapes.setFast(this.isFast);
      robot.trail.build(colour, trailWidth[look], rank, look === 'faint' ? 0.15 : 1);
      this.paths.add(robot.trail.group);
      this.stage.scene.add(robot.shapes.group);
    });
    this.update(t);
  }

  showPlan(plan: Plan | null, colour: string): void {
    if (this.planLine) this.planLine.drop();
    this.planLine = null;
    if (plan && plan.path.x.length > 1) {
      const { x, y, z } = plan.path;
      const points = simplified(x, y, z, 0.0002).flatMap((i) => [x[i], y[i], z[i]]);
      this.planLine = new Line(points, newSegments(points), {
        color: colour,
        linewidth: 1.2,
        dashed: true,
        dashSize: 0.012,
        gapSize: 0.008,
        depthWrite: false,
      });
      this.planLine.renderOrder = 6;
      this.paths.add(this.planLine);
    }
    this.stage.touch();
  }

  update(t: number): void {
    for (const robot of this.robots.values()) if (robot.shown) robot.update(t);
    this.stage.touchShapes();
  }

  // In the world; null: the run is not drawn.
  toolOf(series: Series): Vector3 | null {
    const robot = this.robots.get(series.index);
    if (!robot?.shown) return null;
    return new Vector3().fromArray(robot.poses.positions, 3 * this.tool);
  }

  framePose(series: number, name: string): number[] | null {
    const robot = this.robots.get(series);
    const frame = this.motion.scene.frames.findIndex((one) => one.name === name);
    if (!robot?.shown || frame < 0) return null;
    const { positions, quaternions } = robot.poses;
    return [
      ...positions.subarray(3 * frame, 3 * frame + 3),
      ...quaternions.subarray(4 * frame, 4 * frame + 4),
    ];
  }

  drawn(): { label: string; look: Look; colour: string }[] {
    return [...this.robots.values()].flatMap(({ series, shown }) =>
      shown ? [{ label: series.label, look: shown.look, colour: shown.colour }] : [],
    );
  }

  // The robot wherever it will be in the solid run, and the paths of all that are drawn tamely.
  outline(tame: Series[], times: number[]): Vector3[] {
    const points: Vector3[] = [];
    const isRobot = new Set(
      this.motion.scene.models.filter((one) => one.is_robot).flatMap(({ frames }) => frames),
    );
    const toWorld = new Matrix4().copy(this.paths.matrix);
    for (const series of tame) {
      const robot = this.robots.get(series.index);
      if (!robot?.shapes) continue;
      for (const point of robot.trail.points()) points.push(point.applyMatrix4(toWorld));
      if (series !== tame[0]) continue;
      for (const t of times) {
        robot.update(t);
        points.push(...robot.shapes.outline(isRobot));
      }
    }
    return points;
  }
}
