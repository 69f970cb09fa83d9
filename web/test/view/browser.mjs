// SPDX-License-Identifier: Apache-2.0
// Starts Chromium for tests, drawing in software as it does on a machine without a graphics card: $CHROMIUM or
// /usr/bin/chromium.
import { chromium } from 'playwright-core';

export const openBrowser = (more = []) =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // nothing that a browser does for itself at its start: it slows pages down on a machine without a network
    args: [
      '--no-sandbox',
      // WebGL alone by an emulated graphics card; with it for the whole page, each figure takes many times as long
      '--use-gl=angle',
      '--use-angle=swiftshader-webgl',
      '--enable-unsafe-swiftshader',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...more,
    ],
  });

// What Chromium tells the page's console about itself where it draws in software: it copies pictures from WebGL.
export const isOfBrowser = (text) => /GL Driver Message .*GPU stall due to ReadPixels/.test(text);
