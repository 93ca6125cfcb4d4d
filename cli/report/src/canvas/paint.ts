// Draws the rows of boxes that can be seen. What is thinner than two pixels goes into a strip, an
// image with one line a row, which is then stretched to the height of each row: one putImageData and
// one drawImage a row, where a fillRect for each pixel took four times as long.
import { type Boxes, cull, type Longest, type Range } from './boxes';
import { COLOURS, type Theme } from './theme';
import { fillText, visible } from '../ui/text';

export interface Layout {
  /** Where each row begins, from the top of the chart, in pixels of the style; rising. */
  readonly top: Float64Array;
  readonly rowHeight: number;
  readonly height: number;
}

export interface Scene {
  readonly boxes: Boxes;
  readonly longest: Longest;
  /** Sums of lengths: sum[i] of all boxes before i. */
  readonly sum: Float64Array;
  readonly layout: Layout;
  label(box: number): string;
}

export interface Frame {
  readonly context: CanvasRenderingContext2D;
  readonly theme: Theme;
  readonly range: Range;
  readonly width: number;
  /** The band that is drawn, from the top of the canvas. */
  readonly from: number;
  readonly to: number;
  /** How far the chart is scrolled down. */
  readonly scroll: number;
  readonly ratio: number;
}

const TEXT_MIN = 40;
const PAD = 4;

/** sum[i]: the lengths of all boxes before i. */
export function sumLengths({ begin, end }: Boxes): Float64Array {
  const sum = new Float64Array(begin.length + 1);
  for (let i = 0; i < begin.length; i++) sum[i + 1] = (sum[i] as number) + (end[i] as number) - (begin[i] as number);
  return sum;
}

/** The rows that a frame shows: [from, to). */
export function rowsSeen(layout: Layout, scroll: number, height: number): [number, number] {
  let from = 0;
  let to = layout.top.length;
  for (let low = 0, high = to; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((layout.top[middle] as number) + layout.rowHeight <= scroll) low = middle + 1;
    else high = middle;
    from = low;
  }
  for (let low = from, high = to; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((layout.top[middle] as number) < scroll + height) low = middle + 1;
    else high = middle;
    to = low;
  }
  return [from, Math.max(from, to)];
}

/** Text that fits into so many pixels; empty if not even three letters do. */
export function fit(text: string, width: number, letter: number): string {
  const letters = Math.floor(width / letter);
  const shown = visible(text.slice(0, letters + 1)); // names may be long
  if (shown.length <= letters) return shown;
  return letters < 3 ? '' : `${shown.slice(0, letters - 1)}…`;
}

export class Painter {
  private readonly strip = document.createElement('canvas');
  private readonly stripContext = this.strip.getContext('2d') as CanvasRenderingContext2D;
  private image: ImageData | undefined;

  paint(scene: Scene, frame: Frame): void {
    const { context, theme, range, ratio } = frame;
    const [from, to] = rowsSeen(scene.layout, frame.scroll + frame.from, frame.to - frame.from);
    if (to <= from) return;
    const pixels = Math.max(1, Math.round(frame.width * ratio));
    const { pixels: strip, image } = this.clearStrip(pixels, to - from);
    const wide: number[][] = Array.from({ length: COLOURS }, () => []);
    const labelled: number[] = [];
    const scale = pixels / (range.end - range.begin);
    const { boxes, sum } = scene;
    let thin = false;
    let row = from;
    let line = 0;
    const sink = {
      wide(box: number) {
        const left = Math.max(0, ((boxes.begin[box] as number) - range.begin) * scale);
        const right = Math.min(pixels, ((boxes.end[box] as number) - range.begin) * scale);
        (wide[boxes.colour[box] as number] as number[]).push(left / ratio, (right - left) / ratio, row);
        if ((right - left) / ratio >= TEXT_MIN) labelled.push(box, left / ratio, (right - left) / ratio, row);
      },
      thin(pixel: number, longest: number, first: number, next: number) {
        if (pixel >= pixels) return;
        const length = (sum[next] as number) - (sum[first] as number);
        const covered = length > 0 ? Math.min(1, length * scale) : 1; // a moment has no length
        const alpha = 110 + Math.round(145 * covered);
        strip[line + pixel] = (((alpha << 24) | (theme.pixels[boxes.colour[longest] as number] as number)) >>> 0);
        thin = true;
      },
    };
    for (; row < to; row++, line += pixels) cull(boxes, scene.longest, row, range, pixels, sink);
    const y = (row: number) => (scene.layout.top[row] as number) - frame.scroll;
    const box = scene.layout.rowHeight - 1;
    if (thin) {
      this.stripContext.putImageData(image, 0, 0);
      context.imageSmoothingEnabled = false;
      for (let row = from; row < to; row++) {
        context.drawImage(this.strip, 0, row - from, pixels, 1, 0, y(row), frame.width, box);
      }
    }
    this.paintWide(wide, frame, y, box);
    this.paintText(scene, labelled, frame, y, box);
  }

  private clearStrip(width: number, height: number): { image: ImageData; pixels: Uint32Array } {
    if (!this.image || this.image.width !== width || this.image.height < height) {
      this.strip.width = width;
      this.strip.height = height;
      this.image = this.stripContext.createImageData(width, height);
    }
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(0);
    return { image: this.image, pixels };
  }

  private paintWide(wide: number[][], frame: Frame, y: (row: number) => number, height: number): void {
    const { context, theme } = frame;
    wide.forEach((list, colour) => {
      context.fillStyle = theme.fill[colour] as string;
      for (let i = 0; i < list.length; i += 3) {
        const width = list[i + 1] as number;
        context.fillRect(list[i] as number, y(list[i + 2] as number), width > 3 ? width - 1 : width, height);
      }
      if (!theme.forced) return;
      context.strokeStyle = theme.text;
      context.lineWidth = 1;
      for (let i = 0; i < list.length; i += 3) {
        context.strokeRect((list[i] as number) + 0.5, y(list[i + 2] as number) + 0.5, Math.max(1, (list[i + 1] as number) - 2), height - 1);
      }
    });
  }

  private paintText(scene: Scene, labelled: number[], frame: Frame, y: (row: number) => number, height: number): void {
    const { context, theme } = frame;
    context.font = theme.font;
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    context.direction = 'ltr';
    context.fillStyle = theme.text;
    const letter = context.measureText('0').width;
    for (let i = 0; i < labelled.length; i += 4) {
      const width = (labelled[i + 2] as number) - 2 * PAD;
      const text = fit(scene.label(labelled[i] as number), width, letter);
      if (!text) continue;
      // A letter outside of Latin may be wider than its neighbours: maxWidth squeezes it in.
      fillText(context, text, (labelled[i + 1] as number) + PAD, y(labelled[i + 3] as number) + height / 2 + 0.5, width);
    }
  }
}
