// SPDX-License-Identifier: Apache-2.0
// Panels over one time axis: all visible series overlaid, crosshair with values, drag to zoom in time.
import { scaleLinear, scaleLog } from 'd3-scale';
import { pointer } from 'd3-selection';

import { style } from '../shared/colours';
import { Paints, seriesClass } from './paints';
import { Series, TimeFigureInfo, isTame } from './data';
import { Figure, Group, clipTo } from './figure';
import { short } from '../shared/format';
import { Box, Scale, drawAxes, fitText, linePath, padded, spreadLabels } from '../shared/plot';
import { Selection } from './selection';
import { hideTip, showTip } from '../shared/tooltip';

type Panel = TimeFigureInfo['panels'][0];

interface Drawn {
  panel: Panel;
  box: Box;
  x: Scale;
  y: Scale;
  group: Group;
}

const top = 24;
const left = 64;
const gapBelow = 12;
const roomForAxis = 44;

export class TimePanels {
  isLog = false;
  sharedY = false;
  fitsAll = false;
  private drawn: Drawn[] = [];
  private dragFrom: number | null = null;

  constructor(
    private readonly figure: Figure,
    private readonly selection: Selection,
    private readonly paints: Paints,
    private readonly info: TimeFigureInfo,
  ) {
    figure.draws((width) => this.draw(width));
    selection.onChange(() => figure.redrawSoon());
    figure.svg
      .on('pointermove', (event: PointerEvent) => this.hover(event))
      .on('pointerleave', () => this.leave())
      .on('pointerdown', (event: PointerEvent) => this.startDrag(event))
      .on('pointerup', (event: PointerEvent) => this.endDrag(event))
      .on('dblclick', () => selection.setTimeWindow(null));
  }

  // As long as the runs that are drawn; references outlast those that ran away.
  private fullTime(): [number, number] {
    const drawn = this.selection.visible();
    const runs = drawn.filter((series) => !series.isReference);
    const counted = [runs, drawn, this.selection.candidates()].find((some) => some.length) ?? [];
    const ends = counted.map(({ startS, periodS, count }) => startS + periodS * (count - 1));
    return [0, Math.max(0, ...ends) || 1];
  }

  // Samples of a series within the time window, one more on either side.
  private range(series: Series, length: number): [number, number] {
    const [from, to] = this.selection.timeWindow ?? this.fullTime();
    const first = Math.floor((from - series.startS) / series.periodS);
    const last = Math.ceil((to - series.startS) / series.periodS);
    return [Math.max(0, first), Math.min(length - 1, last)];
  }

  private extent(panels: Panel[], wanted: (series: Series) => boolean): [number, number] {
    let low = Infinity;
    let high = -Infinity;
    for (const series of this.selection.candidates().filter(wanted)) {
      for (const panel of panels) {
        const values = series.curves[panel.curve];
        if (!values) continue;
        const [first, last] = this.range(series, values.length);
        for (let i = first; i <= last; ++i) {
          const value = values[i];
          if (!Number.isFinite(value) || (this.isLog && value <= 0)) continue;
          if (value < low) low = value;
          if (value > high) high = value;
        }
      }
    }
    return [low, high];
  }

  private frame(panels: Panel[]): [number, number] {
    const isOn = (series: Series) => this.selection.isOn(series);
    let [low, high] = this.extent(
      panels,
      (series) => isOn(series) && (this.fitsAll || this.isLog || isTame(series)),
    );
    // Runs that swing, but not beyond all measure, belong into the picture.
    const all = this.extent(panels, isOn);
    if (low > high || all[1] - all[0] <= style.roomForWild * (high - low)) [low, high] = all;
    if (low > high) return this.isLog ? [0.1, 1] : [0, 1];
    if (!this.isLog && this.info.panels.length > 1) {
      // A joint that only rounds is drawn as one at rest.
      const whole = this.extent(this.info.panels, isOn);
      const span = whole[1] - whole[0];
      if (high - low < style.atRest * span) return [low - 0.01 * span, high + 0.01 * span];
    }
    // A logarithmic axis has room for all; five decades below the top little is of interest.
    if (this.isLog) return [Math.max(low, high * 1e-5) * 0.8, high * 1.25];
    return padded(low, high);
  }

