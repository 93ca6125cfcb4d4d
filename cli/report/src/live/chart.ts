// Instructions of the last intervals as bars on a canvas. The numbers are in the table beside it.
import { h } from '../ui/dom';
import { count } from '../ui/format';
import { setAttribute } from '../ui/text';

const BARS = 120;
const HEIGHT = 72;

export class Chart {
  readonly element: HTMLCanvasElement;
  private values: number[] = [];

  constructor() {
    this.element = h('canvas', { class: 'live-chart', role: 'img', height: HEIGHT });
    new ResizeObserver(() => this.draw()).observe(this.element);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }

  add(value: number): void {
    this.values = [...this.values, value].slice(-BARS);
    this.draw();
  }

  private draw(): void {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, this.element.clientWidth);
    const canvas = this.element;
    const context = canvas.getContext('2d');
    if (!context) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
    const most = Math.max(...this.values, 0);
    setAttribute(canvas, 'aria-label', `Instructions a second in the last ${count(this.values.length)} intervals, at most ${count(Math.round(most))}. The table of intervals has the numbers.`);
    context.fillStyle = getComputedStyle(canvas).color;
    const step = canvas.width / BARS;
    const first = BARS - this.values.length;
    this.values.forEach((value, index) => {
      const tall = most > 0 ? Math.max(value > 0 ? 1 : 0, (value / most) * (canvas.height - 2)) : 0;
      context.fillRect(Math.round((first + index) * step), canvas.height - tall, Math.max(1, Math.floor(step) - 1), tall);
    });
  }
}
