// A tree of calls as arrays, and its boxes: row = depth, width = what a node and all below it cost.
// Never by recursion: a tree may be as deep as the traced program's stack.
import { breathe } from '../data/breathe';
import type { Boxes } from './boxes';

/** Node 0 is the root; a parent has a lower number than its children. */
export interface Tree {
  readonly parent: Int32Array;
  /** Index of the name, of the kind. */
  readonly name: Uint32Array;
  readonly kind: Uint32Array;
  readonly self: Float64Array;
  /** With all below. */
  readonly total: Float64Array;
}

export interface Placed {
  readonly tree: Tree;
  readonly boxes: Boxes;
  /** The node of a box, and the box of a node or -1. */
  readonly node: Uint32Array;
  readonly box: Int32Array;
  /** The children of a node in order: children[childFrom[node]] .. children[childFrom[node + 1] - 1]. */
  readonly children: Uint32Array;
  readonly childFrom: Uint32Array;
}

/** Adds up `self` from the leaves to the root. */
export function addUp(parent: Int32Array, self: Float64Array): Float64Array {
  const total = Float64Array.from(self);
  for (let node = total.length - 1; node > 0; node--) (total[parent[node] as number] as number) += total[node] as number;
  return total;
}

/** The nodes by falling value; equal ones keep their order. A radix sort of the doubles' bits. */
export function byValue(values: Float64Array): Uint32Array {
  const count = values.length;
  const bits = new Uint16Array(values.buffer.slice(values.byteOffset, values.byteOffset + 8 * count));
  let from = Uint32Array.from({ length: count }, (_, i) => i);
  let to = new Uint32Array(count);
  const starts = new Uint32Array(65537);
  for (let digit = 0; digit < 4; digit++) {
    starts.fill(0);
    for (let i = 0; i < count; i++) (starts[65536 - (bits[4 * i + digit] as number)] as number)++;
    if (starts.includes(count)) continue; // all are equal here
    for (let i = 1; i <= 65536; i++) (starts[i] as number) += starts[i - 1] as number;
    for (let i = 0; i < count; i++) {
      const node = from[i] as number;
      // A larger digit comes first: its place begins where all larger ones end.
      const key = 65535 - (bits[4 * node + digit] as number);
      to[(starts[key] as number)++] = node;
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Places the children of each node in the order of `list`, which names a parent before its children. */
export function place(tree: Tree, list: ArrayLike<number>): Placed {
  const count = tree.parent.length;
  const childFrom = new Uint32Array(count + 2);
  for (let node = 1; node < count; node++) (childFrom[(tree.parent[node] as number) + 2] as number)++;
  for (let i = 1; i < count + 2; i++) (childFrom[i] as number) += childFrom[i - 1] as number;
  const children = new Uint32Array(Math.max(0, count - 1));
  for (let i = 0; i < count; i++) {
    const node = list[i] as number;
    if (node > 0) children[(childFrom[(tree.parent[node] as number) + 1] as number)++] = node;
  }
  const node = new Uint32Array(count);
  const begin = new Float64Array(count);
  const end = new Float64Array(count);
  const box = new Int32Array(count).fill(-1);
  const first: number[] = [0];
  let used = 0;
  let next = 0;
  if (count > 0) {
    node[used] = 0;
    end[used] = tree.total[0] as number;
    box[0] = used++;
  }
  // Level by level: the boxes of a level come from those of the one before, from left to right.
  while (next < used) {
    const stop = used;
    first.push(stop);
    for (; next < stop; next++) {
      const above = node[next] as number;
      let at = begin[next] as number;
      for (let i = childFrom[above] as number; i < (childFrom[above + 1] as number); i++) {
        const child = children[i] as number;
        const width = tree.total[child] as number;
        if (!(width > 0)) continue; // nothing to see; the table has it
        node[used] = child;
        begin[used] = at;
        at += width;
        end[used] = at;
        box[child] = used++;
      }
    }
  }
  const boxes = {
    rows: first.length - 1,
    first: Uint32Array.from(first),
    begin: begin.subarray(0, used),
    end: end.subarray(0, used),
    colour: new Uint8Array(used),
  };
  return { tree, boxes, node: node.subarray(0, used), box, children, childFrom };
}

const SLICE_MS = 8;
const PART = 1 << 15;

/** Lets the page react when so much time has passed: for work over a whole tree. */
export class Pace {
  private since = performance.now();

  async rest(): Promise<void> {
    if (performance.now() - this.since < SLICE_MS) return;
    await breathe();
    this.since = performance.now();
  }

  /** Calls `act` for parts of 0 .. count - 1, one after the other. */
  async each(count: number, act: (from: number, to: number) => void): Promise<void> {
    for (let from = 0; from < count; from += PART) {
      act(from, Math.min(count, from + PART));
      await this.rest();
    }
  }
}

class Merged {
  readonly parent = [-1];
  readonly name: number[];
  readonly kind: number[];
  readonly self = [0];
  readonly total = [0];
  private readonly found = new Map<number, number>();

  constructor(
    name: number,
    kind: number,
    private readonly names: number,
    private readonly kinds: number,
  ) {
    this.name = [name];
    this.kind = [kind];
  }

  child(parent: number, name: number, kind: number): number {
    const key = (parent * this.kinds + kind) * this.names + name;
    let node = this.found.get(key);
    if (node === undefined) {
      node = this.parent.length;
      this.found.set(key, node);
      this.parent.push(parent);
      this.name.push(name);
      this.kind.push(kind);
      this.self.push(0);
      this.total.push(0);
    }
    return node;
  }

  tree(): Tree {
    return {
      parent: Int32Array.from(this.parent),
      name: Uint32Array.from(this.name),
      kind: Uint32Array.from(this.kind),
      self: Float64Array.from(this.self),
      total: Float64Array.from(this.total),
    };
  }
}

/** The callees of a function, of all its calls together, and its callers: the root is the function.
 * A recursive call counts once, in the outermost call. */
export async function sandwich(tree: Tree, name: number, names: number, kinds: number): Promise<{ callers: Tree; callees: Tree }> {
  const count = tree.parent.length;
  const callees = new Merged(name, 0, names, kinds);
  const callers = new Merged(name, 0, names, kinds);
  // The merged node of a node below the function; -1 outside.
  const merged = new Int32Array(count).fill(-1);
  const pace = new Pace();
  let steps = 0;
  for (let node = 1; node < count; node++) {
    const above = merged[tree.parent[node] as number] as number;
    let at = above;
    if (above >= 0) {
      at = callees.child(above, tree.name[node] as number, tree.kind[node] as number);
    } else if (tree.name[node] === name) {
      at = 0;
      let caller = 0;
      const weight = tree.total[node] as number;
      (callers.total[0] as number) += weight;
      for (let up = tree.parent[node] as number; up > 0; up = tree.parent[up] as number) {
        caller = callers.child(caller, tree.name[up] as number, tree.kind[up] as number);
        (callers.total[caller] as number) += weight;
        steps++;
      }
    }
    if (at >= 0) {
      merged[node] = at;
      (callees.self[at] as number) += tree.self[node] as number;
      (callees.total[at] as number) += tree.total[node] as number;
    }
    if (++steps > 4000) {
      steps = 0;
      await pace.rest();
    }
  }
  // A node of the callees that is reached twice on one way has its total once: it was merged by its
  // parent, and the sum over its nodes is the sum over disjoint subtrees.
  return { callers: callers.tree(), callees: callees.tree() };
}
