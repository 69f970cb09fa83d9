// SPDX-License-Identifier: Apache-2.0
// End-effector paths in three dimensions: drag turns, wheel and pinch zoom, an inset magnifies the largest difference.
import { drag } from 'd3-drag';
import { pointer } from 'd3-selection';
import { ZoomTransform, zoom, zoomIdentity } from 'd3-zoom';

import { Paints } from './paints';
import { Path, Point3, Series, isTame } from './data';
import { button, select } from '../shared/dom';
import { Figure, Group, clipTo } from './figure';
import { quantity } from '../shared/format';
import { nearestOn } from './inset';
import { Place, drawInset, drawNoInset, largestDifference } from './inset_view';
import { Box } from '../shared/plot';
import {
  Extent,
  Grid,
  Projection,
  View,
  extentOf,
  fittingScale,
  gridOf,
  longestSide,
  middle,
  staysWithin,
} from './projection';
import { Content, drawPaths, drawShadow, drawWaypoints } from './scene';
import { drawSceneBox } from './scene_box';
import { Selection } from './selection';
import { hideTip, showTip } from '../shared/tooltip';

const radiansPerPixel = 0.008;
const narrow = 560; // pixels: less has no room for an inset beside the paths

class PathsFigure {
  private readonly home: View;
  private view: View;
  private transform: ZoomTransform = zoomIdentity;
  private fitsAll = false;
  private insetAt = 0; // 0: the largest difference, n: waypoint n
  private projection: Projection | null = null;
  private readonly zoomed = zoom<SVGSVGElement, unknown>();

  constructor(
    readonly figure: Figure,
    private readonly selection: Selection,
    private readonly paints: Paints,
  ) {
    this.home = selection.report.figures.paths!.view;
    this.view = { ...this.home };
    figure.draws((width) => this.draw(width));
    selection.onChange(() => figure.redrawSoon());
    this.addControls();
    this.addGestures();
  }

  private addControls(): void {
    const { plan } = this.selection.report;
    if (plan && plan.waypoints.length) {
      const options = ['largest difference', ...plan.waypoints.map((_, i) => `waypoint ${i + 1}`)];
      this.figure.controls.append(
        select('inset:', options, 0, (index) => {
          this.insetAt = index;
          this.figure.redraw();
        }),
      );
    }
    this.figure.controls.append(
      button('+', 'Zoom in', () => this.zoomBy(1.4)),
      button('−', 'Zoom out', () => this.zoomBy(1 / 1.4)),
      button('reset view', 'Reset the view', () => this.reset()),
    );
  }

  private addGestures(): void {
    const { svg } = this.figure;
    const node = svg.node()!;
    node.setAttribute('tabindex', '0');
    svg.call(
      drag<SVGSVGElement, unknown>()
        .filter((event) => !event.ctrlKey && !event.button && (event.touches?.length ?? 1) === 1)
        .on('start', () => {
          node.focus({ preventScroll: true });
          hideTip();
        })
        .on('drag', (event) => {
          if (event.sourceEvent.touches?.length > 1) return;
          this.turn(-event.dx * radiansPerPixel, event.dy * radiansPerPixel);
        }),
    );
    // The wheel scrolls the page until the figure has been clicked.
    this.zoomed
      .scaleExtent([0.4, 400])
      .filter((event) =>
        event.type === 'wheel'
          ? event.ctrlKey || document.activeElement === node
          : event.touches?.length > 1,
      )
      .on('zoom', (event) => {
        this.transform = event.transform;
        this.figure.redrawSoon();
      });
    svg
      .call(this.zoomed)
      .on('dblclick.zoom', null)
      .on('dblclick', () => this.reset())
      .on('keydown', (event: KeyboardEvent) => this.key(event))
      .on('pointermove', (event: PointerEvent) => this.hover(event))
      .on('pointerleave', hideTip);
  }

