// Drives Debian's browsers: chromium by its own protocol, firefox-esr by BiDi. A page's complaints
// are collected: errors, and what its policy blocked. No test passes with any.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

async function loadTool(name) {
  const base = process.env.EAR_REPORT_TOOLS;
  if (!base) throw new Error('EAR_REPORT_TOOLS must name the folder in which npm has installed the tools: build/cli/report/npm');
  const require = createRequire(path.join(base, 'package.json'));
  return import(pathToFileURL(require.resolve(name)).href);
}

/** Text of axe-core, to be run in a page. */
export function axePath() {
  return createRequire(path.join(process.env.EAR_REPORT_TOOLS ?? '.', 'package.json')).resolve('axe-core/axe.min.js');
}

export async function launchChromium(args = [], more = {}) {
  const { default: puppeteer } = await loadTool('puppeteer-core');
  return puppeteer.launch({
    executablePath: process.env.EAR_CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    pipe: true, // no port: it works without a network
    ...more,
    args: ['--no-sandbox', '--disable-gpu', '--in-process-gpu', '--disable-extensions', '--disable-dev-shm-usage', '--hide-scrollbars', '--force-color-profile=srgb', ...args],
  });
}

export async function launchFirefox(preferences = {}) {
  const { default: puppeteer } = await loadTool('puppeteer-core');
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env.EAR_FIREFOX ?? '/usr/bin/firefox-esr',
    headless: true,
    extraPrefsFirefox: preferences,
  });
}

let shared;

/** The browser of all tests of a run: Chromium, or Firefox with EAR_REPORT_BROWSER=firefox. */
export const isFirefox = process.env.EAR_REPORT_BROWSER === 'firefox';

export function sharedBrowser() {
  return (shared ??= isFirefox ? launchFirefox() : launchChromium());
}

export async function closeBrowser() {
  const browser = await shared;
  shared = undefined;
  idle.length = 0;
  await browser?.close();
}

// A new page costs a browser more than all that a test does in it: so a page is used again.
const idle = [];

/** Gives a page back that openPage() gave. */
export function release(page) {
  idle.push(page);
}

async function takePage(browser) {
  for (let page = idle.pop(); page; page = idle.pop()) {
    if (page.browser() !== browser || page.isClosed()) continue;
    await page.bringToFront(); // one that is not in front draws nothing
    await page.goto('about:blank');
    return page;
  }
  return newPage(browser);
}

const complaintsOf = new WeakMap();

async function newPage(browser) {
  const page = await browser.newPage();
  page.setDefaultTimeout(240000); // on a busy machine; what hangs ends with the test
  page.on('console', (message) => {
    // Tests read canvases, which a page does not.
    if (message.text().includes('willReadFrequently')) return;
    if (message.type() === 'error' || message.type() === 'warn') complaintsOf.get(page).push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaintsOf.get(page).push(`error: ${error instanceof Error ? error.message : String(error)}`));
  await page.evaluateOnNewDocument(WATCH);
  return page;
}

const WATCH = () => {
  window.earshotBlocked = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    window.earshotBlocked.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
  });
};

/** Opens a file; `watch` runs in it before its own script. `complaints()` has all that went wrong in the page so far. */
export async function openPage(browser, file, { width = 1280, height = 800, dark = false, hash = '', forced = false, bypass = false, watch } = {}) {
  const page = bypass ? await newPage(browser) : await takePage(browser);
  const said = [];
  const attempts = [];
  complaintsOf.set(page, said);
  await page.setViewport({ width, height });
  const features = [];
  if (dark) features.push({ name: 'prefers-color-scheme', value: 'dark' });
  if (forced) features.push({ name: 'forced-colors', value: 'active' });
  if (features.length || !isFirefox) await page.emulateMediaFeatures(features); // Firefox is driven without it
  if (bypass) {
    await page.setBypassCSP(true);
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (request.url().startsWith('file:') && request.isNavigationRequest()) return request.continue();
      // A blob: is the page's own, made by it in memory.
      if (request.url().startsWith('blob:')) return request.continue();
      attempts.push(request.url());
      return request.abort();
    });
  }
  const added = watch && (await page.evaluateOnNewDocument(watch));
  await page.goto(pathToFileURL(file).href + hash, { waitUntil: 'load', timeout: 240000 });
  if (added) await page.removeScriptToEvaluateOnNewDocument(added.identifier); // of this document only
  return {
    page,
    attempts,
    async complaints() {
      const blocked = await page.evaluate(() => window.earshotBlocked);
      return [...said, ...blocked.map((text) => `blocked: ${text}`)];
    },
  };
}

/** The processor time of the tasks of the page's main thread while `act` runs, in milliseconds, the
 * longest first. Wall time says nothing on a busy machine. */
export async function traceTasks(page, act) {
  await page.tracing.start({ categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'] });
  await act();
  const { traceEvents } = JSON.parse(Buffer.from(await page.tracing.stop()).toString('utf8'));
  // The browser has renderers of its own: a page of ours is a file, or draws.
  const own = new Set(traceEvents.filter((event) => event.name === 'FunctionCall' && !/^(chrome|devtools)/.test(event.args?.data?.url ?? '')).map((event) => event.pid));
  const threads = new Set(
    traceEvents
      .filter((event) => event.name === 'thread_name' && event.args.name === 'CrRendererMain' && own.has(event.pid))
      .map((event) => `${event.pid}:${event.tid}`),
  );
  return traceEvents
    .filter((event) => event.name === 'RunTask' && threads.has(`${event.pid}:${event.tid}`))
    .map((event) => ({ cpu: (event.tdur ?? 0) / 1000, wall: (event.dur ?? 0) / 1000 }))
    .sort((a, b) => b.cpu - a.cpu);
}
