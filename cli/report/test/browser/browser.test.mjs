// Pages in real browsers. EAR_REPORT_BUNDLE is the folder of the built bundle.
//
// Each page is opened twice: as a reader opens it, when its policy must have blocked nothing, and with
// the policy switched off and all requests caught, when it must have tried none.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { closeBrowser, openPage, release, sharedBrowser } from './browser.mjs';
import { encodeColumns, makePage, readBundle } from './pack.mjs';
import { makeFlame, makeTimeline } from './synthetic.mjs';

const bundle = readBundle(process.env.EAR_REPORT_BUNDLE ?? 'dist');
const folder = mkdtempSync(path.join(tmpdir(), 'earshot-page-'));
const sections = [
  { name: 'flame', kind: 'columns', data: makeFlame(3000), command: 'earshot profile -f columns synthetic.shot' },
  { name: 'timeline', kind: 'columns', data: makeTimeline(20000), command: 'earshot timeline -f columns synthetic.shot' },
];
// What the tests of views have, too.
const skip = process.env.EARSHOT_NIGHT !== '1' && 'in the night';
let browser;

before(async () => {
  browser = await sharedBrowser();
});
after(async () => {
  await closeBrowser();
  rmSync(folder, { recursive: true });
});

function write(name, options) {
  const file = path.join(folder, name);
  writeFileSync(file, makePage(bundle, { sections, ...options }));
  return file;
}

// Most tests look at the same page.
const whole = write('whole.html');

async function drawn(page) {
  await page.waitForSelector('[data-drawn="true"]');
}

