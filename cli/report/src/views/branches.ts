// Branches that are hard to predict.
import type { View } from '../report';
import type { Branches } from '../shapes';
import { bar, code, definitions, name, number, unknown } from '../ui/dom';
import { share, type Count } from '../ui/format';
import { frame, note } from '../ui/section';
import { table } from '../ui/table';
import { append } from '../ui/text';

export const branches: View = {
  name: 'branches',
  title: 'Branches',
  available: (report) => report.section('branches', 0) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'branches', 'branch');
    if (!content) return;
    const { branches: rows, total } = await context.report.json<Branches>('branches', context.trace);
    const hidden = 'the trace does not show the outcomes';
    const value = (key: string): Count => total[key] as Count;
    append(content, [
      definitions([['Executed', number(value('executed'))], ['Taken', number(value('taken'), hidden)], ['Not taken', number(value('not_taken'), hidden)],
        ['Mispredicted', number(value('misses'), hidden)], ['Of branches whose outcome is known', share(value('misses'), Number(value('taken') ?? 0) + Number(value('not_taken') ?? 0))]], 'figures'),
      note('Mispredicted by a two-bit counter for each branch: how predictable a branch is by its own recent outcomes.'),
      table({
        caption: 'Branches', noun: 'branch', rows, sort: context.parameters.get('sort') ?? 'misses', down: context.parameters.get('order') !== 'up',
        columns: [
          { id: 'symbol', title: 'Branch', fit: true, key: (row) => row['symbol'] as string, cell: (row) => (row['symbol'] ? name(String(row['symbol'])) : code(String(row['pc']))) },
          { id: 'line', title: 'Line', key: (row) => row['line'] as string, cell: (row) => (row['line'] ? name(String(row['line'])) : unknown('the program has no line here')) },
          { id: 'executed', title: 'Executed', number: true, key: (row) => row['executed'] },
          { id: 'misses', title: 'Mispredicted', number: true, key: (row) => row['misses'], reason: hidden },
          { id: 'rate', title: 'Miss rate', number: true, key: (row) => row['miss_rate'], cell: (row) => bar(row['misses'] as Count, Number(row['taken'] ?? 0) + Number(row['not_taken'] ?? 0)) },
          { id: 'taken', title: 'Taken', number: true, wide: true, key: (row) => row['taken'], reason: hidden },
          { id: 'not_taken', title: 'Not taken', number: true, wide: true, key: (row) => row['not_taken'], reason: hidden },
          { id: 'unknown', title: 'Unknown', number: true, wide: true, key: (row) => row['unknown'] },
          { id: 'pc', title: 'pc', wide: true, key: (row) => row['pc'], cell: (row) => code(String(row['pc'])) },
        ],
        filter: (row) => `${row['symbol'] ?? ''} ${row['line'] ?? ''} ${row['pc'] ?? ''}`, filterText: context.parameters.get('filter') ?? '',
        changed: (state) => context.keep({ sort: state.sort, ...(state.down ? {} : { order: 'up' }), ...(state.filter ? { filter: state.filter } : {}) }),
        announce: context.announce,
      }),
    ]);
  },
};
