// SPDX-License-Identifier: Apache-2.0
// The axis that a chart of metrics runs over: numbers in a unit that suits them, or words side by side.
import { scaleLinear, scaleLog } from 'd3-scale';

import { axisIsNumeric } from './axes';
import { Axis, Column, Report, Row } from './data';
import { Unit, keyWithUnit, unitFor, withUnit } from '../shared/format';
import { AxesOptions, Box, Scale, padded } from '../shared/plot';

const logFrom = 30; // times apart, and an axis is logarithmic
const noise = 1e-6; // of the largest: not worth a decade

// Whether numbers are all positive and far apart.
export function spansDecades(numbers: number[]): boolean {
  const used = numbers.filter(Number.isFinite);
  if (used.length < 2 || used.some((value) => value <= 0)) return false;
  return Math.max(...used) / Math.min(...used) >= logFrom;
}

// Up to here a number among these is zero, or rounding.
export function noiseFloor(numbers: number[]): number {
  return noise * Math.max(0, ...numbers.filter(Number.isFinite).map(Math.abs));
}

// What is left of numbers without zeros and rounding.
export function withoutNoise(numbers: number[]): number[] {
  const floor = noiseFloor(numbers);
  return numbers.filter((value) => Math.abs(value) > floor);
}

// Columns that a chart offers: a closed form is drawn beside what it is the closed form of.
export function chartColumns(columns: Column[]): number[] {
  const closed = new Set(columns.map(({ expected }) => expected).filter(Boolean));
  return columns.map((_, i) => i).filter((i) => !closed.has(columns[i].name));
}

export class MetricAxis {
  readonly unit: Unit;
  readonly isNumeric: boolean;
  readonly isLog: boolean;
  private readonly axis: Axis;

  constructor(
    report: Report,
    readonly index: number,
  ) {
    this.axis = report.axes[index];
    this.isNumeric = axisIsNumeric(this.axis);
    const numbers = this.axis.values.map((value) => Math.abs(value.number ?? 0));
    this.unit = this.isNumeric
      ? unitFor(this.axis.unit, Math.max(...numbers))
      : { name: '', scale: 1 };
    // Arms are drawn as they always were.
    this.isLog =
      report.experiment !== null &&
      this.isNumeric &&
      spansDecades(this.axis.values.map((value) => value.number!));
  }

  get key(): string {
    return this.axis.key;
  }

  // Where a row is drawn; null if nowhere.
  place(row: Row): number | null {
    const step = row.point[this.index];
    if (!this.isNumeric) return step;
    const number = this.axis.values[step]?.number;
    return number === null || number === undefined ? null : number * this.unit.scale;
  }

  scale(box: Box): Scale {
    const range = [box.x, box.x + box.width];
    const count = this.axis.values.length;
    if (!this.isNumeric) return scaleLinear([-0.5, count - 0.5], range);
    const numbers = this.axis.values.map((value) => value.number! * this.unit.scale);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    if (this.isLog) return scaleLog([low / 1.15, high * 1.15], range);
    return scaleLinear(padded(low, high, 0.04), range);
  }

  // A few numbers are their own ticks.
  private ownTicks(): AxesOptions {
    const numbers = this.axis.values.map((value) => value.number! * this.unit.scale);
    return { xTickValues: numbers.sort((a, b) => a - b) };
  }

  options(): AxesOptions {
    const xLabel = this.unit.name ? withUnit(this.key, this.unit.name) : keyWithUnit(this.key);
    const hasOwnTicks = this.isLog && this.axis.values.length <= 7;
    if (this.isNumeric) return hasOwnTicks ? { xLabel, ...this.ownTicks() } : { xLabel };
    return {
      xLabel,
      xTickValues: this.axis.values.map((_, i) => i),
      xTickText: (value) => this.axis.values[value]?.text ?? '',
    };
  }
}
