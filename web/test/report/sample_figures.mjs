// SPDX-License-Identifier: Apache-2.0
// Describes the figures of sample data as the program would: axes with titles, panels, lines, signs and frames.

const several = (axis) => axis.values.length > 1;
const hues = ['#d55e00', '#0072b2', '#008a63', '#b8588f', '#8a7500', '#5b3fa8'];

// Axes as they are shown: durations in milliseconds.
export function shownAxis({ key, unit, values }) {
  const isTime = unit === 's';
  return {
    key,
    title: isTime ? `${key} [ms]` : key,
    unit: isTime ? 'ms' : '',
    scale: isTime ? 1e3 : 1,
    is_numeric: values.length > 1 && values.every(({ number }) => number !== null),
    values: values.map(({ text, number }) => {
      const shown = isTime ? `${number * 1e3} ms` : text;
      const isNamed = number !== null && key !== 'link.delay';
      return { text: shown, name: isNamed ? `${key} ${shown}` : shown, number };
    }),
  };
}

const figure = (file, title) => ({ file, title, caption: `${title}.` });

function overTime(data, experiment) {
  const panels = (unit, list) => ({
    unit,
    up_title: unit,
    panel_height: 150,
    panels: list.map(({ label, name }) => ({ title: list.length > 1 ? label : '', curve: name })),
  });
  if (experiment) {
    const units = [...new Set(experiment.curves.map(({ unit }) => unit))];
    return units.map((unit, i) => [
      `curves-${i + 1}`,
      {
        ...figure(`curves-${i + 1}`, unit),
        ...panels(
          unit,
          experiment.curves.filter((curve) => curve.unit === unit),
        ),
      },
    ]);
  }
  const has = (name) => data.series.some(({ curves }) => curves[name]);
  const joints = data.joints
    .map((label) => ({ label, name: `velocity_command.${label}` }))
    .filter(({ name }) => has(name));
  const cumulated = 'cumulated_velocity_command_difference';
  return [
    ...(joints.length
      ? [['velocity', { ...figure('velocity-commands', 'Velocities'), ...panels('rad/s', joints) }]]
      : []),
    ...(has(cumulated)
      ? [
          [
            'cumulated',
            {
              ...figure('cumulated-difference', 'Cumulated'),
              ...panels('rad', [{ name: cumulated }]),
            },
          ],
        ]
      : []),
  ];
}

// Each series is said to be furthest from the plan at its first waypoint.
const paths = ({ plan, series }) => ({
  view: { azimuth: -Math.PI / 3, elevation: 0.44 },
  differences: series.map(({ is_reference }, i) =>
    is_reference || !plan
      ? null
      : {
          distance_m: 0.001 * (1 + i),
          is_seen: true,
          centre_m: plan.waypoints_m[0],
          words: [`largest distance: ${1 + i} mm,`, 'from the plan,', 'at t = 1.40 s'],
          base: null,
        },
  ),
});

function metric(data, experiment) {
  const numeric = data.axes.findIndex((axis) => axis.is_numeric);
  const axis = numeric >= 0 ? numeric : experiment ? data.axes.findIndex(several) : -1;
  if (axis < 0 || data.rows.length < 2 || !data.columns.length) return null;
  const closed = data.columns.map(({ expected }) => expected);
  const metrics = data.columns.flatMap(({ name, label, unit, scale }, column) => {
    if (closed.includes(name)) return [];
    const means = data.rows.flatMap(({ cells }) => Math.abs(cells[column]?.mean ?? 0) * scale);
    const floor = 1e-6 * Math.max(...means);
    const clear = means.filter((mean) => mean > floor);
    const isLog = Boolean(experiment) && Math.max(...clear) > 30 * Math.min(...clear);
    return [{ column, title: `${label} [${unit}]`, is_log: isLog, floor, words: ', as sampled.' }];
  });
  const over = data.axes.flatMap((each, index) => {
    if (index !== axis && !(experiment && several(each))) return [];
    const others = data.axes.map((_, i) => i).filter((i) => i !== index && several(data.axes[i]));
    const lines = new Map();
    data.rows.forEach(({ point }, row) => {
      const name = others.map((i) => data.axes[i].values[point[i]].name).join(', ');
      const value = others.length === 1 && others[0] === data.primary ? point[others[0]] : null;
      const line = lines.get(name) ?? { name, value, rows: [] };
      lines.set(name, line);
      line.rows.push(row);
    });
    return [{ axis: index, is_log: false, lines: [...lines.values()] }];
  });
  const first = metrics.findIndex(
    ({ column }) => data.columns[column].name !== experiment?.outcome,
  );
  return { ...figure('metrics', 'Metrics'), first, axis, floor_words: ' Floor.', metrics, over };
}

