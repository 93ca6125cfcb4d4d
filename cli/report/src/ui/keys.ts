// The keys. One table: the handler looks up in it, and the help shows it. Letters are bound by where they are on the
// keyboard (event.code), so they work with any layout; the help names the letter of a QWERTY one.
import { clear, h } from './dom';
import { append } from './text';

export interface KeyRow {
  codes: string[]; // event.code
  letter?: string; // event.key, of what is elsewhere on each keyboard
  keys: string[]; // what the help shows
  text: string;
  shift?: boolean;
  act: () => void;
}

export interface KeyGroup {
  title: string;
  rows: KeyRow[];
}

export class Keys {
  private groups: KeyGroup[] = [];
  private enabled = true;
  private readonly dialog: HTMLDialogElement;

  constructor() {
    this.dialog = h('dialog', { class: 'help', 'aria-labelledby': 'help-title' });
    document.body.appendChild(this.dialog);
    this.dialog.addEventListener('click', (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.addEventListener('keydown', (event) => this.take(event));
  }

  set(groups: KeyGroup[]): void {
    this.groups = groups;
  }

  help(): void {
    if (this.dialog.open) {
      this.dialog.close();
      return;
    }
    const toggle = h('input', { type: 'checkbox', id: 'single-keys', change: () => this.enable(toggle.checked) });
    toggle.checked = this.enabled;
    clear(this.dialog);
    append(
      this.dialog,
      h('form', { method: 'dialog' },
        h('h2', { id: 'help-title' }, 'Keys'),
        h('div', { class: 'help-groups' }, this.groups.map((group) =>
          h('section', null, h('h3', null, group.title), h('dl', null, group.rows.map((row) =>
            h('div', null, h('dt', null, row.keys.map((key) => h('kbd', null, key))), h('dd', null, row.text))))))),
        h('p', { class: 'help-end' },
          h('label', { for: 'single-keys' }, toggle, ' Keys of one letter'),
          h('button', { class: 'primary' }, 'Close')),
      ),
    );
    this.dialog.showModal();
  }

  private enable(on: boolean): void {
    this.enabled = on; // until the page is closed: it stores nothing
  }

  private take(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || this.dialog.open) return;
    const target = event.target;
    const typing = target instanceof HTMLElement && target.matches('input,textarea,select');
    if (typing) {
      if (event.code !== 'Escape') return;
      event.preventDefault(); // Firefox would empty the field
      target.blur();
      return;
    }
    if (event.key === '?') {
      event.preventDefault();
      this.help();
      return;
    }
    if (!this.enabled) return;
    for (const group of this.groups)
      for (const row of group.rows) {
        const fits = row.letter === event.key || (row.codes.includes(event.code) && (row.shift ?? false) === event.shiftKey);
        if (!fits) continue;
        event.preventDefault();
        row.act();
        return;
      }
  }
}
