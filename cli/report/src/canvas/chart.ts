// A chart of boxes that is zoomed, moved and walked by keyboard. Two canvases of the size of what is
// seen: boxes below, outlines of what is selected above. It is drawn again when there was input.
//
// The canvas is a picture to a screen reader. What it shows is in a grid beside it (grid.ts), and
// what is selected is announced.
import { breathe } from '../data/breathe';
import { firstFrom, hit, Longest, type Range, rowOf } from './boxes';
import { ticks } from './numbers';
import { type Frame, Painter, rowsSeen, type Scene, sumLengths } from './paint';
import { readTheme, type Theme } from './theme';
import type { KeyRow } from '../ui/keys';
import { append, fillText, setAttribute } from '../ui/text';

export type Direction = 'left' | 'right' | 'up' | 'down';

/** What a chart shows: made anew when the data, the order or the colours change. */
export interface Model {
  readonly boxes: Scene['boxes'];
  readonly layout: Scene['layout'];
  readonly domain: Range;
  label(box: number): string;
  /** The box that the first arrow key selects; without it, the first that is seen. */
  readonly start?: number;
  /** The box to go to from another one; -1 if there is none. */
  neighbour(box: number, direction: Direction): number;
  /** What lies under the boxes and over them. */
  under?(frame: Frame): void;
  over?(frame: Frame): void;
  /** Texts of the ruler. */
  tick(value: number, step: number): string;
  /** Made before, where that takes long. */
  readonly longest?: Longest;
  readonly sum?: Float64Array;
}

export interface Events {
  select(box: number): void;
  hover(box: number): void;
  /** The pointer is where no box is: at a position, and so far from the top of the chart. */
  hoverAt?(position: number, y: number): void;
  /** Enter or a double click. */
  open(box: number): void;
  view(range: Range): void;
  /** A range that was marked on the ruler; undefined if it was taken away. */
  area?(range: Range | undefined): void;
  escape(): void;
}

const RULER = 22;
const MINIMAP = 34;
const DRAG = 4;
const OVERVIEW_ROWS = 4;
const BAND = 152;
const FRAME_MS = 12;

function element<K extends keyof HTMLElementTagNameMap>(name: K, className: string, parent: HTMLElement): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.className = className;
  append(parent, made);
  return made;
}

/** Its keys, for the help. */
export const CHART_KEYS: readonly KeyRow[] = [
  { codes: [], keys: ['←', '→', '↑', '↓'], text: 'in the picture: select the next box', act: () => undefined },
  { codes: [], keys: ['Enter'], text: 'zoom to the selected box', act: () => undefined },
  { codes: [], keys: ['Esc'], text: 'zoom back', act: () => undefined },
  { codes: [], keys: ['+', 'W'], text: 'zoom in', act: () => undefined },
  { codes: [], keys: ['−', 'S'], text: 'zoom out', act: () => undefined },
  { codes: [], keys: ['A'], text: 'move left', act: () => undefined },
  { codes: [], keys: ['D'], text: 'move right', act: () => undefined },
  { codes: [], keys: ['0', 'Home'], text: 'show all', act: () => undefined },
];

export class Chart {
  private readonly ruler: HTMLCanvasElement;
  private readonly minimap: HTMLCanvasElement;
  private readonly scroller: HTMLDivElement;
  private readonly spacer: HTMLDivElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly overlay: HTMLCanvasElement;
  private readonly painter = new Painter();
  private readonly abort = new AbortController();
  private readonly observer: ResizeObserver;
  private theme: Theme;
  private model: Model | undefined;
  private scene: Scene | undefined;
  private overview: HTMLCanvasElement | undefined;
  private overviewDone = false;
  private range: Range = { begin: 0, end: 1 };
  private marked: Range | undefined;
  private selected = -1;
  private hovered = -1;
  private width = 0;
  private height = 0;
  private dirty = false;
  private overlayEmpty = true;
  private band = 0;
  private bandsLeft = 0;
  private frame = 0;

