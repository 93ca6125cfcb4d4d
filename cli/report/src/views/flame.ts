// Where the work was done: the tree of calls as a flame graph, in three orders of one data set. The
// order of first calls, the heaviest first, or one function with all its callers and callees.
import { Chart, CHART_KEYS, type Direction, type Model } from '../canvas/chart';
import { button, choice, make, nameOf, notes, seldom } from '../canvas/elements';
import { Grid, type Source } from '../canvas/grid';
import { formatNumber } from '../canvas/numbers';
import { colourOf, DIM, GREY, INTERRUPT, TRAP } from '../canvas/theme';
import { addUp, byValue, Pace, place, type Placed, sandwich, type Tree } from '../canvas/tree';
import { type Layout, sumLengths } from '../canvas/paint';
import { Longest } from '../canvas/boxes';
import { type Columns, type Context, ReportError, type Table, type View } from '../report';
import { plural, share } from '../ui/format';
import { commandLine, messages } from '../ui/section';
import { breathe } from '../data/breathe';
import { append, fill, setAttribute } from '../ui/text';

const ROW = 19;
const ORDERS = [
  ['first', 'First called first'],
  ['heavy', 'Heaviest first'],
  ['sandwich', 'Callers and callees'],
] as const;

type Order = (typeof ORDERS)[number][0];
type Metric = 'records' | 'clocks';

/** The nodes of the section below one root of our own: node n is row n - 1. */
interface Data {
  readonly columns: Columns;
  readonly table: Table;
  readonly parent: Int32Array;
  readonly name: Uint32Array;
  readonly kind: Uint32Array;
  readonly kindNames: readonly string[];
  readonly hasClocks: boolean;
  readonly unknown: number;
  readonly unknownClocks: number;
}

function fail(text: string): never {
  throw new ReportError(`The section flame of this page cannot be read: ${text}.`);
}

/** The parents of nodes that are given depth first; 0 is the root that we add. */
export function parentsOf(depth: ArrayLike<number>): Int32Array {
  const parent = new Int32Array(depth.length + 1);
  parent[0] = -1;
  const open = [0];
  for (let row = 0; row < depth.length; row++) {
    const level = depth[row] as number;
    if (level >= open.length) fail(`the depth of row ${row} is ${level}, more than one below the row before`);
    open.length = level + 1;
    parent[row + 1] = open[level] as number;
    open.push(row + 1);
  }
  return parent;
}

async function readData(columns: Columns): Promise<Data> {
  const pace = new Pace();
  const table = columns.table('nodes');
  const given = table.has('kind') ? table.column('kind') : new Uint32Array(table.rows);
  const kindNames: string[] = [];
  const kindIndex = new Map<number, number>();
  const kinds = new Uint32Array(table.rows + 1);
  for (let row = 0; row < table.rows; row++) {
    const index = given[row] as number;
    let kind = kindIndex.get(index);
    if (kind === undefined) {
      kind = kindNames.push(columns.string(index)) - 1;
      kindIndex.set(index, kind);
    }
    kinds[row + 1] = kind;
  }
  kinds[0] = kindNames.length;
  await pace.rest();
  const shift = (values: ArrayLike<number>, first: number) => {
    const all = new Uint32Array(values.length + 1);
    all[0] = first;
    all.set(values, 1);
    return all;
  };
  const unknown = typeof columns.meta['unknown'] === 'number' ? columns.meta['unknown'] : Infinity;
  const hasClocks = table.has('self_clocks');
  let unknownClocks = 0;
  if (hasClocks) for (const value of table.column('self_clocks')) if (value >= unknown) unknownClocks++;
  await pace.rest();
  const parent = parentsOf(table.column('depth'));
  await pace.rest();
  return {
    columns,
    table,
    parent,
    name: shift(table.column('name'), columns.strings.length),
    kind: kinds,
    kindNames: [...kindNames, 'all'],
    hasClocks,
    unknown,
    unknownClocks,
  };
}

