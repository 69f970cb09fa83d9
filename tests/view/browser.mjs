// SPDX-License-Identifier: Apache-2.0
// The viewer's page in Chromium, as the program serves or writes it: node browser.mjs PAGE_FOLDER CASE ARGUMENTS
//
// ARGUMENTS is JSON; what a case finds wrong goes to stderr, and the exit code is 1 then. A line on stdout asks
// check_browser.py to do something, such as to restart the program, and a line on stdin says that it is done.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [folder, name, words] = process.argv.slice(2);
const args = JSON.parse(words);
const { isOfBrowser, openBrowser } = await import(pathToFileURL(join(folder, 'test/view/browser.mjs')).href);

const problems = [];
const check = (isTrue, what) => {
  if (!isTrue) problems.push(what);
};
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
async function eventually(isTrue, what, seconds = 15) {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await sleep(50)) if (await isTrue()) return true;
  problems.push(what);
  return false;
}
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
async function request(what) {
  console.log(what);
  return (await lines.next()).value;
}

const browser = await openBrowser();

async function open(address, options = {}, mayLose = false) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (mayLose && /WebSocket|ERR_CONNECTION/.test(message.text())) return;
    if (isOfBrowser(message.text())) return;
    if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`error on the page: ${error.message}`));
  page.on('request', (one) => {
    if (!/^(file|data|blob):|^(http|ws):\/\/127\.0\.0\.1:/.test(one.url())) problems.push(`the page asked for ${one.url()}`);
  });
  await page.goto(address, { timeout: 40_000 });
  await page.waitForFunction(() => window.longarmView, null, { timeout: 30_000 });
  await page.evaluate(() => window.longarmView.ready);
  return page;
}

const time = (page) => page.evaluate(() => window.longarmView.time());
const setTime = (page, t) => page.evaluate((at) => window.longarmView.setTime(at), t);
const value = (page, ...of) => page.evaluate((all) => window.longarmView.value(...all), of);
const visible = (page) => page.evaluate(() => window.longarmView.runs().map((run) => run.isVisible));

async function checkValues(page) {
  for (const { run, topic, column, t, expected, range } of args.values) {
    const found = await value(page, run, topic, column, t);
    const isSame = args.tolerance ? Math.abs(found - expected) <= args.tolerance * range : Object.is(found, expected);
    check(isSame, `${topic} ${column} at ${t}: ${found} instead of ${expected}`);
    // and when that time is shown
    await setTime(page, t);
    check(Object.is(await value(page, run, topic, column), found), `${topic} ${column} at the shown time ${t}`);
  }
}

async function checkPoses(page) {
  for (const { frame, t, p, q } of args.poses) {
    const found = await page.evaluate((all) => window.longarmView.framePose(...all), [0, frame, t]);
    const tolerance = args.tolerance ? 1e-5 : 1e-9;
    check(Math.hypot(...p.map((x, i) => x - found.p[i])) < tolerance, `${frame} at ${t} is at ${found.p}, not ${p}`);
    const dot = Math.abs(q.reduce((sum, x, i) => sum + x * found.q[i], 0));
    check(dot > 1 - tolerance, `${frame} at ${t} is turned to ${found.q}, not ${q}`);
  }
}

