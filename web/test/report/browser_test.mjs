// SPDX-License-Identifier: Apache-2.0
// Opens a report in Chromium as a reader would, offline, and checks that it works; prints every number it shows as JSON.
//   node browser_test.mjs REPORT.html [--screenshots FOLDER] > values.json
// The browser is $CHROMIUM or /usr/bin/chromium. Exit code 1 and words on stderr if something is wrong.
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { isOfBrowser, openBrowser } from '../view/browser.mjs';

import { curveFigures, experimentProblems, hasOutcome } from './experiment_checks.mjs';
import { checkWithoutWebGl, motionProblems } from './motion_checks.mjs';
import { legendEntries, metricPointProblems, referenceProblems } from './slice_checks.mjs';

const problems = [];
const check = (isTrue, words) => {
  if (!isTrue) problems.push(words);
};

// Figures are drawn anew in the next frame, which a busy machine may be slow to show.
async function eventually(isTrue, words) {
  for (let tries = 0; tries < 100; ++tries) {
    if (await isTrue()) return;
    await new Promise((done) => {
      setTimeout(done, 50);
    });
  }
  problems.push(words);
}

// What the file itself holds, to know what the page must show.
function dataOf(file) {
  const html = readFileSync(file, 'utf8');
  const found = /<script type="application\/json" id="report-data">([\s\S]*?)<\/script>/.exec(html);
  return JSON.parse(found[1]);
}

async function openPage(browser, file, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  await context.setOffline(true);
  const page = await context.newPage();
  const name = JSON.stringify(options);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isOfBrowser(message.text()))
      problems.push(`${name}: console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`${name}: error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url()))
      problems.push(`${name}: asked for ${request.url()}`);
  });
  await page.goto(pathToFileURL(resolve(file)).href, { timeout: 120_000 });
  await page.waitForSelector('#about');
  return page;
}

// Figures and tables that the data calls for are there; the others are not.
async function checkParts(page, data) {
  const series = data.series ?? [];
  const expected = {
    // what the program describes, and what its data calls for
    ...Object.fromEntries(Object.keys(data.figures).map((id) => [`fig-${id}`, true])),
    'fig-paths': Boolean(data.plan) || series.some((one) => one.curves['end_effector.x']),
    'fig-velocity': data.joints.some((joint) =>
      series.some((one) => one.curves[`velocity_command.${joint}`]),
    ),
    'fig-cumulated': series.some((one) => one.curves.cumulated_velocity_command_difference),
    'fig-outcome': hasOutcome(data),
    motion: Boolean(data.motion),
    'table-metrics': (data.rows ?? []).length > 0,
    'fig-links': series.some((one) => one.link && (one.link.states || one.link.commands)),
    'fig-margin': (data.margins ?? []).some((margin) => margin.tried.length > 0),
    'table-margins': (data.margins ?? []).length > 0 || (data.margin_remarks ?? []).length > 0,
  };
  for (const id of Object.keys(expected)) expected[id] = Boolean(expected[id]);
  for (const [id, isExpected] of Object.entries(expected)) {
    const count = await page.locator(`#${id}`).count();
    check(
      count === (isExpected ? 1 : 0),
      `#${id} is there ${count} times, expected ${isExpected ? 1 : 0}`,
    );
  }
  return expected;
}

const drawnSeries = (page, id) =>
  page.evaluate(
    (figure) => [
      ...new Set(
        [...document.querySelectorAll(`#${figure} svg [data-series]`)].map(
          (node) => node.dataset.series,
        ),
      ),
    ],
    id,
  );

// Every figure with curves shows the series the legend has switched on, with something to see.
async function checkSeries(page, data, parts) {
  const entries = await legendEntries(page);
  const on = entries.filter((entry) => entry.isOn).map((entry) => entry.label);
  // A dozen, the plan, and a few references.
  check(on.length <= 17, `${on.length} series are drawn at first`);
  for (const id of ['fig-paths', 'fig-velocity'].filter((figure) => parts[figure])) {
    const drawn = await drawnSeries(page, id);
    for (const label of on.filter((one) => id === 'fig-paths' || one !== 'planned path')) {
      check(drawn.includes(label), `#${id} does not draw "${label}"`);
    }
  }
  const empty = await page.evaluate(
    () =>
      [...document.querySelectorAll('svg path.series')].filter(
        (path) => !path.closest('.inset') && !path.getAttribute('d'),
      ).length,
  );
  check(empty === 0, `${empty} curves are empty`);
  if (!parts['fig-velocity']) return;
  const panels = await page.locator('#fig-velocity .panel').count();
  check(panels === data.joints.length, `${panels} panels for ${data.joints.length} joints`);
}

async function checkHover(page, id) {
  const frame = page.locator(`#${id} .plot-frame`).first();
  await frame.evaluate((node) => node.scrollIntoView({ block: 'center' }));
  const box = await frame.boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.5);
  const tip = page.locator('#tip');
  if (!(await tip.isVisible())) {
    problems.push(`hovering over #${id} shows nothing`);
    return;
  }
  const text = await tip.innerText();
  check(
    /t = [\d.]+ s/.test(text) && /\d\s*rad/.test(text),
    `hovering over #${id} shows no value: ${text}`,
  );
  await page.mouse.move(2, 2);
  check(await tip.isHidden(), `the values of #${id} stay after the pointer has left`);
}

