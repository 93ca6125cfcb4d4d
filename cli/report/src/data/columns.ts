// A section of columns: docs/report.md, "Columns". A column is stored in byte planes, plane 0 (the
// least significant bytes) of all rows first; with the coding delta a value is the sum of all before
// it, modulo 2^width. Both make integers that rise slowly shrink well, and cost one pass to undo. A
// browser stores what is in the file in its own order of bytes: little-endian, as all of today's are.
//
// The header comes from a file that may be damaged or hostile: every size is compared with the bytes
// that are there before anything of that size is allocated.
import { type Column, type Columns, ReportError, type Table } from '../report';

const MAGIC = 'EARCOL1\n';
const TYPES = { u8: 1, u16: 2, u32: 4, u64: 8, f64: 8 } as const;

type ColumnType = keyof typeof TYPES;

interface ColumnHeader {
  name: string;
  type: ColumnType;
  coding: 'plain' | 'delta';
}

interface TableHeader {
  name: string;
  rows: number;
  columns: ColumnHeader[];
}

/** What passes from the worker to the page: structured clone takes no methods. */
export interface RawTable {
  name: string;
  rows: number;
  columns: { name: string; values: Column }[];
}

export interface RawColumns {
  meta: Record<string, unknown>;
  strings: string[];
  tables: RawTable[];
}

function fail(text: string): never {
  throw new ReportError(text);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readColumnHeader(value: unknown, where: string): ColumnHeader {
  if (!isObject(value) || typeof value['name'] !== 'string') fail(`${where}: a column without a name`);
  const { name, type, coding } = value as Record<string, unknown> & { name: string };
  if (typeof type !== 'string' || !Object.hasOwn(TYPES, type)) fail(`${where}, ${name}: unknown type ${String(type)}`);
  if (coding !== 'plain' && (coding !== 'delta' || type === 'f64')) fail(`${where}, ${name}: unknown coding ${String(coding)}`);
  return { name, type: type as ColumnType, coding };
}

function readTableHeader(value: unknown): TableHeader {
  if (!isObject(value) || typeof value['name'] !== 'string') fail('a table without a name');
  const where = `table ${value['name']}`;
  const { rows, columns } = value;
  if (typeof rows !== 'number' || !Number.isSafeInteger(rows) || rows < 0) fail(`${where}: bad number of rows`);
  if (!Array.isArray(columns)) fail(`${where}: no list of columns`);
  const read = columns.map((column) => readColumnHeader(column, where));
  if (new Set(read.map((column) => column.name)).size !== read.length) fail(`${where}: two columns have one name`);
  return { name: value['name'], rows, columns: read };
}

/** The begin of a section: where the columns' bytes begin, and what its header says. */
function readHeader(bytes: Uint8Array): { meta: Record<string, unknown>; strings: string[]; tables: TableHeader[]; at: number } {
  const begin = MAGIC.length + 4;
  if (bytes.length < begin) fail(`${bytes.length} bytes are too few for columns`);
  for (let i = 0; i < MAGIC.length; i++) {
    if (bytes[i] !== MAGIC.charCodeAt(i)) fail('these are no columns: they do not begin with EARCOL1');
  }
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(MAGIC.length, true);
  if (length > bytes.length - begin) fail(`the header has ${length} bytes, only ${bytes.length - begin} are there`);
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(begin, begin + length)));
  } catch (error) {
    fail(`the header of the columns is no JSON: ${String(error)}`);
  }
  if (!isObject(header)) fail('the header of the columns is no object');
  const { meta, strings, tables } = header;
  if (!isObject(meta)) fail('the header of the columns has no meta');
  if (!Array.isArray(strings) || !strings.every((text) => typeof text === 'string')) fail('the strings are no strings');
  if (!Array.isArray(tables)) fail('the header of the columns has no tables');
  const read = tables.map(readTableHeader);
  if (new Set(read.map((table) => table.name)).size !== read.length) fail('two tables have one name');
  return { meta, strings, tables: read, at: begin + length };
}

function isZero(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0) return false;
  return true;
}

function gather<T extends Uint8Array | Uint16Array | Uint32Array>(bytes: Uint8Array, values: T, width: number, delta: boolean): T {
  const rows = values.length;
  values.set(bytes.subarray(0, rows));
  for (let plane = 1; plane < width; plane++) {
    const part = bytes.subarray(plane * rows, (plane + 1) * rows);
    if (isZero(part)) continue; // as most high ones are
    const shift = 8 * plane;
    for (let row = 0; row < rows; row++) (values[row] as number) |= (part[row] as number) << shift;
  }
  // The array's own width is the modulus.
  if (delta) for (let row = 1; row < rows; row++) (values[row] as number) += values[row - 1] as number;
  return values;
}

