// What a page of `earshot report` holds, as docs/report.md defines it, and how a view gets at it.
//
// All of it comes from a traced program or from whoever wrote the file: names are text to show with
// textContent, never markup, and sizes are checked before they are believed.

import type { RecordLine, Timeline } from './canvas/tracks';
import type { KeyRow } from './ui/keys';

export type SectionKind = 'json' | 'lines' | 'columns' | 'none';

/** One command's answer. */
export interface Section {
  readonly name: string;
  /** Index into Head.traces; -1 for the comparison of both. */
  readonly trace: number;
  /** The command line that printed the data, for a reader who wants to repeat it. */
  readonly command: string;
  /** Its exit status. */
  readonly status: number;
  /** What it said on standard error. */
  readonly messages: readonly string[];
  readonly kind: SectionKind;
  /** Size and CRC-32 (eight hexadecimal digits) of the data, before compression. */
  readonly bytes: number;
  readonly crc32: string;
  /** How many script elements hold it. */
  readonly chunks: number;
}

export interface TraceName {
  readonly name: string;
  readonly path: string;
}

export interface Head {
  readonly format: number;
  readonly version: string;
  readonly title: string;
  readonly created: string;
  readonly traces: readonly TraceName[];
  /** What was left out for its size: sentences. */
  readonly left_out: readonly string[];
  readonly sections: readonly Section[];
}

/** Numbers of one column. Float64Array holds integers of 64 bits, all below 2^53, and fractions. */
export type Column = Float64Array | Uint32Array | Uint16Array | Uint8Array;

export interface Table {
  readonly rows: number;
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Throws ReportError if there is none. */
  column(name: string): Column;
}

export interface Columns {
  readonly meta: Readonly<Record<string, unknown>>;
  readonly strings: readonly string[];
  /** strings[index], or a text that says that there is none. */
  string(index: number): string;
  has(name: string): boolean;
  /** Throws ReportError if there is none. */
  table(name: string): Table;
}

export interface Report {
  readonly head: Head;
  /** The section of the trace (0 if absent), or undefined. */
  section(name: string, trace?: number): Section | undefined;
  /* The data of a section. It is decoded once, in a worker. The promise is rejected with a
   * ReportError if there is no such section, if it holds data of another kind, or is damaged.
   * Integers of JSON beyond 2^53 are BigInt. */
  json<T>(name: string, trace?: number): Promise<T>;
  lines<T>(name: string, trace?: number): Promise<T[]>;
  columns(name: string, trace?: number): Promise<Columns>;
  /** Of a section of columns: how many rows each of its tables has. */
  sizes(name: string, trace?: number): Promise<ReadonlyMap<string, number>>;
  /* The section timeline, as a view draws it: placed in the worker. `records`: those that the page holds. Without it,
   * columns() of this section is to be used no more. */
  timeline(trace: number, records: () => Promise<readonly RecordLine[]>): Promise<Timeline>;
}

/** What a view works with. */
export interface Context {
  readonly report: Report;
  readonly trace: number;
  /** What the address holds after the view: range, selection, search. */
  readonly parameters: URLSearchParams;
  /** Shows another view; the address and the browser's history follow. */
  go(view: string, parameters?: Record<string, string>): void;
  /** Replaces the parameters of this view in the address, without a new step of the history. */
  keep(parameters: Record<string, string>): void;
  /** Reads a text to users of screen readers. */
  announce(text: string): void;
}

export interface View {
  /** In the address: lower case, no spaces. */
  readonly name: string;
  readonly title: string;
  available(report: Report, trace: number): boolean;
  /** Keys of its own, for the help; those without codes are handled where the focus is. */
  readonly keyRows?: readonly KeyRow[];
  /** Fills root, which is empty. Called again with new parameters after hide(). */
  show(root: HTMLElement, context: Context): void | Promise<void>;
  /** Gives up what is not in root: observers, listeners of the window. */
  hide?(): void;
}

/** Something is wrong with the page's data. The message says what, where, and what to do. */
export class ReportError extends Error {
  override name = 'ReportError';
}
