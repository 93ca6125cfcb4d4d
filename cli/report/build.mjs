// Builds the bundle: node build.mjs [OUT]. Writes report.js, report.css, live.js, live.css and
// SHA256SUMS, which names them and the sources that they are made of. Two builds of the same sources are equal.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(process.argv[2] ?? path.join(here, 'dist'));
const BUDGETS = { report: 60 * 1024, live: 16 * 1024 }; // gzip, script and style

// The tools are in the build folder, where CMake calls npm, or beside this file.
async function loadEsbuild() {
  for (const base of [process.env.EAR_REPORT_TOOLS, here]) {
    if (!base) continue;
    try {
      const found = createRequire(path.join(base, 'package.json')).resolve('esbuild');
      return await import(pathToFileURL(found).href);
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw new Error('esbuild is not installed: run npm ci in cli/report, or build with -DEAR_REPORT=ON');
}

async function listSources() {
  const names = await readdir(path.join(here, 'src'), { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(here, path.join(entry.parentPath ?? entry.path, entry.name)));
  return [...files, 'build.mjs', 'package-lock.json'].sort();
}

/* Names of private members that the sources have only after `this.`: nothing else can know them, so they may be
 * short. A name that is anywhere else, even in a comment, stays as it is. */
async function listPrivate() {
  const texts = await Promise.all((await listSources()).filter((name) => name.endsWith('.ts')).map((name) => readFile(path.join(here, name), 'utf8')));
  const all = texts.join('\n');
  const declared = /\bprivate (?:(?:static|readonly|async|get|set) )*\*?(\w+)/g;
  const names = new Set([...all.matchAll(declared)].map(([, name]) => name));
  const rest = new Set(all.replace(declared, '').replace(/\bthis\.\w+/g, 'this').match(/\w+/g));
  return [...names].filter((name) => !rest.has(name)).sort();
}

const { default: esbuild } = await loadEsbuild();
const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  write: false,
  charset: 'ascii', // one letter beyond Latin-1 doubles what a browser needs for a page of megabytes
  legalComments: 'none',
  mangleProps: new RegExp(`^(${(await listPrivate()).join('|')})$`),
  logLevel: 'warning',
};
const script = { ...common, format: 'iife', target: 'es2022' };

async function bundle(options) {
  const { outputFiles } = await esbuild.build(options);
  return outputFiles[0].text.trim();
}

const bundled = {
  'report.js': await bundle({ ...script, entryPoints: ['src/main.ts'] }),
  'report.css': await bundle({ ...common, entryPoints: ['src/style.css'] }),
  'live.js': await bundle({ ...script, entryPoints: ['src/live/main.ts'] }),
  'live.css': await bundle({ ...common, entryPoints: ['src/live/live.css'] }),
};
for (const [name, text] of Object.entries(bundled))
  if (/<\/script|<\/style|<!--/i.test(text)) throw new Error(`${name} holds </script, </style or <!--, which would end it in the page`);

function judgeSize(page) {
  const texts = [bundled[`${page}.js`], bundled[`${page}.css`]];
  const size = texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
  if (size > BUDGETS[page]) throw new Error(`the bundle of ${page} has ${size} bytes after gzip, its budget is ${BUDGETS[page]}`);
  return `${page}.js ${texts[0].length}, ${page}.css ${texts[1].length}, together ${size} bytes after gzip of ${BUDGETS[page]}`;
}
const sizes = Object.keys(BUDGETS).map(judgeSize);

const sum = (bytes) => createHash('sha256').update(bytes).digest('hex');
const sums = Object.entries(bundled).map(([name, text]) => `${sum(text)}  ${name}\n`);
for (const name of await listSources()) sums.push(`${sum(await readFile(path.join(here, name)))}  ../${name}\n`);
await mkdir(out, { recursive: true });
for (const [name, text] of Object.entries({ ...bundled, SHA256SUMS: sums.join('') })) await writeFile(path.join(out, name), text);
console.log(sizes.join('\n'));
