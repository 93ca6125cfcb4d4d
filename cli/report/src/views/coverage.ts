// Which lines ran: files, and what did not run in each.
import type { Context, View } from '../report';
import type { Annotate, AnnotatedLine, Coverage, CoverageFile, Covered } from '../shapes';
import { bar, definitions, h, heading, link, name, unknown } from '../ui/dom';
import { address } from '../app';
import { count, plural } from '../ui/format';
import { frame, note } from '../ui/section';
import { table } from '../ui/table';
import { append } from '../ui/text';

const MOST = 4000; // lines of one file

function sums(total: Covered): HTMLElement {
  const row = (hit: number, all: number): HTMLElement => h('span', null, `${count(hit)} of ${count(all)}`, bar(hit, all));
  return definitions([
    ['Lines', row(total.lines_hit, total.lines)],
    ['Functions', row(total.functions_hit, total.functions)],
    ['Ways of branches', row(total.branches_hit, total.branches)],
  ], 'figures');
}

function hits(hit: number, all: number): HTMLElement {
  return h('span', null, `${count(hit)} of ${count(all)}`);
}

export const coverage: View = {
  name: 'coverage',
  title: 'Coverage',
  available: (report) => report.section('coverage', 0) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'coverage', 'coverage of lines');
    if (!content) return;
    const data = await context.report.json<Coverage>('coverage', context.trace);
    const path = context.parameters.get('file');
    const file = data.files.find((entry) => entry.path === path);
    if (file) {
      append(content, [h('p', null, link('← All files', address('coverage'))), heading(2, name(file.path)), sums(file), missing(file, await textsOf(context, file.path))]);
      return;
    }
    append(content, [sums(data.total), table<CoverageFile>({
      caption: 'Files',
      noun: 'file',
      rows: data.files,
      sort: context.parameters.get('sort') ?? 'path',
      down: context.parameters.get('order') === 'down',
      filter: (row) => row.path,
      filterText: context.parameters.get('filter') ?? '',
      columns: [
        { id: 'path', title: 'File', fit: true, key: (row) => row.path, cell: (row) => h('a', { href: address('coverage', { file: row.path }) }, name(row.path)) },
        { id: 'share', title: 'Lines that ran', number: true, key: (row) => (row.lines ? row.lines_hit / row.lines : null), cell: (row) => bar(row.lines_hit, row.lines) },
        { id: 'lines', title: 'Lines', number: true, key: (row) => row.lines_hit, cell: (row) => hits(row.lines_hit, row.lines) },
        { id: 'functions', title: 'Functions', number: true, key: (row) => row.functions_hit, cell: (row) => hits(row.functions_hit, row.functions) },
        { id: 'branches', title: 'Ways of branches', number: true, key: (row) => row.branches_hit, cell: (row) => hits(row.branches_hit, row.branches) },
      ],
      changed: (state) => context.keep({ sort: state.sort, ...(state.down ? { order: 'down' } : {}), ...(state.filter ? { filter: state.filter } : {}) }),
      announce: context.announce,
    }), note('Branches are those of the machine, with two ways each: this is neither condition coverage nor MC/DC.')]);
  },
};

type Lines = Map<number, AnnotatedLine>;

/** The lines of a file that the hot functions' source has. */
async function textsOf(context: Context, path: string): Promise<Lines> {
  const texts: Lines = new Map();
  if (context.report.section('annotate', context.trace)?.kind !== 'json') return texts;
  const data = await context.report.json<Annotate>('annotate', context.trace);
  for (const row of data.functions)
    for (const line of row.lines) {
      if (line.file !== path || line.text === null) continue;
      const old = texts.get(line.line);
      if (!old || Number(line.records ?? 0) > Number(old.records ?? 0)) texts.set(line.line, line);
    }
  return texts;
}

// Source with marks: what did not run, and around it what the page has of the file.
function listing(ranges: [number, number][], texts: Lines, path: string): HTMLElement {
  // A range of which no text is known is one row.
  const known = [...texts.keys()].sort((a, b) => a - b);
  const rows = [
    ...known.map((line) => ({ first: line, last: line, missed: ranges.some(([first, last]) => first <= line && line <= last) && texts.get(line)?.records !== null })),
    ...ranges.filter(([first, last]) => !known.some((line) => first <= line && line <= last)).map(([first, last]) => ({ first, last, missed: true })),
  ].sort((a, b) => a.first - b.first).slice(0, MOST);
  const body = h('tbody');
  rows.forEach(({ first, last, missed }, index) => {
    if (index && first > (rows[index - 1]?.last ?? 0) + 1) body.appendChild(h('tr', { class: 'file' }, h('th', { colspan: 3, scope: 'rowgroup' }, '⋯')));
    const line = texts.get(first);
    const ran = Number(line?.records ?? 0) > 0;
    const state = missed ? 'missed' : ran ? 'ran' : undefined;
    body.appendChild(h('tr', { class: state },
      h('td', { class: 'line-number' }, first === last ? String(first) : `${first}–${last}`),
      h('td', { class: 'state' }, state === 'missed' ? ['✕', h('span', { class: 'sr' }, ' did not run')] : state ? ['✓', h('span', { class: 'sr' }, ' ran')] : null),
      h('td', { class: 'text' }, !line || line.text === null ? unknown('the page has the source of the hottest functions only') : h('bdi', null, line.text.replace(/\t/g, '    ') || ' '))));
  });
  return h('div', { class: 'scroll tall', tabindex: 0, role: 'region', 'aria-label': 'Source with marks' },
    h('table', { class: 'listing' }, h('caption', { class: 'sr' }, `Source of ${path}`),
      h('thead', null, h('tr', null, ['Line', 'Ran', 'Source'].map((title) => h('th', { scope: 'col', class: 'plain' }, title)))), body));
}

function missing(file: CoverageFile, texts: Lines): HTMLElement {
  const { uncovered_functions: functions, uncovered_lines: lines } = file;
  if (!functions && !lines) return note('Which lines did not run is not in this report: the command lists them with --uncovered.');
  const ranges = lines ?? [];
  return h('div', null,
    heading(3, `Functions that did not run: ${count(functions?.length ?? 0)}`),
    functions?.length ? h('ul', null, functions.map((entry) => h('li', null, name(entry.name), h('span', { class: 'soft' }, ` line ${entry.line}`)))) : note('All functions ran.'),
    heading(3, `Lines that did not run: ${plural(file.lines - file.lines_hit, 'line')}`),
    ranges.length ? h('ul', { class: 'ranges' }, ranges.map(([first, last]) => h('li', null, `✕ ${first === last ? first : `${first}–${last}`}`))) : note('All lines ran.'),
    ranges.length || texts.size ? [heading(3, 'In the source'), note('✕ did not run, ✓ ran; a range may have lines without code. The text is that of the hottest functions: ', link('Hot source', address('source')), ' has their counts.'), listing(ranges, texts, file.path)] : null);
}
