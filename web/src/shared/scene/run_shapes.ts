// SPDX-License-Identifier: Apache-2.0
// The bodies of one run in the scene: solid in their own colours, or tinted and clear where runs lie over each other.
import {
  Box3,
  Color,
  DoubleSide,
  FrontSide,
  Group,
  Material,
  Mesh as ThreeMesh,
  MeshLambertMaterial,
  MeshPhongMaterial,
  Vector3,
} from 'three';

import { Body } from './bodies';
import { Light } from './light';
import { Poses } from './poses';

export type Look = 'solid' | 'strong' | 'tinted' | 'ghost' | 'faint';

const opacities = { solid: 1, strong: 0.8, tinted: 0.32, ghost: 0.2, faint: 0.04 };

interface Part {
  mesh: ThreeMesh;
  body: Body;
  full: Material; // lit per pixel, with shadows
  cheap: Material; // lit per vertex
}

function cornersOf({ min, max }: Box3): Vector3[] {
  return Array.from(
    { length: 8 },
    (_, i) => new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z),
  );
}

// The corners of the box around those vertices of a part that lie in a box; none where there is none.
function verticesIn(near: Box3, { mesh, body }: Part): Vector3[] {
  const inside = new Box3();
  const vertices = body.geometry.getAttribute('position');
  const vertex = new Vector3();
  for (let i = 0; i < vertices.count; ++i) {
    vertex.fromBufferAttribute(vertices, i).applyMatrix4(mesh.matrix);
    if (near.containsPoint(vertex)) inside.expandByPoint(vertex);
  }
  return inside.isEmpty() ? [] : cornersOf(inside);
}

export class RunShapes {
  readonly group = new Group();
  private readonly parts: Part[] = [];
  private readonly marked = new Set<number>();
  private readonly markMaterial = new MeshPhongMaterial({
    vertexColors: true,
    emissive: '#4a3800',
  });
  private readonly isSolid: boolean; // others keep the colour of their run
  private isFast = false;

  // `rank`: where several clear runs are at the same place, the one of lower rank is seen.
  constructor(
    bodies: Body[],
    look: Look,
    colour: string,
    withFixed: boolean,
    light: Light,
    private readonly rank: number,
  ) {
    this.isSolid = look === 'solid';
    const make = (isClear: boolean) => ({
      full: this.material(look, colour, isClear),
      cheap: this.cheap(look, colour, isClear, light),
    });
    const materials = { solid: make(false), clear: make(true) };
    for (const body of bodies) {
      if (body.frame < 0 && !withFixed) continue;
      const pair = body.isClear ? materials.clear : materials.solid;
      const mesh = new ThreeMesh(body.geometry, pair.full);
      mesh.matrixAutoUpdate = false;
      mesh.castShadow = look === 'solid' && body.role === 'visual' && !body.isClear;
      mesh.receiveShadow = mesh.castShadow;
      mesh.renderOrder = look === 'solid' ? (body.isClear ? 2 : 0) : 1;
      mesh.userData.frame = body.frame;
      this.parts.push({ mesh, body, ...pair });
      this.group.add(mesh);
    }
  }

  private surface(look: Look, isClear: boolean) {
    if (look === 'solid') {
      return {
        transparent: isClear,
        depthWrite: !isClear,
        side: isClear ? DoubleSide : FrontSide,
      };
    }
    return {
      transparent: true,
      depthWrite: look === 'strong' || look === 'tinted',
      // behind the main run where both are within about a centimetre: their surfaces would flicker through each other
      polygonOffset: true,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 300 + 60 * this.rank,
    };
  }

  private opacity(look: Look, isClear: boolean): number {
    return opacities[look] * (isClear ? 0.5 : 1);
  }

  private material(look: Look, colour: string, isClear: boolean): Material {
    const surface = this.surface(look, isClear);
    if (look === 'solid')
      return new MeshPhongMaterial({
        ...surface,
        vertexColors: true,
        shininess: 28,
        specular: '#222222',
      });
    const color = new Color(colour);
    return new MeshLambertMaterial({ ...surface, color, opacity: this.opacity(look, isClear) });
  }

  private cheap(look: Look, colour: string, isClear: boolean, light: Light): Material {
    const tint = look === 'solid' ? null : new Color(colour);
    return light.cheapMaterial(tint, this.opacity(look, isClear), this.surface(look, isClear));
  }

  setFast(isFast: boolean): void {
    this.isFast = isFast;
    for (const part of this.parts) this.dress(part);
  }

  private dress({ mesh, body, full, cheap }: Part): void {
    const isMarked = this.isSolid && this.marked.has(body.frame);
    mesh.material = isMarked ? this.markMaterial : this.isFast ? cheap : full;
  }

  show(isVisible: boolean, visuals: boolean, collisions: boolean, withFixed: boolean): void {
    for (const { mesh, body } of this.parts) {
      const isRole = body.role === 'visual' ? visuals : collisions;
      mesh.visible = isRole && (isVisible || (withFixed && body.frame < 0));
    }
  }

  update(poses: Poses): void {
    for (const { mesh, body } of this.parts) {
      if (body.frame < 0) continue;
      const [p, q] = [3 * body.frame, 4 * body.frame];
      mesh.position.fromArray(poses.positions, p);
      mesh.quaternion.fromArray(poses.quaternions, q);
      mesh.updateMatrix();
    }
  }

  // Frames whose parts are joined to something else just now.
  mark(frames: Set<number>): boolean {
    if (frames.size === this.marked.size && [...frames].every((one) => this.marked.has(one)))
      return false;
    this.marked.clear();
    for (const frame of frames) this.marked.add(frame);
    for (const part of this.parts) this.dress(part);
    return true;
  }

  // Points around what is to be seen of it: the robots and what is near them, or all there is where there are none.
  // Fences stand far away, belts come from far, and so do parts that are yet to come.
  outline(robotFrames: Set<number>): Vector3[] {
    const visuals = this.parts.filter(({ body }) => body.role === 'visual');
    const corners = visuals.map(({ mesh, body }) =>
      cornersOf(body.geometry.boundingBox!).map((corner) => corner.applyMatrix4(mesh.matrix)),
    );
    const robots = corners.filter((_, i) => robotFrames.has(visuals[i].body.frame)).flat();
    if (!robots.length) return corners.flat();
    const near = new Box3().setFromPoints(robots);
    near.expandByScalar(0.16 * near.getSize(new Vector3()).length());
    const others = visuals.filter(({ body }) => !robotFrames.has(body.frame));
    return [...robots, ...others.flatMap((part) => verticesIn(near, part))];
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const { full, cheap } of this.parts) {
      full.dispose();
      cheap.dispose();
    }
    this.markMaterial.dispose();
  }
}
