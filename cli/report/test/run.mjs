// Runs tests: node run.mjs OUT unit | browser | firefox. Bundles *.test.ts into OUT, and starts node's
// own runner; browsers run without a network where that is permitted.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
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
    external: ['earshot:worker'],
    sourcemap: 'inline',
    logLevel: 'warning',
    plugins: [
      {
        name: 'worker', // the page's side of the worker is tested in browsers
        setup(build) {
          build.onResolve({ filter: /^earshot:worker$/ }, () => ({ path: 'worker', namespace: 'earshot' }));
          build.onLoad({ filter: /.*/, namespace: 'earshot' }, () => ({ contents: '', loader: 'text' }));
        },
      },
    ],
  });
  return names.map((name) => path.join(out, name.replace(/\.ts$/, '.mjs')));
}

function withoutNetwork() {
  const tried = spawnSync('unshare', ['-n', 'true']);
  if (tried.status === 0) return ['unshare', '-n'];
  console.log('# a network namespace of its own is not permitted here: the tests run in this one');
  return [];
}

const files = what === 'unit' ? await bundleTests() : [path.join(here, 'browser', `${what}.test.mjs`)];
// Firefox is driven over a port of its own, which needs a loopback.
const wrapper = what === 'browser' ? withoutNetwork() : [];
const [command, ...rest] = [...wrapper, process.execPath, '--enable-source-maps', '--test', ...files];
process.exit(spawnSync(command, rest, { stdio: 'inherit' }).status ?? 1);
