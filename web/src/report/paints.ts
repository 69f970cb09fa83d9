// SPDX-License-Identifier: Apache-2.0
// Which colour and dash each series of a report has.
import { Theme, hues, rampColour } from '../shared/colours';
import { axisIsNumeric, primaryAxis } from './axes';
import { Report, Series, isTame, pointKey } from './data';

const dashes = ['none', '7 3', '2 2.5', '9 3 2 3', '4 2', '12 3'];

export interface Paint {
  colour: string;
  dash: string;
}

// Colour by the value on the axis that series are compared along, dashes by the others.
export class Paints {
  private readonly primary: number;
  private combinations: string[] = [];
  private readonly count: number;
  readonly isOrdered: boolean;

  constructor(report: Report) {
    this.primary = primaryAxis(report);
    const axis = report.axes[this.primary];
    this.isOrdered = axisIsNumeric(axis);
    this.count = axis ? axis.values.length : 1;
  }

  // Dashes tell only those combinations of the further axes apart that may be drawn together.
  setCandidates(series: Series[]): void {
    this.combinations = [
      ...new Set(series.filter((one) => one.point.length).map((one) => this.otherKey(one.point))),
    ];
  }

  private otherKey(point: number[]): string {
    return pointKey(point.filter((_, axis) => axis !== this.primary));
  }

  of(series: Series): Paint {
    const combination = Math.max(0, this.combinations.indexOf(this.otherKey(series.point)));
    const dash = dashes[combination % dashes.length];
    if (series.isReference) return { colour: 'var(--reference)', dash };
    return { colour: `var(--value-${series.point[this.primary] ?? 0})`, dash };
  }

  // Custom properties for one theme; figures only name them, so that a change of theme redraws nothing.
  properties(theme: Theme): string {
    const lines = hues[theme].map((hue, i) => `--hue-${i}:${hue};`);
    for (let i = 0; i < this.count; ++i) {
      const t = this.count > 1 ? i / (this.count - 1) : 0.5;
      const colour =
        this.isOrdered || this.count > hues[theme].length ? rampColour(theme, t) : hues[theme][i];
      lines.push(`--value-${i}:${colour};`);
    }
    return lines.join('');
  }
}

export const seriesClass = (series: Series): string =>
  `series${series.isReference ? ' reference' : ''}${isTame(series) ? '' : ' wild'}`;