  constructor(
    private readonly root: HTMLElement,
    private readonly events: Events,
    label: string,
  ) {
    root.classList.add('chart');
    this.minimap = element('canvas', 'chart-minimap', root);
    this.ruler = element('canvas', 'chart-ruler', root);
    this.scroller = element('div', 'chart-scroll', root);
    this.spacer = element('div', 'chart-spacer', this.scroller);
    const pane = element('div', 'chart-pane', this.spacer);
    this.canvas = element('canvas', 'chart-boxes', pane);
    this.overlay = element('canvas', 'chart-overlay', pane);
    for (const canvas of [this.minimap, this.ruler, this.overlay]) canvas.setAttribute('aria-hidden', 'true');
    this.canvas.setAttribute('role', 'img');
    setAttribute(this.canvas, 'aria-label', label);
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute('role', 'group');
    setAttribute(this.scroller, 'aria-label', `${label}. Arrow keys select, Enter zooms, plus and minus zoom, Escape goes back.`);
    this.theme = readTheme(root);
    this.observer = new ResizeObserver(() => {
      this.resize();
    });
    this.observer.observe(this.scroller);
    this.listen();
  }

  destroy(): void {
    this.overview = undefined;
    this.abort.abort();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
  }

  /** Shows a model, in `range` or as a whole. */
  setModel(model: Model, range?: Range): void {
    this.model = model;
    this.scene = {
      boxes: model.boxes,
      longest: model.longest ?? new Longest(model.boxes),
      sum: model.sum ?? sumLengths(model.boxes),
      layout: model.layout,
      label: (box) => model.label(box),
    };
    this.selected = this.hovered = -1;
    this.spacer.style.height = `${Math.min(model.layout.height, 8e6)}px`;
    this.range = this.clamp(range ?? model.domain);
    this.overview = undefined;
    this.dirty = true;
    this.resize();
    this.schedule();
    if (model.start !== undefined) this.scroller.scrollTop = (model.layout.top[rowOf(model.boxes, model.start)] as number) - this.height / 2;
  }

  get view(): Range {
    return this.range;
  }

  get selection(): number {
    return this.selected;
  }

  focus(): void {
    this.scroller.focus();
  }

  setView(range: Range): void {
    const clamped = this.clamp(range);
    if (clamped.begin === this.range.begin && clamped.end === this.range.end) return;
    this.range = clamped;
    this.invalidate();
    this.events.view(clamped);
  }

  /** Outlines a box, without an event. */
  mark(box: number): void {
    this.selected = box;
    this.invalidateOverlay();
  }

  setArea(range: Range | undefined): void {
    this.marked = range;
    this.invalidateOverlay();
  }

  select(box: number): void {
    this.mark(box);
    if (box >= 0) this.reveal(box);
    this.events.select(box);
  }

  /** Moves the view so that a box can be seen. */
  reveal(box: number): void {
    const { scene } = this;
    if (!scene) return;
    const begin = scene.boxes.begin[box] as number;
    const end = scene.boxes.end[box] as number;
    const span = this.range.end - this.range.begin;
    if (end <= this.range.begin || begin >= this.range.end) {
      const from = begin - Math.max(0, span - (end - begin)) / 2;
      this.setView({ begin: from, end: from + span });
    }
    const top = scene.layout.top[rowOf(scene.boxes, box)] as number;
    const scroll = this.scroller.scrollTop;
    if (top < scroll) this.scroller.scrollTop = top;
    else if (top + scene.layout.rowHeight > scroll + this.height) this.scroller.scrollTop = top + scene.layout.rowHeight - this.height;
  }

  zoom(factor: number, at = (this.range.begin + this.range.end) / 2): void {
    const { begin, end } = this.range;
    this.setView({ begin: at - (at - begin) * factor, end: at + (end - at) * factor });
  }

  pan(share: number): void {
    const by = share * (this.range.end - this.range.begin);
    this.setView({ begin: this.range.begin + by, end: this.range.end + by });
  }

  reset(): void {
    if (this.model) this.setView(this.model.domain);
  }