const tickTexts = (page, id) =>
  page.evaluate(
    (figure) =>
      [...document.querySelectorAll(`#${figure} .x-axis text`)]
        .map((node) => node.textContent)
        .join(' '),
    id,
  );

// Drag in one panel zooms every figure over time; double-click undoes it.
async function checkTimeZoom(page, parts) {
  const figures = ['fig-velocity', 'fig-cumulated'].filter((id) => parts[id]);
  const before = await Promise.all(figures.map((id) => tickTexts(page, id)));
  const frame = page.locator('#fig-velocity .plot-frame').first();
  await frame.evaluate((node) => node.scrollIntoView({ block: 'center' }));
  const box = await frame.boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  for (const [i, id] of figures.entries()) {
    await eventually(
      async () => (await tickTexts(page, id)) !== before[i],
      `dragging does not zoom #${id}`,
    );
  }
  await page.mouse.dblclick(box.x + box.width * 0.5, box.y + box.height / 2);
  for (const [i, id] of figures.entries()) {
    await eventually(
      async () => (await tickTexts(page, id)) === before[i],
      `double-click does not reset #${id}`,
    );
  }
}

// The 3-D view turns, zooms once it was clicked, and comes back.
async function checkView(page) {
  const svg = page.locator('#fig-paths svg');
  await svg.evaluate((node) => node.scrollIntoView({ block: 'center' }));
  const shape = () => svg.locator('.edge').first().getAttribute('x2');
  const before = await shape();
  const box = await svg.boundingBox();
  const [x, y] = [box.x + box.width * 0.3, box.y + box.height * 0.5];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y + 10, { steps: 3 });
  await page.mouse.up();
  await eventually(async () => (await shape()) !== before, 'dragging does not turn the paths');
  await page.waitForTimeout(100);
  const turned = await shape();
  await page.mouse.wheel(0, -400);
  await eventually(async () => (await shape()) !== turned, 'the wheel does not zoom the paths');
  await page.mouse.dblclick(x, y);
  await eventually(async () => (await shape()) === before, 'double-click does not reset the paths');
}

// Switching a series off by keyboard takes it out of every figure, but for a faint point of its metrics; switching it
// on brings it back.
async function checkToggle(page) {
  const entry = (await legendEntries(page))
    .filter((one) => one.isOn && one.label !== 'planned path')
    .pop();
  const count = () =>
    page.evaluate(
      (label) =>
        [...document.querySelectorAll('figure svg [data-series]:not(.faint)')].filter(
          (node) => node.dataset.series === label,
        ).length,
      entry.label,
    );
  const before = await count();
  check(before > 0, `"${entry.label}" is drawn nowhere`);
  const box = page
    .locator('#legend label.entry')
    .filter({ has: page.locator('input') })
    .and(page.locator(`[data-series=${JSON.stringify(entry.label)}]`))
    .locator('input');
  await box.focus();
  await page.keyboard.press('Space');
  await eventually(
    async () => (await count()) === 0,
    `"${entry.label}" is switched off and still drawn`,
  );
  await page.keyboard.press('Space');
  await eventually(async () => (await count()) === before, `"${entry.label}" does not come back`);
  await page.getByRole('button', { name: 'none', exact: true }).click();
  const curves = page.locator('svg path.series');
  await eventually(async () => (await curves.count()) === 0, '"none" leaves curves');
  await page.getByRole('button', { name: 'all', exact: true }).click();
  await eventually(async () => (await curves.count()) > 0, '"all" draws nothing');
}

// Text that runs over the edge of its drawing, where it would be cut.
async function checkOverflow(page, name) {
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll('figure svg')].flatMap((svg) => {
      const frame = svg.getBoundingClientRect();
      return [...svg.querySelectorAll('text')]
        .filter((text) => {
          const box = text.getBoundingClientRect();
          return (
            box.width > 0 &&
            (box.left < frame.left - 1 ||
              box.right > frame.right + 1 ||
              box.bottom > frame.bottom + 1 ||
              box.top < frame.top - 1)
          );
        })
        .map((text) => `#${svg.closest('figure').id}: ${text.textContent}`);
    }),
  );
  check(cut.length === 0, `${name}: text is cut: ${cut.slice(0, 5).join('; ')}`);
  const wide = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  check(wide <= 0, `${name}: the page is ${wide} px wider than the window`);
}

// The paths have the width of the page for themselves; what magnifies them is below.
async function checkPathsOnPhone(page) {
  const widths = await page.evaluate(() => {
    const figure = document.querySelector('#fig-paths svg');
    const edges = [...figure.querySelectorAll('.edge')].map((edge) => edge.getBoundingClientRect());
    const left = Math.min(...edges.map((edge) => edge.left));
    const right = Math.max(...edges.map((edge) => edge.right));
    return { paths: right - left, figure: figure.getBoundingClientRect().width };
  });
  check(
    widths.paths > 0.5 * widths.figure,
    `on a phone the paths are ${widths.paths} px of ${widths.figure} px wide`,
  );
}

