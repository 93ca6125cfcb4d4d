// What the events hold: the objects of `earshot top --json` (docs/analyses/top.md, section 4).
import type { Count } from '../ui/format';

export interface Hello {
  protocol: number;
  earshot: string;
  device: string;
  interval: number;
}

export interface Client {
  clients: number;
  skipped: Count;
  skipped_by_all: Count;
}

export interface Counts {
  records: Count;
  clocks: Count;
  traps: Count;
  interrupts: Count;
}

export interface FunctionRow extends Counts {
  function: string | null;
  entry: string | null;
  hart: number;
}

export interface InstructionRow extends FunctionRow {
  pc: string;
  path: string | null;
  line: Count;
}

export interface HartRow extends Counts {
  hart: number;
  idle_records: Count;
  idle_clocks: Count;
  depth: Count;
  depth_most: Count;
  pc: string;
}

export interface CauseRow {
  kind: string;
  cause: string | null;
  count: Count;
}

export interface Link {
  records: Count;
  received: Count;
  bytes_per_second: Count;
  dropped: Count;
  ring_size: Count;
  ring_fill: Count;
  ring_fill_most: Count;
  held_clocks: Count;
  offered: Count;
  skipped: Count;
  absent: boolean;
}

export interface Interval extends Counts {
  interval: number;
  state: string;
  seconds: number | null;
  live: boolean;
  gaps: Count;
  missing: Count;
  unknown_gaps: Count;
  events: Count;
  idle: { share: number | null; of: string | null };
  decoded: Count;
  classes: Record<string, Count>;
  causes: CauseRow[];
  harts: HartRow[];
  functions: FunctionRow[];
  other_functions: Counts;
  instructions: InstructionRow[];
  other_instructions: Counts;
  limited: boolean;
  capture: Link | null;
}
