// The bytes of a section: base64 of raw deflate. Checked against the length and the CRC-32 of the
// head: what comes out is what the command printed, or an error.
import { ReportError, type Section } from '../report';
import { crc32, crc32Text } from './crc32';

declare global {
  interface Uint8ArrayConstructor {
    fromBase64?(text: string): Uint8Array<ArrayBuffer>;
  }
}

/** What of a section a decoder needs. */
export type SectionSize = Pick<Section, 'bytes' | 'crc32' | 'kind'>;

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
  } catch {
    throw new ReportError('a letter of its data is not base64');
  }
}

/* All that comes out of the stream, which may not be more than `size`: a few kilobytes of deflate can
 * hold gigabytes. */
async function collect(stream: ReadableStream<Uint8Array>, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const all = new Uint8Array(size);
  const reader = stream.getReader();
  let filled = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (value.length > size - filled) {
      await reader.cancel();
      throw new ReportError(`it holds more than the ${size} bytes that it should`);
    }
    all.set(value, filled);
    filled += value.length;
  }
  if (filled !== size) throw new ReportError(`it holds ${filled} bytes of the ${size} that it should`);
  return all;
}

/** The data of a section from the text of its chunks. Throws ReportError. */
export async function decodeSection(chunks: readonly string[], section: SectionSize): Promise<Uint8Array<ArrayBuffer>> {
  const compressed = chunks.map(fromBase64);
  // Deflate makes at most 1032 bytes of one: so a head that lies cannot ask for more memory than that.
  const most = compressed.reduce((sum, bytes) => sum + bytes.length, 0) * 1032;
  if (section.bytes > most) throw new ReportError(`its data is too short to hold ${section.bytes} bytes`);
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const bytes of compressed) controller.enqueue(bytes);
      controller.close();
    },
  });
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await collect(packed.pipeThrough(new DecompressionStream('deflate-raw')), section.bytes);
  } catch (error) {
    if (error instanceof ReportError) throw error;
    throw new ReportError(`its data cannot be decompressed (${error instanceof Error ? error.message : String(error)})`);
  }
  const crc = crc32Text(crc32(bytes));
  if (crc !== section.crc32) throw new ReportError(`its CRC-32 is ${crc} and should be ${section.crc32}`);
  return bytes;
}
