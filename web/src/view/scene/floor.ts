// SPDX-License-Identifier: Apache-2.0
// The ground: a grid of 1 m and 0.1 m that fades with distance, and the shadows that fall on it.
import {
  Color,
  DoubleSide,
  Group,
  Mesh,
  PlaneGeometry,
  ShaderMaterial,
  ShadowMaterial,
} from 'three';

const vertexShader = /* glsl */ `
varying vec2 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xy;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

// Lines are as wide as a pixel, whatever the distance; fine ones vanish where they would be dense.
const fragmentShader = /* glsl */ `
varying vec2 place;
uniform vec3 lines;
uniform float reach;
uniform vec2 middle;
float grid(float spacing, float width) {
  vec2 at = place / spacing;
  vec2 rate = fwidth(at);
  vec2 far = abs(fract(at - 0.5) - 0.5) / rate;
  float line = 1.0 - min(min(far.x, far.y) / width, 1.0);
  return line * (1.0 - smoothstep(0.08, 0.35, max(rate.x, rate.y)));
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, distance(place, middle) / reach);
  float strength = max(0.75 * grid(1.0, 1.2), 0.3 * grid(0.1, 1.0));
  gl_FragColor = vec4(lines, strength * fade);
  #include <colorspace_fragment>
}`;

export class Floor {
  readonly group = new Group();
  private readonly grid: ShaderMaterial;
  private readonly shadow = new ShadowMaterial({ opacity: 0.22, depthWrite: false });

  constructor() {
    this.grid = new ShaderMaterial({
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      uniforms: {
        lines: { value: new Color() },
        reach: { value: 5 },
        middle: { value: [0, 0] },
      },
    });
    const plane = new PlaneGeometry(1, 1);
    const grid = new Mesh(plane, this.grid);
    const shadow = new Mesh(plane, this.shadow);
    shadow.receiveShadow = true;
    shadow.renderOrder = -1;
    this.group.add(shadow, grid);
  }

  place(x: number, y: number, z: number, reach: number): void {
    this.group.position.set(x, y, z);
    this.group.scale.set(2 * reach, 2 * reach, 1);
    this.grid.uniforms.reach.value = reach;
    this.grid.uniforms.middle.value = [x, y];
    this.group.updateMatrixWorld(true);
  }

  setColours(lines: string, shadowStrength: number): void {
    (this.grid.uniforms.lines.value as Color).set(lines);
    this.shadow.opacity = shadowStrength;
  }
}
