// Numbers on an axis. A position between two clocks, or the value of a counter, may have fractions.
import { count } from '../ui/format';

/** Whole ones to the last digit; of others three decimals. */
export function formatNumber(value: number): string {
  return count(Number.isInteger(value) ? value : Number(value.toFixed(3)));
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
