// How each number was made: the commands, how they ended, what they said; and what is in this page.
import type { Section, View } from '../report';
import { badge, code, definitions, h, heading, name } from '../ui/dom';
import { bytes, count } from '../ui/format';
import { table } from '../ui/table';
import { note } from '../ui/section';
import { append } from '../ui/text';

function outcome(section: Section): HTMLElement {
  if (section.kind === 'none') return badge('unknown', 'no data');
  if (section.status === 0) return badge('good', 'done');
  if (section.status === 1) return badge('warn', 'the answer is no, or it differs');
  return badge('bad', 'not all could be done');
}

export const about: View = {
  name: 'about',
  title: 'About',
  available: () => true,
  show(root, context) {
    const { head } = context.report;
    append(root, [
      h('p', null, 'Every number of this page was printed by a command of earshot. Each view shows its command; these are all.'),
      definitions([
        ['Earshot', head.version],
        ['Made', head.created],
        ...head.traces.map((trace, index): [string, HTMLElement] => [head.traces.length > 1 ? `Trace ${index ? 'B' : 'A'}` : 'Trace', code(trace.path)]),
      ]),
      head.left_out.length ? [heading(2, 'What was left out'), h('ul', null, head.left_out.map((text) => h('li', null, text)))] : null,
      heading(2, 'Commands'),
      table<Section>({
        caption: 'Commands', noun: 'command', rows: head.sections,
        columns: [
          { id: 'command', title: 'Command', fit: true, key: (row) => row.command, cell: (row) => [code(row.command), row.messages.length ? h('ul', { class: 'sources' }, row.messages.map((text) => h('li', null, name(text)))) : null] },
          { id: 'outcome', title: 'Outcome', key: (row) => row.status, cell: outcome },
          { id: 'status', title: 'Status', number: true, key: (row) => row.status },
          { id: 'bytes', title: 'Data', number: true, wide: true, key: (row) => row.bytes, cell: (row) => (row.kind === 'none' ? 'none' : h('span', { title: `${count(row.bytes)} bytes` }, bytes(row.bytes))) },
        ],
        filter: (row) => `${row.command} ${row.messages.join(' ')}`, announce: context.announce,
      }),
      heading(2, 'This page'),
      note('It asks for nothing: no request leaves it, and its policy forbids any. It holds no code but its own: no library is bundled, so there is no other licence.'),
      note('Names come from the traced program. Control characters, and those that turn the direction of text, are shown as \\u{…}.'),
    ]);
  },
};
