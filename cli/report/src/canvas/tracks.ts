// The timeline's data as boxes: of each track a line for its name, a row for what happened in a
// moment, a row for each depth of its slices, and a band for its counter.
import { type Columns, ReportError, type Table } from '../report';
import { type Boxes, Longest, type Range } from './boxes';
import { type Layout, sumLengths } from './paint';
import { plural } from '../ui/format';
import { colourOf, GAP, GREY, INTERRUPT, TRAP } from './theme';
import { Pace } from './tree';

export const ROW = 19;
export const LABEL = 19;
export const COUNTER = 46;

/** A record as `show --json` prints it, as far as the timeline reads it. */
export interface RecordLine {
  kind?: unknown;
  hart?: unknown;
  number?: unknown;
  time?: unknown;
  pc?: unknown;
  mnemonic?: unknown;
  disassembly?: unknown;
  symbol?: unknown;
}

/** A single record that the page holds, as the last part of the timeline's zoom. */
interface Instant {
  readonly begin: number;
  readonly end: number;
  readonly text: string;
}

export interface Counter {
  readonly top: number;
  /** Rows from .. to - 1 of `samples`, by time. */
  readonly time: Float64Array;
  readonly value: Float64Array;
  readonly least: number;
  readonly most: number;
  /** Of blocks of 64 samples. */
  readonly blockLeast: Float64Array;
  readonly blockMost: Float64Array;
}

export interface Track {
  readonly index: number;
  readonly name: string;
  readonly kind: string;
  readonly merged: number;
  readonly top: number;
  readonly bottom: number;
  readonly firstRow: number;
  readonly rows: number;
  readonly counter: Counter | undefined;
}

export type Origin = 'slice' | 'instant' | 'record';

/** What the worker makes: numbers and texts only. */
export interface BuiltTimeline {
  readonly unit: string;
  readonly domain: Range;
  readonly boxes: Boxes;
  readonly levels: Uint32Array[];
  readonly sum: Float64Array;
  readonly layout: Layout;
  readonly tracks: readonly Track[];
  /** Of each row. */
  readonly trackOfRow: Uint32Array;
  readonly origin: readonly Origin[];
  /** Of each box: its row in the table of its origin. */
  readonly source: Uint32Array;
  readonly name: Uint32Array;
  /** Texts of single records. */
  readonly recordTexts: readonly string[];
  readonly gone: number;
}

export interface Timeline extends BuiltTimeline {
  readonly columns: Columns;
  readonly longest: Longest;
  /** strings, and after them the texts of single records. */
  readonly names: readonly string[];
}

export function finishTimeline(columns: Columns, built: BuiltTimeline): Timeline {
  return { ...built, columns, longest: new Longest(built.boxes, built.levels), names: [...columns.strings, ...built.recordTexts] };
}

function fail(text: string): never {
  throw new ReportError(text);
}

/** Runs of equal values of `keys` in rows: where each begins, and the end of all. */
function groups(count: number, starts: (row: number) => boolean): number[] {
  const found: number[] = [];
  for (let row = 0; row < count; row++) if (row === 0 || starts(row)) found.push(row);
  found.push(count);
  return found;
}

/** The rows of each track, which are in order of tracks and time. */
function byTrack(table: Table, tracks: number, time: string): Map<number, [number, number]> {
  const track = table.column('track');
  const at = table.column(time);
  const found = new Map<number, [number, number]>();
  const starts = groups(table.rows, (row) => track[row] !== track[row - 1]);
  for (let i = 0; i + 1 < starts.length; i++) {
    const [from, to] = [starts[i] as number, starts[i + 1] as number];
    const one = track[from] as number;
    if (one >= tracks) fail(`track ${one} is not in the table of tracks`);
    if (found.has(one)) fail(`${table.names.join(', ')}: track ${one} comes twice`);
    for (let row = from + 1; row < to; row++) if ((at[row] as number) < (at[row - 1] as number)) fail(`row ${row} of track ${one} is earlier than the row before`);
    found.set(one, [from, to]);
  }
  return found;
}

function makeCounter(top: number, time: Float64Array, value: Float64Array): Counter {
  const blocks = Math.ceil(value.length / 64);
  const blockLeast = new Float64Array(blocks).fill(Infinity);
  const blockMost = new Float64Array(blocks).fill(-Infinity);
  let least = Infinity;
  let most = -Infinity;
  for (let i = 0; i < value.length; i++) {
    const one = value[i] as number;
    const block = i >> 6;
    if (one < (blockLeast[block] as number)) blockLeast[block] = one;
    if (one > (blockMost[block] as number)) blockMost[block] = one;
  }
  for (let block = 0; block < blocks; block++) {
    least = Math.min(least, blockLeast[block] as number);
    most = Math.max(most, blockMost[block] as number);
  }
  return { top, time, value, least, most, blockLeast, blockMost };
}

