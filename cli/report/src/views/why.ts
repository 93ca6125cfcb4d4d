// Why the run ended: what the command why says, with its chain of values as steps to walk.
import type { Context, View } from '../report';
import type { At, ChainNode, ChainSource, Difference, Value, Why } from '../shapes';
import { code, h, heading, mark, type Child } from '../ui/dom';
import { count, plural } from '../ui/format';
import { at, lineOf, moment, record, whereText } from '../ui/place';
import { frame, note } from '../ui/section';
import { quote, sourceTexts, type Texts } from '../ui/quote';
import { errorLine } from './errors';
import { ending } from '../verdict';
import { append } from '../ui/text';

// The words of the command.
export const ROLES: Record<string, string> = {
  address: 'The address is made of',
  target: 'The target of the jump:',
  instruction: 'The instruction was written:',
  code: 'The code that ended the program:',
  operand: 'The branch compares',
  status: 'Interrupts are off by',
  choice: 'The branch before that compares',
  resumed: 'The handler returned by',
  enabled: 'What may end the sleep:',
  input: 'Its operand, as written last:',
};

const ENDS: Record<string, string> = {
  constant: 'a constant of the program',
  image: 'as in the program’s file; nothing wrote it',
  device: 'from the memory of a device',
  core: 'written by the core itself',
  changed: 'it is not what was written last: something else changed it',
  begin: 'nothing in the trace wrote it',
  gap: 'records are missing between, which may have written it',
  opaque: 'the instruction is not known',
  limit: 'the chain is cut here: it is as long as it may become',
  address: 'part of the address; not followed',
};

const DEEPEST = 8; // levels to the right

const BEFORE: Record<string, [string, string]> = {
  trap: ['It was executed before, at', 'No earlier execution of this instruction was found.'],
  exit: ['That branch was executed before, at', 'No earlier execution of that branch was found.'],
  hang: ['The branch left the loop last at', 'The branch did not leave the loop before, as far as was looked.'],
  event: ['It was executed before, at', 'No earlier execution of this instruction was found.'],
};

export const why: View = {
  name: 'why',
  title: 'Why it ended',
  available: (report) => report.head.traces.some((_, trace) => report.section('why', trace) !== undefined),
  async show(root, context) {
    const content = frame(root, context, 'why', 'explanation of its end');
    if (!content) return;
    const data = await context.report.json<Why>('why', context.trace);
    const texts = await sourceTexts(context);
    append(content, [headline(data, context), facts(data, context)]);
    if (data.values.length) {
      append(content, [heading(2, 'Where the values come from'),
        note('From the value that was wrong, back to what made it. A step is an instruction that wrote; its place in the source is after its number.')]);
      data.values.forEach((value, index) => content.appendChild(chain(value, index, context, texts)));
    }
    append(content, [lost(data, context), calls(data, context.trace), blocks(data, context), memory(data, context), difference(data, context)]);
    steps(content, context);
  },
};

export function headline(data: Why, context: Context): HTMLElement {
  const answer = ending(data);
  return h('div', { class: `verdict ${answer.mood}`, 'data-verdict': answer.mood },
    mark(answer.mood),
    h('div', null,
      h('p', { class: 'what' }, h('bdi', null, answer.title)),
      data.place ? h('p', { class: 'where' }, 'at ', at(data.place, context.trace)) : null,
      answer.more.map((text) => h('p', { class: 'where' }, text))));
}

// What the command says under its first line.
export function facts(data: Why, context: Context): HTMLElement | null {
  const rows: Child[] = [];
  const add = (text: string, place: At | null | undefined): void => {
    if (place) rows.push(h('li', null, text, ' ', at(place, context.trace)));
  };
  if (context.report.head.traces.length > 1 || data.hart > 0) rows.push(h('li', null, `on hart ${data.hart}`));
  add('jumped from', data.jump);
  if (data.nested) rows.push(h('li', null, `and then ${plural(data.nested, 'more trap')} in its handler, which did not return`));
  if (data.kind === 'trap' && data.code === undefined) add(data.earlier ? 'its handler ends in a loop since before' : 'its handler ends in a loop since', data.loop);
  if (data.kind === 'exit') add('the last branch before:', data.branch);
  add('what it compares was made after', data.choice);
  if (data.kind === 'hang') add(data.earlier ? 'in the loop since before' : 'in the loop since', data.loop);
  if (data.rounds !== undefined) rows.push(h('li', null, `${plural(data.rounds, 'round')} were seen; it repeats every ${plural(data.period, 'instruction')}`));
  data.exits.forEach((place, index) => {
    const holds = data.exits_if?.[index];
    add(holds ? `this would leave it, too, if ${holds}:` : 'this would leave it, too:', place);
  });
  add('a handler continued 4 bytes after this trap, of 2 bytes:', data.skip);
  add('the stack had grown too far at', data.overflow);
  if (data.overflow_sp) rows.push(h('li', null, 'sp was ', code(data.overflow_sp), `, ${plural(data.overflow_calls, 'call')} deep`));
  add('the core was wrong at', data.core);
  if (data.changed) {
    rows.push(h('li', null, `the handler of an interrupt changed ${whereText(data.changed)} from `, code(data.changed.then), ' to ', code(data.changed.now), ', and did not restore it'));
    add('it wrote at', data.changed.write);
    add('it interrupted', data.changed.interrupt);
  }
  if (data.values_inferred) rows.push(h('li', null, 'some values follow from the program and are not in the trace'));
  return rows.length ? h('ul', { class: 'sources' }, rows) : null;
}

