// What ran when: tracks of harts, calls, tasks, handlers and markers over time, down to single
// instructions where the page holds them.
import { embedded } from '../embedded';
import { firstFrom, gallop, hit, lowerBound, type Range, rowOf } from '../canvas/boxes';
import { Chart, CHART_KEYS, type Direction } from '../canvas/chart';
import { button, make, nameOf, notes, seldom } from '../canvas/elements';
import { Grid } from '../canvas/grid';
import { formatNumber } from '../canvas/numbers';
import { fit, type Frame } from '../canvas/paint';
import { COUNTER, extremes, LABEL, type RecordLine, type Timeline, type Total, totals } from '../canvas/tracks';
import type { Context, View } from '../report';
import { plural, share } from '../ui/format';
import { commandLine, messages } from '../ui/section';
import { breathe } from '../data/breathe';
import { append, fill, fillText } from '../ui/text';

const ENDS = ['', 'unwound: it did not return, a caller went on', 'forgotten: it never returned', 'cut: the trace ended in it'];
const TOTALS = 500;

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function missing(timeline: Timeline): string[] {
  const { meta } = timeline.columns;
  const count = (name: string) => (isNumber(meta[name]) ? meta[name] : 0);
  const said: string[] = [];
  if (count('merged') > 0) said.push(`${plural(count('merged'), 'slice')} shorter than ${plural(count('shorter_than'), timeline.unit.slice(0, -1))} are not here: their time is in the slice around them.`);
  if (count('instants_left_out') > 0) said.push(`${plural(count('instants_left_out'), 'moment')} are left out.`);
  if (count('gaps') > 0) said.push(`The trace has ${plural(count('gaps'), 'gap')}: what ran there is not known.`);
  if (count('backwards') > 0) said.push(`Time goes backwards at ${plural(count('backwards'), 'place')} of the trace.`);
  if (count('without_path') > 0) said.push(`${plural(count('without_path'), 'record')} came after a gap, where the calls around them are not known.`);
  if (timeline.unit === 'records') said.push('The trace has no time that can be shown: the axis counts records.');
  return said;
}

class TimelineView {
  private readonly chart: Chart;
  private readonly grid: Grid;
  private readonly totalsGrid: Grid;
  private readonly detail = make('div', 'chart-detail');
  private readonly areaText = make('p', 'chart-found');
  private readonly totalsRoot = make('div');
  private readonly totalsHeading = make('h2', 'chart-title', 'What the marked range adds up to');
  private readonly remember = seldom(() => this.keep());
  private readonly relist = seldom(() => this.list(), 200);
  private area: Range | undefined;
  private job = 0;
  /** Boxes of the rows before: in what is seen. */
  private seen: { from: number; before: number }[] = [];
  private seenCount = 0;

  constructor(
    root: HTMLElement,
    private readonly context: Context,
    private readonly timeline: Timeline,
    note: string,
  ) {
    const tools = make(
      'div',
      'chart-tools',
      make(
        'div',
        'chart-group',
        button('+', () => this.chart.zoom(0.6), 'Zoom in'),
        button('−', () => this.chart.zoom(1 / 0.6), 'Zoom out'),
        button('All', () => this.chart.reset(), 'Show all'),
      ),
      make('div', 'chart-group', button('←', () => this.chart.pan(-0.3), 'Earlier'), button('→', () => this.chart.pan(0.3), 'Later')),
      make('div', 'chart-group', button('Mark what is seen', () => this.mark(this.chart.view)), button('Clear the mark', () => this.mark(undefined))),
    );
    const chartRoot = make('div');
    chartRoot.dataset['area'] = '';
    const gridRoot = make('div');
    const totalsGridRoot = make('div');
    const hint = make('p', 'chart-hint', 'Ctrl and wheel zoom, drag moves, a drag on the ruler marks a range, a double click or Enter zooms to a slice. Arrow keys walk, W A S D move and zoom.');
    const nested = make('p', 'soft', 'A call inside of a call of the same name counts for both: of functions that call themselves the sum is longer than the time.');
    append(this.totalsRoot, this.totalsHeading, this.areaText, nested, totalsGridRoot);
    this.totalsRoot.hidden = true;
    const said = [...missing(timeline), ...(note ? [note] : [])];
    append(root, tools, ...notes(said), chartRoot, this.detail, hint, this.totalsRoot, make('h2', 'chart-title', 'What is seen, as a table'), gridRoot);
    const counters = this.counterTable();
    if (counters) append(root, make('h2', 'chart-title', 'Counters'), counters);
    this.chart = new Chart(
      chartRoot,
      {
        select: (box) => this.selected(box),
        hover: (box) => this.describe(box >= 0 ? box : this.chart.selection),
        hoverAt: (position, y) => this.describePlace(position, y),
        open: (box) => this.open(box),
        view: () => {
          this.remember();
          this.relist();
        },
        area: (range) => this.mark(range),
        escape: () => this.escape(),
      },
      'Timeline of the trace',
    );
    this.grid = new Grid(gridRoot, { select: (row) => this.rowSelected(row), open: (row) => this.open(this.boxAt(row)) });
    this.totalsGrid = new Grid(totalsGridRoot, { select: () => undefined, open: () => undefined });
  }

