// What stands under the title of each view: the command that prints the same, what it said, and why there may be
// nothing.
import type { Context, Section } from '../report';
import { h, type Child } from './dom';
import { append } from './text';

export function commandLine(section: Section, context: Context): HTMLElement {
  const button = h(
    'button',
    {
      type: 'button',
      class: 'copy',
      'data-copy': true,
      click: () => void copy(section.command, context, button),
    },
    'Copy',
    h('span', { class: 'sr' }, ` the command ${section.command}`),
  );
  return h(
    'p',
    { class: 'command' },
    h('span', { class: 'prompt', 'aria-hidden': 'true' }, '$'),
    // In pieces, which are not cut: it is copied from here, too.
    h('code', { 'data-command': section.name }, section.command.match(/[^]{1,100}/gu) ?? ''),
    button,
  );
}

// The clipboard is closed to a page of a file in some browsers; then the text is selected, to be copied by hand.
async function copy(text: string, context: Context, button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    context.announce('Copied');
    button.classList.add('done');
    setTimeout(() => button.classList.remove('done'), 1500);
  } catch {
    const line = button.parentElement?.querySelector('code');
    const selection = getSelection();
    if (!line || !selection) return;
    selection.selectAllChildren(line);
    context.announce('Selected: copy it with Ctrl and C');
  }
}

export function messages(section: Section): HTMLElement | null {
  if (!section.messages.length) return null;
  return h(
    'div',
    { class: 'messages', role: 'note', 'aria-label': `Messages of ${section.name}` },
    h('ul', null, section.messages.map((text) => h('li', null, h('bdi', null, plain(text))))),
  );
}

function plain(text: string): string {
  return text.replace(/^earshot: /, '').replace(/^(error|warning): /, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}

// No data: what the command said is the answer.
export function empty(section: Section | undefined, what: string): HTMLElement {
  if (!section)
    return h('div', { class: 'empty-view' }, h('p', { class: 'empty-title' }, `This report has no ${what}.`),
      h('p', null, 'It was made without it.'));
  const said = section.messages.length
    ? h('ul', null, section.messages.map((text) => h('li', null, h('bdi', null, plain(text)))))
    : h('p', null, `The command ended with status ${section.status} and said nothing.`);
  return h(
    'div',
    { class: 'empty-view' },
    h('p', { class: 'empty-title' }, `There is no ${what} of this trace.`),
    h('div', null, h('p', null, 'The command said:'), said),
  );
}

// The frame of a view of one section. Returns where its content goes, or null if it has no data: then that is shown.
export function frame(root: HTMLElement, context: Context, name: string, what: string, trace = context.trace): HTMLElement | null {
  const section = context.report.section(name, trace);
  if (!section) {
    append(root, [empty(section, what)]);
    return null;
  }
  if (section.kind === 'none') {
    append(root, [empty(section, what), commandLine(section, context)]);
    return null;
  }
  const content = h('div', { class: 'content' });
  append(root, [commandLine(section, context), messages(section), content]);
  return content;
}

export function note(...children: Child[]): HTMLElement {
  return h('p', { class: 'note' }, children);
}

export function hasData(section: Section | undefined): boolean {
  return section !== undefined && section.kind !== 'none';
}