function chain(value: Value, index: number, context: Context, texts: Texts): HTMLElement {
  const shown = new Set<number>();
  const list = h('ol', { class: 'steps', 'data-list': 'chain', 'data-chain': index });
  // In the order of the command: a node, then what it was made of, without calling itself: the last one first.
  const stack: { node: number; from: ChainSource | null; depth: number }[] = [];
  // A step moves to the right where the step before has more than one source: each of them is a branch of its own.
  const push = (sources: ChainSource[], depth: number): void => {
    const followed = sources.filter((source) => source.node !== null);
    const deeper = depth + Number(followed.length > 1);
    for (const source of [...followed].reverse()) stack.push({ node: source.node ?? 0, from: followed.length > 1 ? source : null, depth: deeper });
  };
  const add = (item: HTMLElement, depth: number): void => {
    if (depth > 0) item.style.setProperty('--depth', String(Math.min(depth, DEEPEST)));
    list.appendChild(item);
  };
  const ends = (sources: ChainSource[], depth: number): void => {
    // The command leaves out what an address was made of, too.
    const more = sources.length > 1 ? 1 : 0;
    for (const source of sources) if (source.node === null && !source.is_address) add(endStep(source), depth + more);
  };
  ends(value.roots, -1);
  push(value.roots, 0);
  while (stack.length) {
    const top = stack.pop();
    if (!top) break;
    const node = value.nodes[top.node];
    if (!node) continue;
    if (shown.has(top.node)) {
      add(h('li', { class: 'step end' }, h('span', { class: 'more-text' }, top.from ? `${sourceText(top.from)}: ` : '', `#${count(node.record)}: `, h('button', { type: 'button', class: 'bare', click: () => list.querySelector<HTMLElement>(`[data-record="${node.record}"] a`)?.focus() }, 'see the step above'))), top.depth);
      continue;
    }
    shown.add(top.node);
    add(step(node, top.from, shown.size === 1, context, texts), top.depth);
    ends(node.sources, top.depth);
    push(node.sources, top.depth);
  }
  const level = h('section', { class: 'panel chain', 'data-role': value.role },
    h('h3', null, ROLES[value.role] ?? value.role, ' ', code(`${whereText(value)} = ${value.value ?? '?'}`)), list,
    value.limited ? note('The chain is longer. It is cut here; the command continues with --limit and --depth.') : null);
  return level;
}

function sourceText(source: ChainSource): string {
  return `from ${whereText(source)} = ${source.value ?? '?'}`;
}

function step(node: ChainNode, from: ChainSource | null, first: boolean, context: Context, texts: Texts): HTMLElement {
  const target = whereText(node.writes);
  return h('li', { class: first ? 'step first' : 'step', 'data-record': node.record },
    from ? h('p', { class: 'more-text' }, sourceText(from)) : null,
    h('div', { class: 'line' }, record(node.record, context.trace), lineOf(node.symbol, node.line, node.pc, context.trace), code(node.instruction)),
    quote(node.line, texts),
    change(target, node),
    node.folded ? h('div', { class: 'more-text' }, `and ${count(node.folded)} more by this instruction, back to `, record(node.first_record, context.trace)) : null,
    node.end && node.end !== 'constant' ? h('div', { class: 'more-text' }, ENDS[node.end] ?? node.end) : null,
    node.end === 'constant' ? h('div', { class: 'more-text' }, 'a constant of the program: the chain ends here') : null);
}

/** What a step wrote: before and after. */
export function change(target: string, node: ChainNode): HTMLElement {
  const same = node.before !== null && node.before === node.after;
  return h('div', { class: 'change' }, h('bdi', null, target), ': ', same ? null : [node.before ?? '?', ' → '], h('b', null, node.after ?? '?'), same ? ', as before' : null);
}

function endStep(source: ChainSource): HTMLElement {
  return h('li', { class: 'step end' }, h('div', { class: 'change' }, sourceText(source)),
    h('div', { class: 'more-text' }, source.end ? (ENDS[source.end] ?? source.end) : 'not followed'));
}

// An update that another store undid, between its load and its store.
function lost(data: Why, context: Context): Child {
  if (!data.lost) return null;
  const { load, interrupt, other, store, loaded, other_value, stored, count: found } = data.lost;
  const step = (place: At, what: Child, first = false): HTMLElement =>
    h('li', { class: first ? 'step first' : 'step' }, h('div', { class: 'line' }, at(place, context.trace)), h('div', { class: 'change' }, what));
  return [heading(2, 'An update was lost: ', code(whereText(data.lost))), h('div', { class: 'panel', 'data-part': 'lost' },
    note('It was stored to between a load and the store that followed from it.'),
    h('ol', { class: 'steps' },
      step(load, ['loaded ', h('b', null, loaded)], true),
      interrupt ? step(interrupt, 'an interrupt came here') : null,
      step(other, ['stored ', h('b', null, other_value), ', which is lost']),
      step(store, ['stored ', h('b', null, stored), `, made of ${loaded}`])),
    found > 1 ? note(`${plural(found, 'such update')} were found; this is the last.`) : null)];
}

