// Numbers as the charts show them: whole ones to the last digit, in groups of three.

const groups = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** 1234567 as 1 234 567, with thin spaces that do not break. */
export function formatNumber(value: number | bigint): string {
  return groups.format(value).replaceAll(',', '\u202f');
}

/** A part of a whole, with two digits; of nothing: an empty text. */
export function formatShare(part: number, whole: number): string {
  if (!(whole > 0)) return '';
  const percent = (100 * part) / whole;
  if (part > 0 && percent < 0.01) return '<\u202f0.01\u202f%';
  return `${percent.toFixed(2)}\u202f%`;
}

/** One and many: "1 record", "2 records". */
export function plural(count: number, unit: string): string {
  return `${formatNumber(count)} ${count === 1 ? unit.replace(/s$/, '') : unit}`;
}

/** Steps of 1, 2 or 5 times a power of ten, at most `most` of them in the range; integers only. */
export function ticks(begin: number, end: number, most: number): { step: number; values: number[] } {
  const span = end - begin;
  if (!(span > 0) || most < 1) return { step: 1, values: [] };
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999999) ?? 10) * power);
  const values: number[] = [];
  for (let value = Math.ceil(begin / step) * step; value <= end && values.length <= most + 1; value += step) values.push(value);
  return { step, values };
}
