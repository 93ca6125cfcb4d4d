// The functions of the profile.
import type { View } from '../report';
import type { Profile, ProfileFunction } from '../shapes';
import { address } from '../app';
import { bar, code, definitions, link, name, number, unknown } from '../ui/dom';
import { frame } from '../ui/section';
import { table, type Column } from '../ui/table';
import { append } from '../ui/text';

export function functionName(row: ProfileFunction): string {
  return row.name ?? (row.entry ? `[${row.entry}]` : '[unknown]');
}

// The counts that the trace shows, in the order of the JSON.
const COUNTS: Record<string, [string, string]> = {
  records: ['Records', 'instruction records: retired, trapped, interrupts'],
  clocks: ['Clocks', 'clocks of the core'],
  reads: ['Reads', 'loads'],
  writes: ['Writes', 'stores'],
  read_bytes: ['Bytes read', 'bytes of loads'],
  written_bytes: ['Bytes written', 'bytes of stores'],
  lines: ['Cache lines', 'changes of the line of 64 bytes'],
  taken: ['Taken', 'conditional branches taken'],
  not_taken: ['Not taken', 'conditional branches not taken'],
  traps: ['Traps', 'instructions that trapped'],
  interrupts: ['Interrupts', 'interrupts taken'],
};

export const functions: View = {
  name: 'functions',
  title: 'Functions',
  available: (report) => report.section('profile', 0) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'profile', 'profile');
    if (!content) return;
    const data = await context.report.json<Profile>('profile', context.trace);
    const { parameters } = context;
    const shown = Object.keys(COUNTS).filter((key) => data.total[key] !== null && data.total[key] !== undefined);
    const unit = parameters.get('by') === 'clocks' && shown.includes('clocks') ? 'clocks' : 'records';
    const view = context.report.section('annotate', context.trace)?.kind === 'json' ? 'source' : 'flame';
    const columns: Column<ProfileFunction>[] = [
      { id: 'name', title: 'Function', fit: true, key: functionName, cell: (row) => [link(name(functionName(row)), address(view, { function: functionName(row), ...(context.trace ? { trace: String(context.trace) } : {}) })), row.inlined ? ' (inlined)' : null] },
      { id: 'share', title: 'Self', number: true, help: `share of all ${unit}`, key: (row) => Number(row.self[unit] ?? 0), cell: (row) => bar(row.self[unit], data.total[unit]) },
    ];
    for (const key of shown.filter((entry) => entry === 'records' || entry === 'clocks')) {
      const title = COUNTS[key]?.[0] ?? key;
      columns.push({ id: `self_${key}`, title: `${title}, self`, number: true, help: COUNTS[key]?.[1] ?? '', key: (row) => row.self[key], reason: 'the trace does not show it' });
      columns.push({ id: `all_${key}`, title: `${title}, inclusive`, number: true, help: `${COUNTS[key]?.[1] ?? ''}, with what it called`, key: (row) => row.inclusive[key], reason: 'the trace does not show it' });
    }
    columns.push({ id: 'calls', title: 'Calls', number: true, key: (row) => row.calls, reason: 'it has no calls of its own: it was inlined, or not seen to be called' });
    for (const key of shown.filter((entry) => entry !== 'records' && entry !== 'clocks'))
      if (Number(data.total[key]) > 0)
        columns.push({ id: key, title: COUNTS[key]?.[0] ?? key, number: true, wide: true, help: `${COUNTS[key]?.[1] ?? ''}, self`, key: (row) => row.self[key], reason: 'the trace does not show it' });
    columns.push({ id: 'entry', title: 'Entry', wide: true, key: (row) => row.entry, cell: (row) => (row.entry ? code(row.entry) : unknown('it has no code of its own')) });
    append(content, [
      definitions(Object.keys(COUNTS).filter((key) => ['records', 'clocks', 'traps', 'interrupts'].includes(key)).map((key) => [COUNTS[key]?.[0], number(data.total[key], 'the trace does not show it')]), 'figures'),
      table({
        caption: 'Functions of the profile',
        noun: 'function',
        rows: data.functions,
        columns,
        sort: parameters.get('sort') ?? 'self_records',
        down: parameters.get('order') !== 'up',
        filter: (row) => `${functionName(row)} ${row.entry ?? ''}`,
        filterText: parameters.get('filter') ?? '',
        changed: (state) => {
          const values: Record<string, string> = { sort: state.sort };
          if (!state.down) values['order'] = 'up';
          if (state.filter) values['filter'] = state.filter;
          context.keep(values);
        },
        announce: context.announce,
      }),
    ]);
  },
};