function calls(data: Why, trace: number): Child {
  if (!data.calls.length) return null;
  const list = h('ol', { class: 'steps', 'data-list': 'calls' });
  data.calls.forEach((call, index) => {
    list.appendChild(h('li', { class: index ? 'step' : 'step first' }, h('div', { class: 'line' },
      h('span', { class: 'soft number' }, `#${index}`), lineOf(call.symbol, call.line, call.pc, trace),
      call.symbol ? code(call.pc) : null,
      call.kind === 'trap' || call.kind === 'interrupt' ? h('span', { class: 'soft' }, `in the handler of a${call.kind === 'trap' ? ' trap' : 'n interrupt'}`) : null)));
  });
  const rest = data.call_count - data.calls.length;
  return [heading(2, 'Active calls'), h('div', { class: 'panel' }, list, rest > 0 ? note(`and ${plural(rest, 'more call')}.`) : null)];
}

function blocks(data: Why, context: Context): Child {
  if (!data.blocks.length) return null;
  // A chain may come to a block by many of its bytes.
  const each = [...new Map(data.blocks.map((entry) => [JSON.stringify(entry.block, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)), entry])).values()];
  return [heading(2, 'Blocks of memory in it'), h('div', { class: 'panel stack' }, each.map((entry) =>
    h('dl', { class: 'facts' },
      h('div', null, h('dt', null, 'Block'), h('dd', null, code(entry.block.address), `, ${plural(entry.block.size, 'byte')}`)),
      ([['Allocated', entry.block.allocated], ['Freed', entry.block.freed], ['Before: allocated', entry.block.before_allocated], ['Before: freed', entry.block.before_freed]] as const)
        .map(([term, value]) => value ? h('div', null, h('dt', null, term), h('dd', null, moment(value, context.trace))) : null))))];
}

function memory(data: Why, context: Context): Child {
  if (!data.memory_errors.length) return null;
  const rest = data.memory_error_count - data.memory_errors.length;
  return [heading(2, 'Memory errors up to there'), h('div', { class: 'panel' }, h('ul', { class: 'sources' },
    data.memory_errors.map((error) => h('li', null, errorLine(error, context.trace)))), rest > 0 ? note(`and ${count(rest)} more.`) : null)];
}

function difference(data: Why, context: Context): Child {
  const parts: Child[] = [];
  const texts = BEFORE[data.kind];
  const now = data.kind === 'exit' ? data.branch : (data.jump ?? data.place);
  if (data.after && (data.after.branch_now || data.after.interrupt))
    parts.push(heading(2, 'After the last store to what it waits for, the run went another way'), sides(data.after, data.after_write, context));
  if (data.difference && texts) {
    if (data.difference.before) parts.push(heading(2, texts[0]), sides(data.difference, now, context));
    else parts.push(heading(2, 'Before'), note(texts[1]));
  }
  return parts;
}

function sides(difference: Difference, now: At | null, context: Context): HTMLElement {
  const side = (title: string, place: At | null, branch: At | null, key: 'then' | 'now'): HTMLElement =>
    h('div', null, h('h3', null, title), place ? at(place, context.trace) : null,
      h('ul', { class: 'sources' }, difference.registers.map((register) => h('li', null, code(`${whereText(register)} = ${register[key]}`)))),
      branch ? h('p', null, 'this branch went another way: ', at(branch, context.trace), branch.next_pc ? [' on to ', code(branch.next_pc)] : null) : null);
  return h('div', { class: 'panel' },
    h('div', { class: 'columns' }, side('Then', difference.before, difference.branch_then, 'then'), side('Now', now, difference.branch_now, 'now')),
    difference.registers.length ? null : note('With the same values in its registers, as far as they are known.'),
    difference.interrupt ? h('p', null, 'An interrupt came in this round, and in none of the ', plural(difference.quiet_rounds, 'round'), ' before: ', at(difference.interrupt, context.trace)) : null);
}

// Up and down between the numbers of the steps.
function steps(content: HTMLElement, context: Context): void {
  content.addEventListener('keydown', (event) => {
    const way = event.code === 'ArrowDown' || event.code === 'KeyJ' ? 1 : event.code === 'ArrowUp' || event.code === 'KeyK' ? -1 : 0;
    const item = event.target instanceof HTMLElement ? event.target.closest('.steps') : null;
    if (!way || !item || event.ctrlKey || event.altKey || event.metaKey) return;
    const links = [...content.querySelectorAll<HTMLElement>('.step > .line > a')];
    const next = links[links.indexOf(event.target as HTMLElement) + way];
    if (!next) return;
    event.preventDefault();
    next.focus();
    context.announce(next.closest('.step')?.textContent ?? '');
  });
}