  private key(event: KeyboardEvent): void {
    const turns: Record<string, [number, number]> = {
      ArrowLeft: [0.08, 0],
      ArrowRight: [-0.08, 0],
      ArrowUp: [0, 0.08],
      ArrowDown: [0, -0.08],
    };
    if (turns[event.key]) this.turn(...turns[event.key]);
    else if (event.key === '+' || event.key === '=') this.zoomBy(1.4);
    else if (event.key === '-') this.zoomBy(1 / 1.4);
    else if (event.key === '0' || event.key === 'Home') this.reset();
    else return;
    event.preventDefault();
  }

  private turn(azimuth: number, elevation: number): void {
    this.view = {
      azimuth: this.view.azimuth + azimuth,
      elevation: Math.max(-0.2, Math.min(Math.PI / 2, this.view.elevation + elevation)),
    };
    this.figure.redrawSoon();
  }

  private zoomBy(factor: number): void {
    const box = this.layout(Number(this.figure.svg.attr('width'))).main;
    this.zoomed.scaleBy(this.figure.svg, factor, [box.x + box.width / 2, box.y + box.height / 2]);
  }

  private reset(): void {
    this.view = { ...this.home };
    this.zoomed.transform(this.figure.svg, zoomIdentity);
    this.figure.redrawSoon();
  }

  private layout(width: number): { main: Box; inset: Box; height: number } {
    if (width < narrow) {
      // the inset below, with room for its words
      const main: Box = { x: 0, y: 0, width, height: Math.round(0.8 * width) };
      const side = Math.round(0.72 * width);
      const inset: Box = { x: 1, y: main.height + 14, width: side, height: side };
      return { main, inset, height: inset.y + side + 92 };
    }
    const side = Math.round(Math.max(190, Math.min(340, 0.3 * width)));
    const main: Box = { x: 0, y: 0, width: width - side - 16, height: 0 };
    main.height = Math.round(Math.max(side + 110, Math.min(620, 0.68 * main.width)));
    return {
      main,
      inset: { x: width - side - 1, y: 14, width: side, height: side },
      height: main.height,
    };
  }

  // The frame: plan and what stayed tame, or everything that is drawn.
  private grid(): Grid {
    const { plan } = this.selection.report;
    const points: Point3[] = plan ? [...plan.waypoints, ...(plan.start ? [plan.start] : [])] : [];
    const paths = (wanted: (series: Series) => boolean): Path[] => [
      ...(plan ? [plan.path] : []),
      ...this.selection
        .candidates()
        .filter((series) => series.path && wanted(series))
        .map((series) => series.path!),
    ];
    const isOn = (series: Series) => this.selection.isOn(series);
    const tame = extentOf(paths(isTame), points);
    const all = extentOf(paths(isOn), points) ?? tame;
    // Runs that swing near the plan belong into the picture even if they are unstable.
    const isNear = tame && all && longestSide(all) <= 1.5 * longestSide(tame);
    return gridOf(
      (this.fitsAll || isNear ? all : tame) ?? all ?? { low: [0, 0, 0], high: [1, 1, 1] },
    );
  }

  private place(): Place | null {
    const { plan } = this.selection.report;
    const found = largestDifference(this.selection);
    if (this.insetAt === 0 || !plan) return found;
    return {
      centre: plan.waypoints[this.insetAt - 1],
      halfWidth: found?.halfWidth || 0.01,
      words: [`waypoint ${this.insetAt}`],
      base: null,
    };
  }

