// SPDX-License-Identifier: Apache-2.0
// Checks of what only the reports of experiments have: a figure per unit of its curves, a map of its outcome.

const several = (data) => (data.axes ?? []).filter((axis) => axis.values.length > 1);

// Figures over time: the curves of each unit, in the order of the list.
export const curveFigures = (data) =>
  Object.entries(data.figures)
    .filter(([id]) => id.startsWith('curves-'))
    .map(([id, { unit, panels }]) => ({ id: `fig-${id}`, unit, panels: panels.length }));

export const hasOutcome = (data) =>
  Boolean(data.experiment?.outcome) &&
  data.columns.some(({ name }) => name === data.experiment.outcome) &&
  several(data).length > 0 &&
  data.rows.length > 1;

async function hoverProblem(page, { id, unit }) {
  const frame = page.locator(`#${id} .plot-frame`).first();
  await frame.evaluate((node) => node.scrollIntoView({ block: 'center' }));
  const box = await frame.boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.5);
  const text = await page
    .locator('#tip')
    .innerText({ timeout: 2000 })
    .catch(() => '');
  await page.mouse.move(2, 2);
  const isTold = /t = [\d.]+ s/.test(text) && text.includes(unit);
  return isTold ? [] : [`hovering over #${id} shows no value in ${unit}: ${text}`];
}

// Every row has its cell in the map, with a sign; what is not there has an empty one.
async function outcomeProblems(page, data) {
  const cells = await page.evaluate(() =>
    [...document.querySelectorAll('#fig-outcome .outcome')].map((cell) => ({
      point: cell.dataset.point,
      outcome: cell.dataset.outcome,
      sign: cell.querySelector('text').textContent,
    })),
  );
  const problems = [];
  const column = data.columns.findIndex(({ name }) => name === data.experiment.outcome);
  const size = (data.axes ?? []).reduce((product, axis) => product * axis.values.length, 1);
  if (cells.length !== size) problems.push(`${cells.length} cells of a map for ${size} points`);
  for (const row of data.rows) {
    const found = cells.find((cell) => cell.point === row.point.join(','));
    const mean = row.cells[column]?.mean;
    const isDiverged = (row.verdicts.unstable ?? 0) === row.n;
    const expected = isDiverged
      ? 'diverged'
      : mean === undefined
        ? 'undecided'
        : ({ 0: 'no', 1: 'yes' }[mean] ?? 'mixed');
    if (found?.outcome !== expected || !found.sign)
      problems.push(`row ${row.point} is ${JSON.stringify(found)} in the map, not ${expected}`);
  }
  return problems;
}

export async function experimentProblems(page, data) {
  const problems = [];
  for (const figure of curveFigures(data)) {
    const panels = await page.locator(`#${figure.id} .panel`).count();
    if (panels !== figure.panels)
      problems.push(`#${figure.id} has ${panels} panels for ${figure.panels} curves`);
    problems.push(...(await hoverProblem(page, figure)));
  }
  if (hasOutcome(data)) problems.push(...(await outcomeProblems(page, data)));
  if (data.columns.some((column) => column.is_of_machine)) {
    const words = await page.locator('#table-metrics').innerText();
    if (!words.includes('--threads 1')) problems.push('nobody says that speed is the machine’s');
  }
  return problems;
}
