// The page's side of the worker (worker.ts), which runs the page's own script again. A browser makes a worker only
// from an address, and the page's policy allows it only a blob: through the Trusted Types policy `earshot`.
import { ReportError } from '../report';
import { breathe } from './breathe';
import type { Answer, Request, Wanted } from './messages';
import type { SectionSize } from './section';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): unknown };
}

// It is known only while the script runs for the first time.
const script = globalThis.document?.currentScript?.textContent ?? '';

function startWorker(): Worker {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  let trusted: unknown = url;
  if (trustedTypes) {
    const policy = trustedTypes.createPolicy('earshot', {
      createScriptURL(text) {
        if (!text.startsWith('blob:')) throw new TypeError(`not a blob: ${text}`);
        return text;
      },
    });
    trusted = policy.createScriptURL(url);
  }
  return new Worker(trusted as string);
}

interface Waiting {
  lines: unknown[];
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class Decoder {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private readonly sent = new Map<number, Promise<void>>();
  private next = 0;

  /** Sends the chunks of a section, which `take` gives one by one, where they were not sent before; resolves with what
   * is wanted of it. What is not 'sizes' gives its data away: it can be had once. */
  async decode(id: number, section: SectionSize, chunks: number, take: (chunk: number) => string, wanted: Wanted, argument: unknown): Promise<unknown> {
    const worker = (this.worker ??= this.start());
    let sent = this.sent.get(id);
    if (!sent) {
      sent = this.hand(worker, id, section, chunks, take);
      this.sent.set(id, sent);
    }
    await sent;
    const job = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(job, { lines: [], resolve, reject });
      this.send(worker, { type: 'want', id, job, wanted, argument });
    });
  }

  private async hand(worker: Worker, id: number, { bytes, crc32, kind }: SectionSize, chunks: number, take: (chunk: number) => string): Promise<void> {
    this.send(worker, { type: 'begin', id, section: { bytes, crc32, kind } });
    for (let chunk = 0; chunk < chunks; chunk++) {
      this.send(worker, { type: 'chunk', id, text: take(chunk) });
      await breathe();
    }
  }

  private send(worker: Worker, request: Request): void {
    worker.postMessage(request);
  }

  private start(): Worker {
    const worker = startWorker();
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.take(data);
    worker.onerror = (event) => {
      for (const { reject } of this.waiting.values()) reject(new ReportError(`the decoder failed: ${event.message}`));
      this.waiting.clear();
    };
    return worker;
  }

  private take(answer: Answer): void {
    const waiting = this.waiting.get(answer.job);
    if (!waiting) return;
    if (answer.type === 'lines') {
      waiting.lines.push(...answer.values);
      return;
    }
    this.waiting.delete(answer.job);
    if (answer.type === 'failed') waiting.reject(new ReportError(answer.message));
    else waiting.resolve(answer.value ?? waiting.lines);
  }
}
