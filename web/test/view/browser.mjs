// SPDX-License-Identifier: Apache-2.0
// Starts Chromium for tests, drawing in software: $CHROMIUM or /usr/bin/chromium.
import { chromium } from 'playwright-core';

export const openBrowser = (more = []) =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // nothing that a browser does for itself at its start: it slows pages down on a machine without a network
    args: [
      '--no-sandbox',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--ignore-gpu-blocklist',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...more,
    ],
  });
