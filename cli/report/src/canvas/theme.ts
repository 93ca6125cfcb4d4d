// The colours of a chart, from the page's style: canvas.css has them for light, dark and forced
// colours. A colour never says alone what a box is: its text and the line below say it too.

export const HUES = 12;
export const GREY = 12;
export const TRAP = 13;
export const INTERRUPT = 14;
export const GAP = 15;
export const DIM = 16;
export const COLOURS = 17;

/** The colour of a name: equal names have equal ones, in each page. */
export function colourOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return ((hash >>> 8) ^ (hash >>> 20)) % HUES;
}

export interface Theme {
  /** As fillStyle takes them. */
  readonly fill: readonly string[];
  /** The same, stronger, as ImageData takes them without alpha: for what is thinner than two pixels. */
  readonly pixels: Uint32Array;
  readonly text: string;
  readonly soft: string;
  readonly line: string;
  readonly paper: string;
  readonly select: string;
  readonly area: string;
  readonly counter: string;
  readonly forced: boolean;
  readonly font: string;
  readonly small: string;
}

/* What the style calls a colour, as the browser understands it: red, green, blue. */
function toRgb(context: CanvasRenderingContext2D, colour: string): [number, number, number] {
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

/* Farther from the paper: a line of one pixel looks paler than an area. */
function strengthen(colour: [number, number, number], paper: [number, number, number], forced: boolean): [number, number, number] {
  if (forced) return paper[0] > 127 ? [0, 0, 0] : [255, 255, 255];
  const away = (value: number, from: number) => Math.max(0, Math.min(255, Math.round(from + (value - from) * 1.9)));
  return [away(colour[0], paper[0]), away(colour[1], paper[1]), away(colour[2], paper[2])];
}

export function readTheme(element: HTMLElement): Theme {
  const style = getComputedStyle(element);
  const get = (name: string) => style.getPropertyValue(name).trim();
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
  const hues = get('--box-hues').split(/\s+/);
  const names = hues.slice(0, HUES).map((hue) => `hsl(${hue} ${get('--box-saturation')} ${get('--box-lightness')})`);
  const forced = matchMedia('(forced-colors: active)').matches;
  const all = [...names, get('--box-grey'), get('--box-trap'), get('--box-interrupt'), get('--box-gap'), get('--box-dim')];
  const rgb = all.map((colour) => toRgb(context, forced ? get('--box-grey') : colour));
  return {
    fill: rgb.map(([red, green, blue]) => `rgb(${red} ${green} ${blue})`),
    pixels: Uint32Array.from(rgb, (colour) => {
      const [red, green, blue] = strengthen(colour, toRgb(context, get('--chart-paper')), forced);
      return (blue << 16) | (green << 8) | red;
    }),
    text: get('--chart-text'),
    soft: get('--chart-soft'),
    line: get('--chart-line'),
    paper: get('--chart-paper'),
    select: get('--chart-select'),
    area: get('--chart-area'),
    counter: get('--chart-counter'),
    forced,
    font: `12px ${get('--chart-font')}`,
    small: `11px ${get('--chart-small-font')}`,
  };
}
