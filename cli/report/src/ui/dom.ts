// Elements; their text goes through text.ts.
import { DASH, count, share, ratio, type Count } from './format';
import { append, setAttribute, visible, type Child } from './text';

export type { Child };

type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes | null = null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    else setAttribute(element, name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

export function clear(element: Element): void {
  while (element.lastChild) element.removeChild(element.lastChild);
}

// Something that the traced program, or a file, is called.
export function name(text: string, className = 'name'): HTMLElement {
  const shown = visible(text);
  return h('bdi', { class: className, title: shown.length > 24 && shown.length <= 400 ? shown : undefined }, shown);
}

export function code(text: string): HTMLElement {
  return h('code', null, h('bdi', null, text));
}

export function unknown(reason = 'not known'): HTMLElement {
  return h('span', { class: 'unknown', title: reason }, DASH, h('span', { class: 'sr' }, ` ${reason}`));
}

export function number(value: Count, reason?: string): HTMLElement {
  if (value === null || value === undefined) return unknown(reason);
  return h('span', { class: 'number' }, count(value));
}

// A bar with its share as text.
export function bar(part: Count, total: Count, kind = ''): HTMLElement {
  const fill = h('span', { class: 'bar-fill' });
  fill.style.width = `${(ratio(part, total) * 100).toFixed(2)}%`;
  return h(
    'span',
    { class: `bar ${kind}` },
    h('span', { class: 'bar-track', 'aria-hidden': 'true' }, fill),
    h('span', { class: 'bar-text' }, share(part, total)),
  );
}

export type Mood = 'good' | 'bad' | 'warn' | 'unknown';

const MARKS: Record<Mood, string> = { good: '✓', bad: '✕', warn: '!', unknown: '?' };

// Not by colour alone: each mood has a mark of its own, and its words say it.
export function badge(mood: Mood, ...children: Child[]): HTMLElement {
  return h('span', { class: `badge ${mood}` }, h('span', { class: 'mark', 'aria-hidden': 'true' }, MARKS[mood]), children);
}

export function mark(mood: Mood): HTMLElement {
  return h('span', { class: `mark ${mood}`, 'aria-hidden': 'true' }, MARKS[mood]);
}

export function link(text: Child, href: string, className?: string): HTMLAnchorElement {
  return h('a', { href, class: className }, text);
}

export function definitions(rows: [Child, Child][], className = 'facts'): HTMLElement {
  return h(
    'dl',
    { class: className },
    rows.map(([term, value]) => h('div', null, h('dt', null, term), h('dd', null, value))),
  );
}

export function heading(level: 2 | 3, ...children: Child[]): HTMLElement {
  return h(level === 2 ? 'h2' : 'h3', null, children);
}

let ids = 0;

export function identifier(prefix: string): string {
  ids += 1;
  return `${prefix}-${ids}`;
}