  /** Draws again: the colours or the boxes' colours changed. */
  refresh(): void {
    this.theme = readTheme(this.root);
    this.overview = undefined;
    this.invalidate();
  }

  private clamp(range: Range): Range {
    const { begin, end } = this.model?.domain ?? range;
    const whole = end - begin || 1;
    // Below this, a place would not be exact in 53 bits any more.
    const least = Math.min(whole, Math.max(whole * 2 ** -40, 1e-3));
    const span = Math.min(whole, Math.max(least, range.end - range.begin));
    const middle = (range.begin + range.end) / 2;
    const from = Math.min(Math.max(range.end - range.begin < least ? middle - span / 2 : range.begin, begin), begin + whole - span);
    return Number.isFinite(from) ? { begin: from, end: from + span } : { begin, end: begin + whole };
  }

  private resize(): void {
    const ratio = devicePixelRatio || 1;
    this.width = this.scroller.clientWidth;
    const layout = this.model?.layout;
    const most = parseFloat(getComputedStyle(this.scroller).maxHeight) || 480;
    this.height = Math.min(layout?.height ?? 0, most);
    const sizes: [HTMLCanvasElement, number][] = [
      [this.canvas, this.height],
      [this.overlay, this.height],
      [this.ruler, RULER],
      [this.minimap, MINIMAP],
    ];
    let changed = false;
    for (const [canvas, height] of sizes) {
      const [w, h] = [Math.max(1, Math.round(this.width * ratio)), Math.max(1, Math.round(height * ratio))];
      if (canvas.width === w && canvas.height === h) continue;
      changed = true;
      if (canvas === this.minimap) this.overview = undefined;
      canvas.width = w;
      canvas.height = h;
      canvas.style.width = `${this.width}px`;
      canvas.style.height = `${height}px`;
    }
    if (!changed) return;
    // A canvas of a new size is empty: draw at once, before the browser shows it.
    this.dirty = true;
    this.draw();
  }

  private invalidate(): void {
    this.dirty = true;
    this.schedule();
  }

  private invalidateOverlay(): void {
    this.schedule();
  }

