// Text of numbers and names. A number is shown with all of its digits: only shares are rounded, and their counts
// stand beside them. A value that is not known is a dash, never 0.

export type Count = number | string | bigint | null | undefined;

export const DASH = '–';

// Groups of three digits. Takes digits as text, too: numbers above 2^53 arrive so.
export function count(value: Count): string {
  if (value === null || value === undefined || value === '') return DASH;
  const text = String(value);
  const match = /^(-?)(\d+)(\.\d+)?$/.exec(text);
  if (!match) return text;
  return (match[1] ?? '') + (match[2] ?? '').replace(/\B(?=(\d{3})+$)/g, ',') + (match[3] ?? '');
}

// A share of a whole: 0 % and 100 % are only what is exactly that.
export function share(part: Count, total: Count): string {
  if (part === null || part === undefined || total === null || total === undefined) return DASH;
  const a = Number(part);
  const b = Number(total);
  if (!Number.isFinite(a) || !Number.isFinite(b) || b <= 0) return DASH;
  if (a === 0) return '0 %';
  if (a === b) return '100 %';
  const percent = (a * 100) / b;
  if (percent < 0.1) return '< 0.1 %';
  if (percent > 99.9 && percent < 100) return '> 99.9 %';
  return `${percent.toFixed(1)} %`;
}

export function ratio(part: Count, total: Count): number {
  const a = Number(part ?? 0);
  const b = Number(total ?? 0);
  if (!(a > 0) || !(b > 0)) return 0;
  return Math.min(1, a / b);
}

export function many(one: string): string {
  if (/(ch|sh|s|x)$/.test(one)) return `${one}es`;
  return /[^aeiou]y$/.test(one) ? `${one.slice(0, -1)}ies` : `${one}s`;
}

export function plural(value: Count, one: string): string {
  return `${count(value)} ${Number(value) === 1 ? one : many(one)}`;
}

// "3 h 20 min", "78.3 µs": of nanoseconds. Rounded, so the exact number is to stand beside it.
export function duration(nanoseconds: number): string {
  const steps: [number, string][] = [
    [3600e9, 'h'],
    [60e9, 'min'],
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'µs'],
    [1, 'ns'],
  ];
  for (const [size, unit] of steps) if (nanoseconds >= size) return `${trim(nanoseconds / size)} ${unit}`;
  return `${trim(nanoseconds)} ns`;
}

function trim(value: number): string {
  const text = value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

// The end of a path; all of it is for a title or a copy.
export function base(path: string): string {
  const at = path.replace(/\/+$/, '').lastIndexOf('/');
  return at < 0 ? path : path.slice(at + 1);
}

export function bytes(value: Count): string {
  if (value === null || value === undefined) return DASH;
  const number = Number(value);
  if (number < 10240) return `${count(value)} bytes`;
  if (number < 10485760) return `${(number / 1024).toFixed(0)} KiB`;
  return `${(number / 1048576).toFixed(0)} MiB`;
}

// 'c.sw a0, 0x0(a5)' -> 'c.sw'
export function mnemonic(text: string): string {
  return /^\S+/.exec(text)?.[0] ?? text;
}
