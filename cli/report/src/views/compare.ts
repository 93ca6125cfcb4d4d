// Two traces: their first difference side by side, and the records before it.
import type { Context, Report, View } from '../report';
import { badge, code, definitions, h, heading, link, name, number, unknown, type Child } from '../ui/dom';
import { address } from '../app';
import { count, plural } from '../ui/format';
import { frame, note } from '../ui/section';
import { table } from '../ui/table';
import { effects, type Line } from './records';
import { append } from '../ui/text';

interface Side {
  record?: number;
  place?: string;
  hart?: number;
  pc?: string;
  opcode?: string;
  symbol?: string;
  source_line?: string;
  instruction?: string;
  [key: string]: unknown;
}

export interface Event {
  kind: string;
  field?: string;
  register?: string | null;
  value_a?: string | null;
  value_b?: string | null;
  count_a?: number;
  count_b?: number;
  side?: string;
  a?: Side;
  b?: Side;
  same?: boolean | null;
  pairs?: number;
  differences?: number;
  only_a?: number;
  only_b?: number;
  gaps?: number;
  not_compared_a?: number;
  not_compared_b?: number;
}

const BEFORE = 8;

export const compare: View = {
  name: 'compare',
  title: 'Compare',
  available: (report) => report.section('diff', -1) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'diff', 'comparison', -1);
    if (!content) return;
    const events = await context.report.lines<Event>('diff', -1);
    const summary = events.find((event) => event.kind === 'summary');
    const rows = events.filter((event) => event.kind !== 'summary');
    const first = rows[0];
    append(content, [
      h('p', null, summary?.same === true ? badge('good', 'The two runs are the same') : summary?.same === false ? badge('bad', 'The two runs differ') : badge('unknown', 'Whether they are the same is not known')),
      summary ? definitions([['Records compared', number(summary.pairs)], ['Differences', number(summary.differences)], ['Only in A', number(summary.only_a)], ['Only in B', number(summary.only_b)],
        ['Gaps', number(summary.gaps)], ['Not compared in A', number(summary.not_compared_a)], ['Not compared in B', number(summary.not_compared_b)]], 'figures') : null,
    ]);
    if (first) append(content, [heading(2, 'The first difference'), await sides(first, context)]);
    if (rows.length) append(content, [heading(2, 'All that are listed'), list(rows)]);
  },
};

export function what(event: Event): string {
  if (event.kind === 'different') return `${event.register ?? event.field ?? 'a value'}: ${event.value_a ?? '?'} in A, ${event.value_b ?? '?'} in B`;
  if (event.count_a !== undefined || event.count_b !== undefined) return `${event.kind}: ${plural(event.count_a ?? 0, 'record')} of A, ${count(event.count_b ?? 0)} of B`;
  return event.side ? `${event.kind} in ${event.side.toUpperCase()}` : event.kind;
}

async function sides(event: Event, context: Context): Promise<HTMLElement> {
  return h('div', null, h('p', null, h('b', null, what(event))), h('div', { class: 'columns' },
    await side('A', event.a, event.field, event.value_a, 0, context.report), await side('B', event.b, event.field, event.value_b, 1, context.report)));
}

async function side(letter: string, value: Side | undefined, field: string | undefined, known: string | null | undefined, trace: number, report: Report): Promise<HTMLElement> {
  const title = h('h3', null, h('span', { class: 'letter' }, letter), ' ', name(report.head.traces[trace]?.name ?? ''));
  if (!value) return h('section', { class: 'panel' }, title, note('This side has nothing here.'));
  const facts: [Child, Child][] = [];
  if (value.record !== undefined) facts.push(['Record', link(`#${count(value.record)}`, address('records', { at: String(value.record), trace: String(trace) }), 'record-number')]);
  if (value.place) facts.push(['Place', name(value.place)]);
  if (value.hart !== undefined) facts.push(['Hart', count(value.hart)]);
  if (value.symbol) facts.push(['Where', name(value.symbol)]);
  if (value.source_line) facts.push(['Line', name(value.source_line)]);
  if (value.pc) facts.push(['pc', code(value.pc)]);
  if (value.opcode) facts.push(['Opcode', code(value.opcode)]);
  if (field) facts.push([field, known === null || known === undefined ? unknown('this side does not show it') : code(known)]);
  return h('section', { class: 'panel' }, title, definitions(facts), await before(value, trace, report));
}

// The records before it, if they are embedded.
async function before(value: Side, trace: number, report: Report): Promise<Child> {
  const section = report.section('records', trace);
  if (!section || section.kind === 'none' || value.record === undefined) return null;
  const lines = (await report.lines<Line>('records', trace)).filter((line) => line.hart === (value.hart ?? line.hart));
  const at = lines.findIndex((line) => String(line.index) === String(value.record) && line.kind === 'instruction');
  if (at < 0) return note('The records before it are not embedded.');
  return [h('h4', null, 'The records before it'), h('ol', { class: 'steps' }, lines.slice(Math.max(0, at - BEFORE), at + 1).map((line, index, all) =>
    h('li', { class: index === all.length - 1 ? 'step first' : 'step' }, h('div', { class: 'line' }, h('span', { class: 'soft number' }, `#${count(line.index)}`),
      line.symbol ? name(line.symbol) : null, code(line.disassembly ?? line.mnemonic ?? line.opcode ?? line.kind)), h('div', { class: 'change' }, h('bdi', null, effects(line))))))];
}

function list(rows: Event[]): HTMLElement {
  const place = (value: Side | undefined): Child => (value?.record === undefined ? unknown('this side has nothing here') : `#${count(value.record)}`);
  return table<Event>({
    caption: 'Differences', noun: 'difference', rows,
    columns: [
      { id: 'a', title: 'Record of A', number: true, key: (row) => row.a?.record, cell: (row) => place(row.a) },
      { id: 'b', title: 'Record of B', number: true, key: (row) => row.b?.record, cell: (row) => place(row.b) },
      { id: 'kind', title: 'Kind', key: (row) => row.kind },
      { id: 'what', title: 'What', fit: true, key: what },
      { id: 'where', title: 'Where', wide: true, key: (row) => row.a?.symbol ?? row.a?.pc ?? row.b?.pc },
    ],
    filter: (row) => `${row.kind} ${what(row)} ${row.a?.symbol ?? ''} ${row.a?.pc ?? ''}`,
  });
}
