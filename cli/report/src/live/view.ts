// What is shown of an interval, or of all since the beginning. It is made once; numbers change in it.
import { badge, bar, definitions, h, heading, mark, name, number, unknown, type Mood } from '../ui/dom';
import { base, bytes, count, plural, ratio, share, type Count } from '../ui/format';
import { fill, type Child } from '../ui/text';
import { Chart } from './chart';
import { judge } from './judge';
import { LiveTable } from './rows';
import type { CauseRow, Client, Counts, FunctionRow, HartRow, Hello, InstructionRow, Interval } from './shapes';

const HISTORY = 120;

function functionName(row: FunctionRow): Child {
  if (row.function) return name(row.function);
  return row.entry ? h('code', null, row.entry) : unknown('no function is known');
}

function rate(value: Count, interval: Interval): string {
  if (!interval.live || !interval.seconds) return '–';
  return count(Math.round(Number(value ?? 0) / interval.seconds));
}

export class View {
  readonly element: HTMLElement;
  total = false; // all since the beginning, or the interval
  paused = false;
  private readonly state = h('p', { class: 'live-state', role: 'status' });
  private readonly verdict = h('div', { class: 'verdict unknown' });
  private readonly figures = h('div');
  private readonly link = h('div');
  private readonly scope = h('span');
  private readonly chart = new Chart();
  private readonly mix = h('div');
  private readonly functions: LiveTable<FunctionRow>;
  private readonly instructions: LiveTable<InstructionRow>;
  private readonly harts: LiveTable<HartRow>;
  private readonly causes: LiveTable<CauseRow>;
  private readonly history: LiveTable<Interval>;
  private readonly intervals: Interval[] = [];
  private last?: { now: Interval; sum: Interval };
  private current?: Interval;
  private client?: Client;
  private hello?: Hello;

  constructor() {
    const countColumns = [
      { title: 'Instructions', number: true, cell: (row: Counts) => number(row.records) },
      { title: 'Share', cell: (row: Counts) => bar(row.records, this.current?.records) },
      { title: 'Clocks', number: true, wide: true, cell: (row: Counts) => number(row.clocks, 'records have no time') },
    ];
    this.functions = new LiveTable<FunctionRow>('Hottest functions', [
      { title: 'Function', cell: functionName },
      { title: 'Hart', number: true, wide: true, cell: (row) => number(row.hart) },
      ...countColumns,
    ]);
    this.instructions = new LiveTable<InstructionRow>('Hottest instructions', [
      { title: 'Address', cell: (row) => h('code', null, row.pc) },
      { title: 'Function', cell: functionName },
      { title: 'Source', wide: true, cell: (row) => (row.path ? name(`${base(row.path)}:${count(row.line).replace(/,/g, '')}`) : unknown('no source line is known')) },
      ...countColumns,
    ]);
    this.harts = new LiveTable<HartRow>('Harts', [
      { title: 'Hart', number: true, cell: (row) => number(row.hart) },
      { title: 'Instructions', number: true, cell: (row) => number(row.records) },
      { title: 'Depth of calls', number: true, cell: (row) => number(row.depth, 'calls are not known') },
      { title: 'At most', number: true, cell: (row) => number(row.depth_most, 'calls are not known') },
      { title: 'Last address', cell: (row) => h('code', null, row.pc) },
    ]);
    this.causes = new LiveTable<CauseRow>('Traps and interrupts', [
      { title: 'Kind', cell: (row) => row.kind },
      { title: 'Cause', cell: (row) => (row.cause ? h('code', null, row.cause) : unknown()) },
      { title: 'Count', number: true, cell: (row) => number(row.count) },
    ]);
    this.history = new LiveTable<Interval>('Intervals', [
      { title: 'Interval', number: true, cell: (row) => number(row.interval) },
      { title: 'Instructions', number: true, cell: (row) => number(row.records) },
      { title: 'A second', number: true, cell: (row) => rate(row.records, row) },
      { title: 'Interrupts', number: true, cell: (row) => number(row.interrupts, 'the trace cannot show them') },
      { title: 'Missing', number: true, cell: (row) => number(row.missing) },
    ]);
    this.element = h('div', { class: 'live' },
      this.state,
      this.verdict,
      this.figures,
      this.chart.element,
      h('details', null, h('summary', null, 'Table of intervals'), this.history.element),
      h('p', { class: 'live-scope' }, this.scope),
      h('div', { class: 'columns' },
        h('section', null, heading(2, 'Functions'), this.functions.element),
        h('section', null, heading(2, 'Instructions'), this.instructions.element),
        h('section', null, heading(2, 'Harts'), this.harts.element),
        h('section', null, heading(2, 'Traps and interrupts'), this.causes.element),
        h('section', null, heading(2, 'Opcodes'), this.mix),
        h('section', null, heading(2, 'Link and buffers'), this.link)));
    this.say('unknown', 'Waiting for the first interval');
  }