/** The least and the most of samples from .. to - 1. */
export function extremes(counter: Counter, from: number, to: number): [number, number] {
  let least = Infinity;
  let most = -Infinity;
  for (let i = from; i < to; ) {
    const block = i >> 6;
    const whole = i % 64 === 0 && i + 64 <= to;
    least = Math.min(least, (whole ? counter.blockLeast[block] : counter.value[i]) as number);
    most = Math.max(most, (whole ? counter.blockMost[block] : counter.value[i]) as number);
    i += whole ? 64 : 1;
  }
  return [least, most];
}

function colourOfKind(kind: string, name: string): number {
  switch (kind) {
    case 'trap':
    case 'exception':
      return TRAP;
    case 'interrupt':
      return INTERRUPT;
    case 'gap':
      return GAP;
    case 'base':
    case 'privilege':
      return GREY;
    default:
      return colourOf(name);
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

/** Single records as boxes, each until the next one of its hart. Those without a time have no place. */
function placeRecords(lines: readonly RecordLine[], unit: string): Instant[] {
  const seen = new Set<number>();
  const records: Instant[] = [];
  const sorted = lines
    .filter((line) => line.kind === 'instruction' && isNumber(line.number) && (unit === 'records' || isNumber(line.time)))
    .map((line) => ({ line, at: (unit === 'records' ? line.number : line.time) as number }))
    .sort((a, b) => a.at - b.at || (a.line.number as number) - (b.line.number as number));
  sorted.forEach(({ line, at }, i) => {
    if (seen.has(line.number as number)) return;
    seen.add(line.number as number);
    const next = sorted[i + 1]?.at ?? at + 1;
    // Beyond a hole the next one is not the next instruction.
    const end = unit === 'records' ? at + 1 : Math.max(at, Math.min(next, at + 64));
    const text = [line.pc, line.disassembly ?? line.mnemonic].filter((part) => typeof part === 'string').join(' ');
    records.push({ begin: at, end, text: text || `record ${String(line.number)}` });
  });
  return records;
}

/** The boxes of all tracks. It takes long for a million slices: the worker does it. */
export function buildTimeline(columns: Columns, lines: readonly RecordLine[]): BuiltTimeline {
  const records = placeRecords(lines, String(columns.meta['unit']));
  const { meta } = columns;
  const tracksTable = columns.table('tracks');
  const slices = columns.table('slices');
  const instants = columns.table('instants');
  const samples = columns.table('samples');
  const [begin, end] = [meta['begin'], meta['end']];
  if (typeof begin !== 'number' || typeof end !== 'number') fail('it does not say where it begins and ends');
  const track = slices.column('track');
  const depth = slices.column('depth');
  const sliceBegin = slices.column('begin') as Float64Array;
  const length = slices.column('length');
  const sliceRows: number[] = [];
  for (let row = 0; row < slices.rows; row++) {
    if (row === 0 || track[row] !== track[row - 1] || depth[row] !== depth[row - 1]) sliceRows.push(row);
    else if ((sliceBegin[row] as number) < (sliceBegin[row - 1] as number)) fail(`slice ${row} is earlier than the one before`);
  }
  sliceRows.push(slices.rows);
  const rowsOf = new Map<number, [number, number][]>();
  for (let i = 0; i + 1 < sliceRows.length; i++) {
    const [from, to] = [sliceRows[i] as number, sliceRows[i + 1] as number];
    const one = track[from] as number;
    if (one >= tracksTable.rows) fail(`track ${one} is not in the table of tracks`);
    const list = rowsOf.get(one) ?? [];
    list.push([from, to]);
    rowsOf.set(one, list);
  }
  const momentsOf = byTrack(instants, tracksTable.rows, 'time');
  const samplesOf = byTrack(samples, tracksTable.rows, 'time');

  const total = slices.rows + instants.rows + records.length;
  const boxes = { begin: new Float64Array(total), end: new Float64Array(total), colour: new Uint8Array(total) };
  const source = new Uint32Array(total);
  const name = new Uint32Array(total);
  const first = [0];
  const top: number[] = [];
  const trackOfRow: number[] = [];
  const origin: Origin[] = [];
  const tracks: Track[] = [];
  let used = 0;
  let y = 0;
  const names = [...columns.strings, ...records.map((record) => record.text)];
  const colours = new Map<number, number>();
  const colour = (kind: number, index: number) => {
    const key = kind * (names.length + 1) + index;
    let known = colours.get(key);
    if (known === undefined) {
      known = colourOfKind(columns.string(kind), names[index] ?? '');
      colours.set(key, known);
    }
    return known;
  };
  const closeRow = (where: Origin) => {
    first.push(used);
    top.push(y);
    y += ROW;
    trackOfRow.push(tracks.length);
    origin.push(where);
  };

  const rank = tracksTable.has('rank') ? tracksTable.column('rank') : Uint32Array.from({ length: tracksTable.rows }, (_, i) => i);
  const order = Array.from({ length: tracksTable.rows }, (_, i) => i).sort((a, b) => (rank[a] as number) - (rank[b] as number) || a - b);
  const momentTime = instants.column('time');
  const momentName = instants.column('name');
  const momentKind = instants.column('kind');
  const sliceName = slices.column('name');
  const sliceKind = slices.has('kind') ? slices.column('kind') : undefined;
  for (const index of order) {
    if (!momentsOf.has(index) && !rowsOf.has(index) && !samplesOf.has(index)) continue; // nothing to see
    const start = { top: y, row: top.length };
    y += LABEL;
    const moments = momentsOf.get(index);
    if (moments) {
      for (let row = moments[0]; row < moments[1]; row++) {
        boxes.begin[used] = boxes.end[used] = momentTime[row] as number;
        source[used] = row;
        name[used] = momentName[row] as number;
        boxes.colour[used++] = colour(momentKind[row] as number, momentName[row] as number);
      }
      closeRow('instant');
    }
    for (const [from, to] of rowsOf.get(index) ?? []) {
      for (let row = from; row < to; row++) {
        const at = sliceBegin[row] as number;
        boxes.begin[used] = at;
        boxes.end[used] = at + (length[row] as number);
        source[used] = row;
        name[used] = sliceName[row] as number;
        boxes.colour[used++] = colour(sliceKind ? (sliceKind[row] as number) : names.length, sliceName[row] as number);
      }
      closeRow('slice');
    }
    const range = samplesOf.get(index);
    let counter: Counter | undefined;
    if (range) {
      const time = Float64Array.from(samples.column('time').subarray(...range));
      const value = Float64Array.from(samples.column('value').subarray(...range));
      counter = makeCounter(y, time, value);
      y += COUNTER;
    }
    const merged = tracksTable.has('merged') ? (tracksTable.column('merged')[index] as number) : 0;
    tracks.push({
      index,
      name: columns.string(tracksTable.column('name')[index] as number),
      kind: columns.string(tracksTable.column('kind')[index] as number),
      merged,
      top: start.top,
      bottom: y,
      firstRow: start.row,
      rows: top.length - start.row,
      counter,
    });
  }
  if (records.length > 0) {
    const start = { top: y, row: top.length };
    y += LABEL;
    records.forEach((record, row) => {
      boxes.begin[used] = record.begin;
      boxes.end[used] = record.end;
      source[used] = row;
      name[used] = columns.strings.length + row;
      boxes.colour[used++] = colourOf(record.text.split(' ')[1] ?? '');
    });
    closeRow('record');
    tracks.push({ index: -1, name: `the ${plural(records.length, 'instruction')} that this page holds`, kind: 'instructions', merged: 0, top: start.top, bottom: y, firstRow: start.row, rows: 1, counter: undefined });
  }
  const all: Boxes = { rows: top.length, first: Uint32Array.from(first), ...boxes };
  return {
    unit: String(meta['unit']),
    domain: { begin, end: end > begin ? end : begin + 1 },
    boxes: all,
    levels: new Longest(all).levels,
    sum: sumLengths(all),
    layout: { top: Float64Array.from(top), rowHeight: ROW, height: y },
    tracks,
    trackOfRow: Uint32Array.from(trackOfRow),
    origin,
    source,
    name,
    recordTexts: records.map((record) => record.text),
    gone: typeof meta['unknown'] === 'number' ? meta['unknown'] : Infinity,
  };
}

export interface Total {
  readonly track: number;
  readonly name: number;
  count: number;
  time: number;
  longest: number;
}

/** What boxes of a range add up to, by track and name: the parts inside of the range, the longest first. */
export async function totals(timeline: Timeline, range: Range): Promise<Total[]> {
  const { boxes, names, trackOfRow, name } = timeline;
  const found = new Map<number, Total>();
  const pace = new Pace();
  for (let row = 0; row < boxes.rows; row++) {
    const track = trackOfRow[row] as number;
    let box = boxes.first[row] as number;
    const to = boxes.first[row + 1] as number;
    for (let part = box; part < to; part += 1 << 15) {
      for (box = part; box < Math.min(to, part + (1 << 15)); box++) {
        const begin = Math.max(range.begin, boxes.begin[box] as number);
        const end = Math.min(range.end, boxes.end[box] as number);
        if (end < begin || (end === begin && boxes.end[box] !== boxes.begin[box])) continue;
        const key = track * (names.length + 1) + (name[box] as number);
        let total = found.get(key);
        if (!total) found.set(key, (total = { track, name: name[box] as number, count: 0, time: 0, longest: 0 }));
        total.count++;
        total.time += end - begin;
        total.longest = Math.max(total.longest, end - begin);
      }
      await pace.rest();
    }
  }
  return [...found.values()].sort((a, b) => b.time - a.time || b.count - a.count);
}
