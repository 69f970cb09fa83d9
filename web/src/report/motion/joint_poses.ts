// SPDX-License-Identifier: Apache-2.0
// Poses of a robot's frames from the positions of its joints.
import { Poses, multiply, place } from '../../shared/scene/poses';
import { Frame, Vector } from '../../shared/scene/scene';

export interface MovedFrame {
  frame: number; // its own pose is that at position 0
  turns: boolean; // about the axis; else it slides along it
  axis: Vector; // in the frame
  joint: string; // that moves it, itself or one that it mimics
  multiplier: number;
  offset: number;
}

export class JointPoses extends Poses {
  private readonly columns: number[]; // of the joint that moves each frame
  private readonly turn = new Float64Array(4);

  constructor(
    frames: Frame[],
    private readonly moved: MovedFrame[],
    joints: string[],
  ) {
    super(frames);
    this.columns = moved.map(({ joint }) => joints.indexOf(joint));
  }

  // Positions in the order of the joints; those that are no numbers change nothing.
  setPositions(positions: ArrayLike<number>): void {
    this.moved.forEach(({ frame, turns, axis, multiplier, offset }, i) => {
      const position = offset + multiplier * positions[this.columns[i]];
      if (!Number.isFinite(position)) return;
      const { p, q } = this.frames[frame];
      if (turns) {
        const sine = Math.sin(position / 2);
        this.turn.set([sine * axis[0], sine * axis[1], sine * axis[2], Math.cos(position / 2)]);
        multiply(q, 0, this.turn, 0, this.q, 4 * frame);
      } else {
        const way = axis.map((value) => position * value);
        place(p, 0, q, 0, way, 0, this.p, 3 * frame);
      }
    });
    this.chain();
  }
}
