// The same page in Firefox ESR: opened, drawn, walked by keyboard. In the night: it starts slowly.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { closeBrowser, openPage, release, sharedBrowser } from './browser.mjs';
import { makePage, readBundle } from './pack.mjs';
import { makeFlame, makeTimeline } from './synthetic.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'earshot-page-'));
const file = path.join(folder, 'page.html');
let browser;

before(async () => {
  const sections = [
    { name: 'flame', kind: 'columns', data: makeFlame(3000) },
    { name: 'timeline', kind: 'columns', data: makeTimeline(20000) },
  ];
  writeFileSync(file, makePage(readBundle(process.env.EAR_REPORT_BUNDLE ?? 'dist'), { sections }));
  browser = await sharedBrowser();
});
after(async () => {
  await closeBrowser();
  rmSync(folder, { recursive: true });
});

for (const view of ['flame', 'timeline']) {
  test(`the ${view} is drawn and walked in Firefox`, async () => {
    const { page, complaints } = await openPage(browser, file, { hash: `#${view}` });
    await page.waitForSelector('[data-drawn="true"]');
    await page.focus('.chart-scroll');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => location.hash.includes('at='));
    const name = await page.$eval('.grid-row[aria-selected="true"] .grid-name', (cell) => cell.textContent.replace(/^[\u25b8\u25be]/, ''));
    assert.ok((await page.$eval('.chart-detail', (line) => line.textContent)).includes(name));
    const seen = await page.$eval('.chart-boxes', (canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });
    assert.ok(seen > 10, `${seen} colours`);
    assert.deepEqual(await complaints(), []);
    release(page);
  });
}
