// SPDX-License-Identifier: Apache-2.0
// Draws the box around the scene: floor and far walls with a grid, and ticks in metres on the near edges.
import { Point3 } from './data';
import { Group } from './figure';
import { short } from '../shared/format';
import { Grid, Projection, middle } from './projection';

const names = ['x', 'y', 'z'];

function line(
  parent: Group,
  projection: Projection,
  from: Point3,
  to: Point3,
  className: string,
): void {
  const [x1, y1] = projection.at(from);
  const [x2, y2] = projection.at(to);
  parent
    .append('line')
    .attr('class', className)
    .attr('x1', x1)
    .attr('y1', y1)
    .attr('x2', x2)
    .attr('y2', y2);
}

// Lines on the plane axis = value, along both other axes.
function plane(
  parent: Group,
  projection: Projection,
  { extent, ticks }: Grid,
  axis: number,
  value: number,
): void {
  const [one, other] = [0, 1, 2].filter((i) => i !== axis);
  for (const [along, across] of [
    [one, other],
    [other, one],
  ]) {
    for (const tick of ticks[along]) {
      const from: Point3 = [0, 0, 0];
      from[axis] = value;
      from[along] = tick;
      const to: Point3 = [...from];
      from[across] = extent.low[across];
      to[across] = extent.high[across];
      line(parent, projection, from, to, axis === 2 ? 'grid floor' : 'grid wall');
    }
  }
}

// Tick labels on the edge along `axis` through `corner`, on the side away from the middle of the box.
function edge(
  parent: Group,
  projection: Projection,
  grid: Grid,
  axis: number,
  corner: Point3,
  unlabelled = NaN,
): void {
  const on = (value: number): [number, number] => {
    const point: Point3 = [...corner];
    point[axis] = value;
    return projection.at(point);
  };
  const { low, high } = grid.extent;
  const [start, end] = [on(low[axis]), on(high[axis])];
  parent
    .append('line')
    .attr('class', 'edge')
    .attr('x1', start[0])
    .attr('y1', start[1])
    .attr('x2', end[0])
    .attr('y2', end[1]);
  const length = Math.hypot(end[0] - start[0], end[1] - start[1]);
  if (length < 30) return; // seen end-on

  const centre = projection.at(middle(grid.extent));
  let [nx, ny] = [(start[1] - end[1]) / length, (end[0] - start[0]) / length];
  const half = [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2];
  if (nx * (half[0] - centre[0]) + ny * (half[1] - centre[1]) < 0) [nx, ny] = [-nx, -ny];
  const anchor = nx < -0.5 ? 'end' : nx > 0.5 ? 'start' : 'middle';

  const ticks = grid.ticks[axis];
  const spacing = length / Math.max(1, ticks.length - 1);
  const every = Math.ceil((axis === 2 ? 18 : 38) / spacing);
  ticks.forEach((tick, i) => {
    const [x, y] = on(tick);
    parent
      .append('line')
      .attr('class', 'edge')
      .attr('x1', x)
      .attr('y1', y)
      .attr('x2', x + 5 * nx)
      .attr('y2', y + 5 * ny);
    if (i % every !== 0 || tick === unlabelled) return;
    parent
      .append('text')
      .attr('class', 'tick-text')
      .attr('x', x + 9 * nx)
      .attr('y', y + 13 * ny)
      .attr('dy', '0.32em')
      .attr('text-anchor', anchor)
      .text(short(tick));
  });
  const away = anchor === 'middle' ? 40 : 46;
  parent
    .append('text')
    .attr('class', 'axis-label')
    .attr('x', half[0] + away * nx)
    .attr('y', half[1] + (away - 8) * ny)
    .attr('dy', '0.32em')
    .attr('text-anchor', anchor)
    .text(`${names[axis]} [m]`);
}

export function drawSceneBox(parent: Group, projection: Projection, grid: Grid): void {
  const { low, high } = grid.extent;
  const { toward } = projection.basis;
  const near = [0, 1].map((axis) => (toward[axis] > 0 ? high[axis] : low[axis]));
  const far = [0, 1].map((axis) => (toward[axis] > 0 ? low[axis] : high[axis]));
  plane(parent, projection, grid, 2, low[2]);
  plane(parent, projection, grid, 0, far[0]);
  plane(parent, projection, grid, 1, far[1]);
  edge(parent, projection, grid, 0, [0, near[1], low[2]]);
  // Where both meet, one label is enough.
  const ticks = grid.ticks[1];
  edge(
    parent,
    projection,
    grid,
    1,
    [near[0], 0, low[2]],
    near[1] === low[1] ? ticks[0] : ticks[ticks.length - 1],
  );
  // Heights stand at the left outline of the box; at its foot is the other axis's label.
  const sides: Point3[] = [
    [near[0], far[1], 0],
    [far[0], near[1], 0],
  ];
  const [one, other] = sides.map((side) => projection.x(side[0], side[1]));
  edge(parent, projection, grid, 2, one < other ? sides[0] : sides[1], low[2]);
}
