// Small parts of the views with a chart.
import { append, setAttribute } from '../ui/text';

export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className = '',
  ...content: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className) made.className = className;
  append(made, ...content);
  return made;
}

/** A name of the traced program: text of its own direction. */
export function nameOf(text: string): HTMLElement {
  return make('strong', '', make('bdi', '', text));
}

export function button(text: string, act: () => void, title?: string): HTMLButtonElement {
  const made = make('button', 'chart-button', text);
  made.type = 'button';
  if (title) {
    setAttribute(made, 'title', title);
    setAttribute(made, 'aria-label', title);
  }
  made.addEventListener('click', act);
  return made;
}

export interface Choice {
  readonly root: HTMLElement;
  set(value: string): void;
}

/** Buttons of which one is pressed. */
export function choice(label: string, values: readonly (readonly [string, string])[], act: (value: string) => void): Choice {
  const root = make('div', 'chart-choice');
  root.setAttribute('role', 'group');
  setAttribute(root, 'aria-label', label);
  const buttons = values.map(([value, text]) => {
    const made = make('button', '', text);
    made.type = 'button';
    made.addEventListener('click', () => act(value));
    append(root, made);
    return [value, made] as const;
  });
  return {
    root,
    set(value) {
      for (const [one, made] of buttons) made.setAttribute('aria-pressed', String(one === value));
    },
  };
}

/** Sentences about what is missing; nothing if there are none. */
export function notes(texts: readonly string[]): HTMLElement[] {
  if (texts.length === 0) return [];
  return [make('ul', 'chart-note', ...texts.map((text) => make('li', '', text)))];
}

/** Calls `act` at most once in so many milliseconds, the last time with certainty. */
export function seldom(act: () => void, ms = 150): () => void {
  let timer = 0;
  return () => {
    if (timer) return;
    timer = window.setTimeout(() => {
      timer = 0;
      act();
    }, ms);
  };
}