  private schedule(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.scene || !this.model || this.width < 1) return;
    if (this.dirty) this.bandsLeft = Math.max(1, Math.ceil(this.height / BAND));
    if (this.bandsLeft > 0) this.drawBoxes(this.scene, this.model);
    if (this.dirty) {
      this.drawRuler(this.model);
      if (!this.overview) void this.drawOverview(this.scene, this.model);
      this.drawMinimap(this.model);
    }
    this.drawOverlay(this.scene);
    this.dirty = false;
  }

  private open(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    const ratio = canvas.width / this.width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, canvas.height);
    return context;
  }

  private makeFrame(context: CanvasRenderingContext2D): Frame {
    const { theme, range, width, height } = this;
    return { context, theme, range, width, from: 0, to: height, scroll: this.scroller.scrollTop, ratio: this.canvas.width / width };
  }

  // Band after band. If that takes long, what is left is drawn in the next frame: so no task is long,
  // on any machine. A new view begins where the one before had come to, so that each band has its turn.
  private drawBoxes(scene: Scene, model: Model): void {
    const context = this.canvas.getContext('2d') as CanvasRenderingContext2D;
    const ratio = this.canvas.width / this.width;
    const bands = Math.max(1, Math.ceil(this.height / BAND));
    const whole = this.makeFrame(context); // asks where it is scrolled to, which may cost a layout
    const begin = performance.now();
    while (this.bandsLeft > 0) {
      const band = this.band++ % bands;
      this.bandsLeft--;
      const from = band * BAND;
      const to = Math.min(this.height, from + BAND);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.save();
      context.beginPath();
      context.rect(0, from, this.width, to - from);
      context.clip();
      context.clearRect(0, from, this.width, to - from);
      const frame = { ...whole, from, to };
      model.under?.(frame);
      this.painter.paint(scene, frame);
      model.over?.(frame);
      context.restore();
      if (performance.now() - begin > FRAME_MS && !matchMedia('print').matches) break; // there is one picture on paper
    }
    if (this.bandsLeft > 0) this.schedule();
    this.report();
  }

  // For tests: whether all is drawn.
  private report(): void {
    this.root.dataset['drawn'] = String(this.bandsLeft === 0 && this.overviewDone);
  }

  private drawRuler(model: Model): void {
    const context = this.open(this.ruler);
    const { begin, end } = this.range;
    const { step, values } = ticks(begin, end, Math.max(2, Math.floor(this.width / 110)));
    context.font = this.theme.small;
    context.textBaseline = 'middle';
    for (const value of values) {
      const x = Math.round(((value - begin) / (end - begin)) * this.width) + 0.5;
      context.fillStyle = this.theme.line;
      context.fillRect(x, RULER - 6, 1, 6);
      const text = model.tick(value, step);
      const width = context.measureText(text).width;
      context.fillStyle = this.theme.soft;
      fillText(context, text, Math.min(Math.max(0, x - width / 2), this.width - width), RULER / 2 - 2);
    }
    context.fillStyle = this.theme.line;
    context.fillRect(0, RULER - 1, this.width, 1);
  }

  // The whole, small; drawn once, until the data or the size changes, and some rows in a task.
  private async drawOverview(scene: Scene, model: Model): Promise<void> {
    const made = document.createElement('canvas');
    this.overview = made;
    this.overviewDone = false;
    this.report();
    made.width = this.minimap.width;
    made.height = this.minimap.height;
    const context = this.open(made);
    const used = Math.max(1, scene.layout.top.length);
    const shown = Math.min(used, MINIMAP - 4);
    const height = (MINIMAP - 4) / shown;
    const painter = new Painter();
    for (let from = 0; from < shown; from += OVERVIEW_ROWS) {
      await breathe();
      if (this.overview !== made) return;
      // The rows before this part and after it are far outside.
      const top = Float64Array.from({ length: Math.min(shown, from + OVERVIEW_ROWS) }, (_, row) => (row < from ? -MINIMAP : 2 + row * height));
      const layout = { top, rowHeight: height + (height > 3 ? 0 : 1), height: MINIMAP };
      painter.paint({ ...scene, layout, label: () => '' }, { ...this.makeFrame(context), range: model.domain, from: 0, to: MINIMAP, scroll: 0 });
    }
    this.overviewDone = true;
    this.drawMinimap(model);
    this.report();
  }

  private drawMinimap(model: Model): void {
    if (!this.overview) return;
    const context = this.open(this.minimap);
    context.drawImage(this.overview, 0, 0, this.width, MINIMAP);
    const { domain } = model;
    const scale = this.width / (domain.end - domain.begin || 1);
    const left = (this.range.begin - domain.begin) * scale;
    const right = Math.max(left + 3, (this.range.end - domain.begin) * scale);
    context.fillStyle = this.theme.area;
    context.fillRect(0, 0, left, MINIMAP);
    context.fillRect(right, 0, this.width - right, MINIMAP);
    context.strokeStyle = this.theme.select;
    context.lineWidth = 2;
    context.strokeRect(left + 1, 1, Math.max(1, right - left - 2), MINIMAP - 2);
  }

  // A canvas that is touched is copied by the browser, even if nothing is on it.
  private drawOverlay(scene: Scene): void {
    const empty = !this.marked && this.hovered < 0 && this.selected < 0;
    if (empty && this.overlayEmpty) return;
    this.overlayEmpty = empty;
    const context = this.open(this.overlay);
    const scale = this.width / (this.range.end - this.range.begin);
    if (this.marked) {
      const left = (this.marked.begin - this.range.begin) * scale;
      const right = (this.marked.end - this.range.begin) * scale;
      context.fillStyle = this.theme.area;
      context.fillRect(0, 0, left, this.height);
      context.fillRect(right, 0, this.width - right, this.height);
      context.fillStyle = this.theme.select;
      context.fillRect(left - 1, 0, 1, this.height);
      context.fillRect(right, 0, 1, this.height);
    }
    for (const [box, width] of [
      [this.hovered, 1],
      [this.selected, 2],
    ] as const) {
      if (box < 0) continue;
      const left = Math.max(-4, ((scene.boxes.begin[box] as number) - this.range.begin) * scale);
      const right = Math.min(this.width + 4, ((scene.boxes.end[box] as number) - this.range.begin) * scale);
      if (right < 0 || left > this.width) continue;
      const y = (scene.layout.top[rowOf(scene.boxes, box)] as number) - this.scroller.scrollTop;
      context.strokeStyle = this.theme.select;
      context.lineWidth = width;
      const inset = width / 2;
      context.strokeRect(left + inset, y + inset, Math.max(2, right - left - 2 * inset), scene.layout.rowHeight - 1 - width);
    }
  }

  private positionAt(event: MouseEvent): number {
    const x = event.clientX - this.scroller.getBoundingClientRect().left;
    return this.range.begin + (x / this.width) * (this.range.end - this.range.begin);
  }

  private boxAt(event: MouseEvent): number {
    const { scene } = this;
    if (!scene) return -1;
    const y = event.clientY - this.canvas.getBoundingClientRect().top + this.scroller.scrollTop;
    const [first, to] = rowsSeen(scene.layout, y, 1);
    if (first >= to || (scene.layout.top[first] as number) > y) return -1;
    // Of rows in one place the last one is on top.
    const row = to - 1;
    return hit(scene.boxes, row, this.positionAt(event), (3 * (this.range.end - this.range.begin)) / this.width);
  }

  private hover(box: number): void {
    if (box === this.hovered) return;
    this.hovered = box;
    this.events.hover(box);
    this.invalidateOverlay();
  }

  private move(event: PointerEvent): void {
    if (event.buttons) return;
    const box = this.boxAt(event);
    this.hover(box);
    if (box < 0) this.events.hoverAt?.(this.positionAt(event), event.clientY - this.canvas.getBoundingClientRect().top + this.scroller.scrollTop);
  }

  private listen(): void {
    const { signal } = this.abort;
    const { scroller } = this;
    scroller.addEventListener('scroll', () => this.invalidate(), { signal, passive: true });
    scroller.addEventListener('wheel', (event) => this.wheel(event), { signal, passive: false });
    scroller.addEventListener('keydown', (event) => this.key(event), { signal });
    this.overlay.addEventListener('pointermove', (event) => this.move(event), { signal });
    this.overlay.addEventListener('pointerleave', () => this.hover(-1), { signal });
    this.overlay.addEventListener('dblclick', (event) => this.events.open(this.boxAt(event)), { signal });
    this.overlay.addEventListener('pointerdown', (event) => this.drag(event), { signal });
    this.minimap.addEventListener('pointerdown', (event) => this.dragMinimap(event), { signal });
    this.ruler.addEventListener('pointerdown', (event) => this.dragRuler(event), { signal });
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
      matchMedia(query).addEventListener('change', () => this.refresh(), { signal });
    }
  }

  // While a button or a finger is down: `move` on each movement, `up` at the end.
  private follow(target: HTMLElement, event: PointerEvent, move: (event: PointerEvent) => void, up: (event: PointerEvent) => void): void {
    if (event.button !== 0) return;
    const end = new AbortController();
    const signal = AbortSignal.any ? AbortSignal.any([end.signal, this.abort.signal]) : end.signal;
    target.setPointerCapture(event.pointerId);
    const same = (other: PointerEvent) => other.pointerId === event.pointerId;
    target.addEventListener('pointermove', (other) => same(other) && move(other), { signal });
    for (const name of ['pointerup', 'pointercancel'] as const) {
      target.addEventListener(
        name,
        (other) => {
          if (!same(other)) return;
          end.abort();
          up(other);
        },
        { signal },
      );
    }
  }

  private drag(event: PointerEvent): void {
    const { begin, end } = this.range;
    const from = { x: event.clientX, y: event.clientY, scroll: this.scroller.scrollTop };
    let moved = false;
    this.follow(
      this.overlay,
      event,
      (other) => {
        const dx = other.clientX - from.x;
        const dy = other.clientY - from.y;
        moved ||= Math.abs(dx) > DRAG || Math.abs(dy) > DRAG;
        if (!moved) return;
        const by = (-dx / this.width) * (end - begin);
        this.setView({ begin: begin + by, end: end + by });
        if (event.pointerType === 'mouse') this.scroller.scrollTop = from.scroll - dy;
      },
      (other) => {
        if (!moved && other.type === 'pointerup') this.select(this.boxAt(other));
      },
    );
  }

  private dragMinimap(event: PointerEvent): void {
    const move = (other: PointerEvent) => {
      const { domain } = this.model as Model;
      const x = (other.clientX - this.minimap.getBoundingClientRect().left) / this.width;
      const middle = domain.begin + x * (domain.end - domain.begin);
      const half = (this.range.end - this.range.begin) / 2;
      this.setView({ begin: middle - half, end: middle + half });
    };
    if (!this.model) return;
    move(event);
    this.follow(this.minimap, event, move, () => undefined);
  }

  private dragRuler(event: PointerEvent): void {
    const { area } = this.events;
    if (!area) return;
    const from = this.positionAt(event);
    const x = event.clientX;
    let moved = false;
    this.follow(
      this.ruler,
      event,
      (other) => {
        moved ||= Math.abs(other.clientX - x) > DRAG;
        if (!moved) return;
        const to = this.positionAt(other);
        this.setArea(this.within({ begin: Math.min(from, to), end: Math.max(from, to) }));
      },
      () => {
        if (!moved) this.setArea(undefined);
        area(this.marked);
      },
    );
  }

  private within(range: Range): Range {
    const { begin, end } = (this.model as Model).domain;
    return { begin: Math.max(begin, range.begin), end: Math.min(end, range.end) };
  }

  private wheel(event: WheelEvent): void {
    const unit = event.deltaMode === 1 ? 16 : 1;
    if (event.ctrlKey || event.altKey) {
      event.preventDefault();
      this.zoom(Math.exp(Math.max(-1, Math.min(1, (event.deltaY * unit) / 250))), this.positionAt(event));
      return;
    }
    const sideways = event.shiftKey && !event.deltaX ? event.deltaY : event.deltaX;
    if (Math.abs(sideways) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return;
    event.preventDefault();
    this.pan((sideways * unit) / this.width);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrows: Record<string, Direction> = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' };
    const direction = arrows[event.code];
    const acts: Record<string, () => void> = {
      KeyW: () => this.zoom(0.6),
      Equal: () => this.zoom(0.6),
      NumpadAdd: () => this.zoom(0.6),
      KeyS: () => this.zoom(1 / 0.6),
      Minus: () => this.zoom(1 / 0.6),
      NumpadSubtract: () => this.zoom(1 / 0.6),
      KeyA: () => this.pan(-0.2),
      KeyD: () => this.pan(0.2),
      Digit0: () => this.reset(),
      Home: () => this.reset(),
      Enter: () => this.events.open(this.selected),
      Escape: () => this.events.escape(),
    };
    const act = direction ? () => this.step(direction) : event.shiftKey && event.code !== 'Equal' ? undefined : acts[event.code];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  // The first arrow key selects what is seen first.
  private step(direction: Direction): void {
    const { scene, model } = this;
    if (!scene || !model) return;
    if (this.selected >= 0) {
      const next = model.neighbour(this.selected, direction);
      if (next >= 0) this.select(next);
      return;
    }
    if (model.start !== undefined) {
      this.select(model.start);
      return;
    }
    const [from, to] = rowsSeen(scene.layout, this.scroller.scrollTop, this.height);
    for (let row = from; row < to; row++) {
      const box = firstFrom(scene.boxes, row, this.range.begin);
      if (box < (scene.boxes.first[row + 1] as number) && (scene.boxes.begin[box] as number) < this.range.end) {
        this.select(box);
        return;
      }
    }
  }
}
