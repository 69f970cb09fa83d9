// SPDX-License-Identifier: Apache-2.0
// The magnified inset of the paths figure: where it looks, its drawing, its scale bar and its mark in the main view.
import { Point3, Series, isTame } from './data';
import { Figure, Group, clipTo } from './figure';
import { quantity } from '../shared/format';
import { roundLength } from './inset';
import { Box, fitText } from '../shared/plot';
import { Projection, View } from './projection';
import { Content, drawPaths } from './scene';
import { Selection } from './selection';

export interface Place {
  centre: Point3;
  halfWidth: number; // m; 0: there is nothing to magnify
  words: string[];
  base: Series | null; // what it was compared with
}

// Where the visible tame series are furthest from their base; unstable ones only if there is no other.
export function largestDifference(selection: Selection): Place | null {
  const { report } = selection;
  const { differences } = report.figures.paths!;
  const drawn = selection.visible().filter(({ index }) => differences[index]);
  const tame = drawn.filter(isTame);
  const far = (series: Series) => differences[series.index]!.distance_m;
  const [first, ...others] = tame.length ? tame : drawn;
  if (!first) return null;
  const series = others.reduce((best, one) => (far(one) > far(best) ? one : best), first);
  const found = differences[series.index]!;
  const base = found.base === null ? null : report.series[found.base];
  const [distance, from, time] = found.words;
  const isCyan = base !== null && !selection.isOn(base);
  const other = `${selection.labelOf(series)} ${isCyan ? from.replace(',', ' (cyan),') : from}`;
  return {
    centre: found.centre_m,
    halfWidth: found.is_seen ? 1.3 * found.distance_m : 0,
    base,
    words: found.is_seen ? [distance, other, time] : found.words,
  };
}

// In place of the inset: that there is nothing to magnify.
export function drawNoInset(figure: Figure, box: Box, { words }: Place): void {
  words.forEach((line, i) =>
    figure.svg
      .append('text')
      .attr('class', 'inset-words')
      .attr('x', box.x)
      .attr('y', box.y + 14 + 16 * i)
      .text(line),
  );
}

// The main view's mark, the frame, the paths near the place, and a bar of round length.
export function drawInset(
  figure: Figure,
  main: Projection,
  mainBox: Box,
  view: View,
  box: Box,
  place: Place,
  content: Content,
): void {
  const { svg } = figure;
  const side = box.width;
  const scale = side / (2 * place.halfWidth);
  const magnification = scale / main.scale;
  const projection = new Projection(view, scale, place.centre, box.x + side / 2, box.y + side / 2);
  drawMark(
    svg.append('g').attr('class', 'inset-mark'),
    main.at(place.centre),
    side / magnification,
    box,
    mainBox,
  );

  svg
    .append('rect')
    .attr('class', 'inset-paper')
    .attr('x', box.x)
    .attr('y', box.y)
    .attr('width', side)
    .attr('height', side);
  const inside: Group = svg
    .append('g')
    .attr('class', 'inset')
    .attr('clip-path', clipTo(svg, box.x, box.y, side, side));
  drawPaths(inside, projection, content, { centre: place.centre, radius: 5 * place.halfWidth });
  svg
    .append('rect')
    .attr('class', 'inset-frame')
    .attr('x', box.x)
    .attr('y', box.y)
    .attr('width', side)
    .attr('height', side);

  // Bar in the lower left corner.
  const length = roundLength((0.35 * side) / scale);
  const [x, y] = [box.x + 12, box.y + side - 12];
  svg
    .append('path')
    .attr('class', 'scale-bar')
    .attr('d', `M${x},${y - 4}V${y}H${x + length * scale}V${y - 4}`);
  svg
    .append('text')
    .attr('class', 'scale-text')
    .attr('x', x + (length * scale) / 2)
    .attr('y', y - 7)
    .attr('text-anchor', 'middle')
    .text(quantity(length, 'm'));
  const factor =
    magnification >= 10 ? Math.round(magnification) : Number(magnification.toPrecision(2));
  const lines = [
    `magnified ×${factor.toLocaleString('en').replaceAll(',', '\u202f')}`,
    ...place.words,
  ];
  lines.forEach((line, i) => {
    const text = svg
      .append('text')
      .attr('class', i === 0 ? 'inset-title' : 'inset-words')
      .attr('x', box.x)
      .attr('y', box.y + side + 18 + 16 * i);
    fitText(text, line, isBelow(box, mainBox) ? mainBox.width - box.x : side);
  });
}

function drawMark(
  parent: Group,
  [cx, cy]: [number, number],
  size: number,
  inset: Box,
  main: Box,
): void {
  const isInside =
    cx > main.x && cx < main.x + main.width && cy > main.y && cy < main.y + main.height;
  if (!isInside) return;
  const half = Math.max(4, size / 2);
  parent
    .append('rect')
    .attr('class', 'mark-box')
    .attr('x', cx - half)
    .attr('y', cy - half)
    .attr('width', 2 * half)
    .attr('height', 2 * half);
  const leaders = isBelow(inset, main)
    ? [
        [cx - half, cy + half, inset.x, inset.y],
        [cx + half, cy + half, inset.x + inset.width, inset.y],
      ]
    : [
        [cx + half, cy - half, inset.x, inset.y],
        [cx + half, cy + half, inset.x, inset.y + inset.height],
      ];
  for (const [x1, y1, x2, y2] of leaders) {
    parent
      .append('line')
      .attr('class', 'leader')
      .attr('x1', x1)
      .attr('y1', y1)
      .attr('x2', x2)
      .attr('y2', y2);
  }
}

const isBelow = (inset: Box, main: Box): boolean => inset.y >= main.y + main.height;
