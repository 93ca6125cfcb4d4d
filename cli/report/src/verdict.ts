// Did the run end well, and is anything missing? In the words of the commands.
import type { Info, Why } from './shapes';
import { count, plural, type Count } from './ui/format';
import type { Mood } from './ui/dom';

export interface Answer {
  mood: Mood;
  title: string;
  more: string[];
}

// 'unknown' is no good end and no bad one.
export function ending(why: Why): Answer {
  const more: string[] = [];
  if (why.end_missing) more.push(endMissing(why.end_missing));
  if (why.core_text) more.push(`the core did not do what the ISA says: ${why.core_text}`);
  if (why.kind === 'trap' && why.code !== undefined) more.push(`its handler ended the program with code ${count(why.code)}`);
  if (why.leaves_if) more.push(`the loop would end if ${why.leaves_if}`);
  if (why.interrupts_off) more.push('interrupts are off (mstatus.MIE is 0)');
  return { mood: mood(why), title: why.text, more };
}

function mood(why: Why): Mood {
  if (why.core_text) return 'bad';
  if (why.kind === 'ended') return why.end_missing ? 'warn' : 'good';
  if (why.kind === 'unknown') return 'unknown';
  return why.kind === 'event' ? 'warn' : 'bad';
}

export function endMissing(end: { after: Count; records: Count }): string {
  const records = end.records === null || end.records === undefined ? 'an unknown number of records' : plural(end.records, 'record');
  return `the end of the trace is missing: ${records} after #${count(end.after)}`;
}

export function completeness(info: Info): Answer {
  const more: string[] = [];
  const missing = info.missing;
  const known = missing !== null && missing !== undefined;
  if (info.complete === true) return { mood: 'good', title: 'Nothing is missing', more: [] };
  if (known && Number(missing) > 0)
    more.push(`${info.missing_at_least ? 'At least ' : ''}${plural(missing, 'record')} missing in ${plural(info.gaps, 'gap')}.`);
  else if (Number(info.gaps ?? 0) > 0) more.push(`${plural(info.gaps, 'gap')}; how many records are missing in them is not known.`);
  if (info.complete === false) {
    more.push(info.accounted === true ? 'Each gap has its count (accounted).' : 'Not each gap has its count (not accounted).');
    return { mood: Number(missing) > 0 || Number(info.gaps ?? 0) > 0 ? 'bad' : 'warn', title: 'Something is missing', more };
  }
  more.push('Each line of the text was read. Where the text was to end is not known, so neither is whether it is whole.');
  return { mood: 'unknown', title: 'Whether anything is missing is not known', more };
}
