// What the page and its worker send each other.
import type { SectionSize } from './section';

export type Request = { type: 'chunk'; id: number; text: string } | { type: 'decode'; id: number; section: SectionSize };

export type Answer =
  | { type: 'lines'; id: number; values: unknown[] }
  | { type: 'done'; id: number; value: unknown }
  | { type: 'failed'; id: number; message: string };
