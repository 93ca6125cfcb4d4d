// The order of rows. Numbers by value, text by its code points with digits as numbers; what is unknown comes last,
// whichever way the order is.

export type Key = string | number | bigint | boolean | null | undefined;

const collator = new Intl.Collator('en', { numeric: true });

export function compare(a: Key, b: Key): number {
  if (typeof a === 'string' && typeof b === 'string') {
    const [x, y] = [decimal(a), decimal(b)];
    if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : 0;
    return collator.compare(a, b);
  }
  if (typeof a === 'string' || typeof b === 'string') return compare(String(a), String(b));
  const [x, y] = [a ?? 0, b ?? 0];
  return x < y ? -1 : x > y ? 1 : 0;
}

// Digits above 2^53, and addresses.
function decimal(text: string): bigint | undefined {
  return /^(\d+|0x[0-9a-f]+)$/i.test(text) ? BigInt(text) : undefined;
}

export function order<T>(rows: readonly T[], key: (row: T) => Key, down: boolean): T[] {
  const keyed = rows.map((row, index) => ({ row, index, key: key(row) }));
  const missing = (value: Key): boolean => value === null || value === undefined;
  keyed.sort((a, b) => {
    if (missing(a.key) || missing(b.key)) return Number(missing(a.key)) - Number(missing(b.key)) || a.index - b.index;
    const result = compare(a.key, b.key);
    return (down ? -result : result) || a.index - b.index;
  });
  return keyed.map((entry) => entry.row);
}

// Each word of the filter has to be in the text.
export function fits(text: string, filter: string): boolean {
  const all = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
