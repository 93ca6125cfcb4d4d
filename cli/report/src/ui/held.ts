// Which records a page holds: a link to another one says before the click that it is not here, and which command
// shows it.
import { embedded } from '../embedded';
import type { Report } from '../report';
import { count } from './format';
import { setAttribute } from './text';

interface Trace {
  readonly numbers: ReadonlySet<string>;
  /** The command show, up to its place, and after it. */
  readonly command: (number: string) => string;
}

const traces: (Trace | undefined)[] = [];

/** The command that shows a record and those around it: with the options that the page's own records came from. */
export function showCommand(report: Report, trace: number, number: string): string {
  const own = report.section('records', trace)?.command ?? `earshot show ${report.head.traces[trace]?.path ?? 'TRACE'}`;
  const rest = own.replace(/ --(json|no-source|(from|to|limit)=\S+)(?= )/g, '').replace(/^earshot show/, '');
  return `earshot show --at ${number} --around 25${rest}`;
}

/** Marks a link to a record if the page does not hold it; before that is known, nothing. */
export function markHeld(link: HTMLElement, number: string, trace: number): HTMLElement {
  link.dataset['at'] = number;
  link.dataset['trace'] = String(trace);
  const known = traces[trace];
  if (!known || known.numbers.has(number)) return link;
  link.classList.add('absent');
  setAttribute(link, 'title', `Not in this page. It is shown by: ${known.command(number)}`);
  setAttribute(link, 'aria-label', `#${count(number)}, not in this page`);
  return link;
}

/** Reads the numbers of all records, and marks the links that are there. */
export async function learnHeld(report: Report, body: HTMLElement): Promise<void> {
  for (const trace of report.head.traces.keys()) {
    const rows = await embedded<{ number?: unknown }>(report, trace).catch(() => []);
    traces[trace] = { numbers: new Set(rows.map((row) => String(row.number))), command: (number) => showCommand(report, trace, number) };
  }
  for (const link of body.querySelectorAll<HTMLElement>('a.record-number[data-at]'))
    markHeld(link, link.dataset['at'] ?? '', Number(link.dataset['trace']));
}
