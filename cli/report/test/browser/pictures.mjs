/* global requestAnimationFrame */
// Pictures of views for the documents: node pictures.mjs OUT NAME=PAGE.html#VIEW[,WIDTHxHEIGHT[,dark]]...
import path from 'node:path';
import { launchChromium, openPage } from './browser.mjs';

const [out, ...wanted] = process.argv.slice(2);
const browser = await launchChromium();
try {
  for (const text of wanted) {
    const [, name, file, view, width = '1280', height = '800', mode] = /^([\w-]+)=([^#]+)#([^,]+)(?:,(\d+)x(\d+))?(?:,(dark))?$/.exec(text) ?? [];
    if (!name) throw new Error(`${text} is not NAME=PAGE.html#VIEW[,WIDTHxHEIGHT[,dark]]`);
    const { page, complaints } = await openPage(browser, path.resolve(file), { width: Number(width), height: Number(height), dark: mode === 'dark', hash: `#${view}` });
    await page.waitForFunction((shown) => document.documentElement.dataset.ready === shown && (!document.querySelector('.chart') || document.querySelector('[data-drawn="true"]')), { timeout: 60000 }, view.split('?')[0]);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const said = await complaints();
    if (said.length) throw new Error(`${text}: ${said.join('; ')}`);
    await page.screenshot({ path: path.join(out, `${name}.png`) });
    await page.close();
  }
} finally {
  await browser.close();
}
