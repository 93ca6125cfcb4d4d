/* global dispatchEvent, HashChangeEvent, URLSearchParams, innerWidth, getComputedStyle, NodeFilter, CanvasRenderingContext2D */
// The views in Chromium, or in Firefox with EAR_REPORT_BROWSER=firefox: each shows the numbers of its section, as
// printed. Pages come from the command (EAR_REPORT_PAGES, separated by ':'); hostile and damaged ones are made here.
//
//     EAR_REPORT_TOOLS=... EAR_REPORT_BUNDLE=... EAR_REPORT_PAGES=a.html:b.html node --test views.test.mjs
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { axePath, closeBrowser, isFirefox, openPage, release, sharedBrowser } from './browser.mjs';
import { makePage, readBundle } from './pack.mjs';
import { makeFlame, makeTimeline } from './synthetic.mjs';
import { unpackPage } from './unpack.mjs';

const pages = (process.env.EAR_REPORT_PAGES ?? '').split(':').filter(Boolean);
const night = process.env.EARSHOT_NIGHT === '1';
const folder = mkdtempSync(path.join(os.tmpdir(), 'earshot-views-'));
const axe = readFileSync(axePath(), 'utf8');
let browser;

before(async () => {
  browser = await sharedBrowser();
});
after(async () => {
  await closeBrowser();
  rmSync(folder, { recursive: true });
});

// ---- What a page shows. ----

async function go(page, view, parameters = {}) {
  const text = new URLSearchParams(parameters).toString();
  const hash = `#${view}${text ? `?${text}` : ''}`;
  await page.evaluate((to) => {
    delete document.documentElement.dataset.ready;
    if (location.hash === to) dispatchEvent(new HashChangeEvent('hashchange'));
    else location.hash = to;
  }, hash);
  await waitFor(page, view);
}

async function waitFor(page, view) {
  await page.waitForFunction((name) => document.documentElement.dataset.ready === name, { timeout: 20000 }, view).catch((error) => { throw new Error(`${view}: ${error.message}`); });
}

async function read(page) {
  return page.evaluate(() => {
    const plain = (element) => {
      const copy = element.cloneNode(true);
      copy.querySelectorAll('.sr').forEach((part) => part.remove());
      return copy.textContent.trim();
    };
    const tables = {};
    for (const table of document.querySelectorAll('main table')) {
      const columns = [...table.querySelectorAll('thead th')].map((head) => head.dataset.column ?? plain(head));
      const rows = [...table.querySelectorAll('tbody tr:not(.spacer)')].map((row) => Object.fromEntries([...row.children].map((cell, index) => [columns[index], plain(cell)])));
      tables[table.caption?.textContent ?? ''] = { rows, count: table.getAttribute('aria-rowcount') };
    }
    const figures = {};
    for (const row of document.querySelectorAll('main dl > div')) figures[plain(row.querySelector('dt'))] = plain(row.querySelector('dd'));
    return {
      tables,
      figures,
      title: document.querySelector('h1').textContent,
      text: document.querySelector('main').textContent,
      commands: [...document.querySelectorAll('main [data-command]')].map((code) => code.textContent),
      alert: document.querySelector('[role=alert]')?.textContent,
      list: [...document.querySelectorAll('nav#views a')].map((a) => a.getAttribute('href').slice(1)),
    };
  });
}

const UNKNOWN = '–';

/** The digits of the JSON, in groups of three: written without the page's own function. */
function digits(value) {
  if (value === null || value === undefined) return UNKNOWN;
  const [whole, part] = String(value).split('.');
  let text = '';
  for (let at = whole.length; at > 0; at -= 3) text = whole.slice(Math.max(0, at - 3), at) + (text && `,${text}`);
  return part ? `${text}.${part}` : text;
}

const same = (shown, expected, what) => assert.deepEqual([...shown].sort(), [...expected].sort(), what);
/** The rows of a table; of a long one those that are elements, and how many it says there are. */
function sameRows(table, text, expected) {
  const shown = table.rows.map(text);
  if (table.count === null) return same(shown, expected);
  assert.equal(Number(table.count) - 1, expected.length);
  const all = new Set(expected);
  return assert.deepEqual(shown.filter((row) => !all.has(row)), []);
}
const join = (...parts) => parts.join(' | ');
const number = (value) => (value === null || value === undefined ? UNKNOWN : `#${digits(value)}`);

const functionName = (row) => row.name ?? (row.entry ? `[${row.entry}]` : '[unknown]');

// ---- Each view against its section. ----