/** Sentences about what the data left out or do not know. */
function missing(data: Data, metric: Metric): string[] {
  const { meta } = data.columns;
  const count = (name: string) => (typeof meta[name] === 'number' ? meta[name] : 0);
  const said: string[] = [];
  if (count('merged') > 0) {
    said.push(`${formatNumber(count('merged'))} nodes with fewer than ${plural(count('smaller_than'), 'record')} are put together as “(smaller)” in the function that called them.`);
  }
  if (meta['limited'] === true) said.push('The tree was limited while it was counted: calls beyond the limit are in the function that made them.');
  if (count('gaps') > 0) said.push(`The trace has ${plural(count('gaps'), 'gap')}: what ran there is not counted.`);
  if (count('without_path') > 0) said.push(`${plural(count('without_path'), 'record')} came after a gap, where the callers are not known.`);
  if (metric === 'clocks' && data.unknownClocks > 0) said.push(`The clocks of ${plural(data.unknownClocks, 'node')} are not known and count as none.`);
  return said;
}

class FlameView {
  private readonly chart: Chart;
  private readonly grid: Grid;
  private readonly detail = make('div', 'chart-detail');
  private readonly found = make('span', 'chart-found');
  private readonly heading = make('h2', 'chart-title');
  private readonly search = make('input', 'chart-search');
  private readonly notes = make('div');
  private readonly orders;
  private readonly metrics;
  private readonly remember = seldom(() => this.keep());
  private order: Order = 'heavy';
  private metric: Metric = 'records';
  private tree!: Tree;
  /** What is shown below each other: one tree, or callers and callees. */
  private parts: Placed[] = [];
  private partOffset: number[] = [];
  private focusName = -1;
  private matched: Uint8Array | undefined;
  private expanded = new Set<number>();
  private listed: { part: number; node: number; level: number }[] = [];
  private labels: string[];
  private job = 0;

  constructor(
    root: HTMLElement,
    private readonly context: Context,
    private readonly data: Data,
  ) {
    this.labels = [...data.columns.strings, 'all'];
    this.orders = choice('Order', ORDERS, (value) => void this.arrange(value as Order, this.metric));
    this.metrics = choice('Width', [['records', 'Instructions'], ['clocks', 'Clocks']], (value) => void this.arrange(this.order, value as Metric));
    const tools = make('div', 'chart-tools', this.orders.root);
    if (this.data.hasClocks) append(tools, this.metrics.root);
    this.found.setAttribute('role', 'status');
    this.search.type = 'search';
    setAttribute(this.search, 'placeholder', 'Find a function');
    setAttribute(this.search, 'aria-label', 'Find functions by a part of their name');
    this.search.spellcheck = false;
    this.search.addEventListener('input', () => this.find(this.search.value));
    this.search.addEventListener('keydown', (event) => {
      if (event.code === 'Enter') this.next();
    });
    const chartRoot = make('div');
    const zoom = make(
      'div',
      'chart-group',
      button('+', () => this.chart.zoom(0.6), 'Zoom in'),
      button('−', () => this.chart.zoom(1 / 0.6), 'Zoom out'),
      button('All', () => this.chart.reset(), 'Show all'),
    );
    append(tools, zoom, make('div', 'chart-group', this.search, this.found));
    const hint = make('p', 'chart-hint', 'Ctrl and wheel zoom, drag moves, a double click or Enter zooms to a function, Escape goes back. Arrow keys walk.');
    const gridRoot = make('div');
    append(root, tools, this.notes, chartRoot, this.detail, hint, this.heading, gridRoot);
    this.chart = new Chart(
      chartRoot,
      {
        select: (box) => this.selected(box),
        hover: (box) => this.describe(box >= 0 ? box : this.chart.selection),
        open: (box) => this.open(box),
        view: () => this.remember(),
        escape: () => this.escape(),
      },
      'Flame graph: the tree of calls',
    );
    this.grid = new Grid(gridRoot, {
      select: (row) => this.rowSelected(row),
      open: (row) => this.rowOpened(row),
      toggle: (row, open) => this.toggle(row, open),
      parent: (row) => this.rowAbove(row),
    });
  }