  private draw(width: number): void {
    const { svg } = this.figure;
    const { main, inset, height } = this.layout(width);
    const grid = this.grid();
    this.figure.clear(width, height);
    const plan = this.selection.planIsOn ? this.selection.report.plan : null;
    const content: Content = { plan, series: this.selection.drawOrder(), paints: this.paints };

    // room for the words of the axes, most of it on the left
    const [air, right] = width < narrow ? [124, 24] : [104, 14];
    const fit = fittingScale(grid.extent, this.view, main.width - air, main.height - 84);
    const [cx, cy] = this.transform.apply([
      main.x + main.width / 2 + right,
      main.y + main.height / 2 - 8,
    ]);
    const projection = new Projection(
      this.view,
      fit * this.transform.k,
      middle(grid.extent),
      cx,
      cy,
    );
    this.projection = projection;
    const inside: Group = svg
      .append('g')
      .attr('clip-path', clipTo(svg, main.x, main.y, main.width, main.height));
    inside
      .append('rect')
      .attr('class', 'catcher')
      .attr('width', main.width)
      .attr('height', main.height);
    drawSceneBox(inside, projection, grid);
    if (plan) drawShadow(inside, projection, plan, grid.extent.low[2]);
    drawPaths(inside, projection, content);
    if (plan) drawWaypoints(inside, projection, plan);

    const place = this.place();
    if (place && place.halfWidth === 0) drawNoInset(this.figure, inset, place);
    else if (place && inset.width / (2 * place.halfWidth) > 1.5 * projection.scale) {
      // What it is compared with belongs into it, drawn elsewhere or not.
      const { base } = place;
      const series =
        base && !content.series.includes(base) ? [base, ...content.series] : content.series;
      drawInset(this.figure, projection, main, this.view, inset, place, { ...content, series });
    }
    this.tellLeavers(grid.extent);
  }

  private tellLeavers(frame: Extent): void {
    if (this.fitsAll) {
      this.figure.setNote(
        'The box holds every path.',
        'fit the plan',
        () => this.setFit(false),
        false,
      );
      return;
    }
    const gone = this.selection
      .visible()
      .filter((series) => series.path && !staysWithin(series.path, frame));
    const names = gone.map((series) => this.selection.labelOf(series));
    this.figure.noteLeavers(names, () => this.setFit(true));
  }

  private setFit(all: boolean): void {
    this.fitsAll = all;
    this.figure.redraw();
  }

  // The sample nearest to the pointer on the screen.
  private hover(event: PointerEvent): void {
    if (event.buttons !== 0 || !this.projection) return;
    const [px, py] = pointer(event, this.figure.svg.node());
    let best: { series: Series; sample: number; distance: number } | null = null;
    for (const series of this.selection.visible()) {
      const { path } = series;
      if (!path) continue;
      for (let i = 0; i < path.x.length; ++i) {
        const dx = this.projection.x(path.x[i], path.y[i]) - px;
        if (Math.abs(dx) > 14) continue;
        const distance = Math.hypot(dx, this.projection.y(path.x[i], path.y[i], path.z[i]) - py);
        if (distance < 14 && (!best || distance < best.distance))
          best = { series, sample: i, distance };
      }
    }
    const { main } = this.layout(Number(this.figure.svg.attr('width')));
    if (!best || px > main.width || py > main.height) {
      hideTip();
      return;
    }
    const { series, sample } = best;
    const point: Point3 = [series.path!.x[sample], series.path!.y[sample], series.path!.z[sample]];
    const { plan } = this.selection.report;
    const lines = ['x', 'y', 'z'].map((label, i) => ({ label, value: `${point[i].toFixed(4)} m` }));
    if (plan)
      lines.push({
        label: 'off the plan',
        value: quantity(nearestOn(plan.path, point).distance, 'm', 3),
      });
    showTip(
      event,
      `${this.selection.labelOf(series)}, t = ${(series.startS + sample * series.periodS).toFixed(3)} s`,
      lines,
    );
  }
}

export function makePathsFigure(selection: Selection, paints: Paints): HTMLElement | null {
  const info = selection.report.figures.paths;
  if (!info) return null;
  const figure = new Figure(
    'fig-paths',
    info,
    'Drag to turn; click, then turn the wheel (or pinch, or + and −) to zoom; double-click to reset.',
  );
  new PathsFigure(figure, selection, paints);
  return figure.root;
}
