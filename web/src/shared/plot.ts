// SPDX-License-Identifier: Apache-2.0
// What two-dimensional charts share: axes with grid, lines thinned to the pixels, labels kept apart.
import { axisBottom, axisLeft } from 'd3-axis';
import { ScaleContinuousNumeric } from 'd3-scale';
import { BaseType, Selection as D3Selection } from 'd3-selection';

import { style } from './colours';
import { short } from './format';

export type Group = D3Selection<SVGGElement, unknown, null, undefined>;
export type Scale = ScaleContinuousNumeric<number, number>;
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const farAway = 20_000; // pixels; renderers lose precision beyond

// SVG path data of values[i] at x(i), i in [first, last]; broken where a value is no number. More than two samples per
// pixel become the lowest and the highest in each, so that no spike is lost.
export function linePath(
  values: ArrayLike<number>,
  first: number,
  last: number,
  x: (i: number) => number,
  y: (value: number) => number,
): string {
  const parts: string[] = [];
  let isOpen = false;
  const put = (i: number) => {
    const at = y(values[i]);
    if (!Number.isFinite(at)) {
      isOpen = false;
      return;
    }
    const bounded = Math.max(-farAway, Math.min(farAway, at));
    parts.push(`${isOpen ? 'L' : 'M'}${x(i).toFixed(1)},${bounded.toFixed(1)}`);
    isOpen = true;
  };
  const pixels = Math.max(1, Math.abs(x(last) - x(first)));
  const step = (last - first + 1) / pixels;
  if (step <= 2) {
    for (let i = first; i <= last; ++i) put(i);
    return parts.join('');
  }
  for (let start = first; start <= last; start += step) {
    const from = Math.ceil(start);
    const to = Math.min(last, Math.ceil(start + step) - 1);
    let low = from;
    let high = from;
    for (let i = from; i <= to; ++i) {
      if (!Number.isFinite(values[i])) {
        low = high = i;
        break;
      }
      if (values[i] < values[low]) low = i;
      if (values[i] > values[high]) high = i;
    }
    if (low > last) break;
    put(Math.min(low, high));
    if (low !== high) put(Math.max(low, high));
  }
  return parts.join('');
}

export interface AxesOptions {
  xLabel?: string;
  yLabel?: string;
  xTicks?: number;
  yTicks?: number;
  hideXText?: boolean;
  xTickValues?: number[];
  xTickText?: (value: number) => string;
  yTickValues?: number[];
  yTickText?: (value: number) => string;
}

// Digits enough that no two ticks read the same.
export function tickDigits(ticks: number[]): number {
  let digits = 4;
  while (digits < 10 && new Set(ticks.map((tick) => short(tick, digits))).size < ticks.length)
    ++digits;
  return digits;
}

// Puts the text in, cut with an ellipsis to `room` pixels; the whole of it is told on hover.
export function fitText<E extends BaseType>(
  node: D3Selection<SVGTextElement, unknown, E, unknown>,
  text: string,
  room: number,
): void {
  node.text(text);
  const length = node.node()!.getComputedTextLength();
  if (length <= room) return;
  let kept = Math.max(1, Math.floor((text.length * room) / length));
  do node.text(`${text.slice(0, kept).trimEnd()}…`);
  while (node.node()!.getComputedTextLength() > room && --kept > 1);
  node.append('title').text(text);
}

// Ticks of a logarithmic scale that leave room for their text: powers of ten, with 2 and 5 where there are few of them.
function logTicks(scale: Scale): number[] | null {
  if (!('base' in scale)) return null;
  const [low, high] = scale.domain();
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const stride = Math.max(1, Math.ceil((last - first) / 8));
  const ticks: number[] = [];
  for (let power = first; power <= last; power += stride) ticks.push(10 ** power);
  if (ticks.length > 3) return ticks;
  const fine = [first - 1, ...ticks.map((_, i) => first + i)].flatMap((power) =>
    [1, 2, 5].map((times) => times * 10 ** power),
  );
  const inside = fine.filter((tick) => tick >= low && tick <= high);
  return inside.length >= 2 ? inside : scale.ticks(4);
}

export function drawAxes(
  parent: Group,
  box: Box,
  x: Scale,
  y: Scale,
  options: AxesOptions = {},
): void {
  const xTicks =
    options.xTickValues ??
    logTicks(x) ??
    x.ticks(options.xTicks ?? Math.max(3, box.width / style.tickAcross));
  const yTicks =
    options.yTickValues ??
    logTicks(y) ??
    y.ticks(options.yTicks ?? Math.max(3, box.height / style.tickUp));
  const [xDigits, yDigits] = [tickDigits(xTicks), tickDigits(yTicks)];
  const xText = options.xTickText ?? ((value: number) => short(value, xDigits));
  const yText = options.yTickText ?? ((value: number) => short(value, yDigits));
  const bottom = axisBottom(x)
    .tickValues(xTicks)
    .tickSize(-box.height)
    .tickPadding(6)
    .tickFormat((value) => xText(value.valueOf()));
  const left = axisLeft(y)
    .tickValues(yTicks)
    .tickSize(-box.width)
    .tickPadding(6)
    .tickFormat((value) => yText(value.valueOf()));
  const xAxis = parent
    .append('g')
    .attr('class', 'axis x-axis')
    .attr('transform', `translate(0,${box.y + box.height})`)
    .call(bottom);
  if (options.hideXText) xAxis.selectAll('text').remove();
  parent
    .append('g')
    .attr('class', 'axis y-axis')
    .attr('transform', `translate(${box.x},0)`)
    .call(left);
  parent
    .append('rect')
    .attr('class', 'plot-frame')
    .attr('x', box.x)
    .attr('y', box.y)
    .attr('width', box.width)
    .attr('height', box.height);
  if (options.xLabel) {
    parent
      .append('text')
      .attr('class', 'axis-label')
      .attr('x', box.x + box.width / 2)
      .attr('y', box.y + box.height + 34)
      .attr('text-anchor', 'middle')
      .text(options.xLabel);
  }
  if (options.yLabel) {
    const longest = Math.max(0, ...yTicks.map((tick) => yText(tick).length));
    const away = Math.min(56, Math.max(38, 15 + 6.3 * longest));
    parent
      .append('text')
      .attr('class', 'axis-label')
      .attr('text-anchor', 'middle')
      .attr('transform', `translate(${box.x - away},${box.y + box.height / 2}) rotate(-90)`)
      .text(options.yLabel);
  }
}

// Moves positions apart to at least `gap`, within [low, high], keeping their order; as little as a sweep down and a
// sweep up can.
export function spreadLabels(wanted: number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b] || a - b);
  const placed = wanted.map((at) => Math.max(low, Math.min(high, at)));
  order.forEach((i, rank) => {
    if (rank > 0) placed[i] = Math.max(placed[i], placed[order[rank - 1]] + gap);
  });
  let limit = high;
  for (const i of [...order].reverse()) {
    placed[i] = Math.min(placed[i], limit);
    limit = placed[i] - gap;
  }
  return placed;
}

// [low, high] with some air; never empty.
export function padded(low: number, high: number, part = style.air): [number, number] {
  if (!(low <= high)) return [0, 1];
  if (low === 0 && high === 0) return [-1, 1]; // a flat line, not noise under a microscope
  const air = high > low ? part * (high - low) : Math.abs(low) * 0.1;
  return [low - air, high + air];
}
