// SPDX-License-Identifier: Apache-2.0
// What the reader has chosen: series switched on, values of the further axes, the stretch of time, one series to stress.
import { style } from '../shared/colours';
import { Report, Row, Series, isTame } from './data';
import { sliceLabel } from './labels';

export const drawnAtFirst = style.mostDrawn;
const referencesAtFirst = 4;

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
  private readonly unticked = new Set<number>(); // by the reader, not because there are many
  private readonly filters = new Map<number, number | null>(); // null: every value
  stressed: string | null = null; // label of the series that the pointer is on in the legend
  private readonly listeners: (() => void)[] = [];
  private readonly stressListeners: (() => void)[] = [];

  constructor(readonly report: Report) {
    this.primary = report.primary;
    this.furtherAxes = report.axes
      .map((_, i) => i)
      .filter((i) => i !== this.primary && report.axes[i].values.length > 1);
    for (const axis of this.furtherAxes) this.filters.set(axis, this.firstChoice(axis));
    this.thinOut();
  }

  // Where the link does most, else the first that has curves.
  private firstChoice(axis: number): number {
    const { focus, series } = this.report;
    return focus[axis] ?? series.find(({ point }) => point.length > axis)?.point[axis] ?? 0;
  }

  private isOfSlice(values: (number | undefined)[]): boolean {
    return this.furtherAxes.every((axis) => {
      const wanted = this.filters.get(axis) ?? null;
      return wanted === null || values[axis] === undefined || values[axis] === wanted;
    });
  }

  // Many series are thinned out to a dozen; references have places of their own.
  private thinOut(): void {
    this.off.clear();
    this.unticked.clear();
    const thin = (some: Series[], chosen: Set<number>) =>
      some.forEach((series, i) => {
        if (!chosen.has(i)) this.off.add(series.index);
      });
    const others = this.candidates().filter((series) => !series.isReference);
    const references = this.candidates().filter((series) => series.isReference);
    thin(others, spreadChoice(others.length, drawnAtFirst));
    // A crowd of references explains nothing.
    if (others.length && references.length > referencesAtFirst) thin(references, new Set());
  }

  // Series that the filters let through, on or off.
  candidates(): Series[] {
    return this.report.series.filter((series) => this.isOfSlice(series.slice));
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

  // Whether the reader has switched it off; what is off because there are many is not.
  isUnticked(series: Series): boolean {
    return this.unticked.has(series.index);
  }

  // Whether a row belongs to the slice that is shown, whatever its value on `free`.
  showsRow(row: Row, free: number): boolean {
    return this.isOfSlice(row.point.map((value, i) => (i === free ? undefined : value)));
  }

  // What a series is called in this slice; `bare` where the name of its axis stands beside it.
  labelOf(series: Series, bare = false): string {
    // What series are compared along comes first: where room is short it is the end that is cut.
    const isFree = (axis: number) => this.filters.get(axis) === null;
    const shown = [this.primary, ...this.furtherAxes.filter(isFree)];
    const isOfSlice = this.isOfSlice(series.point);
    return sliceLabel(this.report, series, { primary: this.primary, shown, isOfSlice, bare });
  }

  private switch(series: Series, on: boolean): void {
    if (on) this.off.delete(series.index);
    else this.off.add(series.index);
    if (on) this.unticked.delete(series.index);
    else this.unticked.add(series.index);
  }

  setOn(series: Series, on: boolean): void {
    this.switch(series, on);
    this.changed();
  }

  setPlan(on: boolean): void {
    this.planIsOn = on;
    this.changed();
  }

  setAll(on: boolean): void {
    this.planIsOn = on;
    for (const series of this.candidates()) this.switch(series, on);
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

  // The reference that a series is compared with: the one of the same cell. A run that is itself the reference is
  // its own.
  referenceOf(series: Series): Series | null {
    if (series.isReference) return series;
    const agrees = (one: Series) =>
      one.slice.every(
        (value, axis) =>
          value === undefined ||
          value === series.point[axis] ||
          (axis === this.primary && one.point.length > 0),
      );
    return this.report.series.find((one) => one.isReference && agrees(one)) ?? null;
  }

  // "Motions are those of …" where every point was run several times.
  firstSeedWords(what: string): string {
    const { repeats } = this.report;
    return repeats && repeats.count > 1
      ? ` ${what} are those of the first ${repeats.key} of ${repeats.count}.`
      : '';
  }

  setStressed(label: string | null): void {
    if (label === this.stressed) return;
    this.stressed = label;
    for (const listener of this.stressListeners) listener();
  }

  onStress(listener: () => void): void {
    this.stressListeners.push(listener);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