  async start(): Promise<void> {
    const { timeline, context } = this;
    await breathe();
    if (shown !== this) return;
    const get = (name: string) => {
      const text = context.parameters.get(name);
      return text === null || text === '' ? NaN : Number(text);
    };
    this.chart.setModel({
      boxes: timeline.boxes,
      layout: timeline.layout,
      domain: timeline.domain,
      longest: timeline.longest,
      sum: timeline.sum,
      label: (box) => timeline.names[timeline.name[box] as number] ?? '',
      neighbour: (box, direction) => this.neighbour(box, direction),
      under: (frame) => this.drawTracks(frame),
      over: (frame) => this.drawCounters(frame),
      tick: (value) => formatNumber(value),
    });
    await breathe();
    if (shown !== this) return;
    this.list();
    this.describe(-1);
    if (get('from') < get('to')) this.chart.setView({ begin: get('from'), end: get('to') });
    if (get('area_from') < get('area_to')) this.mark({ begin: get('area_from'), end: get('area_to') });
    const box = Number.isNaN(get('at')) ? this.boxOfMoment(get('record'), get('time')) : get('at');
    if (Number.isInteger(box) && box >= 0 && box < timeline.boxes.begin.length) {
      if (Number.isNaN(get('from'))) this.near(box);
      this.chart.select(box);
    }
  }

  destroy(): void {
    this.job++;
    this.chart.destroy();
    this.grid.destroy();
    this.totalsGrid.destroy();
  }

  // The innermost slice that holds a record or a time; -1 if none does.
  private boxOfMoment(record: number, time: number): number {
    const { timeline } = this;
    if (!Number.isNaN(record) && timeline.columns.table('slices').has('record')) {
      const records = timeline.columns.table('slices').column('record');
      let best = -1;
      for (let row = 0; row < timeline.boxes.rows; row++) {
        if (timeline.origin[row] !== 'slice') continue;
        for (let box = timeline.boxes.first[row] as number; box < (timeline.boxes.first[row + 1] as number); box++) {
          const one = records[timeline.source[box] as number] as number;
          if (one <= record && (best < 0 || one >= (records[timeline.source[best] as number] as number))) best = box;
        }
      }
      return best;
    }
    if (Number.isNaN(time)) return -1;
    let best = -1;
    for (let row = 0; row < timeline.boxes.rows; row++) {
      const box = hit(timeline.boxes, row, time, 0);
      if (box >= 0) best = box;
    }
    return best;
  }

  // Zooms so far that a box can be seen with what is around it.
  private near(box: number): void {
    const begin = this.timeline.boxes.begin[box] as number;
    const length = Math.max(1, (this.timeline.boxes.end[box] as number) - begin);
    this.chart.setView({ begin: begin - length, end: begin + 2 * length });
  }

  private neighbour(box: number, direction: Direction): number {
    const { boxes } = this.timeline;
    const row = rowOf(boxes, box);
    if (direction === 'left' || direction === 'right') {
      const next = box + (direction === 'left' ? -1 : 1);
      return next >= (boxes.first[row] as number) && next < (boxes.first[row + 1] as number) ? next : -1;
    }
    const step = direction === 'up' ? -1 : 1;
    // What is above or below in the view, not what is far away in another part of the run.
    const view = this.chart.view;
    const at = Math.min(Math.max(boxes.begin[box] as number, view.begin), view.end);
    for (let other = row + step; other >= 0 && other < boxes.rows; other += step) {
      const next = hit(boxes, other, at, Math.max(at - view.begin, view.end - at));
      if (next >= 0) return next;
    }
    return -1;
  }

