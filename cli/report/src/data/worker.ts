// The worker that decodes sections: the page's own thread only hands over text and gets arrays. The
// build packs this file into the bundle as a string (build.mjs).
import { buffersOf, decodeColumns } from './columns';
import { parseJson, parseLines } from './json';
import type { Answer, Request } from './messages';
import { decodeSection } from './section';

// So many lines in one message: taking a message apart blocks the page.
const BATCH = 500;

declare const self: {
  onmessage: ((event: { data: Request }) => void) | null;
  postMessage(answer: Answer, transfer?: ArrayBufferLike[]): void;
};

const chunks = new Map<number, string[]>();

async function decode(request: Extract<Request, { type: 'decode' }>): Promise<void> {
  const { id, section } = request;
  const text = chunks.get(id) ?? [];
  chunks.delete(id);
  const bytes = await decodeSection(text, section);
  if (section.kind === 'columns') {
    const raw = decodeColumns(bytes);
    self.postMessage({ id, type: 'done', value: raw }, buffersOf(raw));
    return;
  }
  const decoded = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  if (section.kind === 'json') {
    self.postMessage({ id, type: 'done', value: parseJson(decoded) });
    return;
  }
  const lines = parseLines(decoded);
  for (let at = 0; at < lines.length; at += BATCH) self.postMessage({ id, type: 'lines', values: lines.slice(at, at + BATCH) });
  self.postMessage({ id, type: 'done', value: null });
}

self.onmessage = ({ data }) => {
  if (data.type === 'chunk') {
    const text = chunks.get(data.id) ?? [];
    text.push(data.text);
    chunks.set(data.id, text);
    return;
  }
  decode(data).catch((error: unknown) => {
    self.postMessage({ id: data.id, type: 'failed', message: error instanceof Error ? error.message : String(error) });
  });
};
