// Memory errors: uninitialised reads, heap faults, stacks. A list: each error has its own parts.
import type { View } from '../report';
import type { Errors, MemoryError, Moment } from '../shapes';
import { badge, code, definitions, h, name, number, type Child } from '../ui/dom';
import { count, plural } from '../ui/format';
import { lineOf, moment, record } from '../ui/place';
import { frame, note } from '../ui/section';
import { append } from '../ui/text';

// What an error is, in a sentence: docs/analyses/memory-errors.md.
export const KINDS: Record<string, string> = {
  freed: 'an access to a block that was freed',
  outside: 'an access before or after a block',
  unwritten: 'a branch or an address depends on bytes that nothing wrote',
  'left-frame': 'an access to a variable of a function that has returned',
  'stack-limit': 'sp is below the limit of its stack',
  'double-free': 'a block was freed that was free',
  'wrong-free': 'what was freed is not the begin of a block',
  overlap: 'memcpy of areas that overlap',
  object: 'an access beyond the end of a variable, in another one',
};

const MOST = 500;

export function errorLine(error: MemoryError, trace: number): HTMLElement {
  return h('span', { class: 'line' }, h('b', null, error.kind), ' ', record(error.at.record, trace), ' ', lineOf(error.at.function, error.at.line, error.at.pc, trace));
}

function details(error: MemoryError, trace: number): Child {
  const rows: [Child, Child][] = [];
  const add = (term: string, value: Moment | undefined): void => {
    if (value) rows.push([term, moment(value, trace)]);
  };
  rows.push(['At', moment(error.at, trace)]);
  rows.push(['Address', [code(error.address), error.size === undefined ? null : `, ${plural(error.size, 'byte')}${error.write === undefined ? '' : error.write ? ', written' : ', read'}`]]);
  if (error.limit) rows.push(['Limit of the stack', code(error.limit)]);
  if (error.source) rows.push(['Copied from', code(error.source)]);
  if (error.object) rows.push(['Variable', [name(error.object.name), ` of ${plural(error.object.size, 'byte')} at `, code(error.object.address)]]);
  if (error.hit) rows.push(['It hit', name(error.hit)]);
  add('Called from', error.caller);
  add('It decides', error.decides);
  add('The function returned', error.returned);
  if (error.block) {
    rows.push(['Block', [code(error.block.address), `, ${plural(error.block.size, 'byte')}`]]);
    add('Allocated', error.block.allocated);
    add('Freed', error.block.freed);
    add('Before: allocated', error.block.before_allocated);
    add('Before: freed', error.block.before_freed);
  }
  return definitions(rows);
}

export const errors: View = {
  name: 'errors',
  title: 'Memory errors',
  available: (report) => report.section('errors', 0) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'errors', 'check of its memory');
    if (!content) return;
    const data = await context.report.json<Errors>('errors', context.trace);
    append(content, [definitions([
      ['Allocations', number(data.allocations, 'the trace has no events of the heap, and no names of malloc, free and the like')],
      ['Frees', number(data.frees, 'the trace has no events of the heap, and no names of malloc, free and the like')],
      ['Records', number(data.records)],
    ], 'figures')]);
    if (!data.errors.length) {
      append(content, [h('p', null, badge('good', 'No memory error was found.')),
        h('p', { class: 'note' }, 'What is not certain is not reported: docs/analyses/memory-errors.md says what can be found and what cannot.')]);
      return;
    }
    const shown = data.errors.slice(0, MOST);
    append(content, [h('p', null, badge('bad', plural(data.errors.length, 'memory error'))),
      h('ol', { class: 'errors', 'data-list': 'errors' }, shown.map((error) => h('li', { class: 'panel', 'data-kind': error.kind },
        h('h2', null, error.kind, h('span', { class: 'soft' }, ` ${KINDS[error.kind] ?? ''}${error.count > 1 ? `, ${count(error.count)} times` : ''}`)),
        details(error, context.trace)))),
      shown.length < data.errors.length ? note(`${count(shown.length)} of ${count(data.errors.length)} are listed; the command prints all.`) : null]);
  },
};
