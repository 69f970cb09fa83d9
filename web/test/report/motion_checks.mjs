// SPDX-License-Identifier: Apache-2.0
// The robot in motion: it is where its run's curves say, it obeys legend and time, and it draws only if something changes.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { openBrowser } from '../view/browser.mjs';
import { legendEntries } from './slice_checks.mjs';

function floats(text) {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
}

// v turned by q and added to p.
function placed(p, [qx, qy, qz, qw], [x, y, z]) {
  const rows = [
    [1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy - qw * qz), 2 * (qx * qz + qw * qy)],
    [2 * (qx * qy + qw * qz), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz - qw * qx)],
    [2 * (qx * qz - qw * qy), 2 * (qy * qz + qw * qx), 1 - 2 * (qx * qx + qy * qy)],
  ];
  return rows.map((row, i) => p[i] + row[0] * x + row[1] * y + row[2] * z);
}

// From the frame that a run's path is in to the world; all of these frames stand still.
function inWorld({ scene }, point) {
  let at = point;
  for (let i = scene.tools[0].base ?? 0; i >= 0; i = scene.frames[i].parent)
    at = placed(scene.frames[i].p, scene.frames[i].q, at);
  return at;
}

const player = (page, what) =>
  page.evaluate(
    (words) => new Function('player', `return ${words}`)(window.longarmMotion.player),
    what,
  );
const state = (page) => player(page, 'player.state()');

async function eventually(isTrue, words, problems) {
  for (let tries = 0; tries < 200; ++tries) {
    if (await isTrue()) return true;
    await new Promise((done) => {
      setTimeout(done, 50);
    });
  }
  problems.push(words);
  return false;
}

const apart = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));

// The sample's first joint turns by a tenth of a radian a second, on a base that is turned by 90°; the page shows that
// between recorded instants, too.
async function recordedPoseProblems(page, index, { start_s, period_s, count }) {
  const problems = [];
  for (const part of [0, 0.337, 1]) {
    const t = start_s + part * (count - 1) * period_s;
    await player(page, `player.clock.setTime(${t})`);
    const found = await player(page, `player.framePose(${index}, "shoulder_pan")`);
    const yaw = found ? 2 * Math.atan2(found[5], found[6]) : NaN;
    if (!(Math.abs(yaw - (Math.PI / 2 + 0.1 * t)) < 1e-5))
      problems.push(`at ${t} s the arm of a cell is turned by ${yaw}`);
  }
  return problems;
}

// The pose of the tool at recorded instants is that of the recorded path: forward kinematics of rounded positions.
async function poseProblems(page, data) {
  const problems = [];
  const { scene } = data.motion;
  const labels = (await state(page)).drawn.map(({ label }) => label);
  let compared = 0;
  for (const [index, series] of data.series.entries()) {
    if (!labels.includes(series.label)) continue;
    if (series.poses && scene.frames.some(({ name }) => name === 'shoulder_pan')) {
      problems.push(...(await recordedPoseProblems(page, index, series.poses)));
      ++compared;
    }
    if (!series.curves?.['end_effector.x']) {
      // nothing to compare with
      ++compared;
      continue;
    }
    if (!series.positions) continue;
    const tool = scene.frames[scene.tools[0].frame].name;
    const path = ['x', 'y', 'z'].map((axis) => floats(series.curves[`end_effector.${axis}`]));
    for (const part of [0, 0.21, 0.5, 0.77, 1]) {
      const row = Math.round(part * (series.count - 1));
      const t = series.start_s + row * series.period_s;
      await player(page, `player.clock.setTime(${t})`);
      const found = await player(page, `player.framePose(${index}, ${JSON.stringify(tool)})`);
      const expected = inWorld(
        data.motion,
        path.map((column) => column[row]),
      );
      const distance = found ? apart(found.slice(0, 3), expected) : NaN;
      // positions are rounded to a millionth of their range, paths to 32 bits
      if (!(distance < 2e-5))
        problems.push(`"${series.label}" at ${t} s: the tool is ${distance} m from its path`);
      ++compared;
    }
  }
  if (!compared) problems.push('no pose was compared with a path');
  return problems;
}

// When the drawn runs are farthest from their reference, found without the page's help.
function worstTime(data, labels) {
  const path = (series) =>
    ['x', 'y', 'z'].map((axis) => floats(series.curves[`end_effector.${axis}`]));
  const drawn = data.series.filter(
    (one) => labels.includes(one.label) && one.curves?.['end_effector.x'],
  );
  const base = drawn.find((series) => series.is_reference);
  if (!base) return null;
  const basePath = path(base);
  let worst = { distance: 0, t: NaN };
  for (const series of drawn.filter((one) => one.verdict !== 'unstable' && !one.is_reference)) {
    const own = path(series);
    for (let i = 0; i < Math.min(series.count, base.count); ++i) {
      const distance = Math.hypot(...own.map((column, k) => column[i] - basePath[k][i]));
      if (distance > worst.distance)
        worst = { distance, t: series.start_s + i * series.period_s, period: series.period_s };
    }
  }
  return worst.distance > 0 ? worst : null;
}

