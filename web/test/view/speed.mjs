// SPDX-License-Identifier: Apache-2.0
// Measures a viewer's page in headless Chromium, which draws in software: node speed.mjs ADDRESS [JUMPS]
//
// Prints how long the page takes to open, how long jumps to random times take until the values of two plots and the scene
// are those of the new time on screen, and how many pictures a second playing gives. The load of the machine is printed,
// too: figures taken on a busy machine mean little.
import { loadavg } from 'node:os';

import { openBrowser } from './browser.mjs';

const [address, jumps = '20'] = process.argv.slice(2);
const browser = await openBrowser();
const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
const start = Date.now();
await page.goto(address);
await page.waitForFunction(() => window.longarmView, null, { timeout: 60_000 });
await page.evaluate(() => window.longarmView.ready);
const opened = Date.now() - start;

// With a second plot; trails and overviews may come after the rest.
await page.evaluate(() => {
  const viewer = window.longarmView.viewer();
  const { tables } = viewer.context.runs[0].run;
  const table = tables.find(
    ({ topic, columns }) => /joint_states$/.test(topic) && columns.length > 1,
  );
  const { name, unit } = table.columns[1];
  viewer.plots.add({ topic: table.topic, column: name, unit }, true);
});
await page.waitForTimeout(5000);

const times = await page.evaluate(async (count) => {
  const viewer = window.longarmView.viewer();
  const { context, scene, stage } = viewer;
  const graphics = stage.renderer.getContext();
  const pixel = new Uint8Array(4);
  const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
  const values = viewer.plots.plots.flatMap((plot) => plot.values);
  const isValue =
    (t) =>
    ({ cell, run, signal }) => {
      const table = run.table(signal.topic);
      const found = run.reader(table).at(t);
      const column = table.columns.findIndex(({ name }) => name === signal.column);
      return found && String(found.columns[column][found.index]) === cell.dataset.value;
    };
  const isShown = (t) =>
    values.every(isValue(t)) &&
    scene.runs.every(({ lastTime }) => lastTime === t) &&
    !stage.isDirty;
  let seed = 12345;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const found = [];
  for (let i = 0; i < count; ++i) {
    await new Promise((done) => setTimeout(done, 700));
    const { start, end } = context.clock;
    const t = start + random() * (end - start);
    const began = performance.now();
    context.clock.setTime(t);
    do await nextFrame();
    while (!isShown(t) && performance.now() - began < 5000);
    graphics.readPixels(0, 0, 1, 1, graphics.RGBA, graphics.UNSIGNED_BYTE, pixel); // waits for the drawing
    await nextFrame(); // the page that was complete has been handed over
    found.push(performance.now() - began);
  }
  return found.sort((a, b) => a - b);
}, Number(jumps));

const frames = await page.evaluate(async () => {
  const { context, stage } = window.longarmView.viewer();
  const { clock } = context;
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  clock.setTime(clock.start + 0.1 * (clock.end - clock.start));
  clock.play();
  await wait(2000);
  let count = 0;
  const draw = stage.draw.bind(stage);
  stage.draw = () => (++count, draw());
  const began = performance.now();
  await wait(8000);
  return (1000 * count) / (performance.now() - began);
});

const part = (p) => Math.round(times[Math.min(times.length - 1, Math.floor(p * times.length))]);
console.log(`opened in ${opened} ms`);
console.log(
  `${times.length} jumps: median ${part(0.5)} ms, 90 % ${part(0.9)} ms, longest ${part(1)} ms`,
);
console.log(`playing: ${frames.toFixed(1)} pictures a second`);
console.log(`load of the machine: ${loadavg()[0].toFixed(2)}`);
await browser.close();
