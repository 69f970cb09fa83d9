// SPDX-License-Identifier: Apache-2.0
// Cumulated difference of the velocity commands to the reference's, over time, on a linear or logarithmic axis.
import { Paints } from './paints';
import { select } from '../shared/dom';
import { Figure } from './figure';
import { Selection } from './selection';
import { TimePanels } from './time_panels';
import { addWholeTime } from './velocity_figure';

export function makeCumulatedFigure(selection: Selection, paints: Paints): HTMLElement | null {
  const { report } = selection;
  if (!report.series.some((series) => series.cumulated?.length)) return null;
  const figure = new Figure(
    'fig-cumulated',
    'Cumulated difference of the velocity commands to the reference',
    'Integral over time of the absolute difference between a run’s velocity commands and those of the reference, ' +
      `summed over the joints, in rad.${selection.firstSeedWords('Curves')}`,
  );
  const panels = new TimePanels(figure, selection, paints, {
    panels: [{ title: '', values: (series) => series.cumulated }],
    unit: 'rad',
    yLabel: 'cumulated difference [rad]',
    panelHeight: 330,
    labelsAtEnd: true,
    holdStartS: report.plan?.holdStartS ?? null,
  });
  figure.controls.append(
    select('axis:', ['linear', 'logarithmic'], 0, (index) => {
      panels.isLog = index === 1;
      figure.redraw();
    }),
  );
  addWholeTime(figure, selection);
  return figure.root;
}
