// The first screen: which program, how long, did it end well, is anything missing, where did the time go; and a small result
// of each other view, which opens it.
import type { Context, Section, View } from '../report';
import type { Branches, By, Call, Check, Coverage, Errors, Info, Isa, Memory, Profile, Stat, Value, Why } from '../shapes';
import { address } from '../app';
import { badge, bar, code, definitions, h, heading, link, mark, name, number, unknown, type Child } from '../ui/dom';
import { base, count, duration, plural, share, type Count } from '../ui/format';
import { at, lineOf, record, whereText } from '../ui/place';
import { quote, sourceTexts, type Texts } from '../ui/quote';
import { completeness, ending } from '../verdict';
import { callName } from './calls';
import type { Event } from './compare';
import { functionName } from './functions';
import type { Marks } from './marks';
import { classes } from './mix';
import { isUnknown, taskName } from './tasks';
import { errorLine } from './errors';
import { change, ROLES, facts } from './why';
import { append, fill } from '../ui/text';

const TOP = 8;
const STEPS = 3;

export const summary: View = {
  name: 'summary',
  title: 'Summary',
  available: () => true,
  async show(root, context) {
    const read = async <T>(section: string): Promise<T | undefined> => {
      const found = context.report.section(section, context.trace);
      return found && found.kind === 'json' ? context.report.json<T>(section, context.trace) : undefined;
    };
    const [info, why, profile, stat] = await Promise.all([read<Info>('info'), read<Why>('why'), read<Profile>('profile'), read<Stat>('stat')]);
    const left = context.report.head.left_out;
    const list = h('ul', { class: 'cards' });
    append(root, [
      h('div', { class: 'lead' }, verdict(why, context)),
      figures(info, profile, stat?.traces[0]),
      left.length ? h('div', { class: 'messages', role: 'note' }, h('ul', null, left.map((text) => h('li', null, text)))) : null,
      h('div', { class: 'columns' }, end(why, context, await sourceTexts(context)), h('div', { class: 'stack' }, missing(info, context), time(profile, context))),
      heading(2, 'Everything else'),
      list,
    ]);
    const title = root.parentElement?.querySelector('h1');
    if (title && info?.program) fill(title, name(base(info.program)));
    else if (title) fill(title, name(context.report.head.traces[context.trace]?.name ?? ''));
    await cards(list, context);
  },
};

function said(section: Section | undefined): Child {
  if (!section) return h('p', { class: 'note' }, 'This report was made without it.');
  return h('ul', { class: 'note' }, section.messages.map((text) => h('li', null, text.replace(/^earshot: (error: )?/, ''))));
}

function verdict(why: Why | undefined, context: Context): HTMLElement {
  if (!why)
    return h('div', { class: 'verdict unknown', 'data-verdict': 'unknown' }, mark('unknown'), h('div', null, h('p', { class: 'what' }, 'How it ended is not known'), said(context.report.section('why', context.trace))));
  const answer = ending(why);
  return h('div', { class: `verdict ${answer.mood}`, 'data-verdict': answer.mood }, mark(answer.mood),
    h('div', null,
      h('p', { class: 'what' }, link(h('bdi', null, answer.title), here('why', context))),
      why.place ? h('p', { class: 'where' }, 'at ', at(why.place, context.trace), why.hart ? `, hart ${why.hart}` : null) : null,
      why.jump ? h('p', { class: 'where' }, 'jumped from ', at(why.jump, context.trace)) : null,
      answer.more.map((text) => h('p', { class: 'where' }, text))));
}

function here(view: string, context: Context, more: Record<string, string> = {}): string {
  return address(view, context.trace ? { ...more, trace: String(context.trace) } : more);
}

function figures(info: Info | undefined, profile: Profile | undefined, stat: Record<string, Count> | undefined): HTMLElement {
  const rows: [Child, Child][] = [['Records', number(info?.records ?? stat?.['records'], 'no command counted them')]];
  const clocks = profile?.total['clocks'];
  const wall = seconds(info);
  const timed = wall !== null || (clocks !== null && clocks !== undefined);
  if (timed) rows.push(['Clocks', number(clocks, 'the trace has no time')], ['Time', wall ?? unknown('the trace does not say how long a clock is')]);
  if (profile && profile.total['traps'] !== undefined) rows.push(['Traps', number(profile.total['traps'], 'the trace does not show traps')]);
  if (profile && profile.total['interrupts'] !== undefined) rows.push(['Interrupts', number(profile.total['interrupts'], 'the trace does not show interrupts')]);
  rows.push(['Harts', number(info?.harts, 'not known')]);
  return h('div', null, definitions(rows, 'figures'), timed ? null : h('p', { class: 'note' }, 'The trace has no time: what took long is counted in records.'));
}

