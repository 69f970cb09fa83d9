// SPDX-License-Identifier: Apache-2.0
// Opens the sample cell in Chromium in all three forms and checks that the viewer works: node browser_test.mjs [FOLDER]
// Screenshots go to FOLDER. Exit code 1 and words on stderr if something is wrong.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { isOfBrowser, openBrowser } from './browser.mjs';
import { serveSample } from './sample_server.mjs';
import { oneFile, sampleView } from './sample_view.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, '../../dist/view_sample');
mkdirSync(folder, { recursive: true });
const html = readFileSync(join(here, '../../dist/view.html'), 'utf8');

const problems = [];
const check = (isTrue, words) => {
  if (!isTrue) problems.push(words);
};
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// The page may be slow on a busy machine.
async function eventually(isTrue, words, seconds = 20) {
  for (let tries = 0; tries < seconds * 20; ++tries) {
    if (await isTrue()) return true;
    await sleep(50);
  }
  problems.push(words);
  return false;
}

const browser = await openBrowser();

async function openPage(address, options = {}, { mayLoseServer = false } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.on('console', (message) => {
    const isLoss = mayLoseServer && /WebSocket|ERR_CONNECTION|Failed to fetch/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isLoss && !isOfBrowser(message.text()))
      problems.push(`${address}: console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`${address}: error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data|blob):|^(http|ws):\/\/127\.0\.0\.1:/.test(request.url()))
      problems.push(`${address}: asked for ${request.url()}`);
  });
  await page.goto(address, { timeout: 120_000 });
  return page;
}

async function ready(page) {
  await page.waitForFunction(() => window.longarmView, null, { timeout: 60_000 });
  await page.evaluate(() => window.longarmView.ready);
}

const time = (page) => page.evaluate(() => window.longarmView.time());
const setTime = (page, t) => page.evaluate((at) => window.longarmView.setTime(at), t);
const shoot = (page, name) => page.screenshot({ path: join(folder, `${name}.png`) });

// What the sample itself says: the newest row at or before t.
function expected(view, run, topic, column, t) {
  const { about, values } = view.tables[run].find((one) => one.about.topic === topic);
  const at = about.columns.findIndex(({ name }) => name === column);
  let row = -1;
  while (row + 1 < about.rows && values[0][row + 1] <= t) ++row;
  return { value: row < 0 ? NaN : values[at][row], all: values[at] };
}

async function checkValues(page, view, tolerance, name) {
  const asked = [
    [0, '/joint_states', 'position.elbow'],
    [1, '/joint_states', 'velocity.wrist_2'],
    [0, '/tf', 'part.x'],
    [0, '/belt', 'speed_m_s'],
    [0, '/gaps', 'sometimes'],
    [2, '/end_effector_pose', 'qz'],
  ];
  for (let i = 0; i < 30; ++i) {
    const [run, topic, column] = asked[i % asked.length];
    const t = (i * 0.61803398875 * 11) % 11;
    const found = await page.evaluate(
      (args) => window.longarmView.value(...args),
      [run, topic, column, t],
    );
    const { value, all } = expected(view, run, topic, column, t);
    const range =
      Math.max(...all.filter(Number.isFinite)) - Math.min(...all.filter(Number.isFinite));
    const isSame = Number.isNaN(value)
      ? Number.isNaN(found)
      : Math.abs(found - value) <= tolerance * range;
    check(isSame, `${name}: ${topic} ${column} at ${t}: ${found} instead of ${value}`);
  }
}

async function checkScrubbing(page) {
  const box = await page.locator('.bar').boundingBox();
  const y = box.y + box.height - 12;
  await page.mouse.click(box.x + box.width * 0.25, y);
  const first = await time(page);
  check(Math.abs(first - 2.75) < 0.2, `a click on the bar goes to ${first}`);
  await page.mouse.move(box.x + box.width * 0.25, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, y, { steps: 5 });
  await page.mouse.up();
  check(Math.abs((await time(page)) - 8.25) < 0.2, 'dragging does not scrub');
  const pose = () => page.evaluate(() => window.longarmView.framePose(0, 'tool0'));
  const before = await pose();
  await setTime(page, 1);
  check((await pose()).p[0] !== before.p[0], 'the tool does not move with the time');

  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, y, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  const clear = page.getByRole('button', { name: 'clear loop' });
  check(await clear.isVisible(), 'Shift-drag makes no loop');
  await page.keyboard.press('\\');
  check(!(await clear.isVisible()), 'the loop does not go away');

  const field = page.getByLabel('Time in seconds');
  await field.fill('4321.5 ms');
  await field.press('Enter');
  check((await time(page)) === 4.3215, `a typed time becomes ${await time(page)}`);
}