  async start(): Promise<void> {
    const { parameters } = this.context;
    const order = ORDERS.find(([name]) => name === parameters.get('order'))?.[0] ?? 'heavy';
    const metric = parameters.get('by') === 'clocks' && this.data.hasClocks ? 'clocks' : 'records';
    const name = parameters.get('function');
    if (name !== null) this.focusName = this.data.columns.strings.indexOf(name);
    this.search.value = parameters.get('find') ?? '';
    await breathe();
    await this.arrange(name !== null && this.focusName >= 0 && !parameters.get('order') ? 'sandwich' : order, metric);
    const [begin, end] = [Number(parameters.get('from') ?? NaN), Number(parameters.get('to') ?? NaN)];
    if (begin < end) this.chart.setView({ begin, end });
    const at = Number(parameters.get('at') ?? NaN);
    if (Number.isInteger(at) && at >= 0 && at < this.boxCount) this.chart.select(at);
    else if (name !== null && this.order !== 'sandwich') this.next();
  }

  destroy(): void {
    this.job++;
    this.chart.destroy();
    this.grid.destroy();
  }

  private get total(): number {
    return this.tree.total[0] as number;
  }

  private get unit(): string {
    return this.metric === 'clocks' ? 'clocks' : 'instructions';
  }

  private get boxCount(): number {
    return this.parts.reduce((sum, part) => sum + part.node.length, 0);
  }

  private async makeTree(metric: Metric): Promise<Tree> {
    const { data } = this;
    const self = new Float64Array(data.table.rows + 1);
    self.set(data.table.column(metric === 'clocks' ? 'self_clocks' : 'self'), 1);
    if (data.unknown < Infinity) for (let i = 0; i < self.length; i++) if ((self[i] as number) >= data.unknown) self[i] = 0;
    await breathe();
    return { parent: data.parent, name: data.name, kind: data.kind, self, total: addUp(data.parent, self) };
  }

  // Changes what is shown. A newer call ends an older one.
  private async arrange(order: Order, metric: Metric): Promise<void> {
    const job = ++this.job;
    const pace = new Pace();
    if (!this.parts.length || metric !== this.metric) this.tree = await this.makeTree(metric);
    if (job !== this.job) return;
    this.metric = metric;
    this.order = order;
    this.orders.set(order);
    this.metrics.set(metric);
    if (order === 'sandwich') {
      if (this.focusName < 0) this.focusName = this.heaviest();
      fill(this.detail, 'Putting calls together …');
      const { callers, callees } = await sandwich(this.tree, this.focusName, this.labels.length + 1, this.data.kindNames.length + 1);
      if (job !== this.job) return;
      this.parts = [callers, callees].map((tree) => place(tree, byValue(tree.total)));
    } else {
      await breathe();
      const list = order === 'first' ? Uint32Array.from(this.tree.parent, (_, i) => i) : byValue(this.tree.total);
      await breathe();
      if (job !== this.job) return;
      this.parts = [place(this.tree, list)];
    }
    await breathe();
    if (job !== this.job) return;
    this.expanded = new Set();
    for (let part = 0, offset = 0; part < this.parts.length; part++) {
      this.partOffset[part] = offset;
      offset += (this.parts[part] as Placed).node.length;
      this.openHeavy(part);
    }
    fill(this.notes, ...notes(missing(this.data, metric)));
    this.makeModel();
    const longest = await Longest.make(this.model.boxes, pace);
    const sum = sumLengths(this.model.boxes);
    this.match(this.search.value);
    await pace.rest();
    this.paint();
    await pace.rest();
    if (job !== this.job) return;
    this.chart.setModel({ ...this.model, longest, sum });
    await breathe();
    if (job !== this.job) return;
    this.grid.rewind();
    this.list();
    this.describe(-1);
    this.keep();
  }

