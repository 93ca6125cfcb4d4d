// Runs tests: node run.mjs OUT unit | browser | firefox. Bundles *.test.ts into OUT, and starts node's
// own runner; browsers run without a network where that is permitted. With the command and the virtual
// board (EARSHOT_BIN, EARSHOT_BOARD, EARSHOT_PROGRAMS) they have pages of programs, made in OUT: one of
// them, and with EARSHOT_NIGHT=1 three and a comparison.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const [out, what] = process.argv.slice(2);

async function bundleTests() {
  const require = createRequire(path.join(process.env.EAR_REPORT_TOOLS, 'package.json'));
  const { default: esbuild } = await import(pathToFileURL(require.resolve('esbuild')).href);
  const names = readdirSync(here).filter((name) => name.endsWith('.test.ts'));
  await esbuild.build({
    absWorkingDir: here,
    entryPoints: names,
    outdir: out,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'es2022',
    outExtension: { '.js': '.mjs' },
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return names.map((name) => path.join(out, name.replace(/\.ts$/, '.mjs')));
}

function withoutNetwork() {
  const tried = spawnSync('unshare', ['-n', 'true']);
  if (tried.status === 0) return ['unshare', '-n'];
  console.log('# a network namespace of its own is not permitted here: the tests run in this one');
  return [];
}

function makePages() {
  const { EARSHOT_BIN: earshot, EARSHOT_BOARD: board, EARSHOT_PROGRAMS: programs, EARSHOT_NIGHT: night } = process.env;
  if (!earshot || !board || !existsSync(board)) {
    console.log('# no virtual board in this build: no page of a program is made');
    return [];
  }
  const folder = path.join(out, what);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const shots = [];
  const pages = [];
  const report = (name, ...traces) => {
    const page = path.join(folder, `${name}.html`);
    execFileSync(earshot, ['report', '-q', ...traces, '-o', page]);
    pages.push(page);
  };
  const names = ['story_pointer', 'sort', 'tasks'].slice(0, night && what === 'browser' ? 3 : 1);
  for (const name of names) {
    const shot = path.join(folder, `${name}.shot`);
    const device = `sim:${path.join(programs, `${name}.elf`)},uart=/dev/null`;
    execFileSync(earshot, ['capture', '-q', '-d', device, '-o', shot, '--limit', '20000', ...(name === 'sort' ? ['--time', 'record'] : [])]);
    shots.push(shot);
    report(name, shot);
  }
  if (shots.length > 1) report('both', ...shots.slice(0, 2));
  return pages;
}

// In the night: a page of a log of each kind. Some are damaged on purpose, which is in the exit status.
function makeSamples() {
  const { EARSHOT_BIN: earshot, EARSHOT_NIGHT: night } = process.env;
  if (!earshot || !night || what !== 'browser') return [];
  const logs = path.join(here, '../../../tests/data/logs');
  const names = readdirSync(logs).filter((name) => name.endsWith('.jsonl') && name !== 'written.jsonl').map((name) => name.slice(0, -6));
  return names.map((name) => {
    const page = path.join(out, what, `log-${name}.html`);
    spawnSync(earshot, ['report', '-q', '--no-index', path.join(logs, name), '-o', page]);
    return page;
  });
}

const files = what === 'unit' ? await bundleTests() : [path.join(here, 'browser', 'all.mjs')];
// Firefox is driven over a port of its own, which needs a loopback.
const wrapper = what === 'browser' ? withoutNetwork() : [];
if (what !== 'unit') {
  process.env.EAR_REPORT_PAGES = makePages().join(':');
  process.env.EAR_REPORT_SAMPLES = makeSamples().join(':');
  process.env.EAR_REPORT_BROWSER = what;
}
const [command, ...rest] = [...wrapper, process.execPath, '--enable-source-maps', '--test', ...files];
process.exit(spawnSync(command, rest, { stdio: 'inherit' }).status ?? 1);
