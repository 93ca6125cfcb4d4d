// Memory: regions, heat over time, symbols, stacks, the heap. The parts are those of the JSON, in its order; each
// is a table with its columns as the command names them.
import type { View } from '../report';
import type { Memory, Row } from '../shapes';
import { bar, code, definitions, h, heading, name, number, unknown, type Child } from '../ui/dom';
import { count, plural, type Count } from '../ui/format';
import { record } from '../ui/place';
import { commandLine, frame, note } from '../ui/section';
import { table, type Column } from '../ui/table';
import { append } from '../ui/text';

const PARTS: [string, string, string, string][] = [
  ['heat', 'Heat: pages over time', 'heat', ''],
  ['region', 'Regions', 'region', 'the trace shows no accesses'],
  ['section', 'Sections', 'section', 'there are no names, or the trace shows no accesses'],
  ['symbol', 'Symbols', 'symbol', 'there are no names, or the trace shows no accesses'],
  ['stack', 'Stacks', 'stack', 'no instruction set sp'],
  ['uninitialized', 'Reads of what nothing wrote', 'read', 'it is not known what was loaded before the run, or the trace shows no loads'],
  ['code_writes', 'Writes to code', 'write', 'the trace shows no stores'],
  ['code-writes', 'Writes to code', 'write', 'the trace shows no stores'],
  ['misaligned', 'Misaligned accesses', 'access', 'the trace shows no accesses'],
  ['sharing', 'Lines shared by harts', 'line', 'the trace shows no accesses'],
  ['heap', 'The heap', 'row', 'there are no names of malloc, free and the like, and no events of the heap'],
  ['working_set', 'Working set', 'interval', ''],
  ['working-set', 'Working set', 'interval', ''],
  ['page', 'Pages', 'page', 'the trace shows no accesses'],
];

const ADDRESSES = new Set(['address', 'end', 'pc', 'page', 'line', 'top', 'lowest', 'memory', 'begin_address']);
const RECORDS = new Set(['record', 'first', 'last']);
const TITLES: Record<string, string> = {
  read_bytes: 'Bytes read', written_bytes: 'Bytes written', touched: 'Bytes touched', task_name: 'Task', name: 'Name', where: 'Where', bytes: 'Bytes',
  first: 'First record', last: 'Last record', record: 'Record', pc: 'pc', object: 'Object',
};

export const memory: View = {
  name: 'memory',
  title: 'Memory',
  available: (report) => report.section('memory', 0) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'memory', 'use of memory');
    if (!content) return;
    const data = { ...(await context.report.json<Memory>('memory', context.trace)) };
    const commands: HTMLElement[] = [];
    for (const more of ['heat', 'heap', 'stack', 'uninitialized']) {
      const section = context.report.section(more, context.trace);
      if (section?.kind !== 'json') continue;
      commands.push(commandLine(section, context));
      const other = await context.report.json<Memory>(more, context.trace);
      for (const [key, value] of Object.entries(other)) if (data[key] === undefined || data[key] === null) data[key] = value;
    }
    if (commands.length) append(content, [h('details', null, h('summary', null, `${plural(commands.length, 'more command')}`), commands)]);
    const figures: [string, Child][] = [['Reads', number(data.reads, 'the trace shows no loads')], ['Writes', number(data.writes, 'the trace shows no stores')]];
    if (data.allocations !== undefined)
      figures.push(['Allocations', number(data.allocations)], ['Frees', number(data.frees)], ['Not freed', h('span', null, `${count(data.live)} (${plural(data.live_bytes, 'byte')})`)], ['Most at a time', h('span', null, plural(data.peak_bytes, 'byte'))]);
    append(content, [definitions(figures, 'figures')]);
    for (const [key, title, noun, why] of PARTS) {
      if (!(key in data)) continue;
      const rows = data[key];
      append(content, [heading(2, title)]);
      if (rows === null) append(content, [note(`Not known: ${why || 'the trace does not show it'}.`)]);
      else if (Array.isArray(rows)) append(content, [part(key, title, noun, rows as Row[], data, context.trace, context.announce)]);
    }
  },
};

