// A record of the trace, and where in the program it is.
import type { At, Moment, Where } from '../shapes';
import { address } from '../app';
import { code, h, link, name, unknown, type Child } from './dom';
import { count, plural, type Count } from './format';
import { markHeld } from './held';

// '#1,131', which opens the records around it if the report has them.
export function record(value: Count, trace = 0): HTMLElement {
  if (value === null || value === undefined) return unknown('which record is not known');
  return markHeld(link(`#${count(value)}`, address('records', { at: String(value), ...(trace ? { trace: String(trace) } : {}) }), 'record-number'), String(value), trace);
}

/** The source of a function, or a line of it, where the page has it. */
function sourceLink(text: Child, symbol: string | null | undefined, line: string | null | undefined, trace: number): HTMLElement {
  const values = { function: symbol?.replace(/\+(0x)?[0-9a-f]+$/, ''), line, trace: trace ? String(trace) : undefined };
  return link(text, address('source', Object.fromEntries(Object.entries(values).flatMap(([key, value]) => (value ? [[key, value]] : [])))));
}

/** Without a trace it is no link. */
export function lineOf(symbol: string | null | undefined, line: string | null | undefined, pc: string | null | undefined, trace?: number): Child {
  if (!symbol && !line) return pc ? code(pc) : unknown('no symbol and no line is known here');
  return h('span', { class: 'source-place' }, symbol ? (trace === undefined ? name(symbol) : sourceLink(name(symbol), symbol, line, trace)) : null, symbol && line ? ' ' : null,
    line ? h('span', { class: 'soft' }, '(', trace === undefined ? name(line) : sourceLink(name(line), symbol, line, trace), ')') : null);
}

export function at(place: At, trace = 0): HTMLElement {
  return h('span', { class: 'line' }, record(place.record, trace), ' ', lineOf(place.symbol, place.line, place.pc, trace), ' ', code(place.instruction));
}

export function moment(value: Moment, trace = 0): HTMLElement {
  return h('span', { class: 'line' }, record(value.record, trace), ' ', lineOf(value.function, value.line, value.pc, trace));
}

export function whereText(where: Where): string {
  if (where.register) return where.register;
  const object = where.member ?? where.symbol ?? where.address ?? '?';
  return where.size ? `${object}, ${plural(where.size, 'byte')}` : object;
}
