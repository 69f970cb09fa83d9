// SPDX-License-Identifier: Apache-2.0
// Reads the report's data from the page and builds the page from it.
import { makeAbout, makeHead } from './about';
import { Paints } from './paints';
import { RawReport, Report, TimeFigureInfo, decodeReport } from './data';
import { element } from '../shared/dom';
import { startFigures } from './figure';
import { makeLegend } from './legend';
import { makeLinkFigure } from './link_figure';
import { makeMarginFigure } from './margin_figure';
import { makeMarginTable } from './margin_table';
import { makeMetricChart } from './metric_chart';
import { makeMetricTable } from './metric_table';
import { makeOutcomeFigure } from './outcome_figure';
import { makeMotionPart } from './motion_part';
import { makePathsFigure } from './paths_figure';
import { Selection } from './selection';
import { makeThemeButton } from '../shared/theme';
import { makeTimeFigure } from './time_figures';

// Two parts beside each other where the window is wide.
function sideBySide(left: HTMLElement | null, right: HTMLElement | null): HTMLElement | null {
  return left && right ? element('div', { class: 'side-by-side' }, left, right) : (left ?? right);
}

function buildPage(main: HTMLElement, report: Report): void {
  document.title = report.title || 'Longarm report';
  const paints = new Paints(report);
  const selection = new Selection(report);
  paints.setCandidates(selection.candidates());
  selection.onChange(() => paints.setCandidates(selection.candidates()));
  const legend = report.series.length ? makeLegend(selection, paints) : null;
  const theme = makeThemeButton((theme) => paints.properties(theme));
  const head = makeHead(report);
  head.append(theme);
  const overTime = () =>
    Object.entries(report.figures).flatMap(([id, info]) =>
      info && 'panels' in info
        ? [makeTimeFigure(`fig-${id}`, info as TimeFigureInfo, selection, paints)]
        : [],
    );
  // In reading order, which is also the order of the figures' numbers.
  const parts = [
    head,
    legend,
    sideBySide(makePathsFigure(selection, paints), makeMotionPart(selection, paints)),
    makeOutcomeFigure(report),
    ...overTime(),
    makeMetricChart(selection, paints),
    makeMetricTable(report),
    makeLinkFigure(selection, paints),
    makeMarginFigure(report),
    makeMarginTable(report),
    makeAbout(report),
  ];
  main.replaceChildren(...parts.filter((part): part is HTMLElement => part !== null));
  startFigures();
}

const main = document.getElementById('report')!;
try {
  buildPage(
    main,
    decodeReport(
      JSON.parse(document.getElementById('report-data')!.textContent ?? '{}') as RawReport,
    ),
  );
} catch (error) {
  main.replaceChildren(
    element(
      'p',
      { class: 'failure', role: 'alert' },
      `This report cannot be shown. ${error instanceof Error ? error.message : String(error)}`,
    ),
  );
  console.error(error);
}