// Rounded, with the exact number as its title.
function seconds(info: Info | undefined): HTMLElement | null {
  const { first_time: first, last_time: last, time_unit: unit } = (info ?? {}) as { first_time?: Count; last_time?: Count; time_unit?: string };
  const units: Record<string, number> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, ps: 1e-3 };
  const size = units[String(unit)];
  if (size === undefined || first === undefined || last === undefined) return null;
  const length = Number(last) - Number(first);
  return h('span', { title: `${count(length)} ${String(unit)}` }, duration(length * size));
}

function end(why: Why | undefined, context: Context, texts: Texts): HTMLElement {
  if (!why) return h('section', { class: 'panel' }, h('h2', null, 'How did it end?'), said(context.report.section('why', context.trace)));
  // What holds interrupts off explains a hang better than what the loop waits for.
  const values = [...why.values].sort((a, b) => Number(b.role === 'status') - Number(a.role === 'status')).slice(0, 2);
  const others = why.values.length - values.length;
  const good = why.kind === 'ended';
  return h('section', { class: 'panel', 'data-part': 'why' }, h('h2', null, good ? 'How did it end?' : 'Why did it end so?'),
    facts({ ...why, jump: null }, context), // the jump is in the band
    why.memory_errors[0] ? h('p', null, badge('bad', plural(why.memory_error_count, 'memory error')), ' up to there, the first: ', errorLine(why.memory_errors[0], context.trace)) : null,
    values.map((value) => shortChain(value, context, texts)),
    others > 0 ? h('p', { class: 'note' }, `${plural(others, 'more value')} in the whole chain.`) : null,
    h('p', { class: 'panel-end' }, link(values.length ? 'Walk the whole chain' : 'More about its end', here('why', context), 'button')));
}

// The first steps of a chain: what is followed first.
function shortChain(value: Value, context: Context, texts: Texts): Child {
  const nodes = [];
  let next = value.roots.find((root) => root.node !== null)?.node ?? null;
  const seen = new Set<number>();
  while (next !== null && nodes.length < STEPS && !seen.has(next)) {
    seen.add(next);
    const node = value.nodes[next];
    if (!node) break;
    nodes.push(node);
    next = node.sources.find((source) => source.node !== null)?.node ?? null;
  }
  if (!nodes.length) return null;
  return [h('h3', null, ROLES[value.role] ?? value.role, ' ', code(`${whereText(value)} = ${value.value ?? '?'}`)), h('ol', { class: 'steps' }, nodes.map((node, index) =>
    h('li', { class: index ? 'step' : 'step first' }, h('div', { class: 'line' }, record(node.record, context.trace), lineOf(node.symbol, node.line, node.pc, context.trace)), quote(node.line, texts),
      change(whereText(node.writes), node))),
    value.nodes.length > nodes.length ? h('li', { class: 'step end' }, h('span', { class: 'more-text' }, `and ${plural(value.nodes.length - nodes.length, 'more step')}`)) : null)];
}

function missing(info: Info | undefined, context: Context): HTMLElement {
  const section = h('section', { class: 'panel', 'data-part': 'missing' }, h('h2', null, 'Is anything missing?'));
  if (!info) {
    append(section, [said(context.report.section('info', context.trace))]);
    return section;
  }
  const answer = completeness(info);
  const flag = (value: unknown): Child => (value === true ? 'yes' : value === false ? 'no' : unknown('a text does not say it'));
  append(section, [
    h('p', null, badge(answer.mood, answer.title)), answer.more.map((text) => h('p', null, text)),
    definitions([
      ['Complete', flag(info.complete)], ['Accounted for', flag(info.accounted)],
      ['Missing', info.missing_at_least ? ['at least ', number(info.missing)] : number(info.missing, 'one gap does not give its number')],
      ['Gaps', number(info.gaps)],
      ...(info.lost !== undefined ? [['Dropped', number(info.lost)] as [Child, Child]] : []),
    ], 'figures small-figures'),
    messagesOf(context),
  ]);
  return section;
}

// What the commands warned of, each once.
function messagesOf(context: Context): Child {
  const texts = new Set<string>();
  for (const section of context.report.head.sections)
    if (section.trace === context.trace && section.kind !== 'none') for (const text of section.messages) if (/warning/.test(text)) texts.add(text.replace(/^earshot: warning: /, ''));
  if (!texts.size) return null;
  return h('details', { class: 'warnings' }, h('summary', null, `${plural(texts.size, 'warning')} of the commands`), h('ul', null, [...texts].map((text) => h('li', null, h('bdi', null, text)))));
}

