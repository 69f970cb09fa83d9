// SPDX-License-Identifier: Apache-2.0
// Velocity commands per joint over time, one panel per joint.
import { Paints } from './paints';
import { button, checkbox } from '../shared/dom';
import { Figure } from './figure';
import { Selection } from './selection';
import { TimePanels } from './time_panels';

export function makeVelocityFigure(selection: Selection, paints: Paints): HTMLElement | null {
  const { report } = selection;
  const joints = report.joints.filter((_, i) =>
    report.series.some((series) => series.velocity[i]?.length),
  );
  if (joints.length === 0) return null;
  const hold = report.plan?.holdStartS ?? null;
  const figure = new Figure(
    'fig-velocity',
    'Velocity commands per joint',
    'Velocity that the position loop commands each joint, over simulated time, in rad/s.' +
      (hold === null ? '' : ' The dotted line marks the end of the plan and the start of the hold.') +
      selection.firstSeedWords('Curves'),
    'Drag to zoom in time, double-click for the whole time; figures over time are linked.',
  );
  const panels = new TimePanels(figure, selection, paints, {
    panels: joints.map((title) => {
      const joint = report.joints.indexOf(title);
      return { title, values: (series) => series.velocity[joint] ?? null };
    }),
    unit: 'rad/s',
    yLabel: 'rad/s',
    panelHeight: joints.length > 1 ? 132 : 260,
    labelsAtEnd: false,
    holdStartS: hold,
  });
  if (joints.length > 1) {
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

// A button that is there while only a part of the time is shown.
export function addWholeTime(figure: Figure, selection: Selection): void {
  const whole = button('whole time', 'Show the whole time again', () =>
    selection.setTimeWindow(null),
  );
  whole.hidden = true;
  selection.onChange(() => {
    whole.hidden = selection.timeWindow === null;
  });
  figure.controls.append(whole);
}
