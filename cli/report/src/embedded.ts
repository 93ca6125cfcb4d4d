// The records that are embedded, of two sections: the last ones (or those of the range), and those around the places
// that why, check and memory errors name. These may overlap.
import type { Report } from './report';

interface Numbered {
  index?: unknown;
  hart?: unknown;
}

export async function embedded<T extends Numbered>(report: Report, trace: number): Promise<T[]> {
  const rows = report.section('records', trace)?.kind === 'lines' ? await report.lines<T>('records', trace) : [];
  if (report.section('cause', trace)?.kind !== 'lines') return rows;
  const known = new Set(rows.map((row) => JSON.stringify(row)));
  const more = (await report.lines<T>('cause', trace)).filter((row) => !known.has(JSON.stringify(row)));
  const all = [...more, ...rows];
  // The number of a record is that in its hart: of more harts the two lists are in no order that is known.
  if (new Set(all.map((row) => row.hart)).size > 1) return all;
  return all.sort((a, b) => Number(a.index) - Number(b.index));
}
