// SPDX-License-Identifier: Apache-2.0
// Names of series in the slice that is shown: only what differs within it.
import { axisIsNumeric, isLinkAxis } from './axes';
import { Axis, Report, Series } from './data';

const withoutLink = 'without the link';

// "gain 60", "control.period 2 ms"; the link's own axis and words need no name.
export function valueName(axis: Axis, value: number, isPrimary: boolean): string {
  const text = axis.values[value]?.text ?? '';
  if (!axisIsNumeric(axis) || (isPrimary && isLinkAxis(axis))) return text;
  return `${axis.key.replace(/^link\./, '')} ${text}`;
}

export interface LabelChoice {
  primary: number;
  shown: number[]; // axes along which the slice's series differ
  isOfSlice: boolean; // whether the series lies in the slice itself
  bare?: boolean; // the name of the primary axis stands already beside it
}

export function sliceLabel(report: Report, series: Series, choice: LabelChoice): string {
  const { axes } = report;
  const isAside = series.point.length === 0 || (series.isReference && !choice.isOfSlice);
  if (isAside && !series.isReference) return series.label;
  const isOwn = series.slice.some((value) => value !== undefined);
  if (!series.point.length && !isOwn) return series.label;
  const parts = choice.shown.flatMap((i) => {
    const value = isAside ? series.slice[i] : series.point[i];
    if (value === undefined) return [];
    const isPrimary = i === choice.primary;
    if (isPrimary && choice.bare && !isAside) return [axes[i].values[value]?.text ?? ''];
    return [valueName(axes[i], value, isPrimary)];
  });
  if (isAside) return [withoutLink, ...parts].join(', ');
  return parts.join(', ') || series.label;
}
