// The data of a page: what the second writer (browser/pack.mjs) packs comes out as it was, and what is
// damaged is an error with a sentence, never a wrong number, a crash or a hang.
import assert from 'node:assert/strict';
import test from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { decodeColumns, makeColumns } from '../src/data/columns';
import { crc32, crc32Text } from '../src/data/crc32';
import { parseJson, parseLines } from '../src/data/json';
import { readHead } from '../src/data/open';
import { decodeSection } from '../src/data/section';
import { ReportError } from '../src/report';
import { crc32 as otherCrc32, encodeColumns } from './browser/pack.mjs';
import { makeRandom } from './random';

const bytesOf = (buffer: Uint8Array) => new Uint8Array(buffer);

const EXAMPLE = {
  first: {
    small: ['u8', 'plain', [0, 255, 7]],
    rising: ['u16', 'delta', [256, 261, 300]],
    falling: ['u32', 'delta', [4294967295, 5, 0]],
    wide: ['u64', 'delta', [2 ** 53 - 1, 2 ** 40, 0]],
    plain: ['u64', 'plain', [5, 0, 2 ** 33]],
    fraction: ['f64', 'plain', [0.1, -2.5, 1e300]],
  },
  empty: { nothing: ['u32', 'delta', []] },
};
const section = () => bytesOf(encodeColumns({ unit: 'clocks' }, ['a', '\u00e9\u4e2d'], EXAMPLE));

test('the example of the document is decoded', () => {
  const header = JSON.stringify({
    meta: { unit: 'clocks' },
    strings: ['main', 'crc'],
    tables: [
      {
        name: 'slices',
        rows: 3,
        columns: [
          { name: 'begin', type: 'u16', coding: 'delta' },
          { name: 'name', type: 'u8', coding: 'plain' },
        ],
      },
    ],
  });
  const size = Buffer.alloc(4);
  size.writeUInt32LE(header.length);
  const planes = Buffer.from('00052701000000 0101'.replace(' ', ''), 'hex');
  const bytes = Buffer.concat([Buffer.from('EARCOL1\n'), size, Buffer.from(header), planes]);
  const table = makeColumns(decodeColumns(bytesOf(bytes))).table('slices');
  assert.deepEqual([...table.column('begin')], [256, 261, 300]);
  assert.deepEqual([...table.column('name')], [0, 1, 1]);
});

test('each type and coding comes out as it went in', () => {
  const columns = makeColumns(decodeColumns(section()));
  assert.deepEqual(columns.meta, { unit: 'clocks' });
  assert.equal(columns.string(1), '\u00e9\u4e2d');
  assert.match(columns.string(2), /not in the file/);
  for (const [name, table] of Object.entries(EXAMPLE)) {
    for (const [column, [, , values]] of Object.entries(table)) assert.deepEqual([...columns.table(name).column(column)], values, column);
  }
  assert.throws(() => columns.table('other'), ReportError);
  assert.throws(() => columns.table('first').column('other'), ReportError);
});

test('a number beyond 2^53 is an error that names it', () => {
  for (const [value, coding] of [
    [2n ** 53n, 'plain'],
    [2n ** 64n - 1n, 'delta'],
  ] as const) {
    const bytes = bytesOf(encodeColumns({}, [], { t: { c: ['u64', coding, [1, value]] } }));
    assert.throws(() => decodeColumns(bytes), { name: 'ReportError', message: new RegExp(`table t, c, row 1: ${value} is beyond`) });
  }
});

test('every cut and every longer section of columns is an error', () => {
  const whole = section();
  for (let size = 0; size < whole.length; size++) assert.throws(() => decodeColumns(whole.slice(0, size)), ReportError, String(size));
  assert.throws(() => decodeColumns(bytesOf(Buffer.concat([whole, Buffer.from('x')]))), ReportError);
});

test('a header that lies is an error, before anything of its size is allocated', () => {
  const lie = (change: (header: Record<string, unknown> & { tables: { rows: unknown; columns: { type: unknown; coding: unknown; name: unknown }[] }[] }) => void) => {
    const whole = Buffer.from(section());
    const size = whole.readUInt32LE(8);
    const header = JSON.parse(whole.subarray(12, 12 + size).toString());
    change(header);
    const text = Buffer.from(JSON.stringify(header));
    const begin = Buffer.alloc(4);
    begin.writeUInt32LE(text.length);
    return bytesOf(Buffer.concat([whole.subarray(0, 8), begin, text, whole.subarray(12 + size)]));
  };
  decodeColumns(lie(() => undefined));
  for (const rows of [1e15, -1, 1.5, '3', null, 4, 2]) {
    assert.throws(() => decodeColumns(lie((header) => void (header.tables[0]!.rows = rows))), ReportError, String(rows));
  }
  for (const type of ['u128', 'constructor', 8, null]) {
    assert.throws(() => decodeColumns(lie((header) => void (header.tables[0]!.columns[0]!.type = type))), ReportError, String(type));
  }
  assert.throws(() => decodeColumns(lie((header) => void (header.tables[0]!.columns[0]!.coding = 'zip'))), ReportError);
  assert.throws(() => decodeColumns(lie((header) => void (header.tables[0]!.columns[5]!.coding = 'delta'))), /unknown coding/);
  assert.throws(() => decodeColumns(lie((header) => void (header.tables[0]!.columns[0]!.name = 'wide'))), /two columns/);
  assert.throws(() => decodeColumns(lie((header) => void (header['strings'] = [1]))), ReportError);
  assert.throws(() => decodeColumns(lie((header) => void (header['meta'] = null))), ReportError);
});

