// A grid of which only the rows in view exist: the readable twin of a chart, for screen readers, for
// the keyboard, and for whoever wants the numbers. A browser limits the height of an element, so
// beyond that the scrolled share is mapped to the rows.
import { append, fill, setAttribute } from '../ui/text';

export interface Cell {
  text: string;
  /** For a tree: how deep, and whether it has rows below it that are shown. */
  level?: number;
  expanded?: boolean;
}

export interface Heading {
  text: string;
  /** Of numbers: the longest of them, to know how wide the column is. */
  longest?: string;
  /** Is left out where the page is narrow. */
  spare?: boolean;
}

export interface Source {
  readonly label: string;
  /** treegrid if rows open and close. */
  readonly tree: boolean;
  readonly headings: Heading[];
  readonly count: number;
  cells(row: number): Cell[];
}

export interface GridEvents {
  /** The arrow keys or a click came to a row. */
  select(row: number): void;
  /** Enter or a double click. */
  open(row: number): void;
  /** Of a tree: the row is to be opened or closed; returns whether it was. */
  toggle?(row: number, open: boolean): boolean;
  /** Of a tree: the row above in the hierarchy, -1 if there is none. */
  parent?(row: number): number;
}

const ROW = 26;
const HEAD = 31; // with its line; the style has both
const MOST = 6e6;
const SPARE = 4;
let grids = 0;

function classOf({ longest, spare }: Heading): string {
  return (longest === undefined ? 'grid-name' : 'grid-number') + (spare ? ' grid-spare' : '');
}

export class Grid {
  private readonly spacer: HTMLDivElement;
  private readonly rows: HTMLDivElement;
  private readonly head: HTMLDivElement;
  private readonly grid: HTMLDivElement;
  private readonly id = `grid${grids++}`;
  private readonly observer: ResizeObserver;
  private source: Source | undefined;
  private current = -1;
  private frame = 0;

  constructor(
    root: HTMLElement,
    private readonly events: GridEvents,
  ) {
    const make = (className: string, parent: HTMLElement, role?: string) => {
      const made = document.createElement('div');
      made.className = className;
      if (role) made.setAttribute('role', role);
      append(parent, made);
      return made;
    };
    this.grid = make('grid', root, 'grid');
    this.grid.tabIndex = 0;
    this.head = make('grid-head', make('grid-heads', this.grid, 'rowgroup'), 'row');
    this.head.setAttribute('aria-rowindex', '1');
    this.spacer = make('grid-spacer', this.grid, 'rowgroup');
    this.rows = make('grid-rows', this.spacer, 'presentation');
    this.grid.addEventListener('scroll', () => this.schedule(), { passive: true });
    this.observer = new ResizeObserver(() => this.schedule());
    this.observer.observe(this.grid);
    this.grid.addEventListener('keydown', (event) => this.key(event));
    this.rows.addEventListener('click', (event) => this.click(event));
    this.rows.addEventListener('dblclick', (event) => {
      const row = this.rowAt(event);
      if (row >= 0) this.events.open(row);
    });
  }

  destroy(): void {
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
  }

  setSource(source: Source, current = -1): void {
    this.source = source;
    this.current = current;
    this.grid.setAttribute('role', source.tree ? 'treegrid' : 'grid');
    setAttribute(this.grid, 'aria-label', source.label);
    this.grid.setAttribute('aria-rowcount', String(source.count + 1));
    this.grid.setAttribute('aria-colcount', String(source.headings.length));
    fill(
      this.head,
      ...source.headings.map((heading) => {
        const cell = document.createElement('div');
        cell.setAttribute('role', 'columnheader');
        cell.className = classOf(heading);
        fill(cell, heading.text);
        return cell;
      }),
    );
    const widths = (headings: Heading[]) =>
      headings.map(({ text, longest }) => (longest === undefined ? 'minmax(0, 1fr)' : `${Math.max(text.length, longest.length) + 1}ch`)).join(' ');
    this.grid.style.setProperty('--columns-wide', widths(source.headings));
    this.grid.style.setProperty('--columns-narrow', widths(source.headings.filter(({ spare }) => !spare)));
    this.spacer.style.height = `${Math.min(source.count * ROW, MOST)}px`;
    this.draw();
  }

  /** Scrolls to the first row: for other data. */
  rewind(): void {
    this.grid.scrollTop = 0;
  }

  /** Marks a row and scrolls to it, without an event. */
  mark(row: number): void {
    this.current = row;
    if (row >= 0) this.reveal(row);
    this.draw();
  }

  /** The height of what scrolls below the head. */
  private get height(): number {
    return Math.max(0, this.grid.clientHeight - HEAD);
  }

