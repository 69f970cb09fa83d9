// SPDX-License-Identifier: Apache-2.0
// The bodies of one run in the scene: solid in their own colours, or tinted and clear where runs lie over each other.
import {
  Box3,
  Color,
  DoubleSide,
  FrontSide,
  Group,
  Mesh as ThreeMesh,
  MeshLambertMaterial,
  MeshPhongMaterial,
} from 'three';

import { Body } from './bodies';
import { Poses } from './poses';

export type Look = 'solid' | 'tinted' | 'ghost';

export class RunShapes {
  readonly group = new Group();
  private readonly meshes: {
    mesh: ThreeMesh;
    body: Body;
    plain: MeshPhongMaterial | MeshLambertMaterial;
  }[] = [];
  private readonly marked = new Set<number>();
  private readonly markMaterial: MeshPhongMaterial;

  constructor(bodies: Body[], look: Look, colour: string, withFixed: boolean) {
    const make = (isClear: boolean) => this.material(look, colour, isClear);
    const materials = { solid: make(false), clear: make(true) };
    this.markMaterial = new MeshPhongMaterial({
      color: '#f0c419',
      emissive: '#5a4500',
      vertexColors: false,
    });
    for (const body of bodies) {
      if (body.frame < 0 && !withFixed) continue;
      const plain = body.isClear ? materials.clear : materials.solid;
      const mesh = new ThreeMesh(body.geometry, plain);
      mesh.matrixAutoUpdate = false;
      mesh.castShadow = look === 'solid' && body.role === 'visual' && !body.isClear;
      mesh.receiveShadow = mesh.castShadow;
      mesh.renderOrder = look === 'solid' ? (body.isClear ? 2 : 0) : 1;
      mesh.userData.frame = body.frame;
      this.meshes.push({ mesh, body, plain });
      this.group.add(mesh);
    }
  }

  private material(look: Look, colour: string, isClear: boolean) {
    if (look === 'solid') {
      return new MeshPhongMaterial({
        vertexColors: true,
        shininess: 28,
        specular: '#2b2b2b',
        transparent: isClear,
        depthWrite: !isClear,
        side: isClear ? DoubleSide : FrontSide,
      });
    }
    const tint = new Color(colour);
    return new MeshLambertMaterial({
      color: tint,
      emissive: tint.clone().multiplyScalar(look === 'ghost' ? 0.35 : 0),
      transparent: true,
      opacity: (look === 'ghost' ? 0.2 : 0.42) * (isClear ? 0.5 : 1),
      depthWrite: look !== 'ghost',
      polygonOffset: true, // behind the main run where both are at the same place
      polygonOffsetFactor: 1.5,
      polygonOffsetUnits: 4,
    });
  }

  setRoles(visuals: boolean, collisions: boolean): void {
    for (const { mesh, body } of this.meshes)
      mesh.visible = body.role === 'visual' ? visuals : collisions;
  }

  update(poses: Poses): void {
    for (const { mesh, body } of this.meshes) {
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
    for (const one of this.meshes)
      one.mesh.material = this.marked.has(one.body.frame) ? this.markMaterial : one.plain;
    return true;
  }

  // What is seen of it, leaving out what reaches far beyond the rest.
  bounds(): Box3 {
    const box = new Box3();
    this.group.updateMatrixWorld(true);
    for (const { mesh, body } of this.meshes) {
      if (body.role !== 'visual') continue;
      box.union(body.geometry.boundingBox!.clone().applyMatrix4(mesh.matrix));
    }
    return box;
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const { plain } of this.meshes) plain.dispose();
    this.markMaterial.dispose();
  }
}
