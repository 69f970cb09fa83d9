// SPDX-License-Identifier: Apache-2.0
// Figures over time, as the data describes them: one panel per curve, one time for all.
import { Paints } from './paints';
import { button, checkbox, select } from '../shared/dom';
import { TimeFigureInfo } from './data';
import { Figure } from './figure';
import { Selection } from './selection';
import { TimePanels } from './time_panels';

export function makeTimeFigure(
  id: string,
  info: TimeFigureInfo,
  selection: Selection,
  paints: Paints,
): HTMLElement {
  const figure = new Figure(
    id,
    info,
    'Drag to zoom in time, double-click for the whole time; figures over time are linked.',
  );
  figure.root.classList.add('over-time');
  const panels = new TimePanels(figure, selection, paints, info);
  figure.controls.append(
    select('axis:', ['linear', 'logarithmic'], 0, (index) => {
      panels.isLog = index === 1;
      figure.redraw();
    }),
  );
  if (info.panels.length > 1) {
    figure.controls.append(
      checkbox('same scale', false, (on) => {
        panels.sharedY = on;
        figure.redraw();
      }),
    );
  }
  // there while only a part of the time is shown
  const whole = button('whole time', 'Show the whole time again', () =>
    selection.setTimeWindow(null),
  );
  whole.hidden = true;
  selection.onChange(() => {
    whole.hidden = selection.timeWindow === null;
  });
  figure.controls.append(whole);
  return figure.root;
}
