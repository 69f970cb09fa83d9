// SPDX-License-Identifier: Apache-2.0
// Bundles each page of src/ into dist/NAME.html (all inline) and dist/NAME_page.cpp, or with --tests the unit tests
// into dist/tests/.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';

import { build } from 'esbuild';

import { figureStyle, styleProperties } from './figure_style.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, 'dist');
const pages = [
  {
    name: 'report',
    namespace: 'longarm::study',
    header: 'longarm/study/report/report_page.h',
    later: { '/*MOTION*/': 'report/motion/main.ts' },
  },
  {
    name: 'view',
    namespace: 'longarm::view',
    header: 'longarm/view/view_page.h',
    packed: true,
  },
];

// The licence texts of every package whose code is in the bundle, each text once.
function notices(bundles) {
  const packages = new Set();
  for (const input of bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs))) {
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

// Every mark of the page's frame is replaced by its content; each must be there once.
function fill(name, frame, parts) {
  let page = frame;
  for (const [mark, content] of Object.entries(parts)) {
    if (page.split(mark).length !== 2) throw new Error(`${name}/page.html must hold ${mark} once`);
    page = page.replace(mark, () => content);
  }
  return page;
}

async function bundle(entry) {
  return build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    absWorkingDir: here,
    format: 'iife',
    target: 'es2020',
    legalComments: 'none',
    define: { FIGURE_STYLE: JSON.stringify(figureStyle) },
  });
}

const inScript = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

const packedText = (result) =>
  deflateRawSync(result.outputFiles[0].text.trim(), { level: 9 }).toString('base64');

// A page whose script is long holds it deflated, in base64; a short script in the page unpacks and runs it. So does
// every script of `later`, when it is needed.
async function pageOf({ name, packed, later = {} }) {
  const script = await bundle(`${name}/main.ts`);
  const style = await bundle(`${name}/style.css`);
  const others = Object.entries(later);
  const laterScripts = await Promise.all(others.map(([, entry]) => bundle(entry)));
  const text = (result) => result.outputFiles[0].text.trim();
  const parts = {
    '/*STYLE*/': (styleProperties + text(style)).replaceAll('</style', '<\\/style'),
    NOTICES: notices([script, ...laterScripts]).replaceAll('-->', '-- >'),
  };
  others.forEach(([mark], i) => {
    parts[mark] = packedText(laterScripts[i]);
  });
  if (packed) {
    const loader = await bundle(`${name}/loader.ts`);
    parts['/*PACKED*/'] = packedText(script);
    parts['/*SCRIPT*/'] = inScript(text(loader));
  } else {
    parts['/*SCRIPT*/'] = inScript(text(script));
  }
  const page = fill(name, readFileSync(join(here, 'src', name, 'page.html'), 'utf8'), parts);
  const placeholder = `<script type="application/json" id="${name}-data">{}</script>`;
  if (page.split(placeholder).length !== 2)
    throw new Error(`${name}/page.html must hold its data placeholder once`);
  return page;
}

async function buildPage({ name, namespace, header, ...how }) {
  const page = await pageOf({ name, ...how });
  mkdirSync(dist, { recursive: true });
  writeFileSync(join(dist, `${name}.html`), page);
  const source = `// SPDX-License-Identifier: Apache-2.0
// Made by web/build.mjs: the page of longarm ${name}.
#include "${header}"

#pragma GCC diagnostic ignored "-Woverlength-strings"

namespace ${namespace} {
namespace {
constexpr char kPage[] =
${literal(Buffer.from(page, 'utf8'))};
}  // namespace

std::string_view ${name}_page() { return {kPage, sizeof(kPage) - 1}; }

}  // namespace ${namespace}
`;
  writeFileSync(join(dist, `${name}_page.cpp`), source);
  console.log(`${name}.html: ${(Buffer.byteLength(page) / 1000).toFixed(1)} kB`);
}

async function buildTests() {
  const out = join(dist, 'tests');
  rmSync(out, { recursive: true, force: true });
  const tests = pages.flatMap(({ name }) =>
    readdirSync(join(here, 'test', name))
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => join(here, 'test', name, file)),
  );
  await build({
    entryPoints: tests,
    outbase: join(here, 'test'),
    bundle: true,
    outdir: out,
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    format: 'esm',
    target: 'node18',
    define: { FIGURE_STYLE: JSON.stringify(figureStyle) },
  });
}

if (process.argv.includes('--tests')) await buildTests();
else for (const page of pages) await buildPage(page);
