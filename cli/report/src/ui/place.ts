// A record of the trace, and where in the program it is.
import type { At, Moment, Where } from '../shapes';
import { address } from '../app';
import { code, h, link, name, unknown, type Child } from './dom';
import { count, plural, type Count } from './format';

// '#1,131', which opens the records around it if the report has them.
export function record(value: Count, trace = 0): HTMLElement {
  if (value === null || value === undefined) return unknown('which record is not known');
  return link(`#${count(value)}`, address('records', { at: String(value), ...(trace ? { trace: String(trace) } : {}) }), 'record-number');
}

/** Of a function: its source, where the page has it. */
function sourceLink(symbol: string, trace: number): HTMLElement {
  return link(name(symbol), address('source', { function: symbol.replace(/\+(0x)?[0-9a-f]+$/, ''), ...(trace ? { trace: String(trace) } : {}) }));
}

/** Without a trace it is no link. */
export function lineOf(symbol: string | null | undefined, line: string | null | undefined, pc: string | null | undefined, trace?: number): Child {
  if (!symbol && !line) return pc ? code(pc) : unknown('no symbol and no line is known here');
  return h('span', { class: 'source-place' }, symbol ? (trace === undefined ? name(symbol) : sourceLink(symbol, trace)) : null, symbol && line ? ' ' : null,
    line ? h('span', { class: 'soft' }, '(', name(line), ')') : null);
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