export async function motionProblems(page, data) {
  const problems = [];
  const check = (isTrue, words) => {
    if (!isTrue) problems.push(words);
  };
  const section = page.locator('#motion');
  await section.scrollIntoViewIfNeeded();
  const isThere = await eventually(
    () => page.evaluate(() => !document.querySelector('#motion .motion-loading')),
    'the robot is not drawn',
    problems,
  );
  if (!isThere) return [...problems, await section.innerText()];

  // what the legend has on, one of them solid, the others in the legend's colours
  const entries = await legendEntries(page);
  const on = entries.filter((entry) => entry.isOn).map((entry) => entry.label);
  const drawn = (await state(page)).drawn;
  const isMoved = (one) => Boolean(one.positions ?? one.poses);
  const moved = data.series.filter(isMoved).map((one) => one.label);
  const expected = on.filter((label) => moved.includes(label));
  check(
    JSON.stringify(drawn.map(({ label }) => label).sort()) === JSON.stringify(expected.sort()),
    `robots of ${drawn.map(({ label }) => label)} are drawn, the legend has ${expected}`,
  );
  check(drawn.filter(({ look }) => look === 'solid').length === 1, 'not one robot is solid');
  const colours = await page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll('#legend label.entry')].map((entry) => [
        entry.dataset.series,
        getComputedStyle(entry.querySelector('line')).stroke,
      ]),
    ),
  );
  const rgb = (hex) =>
    `rgb(${[1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)).join(', ')})`;
  for (const { label, colour } of drawn)
    check(
      rgb(colour) === colours[label],
      `"${label}" is ${colour}, in the legend ${colours[label]}`,
    );

  problems.push(...(await poseProblems(page, data)));

  // the slider moves time and robot
  const first = data.series.findIndex(isMoved);
  const names = JSON.stringify(data.motion.scene.frames.map(({ name }) => name));
  const pose = () => player(page, `${names}.flatMap((name) => player.framePose(${first}, name))`);
  await player(page, 'player.clock.setTime(player.clock.start)');
  const before = await pose();
  const slider = section.getByRole('slider', { name: 'Time' });
  await slider.focus();
  // the robot of a cell may have to wait for its first part
  const hasMoved = async () => apart(await pose(), before) > 1e-4;
  let presses = 0;
  do {
    await page.keyboard.press('PageUp');
  } while (!(await hasMoved()) && ++presses < 30);
  check(await hasMoved(), 'the slider does not move the robot');
  check(
    /^[\d.]+\s*s\. \S/.test(await slider.getAttribute('aria-valuetext')),
    `the slider does not tell its time: ${await slider.getAttribute('aria-valuetext')}`,
  );

  // the star goes to the worst deviation
  const worst = worstTime(data, expected);
  await section.getByRole('button', { name: /^Largest deviation/ }).click();
  const { time: worstAt } = await state(page);
  if (worst)
    check(
      Math.abs(worstAt - worst.t) < worst.period,
      `the worst deviation is at ${worst.t} s, not ${worstAt} s`,
    );

  // one series off takes its robot away
  const toggled = drawn.filter(({ look }) => look !== 'solid').pop();
  if (toggled) {
    const box = page
      .locator(`#legend label.entry[data-series=${JSON.stringify(toggled.label)}]`)
      .locator('input');
    const isDrawn = async () =>
      (await state(page)).drawn.some(({ label }) => label === toggled.label);
    await box.uncheck();
    await eventually(async () => !(await isDrawn()), `"${toggled.label}" stays`, problems);
    await box.check();
    await eventually(isDrawn, `"${toggled.label}" does not come back`, problems);
    // the pointer in the legend makes the others faint
    await page.locator(`#legend label.entry[data-series=${JSON.stringify(toggled.label)}]`).hover();
    const looks = (await state(page)).drawn.map(({ label, look }) => [label, look]);
    check(
      looks.every(([label, look]) => look === (label === toggled.label ? 'strong' : 'faint')),
      `with "${toggled.label}" stressed: ${JSON.stringify(looks)}`,
    );
    await page.mouse.move(2, 2);
  }

  // plays, pauses, and then rests
  await player(page, 'player.clock.setTime(player.clock.start)');
  await section.getByRole('button', { name: /^Play/ }).click();
  await eventually(
    async () => (await state(page)).time > data.series[first].start_s + 0.05,
    'time does not pass',
    problems,
  );
  await section.getByRole('button', { name: /^Pause/ }).click();
  const paused = (await state(page)).time;
  await page.waitForTimeout(200);
  check((await state(page)).time === paused, 'time passes while it is paused');
  await eventually(
    async () => (await player(page, 'player.framesPerSecond()')) === 0,
    'it draws although nothing changes',
    problems,
  );

  // keys of the scene
  await section.locator('canvas').focus();
  await page.keyboard.press('Space');
  check((await state(page)).isPlaying, 'space does not play');
  await page.keyboard.press('Space');
  await page.keyboard.press('c');
  check(
    (await section.getByRole('button', { name: 'close-up' }).getAttribute('aria-pressed')) ===
      'true',
    'c does not follow the tool',
  );
  await page.keyboard.press('0');
  return problems;
}

// Without WebGL a sentence stands in the scene's place, and nothing complains.
export async function checkWithoutWebGl(file) {
  const problems = [];
  const browser = await openBrowser(['--disable-3d-apis']);
  try {
    const page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(`without WebGL: ${message.text()}`);
    });
    page.on('pageerror', (error) => problems.push(`without WebGL: ${error.message}`));
    await page.goto(pathToFileURL(resolve(file)).href, { timeout: 120_000 });
    await page.locator('#motion').scrollIntoViewIfNeeded();
    await eventually(
      async () => /needs WebGL 2/.test(await page.locator('#motion').innerText()),
      'without WebGL, no sentence says so',
      problems,
    );
    if (await page.locator('#motion canvas').count()) problems.push('a canvas without WebGL');
    if (!(await page.locator('#fig-paths svg path.series').count()))
      problems.push('without WebGL, there are no paths either');
  } finally {
    await browser.close();
  }
  return problems;
}
