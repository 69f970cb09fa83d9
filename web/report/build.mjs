// SPDX-License-Identifier: Apache-2.0
// Bundles src/ into dist/page.html (all inline) and dist/report_page.cpp, or with --tests the unit tests into dist/tests/.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, 'dist');
const placeholder = '<script type="application/json" id="report-data">{}</script>';

// The licence texts of every package whose code is in the bundle, each text once.
function notices(metafile) {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  const byText = new Map();
  for (const name of [...packages].sort()) {
    const folder = join(here, 'node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file`);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = readFileSync(join(folder, file), 'utf8').trim();
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
  }
  return [...byText].map(([text, names]) => `${names.join(', ')}\n\n${text}`).join('\n\n');
}

// A C++ string literal of any bytes; three-digit octal escapes cannot swallow a following digit.
function literal(bytes) {
  const lines = [];
  for (let start = 0; start < bytes.length; start += 4000) {
    let line = '';
    for (const byte of bytes.subarray(start, start + 4000)) {
      const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63;
      line += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
    }
    lines.push(`    "${line}"`);
  }
  return lines.join('\n');
}

async function buildPage() {
  const script = await build({
    entryPoints: [join(here, 'src/main.ts')],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    absWorkingDir: here,
    format: 'iife',
    target: 'es2020',
    legalComments: 'none',
  });
  const style = await build({
    entryPoints: [join(here, 'src/style.css')],
    bundle: true,
    minify: true,
    write: false,
    absWorkingDir: here,
  });
  const text = (result) => result.outputFiles[0].text.trim();
  const parts = {
    '/*STYLE*/': text(style).replaceAll('</style', '<\\/style'),
    '/*SCRIPT*/': text(script).replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--'),
    NOTICES: notices(script.metafile).replaceAll('-->', '-- >'),
  };
  let page = readFileSync(join(here, 'src/page.html'), 'utf8');
  for (const [mark, content] of Object.entries(parts)) {
    if (page.split(mark).length !== 2) throw new Error(`src/page.html must hold ${mark} once`);
    page = page.replace(mark, () => content);
  }
  if (page.split(placeholder).length !== 2)
    throw new Error('the page must hold its data placeholder once');

  mkdirSync(dist, { recursive: true });
  writeFileSync(join(dist, 'page.html'), page);
  const source = `// SPDX-License-Identifier: Apache-2.0
// Made by web/report/build.mjs: the page of longarm report.
#include "longarm/study/report/report_page.h"

#pragma GCC diagnostic ignored "-Woverlength-strings"

namespace longarm::study {
namespace {
constexpr char kPage[] =
${literal(Buffer.from(page, 'utf8'))};
}  // namespace

std::string_view report_page() { return {kPage, sizeof(kPage) - 1}; }

}  // namespace longarm::study
`;
  writeFileSync(join(dist, 'report_page.cpp'), source);
  console.log(`page.html: ${(Buffer.byteLength(page) / 1000).toFixed(1)} kB`);
}

async function buildTests() {
  const out = join(dist, 'tests');
  rmSync(out, { recursive: true, force: true });
  const tests = readdirSync(join(here, 'test')).filter((name) => name.endsWith('.test.ts'));
  await build({
    entryPoints: tests.map((name) => join(here, 'test', name)),
    bundle: true,
    outdir: out,
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    format: 'esm',
    target: 'node18',
  });
}

await (process.argv.includes('--tests') ? buildTests() : buildPage());
