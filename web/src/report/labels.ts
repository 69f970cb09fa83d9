// SPDX-License-Identifier: Apache-2.0
// Names of series in the slice that is shown: only what differs within it.
import { Report, Series } from './data';

const withoutLink = 'without the link';

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
    const isBare = i === choice.primary && choice.bare && !isAside;
    return [axes[i].values[value]?.[isBare ? 'text' : 'name'] ?? ''];
  });
  if (isAside) return [withoutLink, ...parts].join(', ');
  return parts.join(', ') || series.label;
}