function time(profile: Profile | undefined, context: Context): HTMLElement {
  const section = h('section', { class: 'panel', 'data-part': 'time' }, h('h2', null, 'Where did the time go?'));
  if (!profile) {
    append(section, [said(context.report.section('profile', context.trace))]);
    return section;
  }
  const unit = profile.total['clocks'] === null || profile.total['clocks'] === undefined ? 'records' : 'clocks';
  const rows = profile.functions.filter((row) => Number(row.self[unit] ?? 0) > 0).sort((a, b) => Number(b.self[unit]) - Number(a.self[unit])).slice(0, TOP);
  append(section, [
    rows.length ? h('ol', { class: 'top' }, rows.map((row) => h('li', null, link(name(functionName(row)), here('source', context, { function: functionName(row) })),
      h('span', { title: `${count(row.self[unit])} of ${count(profile.total[unit])} ${unit}` }, bar(row.self[unit], profile.total[unit]))))) : h('p', { class: 'empty' }, 'No function is known.'),
    h('p', { class: 'note' }, `Self ${unit}, of ${count(profile.total[unit])}; ${plural(profile.functions.length, 'function')} in all.`),
    h('p', { class: 'panel-end' }, link('All functions', here('functions', context), 'button'), context.report.section('flame', context.trace) ? link('Flame graph', here('flame', context), 'button') : null),
  ]);
  return section;
}

interface Card {
  view: string;
  title: string;
  section: string;
  trace?: number;
  make(report: Context['report'], trace: number): Promise<{ main: Child; more: string; text?: boolean }>;
}

const CARDS: Card[] = [
  { view: 'check', title: 'Check of the core', section: 'check', make: async (report, trace) => {
    const data = await report.json<Check>('check', trace);
    const checked = Object.values(data.rules).reduce((sum, rule) => sum + (rule['checked'] ?? 0), 0);
    return { main: badge(data.violations ? 'bad' : checked ? 'good' : 'unknown', plural(data.violations, 'violation')), more: `${count(checked)} checks of ${plural(data.instructions, 'instruction')}` };
  } },
  { view: 'errors', title: 'Memory errors', section: 'errors', make: async (report, trace) => {
    const data = await report.json<Errors>('errors', trace);
    const kinds = [...new Set(data.errors.map((error) => error.kind))].join(', ');
    return { main: badge(data.errors.length ? 'bad' : 'good', plural(data.errors.length, 'error')), more: kinds || 'none was found' };
  } },
  { view: 'coverage', title: 'Coverage', section: 'coverage', make: async (report, trace) => {
    const { total } = await report.json<Coverage>('coverage', trace);
    return { main: share(total.lines_hit, total.lines), more: `${count(total.lines_hit)} of ${count(total.lines)} lines ran` };
  } },
  { view: 'timeline', title: 'Timeline', section: 'timeline', make: async (report, trace) => {
    const rows = await report.sizes('timeline', trace);
    return { main: plural(rows.get('slices') ?? 0, 'slice'), more: plural(rows.get('tracks') ?? 0, 'track') };
  } },
  { view: 'calls', title: 'Calls', section: 'calls', make: async (report, trace) => {
    const rows = (await report.lines<Call>('calls', trace)).filter((row) => row.number !== undefined);
    const unit = rows.some((row) => row.clocks !== null) ? 'clocks' : 'records';
    const first = rows.filter((row) => row[unit] !== null).sort((a, b) => Number(b[unit]) - Number(a[unit]))[0];
    const open = rows.filter((row) => row[unit] === null); // how long they were is not known
    const without = open[0] ? `; ${plural(open.length, 'call')} without an end: ${callName(open[0])}` : '';
    return first ? { main: `${count(first[unit])} ${unit}`, more: `${callName(first)}: the longest of ${plural(rows.length, 'call')} listed${without}` } : { main: 'no call', more: 'none has ended in the trace' };
  } },
  { view: 'mix', title: 'Opcode mix', section: 'stat', make: async (report, trace) => {
    const row = (await report.json<Stat>('stat', trace)).traces[0] ?? {};
    const top = classes(row).filter((entry) => Number(entry.count ?? 0) > 0).sort((a, b) => Number(b.count) - Number(a.count))[0];
    return top ? { main: `${share(top.count, row['decoded'])} ${top.name}`, more: `${count(row['decoded'])} decoded` } : { main: 'no opcode', more: 'the trace has none' };
  } },
  { view: 'branches', title: 'Branches', section: 'branches', make: async (report, trace) => {
    const { total } = await report.json<Branches>('branches', trace);
    const known = Number(total['taken'] ?? 0) + Number(total['not_taken'] ?? 0);
    return { main: total['misses'] === null || total['misses'] === undefined ? unknown('the trace does not show outcomes') : share(total['misses'] as Count, known), more: `mispredicted, of ${count(known)}` };
  } },
  { view: 'isa', title: 'Instruction set', section: 'isa', make: async (report, trace) => {
    const data = await report.json<Isa>('isa', trace);
    return { main: share(data.hit, data.bins), more: `${count(data.hit)} of ${count(data.bins)} bins, ${data.extensions}` };
  } },
  { view: 'memory', title: 'Memory', section: 'memory', make: async (report, trace) => {
    const data = await report.json<Memory>('memory', trace);
    const all = data.reads === null || data.writes === null ? null : Number(data.reads) + Number(data.writes);
    return { main: all === null ? unknown('the trace does not show all accesses') : count(all), more: `accesses: ${count(data.reads)} reads, ${count(data.writes)} writes` };
  } },
  { view: 'source', title: 'Hot source', section: 'annotate', make: async (report, trace) => {
    const data = await report.json<{ functions: { name: string | null; entry: string | null; records: Count }[]; total: Record<string, Count> }>('annotate', trace);
    const first = data.functions[0];
    return first ? { main: first.name ?? `[${first.entry ?? 'unknown'}]`, more: `${share(first.records, data.total['records'])} of all records`, text: true } : { main: 'no function', more: 'none ran that is known' };
  } },
  { view: 'tasks', title: 'Tasks', section: 'tasks', make: async (report, trace) => {
    const { rows } = await report.json<By>('tasks', trace);
    if (isUnknown(report.section('tasks', trace))) return { main: unknown('no event says which task runs'), more: 'no event says which task runs' };
    const first = [...rows].sort((a, b) => Number(b.counts['records'] ?? 0) - Number(a.counts['records'] ?? 0))[0];
    return { main: plural(rows.length, 'task'), more: first ? `most: ${taskName(first)}` : 'none is known' };
  } },
  { view: 'marks', title: 'Marks', section: 'marks', make: async (report, trace) => {
    const data = await report.json<Marks>('marks', trace);
    return { main: plural(data.marks.length, 'mark'), more: data.stale ? 'of another trace' : data.marks[0]?.name ?? '' };
  } },
  { view: 'records', title: 'Records', section: 'records', make: async (report, trace) => {
    const rows = await report.lines<{ number: Count }>('records', trace);
    return { main: plural(rows.length, 'record'), more: rows.length ? `embedded, up to #${count(rows.at(-1)?.number)}` : 'none is embedded' };
  } },
  { view: 'compare', title: 'Compare', section: 'diff', trace: -1, make: async (report) => {
    const events = await report.lines<Event>('diff', -1);
    const last = events.find((event) => event.kind === 'summary');
    return { main: badge(last?.same === true ? 'good' : last?.same === false ? 'bad' : 'unknown', last?.same === true ? 'the same' : plural(last?.differences, 'difference')), more: `${count(last?.pairs)} records compared` };
  } },
];