  private drawTracks(frame: Frame): void {
    const { context, theme } = frame;
    context.font = theme.small;
    context.textBaseline = 'middle';
    context.direction = 'ltr';
    const letter = context.measureText('n').width;
    for (const track of this.timeline.tracks) {
      const y = track.top - frame.scroll;
      if (y > frame.to || track.bottom - frame.scroll < frame.from) continue;
      context.fillStyle = theme.line;
      context.fillRect(0, y, frame.width, 1);
      context.fillStyle = theme.soft;
      let text = track.name;
      if (track.counter) text += `, up to ${formatNumber(track.counter.most)}`;
      if (track.merged > 0) text += ` (${plural(track.merged, 'slice')} left out)`;
      fillText(context, fit(text, frame.width - 12, letter), 6, y + LABEL / 2 + 1);
    }
  }

  private drawCounters(frame: Frame): void {
    for (const { counter } of this.timeline.tracks) {
      if (!counter) continue;
      const y = counter.top - frame.scroll;
      if (y > frame.to || y + COUNTER < frame.from) continue;
      const { context, theme, range, width } = frame;
      const low = Math.min(0, counter.least);
      const high = Math.max(counter.most, low + 1e-9);
      const heightOf = (value: number) => ((value - low) / (high - low)) * (COUNTER - 8);
      const scale = width / (range.end - range.begin);
      const { time } = counter;
      context.fillStyle = theme.counter;
      // A value holds until the next sample.
      let i = Math.max(0, lowerBound(time, range.begin, 0, time.length) - 1);
      while (i < time.length && (time[i] as number) < range.end) {
        const pixel = Math.floor(((time[i] as number) - range.begin) * scale);
        const next = Math.max(i + 1, gallop(time, range.begin + (pixel + 1) / scale, i + 1, time.length));
        const [least, most] = extremes(counter, i, next);
        const left = Math.max(0, pixel);
        // Whole pixels: where two areas meet in one, it would be darker.
        const stop = next < time.length ? Math.floor(((time[next] as number) - range.begin) * scale) : width;
        const last = counter.value[next - 1] as number;
        const base = y + COUNTER - 4;
        context.globalAlpha = 0.3;
        context.fillRect(left, base - heightOf(last), Math.max(1, Math.min(width, stop) - left), heightOf(last));
        context.globalAlpha = 1;
        context.fillRect(left, base - heightOf(last) - 0.5, Math.max(1, Math.min(width, stop) - left), 1);
        if (next - i > 1) context.fillRect(left, base - heightOf(most), 1, Math.max(1, heightOf(most) - heightOf(least)));
        i = next;
      }
    }
  }

  private counterTable(): HTMLElement | undefined {
    const counters = this.timeline.tracks.filter((track) => track.counter);
    if (counters.length === 0) return undefined;
    const head = make('tr', '', ...['Counter', 'Samples', 'Least', 'Most', 'Last'].map((text) => make('th', '', text)));
    for (const cell of head.children) cell.setAttribute('scope', 'col');
    const body = make('tbody');
    for (const { name, counter } of counters) {
      if (!counter) continue;
      const values = [counter.value.length, counter.least, counter.most, counter.value[counter.value.length - 1] ?? 0];
      const first = make('th', '', make('bdi', '', name));
      first.scope = 'row';
      append(body, make('tr', '', first, ...values.map((value) => make('td', 'grid-number', formatNumber(value)))));
    }
    return make('table', 'chart-counters', make('thead', '', head), body);
  }

  private unitOf(count: number): string {
    return plural(count, this.timeline.unit.slice(0, -1));
  }

