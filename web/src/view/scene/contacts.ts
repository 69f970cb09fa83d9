// SPDX-License-Identifier: Apache-2.0
// Contact points and their forces as arrows, and the frames whose parts are joined just now.
import {
  ArrowHelper,
  Group,
  Material,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
  Vector3,
} from 'three';

import { Vector } from '../../shared/scene/scene';
import { Source } from '../data/source';
import { TextReader } from '../data/text_reader';
import { RunState } from '../runs';

interface ContactsMessage {
  contacts?: { position_m: Vector; force_N?: Vector; a?: string; b?: string }[];
}
interface MergedMessage {
  merged?: string[];
}

const metresPerNewton = 0.006;
const longest = 0.3;
const colour = '#e5261f';

export class Contacts {
  readonly group = new Group();
  private readonly texts: TextReader<ContactsMessage> | null;
  private readonly merged: TextReader<MergedMessage> | null;
  private readonly dot = new SphereGeometry(0.006, 12, 8);
  private readonly material = new MeshBasicMaterial({ color: colour, depthTest: false });
  // kept and used again: the last of a kind of material that goes takes its shader along, which takes long to make
  private readonly dots: Mesh[] = [];
  private readonly arrows: ArrowHelper[] = [];
  private shown: unknown = null;

  constructor(
    source: Source,
    private readonly state: RunState,
    loaded: () => void,
  ) {
    const reader = <T>(topic: string): TextReader<T> | null => {
      const table = state.table(topic);
      return table?.has_texts ? new TextReader<T>(source, state, table, loaded) : null;
    };
    this.texts = reader<ContactsMessage>('/contacts');
    this.merged = reader<MergedMessage>('/merged');
  }

  update(t: number): boolean {
    const message = this.texts?.at(t)?.message ?? null;
    if (message === this.shown) return false;
    this.shown = message;
    let [dots, arrows] = [0, 0];
    for (const { position_m: position, force_N: force } of message?.contacts ?? []) {
      const dot = this.dotOf(dots++);
      dot.position.fromArray(position);
      const newtons = new Vector3().fromArray(force ?? [0, 0, 0]);
      const length = Math.min(longest, newtons.length() * metresPerNewton);
      if (length < 0.002) continue;
      const head = Math.min(0.03, 0.4 * length);
      const arrow = this.arrowOf(arrows++);
      arrow.position.copy(dot.position);
      arrow.setDirection(newtons.normalize());
      arrow.setLength(length, head, 0.6 * head);
    }
    this.dots.forEach((dot, i) => (dot.visible = i < dots));
    this.arrows.forEach((arrow, i) => (arrow.visible = i < arrows));
    return true;
  }

  private dotOf(index: number): Mesh {
    if (index in this.dots) return this.dots[index];
    const dot = new Mesh(this.dot, this.material);
    dot.renderOrder = 7;
    this.dots.push(dot);
    this.group.add(dot);
    return dot;
  }

  private arrowOf(index: number): ArrowHelper {
    if (index in this.arrows) return this.arrows[index];
    const arrow = new ArrowHelper(undefined, undefined, 1, colour);
    for (const part of [arrow.line, arrow.cone]) {
      (part.material as Material).depthTest = false; // forces are mostly inside what they act on
      part.renderOrder = 7;
    }
    this.arrows.push(arrow);
    this.group.add(arrow);
    return arrow;
  }

  // Frames that are joined to another at time t.
  joined(t: number): Set<number> {
    const names = this.merged?.at(t)?.message.merged ?? [];
    const { frames } = this.state.scene;
    return new Set(
      names.map((name) => frames.findIndex((frame) => frame.name === name)).filter((i) => i >= 0),
    );
  }
}
