// Where the time went: a flame graph.
import type { View } from '../report';

export const flame: View = {
  name: 'flame',
  title: 'Flame graph',
  available: (report, trace) => report.section('flame', trace) !== undefined,
  async show(root, context) {
    const columns = await context.report.columns('flame', context.trace);
    const text = document.createElement('p');
    text.textContent = `${columns.table('nodes').rows} nodes`;
    root.append(text);
  },
};