const cases = {
  // values and poses, in the served or the one-file form
  async values() {
    const page = await open(args.address);
    await checkValues(page);
    await checkPoses(page);
  },

  // scrubbing, stepping, playing, runs, with mouse and buttons
  async mouse() {
    const page = await open(args.address);
    const box = await page.locator('.bar').boundingBox();
    const y = box.y + box.height - 12;
    await page.mouse.click(box.x + 0.25 * box.width, y);
    check(Math.abs((await time(page)) - 0.25 * args.end) < 0.05 * args.end, `a click on the bar goes to ${await time(page)}`);
    await page.mouse.move(box.x + 0.25 * box.width, y);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.75 * box.width, y, { steps: 5 });
    await page.mouse.up();
    check(Math.abs((await time(page)) - 0.75 * args.end) < 0.05 * args.end, `dragging goes to ${await time(page)}`);
    const field = page.getByLabel('Time in seconds');
    await field.fill('1.5');
    await field.press('Enter');
    check((await time(page)) === 1.5, `a typed time becomes ${await time(page)}`);
    await page.getByRole('button', { name: /^Next event/ }).click();
    await eventually(async () => (await time(page)) === args.firstMark, `the first event is not at ${args.firstMark}`);
    await setTime(page, 1);
    await page.getByRole('button', { name: /^Play/ }).click();
    await eventually(async () => (await time(page)) > 1.3, 'it does not play');
    await page.getByRole('button', { name: /^Pause/ }).click();
    check((await visible(page)).join() === 'true,true', `runs at first: ${await visible(page)}`);
    await page.locator('.legend input').nth(1).click();
    check((await visible(page)).join() === 'true,false', `after switching one off: ${await visible(page)}`);
    await page.locator('.legend input').nth(1).click();
    check((await visible(page)).join() === 'true,true', `after switching it on again: ${await visible(page)}`);
  },

  // everything by keyboard: no mouse is used here
  async keyboard() {
    const page = await open(args.address);
    await page.evaluate(() => document.activeElement?.blur());
    const reached = [];
    for (let i = 0; i < 120; ++i) {
      await page.keyboard.press('Tab');
      reached.push(
        await page.evaluate(() => {
          const at = document.activeElement;
          const box = at.getBoundingClientRect();
          const style = getComputedStyle(at);
          const hasRing = style.outlineStyle !== 'none' || style.boxShadow !== 'none' || at.matches(':focus-visible');
          return {
            name: at.ariaLabel || at.textContent?.trim().slice(0, 40) || at.tagName,
            isBody: at === document.body,
            isSeen: box.width > 0 && box.height > 0 && hasRing,
          };
        }),
      );
    }
    for (const each of ['Time in seconds', 'Speed', 'Help', 'Time'])
      check(reached.some(({ name: it }) => it === each), `Tab does not reach "${each}"`);
    check(reached.some(({ name: it }) => /^(Play|Pause)/.test(it)), 'Tab does not reach "Play"');
    const unseen = reached.filter(({ isBody, isSeen }) => !isBody && !isSeen);
    check(unseen.length === 0, `focus goes to what cannot be seen: ${JSON.stringify(unseen.slice(0, 3))}`);

    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press('Home');
    await eventually(async () => (await time(page)) === 0, `Home goes to ${await time(page)}`);
    await page.keyboard.press('n');
    await eventually(async () => (await time(page)) === args.firstMark, `n does not go to ${args.firstMark}`);
    await page.keyboard.press('End');
    await eventually(async () => (await time(page)) === args.end, `End does not go to ${args.end}`);
    await page.keyboard.press('p');
    await eventually(async () => (await time(page)) < args.end, 'p does not step back');
    await page.keyboard.press('w');
    await eventually(async () => args.worst.includes(await time(page)), `w goes to ${await time(page)}, not to ${args.worst}`);
    const before = await time(page);
    await page.keyboard.press('.');
    await eventually(async () => (await time(page)) > before && (await time(page)) < before + 0.011, '. is not the next row');
    await page.keyboard.press('Space');
    const from = await time(page);
    await eventually(async () => (await time(page)) > from + 0.2, 'space does not play');
    await page.keyboard.press('Space');
    // a window to loop, a distance, and a frame to follow
    await page.keyboard.press('Home');
    await page.keyboard.press('[');
    await page.keyboard.press('n');
    await eventually(async () => (await time(page)) === args.firstMark, `n does not go to ${args.firstMark}`);
    await page.keyboard.press(']');
    const clear = page.getByRole('button', { name: 'clear loop' });
    await eventually(() => clear.isVisible(), '[ and ] make no loop');
    await page.keyboard.press('\\');
    await eventually(async () => !(await clear.isVisible()), '\\ does not clear the loop');
    const measured = page.locator('.measure-words');
    await page.keyboard.press('m');
    await eventually(async () => /press Enter/.test(await measured.textContent()), 'm does not say how to measure');
    await page.keyboard.press('Enter');
    for (let i = 0; i < 6; ++i) await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    await eventually(async () => /[1-9][\d.]*\smm/.test(await measured.textContent()), `measured: ${await measured.textContent()}`);
    await page.keyboard.press('m');
    const follow = page.getByLabel('Follow a frame');
    await page.keyboard.press('o');
    await eventually(async () => (await follow.inputValue()) !== 'free view', 'o follows no frame');
    await page.keyboard.press('Alt+2');
    await eventually(async () => (await visible(page)).join() === 'true,false', 'Alt+2 does not hide the second run');
    await page.keyboard.press('Alt+2');
    await page.keyboard.press('?');
    await eventually(() => page.getByRole('dialog').isVisible(), '? opens no help');
    await page.keyboard.press('Escape');
    await eventually(async () => !(await page.getByRole('dialog').isVisible()), 'Escape does not close the help');
    for (const key of ['5', '6', '7', '8', '9']) {
      await page.keyboard.press(key);
      const isTab = await page.evaluate(() => document.activeElement?.getAttribute('role') === 'tab');
      check(isTab || key === '9', `${key} opens no panel`);
    }
    await page.keyboard.press('/');
    await page.keyboard.type('elbow velocity');
    const found = await page.evaluate(() => document.activeElement?.value);
    check(found === 'elbow velocity', `/ does not search: "${found}"`);
  },

  // the longest and the shortest cycle, an arrow that moves the cursor, the same by keyboard
  async sequence() {
    const page = await open(args.address);
    const panel = page.locator('.sequence');
    const choice = (option) => panel.locator('select', { has: page.locator(`option:text-is("${option}")`) });
    await page.keyboard.press('q');
    const seconds = () => page.evaluate(() => Number(document.querySelector('.seq-words b')?.dataset.seconds));
    const isNear = (found, expected) => Math.abs(found - expected) < 1e-12;
    for (const [name, expected] of [
      ['Shortest', args.shortest],
      ['Longest', args.longest],
    ]) {
      await panel.getByRole('button', { name }).click();
      await eventually(async () => isNear(await seconds(), expected), `${name}: ${await seconds()} s instead of ${expected} s`);
    }
    const start = await time(page);
    // the last call of the cycle: its arrow leaves the caller where the cursor goes
    const arrow = page.locator('.seq-arrow.of-call.request').last();
    await eventually(async () => (await arrow.count()) === 1, 'the cycle has no arrow');
    const box = await arrow.locator('.seq-line').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await eventually(() => page.locator('#tip').isVisible(), 'the pointer at an arrow says nothing');
    check(/waited for a core/.test(await page.locator('#tip').textContent()), `the tip says "${await page.locator('#tip').textContent()}"`);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await eventually(async () => (await time(page)) > start, 'a click on an arrow does not move the cursor');
    const sent = await page.evaluate(() => document.querySelector('.seq-detail')?.textContent);
    check(sent?.includes((await time(page)).toFixed(6)), `the cursor is at ${await time(page)}, the call says "${sent}"`);
    check(isNear(await seconds(), args.longest), 'the click leaves the cycle');

    await page.locator('.seq-host-box').focus();
    for (let i = 0; i < 10; ++i) await page.keyboard.press('ArrowUp');
    await eventually(async () => (await time(page)) === start, `the first call is at ${await time(page)}, not at ${start}`);
    const height = () => page.evaluate(() => document.querySelector('.seq').height.baseVal.value);
    const before = await height();
    for (let i = 0; i < 3; ++i) await page.keyboard.press('+');
    await eventually(async () => (await height()) > before + 60, '+ does not zoom in');
    const [saved] = await Promise.all([page.waitForEvent('download'), panel.getByRole('button', { name: 'SVG' }).click()]);
    check(/sequence-cycle-\d+\.svg$/.test(saved.suggestedFilename()), `saved as ${saved.suggestedFilename()}`);

    // everything of 200 ms, large
    await panel.getByRole('button', { name: 'Large' }).click();
    await choice('a time window').selectOption('a time window');
    await choice('automatic').selectOption('200\u202fms');
    const count = () => page.locator('.seq-arrow.of-call.request').count();
    await eventually(async () => (await count()) > 1000, `${await count()} calls in 200 ms`);
    await page.keyboard.press('Escape');
    check((await page.locator('.sequence.large').count()) === 0, 'Escape leaves it large');
  },

  // a run without calls: its messages between hosts
  async sequenceOfMessages() {
    const page = await open(args.address);
    await setTime(page, 1);
    await page.keyboard.press('q');
    await eventually(async () => (await page.locator('.seq-arrow.of-message').count()) > 4, 'there are no messages');
    const names = await page.locator('.seq-name').allTextContents();
    check(names.length === 2, `lifelines: ${names}`);
  },

  // frames hop by hop: where they wait, move and are lost; one of them, and the message that it carries
  async network() {
    const page = await open(args.address);
    await page.locator('canvas').focus();
    await page.keyboard.press('7');
    const line = () => page.locator('.net-message').textContent();
    const middle = ({ sent_s: sent, end_s: end }) => (sent + end) / 2;

    // it moves and is known to get lost; then a cross is where that was
    await setTime(page, middle(args.lost));
    const doomed = page.locator('.net-graph .net-frame.doomed');
    if (await eventually(async () => (await doomed.count()) > 0, 'no frame is on its way to be lost')) {
      await doomed.first().click({ force: true });
      await eventually(async () => /✕ damaged/.test(await line()), `no time line of a lost frame: ${await line()}`);
      check(Math.abs((await time(page)) - middle(args.lost)) < 1e-9, 'a frame under way is left when it is chosen');
    }
    await setTime(page, args.lost.end_s + 1e-7);
    await eventually(async () => (await page.locator('.net-graph .net-cross').count()) > 0, 'no cross where a frame is lost');

    // by keyboard: a retransmission, all of its hops, its message, and the frames of that
    await setTime(page, middle(args.again));
    await eventually(async () => (await page.locator('.net-graph .net-frame.again').count()) > 0, 'no retransmission is on its way');
    const row = page.locator('.net-rows tr.now', { hasText: `◆ ${args.again.frame} TCP` }).getByRole('button').first();
    if (await eventually(async () => (await row.count()) > 0, 'the list has no retransmission')) {
      await row.focus();
      await page.keyboard.press('Enter');
      await eventually(async () => (await page.locator('.frame-hops tbody tr').count()) === 3, 'a frame over three cables has no three hops');
      check(/retransmission/.test(await line()), `not marked: ${await line()}`);
      const carries = page.locator('.net-message').getByRole('button', { name: /^message #/ });
      if (await eventually(async () => (await carries.count()) === 1, 'the frame has no message')) {
        await carries.focus();
        await page.keyboard.press('Enter');
        await eventually(async () => /delivered/.test(await line()), 'the message has no time line');
        check(/sampled/.test(await line()), `nothing says of when the states are: ${await line()}`);
        const parts = page.locator('.net-jumps button');
        await eventually(async () => (await parts.allTextContents()).includes(`◆ ${args.again.frame}`), `frames: ${await parts.allTextContents()}`);
        await parts.first().click();
        await eventually(async () => (await page.locator('.frame-hops tbody tr').count()) > 0, 'no frame of the message can be chosen');
      }
    }

    // a queue has its length, and a click on the frame that waits says since when
    await setTime(page, args.waits.queued_s + args.waits.waited_s / 2);
    await eventually(async () => (await page.locator('.net-queue').count()) > 0, 'no queue has a length');
    const topics = await page.evaluate(() => window.longarmView.viewer().context.runs[0].run.tables.map(({ topic }) => topic));
    check(topics.includes('/network/queues/office-bridge'), `no queue to plot: ${topics}`);

    // at the end, counters are those of the metrics
    await page.evaluate(() => window.longarmView.setTime(window.longarmView.viewer().context.runs[0].run.end_s));
    const cells = (words) => page.locator('.net-ports tr', { hasText: words }).first().locator('td').allTextContents();
    const number = (text) => Number((text ?? '').replace(/\D/g, ''));
    await eventually(async () => number((await cells('office → cell'))[3]) === args.cableLost, `lost: ${await cells('office → cell')} instead of ${args.cableLost}`);
    const sum = number((await cells('server → office'))[4]) + number((await cells('robot → cell'))[4]);
    check(sum === args.retransmissions, `${sum} retransmissions instead of ${args.retransmissions}`);
  },

  // a backend that does not tell of frames: messages, and words about it
  async networkWithoutHops() {
    const page = await open(args.address);
    await page.locator('canvas').focus();
    await page.keyboard.press('7');
    await setTime(page, 0.5);
    const words = page.locator('.network .hint', { hasText: `backend ${args.backend} does not report frames` });
    await eventually(() => words.isVisible(), 'nothing says that there are no hops');
    await eventually(async () => (await page.locator('.net-rows tr').count()) > 5, 'there are no messages');
    check(!(await page.locator('.net-legend').isVisible()), 'marks of frames are explained where there are none');
  },

  // a phone's width: nothing to scroll sideways, in light and dark
  async phone() {
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(args.address, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme });
      await setTime(page, 2);
      const tabs = page.getByRole('tab');
      for (let i = 0; i < (await tabs.count()); ++i) {
        await tabs.nth(i).tap();
        await sleep(150);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        check(wide <= 0, `${colorScheme}: ${wide} px too wide with tab ${await tabs.nth(i).textContent()}`);
        const cut = await page.evaluate(() => {
          const hasScroll = (at) => {
            for (let up = at; up; up = up.parentElement)
              if (/auto|scroll|hidden/.test(getComputedStyle(up).overflowX) && up !== document.body) return true;
            return false;
          };
          return [...document.querySelectorAll('button, select, input, h1')]
            .filter((at) => at.checkVisibility() && !hasScroll(at))
            .filter((at) => at.getBoundingClientRect().right > innerWidth + 1 || at.getBoundingClientRect().left < -1)
            .map((at) => at.ariaLabel || at.textContent.slice(0, 30) || at.className);
        });
        check(cut.length === 0, `${colorScheme}: beyond the edge: ${cut}`);
      }
      await page.close();
    }
  },

  // a file that was cut short: said on the page, and the rest works
  async broken() {
    const page = await open(args.address);
    const banner = page.locator('.banner.bad', { hasText: 'trace.mcap' });
    await eventually(() => banner.isVisible(), 'no banner says that the file was cut short');
    check((await banner.textContent()).includes(args.problem), `the banner says ${await banner.textContent()}`);
    await checkValues(page);
  },

  // a file with a damaged part: said on the page; values in it are none, and those after it are there
  async damaged() {
    const page = await open(args.address);
    const banner = page.locator('.banner.bad', { hasText: 'trace.mcap is damaged at byte' });
    await eventually(() => banner.isVisible(), 'no banner says that the file is damaged');
    const shown = () => page.locator('.plot-value').first().getAttribute('data-value');
    await setTime(page, args.after);
    await eventually(async () => Number.isFinite(Number(await shown())), `after the gap the value is ${await shown()}`);
    await setTime(page, args.gap);
    await eventually(async () => (await shown()) === 'NaN', `in the gap the value is ${await shown()}`);
    check((await banner.count()) === 1, `${await banner.count()} banners say the same`);
  },

  // a run under way: it advances, and after a restart of the program the page goes on
  async live() {
    const page = await open(args.address, {}, true);
    await eventually(async () => (await time(page)) > 0.3, 'the shown time does not follow the run');
    const first = await time(page);
    check(first < 60, `the shown time is ${first} s right after the start`);
    await eventually(async () => (await time(page)) > first + 1, 'the run does not advance');
    const stats = await page.evaluate(() => window.longarmView.stats());
    check(stats.rows > 50 && stats.bytes > 1000, `few rows: ${JSON.stringify(stats)}`);
    const joint = await value(page, 0, args.topic, args.column);
    check(Number.isFinite(joint), `${args.topic} ${args.column} is ${joint}`);
    // looking back while it goes on
    await page.keyboard.press('Space');
    await setTime(page, first);
    await sleep(500);
    check(Math.abs((await time(page)) - first) < 1e-9, 'who looks back is carried on');
    await page.keyboard.press('l');
    await eventually(async () => (await time(page)) > first + 1, 'l does not follow again');

    await request('stop');
    const lost = page.locator('.banner', { hasText: 'Connection to the program lost' });
    await eventually(() => lost.isVisible(), 'nothing says that the connection is lost');
    check(Number.isFinite(await value(page, 0, args.topic, args.column)), 'what was received is gone');
    await request('start');
    await eventually(async () => !(await lost.isVisible().catch(() => true)), 'the page does not connect again', 20);
    // it may have loaded itself anew
    const soon = (ask) => ask().catch(() => NaN);
    await eventually(
      async () => Number.isFinite(await soon(() => value(page, 0, args.topic, args.column))),
      'no values after the restart',
    );
    const again = await time(page);
    await eventually(async () => (await time(page)) > again + 0.5, 'the run does not advance after the restart');
    check((await time(page)) < first + 60, `time is that of the old run: ${await time(page)}`);
  },

  // a run under way shows the marks of what happens
  async liveMarks() {
    const page = await open(args.address, {}, true);
    const kinds = () => page.evaluate(() => window.longarmView.viewer().context.runs[0].run.marks.map(({ kind }) => kind));
    await eventually(async () => (await kinds()).includes('failure'), `no mark of the failure: ${await kinds()}`, 40);
  },
};

try {
  await cases[name]();
} catch (error) {
  problems.push(error.stack);
}
await browser.close();
for (const each of problems) console.error(each);
process.exit(problems.length ? 1 : 0);
