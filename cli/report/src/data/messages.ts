// What the page and its worker send each other. The worker keeps the bytes of a section of columns until they are
// wanted as arrays: the summary says how many rows there are, and no more is made of them.
import type { SectionSize } from './section';

/** What is wanted of a section: all of it; of columns the sizes of its tables; or what a view is drawn from. */
export type Wanted = 'all' | 'sizes' | 'timeline';

export type Request =
  | { type: 'begin'; id: number; section: SectionSize }
  | { type: 'chunk'; id: number; text: string }
  | { type: 'want'; id: number; job: number; wanted: Wanted; argument: unknown };

export type Answer =
  | { type: 'lines'; job: number; values: unknown[] }
  | { type: 'done'; job: number; value: unknown }
  | { type: 'failed'; job: number; message: string };