  private get shown(): number {
    return Math.ceil(this.height / ROW) || 12;
  }

  private get steep(): boolean {
    return (this.source?.count ?? 0) * ROW > MOST;
  }

  private get top(): number {
    const count = this.source?.count ?? 0;
    if (!this.steep) return Math.floor(this.grid.scrollTop / ROW);
    const share = this.grid.scrollTop / (MOST - this.height);
    return Math.round(Math.min(1, share) * (count - this.shown + 1));
  }

  private reveal(row: number): void {
    const count = this.source?.count ?? 0;
    const whole = Math.max(1, this.shown - 1);
    const top = this.top;
    if (row >= top && row < top + whole) return;
    const target = Math.max(0, row < top ? row : row - whole + 1);
    this.grid.scrollTop = this.steep ? (target / (count - this.shown + 1)) * (MOST - this.height) : target * ROW;
  }

  private schedule(): void {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { source } = this;
    if (!source) return;
    const top = this.top;
    const from = Math.max(0, top - SPARE);
    const to = Math.min(source.count, top + this.shown + SPARE);
    const offset = this.steep ? this.grid.scrollTop - (top - from) * ROW : from * ROW;
    this.rows.style.transform = `translateY(${Math.min(offset, Math.max(0, MOST - (to - from) * ROW))}px)`;
    const made: HTMLElement[] = [];
    for (let row = from; row < to; row++) made.push(this.makeRow(source, row));
    fill(this.rows, ...made);
    if (this.current >= from && this.current < to) this.grid.setAttribute('aria-activedescendant', `${this.id}r${this.current}`);
    else this.grid.removeAttribute('aria-activedescendant');
  }

  private makeRow(source: Source, row: number): HTMLElement {
    const made = document.createElement('div');
    made.className = 'grid-row';
    made.id = `${this.id}r${row}`;
    made.dataset['row'] = String(row);
    made.setAttribute('role', 'row');
    made.setAttribute('aria-rowindex', String(row + 2));
    made.setAttribute('aria-selected', String(row === this.current));
    const cells = source.cells(row);
    for (const [column, heading] of source.headings.entries()) {
      const cell = cells[column] ?? { text: '' };
      const part = document.createElement('div');
      part.setAttribute('role', 'gridcell');
      part.className = classOf(heading);
      if (cell.level !== undefined) {
        made.setAttribute('aria-level', String(cell.level));
        if (cell.expanded !== undefined) made.setAttribute('aria-expanded', String(cell.expanded));
        part.style.setProperty('--level', String(Math.min(cell.level - 1, 30)));
        part.classList.add('grid-level');
        const mark = document.createElement('span');
        mark.className = 'grid-mark';
        mark.setAttribute('aria-hidden', 'true');
        fill(mark, cell.expanded === undefined ? '' : cell.expanded ? '▾' : '▸');
        append(part, mark);
      }
      const text = document.createElement('bdi');
      fill(text, cell.text);
      append(part, text);
      setAttribute(part, 'title', cell.text);
      append(made, part);
    }
    return made;
  }

  private rowAt(event: Event): number {
    const row = (event.target as Element).closest<HTMLElement>('.grid-row');
    return row ? Number(row.dataset['row']) : -1;
  }

  private click(event: Event): void {
    const row = this.rowAt(event);
    if (row < 0) return;
    const expanded = (event.target as Element).closest('.grid-row')?.getAttribute('aria-expanded');
    if ((event.target as Element).classList.contains('grid-mark') && expanded) this.events.toggle?.(row, expanded !== 'true');
    this.go(row);
  }

  private go(row: number): void {
    const count = this.source?.count ?? 0;
    if (count === 0) return;
    this.mark(Math.max(0, Math.min(count - 1, row)));
    this.events.select(this.current);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const at = this.current;
    const acts: Record<string, () => void> = {
      ArrowDown: () => this.go(at + 1),
      ArrowUp: () => this.go(at - 1),
      PageDown: () => this.go(at + this.shown - 1),
      PageUp: () => this.go(at - this.shown + 1),
      Home: () => this.go(0),
      End: () => this.go((this.source?.count ?? 0) - 1),
      Enter: () => at >= 0 && this.events.open(at),
      ArrowRight: () => {
        if (at >= 0 && !this.events.toggle?.(at, true)) this.go(at + 1);
      },
      ArrowLeft: () => {
        if (at >= 0 && !this.events.toggle?.(at, false)) this.go(this.events.parent?.(at) ?? at);
      },
    };
    const act = acts[event.code];
    if (!act || (!this.source?.tree && (event.code === 'ArrowRight' || event.code === 'ArrowLeft'))) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
}
