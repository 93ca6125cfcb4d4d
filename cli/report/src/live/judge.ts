// Is something missing of the trace? What only the view could not follow is said apart.
import type { Mood } from '../ui/dom';
import { count, plural } from '../ui/format';
import type { Interval } from './shapes';

/** Is something missing so far? */
export function judge(total: Interval): { mood: Mood; text: string } {
  const dropped = Number(total.capture?.dropped ?? 0);
  const skipped = Number(total.capture?.skipped ?? 0);
  const missing = total.missing ?? 0;
  if (Number(total.unknown_gaps) > 0)
    return { mood: 'bad', text: `${plural(total.unknown_gaps, 'gap')} of unknown size; besides, ${count(missing)} records are missing` };
  if (Number(missing) > 0) return { mood: 'bad', text: `${plural(missing, 'record')} missing, in ${plural(total.gaps, 'gap')}` };
  if (Number(total.gaps) > 0) return { mood: 'warn', text: plural(total.gaps, 'gap') };
  if (dropped > 0 || skipped > 0) return { mood: 'warn', text: 'The trace has no gap so far; this view could not follow all of it' };
  if (Number(total.records) === 0) return { mood: 'unknown', text: 'No instruction has come so far' };
  return { mood: 'good', text: 'Nothing is missing so far' };
}
