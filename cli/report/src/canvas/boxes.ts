// Boxes in rows, and which of them can be seen. A view of a million boxes has some thousand pixels:
// so the work of a frame must grow with pixels and rows, not with boxes.
//
// A box of two pixels or more is drawn by itself. Thinner ones share a pixel: it takes the colour of
// the longest box in it, and then a galloping search jumps to the first box of the next pixel. The
// longest of a range comes from a pyramid of maxima, the covered part of a pixel from running sums.

export interface Boxes {
  readonly rows: number;
  /** Row r holds the boxes first[r] .. first[r + 1] - 1, by their begin; they do not overlap. */
  readonly first: Uint32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** Index into the palette. */
  readonly colour: Uint8Array;
}

export interface Range {
  readonly begin: number;
  readonly end: number;
}

const SHIFT = 4;
const BLOCK = 1 << SHIFT;

/** Finds the longest box of a range in some forty steps. */
export class Longest {
  /** `levels` are those of another one, of the same boxes. */
  constructor(private readonly boxes: Boxes, readonly levels: Uint32Array[] = [], later = levels.length > 0) {
    if (later) return;
    const steps = this.build();
    while (!steps.next().done);
  }

  /** As the constructor, in steps. */
  static async make(boxes: Boxes, pace: { rest(): Promise<void> }): Promise<Longest> {
    const made = new Longest(boxes, [], true);
    for (const steps = made.build(); !steps.next().done; ) await pace.rest();
    return made;
  }

  private *build(): Generator<undefined> {
    const { begin, end } = this.boxes;
    let count = begin.length; // below 2^27, so that no shift overflows
    let below: Uint32Array | undefined;
    while (count > BLOCK) {
      const size = Math.ceil(count / BLOCK);
      const level = new Uint32Array(size);
      for (let i = 0; i < size; i++) {
        const stop = Math.min(count, (i + 1) * BLOCK);
        let best = below ? (below[i * BLOCK] as number) : i * BLOCK;
        let bestLength = (end[best] as number) - (begin[best] as number);
        for (let k = i * BLOCK + 1; k < stop; k++) {
          const other = below ? (below[k] as number) : k;
          const length = (end[other] as number) - (begin[other] as number);
          if (length > bestLength) {
            best = other;
            bestLength = length;
          }
        }
        level[i] = best;
        if (i % 2048 === 2047) yield;
      }
      this.levels.push(level);
      below = level;
      count = size;
    }
  }

  length(box: number): number {
    return (this.boxes.end[box] as number) - (this.boxes.begin[box] as number);
  }

  /** The longest of from .. to - 1, which is not empty; the first of several. */
  find(from: number, to: number): number {
    const { begin, end } = this.boxes;
    let best = from;
    let bestLength = (end[from] as number) - (begin[from] as number);
    // Up from the left while a block is whole, then down to the right.
    for (let at = from + 1; at < to; ) {
      let shift = 0;
      let level = -1;
      while (level + 1 < this.levels.length) {
        const wider = shift + SHIFT;
        if (at & ((1 << wider) - 1) || at + (1 << wider) > to) break;
        shift = wider;
        level++;
      }
      const box = level < 0 ? at : ((this.levels[level] as Uint32Array)[at >>> shift] as number);
      const length = (end[box] as number) - (begin[box] as number);
      if (length > bestLength) {
        best = box;
        bestLength = length;
      }
      at += 1 << shift;
    }
    return best;
  }
}

/** The first of from .. to - 1 that begins at `position` or later; `to` if none does. */
export function lowerBound(begin: Float64Array, position: number, from: number, to: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((begin[middle] as number) < position) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** As lowerBound, in steps that double: quick where the answer is near `from`. */
export function gallop(begin: Float64Array, position: number, from: number, to: number): number {
  let step = 1;
  let low = from;
  while (low < to && (begin[low] as number) < position) {
    from = low + 1;
    low += step;
    step *= 2;
  }
  return lowerBound(begin, position, from, Math.min(low, to));
}

/** The first box of a row that may reach into what begins at `position`. */
export function firstFrom(boxes: Boxes, row: number, position: number): number {
  const from = boxes.first[row] as number;
  const to = boxes.first[row + 1] as number;
  const next = lowerBound(boxes.begin, position, from, to);
  return next > from && (boxes.end[next - 1] as number) > position ? next - 1 : next;
}

/** What cull() reports to. */
export interface Sink {
  /** A box of at least two pixels. */
  wide(box: number): void;
  /** One pixel that holds the boxes from .. to - 1, the longest of which is `longest`. */
  thin(pixel: number, longest: number, from: number, to: number): void;
}

/** Reports what of a row is seen in `range` on so many pixels: from left to right. */
export function cull(boxes: Boxes, longest: Longest, row: number, range: Range, pixels: number, sink: Sink): void {
  const { begin, end, first } = boxes;
  const to = first[row + 1] as number;
  const scale = pixels / (range.end - range.begin);
  let box = firstFrom(boxes, row, range.begin);
  while (box < to && (begin[box] as number) < range.end) {
    if (((end[box] as number) - (begin[box] as number)) * scale >= 2) {
      sink.wide(box++);
      continue;
    }
    const pixel = Math.max(0, Math.floor(((begin[box] as number) - range.begin) * scale));
    let next = Math.max(box + 1, gallop(begin, range.begin + (pixel + 1) / scale, box + 1, to));
    // Only the last one that begins in this pixel can be wide.
    const last = next - 1;
    if (last > box && ((end[last] as number) - (begin[last] as number)) * scale >= 2) next = last;
    sink.thin(pixel, longest.find(box, next), box, next);
    box = next;
  }
}

/** The box at a position, or one within `slack` of it; -1 if there is none. */
export function hit(boxes: Boxes, row: number, position: number, slack: number): number {
  const from = boxes.first[row] as number;
  const to = boxes.first[row + 1] as number;
  const next = lowerBound(boxes.begin, position, from, to);
  let best = -1;
  let distance = slack;
  for (const box of [next - 1, next]) {
    if (box < from || box >= to) continue;
    const away = Math.max((boxes.begin[box] as number) - position, position - (boxes.end[box] as number), 0);
    if (away <= distance && (best < 0 || away < distance)) {
      best = box;
      distance = away;
    }
  }
  return best;
}

/** The row of a box. */
export function rowOf(boxes: Boxes, box: number): number {
  let low = 0;
  let high = boxes.rows;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if ((boxes.first[middle] as number) <= box) low = middle;
    else high = middle;
  }
  // Empty rows begin at the same box.
  while (low > 0 && (boxes.first[low] as number) > box) low--;
  while (low + 1 < boxes.rows && (boxes.first[low + 1] as number) <= box) low++;
  return low;
}
