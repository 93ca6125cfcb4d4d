// What each task ran.
import type { Section, View } from '../report';
import type { By } from '../shapes';
import { bar, name } from '../ui/dom';
import { frame } from '../ui/section';
import { table, type Column } from '../ui/table';
import { append } from '../ui/text';

/** No event says which task runs: then its number is not known, whatever it is. */
export function isUnknown(section: Section | undefined): boolean {
  return section?.messages.some((text) => text.includes('no event says which task')) ?? false;
}

export function taskName(row: By['rows'][number], hidden = false): string {
  if (hidden) return '(no task is known)';
  const number = row.task ?? row.pid;
  if (row.name) return row.name;
  return number === null || number === undefined ? '(no task is known)' : `task ${number}`;
}

export const tasks: View = {
  name: 'tasks',
  title: 'Tasks',
  available: (report) => report.section('tasks', 0) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'tasks', 'task');
    if (!content) return;
    const data = await context.report.json<By>('tasks', context.trace);
    const hidden = isUnknown(context.report.section('tasks', context.trace));
    const sum = (key: string): number => data.rows.reduce((all, row) => all + Number(row.counts[key] ?? 0), 0);
    const unit = data.rows.some((row) => Number(row.counts['clocks'] ?? 0) > 0) ? 'clocks' : 'records';
    const column = (key: string, title: string, wide = false): Column<By['rows'][number]> => ({ id: key, title, number: true, wide, key: (row) => row.counts[key], reason: 'the trace does not show it' });
    append(content, [table({
      caption: 'Tasks', noun: 'task', rows: data.rows, sort: unit,
      columns: [
        { id: 'name', title: 'Task', fit: true, key: (row) => taskName(row, hidden), cell: (row) => name(taskName(row, hidden)) },
        { id: 'pid', title: 'Number', number: true, key: (row) => (hidden ? null : (row.pid ?? row.task)), reason: 'no task is known here' },
        { id: 'share', title: `Share of ${unit}`, number: true, key: (row) => row.counts[unit], cell: (row) => bar(row.counts[unit], sum(unit)) },
        column('records', 'Records'), column('clocks', 'Clocks'), column('traps', 'Traps', true), column('interrupts', 'Interrupts', true),
      ],
      filter: (row) => taskName(row, hidden), announce: context.announce,
    })]);
  },
};
