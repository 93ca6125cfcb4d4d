// JSON whose integers stay exact: JSON.parse alone would round those beyond 2^53, and a page must not
// show a number that its command did not print.
import { ReportError } from '../report';

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

const exact: Reviver = (_key, value, context) => {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !Number.isInteger(value)) return value;
  // Older browsers do not give the text of a number.
  if (!context?.source) throw new ReportError('it has integers beyond 2^53, which this browser would round: use a newer one');
  return /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
};

/** Integers beyond 2^53 are BigInt; if this browser cannot make them so, it is an error. */
export function parseJson(text: string): unknown {
  if (!/[:,[\s-]\d{16,}\s*[,}\]]/.test(text)) return JSON.parse(text);
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown);
}

/** One value a line. Empty lines are none. */
export function parseLines(text: string): unknown[] {
  const values: unknown[] = [];
  let begin = 0;
  for (let line = 1; begin < text.length; line++) {
    const found = text.indexOf('\n', begin);
    const end = found < 0 ? text.length : found;
    if (end > begin) {
      try {
        values.push(parseJson(text.slice(begin, end)));
      } catch (error) {
        throw new ReportError(`line ${line}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    begin = end + 1;
  }
  return values;
}