  private tell(box: number): { name: string; numbers: string; rest: string } {
    const { timeline } = this;
    const { boxes } = timeline;
    const row = rowOf(boxes, box);
    const track = timeline.tracks[timeline.trackOfRow[row] as number];
    const name = timeline.names[timeline.name[box] as number] ?? '';
    const begin = boxes.begin[box] as number;
    const length = (boxes.end[box] as number) - begin;
    const from = timeline.unit === 'records' ? `at record ${formatNumber(begin)}` : `at ${formatNumber(begin)}`;
    const origin = timeline.origin[row];
    let numbers = origin === 'instant' ? from : `${this.unitOf(length)}, ${from}`;
    const rest = [track ? `track ${track.name}` : ''];
    if (origin === 'record') return { name, numbers, rest: '' };
    const table = timeline.columns.table(origin === 'instant' ? 'instants' : 'slices');
    const source = timeline.source[box] as number;
    if (table.has('kind')) rest.push(timeline.columns.string(table.column('kind')[source] as number));
    if (table.has('record')) {
      const record = table.column('record')[source] as number;
      if (record < timeline.gone && timeline.unit !== 'records') numbers += `, record ${formatNumber(record)}`;
    }
    if (table.has('merged')) {
      const merged = table.column('merged')[source] as number;
      if (merged > 0 && merged < timeline.gone) rest.push(`${plural(merged, 'slice')} in it are left out`);
    }
    if (table.has('end')) rest.push(ENDS[table.column('end')[source] as number] ?? '');
    return { name, numbers, rest: rest.filter((text) => text).join('; ') };
  }

  private describe(box: number): void {
    if (box < 0) {
      const { begin, end } = this.timeline.domain;
      const all = this.timeline.columns.meta['records'];
      const length = this.timeline.unit === 'records' && isNumber(all) ? all : end - begin;
      fill(this.detail, make('div', '', `${this.unitOf(length)}, from ${formatNumber(begin)} to ${formatNumber(end)}. A box is a call, a handler or a task; where boxes are thinner than a pixel, the longest one is seen.`));
      return;
    }
    const { name, numbers, rest } = this.tell(box);
    fill(this.detail, make('div', '', nameOf(name), ' ', numbers), make('div', 'chart-path', make('bdi', '', rest)));
  }

  private describePlace(position: number, y: number): void {
    for (const { counter, name } of this.timeline.tracks) {
      if (!counter || y < counter.top || y > counter.top + COUNTER) continue;
      const at = lowerBound(counter.time, position, 0, counter.time.length) - 1;
      const value = counter.value[at];
      if (value === undefined) return;
      fill(this.detail, make('div', '', nameOf(name), ` ${formatNumber(value)}, since ${formatNumber(counter.time[at] as number)}`));
      return;
    }
  }

  private selected(box: number): void {
    this.describe(box);
    if (box >= 0) {
      const { name, numbers, rest } = this.tell(box);
      this.context.announce(`${name}: ${numbers}${rest ? `; ${rest}` : ''}`);
      this.grid.mark(this.rowOfBox(box));
    }
    this.remember();
  }

  private open(box: number): void {
    if (box < 0) return;
    const begin = this.timeline.boxes.begin[box] as number;
    const end = Math.max(begin + 1, this.timeline.boxes.end[box] as number);
    this.chart.setView({ begin, end });
  }

  private escape(): void {
    const { domain } = this.timeline;
    const { begin, end } = this.chart.view;
    if (begin > domain.begin || end < domain.end) this.chart.reset();
    else if (this.chart.selection >= 0) this.chart.select(-1);
    else this.mark(undefined);
  }

  private mark(range: Range | undefined): void {
    this.area = range;
    this.chart.setArea(range);
    this.remember();
    void this.addUp();
  }

  private async addUp(): Promise<void> {
    const job = ++this.job;
    const { area, timeline } = this;
    this.totalsRoot.hidden = !area;
    if (!area) return;
    const span = area.end - area.begin;
    const [from, to] = [Math.floor(area.begin), Math.ceil(area.end)];
    const said = `${this.unitOf(Math.round(span))}, from ${formatNumber(from)} to ${formatNumber(to)}`;
    fill(this.areaText, said);
    const all = await totals(timeline, area);
    if (job !== this.job) return;
    const shown = all.slice(0, TOTALS);
    if (all.length > TOTALS) fill(this.areaText, `${said}; the first ${TOTALS} of ${formatNumber(all.length)} names`);
    const unit = timeline.unit[0]?.toUpperCase() + timeline.unit.slice(1);
    this.totalsGrid.setSource({
      label: 'What the marked range adds up to',
      tree: false,
      headings: [
        { text: 'Name' },
        { text: 'Track', spare: true },
        { text: 'Times', longest: formatNumber(shown.reduce((most, { count }) => Math.max(most, count), 0)) },
        { text: unit, longest: formatNumber(Math.round(shown[0]?.time ?? 0)) },
        { text: 'Share', longest: '> 99.9 %' },
        { text: 'Longest', longest: formatNumber(Math.round(span)), spare: true },
      ],
      count: shown.length,
      cells: (row) => {
        const total = shown[row] as Total;
        return [
          { text: timeline.names[total.name] ?? '' },
          { text: timeline.tracks[total.track]?.name ?? '' },
          { text: formatNumber(total.count) },
          { text: formatNumber(Math.round(total.time)) },
          { text: share(total.time, span) },
          { text: formatNumber(Math.round(total.longest)) },
        ];
      },
    });
    this.context.announce(`Marked ${this.areaText.textContent}`);
  }

