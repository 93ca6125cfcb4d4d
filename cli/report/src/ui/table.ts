// A table that sorts and filters. Above 300 rows only those in view are elements, for a browser takes a second to lay
// out a thousand: the rows have one height, and two empty rows take the room of the others. The table says how many
// rows there are (aria-rowcount). On paper there are 2000 of them.
import { clear, h, identifier, number, unknown, type Child } from './dom';
import { count, many, plural, type Count } from './format';
import { fits, order, type Key } from './sort';
import { fill } from './text';

export interface Column<T> {
  id: string;
  title: string;
  help?: string; // what it counts
  number?: boolean;
  wide?: boolean; // left out below 640 pixels
  fit?: boolean; // takes the room that is left
  key(row: T): Key; // what it is sorted by, and shown if there is no cell
  cell?(row: T): Child;
  reason?: string; // why it may be unknown
}

export interface TableOptions<T> {
  caption: string;
  columns: Column<T>[];
  rows: readonly T[];
  sort?: string;
  down?: boolean;
  filter?: (row: T) => string;
  filterText?: string;
  changed?: (state: { sort: string; down: boolean; filter: string }) => void;
  empty?: string;
  noun?: string;
  total?: T[]; // rows at the end that are never sorted
  rowClass?: (row: T) => string | undefined;
  announce?: (text: string) => void;
  limit?: number; // rows at first, with a button for all
}

const VIRTUAL = 300;
const PRINTED = 2000;
const ROW = 28; // pixels; the style sheet has the same
const MOST = 500000; // an element may not be taller than 17 million pixels in Firefox