// Each is filled in when its section is decoded: the large ones, tables of columns, last.
async function cards(list: HTMLElement, context: Context): Promise<void> {
  const waiting: { large: boolean; fill(): Promise<void> }[] = [];
  for (const entry of CARDS) {
    const trace = entry.trace ?? context.trace;
    const section = context.report.section(entry.section, trace);
    if (!section) continue;
    const item = h('li', { 'data-card': entry.view });
    list.appendChild(item);
    const href = here(entry.view, context);
    if (section.kind === 'none') {
      item.appendChild(card(href, entry.title, 'no data', section.messages[0]?.replace(/^earshot: (error: )?/, '') ?? '', 'card none', true));
      continue;
    }
    item.appendChild(card(href, entry.title, '…', 'reading the data'));
    waiting.push({ large: section.kind === 'columns', fill: async () => {
      let done: HTMLElement;
      try {
        const made = await entry.make(context.report, trace);
        done = card(href, entry.title, made.main, made.more, 'card', made.text);
      } catch (error) {
        done = card(href, entry.title, badge('bad', 'damaged'), error instanceof Error ? error.message : String(error), 'card none', true);
      }
      const focused = item.contains(document.activeElement);
      fill(item, done);
      if (focused) done.focus();
    } });
  }
  waiting.sort((a, b) => Number(a.large) - Number(b.large));
  for (const one of waiting) {
    if (!list.isConnected) return; // the reader went to another view, which needs the decoder
    await one.fill();
  }
}

function card(href: string, title: string, main: Child, more: string, kind = 'card', text = false): HTMLElement {
  return h('a', { href, class: kind }, h('span', { class: 'card-title' }, title), h('span', { class: text ? 'card-main text' : 'card-main' }, typeof main === 'string' ? h('bdi', null, main) : main), h('span', { class: 'card-more' }, h('bdi', null, more)));
}
