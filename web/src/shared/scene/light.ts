// SPDX-License-Identifier: Apache-2.0
// The light of the scene, and a material that computes it per vertex: cheap enough for drawing in software.
import {
  Color,
  DirectionalLight,
  HemisphereLight,
  ShaderMaterial,
  ShaderMaterialParameters,
  Vector3,
} from 'three';

export class Light {
  readonly sun = new DirectionalLight('#fff6ea', 2.3);
  readonly fill = new DirectionalLight('#dfe9ff', 0.55);
  readonly sky = new HemisphereLight('#f4f7ff', '#a39c92', 1.45);
  readonly sunWay = new Vector3(0.45, -0.65, 1.25).normalize();
  readonly fillWay = new Vector3(-0.8, 0.5, 0.3).normalize();
  // the same light for the cheap material
  private readonly uniforms = {
    sun: { value: new Color() },
    fill: { value: new Color() },
    sky: { value: new Color() },
    ground: { value: new Color() },
    sunWay: { value: this.sunWay },
    fillWay: { value: this.fillWay },
  };

  constructor() {
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.radius = 3;
    this.sky.up.set(0, 0, 1);
    this.sky.position.set(0, 0, 1);
    this.setStrength(1.45);
  }

  setStrength(sky: number): void {
    this.sky.intensity = sky;
    const scaled = (light: { color: Color; intensity: number }) =>
      light.color.clone().multiplyScalar(light.intensity / Math.PI);
    this.uniforms.sun.value.copy(scaled(this.sun));
    this.uniforms.fill.value.copy(scaled(this.fill));
    this.uniforms.sky.value.copy(scaled(this.sky));
    this.uniforms.ground.value.copy(this.sky.groundColor).multiplyScalar(sky / Math.PI);
  }

  place(middle: Vector3, size: number): void {
    const { sun, fill } = this;
    sun.target.position.copy(middle);
    sun.target.updateMatrixWorld();
    sun.position.copy(middle).addScaledVector(this.sunWay, 1.5 * size);
    fill.position.copy(middle).addScaledVector(this.fillWay, size);
    fill.target.position.copy(middle);
    fill.target.updateMatrixWorld();
    const { camera } = sun.shadow;
    const reach = 0.6 * size;
    Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach });
    Object.assign(camera, { near: 0.5 * size, far: 2.5 * size });
    camera.updateProjectionMatrix();
    sun.shadow.normalBias = 0.004 * size;
  }

  // Diffuse light as the other materials have it, computed at the vertices.
  cheapMaterial(
    tint: Color | null,
    opacity: number,
    options: ShaderMaterialParameters,
  ): ShaderMaterial {
    return new ShaderMaterial({
      ...options,
      defines: tint ? {} : { HAS_COLOURS: '' },
      uniforms: {
        ...this.uniforms,
        tint: { value: tint ?? new Color(1, 1, 1) },
        opacity: { value: opacity },
      },
      vertexShader: /* glsl */ `
        uniform vec3 sun, fill, sky, ground, sunWay, fillWay, tint;
        uniform float opacity;
        #ifdef HAS_COLOURS
          attribute vec4 color;
        #endif
        varying vec4 shade;
        void main() {
          vec3 n = normalize(mat3(modelMatrix) * normal);
          vec3 light = mix(ground, sky, 0.5 + 0.5 * n.z) + sun * max(0.0, dot(n, sunWay)) +
            fill * max(0.0, dot(n, fillWay));
          #ifdef HAS_COLOURS
            vec4 own = color;
          #else
            vec4 own = vec4(tint, opacity);
          #endif
          vec3 linear = clamp(own.rgb * light, 0.0, 1.0);
          vec3 shown = mix(linear * 12.92, 1.055 * pow(max(linear, 0.0031308), vec3(0.41666)) - 0.055,
            step(0.0031308, linear));
          shade = vec4(shown, own.a);
          gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
        }`,
      fragmentShader: /* glsl */ `
        varying vec4 shade;
        void main() { gl_FragColor = shade; }`,
    });
  }
}