async function pack(data: Uint8Array, kind: 'json' | 'columns' = 'json') {
  const text = deflateRawSync(data).toString('base64');
  const cut = 4 * Math.ceil(text.length / 12);
  return {
    chunks: [text.slice(0, cut), text.slice(cut)],
    size: { kind, bytes: data.length, crc32: otherCrc32(data).toString(16).padStart(8, '0') },
  };
}

test('the checksum is that of zlib', () => {
  assert.equal(crc32Text(crc32(Buffer.from('123456789'))), 'cbf43926');
  const random = makeRandom(5);
  for (let size = 0; size < 70; size++) {
    const bytes = Uint8Array.from({ length: size }, () => random() * 256);
    assert.equal(crc32(bytes), otherCrc32(bytes));
    assert.equal(crc32(bytes.subarray(9), crc32(bytes.subarray(0, 9))), otherCrc32(bytes));
  }
});

test('a section comes out whole or not at all', async () => {
  const data = section();
  const { chunks, size } = await pack(data);
  assert.deepEqual(await decodeSection(chunks, size), data);
  await assert.rejects(decodeSection(chunks, { ...size, bytes: data.length + 1 }), /holds \d+ bytes of the/);
  await assert.rejects(decodeSection(chunks, { ...size, bytes: data.length - 1 }), /holds more than/);
  await assert.rejects(decodeSection(chunks, { ...size, bytes: 2 ** 50 }), /too short to hold/);
  await assert.rejects(decodeSection(chunks, { ...size, crc32: '00000000' }), /CRC-32/);
  await assert.rejects(decodeSection(['????'], size), /base64/);
  await assert.rejects(decodeSection([], size), ReportError);
});

test('every cut of the text, and every flipped bit of what it holds, is an error', async () => {
  const data = bytesOf(Buffer.from(JSON.stringify({ some: 'text', of: [1, 2, 3] })));
  const text = deflateRawSync(data).toString('base64');
  const size = { kind: 'json' as const, bytes: data.length, crc32: otherCrc32(data).toString(16).padStart(8, '0') };
  for (let end = 0; end < text.length - 3; end++) await assert.rejects(decodeSection([text.slice(0, end)], size), ReportError, String(end));
  const packed = Buffer.from(text, 'base64');
  let same = 0;
  for (let bit = 0; bit < 8 * packed.length; bit++) {
    const flipped = Buffer.from(packed);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    try {
      assert.deepEqual(await decodeSection([flipped.toString('base64')], size), data);
      same++; // the bits after the end of deflate mean nothing
    } catch (error) {
      assert.ok(error instanceof ReportError, String(error));
    }
  }
  assert.ok(same < 8, `${same} flips were not seen`);
});

test('a few kilobytes that hold megabytes end at the size that the head gives', async () => {
  const packed = deflateRawSync(Buffer.alloc(20e6)).toString('base64');
  await assert.rejects(decodeSection([packed], { kind: 'json', bytes: 1000, crc32: '00000000' }), /more than the 1000 bytes/);
});

test('integers of JSON stay exact or are an error', () => {
  assert.deepEqual(parseJson('{"a":1.5,"b":[9007199254740991],"c":"12345678901234567890"}'), { a: 1.5, b: [9007199254740991], c: '12345678901234567890' });
  let newer = false;
  JSON.parse('1', ((_key: string, value: unknown, context?: { source?: string }) => ((newer = context?.source === '1'), value)) as (key: string, value: unknown) => unknown);
  const text = '{"a":18446744073709551615,"b":[12345678901234567890]}';
  if (newer) assert.deepEqual(parseJson(text), { a: 18446744073709551615n, b: [12345678901234567890n] });
  else assert.throws(() => parseJson(text), ReportError);
});

test('lines are values, and a bad one has its number', () => {
  assert.deepEqual(parseLines('{"a":1}\n\n{"a":2}'), [{ a: 1 }, { a: 2 }]);
  assert.deepEqual(parseLines(''), []);
  assert.throws(() => parseLines('1\n2\n{'), { name: 'ReportError', message: /^line 3: / });
});

test('a damaged head is an error, whatever is missing', () => {
  const head = {
    format: 1, version: '1', title: 't', created: 'c', traces: [{ name: 'n', path: 'p' }], left_out: [],
    sections: [
      { name: 'info', trace: 0, command: 'earshot info', status: 0, messages: [], kind: 'json', bytes: 2, crc32: '00000000', chunks: 1 },
      { name: 'diff', trace: -1, command: 'earshot diff', status: 2, messages: ['no'], kind: 'none' },
    ],
  };
  assert.equal(readHead(JSON.stringify(head)).sections[1]?.chunks, 0);
  for (const key of Object.keys(head)) assert.throws(() => readHead(JSON.stringify({ ...head, [key]: undefined })), ReportError, key);
  for (const key of Object.keys(head.sections[0]!)) {
    const sections = [{ ...head.sections[0], [key]: undefined }];
    assert.throws(() => readHead(JSON.stringify({ ...head, sections })), ReportError, key);
  }
  assert.throws(() => readHead(JSON.stringify({ ...head, format: 2 })), /format 2/);
  for (const text of ['', 'null', '[]', '{', '1']) assert.throws(() => readHead(text), ReportError, text);
});
