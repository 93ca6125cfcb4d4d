// The records that are embedded, of two sections: the last ones (or those of the range), and those around the places
// that why, check, marks and others name. These may overlap.
import type { Report } from './report';

interface Numbered {
  number?: unknown; // in the trace, of all harts: what the other sections call a record. The index is that of its hart.
}

export async function embedded<T extends Numbered>(report: Report, trace: number): Promise<T[]> {
  const rows = report.section('records', trace)?.kind === 'lines' ? await report.lines<T>('records', trace) : [];
  if (report.section('cause', trace)?.kind !== 'lines') return rows;
  const known = new Set(rows.map((row) => JSON.stringify(row)));
  const more = (await report.lines<T>('cause', trace)).filter((row) => !known.has(JSON.stringify(row)));
  return [...more, ...rows].sort((a, b) => Number(a.number) - Number(b.number));
}