/** The colours in a rectangle of the chart, by how often. */
function colours(page) {
  return page.evaluate(() => {
    const canvas = document.querySelector('.chart-boxes');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Map();
    for (let i = 0; i < data.length; i += 4) {
      const key = `${data[i]},${data[i + 1]},${data[i + 2]},${data[i + 3]}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    return [...seen].sort((a, b) => b[1] - a[1]);
  });
}

const text = (page, selector) => page.$eval(selector, (element) => element.textContent);
const current = (page) => page.$eval('.grid-row[aria-selected="true"]', (row) => [...row.children].map((cell) => cell.textContent));

test('the flame graph is drawn, walked by keyboard, searched, and kept in the address', async () => {
  const { page, complaints } = await openPage(browser, whole, { hash: '#flame' });
  await drawn(page);
  assert.ok((await colours(page)).length > 20, 'the canvas is not empty');
  const rows = Number(await page.$eval('[role="treegrid"]', (grid) => grid.getAttribute('aria-rowcount')));
  assert.ok(rows > 10);
  await page.focus('.chart-scroll');
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  await page.waitForFunction(() => location.hash.includes('at='));
  const [name, total, share] = await current(page);
  const detail = await text(page, '.chart-detail');
  for (const part of [name.replace(/^[\u25b8\u25be]/, ''), total, share]) assert.ok(detail.includes(part), `${detail} has ${part}`);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('from='));
  const again = await openPage(browser, whole, { hash: await page.evaluate(() => location.hash) });
  await drawn(again.page);
  assert.deepEqual(await current(again.page), [name, total, share, ...(await current(page)).slice(3)]);
  assert.deepEqual(await colours(again.page), await colours(page), 'a link shows the same picture');
  release(again.page);
  await page.bringToFront();
  await page.keyboard.press('Escape');
  await page.type('.chart-search', 'no such function');
  assert.equal(await text(page, '.chart-found'), 'nothing found');
  await page.$eval('.chart-search', (input) => ((input.value = 'read_packet'), input.dispatchEvent(new Event('input'))));
  assert.match(await text(page, '.chart-found'), /^\d+ nodes, [\d,]+ instructions, \d+\.\d %$/);
  await page.focus('.chart-search');
  await page.keyboard.press('Enter');
  assert.match((await current(page))[0], /read_packet/);
  await page.evaluate(() => [...document.querySelectorAll('.chart-detail button')].at(-1).click());
  await page.waitForFunction(() => location.hash.includes('order=sandwich'));
  await drawn(page);
  await page.waitForFunction(() => document.querySelector('.grid-row')?.textContent.includes('read_packet and its callers'));
  assert.deepEqual(await complaints(), []);
  release(page);
});

test('the timeline is zoomed, marked and added up', async () => {
  const { page, complaints } = await openPage(browser, whole, { hash: '#timeline?from=100000&to=100400' });
  await drawn(page);
  const before = await colours(page);
  const counted = Number(await page.$eval('[role="grid"][aria-label^="Slices"]', (grid) => grid.getAttribute('aria-rowcount')));
  await page.focus('.chart-scroll');
  await page.keyboard.press('KeyW');
  await page.waitForFunction(() => location.hash.includes('from=100080'));
  await drawn(page);
  assert.notDeepEqual(await colours(page), before);
  await page.keyboard.press('Digit0');
  await page.waitForFunction((old) => Number(document.querySelector('[role="grid"][aria-label^="Slices"]').getAttribute('aria-rowcount')) > old, {}, counted);
  const all = Number(await page.$eval('[role="grid"][aria-label^="Slices"]', (grid) => grid.getAttribute('aria-rowcount')));
  assert.equal(all, 1 + 40 + 28 * Math.floor(20000 / 28), 'the table has each slice and each moment');
  const ruler = await (await page.$('.chart-ruler')).boundingBox();
  await page.mouse.move(ruler.x + 100, ruler.y + 10);
  await page.mouse.down();
  await page.mouse.move(ruler.x + 200, ruler.y + 10, { steps: 3 });
  await page.mouse.up();
  await page.waitForSelector('[role="grid"][aria-label^="What the marked"] .grid-row');
  await page.waitForFunction(() => location.hash.includes('area_from='));
  assert.deepEqual(await complaints(), []);
  release(page);
});

test('both themes and a narrow page', { skip }, async () => {
  const light = await openPage(browser, whole, { hash: '#flame', width: 400 });
  await drawn(light.page);
  const dark = await openPage(browser, whole, { hash: '#flame', width: 400, dark: true });
  await drawn(dark.page);
  const [[paper]] = [await colours(light.page)];
  const others = (await colours(dark.page)).map(([colour]) => colour);
  assert.ok(others.includes('0,0,0,0') || paper, 'a canvas is clear where nothing is');
  const shared = (await colours(light.page)).slice(0, 12).filter(([colour]) => !colour.endsWith(',0') && others.slice(0, 12).includes(colour));
  assert.deepEqual(shared, [], 'the themes have colours of their own');
  for (const { page, complaints } of [light, dark]) {
    await page.bringToFront(); // what is not in front is not drawn
    for (const hash of ['#flame', '#timeline']) {
      await page.evaluate((to) => (location.hash = to), hash);
      await page.waitForSelector('.grid-row');
      await drawn(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 400, `${hash} does not scroll sideways`);
    }
    assert.deepEqual(await complaints(), []);
    release(page);
  }
});

test('nothing is asked of a network, with the policy or without', async () => {
  const { page, attempts } = await openPage(browser, whole, { hash: '#flame', bypass: true });
  await drawn(page);
  await page.evaluate(() => (location.hash = '#timeline'));
  await page.waitForSelector('.chart-counters');
  assert.deepEqual(attempts, []);
  await page.close();
});

test('what is injected is blocked, and is seen here', async () => {
  const { page, complaints } = await openPage(browser, whole, { hash: '#flame' });
  await drawn(page);
  await page.evaluate(() => {
    const image = document.createElement('img');
    image.src = 'https://example.org/x.png';
    document.body.append(image);
    try {
      document.body.innerHTML = '<b>x</b>';
    } catch {
      // Trusted Types
    }
  });
  await page.waitForFunction(() => window.earshotBlocked.length >= 2);
  const said = (await complaints()).filter((one) => one.startsWith('blocked'));
  assert.ok(said.some((one) => one.includes('img-src')) && said.some((one) => one.includes('require-trusted-types-for')), said.join('\n'));
  release(page);
});

test('names of a hostile program are text', { skip }, async () => {
  const names = ['</script><img src=x onerror=alert(1)>', '\u202egnp.exe', '\u0000\u001b[31m', 'a'.repeat(10000), '<b>', ''];
  const hostile = {
    name: 'flame',
    kind: 'columns',
    data: encodeColumns({ unit: 'records', total: 21, unknown: 2 ** 53 - 1 }, ['call', ...names], {
      nodes: {
        depth: ['u32', 'plain', names.map((_, i) => i)],
        name: ['u32', 'plain', names.map((_, i) => i + 1)],
        kind: ['u32', 'plain', names.map(() => 0)],
        self: ['u64', 'plain', names.map((_, i) => i + 1)],
        calls: ['u64', 'plain', names.map(() => 1)],
        merged: ['u32', 'plain', names.map(() => 0)],
      },
    }),
    command: names[0],
    messages: [names[0], names[1]],
  };
  const { page, complaints } = await openPage(browser, write('hostile.html', { sections: [hostile], title: names[0] }), { hash: '#flame' });
  await drawn(page);
  assert.equal(await page.$$eval('img, b', (found) => found.length), 0);
  assert.ok((await text(page, '[role="treegrid"]')).includes(names[0]));
  assert.deepEqual(await complaints(), []);
  release(page);
});

test('a damaged page says what is wrong', async () => {
  const cases = {
    'a chunk is gone': [(text) => text.slice(0, 0), /flame.*0 of its 1 chunks/],
    'a letter is none of base64': [(text) => `!${text.slice(1)}`, /flame.*base64/],
    'bytes differ': [(text) => `${text.slice(0, 4000)}AAAA${text.slice(4004)}`, /flame.*damaged/],
  };
  // Of each case a trace, in one page.
  const all = Object.values(cases);
  const file = write('damaged.html', {
    sections: all.map((_, trace) => ({ ...sections[0], trace })),
    head: { traces: Object.keys(cases).map((name) => ({ name, path: name })) },
    change: (chunks) => chunks.map((one) => ({ ...one, text: all[one.section][0](one.text) })).filter(({ text }) => text),
  });
  const { page } = await openPage(browser, file, { hash: '#flame' });
  for (const [trace, [name, [, expected]]] of Object.entries(cases).entries()) {
    await page.evaluate((to) => (location.hash = to), `#flame?trace=${trace}`);
    await page.waitForFunction((wanted) => new RegExp(wanted).test(document.querySelector('[role="alert"]')?.textContent), {}, expected.source)
      .catch(async (error) => assert.fail(`${name}: ${await text(page, 'main')}: ${error.message}`));
  }
  release(page);
  const cut = path.join(folder, 'cut.html');
  const all_ = readFileSync(whole, 'utf8');
  writeFileSync(cut, all_.slice(0, all_.lastIndexOf('data-section="1"') + 300));
  const again = await openPage(browser, cut, { hash: '#timeline' });
  await again.page.waitForSelector('[role="alert"]');
  assert.match(await text(again.page, '[role="alert"]'), /damaged|missing/);
  release(again.page);
});