  // The table of what is seen: the boxes of all rows in the view, row after row.
  private list(): void {
    const { boxes } = this.timeline;
    const view = this.chart.view;
    this.seen = [];
    this.seenCount = 0;
    for (let row = 0; row < boxes.rows; row++) {
      const from = firstFrom(boxes, row, view.begin);
      const to = lowerBound(boxes.begin, view.end, from, boxes.first[row + 1] as number);
      this.seen.push({ from, before: this.seenCount });
      this.seenCount += to - from;
    }
    const unit = this.timeline.unit === 'records' ? 'Record' : 'Begin';
    this.grid.setSource(
      {
        label: 'Slices and moments in view',
        tree: false,
        headings: [
          { text: 'Name' },
          { text: 'Track', spare: true },
          { text: unit, longest: formatNumber(this.timeline.domain.end) },
          { text: 'Length', longest: formatNumber(this.timeline.domain.end - this.timeline.domain.begin) },
        ],
        count: this.seenCount,
        cells: (row) => {
          const box = this.boxAt(row);
          const { timeline } = this;
          const at = rowOf(timeline.boxes, box);
          const begin = timeline.boxes.begin[box] as number;
          return [
            { text: timeline.names[timeline.name[box] as number] ?? '' },
            { text: timeline.tracks[timeline.trackOfRow[at] as number]?.name ?? '' },
            { text: formatNumber(begin) },
            { text: timeline.origin[at] === 'instant' ? '' : formatNumber((timeline.boxes.end[box] as number) - begin) },
          ];
        },
      },
      this.rowOfBox(this.chart.selection),
    );
  }

  private boxAt(listed: number): number {
    let low = 0;
    let high = this.seen.length;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if ((this.seen[middle]?.before ?? 0) <= listed) low = middle;
      else high = middle;
    }
    const at = this.seen[low];
    return at ? at.from + listed - at.before : -1;
  }

  private rowOfBox(box: number): number {
    if (box < 0) return -1;
    const row = rowOf(this.timeline.boxes, box);
    const at = this.seen[row];
    const next = this.seen[row + 1]?.before ?? this.seenCount;
    const listed = at ? at.before + box - at.from : -1;
    return at && box >= at.from && listed < next ? listed : -1;
  }

  private rowSelected(row: number): void {
    const box = this.boxAt(row);
    this.chart.mark(box);
    this.chart.reveal(box);
    this.describe(box);
    this.remember();
  }

  private keep(): void {
    const { begin, end } = this.chart.view;
    const { domain } = this.timeline;
    const kept: Record<string, string> = {};
    if (begin > domain.begin || end < domain.end) {
      kept['from'] = String(begin);
      kept['to'] = String(end);
    }
    if (this.area) {
      kept['area_from'] = String(this.area.begin);
      kept['area_to'] = String(this.area.end);
    }
    if (this.chart.selection >= 0) kept['at'] = String(this.chart.selection);
    this.context.keep(kept);
  }
}

let shown: TimelineView | undefined;

export const timeline: View = {
  name: 'timeline',
  title: 'Timeline',
  keyRows: CHART_KEYS,
  available: (report, trace) => report.section('timeline', trace)?.kind === 'columns',
  async show(root, context) {
    let note = '';
    const records = () => embedded<RecordLine>(context.report, context.trace).catch((error: unknown) => {
      note = error instanceof Error ? error.message : String(error);
      return [];
    });
    const built = await context.report.timeline(context.trace, records);
    if (!root.isConnected) return;
    shown?.destroy();
    const section = context.report.section('timeline', context.trace);
    if (section) append(root, commandLine(section, context), messages(section) ?? '');
    shown = new TimelineView(root, context, built, note);
    await shown.start();
  },
  hide() {
    shown?.destroy();
    shown = undefined;
  },
};
