// The worker that decodes sections: the page's own thread only hands over text and gets arrays. It is
// the same script as the page's (decoder.ts), so that what both need is there once.
import { buildTimeline, type RecordLine } from '../canvas/tracks';
import { decodeColumns, makeColumns, sizesOf } from './columns';
import { parseJson, parseLines } from './json';
import type { Answer, Request, Wanted } from './messages';
import { decodeSection, type SectionSize } from './section';

// So many lines in one message: taking a message apart blocks the page.
const BATCH = 500;

declare const self: {
  onmessage: ((event: { data: Request }) => void) | null;
  postMessage(answer: Answer, transfer?: ArrayBufferLike[]): void;
};

interface Part {
  readonly section: SectionSize;
  chunks: string[];
  bytes?: Promise<Uint8Array<ArrayBuffer>>;
}

const parts = new Map<number, Part>();

/** The arrays in a value, which pass to the page without a copy. */
function buffersIn(value: unknown, found = new Set<ArrayBufferLike>()): Set<ArrayBufferLike> {
  if (ArrayBuffer.isView(value)) found.add(value.buffer);
  else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) buffersIn(member, found);
  return found;
}

function done(job: number, value: unknown): void {
  self.postMessage({ type: 'done', job, value }, [...buffersIn(value)]);
}

async function answer(id: number, job: number, wanted: Wanted, argument: unknown): Promise<void> {
  const part = parts.get(id);
  if (!part) throw new Error('it was given away before');
  const { section } = part;
  const bytes = await (part.bytes ??= decodeSection(part.chunks, section));
  part.chunks = [];
  if (wanted === 'sizes') {
    done(job, sizesOf(bytes));
    return;
  }
  parts.delete(id);
  if (section.kind === 'columns') {
    const raw = decodeColumns(bytes);
    done(job, wanted === 'timeline' ? { raw, built: buildTimeline(makeColumns(raw), argument as RecordLine[]) } : raw);
    return;
  }
  const decoded = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  if (section.kind === 'json') {
    self.postMessage({ type: 'done', job, value: parseJson(decoded) });
    return;
  }
  const lines = parseLines(decoded);
  for (let at = 0; at < lines.length; at += BATCH) self.postMessage({ type: 'lines', job, values: lines.slice(at, at + BATCH) });
  self.postMessage({ type: 'done', job, value: null });
}

export function serve(): void {
  self.onmessage = ({ data }) => {
    if (data.type === 'begin') {
      parts.set(data.id, { section: data.section, chunks: [] });
      return;
    }
    if (data.type === 'chunk') {
      parts.get(data.id)?.chunks.push(data.text);
      return;
    }
    const { id, job, wanted, argument } = data;
    answer(id, job, wanted, argument).catch((error: unknown) => {
      self.postMessage({ type: 'failed', job, message: error instanceof Error ? error.message : String(error) });
    });
  };
}
