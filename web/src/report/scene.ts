// SPDX-License-Identifier: Apache-2.0
// Draws paths and waypoints through a projection; the main view and the inset use the same code.
import { Paints, seriesClass } from './paints';
import { Path, Plan, Point3, Series } from './data';
import { Group } from './figure';
import { segmentDistance } from './inset';
import { planLabel } from './legend';
import { Projection } from './projection';

const farAway = 20_000; // pixels
const closest = 0.4; // points nearer than this to the last one are not seen

// SVG path data of the samples that `wanted` lets through, all if it is not given.
export function screenPath(
  path: Path,
  projection: Projection,
  wanted?: (i: number) => boolean,
  floor?: number,
): string {
  const parts: string[] = [];
  let isOpen = false;
  let [lastX, lastY] = [NaN, NaN];
  const count = path.x.length;
  for (let i = 0; i < count; ++i) {
    const x = projection.x(path.x[i], path.y[i]);
    const y = projection.y(path.x[i], path.y[i], floor ?? path.z[i]);
    if (!Number.isFinite(x + y) || (wanted && !wanted(i))) {
      isOpen = false;
      continue;
    }
    if (isOpen && i + 1 < count && Math.abs(x - lastX) < closest && Math.abs(y - lastY) < closest)
      continue;
    [lastX, lastY] = [x, y];
    const bound = (value: number) => Math.max(-farAway, Math.min(farAway, value)).toFixed(1);
    parts.push(`${isOpen ? 'L' : 'M'}${bound(x)},${bound(y)}`);
    isOpen = true;
  }
  return parts.join('');
}

export interface Content {
  plan: Plan | null;
  series: Series[];
  paints: Paints;
}

// Ends of segments that pass within `radius` of the centre: those belong into an inset, however far apart samples are.
function near(path: Path, centre: Point3, radius: number): (i: number) => boolean {
  const nearest: Point3 = [0, 0, 0];
  const passes = Array.from(
    { length: Math.max(0, path.x.length - 1) },
    (_, i) => segmentDistance(...centre, path, i, nearest) <= radius * radius,
  );
  return (i) => passes[i] || (i > 0 && passes[i - 1]);
}

export function drawPaths(
  parent: Group,
  projection: Projection,
  { plan, series, paints }: Content,
  around?: { centre: Point3; radius: number },
): void {
  const within = (path: Path) => (around ? near(path, around.centre, around.radius) : undefined);
  for (const one of series) {
    if (!one.path) continue;
    const { colour, dash } = paints.of(one);
    parent
      .append('path')
      .attr('class', seriesClass(one))
      .attr('data-series', one.label)
      .style('stroke', colour)
      .style('stroke-dasharray', dash)
      .attr('d', screenPath(one.path, projection, within(one.path)));
  }
  // On top, so that its dashes are seen where every path follows it.
  if (plan) {
    parent
      .append('path')
      .attr('class', 'series plan')
      .attr('data-series', planLabel)
      .attr('d', screenPath(plan.path, projection, within(plan.path)));
  }
}

// The plan's shadow and the feet of the waypoints on the floor: they tell depth.
export function drawShadow(parent: Group, projection: Projection, plan: Plan, floor: number): void {
  parent
    .append('path')
    .attr('class', 'shadow')
    .attr('d', screenPath(plan.path, projection, undefined, floor));
  for (const point of plan.waypoints) {
    const [x1, y1] = projection.at(point);
    const [x2, y2] = projection.at([point[0], point[1], floor]);
    parent
      .append('line')
      .attr('class', 'foot')
      .attr('x1', x1)
      .attr('y1', y1)
      .attr('x2', x2)
      .attr('y2', y2);
  }
}

// The corner beside a point where a label covers the least of the plan: offset and anchor of the text.
function freeCorner(
  x: number,
  y: number,
  width: number,
  busy: [number, number][],
): { dx: number; dy: number; anchor: string } {
  let best = { dx: 7, dy: -7, anchor: 'start' };
  let least = Infinity;
  for (const [side, dy] of [
    [1, -7],
    [-1, -7],
    [1, 16],
    [-1, 16],
  ]) {
    const left = side > 0 ? x + 5 : x - 9 - width;
    const covered = busy.filter(
      ([px, py]) => px > left && px < left + width + 4 && py > y + dy - 12 && py < y + dy + 3,
    ).length;
    if (covered < least) {
      least = covered;
      best = { dx: 7 * side, dy, anchor: side > 0 ? 'start' : 'end' };
    }
  }
  return best;
}

export function drawWaypoints(parent: Group, projection: Projection, plan: Plan): void {
  const busy: [number, number][] = Array.from(plan.path.x, (x, i) =>
    projection.at([x, plan.path.y[i], plan.path.z[i]]),
  );
  const put = (point: Point3, text: string) => {
    const [x, y] = projection.at(point);
    const { dx, dy, anchor } = freeCorner(x, y, 7.5 * text.length, busy);
    // Later labels keep off this one.
    const left = dx > 0 ? x + 7 : x - 7 - 7.5 * text.length;
    for (let i = 0; i <= 6; ++i)
      for (const rise of [0, 6]) busy.push([left + (i / 6) * 7.5 * text.length, y + dy - rise]);
    parent.append('circle').attr('class', 'waypoint').attr('cx', x).attr('cy', y).attr('r', 3.4);
    parent
      .append('text')
      .attr('class', 'waypoint-label')
      .attr('x', x + dx)
      .attr('y', y + dy)
      .attr('text-anchor', anchor)
      .text(text);
  };
  const closeTo = (a: Point3, b: Point3) =>
    Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) < 1e-4;
  const { start } = plan;
  if (start && !plan.waypoints.some((point) => closeTo(point, start))) put(start, 'start');
  // Waypoints at one place share a label.
  const groups: { point: Point3; text: string }[] = [];
  plan.waypoints.forEach((point, i) => {
    const same = groups.find((group) => closeTo(group.point, point));
    if (same) same.text += `, ${i + 1}`;
    else
      groups.push({ point, text: start && closeTo(point, start) ? `start, ${i + 1}` : `${i + 1}` });
  });
  for (const { point, text } of groups) put(point, text);
}
