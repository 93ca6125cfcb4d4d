/* global setTimeout */
// How soon a page is ready, and what it costs: node measure.mjs FILE [RUNS [VIEWS]]; EAR_REPORT_BROWSER=firefox.
//
// For each view the median of the runs: milliseconds from the navigation until the first of it is seen, and until all
// of it is drawn; processor time of the page's process until then, with all of its threads and with its main thread;
// and in Chromium the longest tasks of the main thread, in milliseconds of processor time. Puppeteer's monitor of the
// network is off: it makes Chromium decode the whole file a second time, in one task of the main thread.
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { isFirefox, launchChromium, launchFirefox, traceTasks } from './browser.mjs';

const [file, runs = '5', views = 'summary,flame,timeline'] = process.argv.slice(2);

/** Processor time of the browser's processes of pages: pid -> [all threads, main thread]. */
function spent() {
  const found = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!/--type=renderer|-contentproc/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) continue;
      const of = (thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
      found.set(pid, [readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + of(thread), 0), of(pid)]);
    } catch {
      // it has ended
    }
  }
  return found;
}

function growth(before) {
  const grown = [...spent()].map(([pid, times]) => times.map((time, i) => time - (before.get(pid)?.[i] ?? 0)));
  return grown.sort((a, b) => b[0] - a[0])[0] ?? [0, 0];
}

const WATCH = () => {
  window.seen = {};
  const look = () => {
    const { ready } = document.documentElement?.dataset ?? {};
    const chart = document.querySelector('.chart');
    if (document.querySelector('.verdict, .chart-boxes')) window.seen.first ??= performance.now();
    if (ready && (!chart || chart.dataset.drawn === 'true')) window.seen.all = performance.now();
    else setTimeout(look, 10);
  };
  setTimeout(look, 10);
};

const median = (values) => Math.round([...values].sort((a, b) => a - b)[values.length >> 1]);
const browser = isFirefox ? await launchFirefox() : await launchChromium([], { networkEnabled: false });
for (const view of views.split(',')) {
  const results = [];
  let tasks = [];
  for (let run = 0; run <= Number(runs); run++) {
    const page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 800 });
    await page.evaluateOnNewDocument(WATCH);
    const before = spent();
    const load = async () => {
      await page.goto(`${pathToFileURL(file).href}#${view}`, { waitUntil: 'domcontentloaded', timeout: 100000 });
      await page.waitForFunction(() => window.seen.all, { timeout: 100000, polling: 20 });
    };
    if (run < Number(runs)) {
      await load();
      results.push({ ...(await page.evaluate(() => window.seen)), cost: growth(before) });
    } else if (!isFirefox) {
      tasks = (await traceTasks(page, load)).slice(0, 4).map(({ cpu }) => Math.round(cpu));
    }
    await page.close();
  }
  const of = (get) => median(results.map(get));
  console.log(`${view}: first ${of((one) => one.first)}, all ${of((one) => one.all)}, processor ${of((one) => one.cost[0])}, main thread ${of((one) => one.cost[1])}${tasks.length ? `, longest tasks ${tasks.join(' ')}` : ''}`);
}
await browser.close();
