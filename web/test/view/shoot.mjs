// SPDX-License-Identifier: Apache-2.0
// Takes a screenshot of a viewer's page: node shoot.mjs ADDRESS OUT.png [WIDTHxHEIGHT] [light|dark] [SCRIPT]
import { openBrowser } from './browser.mjs';

const [address, out, size = '1280x800', colorScheme = 'light', script = ''] = process.argv.slice(2);
const [width, height] = size.split('x').map(Number);
const browser = await openBrowser();
const page = await browser.newPage({ viewport: { width, height }, colorScheme });
page.on('console', (message) => console.log(message.type(), message.text()));
page.on('pageerror', (error) => console.log('error', error.message));
await page.goto(address);
await page.waitForFunction(() => window.longarmView, null, { timeout: 60_000 });
await page.evaluate(() => window.longarmView.ready);
if (script) await page.evaluate(script);
await page.waitForTimeout(700);
await page.screenshot({ path: out });
await browser.close();