const valuesOf = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('td[data-value]')].map((cell) => ({
      metric: cell.dataset.metric,
      point: cell.dataset.point,
      value: Number(cell.dataset.value),
      low: cell.dataset.low === undefined ? null : Number(cell.dataset.low),
      high: cell.dataset.high === undefined ? null : Number(cell.dataset.high),
      text: cell.textContent,
    })),
  );

// A saved figure is an SVG document that stands alone: no variables, no classes.
async function checkSave(page) {
  const figure = page.locator('figure').first();
  const waiting = page.waitForEvent('download');
  await figure.getByRole('button', { name: 'save SVG' }).click();
  const download = await waiting;
  const text = readFileSync(await download.path(), 'utf8');
  check(
    text.startsWith('<svg') && text.includes('http://www.w3.org/2000/svg'),
    'the saved figure is no SVG document',
  );
  check(
    !text.includes('var(--') && !text.includes(' class='),
    'the saved figure needs a style sheet',
  );
}

// In a browser of its own, or in one that is open already.
export async function checkReport(file, { screenshots, browser: open } = {}) {
  problems.length = 0;
  const data = dataOf(file);
  const browser = open ?? (await openBrowser());
  const shoot = async (page, name) => {
    if (!screenshots) return;
    mkdirSync(screenshots, { recursive: true });
    await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
  };
  try {
    const light = await openPage(browser, file, { colorScheme: 'light' });
    const parts = await checkParts(light, data);
    await shoot(light, 'light');
    await checkOverflow(light, 'light');
    if ((data.series ?? []).length) await checkSeries(light, data, parts);
    if (parts['fig-metric']) problems.push(...(await metricPointProblems(light, data)));
    if (parts['fig-cumulated']) await checkHover(light, 'fig-cumulated');
    if (parts['fig-velocity']) {
      await checkHover(light, 'fig-velocity');
      await checkTimeZoom(light, parts);
    }
    if (data.experiment) problems.push(...(await experimentProblems(light, data)));
    if (parts['fig-paths']) await checkView(light);
    if (parts.motion) problems.push(...(await motionProblems(light, data)));
    if ((data.series ?? []).length) await checkToggle(light);
    if ((data.series ?? []).length) problems.push(...(await referenceProblems(light, data)));
    if (await light.locator('figure').count()) await checkSave(light);
    const values = await valuesOf(light);
    await light.context().close(); // pages that nobody looks at cost time, too

    const dark = await openPage(browser, file, { colorScheme: 'dark' });
    const paper = () => dark.evaluate(() => getComputedStyle(document.body).backgroundColor);
    check(
      (await paper()) === 'rgb(20, 23, 27)',
      'the page is not dark where the system asks for it',
    );
    await shoot(dark, 'dark');
    await dark.getByRole('button', { name: 'light', exact: true }).click();
    check((await paper()) === 'rgb(255, 255, 255)', 'the button does not switch to light');
    await dark.getByRole('button', { name: 'dark', exact: true }).click();
    await dark.emulateMedia({ media: 'print' });
    check((await paper()) === 'rgb(255, 255, 255)', 'the dark page does not print light');
    check((await dark.getByRole('button').count()) === 0, 'buttons are printed');
    if (screenshots)
      await dark.pdf({
        path: join(screenshots, 'print.pdf'),
        preferCSSPageSize: true,
        printBackground: true,
      });
    else await dark.pdf({ preferCSSPageSize: true });
    await dark.context().close();

    const narrow = await openPage(browser, file, {
      colorScheme: 'light',
      viewport: { width: 700, height: 900 },
    });
    await checkOverflow(narrow, 'narrow');
    await shoot(narrow, 'narrow');
    await narrow.context().close();

    const phone = await openPage(browser, file, {
      colorScheme: 'light',
      viewport: { width: 390, height: 844 },
    });
    await checkOverflow(phone, 'phone');
    if (parts['fig-paths']) await checkPathsOnPhone(phone);
    const words = await phone.evaluate(() => document.body.innerText);
    check(!/\^[-−]?\d/.test(words), 'a power is written with a caret');
    await shoot(phone, 'phone');
    await phone.context().close();
    if (parts.motion && parts['fig-paths'] && data.kind === 'study')
      problems.push(...(await checkWithoutWebGl(file)));
    return { problems: [...problems], values };
  } finally {
    if (!open) await browser.close();
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [file, option, folder] = process.argv.slice(2);
  if (!file || (option && option !== '--screenshots')) {
    console.error('usage: node browser_test.mjs REPORT.html [--screenshots FOLDER]');
    process.exit(2);
  }
  const { problems: found, values } = await checkReport(file, { screenshots: folder });
  for (const words of found) console.error(words);
  console.log(JSON.stringify(values));
  process.exit(found.length ? 1 : 0);
}
