// The page: views by the hash of the address (#view?key=value), the list of views, the trail of where the reader was,
// and the keys.
import type { Context, Report, View } from './report';
import { about } from './views/about';
import { branches } from './views/branches';
import { calls } from './views/calls';
import { check } from './views/check';
import { compare } from './views/compare';
import { coverage } from './views/coverage';
import { errors } from './views/errors';
import { flame } from './views/flame';
import { functions } from './views/functions';
import { isa } from './views/isa';
import { marks } from './views/marks';
import { memory } from './views/memory';
import { mix } from './views/mix';
import { records } from './views/records';
import { source } from './views/source';
import { summary } from './views/summary';
import { tasks } from './views/tasks';
import { timeline } from './views/timeline';
import { why } from './views/why';
import { clear, h, link } from './ui/dom';
import { Keys, type KeyGroup, type KeyRow } from './ui/keys';
import { learnHeld } from './ui/held';
import { append, fill, prepend, setTitle } from './ui/text';

interface Group {
  title: string;
  views: View[];
}

const GROUPS: readonly Group[] = [
  { title: 'Overview', views: [summary, why, compare] },
  { title: 'Time', views: [functions, flame, timeline, calls, tasks] },
  { title: 'Code', views: [source, coverage, isa, mix, branches] },
  { title: 'Memory', views: [memory, errors] },
  { title: 'Evidence', views: [check, marks, records, about] },
];

interface Place {
  hash: string;
  label: string;
}

const TRAIL = 7;

export function address(view: string, parameters: Record<string, string> = {}): string {
  const text = new URLSearchParams(parameters).toString();
  return `#${view}${text ? `?${text}` : ''}`;
}

class App {
  private readonly views: View[];
  private readonly main: HTMLElement;
  private readonly nav: HTMLElement;
  private readonly trailList = h('ol');
  private readonly live = h('div', { class: 'sr', role: 'status', 'aria-live': 'polite', id: 'live' });
  private readonly menu: HTMLButtonElement;
  private readonly traces: HTMLElement;
  private readonly keys: Keys;
  private trail: Place[] = [];
  private readonly scrolled = new Map<string, number>();
  private current: View | undefined;
  private trace = 0;
  private turn = 0;

  constructor(
    private readonly report: Report,
    private readonly groups: readonly Group[],
    private readonly body: HTMLElement,
  ) {
    this.views = groups.flatMap((group) => group.views).filter((view) => report.head.traces.some((_, trace) => view.available(report, trace)));
    this.main = h('main', { id: 'main', tabindex: -1 });
    this.nav = h('nav', { 'aria-label': 'Views', id: 'views' });
    this.menu = h(
      'button',
      { type: 'button', class: 'menu', 'aria-expanded': 'false', 'aria-controls': 'views', click: () => this.open(!this.isOpen()) },
      'Views',
    );
    this.traces = h('div', { class: 'traces', role: 'group', 'aria-label': 'Trace' });
    this.keys = new Keys();
    this.draw();
    window.addEventListener('hashchange', () => void this.route());
    for (const [name, tell] of [['beforeprint', 'print'], ['afterprint', 'scroll']] as const)
      window.addEventListener(name, () => {
        for (const table of this.main.querySelectorAll('.scroll')) table.dispatchEvent(new Event(tell));
      });
  }

  async start(): Promise<void> {
    await this.route();
    await learnHeld(this.report, this.main);
  }

  private draw(): void {
    const { head } = this.report;
    const names = head.traces.map((trace) => trace.name);
    setTitle(`${names.join(' and ')} – Earshot`);
    for (const old of document.querySelectorAll('body > :not(script, dialog, noscript)')) old.remove();
    prepend(
      this.body,
      h('a', { class: 'skip', href: '#main', click: (event) => { event.preventDefault(); this.main.focus(); } }, 'Skip to the content'),
      h(
        'header',
        null,
        h('a', { class: 'brand', href: '#summary' }, 'earshot'),
        h('span', { class: 'title' }, h('bdi', { title: head.title }, names.join(' · '))),
        this.traces,
        h('button', { type: 'button', class: 'help-button', click: () => this.keys.help() }, 'Keys ', h('kbd', null, '?')),
        this.menu,
      ),
      this.nav,
      h('div', { class: 'page' },
        h('nav', { class: 'trail', 'aria-label': 'Trail: where you were' }, this.trailList),
        this.main,
        h('footer', null, h('p', null, `earshot report ${head.version}. Made ${head.created}. Each number was printed by a command: its view names it, `, link('About', '#about'), ' lists all.')),
      ),
      this.live,
    );
    append(this.nav, this.groups.map((group) => this.drawGroup(group)));
  }

