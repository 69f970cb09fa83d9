// SPDX-License-Identifier: Apache-2.0
// The ground: a grid of 1 m and 0.1 m that fades with distance, and the shadows that fall on it.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  PlaneGeometry,
  ShadowMaterial,
} from 'three';

// Lines in both directions over [-reach, reach]², cut into pieces so that they can fade; lines at whole multiples of
// `coarse` are left to the coarser grid.
function gridGeometry(reach: number, spacing: number, coarse: number, strength: number) {
  const positions: number[] = [];
  const alphas: number[] = [];
  const pieces = 10;
  const put = (x: number, y: number) => {
    positions.push(x, y, 0);
    const fade = Math.max(0, 1 - Math.hypot(x, y) / reach);
    alphas.push(1, 1, 1, strength * Math.min(1, 1.6 * fade));
  };
  const count = Math.floor(reach / spacing);
  for (let i = -count; i <= count; ++i) {
    const at = i * spacing;
    if (coarse && Math.abs(at / coarse - Math.round(at / coarse)) < 1e-6) continue;
    const half = Math.sqrt(Math.max(0, reach * reach - at * at));
    for (let k = 0; k < pieces; ++k) {
      const [from, to] = [k, k + 1].map((step) => half * ((2 * step) / pieces - 1));
      put(from, at);
      put(to, at);
      put(at, from);
      put(at, to);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(positions), 3));
  geometry.setAttribute('color', new BufferAttribute(Float32Array.from(alphas), 4));
  return geometry;
}

export class Floor {
  readonly group = new Group();
  private readonly material = new LineBasicMaterial({
    vertexColors: true,
    transparent: true,
    depthWrite: false,
  });
  private readonly shadow: Mesh<PlaneGeometry, ShadowMaterial>;
  private lines: LineSegments[] = [];
  height = 0;
  private isFast = false;
  private isLarge = false; // fine lines would be a blur

  constructor() {
    this.shadow = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ depthWrite: false }));
    this.shadow.receiveShadow = true;
    this.shadow.renderOrder = -1;
    this.group.add(this.shadow);
  }

  // Grid lines stay at whole metres of the world.
  place(x: number, y: number, z: number, size: number): void {
    this.height = z;
    for (const line of this.lines) {
      line.removeFromParent();
      line.geometry.dispose();
    }
    this.lines = [
      new LineSegments(
        gridGeometry(Math.min(60, Math.ceil(2.2 * size + 1)), 1, 0, 0.8),
        this.material,
      ),
      new LineSegments(gridGeometry(Math.min(8, 1.1 * size + 0.3), 0.1, 1, 0.32), this.material),
    ];
    for (const line of this.lines) line.position.set(Math.round(x), Math.round(y), z);
    this.shadow.position.set(x, y, z - 0.0005);
    this.shadow.scale.set(1.7 * size, 1.7 * size, 1);
    this.isLarge = size > 8;
    this.lines[1].visible = !this.isFast && !this.isLarge;
    this.group.add(...this.lines);
  }

  // Without shadows and fine lines.
  setFast(isFast: boolean): void {
    this.isFast = isFast;
    this.shadow.visible = !isFast;
    if (this.lines[1]) this.lines[1].visible = !isFast && !this.isLarge;
  }

  setColours(lines: string, shadowStrength: number): void {
    this.material.color = new Color(lines);
    this.shadow.material.opacity = shadowStrength;
  }
}
