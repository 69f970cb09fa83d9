// SPDX-License-Identifier: Apache-2.0
// Renderer, camera, light and floor; draws only when something has changed.
import { Box3, Color, PCFShadowMap, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

import { Floor } from './floor';
import { framing } from './framing';
import { Light } from './light';

export type Direction = 'oblique' | 'front' | 'side' | 'top';
const directions: Record<Direction, [number, number, number]> = {
  oblique: [1, -1.25, 0.72],
  front: [1, 0, 0.12],
  side: [0, -1, 0.12],
  top: [0, -0.001, 1],
};

const mostPixelsMoving = 1_000_000;
const mostPixelsAtRest = 8_000_000;

// Whether the browser draws on the processor: then smoothing edges in every frame costs too much.
function isSoftware(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  const names = context?.getExtension('WEBGL_debug_renderer_info');
  const name = names ? String(context!.getParameter(names.UNMASKED_RENDERER_WEBGL)) : '';
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(32, 1, 0.02, 100);
  readonly controls: OrbitControls;
  readonly canvas: HTMLCanvasElement;
  readonly floor = new Floor();
  readonly renderer: WebGLRenderer;
  readonly light = new Light();
  private readonly bounds = new Box3();
  private content: Vector3[] = [new Vector3()];
  private isDirty = true;
  private readonly beforeDraw: ((seconds: number) => void)[] = [];
  private last = 0;
  private drawTimes: number[] = [];
  quality: 'auto' | 'full' | 'fast' = 'auto';
  private isFast = false;
  private readonly isSoftware: boolean;
  private isSlow: boolean;
  private slowness = 0;
  private lastChange = 0;
  private readonly resizeListeners: (() => void)[] = [];
  private readonly qualityListeners: ((isFast: boolean) => void)[] = [];
  private waiting = 0; // for the next frame; 0: for nothing

  constructor(host: HTMLElement) {
    this.isSoftware = isSoftware();
    this.isSlow = this.isSoftware;
    this.renderer = new WebGLRenderer({
      antialias: !this.isSoftware,
      powerPreference: 'high-performance',
    });
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
    const { sky, sun, fill } = this.light;
    this.scene.add(this.floor.group, sky, sun, sun.target, fill, fill.target);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.touch());
    new ResizeObserver(() => this.resize(host)).observe(host);
    this.resize(host);
    this.setRunning(true);
  }

  // Where it cannot be seen, nothing needs to be done.
  setRunning(isOn: boolean): void {
    if (isOn === this.waiting > 0) return;
    if (!isOn) cancelAnimationFrame(this.waiting);
    this.waiting = isOn ? requestAnimationFrame((now) => this.tick(now)) : 0;
    this.last = 0;
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
    this.waiting = requestAnimationFrame((next) => this.tick(next));
    const seconds = this.last ? Math.min(0.25, (now - this.last) / 1000) : 0;
    this.last = now;
    for (const listener of this.beforeDraw) listener(seconds);
    if (this.isDirty) {
      this.judge(seconds);
      this.lastChange = now;
      this.setFast(this.quality === 'fast' || (this.quality === 'auto' && this.isSlow));
    } else if (this.isFast && this.quality !== 'fast' && now - this.lastChange > 350) {
      this.setFast(false); // nothing moves: once with all that is costly
    } else {
      return;
    }
    this.isDirty = false;
    this.draw();
  }

  // Whether drawing with shadows keeps up: half a second of slow frames says no.
  private judge(seconds: number): void {
    if (this.isFast || seconds === 0) return;
    this.slowness = Math.max(0, this.slowness + (seconds > 0.04 ? seconds : -seconds));
    if (this.slowness > 0.5) this.isSlow = true;
  }

  private setFast(isFast: boolean): void {
    if (isFast === this.isFast) return;
    this.isFast = isFast;
    this.floor.setFast(isFast);
    this.renderer.setPixelRatio(this.pixelRatio());
    this.light.sun.castShadow = !isFast;
    this.renderer.shadowMap.needsUpdate = !isFast;
    for (const listener of this.qualityListeners) listener(isFast);
  }

  // Where the processor draws, pictures in which something moves have about a million pixels at most. Those in which
  // nothing does have twice as many as the screen each way, as edges are not smoothed otherwise; on a large screen fewer,
  // for whoever goes on meanwhile waits for them.
  private pixelRatio(): number {
    const own = Math.min(2, window.devicePixelRatio);
    if (!this.isSoftware) return own;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const fitting = (most: number) => Math.sqrt(most / Math.max(1, width * height));
    if (!this.isFast) return Math.max(1, Math.min(2, fitting(mostPixelsAtRest)));
    return Math.min(1, own, Math.max(0.5, fitting(mostPixelsMoving)));
  }

  onQuality(listener: (isFast: boolean) => void): void {
    this.qualityListeners.push(listener);
    listener(this.isFast);
  }

  draw(): void {
    this.renderer.render(this.scene, this.camera);
    this.drawTimes.push(performance.now());
    if (this.drawTimes.length > 200) this.drawTimes.splice(0, 100);
  }

  // Without waiting, and with all that is costly.
  drawFull(): void {
    this.setFast(false);
    this.draw();
  }

  onResize(listener: () => void): void {
    this.resizeListeners.push(listener);
  }

  // Size of a CSS pixel at a distance of one metre.
  pixelAtOneMetre(): number {
    const height = this.canvas.clientHeight || 1;
    return (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
  }

  // Length of the scene's diagonal.
  get size(): number {
    return this.bounds.isEmpty() ? 1 : this.bounds.getSize(new Vector3()).length();
  }

  private resize(host: HTMLElement): void {
    const { clientWidth: width, clientHeight: height } = host;
    if (!width || !height) return;
    this.renderer.setPixelRatio(this.pixelRatio());
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    for (const listener of this.resizeListeners) listener();
    this.draw(); // at once: a canvas that was resized is empty
    this.touch();
  }

  // Points around what is to be in sight: light, floor and clipping follow.
  setContent(points: Vector3[]): void {
    const { bounds } = this;
    this.content = points.length ? points : [new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 1)];
    bounds.setFromPoints(this.content);
    const middle = bounds.getCenter(new Vector3());
    const size = Math.max(0.3, bounds.getSize(new Vector3()).length());
    this.floor.place(middle.x, middle.y, Math.min(0, bounds.min.z), size);
    this.camera.near = size / 200;
    this.camera.far = size * 20;
    this.camera.updateProjectionMatrix();
    this.light.place(middle, size);
    this.touchShapes();
  }

  look(from: Direction | [number, number, number]): void {
    const away = new Vector3()
      .fromArray(typeof from === 'string' ? directions[from] : from)
      .normalize();
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const { up, aspect } = this.camera;
    const { target, distance } = framing(this.content, away, up, tall, tall * aspect);
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(away, Math.max(0.5, 1.12 * distance));
    this.controls.update();
    this.touch();
  }

  // Tells whether the reader has turned the view since.
  viewpoint(): string {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()].join();
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
    this.light.setStrength(isDark ? 1.05 : 1.5);
    this.touch();
  }
}
