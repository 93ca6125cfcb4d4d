// The records that are embedded: the last ones, and those around what why, marks and others name. They are numbered as in
// the trace; the index that a record has in its hart is another number.
import { embedded } from '../embedded';
import type { View } from '../report';
import { code, h, link, name, unknown, type Child } from '../ui/dom';
import { address } from '../app';
import { count, plural } from '../ui/format';
import { showCommand } from '../ui/held';
import { frame, note } from '../ui/section';
import { table } from '../ui/table';
import { append } from '../ui/text';

export interface Line {
  kind: string;
  hart: number;
  index: number | string;
  number: number | string;
  time?: number | string;
  pc?: string;
  opcode?: string;
  mnemonic?: string;
  disassembly?: string;
  class?: string;
  symbol?: string;
  source_line?: string;
  trap?: boolean;
  interrupt?: boolean;
  cause?: string;
  reason?: string;
  count?: number | string;
  registers?: { class: string; number?: number; name?: string; value?: string }[];
  memory?: { write: boolean; address: string; size?: number; value?: string }[];
  [key: string]: unknown;
}

const INTEGER = 'zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6'.split(' ');

// As the disassembly and why call it.
function registerName(kind: string, number: number | undefined): string {
  return (kind === 'x' && number !== undefined ? INTEGER[number] : undefined) ?? `${kind}${number ?? ''}`;
}

export function effects(row: Line): string {
  const parts: string[] = [];
  for (const register of row.registers ?? []) parts.push(`${register.name ?? registerName(register.class, register.number)} = ${register.value ?? '?'}`);
  for (const access of row.memory ?? []) parts.push(`${access.write ? 'writes' : 'reads'} ${access.address}${access.size ? `:${access.size}` : ''} = ${access.value ?? '?'}`);
  if (row.trap) parts.push(`trap${row.cause ? `, cause ${row.cause}` : ''}`);
  if (row.interrupt) parts.push(`interrupt${row.cause ? `, cause ${row.cause}` : ''}`);
  if (row.kind === 'gap') parts.push(`gap: ${String(row.reason ?? 'reason not known')}, ${row.count === undefined ? 'an unknown number of records' : plural(row.count, 'record')}`);
  return parts.join('; ');
}

const SIDE = 200;

export const records: View = {
  name: 'records',
  title: 'Records',
  available: (report) => report.section('records', 0) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'records', 'record');
    if (!content) return;
    const rows = await embedded<Line>(context.report, context.trace);
    if (!rows.length) {
      append(content, [h('p', { class: 'empty' }, 'No record is embedded.')]);
      return;
    }
    const wanted = context.parameters.get('at');
    const at = wanted === null ? -1 : rows.findIndex((row) => String(row.number) === wanted && row.kind === 'instruction');
    const first = rows[0];
    const last = rows.at(-1);
    const holes = rows.filter((row, index) => index > 0 && row.kind === 'instruction' && Number(row.number) > Number(rows[index - 1]?.number) + 1).length;
    append(content, [
      note(`${plural(rows.length, 'record')} of the trace are embedded, from #${count(first?.number)} to #${count(last?.number)}${holes ? `, with ${plural(holes, 'hole')} between` : ''}.`),
      wanted !== null && at < 0 ? h('div', { class: 'messages', role: 'note' }, h('p', null, `#${count(wanted)} is not embedded. This command shows it:`),
        code(/^\d+$/.test(wanted) ? showCommand(context.report, context.trace, wanted) : 'earshot show')) : null,
    ]);
    if (wanted !== null && at < 0) {
      append(content, [h('p', null, link(`Show the ${plural(rows.length, 'record')} of this page`, address('records', context.trace ? { trace: String(context.trace) } : {})))]);
      return;
    }
    let shown = rows;
    if (at >= 0) {
      shown = rows.slice(Math.max(0, at - SIDE), at + SIDE + 1);
      append(content, [h('p', null, h('b', null, `Around #${count(wanted)}. `), link('Show all', address('records', context.trace ? { trace: String(context.trace) } : {})))]);
    }
    const selected = at >= 0 ? rows[at] : undefined;
    const harts = new Set(rows.map((row) => row.hart)).size > 1;
    append(content, [table<Line>({
      caption: 'Records', noun: 'record', rows: shown,
      rowClass: (row) => (row === selected ? 'hot' : row.kind === 'instruction' ? undefined : 'part'),
      columns: [
        { id: 'number', title: 'Record', number: true, key: (row) => row.number, cell: (row) => link(`#${count(row.number)}`, address('records', { at: String(row.number), ...(context.trace ? { trace: String(context.trace) } : {}) }), 'record-number') },
        ...(harts ? [{ id: 'hart', title: 'Hart', number: true, key: (row: Line) => row.hart }] : []),
        ...(rows.some((row) => row.time !== undefined) ? [{ id: 'time', title: 'Time', number: true, wide: true, key: (row: Line) => row.time, reason: 'the trace has no time here' }] : []),
        { id: 'pc', title: 'pc', wide: true, key: (row) => row.pc, cell: (row) => (row.pc ? code(row.pc) : unknown('no instruction')) },
        { id: 'where', title: 'Where', key: (row) => row.symbol ?? row.pc, cell: (row): Child => (row.symbol ? h('span', { class: 'keep' }, name(row.symbol), row.source_line ? h('span', { class: 'soft' }, ' (', name(row.source_line), ')') : null) : row.pc ? code(row.pc) : unknown('no instruction')) },
        { id: 'what', title: 'Instruction', key: (row) => row.disassembly ?? row.mnemonic ?? row.kind, cell: (row) => code(row.disassembly ?? row.mnemonic ?? row.opcode ?? row.kind) },
        { id: 'effects', title: 'What it did', fit: true, key: effects, cell: (row) => h('span', { class: 'code' }, h('bdi', null, effects(row))) },
      ],
      filter: (row) => `${row.number} ${row.symbol ?? ''} ${row.source_line ?? ''} ${row.pc ?? ''} ${row.disassembly ?? row.mnemonic ?? row.kind} ${effects(row)}`,
      filterText: context.parameters.get('filter') ?? '',
      announce: context.announce,
    })]);
    content.querySelector('tr.hot')?.scrollIntoView({ block: 'center' });
  },
};
