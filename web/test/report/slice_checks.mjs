// SPDX-License-Identifier: Apache-2.0
// Checks of the slice that a report shows: all of its points, and no series of another one.

export const legendEntries = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('#legend label.entry')].map((label) => ({
      label: label.dataset.series,
      isOn: label.querySelector('input').checked,
    })),
  );

// Index of the value that is chosen on each further axis, null for all.
const chosenValues = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll('#legend label.choice')].map((label) => {
        const box = label.querySelector('select');
        const isAll = box.selectedIndex === box.options.length - 1;
        const key = label.firstChild.textContent.trim().replace(/:$/, '');
        return [key, isAll ? null : box.selectedIndex];
      }),
    ),
  );

// Every row of the slice has its point in the chart of metrics, however few curves are drawn.
export async function metricPointProblems(page, data) {
  // A closed form is no metric to choose: it is drawn beside what it is the closed form of.
  const closed = data.columns.map(({ expected }) => expected);
  const offered = data.columns
    .map((_, i) => i)
    .filter((i) => !closed.includes(data.columns[i].name));
  const { chosenColumn, points } = await page.evaluate(() => ({
    chosenColumn: document.querySelector('#fig-metric .controls select').selectedIndex,
    points: [...document.querySelectorAll('#fig-metric .dot:not(.faint)')].map(
      (dot) => dot.dataset.point,
    ),
  }));
  const column = offered[chosenColumn];
  const chosen = await chosenValues(page);
  const missing = data.rows.filter(
    (row) =>
      row.cells[column] &&
      data.axes.every(({ key }, i) => (chosen[key] ?? row.point[i]) === row.point[i]) &&
      !points.includes(row.point.join(',')),
  );
  return missing.map((row) => `row ${row.point} has no point in the chart of metrics`);
}

// Runs without the link are in the legend of their own slice only.
export async function referenceProblems(page, data) {
  const problems = [];
  const lookAt = async () => {
    const chosen = await chosenValues(page);
    const labels = (await legendEntries(page)).map((entry) => entry.label);
    for (const { key, values } of data.axes.filter((axis) => (chosen[axis.key] ?? null) !== null)) {
      for (const [index, { text }] of values.entries()) {
        if (index === chosen[key]) continue;
        const strangers = labels.filter((label) => `${label},`.includes(`, ${key} ${text},`));
        for (const label of strangers)
          problems.push(`"${label}" is shown where ${key} is ${values[chosen[key]].text}`);
      }
    }
  };
  const boxes = page.locator('#legend label.choice select');
  for (let i = 0; i < (await boxes.count()); ++i) {
    const count = (await boxes.nth(i).locator('option').count()) - 1;
    const before = await boxes.nth(i).evaluate((box) => box.selectedIndex);
    for (const value of [...Array(count).keys(), before]) {
      await boxes.nth(i).selectOption({ index: value });
      await lookAt();
    }
  }
  return problems;
}