  /** What has become of the connection or the capture. */
  say(mood: Mood, text: string): void {
    fill(this.state, badge(mood, text));
  }

  greet(hello: Hello): void {
    this.hello = hello;
  }

  about(client: Client): void {
    this.client = client;
  }

  take(now: Interval, sum: Interval): void {
    this.last = { now, sum };
    this.intervals.unshift(now);
    this.intervals.splice(HISTORY);
    this.chart.add(now.live && now.seconds ? Number(now.records) / now.seconds : 0);
    if (!this.paused) this.draw();
  }

  draw(): void {
    if (!this.last) return;
    const { now, sum } = this.last;
    const shown = this.total ? sum : now;
    this.current = shown;
    const judged = judge(sum);
    this.verdict.className = `verdict ${judged.mood}`;
    fill(this.verdict, mark(judged.mood), h('p', { class: 'what' }, judged.text));
    fill(this.figures, definitions(this.figureRows(now, sum), 'figures'));
    fill(this.scope, this.total ? `All since the beginning, ${(sum.seconds ?? 0).toFixed(1)} s ago.` : `Interval ${count(now.interval)}, ${(now.seconds ?? 0).toFixed(2)} s long.`,
      ' ', Number(shown.records) > 0 ? this.others(shown) : '', shown.limited ? ' There were too many rows: some have none of their own.' : '');
    this.functions.set(shown.functions, 'Nothing ran.');
    this.instructions.set(shown.instructions, 'Nothing ran.');
    this.harts.set(shown.harts, 'Nothing ran.');
    this.causes.set(shown.causes, 'None.');
    this.history.set(this.intervals, 'None so far.');
    fill(this.mix, this.mixRows(shown));
    fill(this.link, this.linkRows(now, sum));
  }

  private others(shown: Interval): string {
    return `${count(shown.records)} instructions, of which ${count(shown.other_functions.records)} are in functions that are not listed.`;
  }

  private figureRows(now: Interval, sum: Interval): [Child, Child][] {
    const depth = now.harts.find((hart) => hart.depth !== null);
    return [
      ['instructions a second', rate(now.records, now)],
      ['instructions so far', number(sum.records)],
      ['interrupts a second', now.interrupts === null ? unknown('the trace cannot show them') : rate(now.interrupts, now)],
      ['traps a second', now.traps === null ? unknown('the trace cannot show them') : rate(now.traps, now)],
      [now.idle.of ? `idle, of ${now.idle.of}` : 'idle', now.idle.share === null ? unknown('needs times, or no wfi') : `${(now.idle.share * 100).toFixed(1)} %`],
      ['depth of calls', depth ? number(depth.depth) : unknown('calls are not known')],
    ];
  }

  private mixRows(shown: Interval): Child {
    const rows = Object.entries(shown.classes).filter(([, value]) => Number(value ?? 0) > 0).sort((a, b) => Number(b[1]) - Number(a[1]));
    if (!rows.length) return h('p', { class: 'empty' }, 'No opcode of RISC-V.');
    return h('ul', { class: 'top' }, rows.map(([title, value]) => h('li', null, h('span', null, title, ' ', h('span', { class: 'soft' }, count(value))), bar(value, shown.decoded))));
  }

  private skippedText(): string {
    if (!this.client) return '–';
    return Number(this.client.skipped) > 0 ? `${plural(this.client.skipped, 'update')}: it was too slow for them` : 'nothing';
  }

  private linkRows(now: Interval, sum: Interval): Child {
    const link = now.capture;
    const all = sum.capture;
    if (!link || !all) return h('p', { class: 'empty' }, 'This is no capture.');
    return definitions([
      ['Device', name(this.hello?.device ?? '')],
      ['Received', `${bytes(all.received)}, ${link.bytes_per_second === null ? '–' : count(Math.round(Number(link.bytes_per_second)))} bytes a second`],
      ['Buffer', `${share(link.ring_fill, link.ring_size)}, at most ${share(link.ring_fill_most, link.ring_size)} of ${bytes(link.ring_size)}`],
      ['Core held', `${count(all.held_clocks)} clocks, because the FIFO of the unit was full`],
      ['Lost', `${count(sum.missing)} records, ${count(sum.unknown_gaps)} gaps of unknown size`],
      ['Not followed by this view', `${bytes(Number(all.skipped ?? 0) + Number(all.dropped ?? 0))} (${share(ratio(Number(all.skipped ?? 0) + Number(all.dropped ?? 0), all.received), 1)})`],
      ['Skipped by this page', this.skippedText()],
      ['Pages that look', this.client ? count(this.client.clients) : '–'],
    ]);
  }
}
