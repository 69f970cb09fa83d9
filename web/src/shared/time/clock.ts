// SPDX-License-Identifier: Apache-2.0
// The shown time: it plays, pauses, loops, and in a live run follows the newest.

export const speeds = [
  0.00001, 0.0001, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100,
];

export class Clock {
  time: number;
  isPlaying = false;
  speed = 1;
  loop: [number, number] | null = null;
  isFollowing = false; // the newest time of a live run

  private readonly listeners: (() => void)[] = [];

  constructor(
    public start: number,
    public end: number,
  ) {
    this.time = start;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  setTime(t: number): void {
    this.isFollowing = false;
    this.moveTo(t);
  }

  private moveTo(t: number): void {
    this.time = Math.max(this.start, Math.min(this.end, t));
    this.changed();
  }

  // A live run got longer, or its old rows were dropped.
  setRange(start: number, end: number): void {
    this.start = start;
    this.end = Math.max(start, end);
    if (this.isFollowing) this.time = this.end;
    else this.time = Math.max(start, Math.min(this.end, this.time));
    this.changed();
  }

  follow(): void {
    this.isFollowing = true;
    this.isPlaying = false;
    this.moveTo(this.end);
  }

  play(): void {
    const [from, to] = this.loop ?? [this.start, this.end];
    if (this.time >= to || this.time < from) this.time = from;
    this.isFollowing = false;
    this.isPlaying = true;
    this.changed();
  }

  pause(): void {
    this.isPlaying = false;
    this.isFollowing = false;
    this.changed();
  }

  toggle(): void {
    if (this.isPlaying || this.isFollowing) this.pause();
    else this.play();
  }

  setSpeed(speed: number): void {
    this.speed = Math.max(speeds[0], Math.min(speeds[speeds.length - 1], speed));
    this.changed();
  }

  // The next faster (+1) or slower (-1) speed.
  changeSpeed(by: number): void {
    const at = speeds.findIndex((one) => one >= this.speed * 0.999);
    this.setSpeed(speeds[Math.max(0, Math.min(speeds.length - 1, at + by))]);
  }

  // A window that is too short to see is none.
  setLoop(from: number, to: number): void {
    const [low, high] = from < to ? [from, to] : [to, from];
    this.loop = high - low > 1e-9 ? [Math.max(this.start, low), Math.min(this.end, high)] : null;
    this.changed();
  }

  clearLoop(): void {
    this.loop = null;
    this.changed();
  }

  // After `seconds` of real time.
  advance(seconds: number): void {
    if (!this.isPlaying) return;
    const [from, to] = this.loop ?? [this.start, this.end];
    let next = this.time + seconds * this.speed;
    if (next >= to) {
      if (this.loop) {
        next = from + ((next - from) % (to - from));
      } else {
        next = to;
        this.isPlaying = false;
      }
    }
    this.time = next;
    this.changed();
  }
}

// The nearest of some times strictly after (+1) or before (-1) now; undefined: there is none.
export function nextTime(times: number[], now: number, direction: 1 | -1): number | undefined {
  let found: number | undefined;
  for (const t of times) {
    if (direction > 0 ? t <= now + 1e-9 : t >= now - 1e-9) continue;
    if (found === undefined || (direction > 0 ? t < found : t > found)) found = t;
  }
  return found;
}
