// SPDX-License-Identifier: Apache-2.0
// The curves of an experiment over time: a figure per unit, a panel per curve.
import { Paints } from './paints';
import { Experiment } from './data';
import { checkbox, select } from '../shared/dom';
import { Figure } from './figure';
import { capital, withUnit } from '../shared/format';
import { Selection } from './selection';
import { TimePanels } from './time_panels';
import { addWholeTime } from './velocity_figure';

// Indices of the curves that share an axis, in the order of the list.
export function curveGroups({ curves }: Experiment): number[][] {
  const groups = new Map<string, number[]>();
  curves.forEach(({ unit }, i) => groups.set(unit, [...(groups.get(unit) ?? []), i]));
  return [...groups.values()];
}

function makeFigure(
  selection: Selection,
  paints: Paints,
  experiment: Experiment,
  group: number[],
  id: string,
): HTMLElement {
  const curves = group.map((i) => experiment.curves[i]);
  const { unit } = curves[0];
  const title = curves.map(({ label }) => label).join(', ');
  const figure = new Figure(
    id,
    capital(title.length > 90 ? `${curves[0].label} and ${curves.length - 1} more` : title),
    `Over simulated time${unit ? `, in ${unit}` : ''}.${selection.firstSeedWords('Curves')}`,
    'Drag to zoom in time, double-click for the whole time; figures over time are linked.',
  );
  figure.root.classList.add('over-time');
  const isOne = curves.length === 1;
  const panels = new TimePanels(figure, selection, paints, {
    panels: group.map((i) => ({
      title: isOne ? '' : experiment.curves[i].label,
      values: (series) => series.curves[i] ?? null,
    })),
    unit,
    yLabel: isOne ? withUnit(curves[0].label, unit) : unit,
    panelHeight: isOne ? 300 : 150,
    labelsAtEnd: isOne,
    holdStartS: null,
  });
  figure.controls.append(
    select('axis:', ['linear', 'logarithmic'], 0, (index) => {
      panels.isLog = index === 1;
      figure.redraw();
    }),
  );
  if (!isOne) {
    figure.controls.append(
      checkbox('same scale', false, (on) => {
        panels.sharedY = on;
        figure.redraw();
      }),
    );
  }
  addWholeTime(figure, selection);
  return figure.root;
}

export function makeCurveFigures(selection: Selection, paints: Paints): HTMLElement[] {
  const { experiment, series } = selection.report;
  if (!experiment) return [];
  return curveGroups(experiment)
    .filter((group) => series.some((one) => group.some((i) => one.curves[i]?.length)))
    .map((group, i) => makeFigure(selection, paints, experiment, group, `fig-curves-${i + 1}`));
}
