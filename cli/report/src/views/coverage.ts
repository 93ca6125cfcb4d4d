// Which lines ran: files, and what did not run in each.
import type { View } from '../report';
import type { Coverage, CoverageFile, Covered } from '../shapes';
import { bar, definitions, h, heading, link, name } from '../ui/dom';
import { address } from '../app';
import { count, plural } from '../ui/format';
import { frame, note } from '../ui/section';
import { table } from '../ui/table';
import { append } from '../ui/text';

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
      append(content, [h('p', null, link('← All files', address('coverage'))), heading(2, name(file.path)), sums(file), missing(file)]);
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

function missing(file: CoverageFile): HTMLElement {
  const { uncovered_functions: functions, uncovered_lines: lines } = file;
  if (!functions && !lines) return note('Which lines did not run is not in this report: the command lists them with --uncovered.');
  const ranges = lines ?? [];
  return h('div', null,
    heading(3, `Functions that did not run: ${count(functions?.length ?? 0)}`),
    functions?.length ? h('ul', null, functions.map((entry) => h('li', null, name(entry.name), h('span', { class: 'soft' }, ` line ${entry.line}`)))) : note('All functions ran.'),
    heading(3, `Lines that did not run: ${plural(file.lines - file.lines_hit, 'line')}`),
    ranges.length ? h('ul', { class: 'ranges' }, ranges.map(([first, last]) => h('li', null, `✕ ${first === last ? first : `${first}–${last}`}`))) : note('All lines ran.'));
}