function gatherWide(bytes: Uint8Array, rows: number, header: ColumnHeader, where: string): Float64Array {
  const low = gather(bytes, new Uint32Array(rows), 4, false);
  const high = gather(bytes.subarray(4 * rows), new Uint32Array(rows), 4, false);
  const values = new Float64Array(rows);
  let l = 0;
  let h = 0;
  for (let row = 0; row < rows; row++) {
    if (header.coding === 'delta') {
      l += low[row] as number;
      h = (h + (high[row] as number) + (l > 0xffffffff ? 1 : 0)) >>> 0;
      l >>>= 0;
    } else {
      l = low[row] as number;
      h = high[row] as number;
    }
    const value = h * 0x100000000 + l;
    if (!Number.isSafeInteger(value)) {
      const exact = (BigInt(h) << 32n) + BigInt(l);
      fail(`${where}, row ${row}: ${exact} is beyond 2^53, and would not be exact here`);
    }
    values[row] = value;
  }
  return values;
}

function gatherFloats(bytes: Uint8Array, rows: number): Float64Array {
  const values = new Float64Array(rows);
  const all = new Uint8Array(values.buffer);
  for (let plane = 0; plane < 8; plane++) {
    for (let row = 0; row < rows; row++) all[8 * row + plane] = bytes[plane * rows + row] as number;
  }
  return values;
}

function readColumn(bytes: Uint8Array, table: TableHeader, header: ColumnHeader): Column {
  const delta = header.coding === 'delta';
  switch (header.type) {
    case 'u8':
      return gather(bytes, new Uint8Array(table.rows), 1, delta);
    case 'u16':
      return gather(bytes, new Uint16Array(table.rows), 2, delta);
    case 'u32':
      return gather(bytes, new Uint32Array(table.rows), 4, delta);
    case 'f64':
      return gatherFloats(bytes, table.rows);
    default:
      return gatherWide(bytes, table.rows, header, `table ${table.name}, ${header.name}`);
  }
}

function readWhole(bytes: Uint8Array): ReturnType<typeof readHeader> {
  const header = readHeader(bytes);
  const present = bytes.length - header.at;
  let needed = 0;
  for (const table of header.tables) {
    for (const column of table.columns) needed += table.rows * TYPES[column.type];
  }
  if (needed !== present) fail(`the columns need ${needed} bytes, ${present} are there`);
  return header;
}

/** How many rows each table has. */
export function sizesOf(bytes: Uint8Array): Record<string, number> {
  return Object.fromEntries(readWhole(bytes).tables.map((table) => [table.name, table.rows]));
}

/** Decodes a section. Throws ReportError with what is wrong and where. */
export function decodeColumns(bytes: Uint8Array): RawColumns {
  const header = readWhole(bytes);
  let at = header.at;
  const tables = header.tables.map((table) => ({
    name: table.name,
    rows: table.rows,
    columns: table.columns.map((column) => {
      const size = table.rows * TYPES[column.type];
      at += size;
      return { name: column.name, values: readColumn(bytes.subarray(at - size, at), table, column) };
    }),
  }));
  return { meta: header.meta, strings: header.strings, tables };
}

class ReadTable implements Table {
  readonly rows: number;
  readonly names: readonly string[];
  private readonly byName: ReadonlyMap<string, Column>;

  constructor(private readonly raw: RawTable) {
    this.rows = raw.rows;
    this.names = raw.columns.map((column) => column.name);
    this.byName = new Map(raw.columns.map((column) => [column.name, column.values]));
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  column(name: string): Column {
    return this.byName.get(name) ?? fail(`the table ${this.raw.name} has no column ${name}`);
  }
}

class ReadColumns implements Columns {
  readonly meta: Readonly<Record<string, unknown>>;
  readonly strings: readonly string[];
  private readonly byName: ReadonlyMap<string, Table>;

  constructor(raw: RawColumns) {
    this.meta = raw.meta;
    this.strings = raw.strings;
    this.byName = new Map(raw.tables.map((table) => [table.name, new ReadTable(table)]));
  }

  string(index: number): string {
    return this.strings[index] ?? `(name ${index} is not in the file)`;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  table(name: string): Table {
    return this.byName.get(name) ?? fail(`the columns have no table ${name}`);
  }
}

export function makeColumns(raw: RawColumns): Columns {
  return new ReadColumns(raw);
}