  private drawGroup(group: Group): HTMLElement | null {
    const views = group.views.filter((view) => this.views.includes(view));
    if (!views.length) return null;
    return h('section', null, h('h2', null, group.title),
      h('ul', null, views.map((view) => h('li', null, link(view.title, address(view.name))))));
  }

  private isOpen(): boolean {
    return this.menu.getAttribute('aria-expanded') === 'true';
  }

  private open(on: boolean): void {
    this.menu.setAttribute('aria-expanded', String(on));
    this.nav.classList.toggle('open', on);
    if (on) this.nav.querySelector<HTMLElement>('a')?.focus();
  }

  private drawTraces(parameters: URLSearchParams): void {
    const { traces } = this.report.head;
    clear(this.traces);
    if (traces.length < 2 || !this.current || this.current.name === 'compare') return;
    traces.forEach((trace, index) => {
      const other = new URLSearchParams(parameters);
      if (index) other.set('trace', String(index));
      else other.delete('trace');
      const a = h('a', { href: address(this.current?.name ?? 'summary', Object.fromEntries(other)) },
        h('span', { class: 'letter' }, index ? 'B' : 'A'), ' ', h('bdi', null, trace.name));
      if (index === this.trace) a.setAttribute('aria-current', 'true');
      this.traces.appendChild(a);
    });
  }

  private async route(): Promise<void> {
    const turn = ++this.turn;
    const [, name = '', text = ''] = /^#([^?]*)\??(.*)$/.exec(location.hash) ?? [];
    const view = this.views.find((entry) => entry.name === name) ?? this.views[0];
    if (!view) return;
    const parameters = new URLSearchParams(text);
    const trace = Math.min(Number(parameters.get('trace') ?? 0) || 0, this.report.head.traces.length - 1);
    const moved = view !== this.current;
    const left = this.trail.at(-1)?.hash;
    if (left) this.scrolled.set(left, scrollY);
    const before = this.trail.length;
    this.current?.hide?.();
    this.current = view;
    this.trace = Math.max(0, trace);
    this.mark(view, text);
    this.drawTraces(parameters);
    this.setKeys(view);
    const root = h('article', { 'data-view': view.name, 'aria-busy': 'true' });
    const title = h('h1', { tabindex: -1 }, view.title);
    if (name && name !== view.name)
      append(root, h('p', { class: 'note' }, `This report has no view “${name}”.`));
    clear(this.main);
    const wait = h('p', { class: 'note wait' }, 'Reading the data …');
    append(this.main, title, wait, root);
    if (moved && scrollY) scrollTo(0, 0);
    try {
      await view.show(root, this.context(view, parameters));
    } catch (error) {
      if (turn !== this.turn) return;
      clear(root);
      append(root, h('div', { class: 'failure', role: 'alert' }, h('p', null, h('strong', null, 'This view could not be shown.')),
        h('p', null, error instanceof Error ? error.message : String(error))));
    }
    wait.remove();
    if (turn !== this.turn) return;
    root.removeAttribute('aria-busy');
    if (this.trail.length < before) scrollTo(0, this.scrolled.get(this.trail.at(-1)?.hash ?? '') ?? 0); // back
    if (moved && this.trail.length > 1) title.focus({ preventScroll: true });
    this.announce(`${view.title}.`);
    document.documentElement.dataset['ready'] = view.name;
  }

  private context(view: View, parameters: URLSearchParams): Context {
    return {
      report: this.report,
      trace: this.trace,
      parameters,
      go: (to, values = {}) => {
        const all = this.trace && !('trace' in values) ? { ...values, trace: String(this.trace) } : values;
        location.hash = address(to, all);
      },
      keep: (values) => {
        const hash = address(view.name, this.trace ? { ...values, trace: String(this.trace) } : values);
        history.replaceState(null, '', hash);
        this.mark(view, hash.split('?')[1] ?? '');
      },
      announce: (text) => this.announce(text),
    };
  }