function outcome(data, experiment) {
  const column = data.columns.findIndex(({ name }) => name === experiment?.outcome);
  if (column < 0 || !data.axes.some(several)) return null;
  const names = ['yes', 'no', 'mixed', 'undecided', 'diverged', 'open'];
  const colours = ['stable', 'unstable', 'undecided', 'undecided', 'unstable', 'soft'];
  const marks = ['●', '✕', '◐', '?', '▲', ''];
  const of = ({ n, verdicts, cells }) => {
    if (verdicts.unstable === n) return 4;
    const mean = cells[column]?.mean;
    return mean === undefined ? 3 : mean === 1 ? 0 : mean === 0 ? 1 : 2;
  };
  return {
    ...figure('outcome', 'A map'),
    column,
    across: 1,
    up: 2,
    signs: names.map((name, i) => ({ name, mark: marks[i], words: name, colour: colours[i] })),
    of_rows: data.rows.map(of),
  };
}

function margins(data) {
  if (!data.margins.some(({ tried }) => tried.length)) return null;
  const frame = (end) => ({
    ...{ end_s: end, unit: 'ms', scale: 1e3, constant: 0.1, low: -20, high: 60 },
    ticks: [-10, -1, 0, 1, 10],
  });
  return {
    ...figure('margin', 'Stability'),
    margins: data.margins.map((margin) => {
      const most = Math.max(...margin.tried.map(({ latency_s }) => latency_s));
      return {
        title: `${margin.cut}, ${margin.direction === 'both' ? 'both ways' : margin.direction}`,
        across_title: 'latency',
        found: `simulated ${margin.critical_s * 1e3} ms`,
        closed_form: margin.closed_form_s === null ? 'no closed form' : 'closed form',
        is_at_limit: Boolean(margin.is_at_limit),
        near: frame(Math.min(1.05 * most, 2.2 * margin.critical_s)),
        all: frame(1.05 * most),
      };
    }),
  };
}

// The same data with everything that the program says of its figures.
export function described(raw, experiment = null) {
  const data = { ...raw, axes: raw.axes.map(shownAxis) };
  const link = data.axes.findIndex(({ key }) => key.startsWith('link.'));
  const words = data.axes.findIndex((axis) => several(axis) && !axis.is_numeric);
  data.primary = Math.max(0, experiment && words >= 0 ? words : link);
  data.focus = data.axes.map((_, i) => (i === data.primary ? null : 0));
  const count = data.axes[data.primary]?.values.length ?? 1;
  const colours = Array.from({ length: count }, (_, i) => hues[i % hues.length]);
  data.colours = { light: colours, dark: colours };
  const series = data.series;
  const hasLink = series.some(({ link: one }) => one && (one.states || one.commands));
  const hasPaths = data.plan || series.some(({ curves }) => curves['end_effector.x']);
  data.figures = Object.fromEntries(
    Object.entries({
      paths: hasPaths ? { ...figure('paths', 'Paths'), ...paths(data) } : null,
      ...Object.fromEntries(overTime(data, experiment)),
      outcome: outcome(data, experiment),
      metric: metric(data, experiment),
      links: hasLink ? figure('links', 'Delays') : null,
      margin: margins(data),
    }).filter(([, info]) => info),
  );
  return data;
}
