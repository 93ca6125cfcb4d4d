// The hot functions: their source with counts, and their instructions beside it. A line lights up its instructions, and an
// instruction its line.
import type { Context, View } from '../report';
import type { Annotate, AnnotatedFunction, AnnotatedInstruction, AnnotatedLine } from '../shapes';
import { address } from '../app';
import { bar, h, heading, link, name, number, unknown, type Child } from '../ui/dom';
import { base, count, plural, share } from '../ui/format';
import { frame, note } from '../ui/section';
import { append } from '../ui/text';

const PICKS = 10;
const MOST = 4000; // rows of one function

export function annotatedName(row: AnnotatedFunction): string {
  return row.name ?? (row.entry ? `[${row.entry}]` : '[unknown]');
}

export const source: View = {
  name: 'source',
  title: 'Hot source',
  available: (report) => report.section('annotate', 0) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'annotate', 'annotated source');
    if (!content) return;
    const data = await context.report.json<Annotate>('annotate', context.trace);
    const said = context.report.section('annotate', context.trace)?.messages ?? [];
    const first = data.functions[0];
    if (!first) {
      append(content, [h('p', { class: 'empty' }, 'No function ran that is known.')]);
      return;
    }
    const wanted = context.parameters.get('function');
    const line = context.parameters.get('line');
    const byName = data.functions.find((row) => annotatedName(row) === wanted);
    // A line of a function that was inlined is in the one around it.
    const shown = (line && !(byName && lineIn(byName, line)) ? data.functions.find((row) => lineIn(row, line)) : undefined) ?? byName ?? first;
    const missed = wanted !== null && shown !== byName ? wanted : line && !lineIn(shown, line) ? line : null;
    if (missed !== null) append(content, [note(`${line && lineIn(shown, line) ? `${missed} has no source of its own here: its line ${line} is marked` : `The source of ${missed} is not in this report: it has the ${plural(data.functions.length, 'hottest function')}`}.`)]);
    const picks = data.functions.map((row) => {
      const a = h('a', { href: address('source', { function: annotatedName(row), ...(context.trace ? { trace: String(context.trace) } : {}) }) }, name(annotatedName(row)), h('span', { class: 'soft' }, share(row.records, data.total['records'])));
      if (row === shown) a.setAttribute('aria-current', 'true');
      return h('li', null, a);
    });
    const more = picks.length > PICKS + 2 ? picks.splice(PICKS) : [];
    const list = h('nav', { 'aria-label': 'Hot functions' }, h('ul', { class: 'picks', 'data-list': 'functions' }, picks),
      more.length ? h('details', { open: data.functions.indexOf(shown) >= PICKS }, h('summary', null, `${plural(more.length, 'more function')}`), h('ul', { class: 'picks' }, more)) : null,
      data.left_out ? note(`${plural(data.left_out, 'function')} with fewer records left out.`) : null);
    append(content, [
      // The command has warned of it; it named one.
      said.some((text) => text.includes(data.sources_missing[0] ?? '\n')) ? (data.sources_missing.length > 1 ? h('details', null, h('summary', null, `The ${plural(data.sources_missing.length, 'source')} that could not be read`), h('ul', null, data.sources_missing.map((path) => h('li', null, name(path))))) : null) : data.sources_missing.length ? h('div', { class: 'messages', role: 'note' }, h('p', null, 'These sources could not be read, so only their line numbers are here: ', data.sources_missing.slice(0, 5).map((path, index) => [index ? ', ' : '', name(path)]), data.sources_missing.length > 5 ? ` and ${count(data.sources_missing.length - 5)} more` : null)) : null,
      list,
      one(shown, data, context, line ? lineIn(shown, line) : undefined),
    ]);
  },
};

/** The key of a line 'file.c:12', where the function has it. */
function lineIn(row: AnnotatedFunction, line: string): string | undefined {
  const found = row.lines.find((entry) => `${base(entry.file)}:${entry.line}` === line);
  return found && key(found.file, found.line);
}

function one(row: AnnotatedFunction, data: Annotate, context: Context, marked: string | undefined): HTMLElement {
  const most = Math.max(1, ...row.instructions.map((entry) => Number(entry.records ?? 0)));
  const mostLine = Math.max(1, ...row.lines.map((entry) => Number(entry.records ?? 0)));
  const sourceTable = h('table', { class: 'listing' }, h('caption', { class: 'sr' }, `Source of ${annotatedName(row)}`),
    head(['Line', 'Records', 'Share', 'Source'], [0, 1, 2]), lines(row, mostLine));
  const codeTable = h('table', { class: 'listing' }, h('caption', { class: 'sr' }, `Instructions of ${annotatedName(row)}`),
    head(['Address', 'Records', 'Share', 'Line', 'Instruction'], [1, 2, 3]), instructions(row, most));
  const section = h('section', null,
    heading(2, name(annotatedName(row)), row.inlined ? ' (inlined)' : null),
    h('p', { class: 'note' }, number(row.records), ' records of ', number(data.total['records']), ` (${share(row.records, data.total['records'])})`,
      row.clocks === null || row.clocks === undefined ? null : [', ', number(row.clocks), ' clocks'], row.file ? [', ', link(name(base(row.file)), address('coverage', { file: row.file })), row.line ? `:${row.line}` : ''] : null, '. Shares are of the function’s ', number(row.listed), ' records that are listed.'),
    h('div', { class: 'listings' },
      h('div', null, h('h3', null, 'Source'), row.lines.length ? h('div', { class: 'scroll tall', tabindex: 0, role: 'region', 'aria-label': 'Source' }, sourceTable) : h('p', { class: 'empty' }, 'The program has no lines for it.')),
      h('div', null, h('h3', null, 'Instructions'), h('div', { class: 'scroll tall', tabindex: 0, role: 'region', 'aria-label': 'Instructions' }, codeTable))),
    row.limited || row.instructions.length > MOST || row.lines.length > MOST ? note(`Not all are listed: at most ${count(MOST)}.`) : null);
  section.addEventListener('click', (event) => {
    const target = event.target instanceof HTMLElement ? event.target.closest('tr') : null;
    if (target?.dataset['line']) select(section, target, context);
  });
  requestAnimationFrame(() => {
    for (const table of section.querySelectorAll<HTMLElement>('.scroll')) {
      const row_ = table.querySelector<HTMLElement>('tr.hottest');
      if (row_) table.scrollTop = Math.max(0, row_.offsetTop - table.clientHeight / 3);
    }
    const row_ = marked && [...section.querySelectorAll<HTMLElement>('tr[data-line]')].find((entry) => entry.dataset['line'] === marked);
    if (row_) select(section, row_, context);
  });
  return section;
}

