// All tests of pages in one browser: starting one takes as long as ten tests.
import { isFirefox } from './browser.mjs';

await import(isFirefox ? './firefox.test.mjs' : './browser.test.mjs');
await import('./views.test.mjs');
if (!isFirefox) await import('./live.test.mjs');