  private announce(text: string): void {
    fill(this.live, text);
  }

  private mark(view: View, text: string): void {
    this.open(false);
    for (const a of this.nav.querySelectorAll('a'))
      if (a.getAttribute('href') === `#${view.name}`) {
        a.setAttribute('aria-current', 'page');
        // In the next frame, which lays the page out anyway.
        requestAnimationFrame(() => a.offsetParent && a.scrollIntoView({ block: 'nearest' }));
      } else a.removeAttribute('aria-current');
    const hash = `#${view.name}${text ? `?${text}` : ''}`;
    const parameters = new URLSearchParams(text);
    const extra = [...parameters.entries()].filter(([key]) => ['at', 'function', 'line', 'file', 'find', 'filter'].includes(key)).map(([, value]) => value);
    const label = [view.title, ...extra].filter(Boolean).join(' ');
    // Where the trail was before, it is cut: going back makes it shorter.
    const known = this.trail.findIndex((place) => place.hash === hash);
    if (known >= 0) this.trail.length = known;
    else if (this.trail.at(-1)?.hash.split('?')[0] === `#${view.name}`) this.trail.pop();
    this.trail.push({ hash, label });
    this.trail = this.trail.slice(-TRAIL);
    clear(this.trailList);
    this.trail.forEach((place, index) => {
      const a = link(place.label, place.hash);
      if (index === this.trail.length - 1) a.setAttribute('aria-current', 'page');
      this.trailList.appendChild(h('li', null, a));
    });
    this.trailList.parentElement?.classList.toggle('short', this.trail.length < 2);
  }

  private step(by: number): void {
    const at = this.current ? this.views.indexOf(this.current) : 0;
    const view = this.views[(at + by + this.views.length) % this.views.length];
    if (view) location.hash = address(view.name, this.trace ? { trace: String(this.trace) } : {});
  }

  private focus(selector: string): void {
    const element = [...this.main.querySelectorAll<HTMLElement>(selector)].find((entry) => entry.offsetParent);
    element?.focus();
  }

  private setKeys(view: View): void {
    const own = view.keyRows;
    const groups: KeyGroup[] = own?.length ? [{ title: view.title, rows: [...own] }] : [];
    const row = (codes: string[], keys: string[], text: string, act: () => void): KeyRow => ({ codes, keys, text, act });
    groups.push({
      title: 'Everywhere',
      rows: [
        { codes: [], keys: ['?'], text: 'these keys', act: () => this.keys.help() },
        row(['BracketRight', 'KeyN'], ['N', ']'], 'next view', () => this.step(1)),
        row(['BracketLeft', 'KeyP'], ['P', '['], 'view before', () => this.step(-1)),
        row(['KeyU'], ['U'], 'up: the summary', () => { location.hash = '#summary'; }),
        row(['KeyB', 'Backspace'], ['B', 'Backspace'], 'back', () => history.back()),
        { codes: ['KeyF'], letter: '/', keys: ['/', 'F'], text: 'filter or search', act: () => this.focus('input[type=search]') },
        row(['KeyM'], ['M'], 'list of views', () => {
          if (this.menu.offsetParent) this.open(true);
          else this.nav.querySelector<HTMLElement>('a[aria-current]')?.focus();
        }),
        ...(this.report.head.traces.length < 2 ? [] : [row(['KeyT'], ['T'], 'the other trace', () => this.traces.querySelector<HTMLElement>('a:not([aria-current])')?.click())]),
        row(['KeyC'], ['C'], 'copy the command of this view', () => this.main.querySelector<HTMLElement>('[data-copy]')?.click()),
        row(['KeyL'], ['L'], 'into the list or table', () => this.focus('tbody a, tbody button, [data-list] a, .scroll')),
      ],
    }, {
      title: 'In tables and lists',
      rows: [
        { codes: [], keys: ['↓', 'J'], text: 'next row', act: () => undefined },
        { codes: [], keys: ['↑', 'K'], text: 'row before', act: () => undefined },
        { codes: [], keys: ['Enter'], text: 'open', act: () => undefined },
      ],
    });
    this.keys.set(groups);
  }
}

export function startApp(report: Report, body: HTMLElement): void {
  void new App(report, GROUPS, body).start();
}
