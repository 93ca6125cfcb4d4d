// Coverage of the instruction set: an instruction a row, and its bins.
import type { View } from '../report';
import type { Isa } from '../shapes';
import { address } from '../app';
import { badge, bar, code, definitions, h, heading, link, unknown } from '../ui/dom';
import { count, share } from '../ui/format';
import { frame, note } from '../ui/section';
import { table } from '../ui/table';
import { append } from '../ui/text';

type Bin = Isa['rows'][number];

interface Line {
  name: string;
  count: number | null; // of its opcode
  hit: number;
  bins: number;
  unknown: number;
}

export function summarise(rows: Bin[]): Line[] {
  const lines = new Map<string, Line>();
  for (const row of rows) {
    let line = lines.get(row.name);
    if (!line) lines.set(row.name, (line = { name: row.name, count: null, hit: 0, bins: 0, unknown: 0 }));
    if (row.count === null || row.count === undefined) {
      line.unknown++;
      continue;
    }
    line.bins++;
    if (Number(row.count) > 0) line.hit++;
    if (row.group === 'opcode') line.count = Number(row.count);
  }
  return [...lines.values()];
}

export const isa: View = {
  name: 'isa',
  title: 'Instruction set',
  available: (report) => report.section('isa', 0) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'isa', 'coverage of the instruction set');
    if (!content) return;
    const data = await context.report.json<Isa>('isa', context.trace);
    const chosen = context.parameters.get('name');
    if (chosen) {
      const bins = data.rows.filter((row) => row.name === chosen);
      append(content, [h('p', null, link('← All instructions', address('isa'))), heading(2, code(chosen)), table({
        caption: `Bins of ${chosen}`, noun: 'bin', rows: bins, columns: binColumns(), sort: 'group', down: false,
        filter: (row) => `${row.group} ${row.bin} ${row.section}`, announce: context.announce,
      })]);
      return;
    }
    const rows = summarise(data.rows);
    append(content, [
      definitions([['Bins that were hit', h('span', null, `${count(data.hit)} of ${count(data.bins)}`)], ['Share', share(data.hit, data.bins)],
        ['Not shown by the trace', count(data.unknown)], ['XLEN', count(data.xlen)], ['Extensions', data.extensions]], 'figures'),
      note('A bin is a situation: a register as operand, a value, a hazard. What the trace cannot show is a dash, and in no sum.'),
      table<Line>({
        caption: 'Instructions', noun: 'row', rows, sort: context.parameters.get('sort') ?? 'count', down: context.parameters.get('order') !== 'up',
        columns: [
          { id: 'name', title: 'Instruction', key: (row) => row.name, cell: (row) => h('a', { href: address('isa', { name: row.name }) }, code(row.name)) },
          { id: 'ran', title: 'Ran', key: (row) => (row.count === null ? null : row.count > 0), cell: (row) => (row.count === null ? unknown('not an instruction, or not shown') : row.count > 0 ? badge('good', 'yes') : badge('bad', 'no')) },
          { id: 'count', title: 'Times', number: true, key: (row) => row.count, reason: 'no count of its own' },
          { id: 'share', title: 'Bins hit', number: true, key: (row) => (row.bins ? row.hit / row.bins : null), cell: (row) => bar(row.hit, row.bins) },
          { id: 'hit', title: 'Bins', number: true, key: (row) => row.hit, cell: (row) => `${count(row.hit)} of ${count(row.bins)}` },
          { id: 'unknown', title: 'Not shown', number: true, wide: true, key: (row) => row.unknown },
        ],
        filter: (row) => row.name, filterText: context.parameters.get('filter') ?? '',
        changed: (state) => context.keep({ sort: state.sort, ...(state.down ? {} : { order: 'up' }), ...(state.filter ? { filter: state.filter } : {}) }),
        announce: context.announce,
      }),
    ]);
  },
};

function binColumns(): { id: string; title: string; number?: boolean; wide?: boolean; fit?: boolean; key: (row: Bin) => string | number | null; cell?: (row: Bin) => HTMLElement | string; reason?: string }[] {
  return [
    { id: 'group', title: 'Group', key: (row) => row.group },
    { id: 'bin', title: 'Bin', key: (row) => row.bin, cell: (row) => code(row.bin) },
    { id: 'hit', title: 'Hit', key: (row) => (row.count === null || row.count === undefined ? null : Number(row.count) > 0 ? 'yes' : 'no'), cell: (row) => (row.count === null || row.count === undefined ? unknown('the trace does not show it') : Number(row.count) > 0 ? badge('good', 'yes') : badge('bad', 'no')) },
    { id: 'count', title: 'Times', number: true, key: (row) => (row.count === undefined ? null : Number(row.count ?? Number.NaN) >= 0 ? Number(row.count) : null), reason: 'the trace does not show it' },
    { id: 'section', title: 'Section of the manual', wide: true, fit: true, key: (row) => row.section },
  ];
}