  // By its own cost; what has no name is no function to look at.
  private heaviest(): number {
    const own = new Float64Array(this.labels.length + 1);
    for (let node = 1; node < this.tree.self.length; node++) (own[this.tree.name[node] as number] as number) += this.tree.self[node] as number;
    let best = this.tree.name[1] ?? 0;
    for (const [name, value] of own.entries()) {
      if (value > (own[best] as number) && !/^[[(]/.test(this.labels[name] ?? '(')) best = name;
    }
    return best;
  }

  /** The rows of callers are upside down: the function is in the middle. */
  private rowsOf(): { boxes: Model['boxes']; layout: Layout } {
    const upper = this.parts.length > 1 ? (this.parts[0] as Placed) : undefined;
    if (!upper) {
      const { boxes } = this.parts[0] as Placed;
      return { boxes, layout: rows(boxes.rows) };
    }
    const lower = this.parts[1] as Placed;
    const above = upper.boxes.rows;
    const count = upper.node.length + lower.node.length;
    const begin = new Float64Array(count);
    const end = new Float64Array(count);
    begin.set(upper.boxes.begin);
    begin.set(lower.boxes.begin, upper.node.length);
    end.set(upper.boxes.end);
    end.set(lower.boxes.end, upper.node.length);
    const first = [...upper.boxes.first.subarray(0, above), ...Array.from(lower.boxes.first, (at) => at + upper.node.length)];
    const boxes = { rows: above + lower.boxes.rows, first: Uint32Array.from(first), begin, end, colour: new Uint8Array(count) };
    // Both have the function as their root: one is over the other.
    const top = Float64Array.from({ length: boxes.rows }, (_, row) => (row < above ? row : row - 1) * ROW);
    return { boxes, layout: { top, rowHeight: ROW, height: (boxes.rows - 1) * ROW } };
  }

  private at(box: number): { placed: Placed; node: number; part: number } {
    const part = this.parts.length > 1 && box >= (this.partOffset[1] as number) ? 1 : 0;
    const placed = this.parts[part] as Placed;
    return { placed, part, node: placed.node[box - (this.partOffset[part] as number)] as number };
  }

  private boxOf(part: number, node: number): number {
    const box = (this.parts[part] as Placed).box[node] as number;
    return box < 0 ? -1 : box + (this.partOffset[part] as number);
  }

  private nameAt(box: number): string {
    const { placed, node } = this.at(box);
    return this.labels[placed.tree.name[node] as number] ?? '';
  }

  private model!: Model;

  private makeModel(): void {
    const upper = this.parts.length > 1 ? (this.parts[0] as Placed) : undefined;
    const { boxes, layout } = this.rowsOf();
    const flipped = upper ? flip(boxes, layout, upper.boxes.rows) : { boxes, layout, order: undefined };
    if (flipped.order) this.reorder(flipped.order);
    this.model = {
      boxes: flipped.boxes,
      layout: flipped.layout,
      domain: { begin: 0, end: Math.max(1, (this.parts[this.parts.length - 1] as Placed).tree.total[0] as number) },
      label: (box) => this.nameAt(box),
      ...(upper ? { start: this.boxOf(1, 0) } : {}),
      neighbour: (box, direction) => this.neighbour(box, direction),
      tick: (value) => formatNumber(value),
    };
  }

  // flip() moved the callers' boxes: their nodes follow.
  private reorder(order: Uint32Array): void {
    const upper = this.parts[0] as Placed;
    const node = Uint32Array.from(order, (old) => upper.node[old] as number);
    const box = new Int32Array(upper.box.length).fill(-1);
    node.forEach((one, i) => (box[one] = i));
    this.parts[0] = { ...upper, node, box };
  }

  /** The colours, by name; what a search does not find is pale. */
  private paint(): void {
    const { colour } = this.model.boxes;
    const byName = this.labels.map((label) => (/^[[(]/.test(label) ? GREY : colourOf(label)));
    const kinds = this.data.kindNames.map((kind) => (kind === 'trap' ? TRAP : kind === 'interrupt' ? INTERRUPT : -1));
    const { matched } = this;
    const last = this.labels.length - 1;
    let box = 0;
    for (const { tree, node } of this.parts) {
      for (const one of node) {
        const name = tree.name[one] as number;
        const kind = kinds[tree.kind[one] as number] ?? -1;
        const plain = kind >= 0 ? kind : name >= last ? GREY : (byName[name] as number);
        colour[box++] = matched && !matched[name] ? DIM : plain;
      }
    }
  }

  private find(text: string): void {
    this.match(text);
    this.paint();
    this.chart.refresh();
    this.remember();
  }

  private match(text: string): void {
    const wanted = text.trim().toLowerCase();
    if (!wanted) {
      this.matched = undefined;
      fill(this.found, '');
    } else {
      const matched = Uint8Array.from(this.labels, (label) => (label.toLowerCase().includes(wanted) ? 1 : 0));
      matched[this.labels.length - 1] = 0;
      this.matched = matched;
      let count = 0;
      let sum = 0;
      // A call below another match is counted with it.
      const inside = new Uint8Array(this.tree.parent.length);
      for (let node = 1; node < inside.length; node++) {
        const above = inside[this.tree.parent[node] as number] as number;
        const match = matched[this.tree.name[node] as number] as number;
        inside[node] = above | match;
        count += match;
        if (match && !above) sum += this.tree.total[node] as number;
      }
      fill(this.found, count ? `${plural(count, 'node')}, ${formatNumber(sum)} ${this.unit}, ${share(sum, this.total)}` : 'nothing found');
    }
  }

  // Selects the next match after what is selected, in the order of the rows.
  private next(): void {
    const count = this.boxCount;
    for (let step = 1; step <= count; step++) {
      const box = (this.chart.selection + step + count) % count;
      const { placed, node } = this.at(box);
      if (this.matched?.[placed.tree.name[node] as number]) {
        this.chart.select(box);
        return;
      }
    }
  }

  private neighbour(box: number, direction: Direction): number {
    const { placed, node, part } = this.at(box);
    // Callers grow upwards: there the keys are turned, and at the function one comes to the other part.
    const turned = this.parts.length > 1 && part === 0;
    const away = turned ? 'up' : 'down';
    if (direction === 'left' || direction === 'right') {
      const next = box + (direction === 'left' ? -1 : 1);
      const [from, to] = rowBounds(this.model.boxes, box);
      return next >= from && next < to ? next : -1;
    }
    if (direction === away) return this.firstChild(part, node);
    const parent = placed.tree.parent[node] as number;
    if (turned && parent === 0) return this.boxOf(1, 0);
    if (node > 0) return this.boxOf(part, parent);
    return this.parts.length > 1 ? this.firstChild(1 - part, 0) : -1;
  }

  private firstChild(part: number, node: number): number {
    const { children, childFrom } = this.parts[part] as Placed;
    for (let i = childFrom[node] as number; i < (childFrom[node + 1] as number); i++) {
      const child = this.boxOf(part, children[i] as number);
      if (child >= 0) return child;
    }
    return -1;
  }

  private pathOf(part: number, node: number): string {
    const { tree } = (this.parts[part] as Placed);
    const names: string[] = [];
    for (let up = tree.parent[node] as number; up > 0 && names.length < 40; up = tree.parent[up] as number) {
      names.push(this.labels[tree.name[up] as number] ?? '');
    }
    return this.parts.length > 1 ? '' : names.reverse().join(' › ');
  }

  private tell(part: number, node: number): { name: string; numbers: string } {
    const { tree } = this.parts[part] as Placed;
    const total = tree.total[node] as number;
    const self = tree.self[node] as number;
    const name = this.labels[tree.name[node] as number] ?? '';
    const kind = this.data.kindNames[tree.kind[node] as number] ?? '';
    let numbers = `${formatNumber(total)} ${this.unit}, ${share(total, this.total)}`;
    const isCaller = this.parts.length > 1 && part === 0;
    if (!isCaller) numbers += `; itself ${formatNumber(self)}${self > 0 ? `, ${share(self, this.total)}` : ''}`;
    const calls = this.callsOf(part, node);
    if (calls) numbers += `; called ${calls === '1' ? 'once' : `${calls} times`}`;
    if (kind === 'trap' || kind === 'interrupt') numbers += `; entered by ${kind === 'trap' ? 'a trap' : 'an interrupt'}`;
    if (kind === 'inlined') numbers += '; inlined';
    return { name, numbers };
  }

  private callsOf(part: number, node: number): string {
    if (this.parts.length > 1 || node === 0 || !this.data.table.has('calls')) return '';
    const calls = this.data.table.column('calls')[node - 1] as number;
    return calls >= this.data.unknown || (calls === 0 && part === 0) ? '' : formatNumber(calls);
  }

  private describe(box: number): void {
    if (box < 0) {
      const { tree } = this.parts[this.parts.length - 1] as Placed;
      const name = this.labels[tree.name[0] as number] ?? '';
      fill(
        this.detail,
        this.order === 'sandwich'
          ? make('div', '', 'Above ', nameOf(name), ' are its callers, below it its callees: all of its calls together.')
          : make('div', '', `${formatNumber(this.total)} ${this.unit} in all. A box is a function where it was called; its width is what it and its callees took.`),
      );
      return;
    }
    const { part, node } = this.at(box);
    const { name, numbers } = this.tell(part, node);
    const path = this.pathOf(part, node);
    const lines = [make('div', '', nameOf(name), ' ', numbers)];
    if (path) lines.push(make('div', 'chart-path', 'called by ', make('bdi', '', path)));
    if (box === this.chart.selection && node > 0 && name) {
      lines.push(make('div', '', button('Callers and callees', () => this.focus(part, node), `Callers and callees of ${name}`)));
    }
    fill(this.detail, ...lines);
  }

  private focus(part: number, node: number): void {
    this.focusName = (this.parts[part] as Placed).tree.name[node] as number;
    if (this.focusName >= this.labels.length - 1) return;
    void this.arrange('sandwich', this.metric);
  }

  private selected(box: number): void {
    this.describe(box);
    if (box >= 0) {
      const { part, node } = this.at(box);
      const { name, numbers } = this.tell(part, node);
      this.context.announce(`${name}: ${numbers}`);
      this.showRow(part, node);
    }
    this.remember();
  }

  private open(box: number): void {
    if (box < 0) return;
    const { part, node } = this.at(box);
    if (this.order === 'sandwich' && node > 0) this.focus(part, node);
    else this.chart.setView({ begin: this.model.boxes.begin[box] as number, end: this.model.boxes.end[box] as number });
  }

  private escape(): void {
    const { domain } = this.model;
    const { begin, end } = this.chart.view;
    if (begin > domain.begin || end < domain.end) this.chart.reset();
    else this.chart.select(-1);
  }

  private keep(): void {
    const { begin, end } = this.chart.view;
    const { domain } = this.model;
    const kept: Record<string, string> = { order: this.order };
    if (this.metric !== 'records') kept['by'] = this.metric;
    if (this.order === 'sandwich') kept['function'] = this.labels[this.focusName] ?? '';
    if (this.search.value) kept['find'] = this.search.value;
    if (begin > domain.begin || end < domain.end) {
      kept['from'] = String(begin);
      kept['to'] = String(end);
    }
    if (this.chart.selection >= 0) kept['at'] = String(this.chart.selection);
    this.context.keep(kept);
  }

  // The table: the same tree, opened along its heaviest branches at first.
  private key(part: number, node: number): number {
    return part * 2 ** 32 + node;
  }

  private openHeavy(part: number): void {
    const { tree, children, childFrom } = this.parts[part] as Placed;
    const enough = (tree.total[0] as number) / 20;
    for (let node = 0, open = 0; open < 24; open++) {
      this.expanded.add(this.key(part, node));
      const child = children[childFrom[node] as number];
      if (child === undefined || (childFrom[node] as number) === (childFrom[node + 1] as number)) break;
      if ((tree.total[child] as number) < enough) break;
      node = child;
    }
  }

  private list(): void {
    this.listed = [];
    for (let part = 0; part < this.parts.length; part++) {
      const { children, childFrom } = this.parts[part] as Placed;
      const open: { node: number; level: number }[] = [{ node: 0, level: 1 }];
      for (let next = open.pop(); next; next = open.pop()) {
        this.listed.push({ part, ...next });
        if (!this.expanded.has(this.key(part, next.node))) continue;
        for (let i = (childFrom[next.node + 1] as number) - 1; i >= (childFrom[next.node] as number); i--) {
          open.push({ node: children[i] as number, level: next.level + 1 });
        }
      }
    }
    this.grid.setSource(this.source());
  }

  private source(): Source {
    fill(this.heading, this.order === 'sandwich' ? 'Callers, then callees' : 'The same as a table');
    const unit = this.unit[0]?.toUpperCase() + this.unit.slice(1);
    return {
      label: this.order === 'sandwich' ? 'Callers and callees' : 'Tree of calls',
      tree: true,
      headings: [
        { text: 'Function' },
        { text: unit, longest: formatNumber(this.total) },
        { text: 'Share', longest: '> 99.9 %' },
        { text: 'Itself', longest: formatNumber(this.total), spare: true },
        { text: 'Calls', longest: '1,000,000', spare: true },
      ],
      count: this.listed.length,
      cells: (row) => {
        const { part, node, level } = this.listed[row] as { part: number; node: number; level: number };
        const { tree, childFrom } = this.parts[part] as Placed;
        const leaf = childFrom[node] === childFrom[node + 1];
        const isCaller = this.parts.length > 1 && part === 0;
        const total = tree.total[node] as number;
        return [
          {
            text: (this.labels[tree.name[node] as number] ?? '') + (this.parts.length > 1 && node === 0 ? (isCaller ? ' and its callers' : ' and its callees') : ''),
            level,
            ...(leaf ? {} : { expanded: this.expanded.has(this.key(part, node)) }),
          },
          { text: formatNumber(total) },
          { text: share(total, this.total) },
          { text: isCaller ? '' : formatNumber(tree.self[node] as number) },
          { text: this.callsOf(part, node) },
        ];
      },
    };
  }

  private toggle(row: number, open: boolean): boolean {
    const at = this.listed[row];
    if (!at) return false;
    const { childFrom } = this.parts[at.part] as Placed;
    const key = this.key(at.part, at.node);
    if (childFrom[at.node] === childFrom[at.node + 1] || this.expanded.has(key) === open) return false;
    if (open) this.expanded.add(key);
    else this.expanded.delete(key);
    this.list();
    this.grid.mark(row);
    return true;
  }

  private rowAbove(row: number): number {
    const level = this.listed[row]?.level ?? 1;
    for (let up = row - 1; up >= 0; up--) if ((this.listed[up]?.level ?? 0) < level) return up;
    return row;
  }

  private rowSelected(row: number): void {
    const at = this.listed[row];
    if (!at) return;
    const box = this.boxOf(at.part, at.node);
    this.chart.mark(box);
    if (box >= 0) {
      this.chart.reveal(box);
      this.describe(box);
    }
    this.remember();
  }

  private rowOpened(row: number): void {
    const at = this.listed[row];
    if (at) this.open(this.boxOf(at.part, at.node));
  }

  // Opens the rows above a node, and marks it.
  private showRow(part: number, node: number): void {
    const { tree } = this.parts[part] as Placed;
    let changed = false;
    for (let up = tree.parent[node] as number; up >= 0; up = tree.parent[up] as number) {
      const key = this.key(part, up);
      if (this.expanded.has(key)) continue;
      this.expanded.add(key);
      changed = true;
    }
    if (changed) this.list();
    this.grid.mark(this.listed.findIndex((at) => at.part === part && at.node === node));
  }
}

function rows(count: number): Layout {
  return { top: Float64Array.from({ length: count }, (_, row) => row * ROW), rowHeight: ROW, height: count * ROW };
}

function rowBounds(boxes: Model['boxes'], box: number): [number, number] {
  let low = 0;
  let high = boxes.rows;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if ((boxes.first[middle] as number) <= box) low = middle;
    else high = middle;
  }
  return [boxes.first[low] as number, boxes.first[low + 1] as number];
}

/** The first `above` rows upside down: for callers, whose farthest ones are at the top. Their boxes
 * move; order[new] is the old one. */
function flip(boxes: Model['boxes'], layout: Layout, above: number): { boxes: Model['boxes']; layout: Layout; order: Uint32Array } {
  const moved = boxes.first[above] as number;
  const order = new Uint32Array(moved);
  const first = Uint32Array.from(boxes.first);
  let next = 0;
  for (let row = 0; row < above; row++) {
    first[row] = next;
    const old = above - 1 - row;
    for (let box = boxes.first[old] as number; box < (boxes.first[old + 1] as number); box++) order[next++] = box;
  }
  const begin = Float64Array.from(boxes.begin);
  const end = Float64Array.from(boxes.end);
  order.forEach((old, box) => {
    begin[box] = boxes.begin[old] as number;
    end[box] = boxes.end[old] as number;
  });
  return { boxes: { ...boxes, first, begin, end }, layout, order };
}

let shown: FlameView | undefined;

export const flame: View = {
  name: 'flame',
  title: 'Flame graph',
  keyRows: CHART_KEYS,
  available: (report, trace) => report.section('flame', trace)?.kind === 'columns',
  async show(root, context) {
    const columns = await context.report.columns('flame', context.trace);
    const data = await readData(columns);
    if (!root.isConnected) return;
    shown?.destroy();
    const section = context.report.section('flame', context.trace);
    if (section) append(root, commandLine(section, context), messages(section) ?? '');
    shown = new FlameView(root, context, data);
    await shown.start();
  },
  hide() {
    shown?.destroy();
    shown = undefined;
  },
};
