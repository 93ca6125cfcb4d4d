// What the commands print with --json, as far as the page reads it. A member that a command leaves out, or that is
// null, is not known.
import type { Count } from './ui/format';

export type Info = Record<string, unknown> & {
  program?: string;
  program_path?: string;
  format?: string;
  records?: Count;
  harts?: Count;
  lost?: Count;
  missing?: Count;
  missing_at_least?: boolean;
  gaps?: Count;
  accounted?: boolean | null;
  complete?: boolean | null;
};

export interface Verdict {
  complete?: boolean | null;
  accounted?: boolean | null;
}

export interface At {
  record: number;
  position: number;
  pc: string;
  symbol?: string;
  line?: string;
  instruction: string;
  next_pc?: string;
}

// A register or memory.
export interface Where {
  register?: string;
  hart?: number;
  address?: string;
  size?: number;
  symbol?: string;
  member?: string;
}

export interface ChainSource extends Where {
  value: string | null;
  is_address: boolean;
  node: number | null;
  end?: string;
}

export interface ChainNode extends At {
  writes: Where;
  before: string | null;
  after: string | null;
  end: string | null;
  folded?: number;
  first_record?: number;
  sources: ChainSource[];
}

export interface Value extends Where {
  role: string;
  before: number;
  value: string | null;
  limited: boolean;
  roots: ChainSource[];
  nodes: ChainNode[];
}

export interface Difference {
  registers: (Where & { then: string; now: string })[];
  before: At | null;
  branch_then: At | null;
  branch_now: At | null;
  interrupt: At | null;
  quiet_rounds: number;
}

export interface Why extends Verdict {
  end_missing: { after: number; records: Count } | null;
  values_inferred?: boolean;
  kind: string;
  text: string;
  hart: number;
  end_reason: string;
  cause?: number;
  trap_value?: string;
  nested?: number;
  code?: Count;
  rounds?: Count;
  period?: Count;
  overflow_sp?: string;
  overflow_calls?: Count;
  core_text?: string;
  earlier: boolean;
  interrupts_off: boolean;
  leaves_if?: string | null;
  exits_if?: (string | null)[];
  core: At | null;
  place: At | null;
  jump: At | null;
  branch: At | null;
  choice: At | null;
  loop: At | null;
  skip: At | null;
  overflow: At | null;
  exits: At[];
  changed: (Where & { then: string; now: string; write: At | null; interrupt: At | null }) | null;
  lost?: (Where & { load: At; interrupt: At | null; other: At; store: At; loaded: string; other_value: string; stored: string; count: number }) | null;
  blocks: { position: number; address: string; block: Block }[];
  memory_errors: MemoryError[];
  memory_error_count: number;
  calls: { pc: string; symbol?: string; line?: string; kind: string }[];
  call_count: number;
  values: Value[];
  difference: Difference | null;
  after_write: At | null;
  after: Difference | null;
}

export interface Moment {
  record: number;
  pc: string | null;
  function: string | null;
  line: string | null;
}

export interface Block {
  address: string;
  size: number;
  function: string | null;
  allocated?: Moment;
  freed?: Moment;
  before_allocated?: Moment;
  before_freed?: Moment;
}

export interface MemoryError {
  kind: string;
  hart: number;
  count: number;
  at: Moment;
  caller?: Moment;
  address: string;
  size?: number;
  write?: boolean;
  limit?: string;
  source?: string;
  object?: { name: string; address: string; size: number };
  hit?: string;
  decides?: Moment;
  returned?: Moment;
  block?: Block;
}

export interface Errors extends Verdict {
  records: Count;
  gaps: Count;
  allocations: Count;
  frees: Count;
  errors: MemoryError[];
}

export type Counts = Record<string, Count>;

export interface ProfileFunction {
  name: string | null;
  entry: string | null;
  self: Counts;
  inclusive: Counts;
  inlined?: boolean;
  calls: Count;
}

export interface Profile extends Verdict {
  total: Counts;
  gaps: Count;
  without_path: Count;
  limited: boolean;
  functions: ProfileFunction[];
}

export interface Call {
  number: number;
  last: Count;
  hart: number;
  depth: number;
  kind: string;
  end: string;
  records: Count;
  at_least?: number; // records so far, of a call without an end
  at_least_clocks?: number;
  clocks: Count;
  function: string | null;
  entry: string;
  caller: string | null;
  call_pc: string;
}

export type Row = Record<string, string | number | boolean | null>;

export interface Coverage extends Verdict {
  files: CoverageFile[];
  total: Covered;
}

export interface Covered {
  lines: number;
  lines_hit: number;
  functions: number;
  functions_hit: number;
  branches: number;
  branches_hit: number;
}

export interface CoverageFile extends Covered {
  path: string;
  uncovered_functions?: { name: string; line: number }[];
  uncovered_lines?: [number, number][];
}

export interface Isa extends Verdict {
  xlen: number;
  extensions: string;
  hit: number;
  bins: number;
  unknown: number;
  rows: { group: string; name: string; bin: string; count: Count; section: string }[];
}

export interface Stat {
  traces: Counts[];
  total?: Counts;
}

export interface Check extends Verdict {
  found: { record: number; hart: number; pc: string; rule: string; expected: string; actual: string; text: string; place?: string }[];
  records: Count;
  instructions: Count;
  violations: number;
  rules: Record<string, Record<string, number>>;
}

export interface Branches extends Verdict {
  branches: Row[];
  total: Row;
}

export interface Memory extends Verdict {
  records: Count;
  reads: Count;
  writes: Count;
  gaps: Count;
  allocations?: Count;
  frees?: Count;
  failed?: Count;
  live?: Count;
  live_bytes?: Count;
  peak_bytes?: Count;
  [view: string]: unknown;
}

export interface By extends Verdict {
  by: string;
  rows: { counts: Counts; task?: Count; pid?: Count; process?: Count; name?: string | null }[];
}

export interface Annotate extends Verdict {
  total: Counts;
  left_out: number;
  functions: AnnotatedFunction[];
  sources_missing: string[];
}

export interface AnnotatedFunction {
  name: string | null;
  entry: string | null;
  inlined: boolean;
  file: string | null;
  line: number | null;
  records: Count;
  clocks: Count;
  listed: Count;
  limited: boolean;
  instructions: AnnotatedInstruction[];
  lines: AnnotatedLine[];
}

export interface AnnotatedInstruction {
  address: string;
  records: Count;
  clocks: Count;
  taken: Count;
  not_taken: Count;
  traps: Count;
  interrupts: Count;
  text: string | null;
  changed: boolean;
  file: string | null;
  line: number | null;
  inlined: { function: string; into: string; file: string | null; line: number | null }[];
}

export interface AnnotatedLine {
  file: string;
  line: number;
  text: string | null;
  records: Count;
  clocks: Count;
}
