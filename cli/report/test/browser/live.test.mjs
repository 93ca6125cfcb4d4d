// The page of serve --web in Chromium. Requests are caught and answered here, so it needs no network and no server:
// what the server sends is tested by tests/e2e/test_web.py. EAR_REPORT_BUNDLE is the folder of the built bundle.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test, { after } from 'node:test';
import { axePath, closeBrowser, sharedBrowser } from './browser.mjs';

const bundle = process.env.EAR_REPORT_BUNDLE ?? 'dist';
const read = (name) => readFileSync(path.join(bundle, name), 'utf8');
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const [script, style] = [read('live.js'), read('live.css')];
const HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,"><title>earshot, live</title><style>${style}</style></head><body><script>${script}</script></body></html>`;
const POLICY = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
const TOKEN = '0123456789abcdef';
const NAMES = ['main', '<img src=x onerror="document.title=1">', '</script><script>document.title=2</script>', 'a\n\nevent: end', '\u202egpj.exe', 'n'.repeat(100000)];

const counts = (records) => ({ records, clocks: 2 * records, traps: 0, interrupts: 1 });
const functions = NAMES.map((name, i) => ({ function: name, entry: '0x80000000', hart: 0, ...counts(600 - 100 * i) }));
const interval = (number, more = {}) => ({
  interval: number, state: 'running', seconds: 1, live: true, ...counts(2100), gaps: 0, missing: 0, unknown_gaps: 0, events: 0,
  idle: { share: 0.25, of: 'clocks' }, decoded: 2000, classes: { alu: 1500, load: 500, vector: 0 },
  causes: [{ kind: 'interrupt', cause: '0x80000007', count: 1 }],
  harts: [{ hart: 0, ...counts(2100), depth: 3, depth_most: 9, pc: '0x80000158', idle_records: 0, idle_clocks: 0 }],
  functions, other_functions: counts(0), other_instructions: counts(0), limited: false,
  instructions: [{ pc: '0x80000158', function: NAMES[1], entry: '0x80000000', path: '/src/<b>sort.c', line: 41, hart: 0, ...counts(2100) }],
  capture: { records: 2100, received: 9000, bytes_per_second: 9000, dropped: 0, ring_size: 1024, ring_fill: 0, ring_fill_most: 512, held_clocks: 0, offered: 9000, skipped: 0, absent: false },
  ...more,
});
const event = (name, data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const stream = [
  event('hello', { protocol: 1, earshot: 'earshot 0.2.0', device: 'sim:<i>x</i>', interval: 1 }),
  event('client', { clients: 2, skipped: 3, skipped_by_all: 3 }),
  event('interval', interval(0)), event('total', interval(0, { records: 9007199254740993n.toString(), missing: 4, gaps: 1 })).replace('"9007199254740993"', '9007199254740993'),
  event('end', { state: 'ended' }),
].join('');

const night = process.env.EARSHOT_NIGHT === '1';
after(closeBrowser);

async function open(hash, { width = 1280, dark = false } = {}) {
  const page = await (await sharedBrowser()).newPage();
  page.setDefaultTimeout(240000);
  const said = [];
  const asked = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  await page.setViewport({ width, height: 900 });
  if (dark) await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const url = new URL(request.url());
    asked.push([url.origin + url.pathname, request.headers().authorization, request.headers().referer || undefined]); // the part after # is not sent
    if (url.pathname === '/') request.respond({ status: 200, contentType: 'text/html', headers: { 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer' }, body: HTML });
    else if (request.headers().authorization === `Bearer ${TOKEN}`) request.respond({ status: 200, contentType: 'text/event-stream', body: stream });
    else request.respond({ status: 401, contentType: 'text/plain', body: 'earshot: that is not the token\n' });
  });
  await page.goto(`http://127.0.0.1:7738/${hash}`);
  return { page, said, asked };
}

const text = (page, selector) => page.$eval(selector, (element) => element.innerText);

test('the numbers and names of the stream are on the page, as text', async () => {
  for (const options of night ? [{}, { width: 400, dark: true }] : [{ width: 400, dark: true }]) {
    const { page, said, asked } = await open(`#${TOKEN}`, options);
    await page.waitForFunction(() => document.querySelector('.live-state')?.textContent.includes('Ended'));
    assert.match(await text(page, '.verdict'), /4 records missing, in 1 gap/);
    assert.match(await text(page, '.figures'), /instructions a second\s+2,100/);
    assert.match(await text(page, '.figures'), /9,007,199,254,740,993/, 'all digits, beyond 2^53 too');
    assert.match(await text(page, '.figures'), /idle, of clocks\s+25\.0 %/);
    assert.match(await text(page, '.live'), /3 updates: it was too slow/);
    const rows = await page.$$eval('section:first-child tbody tr td:first-child', (cells) => cells.map((cell) => cell.textContent));
    assert.equal(rows.length, NAMES.length);
    assert.deepEqual(rows.slice(0, 3), NAMES.slice(0, 3));
    assert.ok(rows[3].includes('\\u{a}') && rows[4].includes('\\u{202e}') && rows[5].length < 2000);
    assert.equal(await page.$('.live img, .live i, .live b'), null);
    assert.equal(await page.title(), 'sim:<i>x</i> - earshot, live');
    assert.equal(await page.evaluate(() => location.href), 'http://127.0.0.1:7738/', 'the token has left the address');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    assert.deepEqual(asked, [['http://127.0.0.1:7738/', undefined, undefined], ['http://127.0.0.1:7738/events', `Bearer ${TOKEN}`, undefined]]);
    await page.evaluate(readFileSync(axePath(), 'utf8'));
    const { violations } = await page.evaluate(() => window.axe.run());
    assert.deepEqual(violations.map((one) => [one.id, one.nodes.map((node) => node.html)]), []);
    assert.deepEqual(said, []);
    await page.close();
  }
});

test('keys switch to the sums and back, pause, and help; a wrong token is said and asked for again', async () => {
  const { page, said } = await open('#wrong');
  await page.waitForSelector('#token');
  await page.waitForFunction(() => document.querySelector('[role=alert]')?.textContent.includes('that is not the token'));
  await page.type('#token', TOKEN);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.live-state')?.textContent.includes('Ended'));
  assert.match(await text(page, '.live-scope'), /^Interval 0/);
  await page.keyboard.press('t');
  assert.match(await text(page, '.live-scope'), /^All since the beginning/);
  assert.equal(await page.$eval('button[aria-pressed=true]', (button) => button.textContent), 'Since the beginning');
  await page.keyboard.press('t');
  await page.keyboard.press('Space');
  assert.equal(await page.$eval('button[aria-pressed=true]', (button) => button.textContent), 'Pause');
  await page.keyboard.press('?');
  assert.ok(await page.$('dialog[open]'));
  assert.deepEqual(said.filter((line) => !line.includes('401')), []);
  await page.close();
});