async function checkSteps(page) {
  await page.locator('canvas').focus();
  await setTime(page, 0);
  const stops = [];
  for (let i = 0; i < 5; ++i) {
    const before = await time(page);
    await page.keyboard.press('n');
    await eventually(async () => (await time(page)) !== before, 'n does not step');
    stops.push(await time(page));
  }
  // marks at 2.5, 4.2, 4.9 and 6; the curtain's rows at 4.2 and 4.9; parts joined at 4.2 and 6
  check(stops.join() === '2.5,4.2,4.9,6,7.35', `events are at ${stops}`);
  await page.keyboard.press('p');
  await eventually(async () => (await time(page)) === 6, 'p does not step back');
  await page.keyboard.press('w');
  await eventually(async () => (await time(page)) === 7.35, 'w does not go to the worst deviation');
  await page.keyboard.press('.');
  await eventually(
    async () => Math.abs((await time(page)) - 7.36) < 1e-9,
    '. does not step by row',
  );
}

async function checkPlaying(page) {
  await setTime(page, 1);
  await page.keyboard.press('Space');
  await eventually(async () => (await time(page)) > 1.4, 'space does not play');
  await page.keyboard.press('Space');
  const stopped = await time(page);
  await sleep(300);
  check((await time(page)) === stopped, 'space does not pause');
  for (let i = 0; i < 3; ++i) await page.keyboard.press('<');
  check((await page.getByLabel('Speed').inputValue()) === '0.1×', 'slower is no slower');
  for (let i = 0; i < 3; ++i) await page.keyboard.press('>');
}

async function checkRuns(page) {
  const curves = page.locator('.plot-curve');
  await eventually(async () => (await curves.count()) === 3, 'there is no curve for each run');
  await page.locator('.legend input').nth(1).focus();
  await page.keyboard.press('Space');
  const shown = await page.evaluate(() => window.longarmView.runs().map((run) => run.isVisible));
  check(shown.join() === 'true,false,true', `after switching one off: ${shown}`);
  await eventually(async () => (await curves.count()) === 2, 'a hidden run keeps its curve');
  await page.keyboard.press('Alt+2');
  await eventually(async () => (await curves.count()) === 3, 'Alt+2 does not bring the run back');
}

async function checkPlots(page) {
  await page.locator('canvas').focus();
  await page.keyboard.press('/');
  await page.keyboard.type('wrist_1 velocity');
  const leaf = page.getByRole('button', { name: 'velocity.wrist_1 [rad/s]' });
  await leaf.focus();
  await page.keyboard.press('Enter');
  await eventually(
    async () => (await page.locator('.plot-entry').count()) === 6,
    'the signal is not plotted',
  );
  const isWhole = () =>
    page.evaluate(() => {
      const list = document.querySelector('.plot-list').getBoundingClientRect();
      return (
        document.querySelector('.plot').getBoundingClientRect().bottom <=
        list.bottom + 1
      );
    });
  await eventually(isWhole, 'the axis of a plot with a long legend is out of sight');
  await setTime(page, 3);
  const cell = page.locator('.plot-value').first();
  await eventually(
    async () => Number(await cell.getAttribute('data-value')) !== 0,
    'no value at the cursor',
  );
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const text = readFileSync(await (await waiting).path(), 'utf8');
  check(text.startsWith('run,topic,column,unit,time_s,value\n'), 'the CSV has no head');
  check(text.split('\n').length > 6 * 5000, 'the CSV has too few rows');
  for (const kind of ['SVG', 'PNG']) {
    const saving = page.waitForEvent('download');
    await page.locator('.plot-tools').getByRole('button', { name: kind }).click();
    check((await saving).suggestedFilename() === `plots.${kind.toLowerCase()}`, `no ${kind}`);
  }
  const ticks = () => page.locator('.plot .x-axis text').allTextContents();
  const before = (await ticks()).join();
  await page.locator('.plot-box').first().focus();
  await page.keyboard.press('+');
  await eventually(async () => (await ticks()).join() !== before, '+ does not zoom the plots');
  await page.keyboard.press('Home');
  await eventually(async () => (await ticks()).join() === before, 'Home does not reset the plots');
}

async function checkNetwork(page) {
  await page.locator('canvas').focus();
  await page.keyboard.press('7');
  await setTime(page, 4.0412);
  await eventually(async () => (await page.locator('.net-dot').count()) >= 2, 'no messages move');
  await shoot(page, 'network');
  const lost = page.locator('.net-rows tr', { hasText: 'lost' }).first();
  await eventually(async () => (await lost.count()) > 0, 'no message is lost');
  if (await lost.count()) await lost.getByRole('button').click();
  await eventually(
    async () => (await page.locator('.message-line').textContent())?.includes('lost'),
    'a chosen message has no time line',
  );
}

