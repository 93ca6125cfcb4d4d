// CRC-32 of zlib and gzip, four bytes a step: the worker checks some megabytes with it.

const tables = makeTables();

function makeTables(): Uint32Array[] {
  const first = new Uint32Array(256);
  for (let value = 0; value < 256; value++) {
    let rest = value;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1;
    first[value] = rest;
  }
  const all = [first];
  for (let step = 1; step < 4; step++) {
    const before = all[step - 1] as Uint32Array;
    all.push(before.map((value) => (first[value & 255] as number) ^ (value >>> 8)));
  }
  return all;
}

/** The CRC-32 of bytes that follow those that gave `crc` (0 at the begin). */
export function crc32(bytes: Uint8Array, crc = 0): number {
  const [t0, t1, t2, t3] = tables as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  let value = ~crc;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    value ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    value =
      (t3[value & 255] as number) ^
      (t2[(value >>> 8) & 255] as number) ^
      (t1[(value >>> 16) & 255] as number) ^
      (t0[value >>> 24] as number);
  }
  for (; at < bytes.length; at++) value = (t0[(value ^ (bytes[at] as number)) & 255] as number) ^ (value >>> 8);
  return ~value >>> 0;
}

/** As Section.crc32 has it. */
export function crc32Text(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}
