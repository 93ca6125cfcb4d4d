// The text of a source line, where the section of annotated source has it.
import type { Context } from '../report';
import type { Annotate } from '../shapes';
import { h, type Child } from './dom';
import { base } from './format';

/** 'file.c:12' -> its text; null where two files of one name differ. */
export type Texts = Map<string, string | null>;

export async function sourceTexts(context: Context, trace = context.trace): Promise<Texts> {
  const texts: Texts = new Map();
  if (context.report.section('annotate', trace)?.kind !== 'json') return texts;
  const data = await context.report.json<Annotate>('annotate', trace);
  for (const row of data.functions)
    for (const line of row.lines) {
      if (line.text === null) continue;
      const key = `${base(line.file)}:${line.line}`;
      const old = texts.get(key);
      texts.set(key, old === undefined || old === line.text ? line.text : null);
    }
  return texts;
}

export function quote(line: string | null | undefined, texts: Texts): Child {
  const text = line ? texts.get(line) : undefined;
  return text && /\w/.test(text) ? h('div', { class: 'quote' }, h('bdi', null, text.trim())) : null;
}
