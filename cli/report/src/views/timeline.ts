// What ran when: tracks of harts, tasks, interrupts and markers.
import type { View } from '../report';

export const timeline: View = {
  name: 'timeline',
  title: 'Timeline',
  available: (report, trace) => report.section('timeline', trace) !== undefined,
  async show(root, context) {
    const columns = await context.report.columns('timeline', context.trace);
    const text = document.createElement('p');
    text.textContent = `${columns.table('slices').rows} slices`;
    root.append(text);
  },
};