async function checkView(page) {
  const picture = () => page.locator('canvas').screenshot();
  await page.locator('canvas').focus();
  const before = await picture();
  await page.keyboard.press('ArrowLeft');
  await eventually(
    async () => !(await picture()).equals(before),
    'arrow keys do not turn the view',
  );
  for (const key of ['c', 'x', 'd', 't', 'g', 'b', 'v']) {
    const last = await picture();
    await page.keyboard.press(key);
    await eventually(async () => !(await picture()).equals(last), `${key} shows and hides nothing`);
  }
  for (const key of ['v', 'd', 't', 'g', 'b', 'c', 'x']) await page.keyboard.press(key);
  await page.keyboard.press('m');
  const box = await page.locator('canvas').boundingBox();
  await page.mouse.click(box.x + box.width * 0.45, box.y + box.height * 0.5);
  await page.mouse.click(box.x + box.width * 0.6, box.y + box.height * 0.6);
  check(/\d\smm/.test(await page.locator('.measure-words').textContent()), 'nothing is measured');
  await page.keyboard.press('m');
  const waiting = page.waitForEvent('download');
  await page.keyboard.press('s');
  check((await waiting).suggestedFilename().endsWith('.png'), 'no screenshot');
  await page.keyboard.press('?');
  check(await page.getByRole('dialog').isVisible(), '? opens no help');
  await page.keyboard.press('Escape');
  check(!(await page.getByRole('dialog').isVisible()), 'Escape does not close the help');
  await page.locator('canvas').focus();
  await page.keyboard.press('k');
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  check(paper === 'rgb(20, 23, 27)', 'k does not switch to dark');
  await page.keyboard.press('k');
}

// A page in which nothing moves draws nothing.
async function checkIdle(page) {
  await page.locator('canvas').focus();
  await sleep(2500);
  await eventually(
    async () => (await page.evaluate(() => window.longarmView.stats().fps)) === 0,
    'the page draws while nothing moves',
  );
}

// Tab alone reaches everything that can be operated.
async function checkTabs(page) {
  await page.evaluate(() => document.activeElement?.blur());
  const reached = new Set();
  for (let i = 0; i < 160; ++i) {
    await page.keyboard.press('Tab');
    reached.add(
      await page.evaluate(() => {
        const { className, tagName, ariaLabel, textContent } = document.activeElement;
        return ariaLabel || `${tagName} ${className}` || textContent;
      }),
    );
  }
  for (const name of ['Time', 'Speed', 'Time in seconds', 'Width of the panels', 'Help'])
    check(reached.has(name), `Tab does not reach "${name}"`);
}

async function checkOverflow(page, name) {
  const wide = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  check(wide <= 0, `${name}: the page is ${wide} px wider than the window`);
}

// Between a phone and a desktop the time bar keeps a width that time can be chosen on.
async function checkSmallWindow(page) {
  await page.setViewportSize({ width: 800, height: 600 });
  const bar = page.locator('.bar');
  await eventually(
    async () =>
      (await page.evaluate(() => innerWidth)) === 800 && (await bar.boundingBox()).width > 240,
    `in a small window the time bar is ${(await bar.boundingBox()).width} px wide`,
  );
  await checkOverflow(page, 'small window');
}