export function table<T>(options: TableOptions<T>): HTMLElement {
  const { columns, rows } = options;
  const noun = options.noun ?? 'row';
  let sort = options.sort ?? '';
  let down = options.down ?? true;
  let filter = options.filterText ?? '';
  let shown: readonly T[] = rows;
  let frozen = false;
  let all = options.limit === undefined || rows.length <= options.limit + 5;

  if (rows.length === 0 && !options.total?.length)
    return h('p', { class: 'empty' }, options.empty ?? `No ${many(noun)}.`);

  const id = identifier('table');
  const heads = columns.map((column) => headCell(column));
  const body = h('tbody');
  const foot = options.total?.length ? h('tfoot', null, options.total.map((row) => line(row, -1))) : null;
  const grid = h(
    'table',
    { id, class: rows.length > VIRTUAL ? 'virtual' : undefined },
    h('caption', { class: 'sr' }, options.caption),
    h('thead', null, h('tr', null, heads)),
    body,
    foot,
  );
  const scroller = h(
    'div',
    { class: rows.length > VIRTUAL ? 'scroll tall' : 'scroll', tabindex: 0, role: 'region', 'aria-label': options.caption },
    grid,
  );
  const status = h('p', { class: 'table-status', role: 'status' });
  const input = options.filter
    ? h('input', {
        type: 'search',
        value: filter,
        placeholder: `Filter ${many(noun)}`,
        'aria-label': `Filter: ${options.caption}`,
        'aria-controls': id,
        'data-filter': true,
        input: () => {
          filter = input?.value ?? '';
          update();
          options.changed?.({ sort, down, filter });
        },
      })
    : null;
  const more = h('button', {
    type: 'button',
    class: 'more',
    click: () => {
      all = true;
      update();
      (body.querySelectorAll('tr')[options.limit ?? 0]?.querySelector('a,button') as HTMLElement | null)?.focus();
    },
  });

  function headCell(column: Column<T>): HTMLElement {
    const button = h(
      'button',
      {
        type: 'button',
        title: column.help,
        click: () => {
          down = sort === column.id ? !down : column.number === true;
          sort = column.id;
          update();
          options.changed?.({ sort, down, filter });
          options.announce?.(`Sorted by ${column.title}, ${down ? 'largest first' : 'smallest first'}`);
        },
      },
      column.title,
      h('span', { class: 'arrow', 'aria-hidden': 'true' }),
    );
    return h('th', { scope: 'col', class: classes(column), 'data-column': column.id }, button);
  }

  function classes(column: Column<T>): string | undefined {
    const list = [column.number ? 'num' : '', column.wide ? 'wide' : '', column.fit ? 'fit' : ''].filter(Boolean);
    return list.length ? list.join(' ') : undefined;
  }

  function line(row: T, index: number): HTMLElement {
    return h(
      'tr',
      { class: options.rowClass?.(row), 'aria-rowindex': rows.length > VIRTUAL && index >= 0 ? index + 2 : undefined },
      columns.map((column) => h('td', { class: classes(column) }, cell(column, row))),
    );
  }

  function cell(column: Column<T>, row: T): Child {
    if (column.cell) return column.cell(row);
    const value = column.key(row);
    if (value === null || value === undefined) return unknown(column.reason);
    if (column.number) return number(value as Count);
    return h('bdi', null, String(value));
  }

  function update(): void {
    const column = columns.find((entry) => entry.id === sort);
    const text = options.filter;
    shown = filter && text ? rows.filter((row) => fits(text(row), filter)) : rows;
    if (column) shown = order(shown, column.key, down);
    columns.forEach((entry, index) => {
      const head = heads[index];
      if (!head) return;
      if (entry.id === sort) head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    if (filter && !frozen) {
      frozen = true; // so that columns do not jump while rows come and go
      const widths = heads.map((cell) => cell.offsetWidth);
      heads.forEach((cell, index) => { cell.style.minWidth = `${widths[index] ?? 0}px`; });
    }
    const first = all ? shown.length : Math.min(options.limit ?? 0, shown.length);
    more.hidden = all || shown.length <= first;
    fill(more, `Show all ${count(shown.length)} ${many(noun)}`);
    let said = filter ? `${count(shown.length)} of ${plural(rows.length, noun)}` : plural(rows.length, noun);
    if (!all && first < shown.length) said = `${count(first)} of ${plural(shown.length, noun)}`;
    if (shown.length > MOST) said += `; the first ${count(MOST)} are listed: filter for others`;
    fill(status, said);
    if (rows.length > VIRTUAL) {
      grid.setAttribute('aria-rowcount', String(Math.min(shown.length, MOST) + 1));
      window_ = [-1, -1];
      scroller.scrollTop = 0;
      draw();
      return;
    }
    clear(body);
    shown.slice(0, first).forEach((row, index) => body.appendChild(line(row, index)));
    if (!shown.length) body.appendChild(nothing());
  }

  function nothing(): HTMLElement {
    return h('tr', null, h('td', { colspan: columns.length, class: 'empty' }, `No ${noun} fits “${filter}”.`));
  }

  let window_: [number, number] = [-1, -1];

  function draw(print = false): void {
    const size = Math.min(shown.length, MOST);
    const height = scroller.clientHeight || 600;
    const top = print ? 0 : Math.max(0, Math.floor(scroller.scrollTop / ROW) - 20);
    const end = Math.min(size, print ? PRINTED : Math.ceil((scroller.scrollTop + height) / ROW) + 20);
    if (window_[0] === top && window_[1] === end) return;
    window_ = [top, end];
    clear(body);
    body.appendChild(spacer(top));
    for (let index = top; index < end; index++) body.appendChild(line(shown[index] as T, index));
    body.appendChild(spacer(size - end));
    if (!size) body.appendChild(nothing());
  }

  function spacer(lines: number): HTMLElement {
    const row = h('tr', { class: 'spacer', 'aria-hidden': 'true' }, h('td', { colspan: columns.length }));
    row.style.height = `${lines * ROW}px`;
    row.hidden = lines === 0;
    return row;
  }

  if (rows.length > VIRTUAL) {
    scroller.addEventListener('print', () => draw(true)); // of app.ts
    let waiting = false;
    scroller.addEventListener('scroll', () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        draw();
      });
    });
  }
  grid.addEventListener('keydown', (event) => step(event));
  update();
  if (rows.length > VIRTUAL) requestAnimationFrame(() => draw());
  return h('div', { class: 'table' }, h('div', { class: 'table-tools' }, input, status), scroller, more);
}

// Up and down between the links of rows.
function step(event: KeyboardEvent): void {
  const ways: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, KeyJ: 1, KeyK: -1 };
  const way = ways[event.code];
  const target = event.target;
  if (!way || !(target instanceof HTMLElement) || event.ctrlKey || event.altKey || event.metaKey) return;
  let row = target.closest('tr');
  if (!row?.closest('tbody')) return;
  for (;;) {
    const next: Element | null = way > 0 ? row.nextElementSibling : row.previousElementSibling;
    if (!(next instanceof HTMLTableRowElement)) return;
    row = next;
    const to = row.querySelector<HTMLElement>('a,button');
    if (!to) continue;
    event.preventDefault();
    to.focus();
    return;
  }
}
