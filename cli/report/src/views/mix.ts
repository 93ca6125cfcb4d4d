// The run in numbers: classes of instructions, branches, accesses.
import type { View } from '../report';
import type { Counts, Stat } from '../shapes';
import { bar, code, definitions, heading, number, type Child } from '../ui/dom';
import { frame, note } from '../ui/section';
import { table } from '../ui/table';
import { append } from '../ui/text';

export const CLASSES = ['alu', 'mul', 'div', 'load', 'store', 'amo', 'lr', 'sc', 'branch', 'jump', 'csr', 'fp', 'fence', 'cache', 'system', 'vload', 'vstore', 'vector', 'illegal'];

const TEXT: Record<string, string> = {
  records: 'Instruction records', executed: 'Retired', interrupts: 'Interrupts', traps: 'Traps', harts: 'Harts', gaps: 'Gaps', missing: 'Missing records',
  events: 'Events', others: 'Other records', ticks: 'Ticks of time', reads: 'Reads', writes: 'Writes', read_bytes: 'Bytes read', written_bytes: 'Bytes written',
  decoded: 'Decoded', compressed: 'Compressed', taken: 'Branches taken', not_taken: 'Branches not taken', unknown_outcomes: 'Branches of unknown outcome',
  first_pc: 'First pc', last_pc: 'Last pc', hash: 'Hash of the run',
};

export function classes(row: Counts): { name: string; count: Counts[string] }[] {
  return CLASSES.filter((name) => name in row).map((name) => ({ name, count: row[name] }));
}

export const mix: View = {
  name: 'mix',
  title: 'Opcode mix',
  available: (report) => report.section('stat', 0) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'stat', 'statistics');
    if (!content) return;
    const row = (await context.report.json<Stat>('stat', context.trace)).traces[0];
    if (!row) return;
    const rows = classes(row).filter((entry) => entry.count === null || Number(entry.count) > 0);
    const value = (key: string): Child => (typeof row[key] === 'string' && !/^\d+$/.test(String(row[key])) ? code(String(row[key])) : number(row[key], 'the format of the trace does not carry it'));
    append(content, [
      heading(2, 'Classes of instructions'),
      table({
        caption: 'Classes of instructions', noun: 'row', rows, sort: 'count', down: true,
        columns: [
          { id: 'name', title: 'Class', key: (entry) => entry.name, cell: (entry) => code(entry.name) },
          { id: 'count', title: 'Instructions', number: true, key: (entry) => entry.count, reason: 'the trace has no opcodes' },
          { id: 'share', title: 'Share of all decoded', number: true, fit: true, key: (entry) => entry.count, cell: (entry) => bar(entry.count, row['decoded']) },
        ],
        announce: context.announce, empty: 'No instruction was decoded.',
      }),
      heading(2, 'All numbers'),
      definitions(Object.keys(TEXT).filter((key) => key in row).map((key) => [TEXT[key], value(key)])),
      note('Two runs that did the same have the same hash.'),
    ]);
  },
};
