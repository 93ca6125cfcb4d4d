// Made-up data of any size, the same each time: node synthetic.mjs BUNDLE OUT.html [NODES [SLICES]]
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { encodeColumns as encode, makePage, readBundle } from './pack.mjs';

function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const VERBS = ['read', 'write', 'parse', 'send', 'hash', 'copy', 'find', 'sort', 'draw', 'wait', 'lock', 'map'];
const NOUNS = ['packet', 'block', 'frame', 'queue', 'table', 'line', 'buffer', 'header', 'tree', 'event', 'page', 'timer'];

export function makeNames() {
  return VERBS.flatMap((verb) => NOUNS.map((noun) => `${verb}_${noun}`));
}

const UNKNOWN = Number.MAX_SAFE_INTEGER;

// In the narrowest types, as the command writes them.
function encodeColumns(meta, strings, tables) {
  const narrow = ([type, coding, values]) => {
    const most = values.reduce((a, b) => Math.max(a, b), 0);
    return [type === 'f64' || most >= 2 ** 32 ? type : most >= 65536 ? 'u32' : most >= 256 ? 'u16' : 'u8', coding, values];
  };
  const narrowed = (columns) => Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, narrow(column)]));
  return encode(meta, strings, Object.fromEntries(Object.entries(tables).map(([name, columns]) => [name, narrowed(columns)])));
}

/** A tree of calls of so many nodes, some thirty levels deep. */
export function makeFlame(count, random = makeRandom(1), names = makeNames()) {
  const strings = ['base', 'call', 'trap', 'interrupt', 'inlined', '[unknown]', ...names];
  const depth = [0];
  const name = [5];
  const kind = [0];
  const self = [1];
  for (let level = 1; depth.length < count; ) {
    depth.push(level);
    name.push(6 + Math.floor(random() ** 2 * names.length));
    const chance = random();
    kind.push(chance < 0.004 ? 3 : chance < 0.008 ? 2 : 1);
    self.push(1 + Math.floor(random() ** 6 * 4000));
    level = random() < 0.55 && level < 29 ? level + 1 : Math.max(1, level - Math.floor(random() * 4));
  }
  const total = self.reduce((sum, value) => sum + value, 0);
  const clocks = self.map((value) => Math.floor(value * (1 + random() * 3)));
  return encodeColumns(
    { unit: 'records', total, clocks: true, total_clocks: clocks.reduce((sum, value) => sum + value, 0), nodes: count, merged: 0, smaller_than: 0, gaps: 0, without_path: 0, limited: false, unknown: UNKNOWN },
    strings,
    {
      nodes: {
        depth: ['u32', 'plain', depth],
        name: ['u32', 'plain', name],
        kind: ['u32', 'plain', kind],
        self: ['u64', 'plain', self],
        self_clocks: ['u64', 'plain', clocks],
        calls: ['u64', 'plain', self.map((value) => 1 + (value % 97))],
        merged: ['u32', 'plain', self.map(() => 0)],
      },
    },
  );
}