async function checkFile() {
  const view = sampleView({ count: 3 });
  const file = join(folder, 'sample.html');
  writeFileSync(file, oneFile(html, view));
  const address = pathToFileURL(file).href;
  const page = await openPage(address, { acceptDownloads: true });
  await ready(page);
  await checkValues(page, view, 1e-6, 'one file');
  await checkScrubbing(page);
  await checkSteps(page);
  await checkPlaying(page);
  await checkRuns(page);
  await checkPlots(page);
  await checkNetwork(page);
  await checkView(page);
  await checkIdle(page);
  await checkTabs(page);
  await checkOverflow(page, 'desktop');
  await checkSmallWindow(page);
  await page.close();

  const phone = await openPage(address, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await ready(phone);
  await setTime(phone, 5.1);
  await checkOverflow(phone, 'phone');
  for (const name of ['Plots', 'Signals', 'Values', 'Network', 'Runs'])
    check(await phone.getByRole('tab', { name }).isVisible(), `the phone has no tab ${name}`);
  await sleep(1500);
  await shoot(phone, 'phone');
  await phone.close();

  const dark = await openPage(address, {
    colorScheme: 'dark',
    viewport: { width: 1920, height: 1080 },
  });
  await ready(dark);
  await setTime(dark, 5.1);
  await sleep(2500);
  await shoot(dark, 'dark');
  await dark.close();
}

async function checkServed() {
  const view = sampleView({ count: 3, source: 'served' });
  const server = await serveSample(html, 'served', { view });
  const page = await openPage(`http://127.0.0.1:${server.port}/`);
  await ready(page);
  await checkValues(page, view, 0, 'served');
  await checkRuns(page);
  await page.locator('canvas').focus();
  await checkPlaying(page);
  await setTime(page, 9);
  await eventually(
    async () =>
      Number(await page.locator('.plot-value').first().getAttribute('data-value')) ===
      expected(view, 0, '/joint_states', 'velocity.shoulder_pan', 9).value,
    'the value at the cursor is not the exact one',
  );
  await page.close();
  await server.close();
}

// `longarm view` that was ended and started again.
async function checkServedAgain() {
  let server = await serveSample(html, 'served');
  const { port } = server;
  const page = await openPage(`http://127.0.0.1:${port}/`, {}, { mayLoseServer: true });
  await ready(page);
  await server.close();
  const banner = page.getByText('Connection to the program lost');
  // a table that nobody has asked for yet
  await page.getByRole('tab', { name: 'Values' }).click();
  await page.getByLabel('Table').selectOption('/gaps');
  await eventually(() => banner.isVisible(), 'a program that has ended is not told');
  server = await serveSample(html, 'served', { port });
  await eventually(
    async () => !(await banner.isVisible().catch(() => true)),
    'the page does not come back with the program',
  );
  await ready(page);
  check(
    !Number.isNaN(await page.evaluate(() => window.longarmView.value(0, '/belt', 'speed_m_s', 5))),
    'no values',
  );
  await page.close();
  await server.close();
}

async function checkLive() {
  let server = await serveSample(html, 'live');
  const { port } = server;
  const page = await openPage(`http://127.0.0.1:${port}/`, {}, { mayLoseServer: true });
  await ready(page);
  const first = await time(page);
  await eventually(async () => (await time(page)) > first + 0.5, 'the live run does not advance');
  await eventually(
    async () => (await page.locator('.plot-curve').count()) > 0,
    'the live run is not plotted',
  );
  await page.locator('canvas').focus();
  await page.keyboard.press('Space');
  const frozen = await time(page);
  await sleep(500);
  check((await time(page)) === frozen, 'pause does not freeze the live run');
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await eventually(async () => (await time(page)) > frozen, '"Live" does not go back to now');
  await shoot(page, 'live');

  await server.close();
  const banner = page.getByText('Connection to the program lost');
  await eventually(() => banner.isVisible(), 'a lost connection is not told');
  check((await page.evaluate(() => window.longarmView.stats().rows)) > 0, 'what was there is gone');
  server = await serveSample(html, 'live', { port });
  await eventually(
    async () => !(await banner.isVisible().catch(() => true)),
    'it does not reconnect',
  );
  await ready(page);
  const again = await time(page);
  await eventually(
    async () => (await time(page)) > again,
    'the run that began anew does not advance',
  );
  await page.close();
  await server.close();
}

async function checkBroken() {
  const view = sampleView({ count: 1 });
  const problem = 'The recording ends at 11.000 s: the file was cut short.';
  Object.assign(view.document.runs[0], { problem, warnings: ['first warning', 'second warning'] });
  const file = join(folder, 'cut_short.html');
  writeFileSync(file, oneFile(html, view));
  const page = await openPage(pathToFileURL(file).href);
  await ready(page);
  check(await page.getByText(problem).isVisible(), 'a damaged run is not told');
  check(await page.getByText('2 warnings').isVisible(), 'warnings are not told');
  await page.close();

  const empty = join(folder, 'empty.html');
  writeFileSync(empty, html);
  const context = await browser.newContext();
  const none = await context.newPage();
  await none.goto(pathToFileURL(empty).href);
  await eventually(
    async () => (await none.getByRole('alert').textContent()).includes('contains no run'),
    'a page without a run does not say so',
  );
  await none.close();
}

const parts = {
  file: checkFile,
  served: checkServed,
  again: checkServedAgain,
  live: checkLive,
  broken: checkBroken,
};
try {
  for (const [name, part] of Object.entries(parts)) {
    const before = problems.length;
    await part();
    console.log(`${name}: ${problems.length > before ? 'wrong' : 'as it should be'}`);
  }
} catch (error) {
  problems.push(error.stack);
} finally {
  await browser.close();
}
for (const words of problems) console.error(words);
process.exit(problems.length ? 1 : 0);