  private leavers(): Series[] {
    return this.selection.visible().filter((series) =>
      this.drawn.some(({ panel, y }) => {
        const values = series.curves[panel.curve];
        if (!values) return false;
        const [low, high] = y.domain();
        const [first, last] = this.range(series, values.length);
        for (let i = first; i <= last; ++i) {
          if (values[i] > high || (!this.isLog && values[i] < low) || Number.isNaN(values[i]))
            return true;
        }
        return false;
      }),
    );
  }

  private draw(width: number): void {
    const { panels, panel_height: panelHeight } = this.info;
    const labelsAtEnd = panels.length === 1;
    const columns = panels.length > 1 && width >= 640 ? 2 : 1;
    const rows = Math.ceil(panels.length / columns);
    const right = labelsAtEnd ? this.labelRoom(width) : 10;
    const columnWidth = width / columns;
    this.figure.clear(width, rows * (top + panelHeight + gapBelow) + roomForAxis - gapBelow);
    const shared = this.sharedY ? this.frame(panels) : null;
    this.drawn = panels.map((panel, i) => {
      const row = Math.floor(i / columns);
      const box: Box = {
        x: (i % columns) * columnWidth + left,
        y: row * (top + panelHeight + gapBelow) + top,
        width: columnWidth - left - right,
        height: panelHeight,
      };
      const isLast = i + columns >= panels.length;
      return this.drawPanel(panel, box, shared ?? this.frame([panel]), isLast);
    });
    if (labelsAtEnd) this.drawLabels(this.drawn[0], right - 8);
    this.tellLeavers();
  }

  private labelRoom(width: number): number {
    const labels = this.selection.visible().map((series) => this.selection.labelOf(series));
    const longest = Math.max(0, ...labels.map((label) => label.length));
    return Math.min(Math.max(160, 0.26 * width), 30 + 7.4 * longest);
  }

  private drawPanel(panel: Panel, box: Box, frame: [number, number], isLast: boolean): Drawn {
    const x = scaleLinear(this.selection.timeWindow ?? this.fullTime(), [box.x, box.x + box.width]);
    const y = (this.isLog ? scaleLog() : scaleLinear())
      .domain(frame)
      .range([box.y + box.height, box.y]);
    const group: Group = this.figure.svg.append('g').attr('class', 'panel');
    drawAxes(group, box, x, y, {
      xLabel: isLast ? 'time [s]' : undefined,
      yLabel: this.info.up_title,
      hideXText: !isLast,
    });
    if (panel.title) {
      group
        .append('text')
        .attr('class', 'panel-title')
        .attr('x', box.x)
        .attr('y', box.y - 7)
        .text(panel.title);
    }
    const inside = group
      .append('g')
      .attr('clip-path', clipTo(this.figure.svg, box.x, box.y, box.width, box.height));
    const hold = this.selection.report.plan?.holdStartS ?? null;
    if (hold !== null) {
      inside
        .append('line')
        .attr('class', 'hold-line')
        .attr('x1', x(hold))
        .attr('x2', x(hold))
        .attr('y1', box.y)
        .attr('y2', box.y + box.height);
    }
    for (const series of this.selection.drawOrder()) {
      const values = series.curves[panel.curve];
      if (!values || values.length === 0) continue;
      const [first, last] = this.range(series, values.length);
      if (first > last) continue;
      const { colour, dash } = this.paints.of(series);
      inside
        .append('path')
        .attr('class', seriesClass(series))
        .attr('data-series', series.label)
        .style('stroke', colour)
        .style('stroke-dasharray', dash)
        .attr(
          'd',
          linePath(
            values,
            first,
            last,
            (i) => x(series.startS + i * series.periodS),
            (value) => (this.isLog && value <= 0 ? NaN : y(value)),
          ),
        );
    }
    group
      .append('line')
      .attr('class', 'crosshair')
      .attr('data-screen-only', '')
      .attr('y1', box.y)
      .attr('y2', box.y + box.height)
      .style('display', 'none');
    group
      .append('rect')
      .attr('class', 'time-brush')
      .attr('data-screen-only', '')
      .attr('y', box.y)
      .attr('height', box.height)
      .style('display', 'none');
    return { panel, box, x, y, group };
  }

