// SPDX-License-Identifier: Apache-2.0
// Renderer, camera, light and floor; draws only when something has changed.
import {
  Box3,
  Color,
  DirectionalLight,
  HemisphereLight,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

import { Floor } from './floor';

export type Direction = 'oblique' | 'front' | 'side' | 'top';
const directions: Record<Direction, [number, number, number]> = {
  oblique: [1, -1.25, 0.72],
  front: [1, 0, 0.12],
  side: [0, -1, 0.12],
  top: [0, -0.001, 1],
};

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(32, 1, 0.02, 100);
  readonly controls: OrbitControls;
  readonly canvas: HTMLCanvasElement;
  readonly floor = new Floor();
  readonly renderer: WebGLRenderer;
  private readonly sun = new DirectionalLight('#fff4e6', 2.3);
  private readonly fill = new DirectionalLight('#dfe9ff', 0.5);
  private readonly sky = new HemisphereLight('#f4f7ff', '#a39c92', 1.35);
  private readonly bounds = new Box3();
  private isDirty = true;
  private readonly beforeDraw: ((seconds: number) => void)[] = [];
  private last = 0;
  private drawTimes: number[] = [];

  constructor(host: HTMLElement) {
    this.renderer = new WebGLRenderer({ antialias: true, powerPreference: 'high-performance' });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute(
      'aria-label',
      'Scene. Arrow keys turn the view, Shift and arrow keys move it, plus and minus zoom.',
    );
    host.append(this.canvas);
    this.camera.up.set(0, 0, 1);
    this.scene.add(this.floor.group, this.sky, this.sun, this.sun.target, this.fill);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.bias = -0.0008;
    this.sun.shadow.normalBias = 0.01;
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.touch());
    new ResizeObserver(() => this.resize(host)).observe(host);
    this.resize(host);
    requestAnimationFrame((now) => this.tick(now));
  }

  // Called once per frame with the seconds since the last, before it is known whether to draw.
  onFrame(listener: (seconds: number) => void): void {
    this.beforeDraw.push(listener);
  }

  touch(): void {
    this.isDirty = true;
  }

  // Shadows are computed anew only if something in the scene moved.
  touchShapes(): void {
    this.isDirty = true;
    this.renderer.shadowMap.needsUpdate = true;
  }

  get fps(): number {
    const now = performance.now();
    this.drawTimes = this.drawTimes.filter((time) => now - time < 1000);
    return this.drawTimes.length;
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const seconds = this.last ? Math.min(0.25, (now - this.last) / 1000) : 0;
    this.last = now;
    for (const listener of this.beforeDraw) listener(seconds);
    if (!this.isDirty || this.canvas.width === 0) return;
    this.isDirty = false;
    this.draw();
  }

  draw(): void {
    this.renderer.render(this.scene, this.camera);
    this.drawTimes.push(performance.now());
    if (this.drawTimes.length > 200) this.drawTimes.splice(0, 100);
  }

  private resize(host: HTMLElement): void {
    const { clientWidth: width, clientHeight: height } = host;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw(); // at once: a canvas that was resized is empty
    this.touch();
  }

  // What is to be in sight: light, floor and clipping follow.
  setBounds(bounds: Box3, floor: number): void {
    this.bounds.copy(bounds);
    const middle = bounds.getCenter(new Vector3());
    const size = Math.max(0.3, bounds.getSize(new Vector3()).length());
    this.floor.place(middle.x, middle.y, floor, 2.6 * size);
    this.camera.near = size / 200;
    this.camera.far = size * 20;
    this.camera.updateProjectionMatrix();
    this.sun.target.position.copy(middle);
    this.sun.position.copy(middle).add(new Vector3(0.45, -0.65, 1.25).multiplyScalar(size));
    this.fill.position.copy(middle).add(new Vector3(-0.8, 0.5, 0.3).multiplyScalar(size));
    const { camera } = this.sun.shadow;
    const reach = 0.62 * size;
    Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach });
    Object.assign(camera, { near: 0.1 * size, far: 3 * size });
    camera.updateProjectionMatrix();
    this.sun.target.updateMatrixWorld();
    this.touchShapes();
  }

  look(from: Direction): void {
    const middle = this.bounds.isEmpty() ? new Vector3() : this.bounds.getCenter(new Vector3());
    const size = this.bounds.isEmpty() ? 1 : this.bounds.getSize(new Vector3()).length();
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.min(1, this.camera.aspect);
    const away = (0.5 * size) / Math.sin(Math.atan(Math.tan(half) * narrow));
    this.controls.target.copy(middle);
    this.camera.position
      .fromArray(directions[from])
      .normalize()
      .multiplyScalar(0.92 * away)
      .add(middle);
    this.controls.update();
    this.touch();
  }

  // Turns the view by angles, moves it in its plane by parts of the distance, or zooms by a factor.
  turn(around: number, up: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    offset.applyAxisAngle(this.camera.up, around);
    const side = new Vector3().crossVectors(this.camera.up, offset).normalize();
    const angle = offset.angleTo(this.camera.up);
    const bounded = Math.max(0.01, Math.min(Math.PI - 0.01, angle - up));
    offset.applyAxisAngle(side, bounded - angle);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.touch();
  }

  move(right: number, up: number): void {
    const distance = this.camera.position.distanceTo(this.controls.target);
    const by = new Vector3(right * distance, up * distance, 0).applyQuaternion(
      this.camera.quaternion,
    );
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.controls.update();
    this.touch();
  }

  zoom(factor: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.touch();
  }

  // Moves camera and target together: what is followed stays where it is on screen.
  shift(by: Vector3): void {
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.controls.update();
    this.touch();
  }

  setTheme(isDark: boolean): void {
    const style = getComputedStyle(document.documentElement);
    this.scene.background = new Color(isDark ? '#1a1e23' : '#f3f5f7');
    this.floor.setColours(style.getPropertyValue('--grid-3d').trim() || '#888', isDark ? 0.5 : 0.2);
    this.sky.intensity = isDark ? 1.0 : 1.45;
    this.sun.intensity = isDark ? 2.2 : 2.2;
    this.touch();
  }
}
