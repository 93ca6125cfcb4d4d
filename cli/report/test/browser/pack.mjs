// Packs sections into a page, as the command does: a second writer of the format, so that a mistake
// of one of them is seen.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 as nodeCrc32, deflateRawSync } from 'node:zlib';

const CHUNK = 262144;
const WIDTHS = { u8: 1, u16: 2, u32: 4, u64: 8, f64: 8 };

// Node 18 has no crc32: bit by bit, as the definition says.
function slowCrc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

export function crc32(bytes) {
  return (nodeCrc32 ?? slowCrc32)(bytes);
}

function encodeColumn(values, type, coding) {
  const width = WIDTHS[type];
  const rows = values.length;
  const out = Buffer.alloc(rows * width);
  const one = Buffer.alloc(8);
  let before = 0n;
  for (let row = 0; row < rows; row++) {
    if (type === 'f64') {
      one.writeDoubleLE(values[row]);
    } else {
      const value = BigInt(values[row]);
      one.writeBigUInt64LE(BigInt.asUintN(64, coding === 'delta' ? value - before : value));
      before = value;
    }
    for (let plane = 0; plane < width; plane++) out[plane * rows + row] = one[plane];
  }
  return out;
}

/** A section of columns. tables: {NAME: {COLUMN: [type, coding, values]}}. */
export function encodeColumns(meta, strings, tables) {
  const header = { meta, strings, tables: [] };
  const parts = [];
  for (const [name, columns] of Object.entries(tables)) {
    const list = Object.entries(columns);
    header.tables.push({
      name,
      rows: list[0]?.[1][2].length ?? 0,
      columns: list.map(([column, [type, coding]]) => ({ name: column, type, coding })),
    });
    for (const [, [type, coding, values]] of list) parts.push(encodeColumn(values, type, coding));
  }
  const text = Buffer.from(JSON.stringify(header));
  const begin = Buffer.from('EARCOL1\n....');
  begin.writeUInt32LE(text.length, 8);
  return Buffer.concat([begin, text, ...parts]);
}

/** The bundle that a build folder holds. */
export function readBundle(folder) {
  return {
    script: readFileSync(path.join(folder, 'report.js'), 'utf8'),
    style: readFileSync(path.join(folder, 'report.css'), 'utf8'),
  };
}

function hash(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function escapeJson(value) {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A page. sections: [{name, kind, data (Buffer), trace?, command?, status?, messages?}]. `change`
 * gets the chunks of all sections before they are written: to damage them. */
export function makePage(bundle, { title = 'synthetic.shot', sections, head = {}, change = (chunks) => chunks }) {
  const chunks = [];
  const described = sections.map(({ name, kind, data, trace = 0, command = `earshot ${name}`, status = 0, messages = [] }, section) => {
    const common = { name, trace, command, status, messages, kind };
    if (kind === 'none') return common;
    const text = deflateRawSync(data, { level: 6 }).toString('base64');
    let count = 0;
    for (let at = 0; at < text.length; at += CHUNK) chunks.push({ section, chunk: count++, text: text.slice(at, at + CHUNK) });
    return { ...common, bytes: data.length, crc32: crc32(data).toString(16).padStart(8, '0'), chunks: count };
  });
  const all = {
    format: 1,
    version: '0.0.0',
    title,
    created: '2026-01-01T00:00:00Z',
    traces: [{ name: title, path: title }],
    left_out: [],
    sections: described,
    ...head,
  };
  const policy = [
    "default-src 'none'",
    `script-src ${hash(bundle.script)}`,
    `style-src ${hash(bundle.style)}`,
    'img-src data:',
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types earshot',
  ].join('; ');
  const data = change(chunks).map(
    ({ section, chunk, text }) => `<script type="application/octet-stream" data-section="${section}" data-chunk="${chunk}">${text}</script>\n`,
  );
  return `\ufeff<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>synthetic</title><style>${bundle.style}</style></head><body>
<script type="application/json" id="earshot-head">${escapeJson(all)}</script>
<script>${bundle.script}</script>
${data.join('')}</body></html>
`;
}
