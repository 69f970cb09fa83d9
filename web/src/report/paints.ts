// SPDX-License-Identifier: Apache-2.0
// Which colour and dash each series of a report has.
import { Theme, hues } from '../shared/colours';
import { Report, Series, isTame, pointKey } from './data';

const dashes = ['none', '7 3', '2 2.5', '9 3 2 3', '4 2', '12 3'];

export interface Paint {
  colour: string;
  dash: string;
}

// Colour by the value on the axis that series are compared along, dashes by the others.
export class Paints {
  private combinations: string[] = [];

  constructor(private readonly report: Report) {}

  // Dashes tell only those combinations of the further axes apart that may be drawn together.
  setCandidates(series: Series[]): void {
    this.combinations = [
      ...new Set(series.filter((one) => one.point.length).map((one) => this.otherKey(one.point))),
    ];
  }

  private otherKey(point: number[]): string {
    return pointKey(point.filter((_, axis) => axis !== this.report.primary));
  }

  of(series: Series): Paint {
    const combination = Math.max(0, this.combinations.indexOf(this.otherKey(series.point)));
    const dash = dashes[combination % dashes.length];
    if (series.isReference) return { colour: 'var(--reference)', dash };
    return { colour: `var(--value-${series.point[this.report.primary] ?? 0})`, dash };
  }

  // Custom properties for one theme; figures only name them, so that a change of theme redraws nothing.
  properties(theme: Theme): string {
    const listed = (name: string, colours: string[]) =>
      colours.map((colour, i) => `--${name}-${i}:${colour};`).join('');
    return listed('hue', hues[theme]) + listed('value', this.report.colours[theme]);
  }
}

export const seriesClass = (series: Series): string =>
  `series${series.isReference ? ' reference' : ''}${isTame(series) ? '' : ' wild'}`;