  // Names at the right end of the curves, for readers who cannot tell the colours.
  private drawLabels({ panel, box, y, group }: Drawn, room: number): void {
    const ends = this.selection.visible().flatMap((series) => {
      const values = series.curves[panel.curve];
      if (!values || values.length === 0) return [];
      const [first, last] = this.range(series, values.length);
      let i = last;
      while (i > first && !Number.isFinite(values[i])) --i;
      const at = this.isLog && !(values[i] > 0) ? NaN : y(values[i]);
      return Number.isFinite(at)
        ? [{ series, at, arrow: at < box.y ? ' ↑' : at > box.y + box.height + 1 ? ' ↓' : '' }]
        : [];
    });
    const places = spreadLabels(
      ends.map(({ at }) => at),
      13,
      box.y + 4,
      box.y + box.height - 4,
    );
    ends.forEach(({ series, arrow }, i) => {
      const text = group
        .append('text')
        .attr('class', 'end-label')
        .attr('data-series', series.label)
        .attr('x', box.x + box.width + 6)
        .attr('y', places[i])
        .attr('dy', '0.32em')
        .style('fill', this.paints.of(series).colour);
      fitText(text, this.selection.labelOf(series) + arrow, room);
    });
  }

  private tellLeavers(): void {
    if (this.fitsAll && !this.isLog) {
      this.figure.setNote(
        'The axes show every value.',
        'fit the stable ones',
        () => this.setFit(false),
        false,
      );
      return;
    }
    const gone = this.leavers();
    const names = gone.map((series) => this.selection.labelOf(series));
    this.figure.noteLeavers(names, () => this.setFit(true));
  }

  private setFit(all: boolean): void {
    this.fitsAll = all;
    this.figure.redraw();
  }

  private under(event: PointerEvent): { drawn: Drawn; time: number } | null {
    const [px, py] = pointer(event, this.figure.svg.node());
    const drawn = this.drawn.find(
      ({ box }) =>
        px >= box.x &&
        px <= box.x + box.width &&
        py >= box.y - top &&
        py <= box.y + box.height + gapBelow,
    );
    return drawn ? { drawn, time: drawn.x.invert(px) } : null;
  }

  private hover(event: PointerEvent): void {
    const found = this.under(event);
    if (!found) {
      this.leave();
      return;
    }
    const { drawn, time } = found;
    for (const { x, group } of this.drawn) {
      group.select('.crosshair').style('display', null).attr('x1', x(time)).attr('x2', x(time));
      if (this.dragFrom !== null) this.showBrush(group, x(this.dragFrom), x(time));
    }
    const lines = this.selection.visible().flatMap((series) => {
      const values = series.curves[drawn.panel.curve];
      const value = values?.[Math.round((time - series.startS) / series.periodS)];
      if (value === undefined) return [];
      return [
        {
          label: this.selection.labelOf(series),
          value: `${short(value)}\u202f${this.info.unit}`,
          colour: this.paints.of(series).colour,
        },
      ];
    });
    const name = drawn.panel.title ? `${drawn.panel.title}, ` : '';
    showTip(event, `${name}t = ${time.toFixed(3)} s`, lines);
  }

  private showBrush(group: Group, one: number, other: number): void {
    group
      .select('.time-brush')
      .style('display', null)
      .attr('x', Math.min(one, other))
      .attr('width', Math.abs(other - one));
  }

  private leave(): void {
    hideTip();
    if (this.dragFrom !== null) return;
    for (const { group } of this.drawn) group.select('.crosshair').style('display', 'none');
  }

  private startDrag(event: PointerEvent): void {
    const found = this.under(event);
    if (!found || event.button !== 0) return;
    this.dragFrom = found.time;
    this.figure.svg.node()!.setPointerCapture(event.pointerId);
  }

  private endDrag(event: PointerEvent): void {
    const from = this.dragFrom;
    this.dragFrom = null;
    if (from === null) return;
    const [px] = pointer(event, this.figure.svg.node());
    const panel =
      this.drawn.find(({ box }) => px >= box.x - 70 && px <= box.x + box.width + 40) ??
      this.drawn[0];
    const [low, high] = panel.x.domain();
    const to = Math.max(low, Math.min(high, panel.x.invert(px)));
    for (const { group } of this.drawn) group.select('.time-brush').style('display', 'none');
    // A click, not a drag.
    if (Math.abs(panel.x(to) - panel.x(from)) < 5) return;
    this.selection.setTimeWindow([Math.min(from, to), Math.max(from, to)]);
  }
}
