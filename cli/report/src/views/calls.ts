// Calls with their lengths: of a long run the longest only, as the command lists them.
import type { View } from '../report';
import type { Call } from '../shapes';
import { bar, code, h, name, number } from '../ui/dom';
import { count } from '../ui/format';
import { record } from '../ui/place';
import { frame, note } from '../ui/section';
import { table, type Column } from '../ui/table';
import { append } from '../ui/text';

// How a call ended that did not return.
const ENDS: Record<string, string> = {
  returned: 'returned',
  unwound: 'left without a return',
  forgotten: 'its end is not known',
  open: 'active at the end',
  long: 'longer than what is kept',
};

export function callName(row: Call): string {
  return row.function ?? `[${row.entry}]`;
}

export const calls: View = {
  name: 'calls',
  title: 'Calls',
  available: (report) => report.section('calls', 0) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'calls', 'list of calls');
    if (!content) return;
    const lines = await context.report.lines<Call & { kind: string }>('calls', context.trace);
    const rows = lines.filter((line) => line.number !== undefined);
    // Of a call without an end what is known of it counts, as in the order of the command.
    const length = { clocks: (row: Call) => row.clocks ?? row.at_least_clocks ?? null, records: (row: Call) => row.records ?? row.at_least ?? null };
    const unit = rows.some((row) => length.clocks(row) !== null) ? 'clocks' : 'records';
    const most = rows.reduce((max, row) => Math.max(max, Number(length[unit](row) ?? 0)), 0);
    const harts = new Set(rows.map((row) => row.hart)).size;
    const columns: Column<Call>[] = [
      { id: 'function', title: 'Function', fit: true, key: callName, cell: (row) => [name(callName(row)), row.kind === 'call' ? null : h('span', { class: 'soft' }, ` (${row.kind})`)] },
      { id: 'bar', title: 'Of the longest here', number: true, key: length[unit], cell: (row) => bar(length[unit](row), most) },
      { id: 'clocks', title: 'Clocks', number: true, key: length.clocks, cell: (row) => (row.at_least_clocks === undefined ? number(row.clocks, 'the trace has no time here') : `> ${count(row.at_least_clocks)}`) },
      { id: 'records', title: 'Records', number: true, key: length.records, cell: (row) => (row.at_least === undefined ? number(row.records, 'the call has no end in the trace') : `> ${count(row.at_least)}`) },
      { id: 'number', title: 'From', number: true, key: (row) => row.number, cell: (row) => record(row.number, context.trace) },
      { id: 'last', title: 'To', number: true, key: (row) => row.last, cell: (row) => record(row.last, context.trace), reason: 'the call has no end in the trace' },
      { id: 'end', title: 'End', key: (row) => row.end, cell: (row) => ENDS[row.end] ?? row.end },
      { id: 'depth', title: 'Depth', number: true, wide: true, key: (row) => row.depth },
      { id: 'caller', title: 'Caller', wide: true, key: (row) => row.caller ?? row.call_pc, cell: (row) => (row.caller ? name(row.caller) : code(row.call_pc)) },
    ];
    if (harts > 1) columns.splice(1, 0, { id: 'hart', title: 'Hart', number: true, key: (row) => row.hart });
    append(content, [
      table({
        caption: 'Calls', noun: 'call', rows, columns, sort: context.parameters.get('sort') ?? unit,
        filter: (row) => `${callName(row)} ${row.caller ?? ''} ${row.end}`, filterText: context.parameters.get('filter') ?? '',
        changed: (state) => context.keep(state.filter ? { sort: state.sort, filter: state.filter } : { sort: state.sort }),
        announce: context.announce,
        empty: 'The trace has no call that is known.',
      }),
      note('Of a run with more calls than these, these are the ones with the most clocks, or without time records; a call without an end counts as long as it is known. A record opens what is embedded around it. A call from the trap or interrupt on is its handler.'),
    ]);
  },
};
