// Moments that somebody gave a name: each with the record before it, where whoever made it was looking.
import type { View } from '../report';
import { badge, h, name, unknown } from '../ui/dom';
import { lineOf, record } from '../ui/place';
import { frame } from '../ui/section';
import { table } from '../ui/table';
import { append } from '../ui/text';

export interface Mark {
  name: string;
  number: number | null;
  position: number | null;
  after: { number: number; hart: number; pc: string; symbol: string | null; source_line: string | null } | null;
}

export interface Marks {
  stale: boolean;
  marks: Mark[];
}

export const marks: View = {
  name: 'marks',
  title: 'Marks',
  available: (report) => report.section('marks', 0) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'marks', 'list of marks');
    if (!content) return;
    const data = await context.report.json<Marks>('marks', context.trace);
    append(content, [
      data.stale ? h('p', null, badge('warn', 'The trace has changed since')) : null,
      table<Mark>({
        caption: 'Marks', noun: 'mark', rows: data.marks, empty: 'No marks: m in browse makes one.',
        columns: [
          { id: 'name', title: 'Mark', key: (row) => row.name, cell: (row) => name(row.name) },
          { id: 'after', title: 'After', number: true, key: (row) => row.after?.number, cell: (row) => (row.after ? record(row.after.number, context.trace) : unknown()) },
          { id: 'where', title: 'Where', fit: true, key: (row) => row.after?.symbol ?? row.after?.pc, cell: (row) => (row.after ? lineOf(row.after.symbol, row.after.source_line, row.after.pc, context.trace) : unknown()) },
        ],
      }),
    ]);
  },
};
