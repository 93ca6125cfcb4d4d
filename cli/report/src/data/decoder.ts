// The page's side of the worker (worker.ts). A browser makes a worker only from an address, and the
// page's policy allows it only a blob: through the Trusted Types policy `earshot`.
import { ReportError } from '../report';
import workerSource from 'earshot:worker';
import type { Answer, Request } from './messages';
import type { SectionSize } from './section';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): unknown };
}

/** Lets the browser do something else first: between two chunks, so that no task is long. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(null);
  });
}

function startWorker(): Worker {
  const url = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }));
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
  private next = 0;

  /** Sends the chunks, which `take` gives one by one, and resolves with what is decoded. */
  async decode(section: SectionSize, chunks: number, take: (chunk: number) => string): Promise<unknown> {
    const worker = (this.worker ??= this.start());
    const id = this.next++;
    for (let chunk = 0; chunk < chunks; chunk++) {
      this.send(worker, { type: 'chunk', id, text: take(chunk) });
      await breathe();
    }
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { lines: [], resolve, reject });
      const { bytes, crc32, kind } = section;
      this.send(worker, { type: 'decode', id, section: { bytes, crc32, kind } });
    });
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
    const waiting = this.waiting.get(answer.id);
    if (!waiting) return;
    if (answer.type === 'lines') {
      waiting.lines.push(...answer.values);
      return;
    }
    this.waiting.delete(answer.id);
    if (answer.type === 'failed') waiting.reject(new ReportError(answer.message));
    else waiting.resolve(answer.value ?? waiting.lines);
  }
}
