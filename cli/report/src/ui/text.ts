// The only way for text into the page and onto a canvas. What a program, a file or a task is called is text and never
// markup, and its control characters are shown: a name cannot disguise another one. What is very long is cut, and it
// says so. eslint finds any other way.
import { count } from './format';

export type Child = Node | string | number | null | undefined | false | Child[];

// Control characters, and those that change the direction of text, as \u{...}. What is shown so stays as it is.
export function visible(text: string): string {
  return text.replace(
    // eslint-disable-next-line no-control-regex
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

// Browsers take seconds to break one word of ten thousand letters. A message of a command has 1000 bytes at most.
const LONGEST = 1000;

/** What is shown of a text: all of it, or its beginning and how much is left out. */
export function shown(text: string): string {
  const all = visible(text);
  if (all.length <= LONGEST) return all;
  let begin = '';
  let taken = 0;
  for (const character of text) {
    const part = visible(character);
    if (begin.length + part.length > LONGEST) break;
    begin += part;
    taken += character.length;
  }
  return `${begin}… (${count(text.length - taken)} more characters)`;
}

function nodes(children: Child[]): Node[] {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false) return [];
    if (Array.isArray(child)) return nodes(child);
    return child instanceof Node ? child : document.createTextNode(shown(String(child)));
  });
}

export function append(parent: Node, ...children: Child[]): void {
  for (const node of nodes(children)) parent.appendChild(node);
}

export function prepend(parent: Element, ...children: Child[]): void {
  parent.prepend(...nodes(children));
}

/** In place of all that was there. */
export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...nodes(children));
}

/** Attributes that are shown or read to somebody. */
const SHOWN = new Set(['title', 'aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext', 'placeholder', 'alt', 'label']);

export function setAttribute(element: Element, name: string, value: string): void {
  element.setAttribute(name, SHOWN.has(name) ? shown(value) : value);
}

export function setTitle(text: string): void {
  document.title = shown(text);
}

export function fillText(context: CanvasRenderingContext2D, text: string, x: number, y: number, width?: number): void {
  context.fillText(visible(text), x, y, width);
}
