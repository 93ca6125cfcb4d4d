// Opens the report of a document: reads its head, and decodes sections when a view asks for them.
import { type Columns, type Head, type Report, ReportError, type Section, type SectionKind } from '../report';
import { makeColumns, type RawColumns } from './columns';
import { type BuiltTimeline, finishTimeline, type RecordLine, type Timeline } from '../canvas/tracks';
import { Decoder } from './decoder';
import type { Wanted } from './messages';

const FORMAT = 1;
const KINDS: readonly SectionKind[] = ['json', 'lines', 'columns', 'none'];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function readSection(value: unknown, index: number): Section {
  const bad = (what: string): never => {
    throw new ReportError(`The head of this page is damaged: section ${index} has no valid ${what}. Make the page again.`);
  };
  if (!isObject(value)) return bad('description');
  const { name, trace, command, status, messages, kind, bytes, crc32, chunks } = value;
  if (typeof name !== 'string') return bad('name');
  if (!isCount(trace) && trace !== -1) return bad('trace');
  if (typeof command !== 'string') return bad('command');
  if (typeof status !== 'number') return bad('status');
  if (!isTexts(messages)) return bad('messages');
  const known = KINDS.find((one) => one === kind) ?? bad('kind');
  if (known === 'none') return { name, trace, command, status, messages, kind: known, bytes: 0, crc32: '00000000', chunks: 0 };
  if (!isCount(bytes)) return bad('bytes');
  if (typeof crc32 !== 'string') return bad('crc32');
  if (!isCount(chunks)) return bad('chunks');
  return { name, trace, command, status, messages, kind: known, bytes, crc32, chunks };
}

/** The head of a page from its text. Throws ReportError. */
export function readHead(text: string): Head {
  let head: unknown;
  try {
    head = JSON.parse(text);
  } catch (error) {
    throw new ReportError(`The head of this page is damaged (${String(error)}). Make the page again.`);
  }
  if (!isObject(head)) throw new ReportError('The head of this page is damaged. Make the page again.');
  if (head['format'] !== FORMAT) {
    throw new ReportError(`This page holds data of format ${String(head['format'])}, and its program reads format ${FORMAT}.`);
  }
  const { version, title, created, traces, left_out, sections } = head;
  const isName = (one: unknown) => isObject(one) && typeof one['name'] === 'string' && typeof one['path'] === 'string';
  if (
    typeof version !== 'string' ||
    typeof title !== 'string' ||
    typeof created !== 'string' ||
    !Array.isArray(traces) ||
    !traces.every(isName) ||
    !isTexts(left_out) ||
    !Array.isArray(sections)
  ) {
    throw new ReportError('The head of this page is damaged: it lacks what each page has. Make the page again.');
  }
  return { format: FORMAT, version, title, created, traces: traces as Head['traces'], left_out, sections: sections.map(readSection) };
}

class PageReport implements Report {
  private readonly decoder = new Decoder();
  private readonly decoded = new Map<Section, Promise<unknown>>();
  private readonly measured = new Map<Section, Promise<unknown>>();
  private readonly elements = new Map<Section, Element[]>();

  constructor(
    private readonly page: Document,
    readonly head: Head,
  ) {}

  section(name: string, trace = 0): Section | undefined {
    return this.head.sections.find((section) => section.name === name && section.trace === trace);
  }

  async json<T>(name: string, trace = 0): Promise<T> {
    return (await this.data(name, trace, 'json')) as T;
  }

  async lines<T>(name: string, trace = 0): Promise<T[]> {
    return (await this.data(name, trace, 'lines')) as T[];
  }

  async columns(name: string, trace = 0): Promise<Columns> {
    return (await this.data(name, trace, 'columns')) as Columns;
  }

  async sizes(name: string, trace = 0): Promise<ReadonlyMap<string, number>> {
    const section = this.sectionOf(name, trace, 'columns');
    let promise = this.measured.get(section);
    if (!promise) {
      promise = this.decode(section, 'sizes');
      this.measured.set(section, promise);
    }
    return new Map(Object.entries((await promise) as Record<string, number>));
  }

  async timeline(trace: number, records: () => Promise<readonly RecordLine[]>): Promise<Timeline> {
    const section = this.sectionOf('timeline', trace, 'columns');
    let promise = this.decoded.get(section);
    if (!promise) {
      promise = (async () => {
        void this.sizes('timeline', trace).catch(() => undefined); // unpacked while the records are
        const { raw, built } = (await this.decode(section, 'timeline', await records())) as { raw: RawColumns; built: BuiltTimeline };
        return finishTimeline(makeColumns(raw), built);
      })();
      this.decoded.set(section, promise);
    }
    return promise as Promise<Timeline>;
  }

  private sectionOf(name: string, trace: number, kind: SectionKind): Section {
    const section = this.section(name, trace);
    if (!section) throw new ReportError(`This page has no section ${name}.`);
    if (section.kind === 'none') {
      throw new ReportError(`There is no data of ${section.command}: ${section.messages.join(' ') || `exit status ${section.status}`}`);
    }
    if (section.kind !== kind) throw new ReportError(`The section ${name} holds ${section.kind}, not ${kind}.`);
    return section;
  }

  private async data(name: string, trace: number, kind: SectionKind): Promise<unknown> {
    const section = this.sectionOf(name, trace, kind);
    let promise = this.decoded.get(section);
    if (!promise) {
      promise = this.decode(section, 'all').then((value) => (kind === 'columns' ? makeColumns(value as RawColumns) : value));
      this.decoded.set(section, promise);
    }
    return promise;
  }

  private async decode(section: Section, wanted: Wanted, argument?: unknown): Promise<unknown> {
    const index = this.head.sections.indexOf(section);
    const elements = this.elements.get(section) ?? this.chunks(section, index);
    this.elements.set(section, elements);
    try {
      return await this.decoder.decode(index, section, section.chunks, (chunk) => {
        const element = elements[chunk] as Element;
        const text = (element.textContent ?? '').trim();
        element.remove(); // its text would be held twice
        return text;
      }, wanted, argument);
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      throw new ReportError(
        `The section ${section.name} of this page is damaged: ${what}. The file changed after it was written; make it again with earshot report, or run: ${section.command}`,
      );
    }
  }

  private chunks(section: Section, index: number): Element[] {
    const found = [...this.page.querySelectorAll(`script[data-section="${index}"]`)];
    const elements = Array.from({ length: Math.min(section.chunks, found.length) }, (_, chunk) =>
      found.find((element) => element.getAttribute('data-chunk') === String(chunk)),
    );
    const missing = elements.indexOf(undefined);
    if (missing >= 0 || elements.length !== section.chunks || found.length !== section.chunks) {
      throw new ReportError(
        `The section ${section.name} of this page is damaged: ${found.length} of its ${section.chunks} chunks are there. The file was cut; get it again, or run: ${section.command}`,
      );
    }
    return elements as Element[];
  }
}

/** The report that a document holds. Throws ReportError if there is none, or its head is damaged. */
export function openReport(page: Document): Report {
  const element = page.getElementById('earshot-head');
  if (!element) throw new ReportError('This page holds no report: its head is missing. The file was cut or changed; get it again.');
  return new PageReport(page, readHead(element.textContent ?? ''));
}
