// Where the core did not do what the ISA says, and what was not checked.
import type { View } from '../report';
import type { Check } from '../shapes';
import { badge, code, definitions, h, heading, number } from '../ui/dom';
import { count, plural } from '../ui/format';
import { record } from '../ui/place';
import { frame, note } from '../ui/section';
import { table } from '../ui/table';
import { endMissing } from '../verdict';
import { append } from '../ui/text';

const RULES: Record<string, string> = {
  order: 'the index of a hart’s instructions never goes back',
  flow: 'an instruction is where the one before it went, but for interrupts',
  operand: 'a register that is read holds what was last written to it',
  result: 'the register that the instruction writes, and the value',
  'next-pc': 'where the instruction goes',
  access: 'address, size and direction of its accesses',
  stored: 'the value that it stores',
  loaded: 'a load returns what was last stored or loaded there',
  trap: 'cause, delegation, handler and CSRs of a trap',
  return: 'mret and sret go to xEPC and restore mstatus',
  csr: 'a CSR that only software changes returns what was written',
  interrupt: 'mie, mideleg, the privilege and mstatus let it through',
  pmp: 'what is executed, loaded and stored is allowed by PMP',
};

interface Rule {
  rule: string;
  counts: Record<string, number>;
}

export const check: View = {
  name: 'check',
  title: 'Check of the core',
  available: (report) => report.section('check', 0) !== undefined,
  async show(root, context) {
    const content = frame(root, context, 'check', 'check');
    if (!content) return;
    const data = await context.report.json<Check & { end_missing?: { after: number; records: number | null } | null }>('check', context.trace);
    const rules: Rule[] = Object.entries(data.rules).map(([rule, counts]) => ({ rule, counts }));
    const reasons = [...new Set(rules.flatMap((row) => Object.keys(row.counts)))]
      .filter((key) => key !== 'checked' && key !== 'violations' && rules.some((row) => row.counts[key]));
    const checked = rules.reduce((sum, row) => sum + (row.counts['checked'] ?? 0), 0);
    append(content, [
      h('p', null, data.violations ? badge('bad', plural(data.violations, 'violation')) : checked ? badge('good', 'No violation in what was checked') : badge('unknown', 'Nothing was checked')),
      data.end_missing ? h('p', null, endMissing(data.end_missing)) : null,
      definitions([['Violations', number(data.violations)], ['Checks', number(checked)], ['Instructions', number(data.instructions)], ['Records', number(data.records)]], 'figures'),
      data.found.length ? [heading(2, 'Violations'), table({
        caption: 'Violations', noun: 'violation', rows: data.found, sort: 'record', down: false,
        columns: [
          { id: 'record', title: 'Record', number: true, key: (row) => row.record, cell: (row) => record(row.record, context.trace) },
          { id: 'rule', title: 'Rule', key: (row) => row.rule, cell: (row) => code(row.rule) },
          { id: 'text', title: 'What is wrong', fit: true, key: (row) => row.text },
          { id: 'expected', title: 'Expected', key: (row) => row.expected, cell: (row) => code(row.expected) },
          { id: 'actual', title: 'In the trace', key: (row) => row.actual, cell: (row) => code(row.actual) },
          { id: 'pc', title: 'pc', wide: true, key: (row) => row.pc, cell: (row) => code(row.pc) },
          { id: 'hart', title: 'Hart', number: true, wide: true, key: (row) => row.hart },
        ],
        filter: (row) => `${row.rule} ${row.text} ${row.pc}`, announce: context.announce,
      }), Number(data.violations) > data.found.length ? note(`${count(data.found.length)} of ${count(data.violations)} are listed.`) : null] : null,
      heading(2, 'What was checked, and what was not'),
      table<Rule>({
        caption: 'Rules', noun: 'rule', rows: rules,
        columns: [
          { id: 'rule', title: 'Rule', key: (row) => row.rule, cell: (row) => code(row.rule) },
          { id: 'what', title: 'What must hold', fit: true, wide: true, key: (row) => RULES[row.rule] ?? '' },
          { id: 'violations', title: 'Violations', number: true, key: (row) => row.counts['violations'] ?? null },
          { id: 'checked', title: 'Checked', number: true, key: (row) => row.counts['checked'] ?? null },
          ...reasons.map((reason) => ({ id: reason, title: `Not: ${reason}`, number: true, wide: true, help: REASONS[reason] ?? '', key: (row: Rule) => row.counts[reason] ?? null })),
        ],
        announce: context.announce,
      }),
      h('ul', { class: 'note' }, reasons.filter((reason) => REASONS[reason]).map((reason) => h('li', null, h('b', null, reason), `: ${REASONS[reason]}`))),
    ]);
  },
};

const REASONS: Record<string, string> = {
  absent: 'the trace does not show what the rule needs',
  unknown: 'the value is not known at this place',
  extension: 'the instruction is of an extension that the check does not know',
  changes: 'the byte changes by itself, so it is not checked',
};