/** A timeline of so many slices in 28 rows: a hart, two tasks, handlers, a counter. */
export function makeTimeline(count, random = makeRandom(2), names = makeNames()) {
  const kinds = ['call', 'trap', 'interrupt', 'task', 'counter', 'hart', 'mark'];
  const strings = [...kinds, 'hart 0', 'task idle', 'task net', 'handlers', 'instructions per clock', 'timer', 'boot done', ...names];
  const at = (text) => strings.indexOf(text);
  const tracks = [
    ['hart 0', 'hart', 0],
    ['task idle', 'task', 10],
    ['task net', 'task', 9],
    ['handlers', 'interrupt', 1],
    ['instructions per clock', 'counter', 5],
  ];
  const end = count * 24;
  const slices = { track: [], begin: [], length: [], name: [], depth: [], record: [], end: [], kind: [], merged: [] };
  const levels = [
    [1, 12],
    [2, 14],
    [3, 2],
  ];
  const rows = levels.reduce((sum, [, depth]) => sum + depth, 0);
  for (const [track, depths] of levels) {
    for (let depth = 0; depth < depths; depth++) {
      const here = Math.floor(count / rows);
      const step = end / here;
      let time = 0;
      for (let i = 0; i < here; i++) {
        time = Math.max(time, Math.floor(i * step + random() * step * 0.4));
        const length = Math.max(1, Math.floor(random() ** 3 * step * 0.6));
        slices.track.push(track);
        slices.begin.push(time);
        slices.length.push(length);
        slices.name.push(track === 3 ? at('timer') : 14 + Math.floor(random() ** 2 * names.length));
        slices.depth.push(depth);
        slices.record.push(Math.floor(time / 3));
        slices.end.push(random() < 0.001 ? 1 : 0);
        slices.kind.push(at(track === 3 ? 'interrupt' : 'call'));
        slices.merged.push(0);
        time += length;
      }
    }
  }
  const instants = { track: [], time: [], name: [], record: [], kind: [] };
  for (let i = 0; i < 40; i++) {
    instants.track.push(0);
    instants.time.push(Math.floor((i * end) / 40));
    instants.name.push(i === 3 ? at('boot done') : at('timer'));
    instants.record.push(Math.floor((i * end) / 120));
    instants.kind.push(at(i === 3 ? 'mark' : 'interrupt'));
  }
  const samples = { track: [], time: [], value: [] };
  for (let i = 0; i < 4000; i++) {
    samples.track.push(4);
    samples.time.push(Math.floor((i * end) / 4000));
    samples.value.push(Math.round((0.5 + 0.4 * Math.sin(i / 90) + 0.1 * random()) * 1000) / 1000);
  }
  const typed = (table, types) => Object.fromEntries(Object.entries(table).map(([name, values]) => [name, [...types[name], values]]));
  return encodeColumns(
    { unit: 'clocks', begin: 0, end, records: Math.floor(end / 3), slices: slices.begin.length, merged: 0, shorter_than: 0, instants: 40, instants_left_out: 0, gaps: 0, backwards: 0, without_path: 0, unknown: UNKNOWN },
    strings,
    {
      tracks: {
        name: ['u32', 'plain', tracks.map(([name]) => at(name))],
        hart: ['u32', 'plain', tracks.map(() => 0)],
        kind: ['u32', 'plain', tracks.map(([, kind]) => at(kind))],
        rank: ['u32', 'plain', tracks.map(([, , rank]) => rank)],
        merged: ['u64', 'plain', tracks.map(() => 0)],
      },
      slices: typed(slices, {
        track: ['u32', 'plain'],
        begin: ['u64', 'delta'],
        length: ['u64', 'plain'],
        name: ['u32', 'plain'],
        depth: ['u32', 'plain'],
        record: ['u64', 'delta'],
        end: ['u8', 'plain'],
        kind: ['u32', 'plain'],
        merged: ['u64', 'plain'],
      }),
      instants: typed(instants, { track: ['u32', 'plain'], time: ['u64', 'delta'], name: ['u32', 'plain'], record: ['u64', 'delta'], kind: ['u32', 'plain'] }),
      samples: typed(samples, { track: ['u32', 'plain'], time: ['u64', 'delta'], value: ['f64', 'plain'] }),
    },
  );
}

export function makeSynthetic(bundle, nodes, slices, more = {}) {
  return makePage(bundle, {
    sections: [
      { name: 'flame', kind: 'columns', data: makeFlame(nodes), command: 'earshot profile -f columns synthetic.shot' },
      { name: 'timeline', kind: 'columns', data: makeTimeline(slices), command: 'earshot timeline -f columns synthetic.shot' },
    ],
    ...more,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [bundle, out, nodes = '100000', slices = '1000000'] = process.argv.slice(2);
  writeFileSync(out, makeSynthetic(readBundle(bundle), Number(nodes), Number(slices)));
}
