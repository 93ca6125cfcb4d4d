// Two traces: their first difference side by side, with the records and the state of the registers before it.
import type { Context, Report, View } from '../report';
import { embedded } from '../embedded';
import { badge, code, definitions, h, heading, name, number, unknown, type Child } from '../ui/dom';
import { count, plural } from '../ui/format';
import { lineOf, record } from '../ui/place';
import { commandLine, frame, messages, note } from '../ui/section';
import { table } from '../ui/table';
import { effects, type Line } from './records';
import { append } from '../ui/text';

interface Side {
  record?: number; // counted in its hart, and in the task that was asked for
  number?: number | null; // in the trace
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

// What `state --stack` prints.
interface Frame {
  pc: string;
  symbol?: string;
  line?: string;
}

interface State {
  registers: Record<string, string | null>;
  stack?: Frame[] | null;
}

const BEFORE = 8;
const STACK = 12;

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
    const difference = rows.find((row) => row.kind !== 'gap') ?? first;
    if (difference) append(content, [heading(2, difference.kind === 'gap' ? 'The first gap' : 'The first difference'), await sides(difference, context)]);
    append(content, [await states(context)]);
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
  facts.push(['Record', record(value.number, trace)]);
  if (value.record !== undefined && value.record !== value.number) facts.push(['Counted in its hart or task', count(value.record)]);
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
  const lines = (await embedded<Line>(report, trace)).filter((line) => line.hart === (value.hart ?? line.hart));
  const at = lines.findIndex((line) => String(line.number) === String(value.number) && line.kind === 'instruction' && line.pc === (value.pc ?? line.pc));
  if (at < 0) return note('The records before it are not embedded.');
  let from = at;
  // Beyond a hole it is not the record before.
  while (from > Math.max(0, at - BEFORE) && Number(lines[from]?.index) - Number(lines[from - 1]?.index) <= 1) from--;
  return [h('h4', null, 'The records before it'), steps(lines.slice(from, at + 1).map((line) =>
    [h('div', { class: 'line' }, h('span', { class: 'soft number' }, `#${count(line.number)}`),
      line.symbol ? name(line.symbol) : null, code(line.disassembly ?? line.mnemonic ?? line.opcode ?? line.kind)), h('div', { class: 'change' }, h('bdi', null, effects(line)))]), at - from)];
}

function steps(items: Child[], first = -1): HTMLElement {
  return h('ol', { class: 'steps' }, items.map((item, index) => h('li', { class: index === first ? 'step first' : 'step' }, item)));
}

// What was known before the difference, in both: registers, and the calls that were active.
async function states(context: Context): Promise<Child> {
  const { report } = context;
  const sections = [report.section('state', 0), report.section('state', 1)];
  if (sections.every((section) => section === undefined)) return null;
  const [a, b] = await Promise.all(sections.map((section, trace) => (section?.kind === 'json' ? report.json<State>('state', trace) : null)));
  const names = [...new Set([...Object.keys(a?.registers ?? {}), ...Object.keys(b?.registers ?? {})])];
  const rows = names.map((register) => ({ register, a: a?.registers[register] ?? null, b: b?.registers[register] ?? null })).filter((row) => row.a !== null || row.b !== null);
  const order = (row: (typeof rows)[number]): number => (row.a === null || row.b === null ? 1 : row.a === row.b ? 2 : 0);
  const words = ['differs', 'not known', 'the same'];
  return [
    heading(2, 'The state before it'),
    sections.map((section) => (section ? [commandLine(section, context), messages(section)] : null)),
    table({
      caption: 'Registers', noun: 'register', rows: [...rows].sort((one, other) => order(one) - order(other)), 
      rowClass: (row) => (order(row) === 0 ? 'hot' : undefined),
      columns: [
        { id: 'register', title: 'Register', key: (row) => row.register, cell: (row) => code(row.register) },
        { id: 'a', title: 'A', key: (row) => row.a, cell: (row) => (row.a === null ? unknown() : code(row.a)) },
        { id: 'b', title: 'B', key: (row) => row.b, cell: (row) => (row.b === null ? unknown() : code(row.b)) },
        { id: 'same', title: 'Both', key: (row) => words[order(row)] ?? '' },
      ],
    }),
    h('div', { class: 'columns' }, [a, b].map((state, trace) => h('section', { class: 'panel' }, h('h3', null, h('span', { class: 'letter' }, 'AB'.charAt(trace)), ' Active calls'), stack(state?.stack ?? [])))),
  ];
}

function stack(calls: Frame[]): Child {
  if (!calls.length) return note('No call is known.');
  return [steps(calls.slice(0, STACK).map((call) => lineOf(call.symbol, call.line, call.pc))),
    calls.length > STACK ? note(`and ${plural(calls.length - STACK, 'more call')}.`) : null];
}

function list(rows: Event[]): HTMLElement {
  const place = (value: Side | undefined, trace: number): Child => (value ? record(value.number, trace) : unknown('this side has nothing here'));
  return table<Event>({
    caption: 'Differences', noun: 'difference', rows,
    columns: [
      { id: 'a', title: 'Record of A', number: true, key: (row) => row.a?.number, cell: (row) => place(row.a, 0) },
      { id: 'b', title: 'Record of B', number: true, key: (row) => row.b?.number, cell: (row) => place(row.b, 1) },
      { id: 'kind', title: 'Kind', key: (row) => row.kind },
      { id: 'what', title: 'What', fit: true, key: what },
      { id: 'where', title: 'Where', wide: true, key: (row) => row.a?.symbol ?? row.a?.pc ?? row.b?.pc },
    ],
    filter: (row) => `${row.kind} ${what(row)} ${row.a?.symbol ?? ''} ${row.a?.pc ?? ''}`,
  });
}
