// SPDX-License-Identifier: Apache-2.0
// What the reader has chosen: series switched on, values of the further axes, the stretch of time, one series to stress.
import { Report, Series, axisIsNumeric, isTame, primaryAxis } from './data';

export const drawnAtFirst = 12;

// Which of `count` ordered series to show at first: all, or `most` spread evenly with both ends.
export function spreadChoice(count: number, most: number): Set<number> {
  if (count <= most) return new Set(Array.from({ length: count }, (_, i) => i));
  return new Set(
    Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / (most - 1))),
  );
}

export class Selection {
  readonly primary: number;
  readonly furtherAxes: number[]; // with more than one value
  planIsOn = true;
  timeWindow: [number, number] | null = null;
  private readonly off = new Set<number>();
  private readonly filters = new Map<number, number | null>(); // null: every value
  private readonly listeners: (() => void)[] = [];

  constructor(readonly report: Report) {
    this.primary = primaryAxis(report.axes);
    this.furtherAxes = report.axes
      .map((_, i) => i)
      .filter((i) => i !== this.primary && report.axes[i].values.length > 1);
    for (const axis of this.furtherAxes) this.filters.set(axis, this.firstChoice(axis));
    this.thinOut();
  }

  // The value the scenario itself has, where the axis says so; else the first that has curves.
  private firstChoice(axis: number): number {
    const { key, values } = this.report.axes[axis];
    const own =
      key === 'cut' ? values.findIndex((value) => value.text === this.report.about.cut) : -1;
    if (own >= 0) return own;
    return this.report.series.find((series) => series.point.length > axis)?.point[axis] ?? 0;
  }

  private passes(series: Series): boolean {
    return this.furtherAxes.every((axis) => {
      const wanted = this.filters.get(axis);
      return (
        wanted === null ||
        wanted === undefined ||
        series.point[axis] === undefined ||
        series.point[axis] === wanted
      );
    });
  }

  private thinOut(): void {
    this.off.clear();
    const others = this.candidates().filter((series) => !series.isReference);
    const room = drawnAtFirst - (this.candidates().length - others.length);
    const chosen = spreadChoice(others.length, Math.max(2, room));
    others.forEach((series, i) => {
      if (!chosen.has(i)) this.off.add(series.index);
    });
  }

  // Series that the filters let through, on or off.
  candidates(): Series[] {
    return this.report.series.filter((series) => this.passes(series));
  }

  visible(): Series[] {
    return this.candidates().filter((series) => !this.off.has(series.index));
  }

  // Those visible from the bottom to the top of a drawing: what swings wildly may not hide the rest.
  drawOrder(): Series[] {
    const rank = (series: Series) => (!isTame(series) ? 0 : series.isReference ? 1 : 2);
    return [...this.visible()].sort((a, b) => rank(a) - rank(b));
  }

  isOn(series: Series): boolean {
    return !this.off.has(series.index);
  }

  setOn(series: Series, on: boolean): void {
    if (on) this.off.delete(series.index);
    else this.off.add(series.index);
    this.changed();
  }

  setPlan(on: boolean): void {
    this.planIsOn = on;
    this.changed();
  }

  setAll(on: boolean): void {
    this.planIsOn = on;
    for (const series of this.candidates()) {
      if (on) this.off.delete(series.index);
      else this.off.add(series.index);
    }
    this.changed();
  }

  filter(axis: number): number | null {
    return this.filters.get(axis) ?? null;
  }

  setFilter(axis: number, value: number | null): void {
    this.filters.set(axis, value);
    this.thinOut();
    this.changed();
  }

  setTimeWindow(window: [number, number] | null): void {
    this.timeWindow = window;
    this.changed();
  }

  // The reference that a series is compared with: the one that agrees with it on the further axes. A run that is
  // itself the reference is its own.
  referenceOf(series: Series): Series | null {
    if (series.isReference) return series;
    const references = this.report.series.filter((one) => one.isReference);
    const agrees = (one: Series) =>
      this.furtherAxes.every(
        (axis) => one.point[axis] === undefined || one.point[axis] === series.point[axis],
      );
    return references.find(agrees) ?? references[0] ?? null;
  }

  // The axis that charts of metrics run over.
  numericAxis(): number | null {
    const axis = this.report.axes[this.primary];
    return axisIsNumeric(axis) && axis.values.length > 1 ? this.primary : null;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