function part(key: string, title: string, noun: string, rows: Row[], data: Memory, trace: number, announce: (text: string) => void): HTMLElement {
  const list = rows.filter((row) => row !== null && typeof row === 'object');
  const first = list[0];
  if (!first) return h('p', { class: 'empty' }, key === 'uninitialized' || key === 'misaligned' || key.startsWith('code') ? 'None was found.' : 'There is none.');
  if (key === 'heat') return heat(list);
  const keys = Object.keys(first).filter((column) => list.some((row) => row[column] !== null && row[column] !== ''));
  const columns: Column<Row>[] = keys.map((column) => ({
    id: column,
    title: TITLES[column] ?? column.charAt(0).toUpperCase() + column.slice(1).replace(/_/g, ' '),
    number: list.some((row) => typeof row[column] === 'number'),
    fit: column === 'name' || column === 'where',
    key: (row: Row) => row[column],
    cell: (row: Row) => cell(column, row[column], trace),
  }));
  if (['region', 'section', 'symbol', 'page'].includes(key)) {
    const front = columns.findIndex((column) => column.id === 'name');
    if (front > 0) columns.unshift(...columns.splice(front, 1));
    const accesses = (row: Row): number => Number(row['reads'] ?? 0) + Number(row['writes'] ?? 0);
    const total = Number(data.reads ?? 0) + Number(data.writes ?? 0);
    columns.splice(1, 0, { id: 'share', title: 'Share of accesses', number: true, key: accesses, cell: (row) => bar(accesses(row), total) });
  }
  const sort = ['region', 'section', 'symbol', 'page'].includes(key) ? 'share' : '';
  return table<Row>({ caption: title, noun, rows: list, columns, sort, limit: 20, filter: (row) => Object.values(row).join(' '), announce });
}

function cell(column: string, value: Row[string] | undefined, trace: number): Child {
  if (value === null || value === undefined || value === '') return unknown('not known');
  if (RECORDS.has(column) && typeof value === 'number') return record(value, trace);
  if (ADDRESSES.has(column) || (typeof value === 'string' && /^0x[0-9a-f]+$/.test(value))) return code(String(value));
  if (typeof value === 'number') return number(value);
  return name(String(value));
}

// Pages down, time to the right; how dark a cell is says the accesses, eight times as many a step. The table under it has
// the numbers.
function heat(rows: Row[]): HTMLElement {
  const pages = [...new Set(rows.map((row) => String(row['page'])))];
  const begins = rows.map((row) => Number(row['begin']));
  const step = Math.max(...rows.map((row) => Number(row['records'] ?? 1)), 1);
  const start = Math.floor(Math.min(...begins) / step);
  const steps = Math.floor(Math.max(...begins) / step) - start + 1;
  const lines = pages.slice(0, 64).map((page) => {
    const cells = h('div', { class: 'heat-cells', 'aria-hidden': 'true' });
    cells.style.gridTemplateColumns = `repeat(${steps}, minmax(2px, 1fr))`;
    let sum = 0;
    for (const row of rows) {
      if (String(row['page']) !== page) continue;
      const accesses = Number(row['accesses'] ?? 0);
      sum += accesses;
      const level = accesses > 0 ? Math.min(9, Math.floor(Math.log(accesses) / Math.log(8)) + 1) : 0;
      const box = h('span', { class: 'heat-cell', title: `${page}: ${count(accesses)} accesses from record ${count(row['begin'] as Count)}` });
      box.style.gridColumn = String(Math.floor(Number(row['begin']) / step) - start + 1);
      box.style.opacity = String(0.12 + level * 0.0978);
      cells.appendChild(box);
    }
    return h('div', { class: 'heat-row' }, code(page), cells, h('span', { class: 'number' }, count(sum)));
  });
  return h('div', null,
    h('figure', { class: 'panel' }, h('div', { class: 'heat', role: 'img', 'aria-label': `Accesses of ${plural(pages.length, 'page')} over ${plural(steps, 'step')} of time; the table below has the numbers` }, lines),
      h('figcaption', { class: 'note' }, `To the right: time, ${count(step)} records a step. The darker, the more accesses: each shade is 8 times as many. At the right: the sum of the row.${pages.length > 64 ? ` ${count(64)} of ${count(pages.length)} pages are drawn; the table has all.` : ''}`)),
    h('details', null, h('summary', null, 'The numbers as a table'), table<Row>({
      caption: 'Heat', noun: 'cell', rows, columns: [
        { id: 'page', title: 'Page', key: (row) => row['page'], cell: (row) => code(String(row['page'])) },
        { id: 'begin', title: 'From record', number: true, key: (row) => row['begin'] },
        { id: 'records', title: 'Records', number: true, key: (row) => row['records'] },
        { id: 'accesses', title: 'Accesses', number: true, key: (row) => row['accesses'] },
      ], filter: (row) => String(row['page']),
    })));
}

