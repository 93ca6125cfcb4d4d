// A table whose rows change each second: cells stay where they are and only get another text, so that nothing that is
// selected, focused or scrolled to is lost.
import { clear, h } from '../ui/dom';
import { append, fill, type Child } from '../ui/text';

export interface LiveColumn<T> {
  title: string;
  number?: boolean;
  wide?: boolean;
  cell(row: T): Child;
}

export class LiveTable<T> {
  readonly element: HTMLElement;
  private readonly body = h('tbody');
  private readonly columns: LiveColumn<T>[];

  constructor(caption: string, columns: LiveColumn<T>[]) {
    this.columns = columns;
    this.element = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
      h('table', null,
        h('caption', { class: 'sr' }, caption),
        h('thead', null, h('tr', null, columns.map((column) => h('th', { scope: 'col', class: `plain ${this.kind(column)}` }, column.title)))),
        this.body));
  }

  private kind(column: LiveColumn<T>): string {
    return `${column.number ? 'num' : ''} ${column.wide ? 'wide' : ''}`.trim();
  }

  set(rows: readonly T[], empty: string): void {
    if (!rows.length) {
      clear(this.body);
      append(this.body, h('tr', null, h('td', { colspan: this.columns.length, class: 'empty' }, empty)));
      return;
    }
    if (this.body.querySelector('.empty')) clear(this.body);
    while (this.body.children.length > rows.length) this.body.lastElementChild?.remove();
    rows.forEach((row, index) => {
      const line = this.body.children[index] ?? this.add();
      this.columns.forEach((column, at) => {
        const cell = line.children[at];
        if (cell) fill(cell, column.cell(row));
      });
    });
  }

  private add(): Element {
    const line = h('tr', null, this.columns.map((column) => h('td', { class: this.kind(column) || undefined })));
    append(this.body, line);
    return line;
  }
}