const CHECKS = {
  summary: (shown, data) => {
    const info = data.get('info');
    const why = data.get('why');
    const profile = data.get('profile');
    assert.equal(shown.figures.Records, digits(info.records));
    if (shown.figures.Clocks === undefined) assert.ok(shown.text.includes('The trace has no time') && profile.total.clocks === null);
    else assert.equal(shown.figures.Clocks, digits(profile?.total.clocks));
    assert.equal(shown.figures.Missing, digits(info.missing));
    assert.equal(shown.figures.Gaps, digits(info.gaps));
    assert.equal(shown.figures.Complete, info.complete === null ? UNKNOWN : info.complete ? 'yes' : 'no');
    if (why) assert.ok(shown.text.includes(why.text), why.text);
    const unit = profile.total.clocks === null ? 'records' : 'clocks';
    const top = [...profile.functions].sort((a, b) => b.self[unit] - a.self[unit])[0];
    assert.ok(shown.text.includes(functionName(top)), `${functionName(top)} took longest`);
  },
  why: async (shown, data, page) => {
    const why = data.get('why');
    const forks = why.values.some(({ roots, nodes }) => [roots, ...nodes.map((node) => node.sources)].some((list) => list.filter((one) => one.node !== null).length > 1));
    if (forks) assert.ok(await page.evaluate(() => [...document.querySelectorAll('.step')].some((step) => step.style.getPropertyValue('--depth') === '1')), 'sources of one step are beside it');
    assert.ok(shown.text.includes(why.text));
    for (const value of why.values)
      for (const node of value.nodes) {
        assert.ok(shown.text.includes(number(node.record)), `record ${node.record}`);
        assert.ok(shown.text.includes(node.instruction), node.instruction);
        if (node.line) assert.ok(shown.text.includes(node.line), node.line);
        if (node.after) assert.ok(shown.text.includes(node.before === node.after ? `${node.after}, as before` : `→ ${node.after}`), `value ${node.after}`);
      }
    for (const call of why.calls) if (call.symbol) assert.ok(shown.text.includes(call.symbol), call.symbol);
  },
  functions: (shown, data) => {
    const { functions, total } = data.get('profile');
    const clocks = total.clocks !== null;
    sameRows(
      shown.tables['Functions of the profile'], (row) => join(row.self_records, row.all_records, clocks ? row.self_clocks : '', clocks ? row.all_clocks : '', row.calls),
      functions.map((row) => join(digits(row.self.records), digits(row.inclusive.records), clocks ? digits(row.self.clocks) : '', clocks ? digits(row.inclusive.clocks) : '', digits(row.calls))),
    );
    assert.equal(shown.figures.Records, digits(total.records));
  },
  calls: (shown, data) => {
    const rows = data.get('calls').filter((row) => row.number !== undefined);
    if (!rows.length) return assert.ok(shown.text.includes('The trace has no call'));
    sameRows(
      shown.tables.Calls, (row) => join(row.number, row.last, row.records, row.clocks, row.depth),
      rows.map((row) => join(number(row.number), number(row.last), row.at_least === undefined ? digits(row.records) : `> ${digits(row.at_least)}`, row.at_least_clocks === undefined ? digits(row.clocks) : `> ${digits(row.at_least_clocks)}`, row.depth)),
    );
    return undefined;
  },
  tasks: (shown, data) => {
    same(shown.tables.Tasks.rows.map((row) => join(row.records, row.clocks, row.traps)), data.get('tasks').rows.map(({ counts }) => join(digits(counts.records), digits(counts.clocks), digits(counts.traps))));
  },
  source: (shown, data) => {
    const { functions } = data.get('annotate');
    const [first] = functions;
    const listed = Object.entries(shown.tables).find(([caption]) => caption.startsWith('Instructions of'))[1].rows.filter((row) => /^0x/.test(row.Address ?? ''));
    same(listed.map((row) => join(row.Address, row.Records)), first.instructions.map((row) => join(row.address, digits(row.records))));
    const lines = Object.entries(shown.tables).find(([caption]) => caption.startsWith('Source of'))?.[1].rows.filter((row) => /^\d+$/.test(row.Line ?? '')) ?? [];
    same(lines.map((row) => join(row.Line, row.Records)), first.lines.map((row) => join(row.line, row.records === null ? '' : digits(row.records))));
    for (const row of functions) assert.ok(shown.text.includes(functionName(row)), functionName(row));
  },
  coverage: (shown, data) => {
    const { files, total } = data.get('coverage');
    const of = (hit, all) => `${digits(hit)} of ${digits(all)}`;
    same(shown.tables.Files.rows.map((row) => join(row.path, row.lines, row.functions, row.branches)), files.map((row) => join(row.path, of(row.lines_hit, row.lines), of(row.functions_hit, row.functions), of(row.branches_hit, row.branches))));
    assert.ok(shown.figures.Lines.startsWith(of(total.lines_hit, total.lines)));
  },
  isa: (shown, data) => {
    const { hit, bins, rows } = data.get('isa');
    assert.equal(shown.figures['Bins that were hit'], `${digits(hit)} of ${digits(bins)}`);
    const ran = rows.filter((row) => row.group === 'opcode');
    for (const row of shown.tables.Instructions.rows) {
      const opcode = ran.find((entry) => entry.name === row.name);
      if (opcode) assert.equal(row.count, digits(opcode.count), row.name);
    }
    sameRows(shown.tables.Instructions, (row) => row.name, [...new Set(rows.map((row) => row.name))]);
  },
  mix: (shown, data) => {
    const [row] = data.get('stat').traces;
    for (const { name, count } of shown.tables['Classes of instructions'].rows) assert.equal(count, digits(row[name]), name);
    assert.equal(shown.figures.Retired, digits(row.executed));
    assert.equal(shown.figures['Hash of the run'], row.hash);
  },
  branches: (shown, data) => {
    const { branches, total } = data.get('branches');
    sameRows(shown.tables.Branches, (row) => join(row.pc, row.executed, row.misses, row.taken), branches.map((row) => join(row.pc, digits(row.executed), digits(row.misses), digits(row.taken))));
    assert.equal(shown.figures.Executed, digits(total.executed));
  },
  memory: (shown, data) => {
    const memory = data.get('memory');
    assert.equal(shown.figures.Reads, digits(memory.reads));
    assert.equal(shown.figures.Writes, digits(memory.writes));
    if (memory.region) same(shown.tables.Regions.rows.map((row) => join(row.address, row.reads, row.writes, row.touched)), memory.region.map((row) => join(row.address, digits(row.reads), digits(row.writes), digits(row.touched))));
  },
  errors: (shown, data) => {
    for (const error of data.get('errors').errors) {
      assert.ok(shown.text.includes(error.kind), error.kind);
      assert.ok(shown.text.includes(number(error.at.record)), `record ${error.at.record}`);
    }
  },
  check: (shown, data) => {
    const check = data.get('check');
    assert.equal(shown.figures.Violations, digits(check.violations));
    for (const row of shown.tables.Rules.rows) assert.equal(row.checked, digits(check.rules[row.rule].checked), row.rule);
    assert.equal(shown.tables.Rules.rows.length, Object.keys(check.rules).length);
  },
  marks: (shown, data) => {
    same((shown.tables.Marks?.rows ?? []).map((row) => row.name), data.get('marks').marks.map((mark) => mark.name));
  },
  records: (shown, data) => {
    const rows = data.get('records');
    const table = shown.tables.Records;
    assert.equal(table.count === null ? table.rows.length : Number(table.count) - 1, rows.length);
    for (const row of table.rows.slice(0, 30)) assert.ok(rows.some((record) => number(record.number) === row.number), row.number);
  },
  compare: (shown, data) => {
    const summary = data.get('diff', -1).find((event) => event.kind === 'summary');
    assert.equal(shown.figures['Records compared'], digits(summary.pairs));
    assert.equal(shown.figures.Differences, digits(summary.differences));
  },
  about: (shown, data) => {
    same(shown.tables.Commands.rows.map((row) => row.status), data.head.sections.map((section) => digits(section.status)));
    for (const section of data.head.sections) assert.ok(shown.text.includes(section.command), section.command);
  },
};