function select(section: HTMLElement, row: HTMLElement, context: Context): void {
  const line = row.dataset['line'] ?? '';
  let found = 0;
  for (const other of section.querySelectorAll<HTMLElement>('tr[data-line]')) {
    const same = other.dataset['line'] === line;
    other.classList.toggle('selected', same);
    if (same) found++;
  }
  const side = row.closest('table') === section.querySelector('table') ? 1 : 0;
  const table = section.querySelectorAll('table')[side];
  const first = table?.querySelector<HTMLElement>('tr.selected');
  for (const one of [first, row]) {
    const scroller = one?.closest<HTMLElement>('.scroll');
    // What was clicked stays where it is.
    if (one && scroller && (one !== row || one.offsetTop < scroller.scrollTop || one.offsetTop > scroller.scrollTop + scroller.clientHeight - 40)) scroller.scrollTop = Math.max(0, one.offsetTop - scroller.clientHeight / 3);
  }
  context.announce(`Line ${line.split(':').pop() ?? ''}: ${plural(found, 'row')} marked`);
}

function head(titles: string[], right: number[]): HTMLElement {
  return h('thead', null, h('tr', null, titles.map((title, index) => h('th', { scope: 'col', class: [right.includes(index) ? 'plain num' : 'plain', title === 'Share' ? 'share' : ''].join(' ').trim() }, title))));
}

function key(file: string | null, line: number | null): string | undefined {
  return line === null ? undefined : `${file ?? ''}:${line}`;
}

function pick(line: number | null): Child {
  return line === null ? null : h('button', { type: 'button', class: 'bare', 'aria-label': `Mark line ${line}` }, String(line));
}

function lines(row: AnnotatedFunction, most: number): HTMLElement {
  const body = h('tbody');
  let file: string | null = null;
  for (const line of row.lines.slice(0, MOST)) {
    if (line.file !== file) {
      file = line.file;
      if (row.lines.some((other) => other.file !== row.lines[0]?.file)) body.appendChild(h('tr', { class: 'file' }, h('th', { colspan: 4, scope: 'rowgroup' }, name(file))));
    }
    body.appendChild(h('tr', { 'data-line': key(line.file, line.line), class: mood(line.records, most) },
      h('td', { class: 'line-number' }, pick(line.line)),
      h('td', { class: 'num' }, line.records === null || line.records === undefined ? '' : count(line.records)),
      h('td', { class: 'bars' }, line.records ? bar(line.records, row.listed) : ''),
      h('td', { class: 'text' }, text(line))));
  }
  return body;
}

function text(line: AnnotatedLine): Child {
  return line.text === null ? unknown('the source could not be read') : h('bdi', null, line.text.replace(/\t/g, '    ') || ' ');
}

function mood(records: unknown, most: number): string | undefined {
  const value = Number(records ?? 0);
  if (value <= 0) return undefined;
  return value === most ? 'hot hottest' : value > most / 2 ? 'hot' : undefined;
}

function instructions(row: AnnotatedFunction, most: number): HTMLElement {
  const body = h('tbody');
  let inlined = '';
  for (const entry of row.instructions.slice(0, MOST)) {
    const inside = entry.inlined.map((part) => part.function).join(' in ');
    if (inside !== inlined) {
      inlined = inside;
      body.appendChild(h('tr', { class: 'file' }, h('th', { colspan: 5, scope: 'rowgroup' }, inside ? ['inlined: ', name(inside)] : name(annotatedName(row)))));
    }
    body.appendChild(instruction(entry, row, most));
  }
  return body;
}

function instruction(entry: AnnotatedInstruction, row: AnnotatedFunction, most: number): HTMLElement {
  const more = [entry.taken ? `taken ${count(entry.taken)}` : '', entry.not_taken ? `not taken ${count(entry.not_taken)}` : '', entry.traps ? plural(entry.traps, 'trap') : '', entry.interrupts ? plural(entry.interrupts, 'interrupt') : '', entry.changed ? 'the code changed here' : ''].filter(Boolean).join(', ');
  return h('tr', { 'data-line': key(entry.file, entry.line), class: mood(entry.records, most) },
    h('td', null, entry.address),
    h('td', { class: 'num' }, count(entry.records)),
    h('td', { class: 'bars' }, bar(entry.records, row.listed)),
    h('td', { class: 'line-number' }, pick(entry.line)),
    h('td', { class: 'text' }, entry.text === null ? unknown('its opcode is not known') : h('bdi', null, entry.text.replace(/ +/g, ' ')), more ? h('span', { class: 'soft' }, `  ${more}`) : null));
}