const SECTIONS = { summary: 'info', functions: 'profile', source: 'annotate', mix: 'stat', compare: 'diff', about: null };
// One run of axe takes as long as all that is shown: each view has it in the night.
const AXE = new Set(['summary', 'timeline']);
const VIEWS = [...Object.keys(CHECKS), 'flame', 'timeline'];
// Of columns: browser.test.mjs compares them.
const DRAWN = new Set(['flame', 'timeline']);

// Of a long table the first rows: all are made by the same lines, and axe takes minutes for thousands.
async function checkAxe(page, what) {
  await page.evaluate(() => document.querySelectorAll('main tbody tr:nth-child(n+60)').forEach((row) => row.remove()));
  await page.evaluate(axe);
  const broken = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 150)} ${nodes[0].failureSummary.replace(/\s+/g, ' ').slice(0, 200)}`)));
  assert.deepEqual(broken, [], what);
}

async function checkWidth(page, what) {
  const [over, who] = await page.evaluate(() => {
    const over = document.documentElement.scrollWidth - innerWidth;
    const isCut = (element) => element !== document.body && (getComputedStyle(element).overflowX !== 'visible' || isCut(element.parentElement));
    const wide = over > 0 ? [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > innerWidth && !isCut(element.parentElement)) : [];
    return [over, wide.slice(0, 3).map((element) => `${element.parentElement.outerHTML.slice(0, 60)} > ${element.outerHTML.slice(0, 60)}`)];
  });
  assert.ok(over <= 0, `${what} is ${over} pixels wider than the window: ${who.join(' ')}`);
}

// The gate has one page, as narrow as can be; the night has wide ones and both themes, too.
const modes = !night ? [[400, false]] : isFirefox ? [[1280, false]] : [[1280, false], [400, false], [1280, true], [2560, false]];
for (const file of pages)
  for (const [index, [width, dark]] of modes.entries())
    test(`${path.basename(file, '.html')} at ${width} pixels${dark ? ', dark' : ''}: each view shows the numbers of its section, and fits`, async () => {
      const data = unpackPage(file);
      const { page, complaints } = await openPage(browser, file, { width, dark });
      await waitFor(page, 'summary');
      const { list } = await read(page);
      assert.ok(list.length > 12, `${list.length} views`);
      for (const view of list) {
        await go(page, view);
        if (index === 0) await checkNumbers(page, view, data);
        await checkWidth(page, view);
        if (night || AXE.has(view)) await checkAxe(page, view);
      }
      assert.deepEqual(await complaints(), []);
      release(page);
    });

async function checkNumbers(page, view, data) {
  const shown = await read(page);
  assert.equal(shown.alert, undefined, view);
  const section = SECTIONS[view] === undefined ? view : SECTIONS[view];
  const from = section && data.section(section, section === 'diff' ? -1 : 0);
  if (from && view !== 'summary') assert.ok(shown.commands.includes(from.command), `${view} names its command`);
  if (from?.kind === 'none') for (const text of from.messages) assert.ok(shown.text.includes(text.replace(/^earshot: /, '')), `${view}: ${text}`);
  else await CHECKS[view]?.(shown, data, page);
  assert.ok(CHECKS[view] || DRAWN.has(view), `${view} is compared with its section`);
}

// ---- Keys, address, print. ----

test('the keys walk the page, and back comes back', { skip: !pages.length }, async () => {
  const { page } = await openPage(browser, pages[0]);
  const at = () => page.evaluate(() => location.hash.split('?')[0]);
  await waitFor(page, 'summary');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.id === 'main');
  await page.keyboard.press('?');
  assert.ok(await page.evaluate(() => document.querySelector('dialog').open), 'the help is open');
  if (night) await checkAxe(page, 'the help');
  const keys = await page.evaluate(() => [...document.querySelectorAll('dialog kbd')].map((key) => key.textContent));
  for (const key of ['?', 'N', 'P', 'U', '/']) assert.ok(keys.includes(key), key);
  await page.keyboard.press('Escape');
  assert.ok(!(await page.evaluate(() => document.querySelector('dialog').open)), 'the help is closed');
  await page.keyboard.press('n');
  await waitFor(page, 'why');
  assert.equal(await at(), '#why');
  await page.keyboard.press('p');
  await waitFor(page, 'summary');
  await page.keyboard.press('b');
  await waitFor(page, 'why');
  await go(page, 'functions');
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.type), 'search');
  await page.keyboard.type('main');
  const { tables } = await read(page);
  const { rows } = tables['Functions of the profile'];
  assert.ok(rows.length > 0 && rows.every((row) => /main/.test(`${row.name} ${row.entry}`)), 'only what fits is listed');
  assert.ok((await page.evaluate(() => location.hash)).includes('filter=main'), 'the address has the filter');
  await page.keyboard.press('Escape');
  await page.keyboard.press('u');
  await waitFor(page, 'summary');
  await page.goBack();
  await waitFor(page, 'functions');
  await page.waitForFunction(() => document.querySelector('input[type=search]')?.value === 'main', { timeout: 20000 })
    .catch(async (error) => { throw new Error(`${await page.evaluate(() => location.hash)}: ${error.message}`); });
  release(page);
});

test('the order of a table is that of its column, and unknown is last', { skip: !pages.length }, async () => {
  const { page } = await openPage(browser, pages[0], { hash: '#functions' });
  await waitFor(page, 'functions');
  const column = async (id) => (await read(page)).tables['Functions of the profile'].rows.map((row) => row[id]);
  const press = (id) => page.evaluate((name) => document.querySelector(`th[data-column="${name}"] button`).click(), id);
  const value = (text) => (text === UNKNOWN ? null : Number(text.replaceAll(',', '')));
  await press('calls');
  const down = (await column('calls')).map(value);
  const known = down.filter((entry) => entry !== null);
  assert.deepEqual(known, [...known].sort((a, b) => b - a));
  assert.ok(!down.slice(0, known.length).includes(null), 'unknown is last');
  await press('calls');
  const up = (await column('calls')).map(value);
  assert.deepEqual(up.filter((entry) => entry !== null), [...known].sort((a, b) => a - b));
  assert.ok(!up.slice(0, known.length).includes(null), 'unknown is last, upwards too');
  assert.equal(await page.evaluate(() => document.querySelector('th[data-column=calls]').getAttribute('aria-sort')), 'ascending');
  release(page);
});

const noPrint = isFirefox && 'print styles cannot be emulated without the protocol of Chromium';
test('it prints: a PDF with text, without the list of views', { skip: !pages.length || noPrint || (!night && 'in the night') }, async () => {
  const { page } = await openPage(browser, pages[0]);
  await waitFor(page, 'summary');
  const out = path.join(folder, 'print.pdf');
  await page.pdf({ path: out });
  assert.ok(statSync(out).size > 5000);
  await page.emulateMediaType('print');
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('nav#views')).display), 'none');
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.querySelector('.verdict')).display), 'none');
  await page.close(); // it is one to print
});

// ---- Pages of nobody's making. ----

const ALL_CONTROLS = [[0, 0x1f], [0x7f, 0x9f], [0x61c, 0x61c], [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0xfeff, 0xfeff], [0xfff9, 0xfffb]]
  .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index))).join('');

// The gate has the first one.
const NAMES = [
  `</script><img src=x onerror="document.title=1"><b>${ALL_CONTROLS}</b>${'A'.repeat(300)}`, 'A'.repeat(10000), '<svg onload=alert(1)>', '"><b>bold</b>', "'; alert(1); '", '${alert(1)}', '\u202egnp.exe', '\u0000\u001b[31mred\u0007', 'ä\u0301\u{1f600}',
  '\ud800', ' ', '__proto__', 'constructor', '\u202e'.repeat(10000), '漢'.repeat(10000), 'a '.repeat(5000),
];

function hostileSections(text) {
  const json = (value) => Buffer.from(JSON.stringify(value));
  const counts = { records: 5, clocks: null, reads: 1, writes: 1, read_bytes: 4, written_bytes: 4, lines: 1, taken: 0, not_taken: 1, traps: 0, interrupts: 0 };
  const place = { record: 1, position: 1, pc: '0x10', symbol: text, line: text, instruction: text, next_pc: '0x14' };
  const moment = { record: 1, pc: '0x10', function: text, line: text };
  const error = { kind: text, hart: 0, count: 1, at: moment, caller: moment, address: text, size: 4, write: true, object: { name: text, address: '0x1', size: 4 }, hit: text, block: { address: text, size: 4, function: text, allocated: moment, freed: moment } };
  const source = { register: text, hart: 0, value: text, is_address: false, node: 0 };
  const covered = { lines: 2, lines_hit: 1, functions: 1, functions_hit: 0, branches: 0, branches_hit: 0 };
  const record = { kind: 'instruction', hart: 0, index: 1, number: 1, pc: text, mnemonic: text, symbol: text, source_line: text, registers: [{ class: 'named', name: text, value: text }] };
  const all = {
    info: { program: text, format: text, records: 5, harts: 1, missing: 0, gaps: 0, complete: null, accounted: null },
    why: { end_missing: null, kind: 'trap', text, hart: 0, end_reason: text, earlier: false, interrupts_off: false, core_text: text, core: place, place, jump: place, branch: null, choice: null, loop: null, skip: null, overflow: null, exits: [place], changed: null, blocks: [{ position: 1, address: text, block: error.block }], memory_errors: [error], memory_error_count: 1, lost: { symbol: text, size: 4, load: place, interrupt: place, other: place, store: place, loaded: text, other_value: text, stored: text, count: 2 }, calls: [{ pc: '0x10', symbol: text, line: text, kind: 'call' }], call_count: 1, values: [{ role: text, register: text, before: 1, value: text, limited: true, roots: [source], nodes: [{ ...place, writes: { register: text }, before: text, after: text, end: text, sources: [{ ...source, node: null, end: text }] }] }], difference: null, after_write: null, after: null, complete: null, accounted: null },
    check: { found: [{ record: 1, hart: 0, pc: text, rule: text, expected: text, actual: text, text }], records: 5, instructions: 5, violations: 1, rules: { [text]: { checked: 1, violations: 1, [text]: 2 } } },
    stat: { traces: [{ trace: text, hash: text, records: 5, decoded: 5, alu: 5, first_pc: text }] },
    profile: { total: counts, gaps: 0, without_path: 0, limited: false, functions: [{ name: text, entry: text, self: counts, inclusive: counts, calls: 1 }, { name: null, entry: null, self: counts, inclusive: counts, calls: null }], nodes: [] },
    annotate: { total: counts, left_out: 0, sources_missing: [text], functions: [{ name: text, entry: text, inlined: false, file: text, line: 1, low: '0x0', high: '0x4', records: 5, clocks: null, listed: 5, limited: false, instructions: [{ address: text, records: 5, clocks: null, taken: null, not_taken: null, traps: 0, interrupts: 0, size: 4, text, changed: true, file: text, line: 1, inlined: [{ function: text, into: text, file: null, line: null }] }], lines: [{ file: text, line: 1, text, records: 5, clocks: null }] }] },
    coverage: { files: [{ path: text, ...covered, uncovered_functions: [{ name: text, line: 1 }], uncovered_lines: [[1, 2]] }], total: covered },
    isa: { xlen: 32, extensions: text, hit: 1, bins: 1, unknown: 0, rows: [{ group: 'opcode', name: text, bin: text, count: 1, section: text }] },
    branches: { branches: [{ executed: 1, taken: 1, not_taken: 0, unknown: 0, misses: 1, miss_rate: 1, pc: text, symbol: text, line: text }], total: { executed: 1, taken: 1, not_taken: 0, unknown: 0, misses: 1, miss_rate: 1 } },
    memory: { records: 5, reads: 1, writes: 1, gaps: 0, region: [{ address: text, end: text, reads: 1, writes: 1, name: text }], stack: [{ top: text, lowest: text, bytes: 4, record: 1, task_name: text, where: text }], heap: null },
    errors: { records: 5, gaps: 0, allocations: 1, frees: 1, errors: [error] },
    marks: { stale: false, marks: [{ name: text, number: 2, position: 2, after: { number: 1, hart: 0, pc: text, symbol: text, source_line: text } }] },
    state: { registers: { [text]: text }, stack: [{ pc: text, symbol: text, line: text, kind: text }] },
    tasks: { by: 'task', rows: [{ pid: 1, process: null, name: text, counts }] },
  };
  const sections = Object.entries(all).map(([name, value]) => ({ name, kind: 'json', data: json(value), command: text, messages: [text] }));
  sections.push({ name: 'calls', kind: 'lines', data: json({ number: 1, hart: 0, depth: 0, kind: text, end: text, last: 2, records: 1, clocks: null, function: text, entry: text, caller: text, call_pc: text }) });
  sections.push({ name: 'flame', kind: 'columns', data: makeFlame(60, undefined, Array(144).fill(text)), command: text, messages: [text] });
  sections.push({ name: 'timeline', kind: 'columns', data: makeTimeline(120, undefined, Array(144).fill(text)), command: text, messages: [text] });
  sections.push({ name: 'records', kind: 'lines', data: json(record) });
  sections.push({ name: 'diff', trace: -1, kind: 'lines', data: json({ kind: text, field: text, value_a: text, value_b: text, a: { record: 1, place: text, pc: text, symbol: text }, b: { record: 1, place: text } }) });
  return sections;
}

// What is drawn on a canvas cannot be read from it: each text is kept when it is drawn.
const WATCH_DRAWN = () => {
  window.earshotDrawn = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function keep(text, ...rest) {
    window.earshotDrawn.push(text);
    return fillText.call(this, text, ...rest);
  };
};

/** All text of the document: what is shown, what is read by a screen reader, what was drawn. */
async function allText(page) {
  return page.evaluate(() => {
    const texts = [document.title, ...(window.earshotDrawn ?? [])];
    const walk = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT, (node) =>
      (node.parentElement.matches('script, style, html, head, body') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
    while (walk.nextNode()) texts.push(walk.currentNode.data);
    for (const element of document.querySelectorAll('*'))
      for (const name of ['title', 'aria-label', 'aria-description', 'placeholder', 'alt']) texts.push(element.getAttribute(name) ?? '');
    return texts;
  });
}

// eslint-disable-next-line no-control-regex
const RAW = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;

test('names are text, whatever they are', async () => {
  const bundle = readBundle(process.env.EAR_REPORT_BUNDLE);
  for (const [index, text] of (night ? NAMES : NAMES.slice(0, 1)).entries()) {
    const short = JSON.stringify(text.slice(0, 40));
    const file = path.join(folder, `hostile-${index}.html`);
    writeFileSync(file, makePage(bundle, { title: text, sections: hostileSections(text), head: { left_out: [text], traces: [{ name: text, path: text }, { name: text, path: text }] } }));
    const { page, complaints } = await openPage(browser, file, { width: 400, watch: WATCH_DRAWN });
    await waitFor(page, 'summary');
    const { list } = await read(page);
    same(list, VIEWS, 'all views are there');
    for (const view of list) {
      await go(page, view);
      if (DRAWN.has(view)) await page.waitForSelector('[data-drawn="true"]');
      const shown = await read(page);
      assert.equal(shown.alert, undefined, `${view} of ${short}`);
      assert.equal(await page.evaluate(() => document.querySelectorAll('main img, main script, main b[onclick], main svg').length), 0, view);
      const raw = (await allText(page)).filter((part) => RAW.test(part));
      assert.deepEqual(raw.map((part) => JSON.stringify(part.slice(0, 200))), [], `${view}: control characters are shown`);
      await checkWidth(page, `${view} of ${short}`);
      if (view === 'why') assert.match(shown.text, /An update was lost/);
      if (view === 'functions' && index === 0) assert.ok(shown.text.includes('</script><img src=x onerror="document.title=1"><b>\\u{0}\\u{1}'), 'the name is there as it is');
    }
    assert.deepEqual(await complaints(), []);
    release(page);
  }
});

test('a block of data that is cut is an error in its view, and the others are there', async () => {
  const bundle = readBundle(process.env.EAR_REPORT_BUNDLE);
  const sections = hostileSections('main');
  const profile = sections.findIndex((section) => section.name === 'profile');
  const file = path.join(folder, 'cut.html');
  writeFileSync(file, makePage(bundle, { sections, change: (chunks) => chunks.map((chunk) => (chunk.section === profile ? { ...chunk, text: chunk.text.slice(0, 40) } : chunk)) }));
  const { page } = await openPage(browser, file, { hash: '#functions' });
  await waitFor(page, 'functions');
  const { alert } = await read(page);
  assert.match(alert ?? '', /profile/);
  await go(page, 'coverage');
  assert.equal((await read(page)).alert, undefined);
  await go(page, 'summary');
  assert.match((await read(page)).text, /profile/, 'the summary says what is damaged');
  release(page);
});

test('a view without data shows what the command said', async () => {
  const bundle = readBundle(process.env.EAR_REPORT_BUNDLE);
  const file = path.join(folder, 'none.html');
  const names = ['info', 'why', 'check', 'stat', 'profile', 'calls', 'annotate', 'coverage', 'isa', 'branches', 'memory', 'errors', 'tasks', 'records'];
  writeFileSync(file, makePage(bundle, { sections: names.map((name) => ({ name, kind: 'none', status: 2, messages: [`earshot: there is no ${name} in this trace`] })) }));
  const { page, complaints } = await openPage(browser, file);
  await waitFor(page, 'summary');
  for (const view of (await read(page)).list) {
    await go(page, view);
    const shown = await read(page);
    assert.match(shown.text, /there is no \w+ in this trace/, view);
    assert.ok(!/\b0\b/.test(shown.text.replace(/0\.0\.0|2026-01-01T00:00:00Z|status 2/g, '')) || view === 'about', `${view} has no 0 that nobody counted`);
    if (night) await checkAxe(page, view);
  }
  assert.deepEqual(await complaints(), []);
  release(page);
});

test('a link to a record says before the click whether the page holds it; a place of the source is marked in it', async () => {
  const bundle = readBundle(process.env.EAR_REPORT_BUNDLE);
  const file = path.join(folder, 'held.html');
  const place = (record, line) => ({ record, position: record, pc: '0x10', symbol: 'crc', line, instruction: 'nop' });
  const why = { end_missing: null, kind: 'trap', text: 'a trap', hart: 0, end_reason: '', place: place(7, 'crc.c:12'), jump: place(99, 'crc.c:13'), exits: [], blocks: [], memory_errors: [], calls: [], call_count: 0, values: [] };
  const counts = { records: 5, clocks: null };
  const source = { name: 'sum', entry: '0x10', inlined: false, file: '/src/crc.c', line: 12, records: 5, clocks: null, listed: 5, limited: false, instructions: [], lines: [12, 13].map((line) => ({ file: '/src/crc.c', line, text: `line ${line}`, records: 1, clocks: null })) };
  const json = (value) => Buffer.from(JSON.stringify(value));
  writeFileSync(file, makePage(bundle, { sections: [
    { name: 'why', kind: 'json', data: json(why) },
    { name: 'annotate', kind: 'json', data: json({ total: counts, left_out: 0, sources_missing: [], functions: [source] }) },
    { name: 'records', kind: 'lines', data: json({ kind: 'instruction', hart: 0, index: 7, number: 7, pc: '0x10', mnemonic: 'nop' }), command: "earshot show --json --no-source --from=begin --elf='a b.elf' 't t.shot'" },
  ] }));
  const { page, complaints } = await openPage(browser, file, { hash: '#why' });
  await page.waitForSelector('.record-number.absent');
  const links = await page.$$eval('main .record-number', (all) => all.map((a) => [a.textContent, a.className, a.title]));
  assert.deepEqual(links, [['#7', 'record-number', ''], ['#99', 'record-number absent', "Not in this page. It is shown by: earshot show --at 99 --around 25 --elf='a b.elf' 't t.shot'"]]);
  await page.evaluate(() => [...document.querySelectorAll('main a')].find((a) => a.textContent === 'crc.c:13').click());
  await page.waitForSelector('tr.selected');
  assert.deepEqual(await page.$$eval('tr.selected', (rows) => rows.map((row) => row.cells[0].textContent)), ['13']);
  assert.match((await read(page)).text, /crc has no source of its own here: its line crc\.c:13 is marked/);
  assert.deepEqual(await complaints(), []);
  release(page);
});

test('each view of a page of each log has text, and none that is not a word or a number', { skip: night ? false : 'in the night' }, async () => {
  for (const file of (process.env.EAR_REPORT_SAMPLES ?? '').split(':').filter(Boolean)) {
    const { page, complaints } = await openPage(browser, file);
    await waitFor(page, 'summary');
    const views = await page.evaluate(() => [...document.querySelectorAll('nav#views a')].map((a) => a.getAttribute('href').slice(1).split('?')[0]));
    for (const view of views) {
      await go(page, view);
      const { text } = await read(page);
      assert.ok(text.length > 20, `${file}: ${view}`);
      assert.doesNotMatch(text, /NaN|undefined|\[object|Infinity|damaged data/, `${file}: ${view}`);
    }
    assert.deepEqual(await complaints(), [], file);
    release(page);
  }
});

// A record of another hart has the index that is the number of this one, and the other way round.
test('a link leads to the record of that number, of more harts', async () => {
  const bundle = readBundle(process.env.EAR_REPORT_BUNDLE);
  const file = path.join(folder, 'harts.html');
  const lines = (values) => Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'));
  const made = [[0, 7], [1, 0], [0, 8], [0, 9], [1, 1], [0, 10], [1, 2]].map(([hart, index], number) => ({ kind: 'instruction', hart, index, number, pc: `0x${(4 * number).toString(16)}`, mnemonic: 'addi' }));
  const side = { record: 1, number: 4, hart: 1, pc: '0x10', place: 'line 5' };
  const state = { registers: { a0: '0x1', a1: null }, stack: [{ pc: '0x10', kind: 'base' }] };
  const sections = [
    { name: 'check', kind: 'json', data: lines([{ found: [{ record: 4, hart: 1, pc: '0x10', rule: 'result', expected: '1', actual: '2', text: 'x' }], records: 7, instructions: 7, violations: 1, rules: {} }]) },
    { name: 'marks', kind: 'json', data: lines([{ stale: false, marks: [{ name: 'here', number: 5, position: 5, after: { number: 4, hart: 1, pc: '0x10', symbol: null, source_line: null } }] }]) },
    { name: 'diff', trace: -1, kind: 'lines', data: lines([{ kind: 'different', field: 'x', register: 'a0', value_a: '0x1', value_b: '0x2', a: side, b: { ...side, number: null } }, { kind: 'summary', same: false }]) },
    { name: 'state', kind: 'json', data: lines([state]) },
    { name: 'state', trace: 1, kind: 'json', data: lines([{ ...state, registers: { a0: '0x2', a1: null } }]) },
    { name: 'records', kind: 'lines', data: lines(made) },
  ];
  writeFileSync(file, makePage(bundle, { sections, head: { traces: [{ name: 'a', path: 'a' }, { name: 'b', path: 'b' }] } }));
  const { page } = await openPage(browser, file, { hash: '#records' });
  for (const view of ['check', 'marks', 'compare']) {
    await go(page, view);
    if (view === 'compare') assert.deepEqual((await read(page)).tables.Registers.rows, [{ register: 'a0', a: '0x1', b: '0x2', same: 'differs' }]);
    await page.evaluate(() => document.querySelector('main a.record-number').click());
    await waitFor(page, 'records');
    const hot = await page.evaluate(() => [...document.querySelectorAll('tr.hot')].map((row) => row.textContent));
    assert.equal(hot.length, 1, view);
    assert.match(hot[0], /#4.*0x10/, view);
  }
  release(page);
});

test('a long table has its rows in view only, and says how many there are', async () => {
  const bundle = readBundle(process.env.EAR_REPORT_BUNDLE);
  const file = path.join(folder, 'long.html');
  const lines = Array.from({ length: 6000 }, (_, index) => JSON.stringify({ kind: 'instruction', hart: 0, index, number: index, pc: `0x${index.toString(16)}`, mnemonic: 'addi' })).join('\n');
  writeFileSync(file, makePage(bundle, { sections: [{ name: 'records', kind: 'lines', data: Buffer.from(lines) }] }));
  const { page } = await openPage(browser, file, { hash: '#records' });
  await waitFor(page, 'records');
  const { count, rows } = (await read(page)).tables.Records;
  assert.equal(count, '6001');
  assert.ok(rows.length < 200, `${rows.length} rows are elements`);
  await page.evaluate(() => { document.querySelector('.scroll').scrollTop = 1e9; });
  await page.waitForFunction(() => [...document.querySelectorAll('tbody tr')].some((row) => row.textContent.includes('#5,999')));
  assert.equal(await page.evaluate(() => [...document.querySelectorAll('tbody tr[aria-rowindex]')].at(-1).getAttribute('aria-rowindex')), '6001');
  const listed = (event) => page.evaluate((name) => (dispatchEvent(new Event(name)), document.querySelectorAll('tbody tr[aria-rowindex]').length), event);
  assert.equal(await listed('beforeprint'), 2000, 'what is printed');
  await listed('afterprint');
  await page.waitForFunction(() => document.querySelectorAll('tbody tr[aria-rowindex]').length < 200);
  release(page);
});
