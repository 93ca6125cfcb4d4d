// The logic of the charts, against the simplest way to say the same: all boxes, one by one.
import assert from 'node:assert/strict';
import test from 'node:test';
import { type Boxes, cull, firstFrom, gallop, hit, Longest, lowerBound, rowOf } from '../src/canvas/boxes';
import { formatNumber, ticks } from '../src/canvas/numbers';
import { fit, rowsSeen } from '../src/canvas/paint';
import { addUp, byValue, place, sandwich, type Tree } from '../src/canvas/tree';
import { makeRandom } from './random';

function makeBoxes(random: () => number, rows: number, most: number): Boxes {
  const first = [0];
  const begin: number[] = [];
  const end: number[] = [];
  for (let row = 0; row < rows; row++) {
    let at = 0;
    for (let i = Math.floor(random() * most); i > 0; i--) {
      at += random() < 0.5 ? 0 : Math.floor(random() * 40);
      begin.push(at);
      at += random() < 0.2 ? 0 : Math.floor(random() ** 4 * 300);
      end.push(at);
    }
    first.push(begin.length);
  }
  return { rows, first: Uint32Array.from(first), begin: Float64Array.from(begin), end: Float64Array.from(end), colour: new Uint8Array(begin.length) };
}

test('the longest of a range is the one that a walk finds', () => {
  const random = makeRandom(1);
  for (const count of [1, 15, 16, 17, 256, 257, 5000]) {
    const end = Float64Array.from({ length: count }, () => Math.floor(random() * 50));
    const boxes = { rows: 1, first: Uint32Array.of(0, count), begin: new Float64Array(count), end, colour: new Uint8Array(count) };
    const longest = new Longest(boxes);
    for (let i = 0; i < 400; i++) {
      const from = Math.floor(random() * count);
      const to = from + 1 + Math.floor(random() * (count - from));
      const values = [...end.subarray(from, to)];
      assert.equal(end[longest.find(from, to)], Math.max(...values), `${from} ${to} of ${count}`);
    }
  }
});

test('galloping finds what a binary search finds', () => {
  const random = makeRandom(2);
  const begin = Float64Array.from({ length: 500 }, () => Math.floor(random() * 900)).sort();
  for (let i = 0; i < 2000; i++) {
    const from = Math.floor(random() * 501);
    const at = Math.floor(random() * 1000) - 50;
    let expected = from;
    while (expected < 500 && begin[expected]! < at) expected++;
    assert.equal(gallop(begin, at, from, 500), expected);
    assert.equal(lowerBound(begin, at, from, 500), expected);
  }
});

test('culling shows each box once, by itself if it is wide, and the longest of those in a pixel', () => {
  const random = makeRandom(3);
  for (let trial = 0; trial < 300; trial++) {
    const boxes = makeBoxes(random, 3, 400);
    const longest = new Longest(boxes);
    const from = random() * 3000;
    const range = { begin: from, end: from + 1 + random() ** 3 * 6000 };
    const pixels = 1 + Math.floor(random() * 300);
    const scale = pixels / (range.end - range.begin);
    for (let row = 0; row < 3; row++) {
      const seen: number[] = [];
      const dark = new Set<number>();
      cull(boxes, longest, row, range, pixels, {
        wide(box) {
          assert.ok((boxes.end[box]! - boxes.begin[box]!) * scale >= 2);
          seen.push(box);
        },
        thin(pixel, best, first, next) {
          assert.ok(next > first && best >= first && best < next);
          assert.ok(!dark.has(pixel), 'a pixel is drawn once');
          dark.add(pixel);
          for (let box = first; box < next; box++) {
            assert.ok((boxes.end[box]! - boxes.begin[box]!) * scale < 2);
            assert.ok(boxes.end[box]! - boxes.begin[box]! <= boxes.end[best]! - boxes.begin[best]!);
            assert.equal(Math.max(0, Math.floor((boxes.begin[box]! - range.begin) * scale)), pixel);
            seen.push(box);
          }
        },
      });
      const expected: number[] = [];
      for (let box = boxes.first[row]!; box < boxes.first[row + 1]!; box++) {
        if (boxes.begin[box]! < range.end && (boxes.end[box]! > range.begin || boxes.begin[box]! >= range.begin)) expected.push(box);
      }
      assert.deepEqual(seen, expected);
    }
  }
});

test('boxes out of order, as a damaged file may have them, end', () => {
  const random = makeRandom(4);
  for (let trial = 0; trial < 200; trial++) {
    const count = 200;
    const begin = Float64Array.from({ length: count }, () => random() * 100);
    const end = begin.map((value) => value + random() * 50 - 10);
    const boxes = { rows: 1, first: Uint32Array.of(0, count), begin, end, colour: new Uint8Array(count) };
    let steps = 0;
    const sink = { wide: () => steps++, thin: () => steps++ };
    cull(boxes, new Longest(boxes), 0, { begin: 10, end: 60 }, 100, sink);
    assert.ok(steps <= count);
  }
});

test('a point is in the box that has it, and near one only within the slack', () => {
  const random = makeRandom(6);
  for (let trial = 0; trial < 100; trial++) {
    const boxes = makeBoxes(random, 2, 60);
    for (let i = 0; i < 50; i++) {
      const row = i & 1;
      const at = random() * 2500;
      const slack = random() < 0.5 ? 0 : random() * 30;
      const found = hit(boxes, row, at, slack);
      let nearest = Infinity;
      for (let box = boxes.first[row]!; box < boxes.first[row + 1]!; box++) {
        nearest = Math.min(nearest, Math.max(boxes.begin[box]! - at, at - boxes.end[box]!, 0));
      }
      if (found < 0) assert.ok(nearest > slack);
      else assert.ok(Math.max(boxes.begin[found]! - at, at - boxes.end[found]!, 0) <= slack && rowOf(boxes, found) === row);
      const first = firstFrom(boxes, row, at);
      assert.ok(first === boxes.first[row + 1] || first === boxes.first[row] || boxes.end[first - 1]! <= at);
    }
  }
});

test('a row is seen when a line of it is', () => {
  const layout = { top: Float64Array.of(0, 10, 40, 50), rowHeight: 10, height: 60 };
  assert.deepEqual(rowsSeen(layout, 0, 60), [0, 4]);
  assert.deepEqual(rowsSeen(layout, 9, 1), [0, 1]);
  assert.deepEqual(rowsSeen(layout, 20, 20), [2, 2]);
  assert.deepEqual(rowsSeen(layout, 20, 21), [2, 3]);
  assert.deepEqual(rowsSeen(layout, 60, 10), [4, 4]);
});

function makeTree(random: () => number, count: number, names: number): Tree {
  const parent = Int32Array.from({ length: count }, (_, i) => (i === 0 ? -1 : Math.floor(random() ** 0.5 * i)));
  const self = Float64Array.from({ length: count }, () => Math.floor(random() ** 3 * 2 ** 34));
  const name = Uint32Array.from({ length: count }, () => Math.floor(random() * names));
  return { parent, name, kind: new Uint32Array(count), self, total: addUp(parent, self) };
}

test('falling values keep the order of equal ones', () => {
  const random = makeRandom(7);
  for (const count of [0, 1, 2, 1000]) {
    const values = Float64Array.from({ length: count }, () => Math.floor(random() * 40) * (random() < 0.3 ? 2 ** 40 : 1));
    const expected = [...values.keys()].sort((a, b) => values[b]! - values[a]! || a - b);
    assert.deepEqual([...byValue(values)], expected);
  }
});

test('a placed tree has each child inside of its parent, side by side, in order', () => {
  const random = makeRandom(8);
  for (const count of [1, 2, 40, 3000]) {
    const tree = makeTree(random, count, 9);
    for (const list of [Uint32Array.from({ length: count }, (_, i) => i), byValue(tree.total)]) {
      const { boxes, node, box, children, childFrom } = place(tree, list);
      assert.equal(boxes.end[0], tree.self.reduce((sum, value) => sum + value, 0));
      for (let one = 0; one < node.length; one++) {
        assert.equal(box[node[one]!], one);
        assert.equal(boxes.end[one]! - boxes.begin[one]!, tree.total[node[one]!]);
        const parent = tree.parent[node[one]!]!;
        if (parent < 0) continue;
        assert.equal(rowOf(boxes, box[parent]!), rowOf(boxes, one) - 1);
        assert.ok(boxes.begin[one]! >= boxes.begin[box[parent]!]! && boxes.end[one]! <= boxes.end[box[parent]!]!);
        assert.ok(children.subarray(childFrom[parent], childFrom[parent + 1]).includes(node[one]!));
      }
      for (let row = 0; row < boxes.rows; row++) {
        for (let one = boxes.first[row]! + 1; one < boxes.first[row + 1]!; one++) assert.ok(boxes.begin[one]! >= boxes.end[one - 1]!);
      }
      assert.equal(node.length, tree.total.filter((value, i) => value > 0 || i === 0).length);
    }
  }
});

test('a tree as deep as its nodes needs no stack', () => {
  const count = 200000;
  const parent = Int32Array.from({ length: count }, (_, i) => i - 1);
  const self = new Float64Array(count).fill(1);
  const tree = { parent, name: new Uint32Array(count), kind: new Uint32Array(count), self, total: addUp(parent, self) };
  assert.equal(place(tree, byValue(tree.total)).boxes.rows, count);
});

test('callers and callees count what the outermost calls of a function took', async () => {
  const random = makeRandom(9);
  for (let trial = 0; trial < 40; trial++) {
    const tree = makeTree(random, 60, 5);
    const wanted = tree.name[1 + Math.floor(random() * 59)]!;
    const { callers, callees } = await sandwich(tree, wanted, 6, 2);
    const outermost: number[] = [];
    for (let node = 1; node < 60; node++) {
      let up = tree.parent[node]!;
      while (up > 0 && tree.name[up] !== wanted) up = tree.parent[up]!;
      if (tree.name[node] === wanted && up <= 0) outermost.push(node);
    }
    const total = outermost.reduce((sum, node) => sum + tree.total[node]!, 0);
    assert.equal(callees.total[0], total);
    assert.equal(callers.total[0], total);
    // Of each way from the function down, and up: the same by a walk that builds texts.
    const down = new Map<string, number>();
    const upwards = new Map<string, number>();
    for (const root of outermost) {
      for (let node = 1; node < 60; node++) {
        const way: number[] = [];
        let at = node;
        while (at > 0 && at !== root) {
          way.unshift(tree.name[at]!);
          at = tree.parent[at]!;
        }
        if (at === root) down.set(way.join(), (down.get(way.join()) ?? 0) + tree.total[node]!);
      }
      const way: number[] = [];
      for (let at = tree.parent[root]!; at > 0; at = tree.parent[at]!) {
        way.push(tree.name[at]!);
        upwards.set(way.join(), (upwards.get(way.join()) ?? 0) + tree.total[root]!);
      }
    }
    const ways = (merged: Tree) =>
      new Map(
        [...merged.total].map((value, node) => {
          const way: number[] = [];
          for (let at = node; at > 0; at = merged.parent[at]!) way.unshift(merged.name[at]!);
          return [way.join(), value];
        }),
      );
    assert.deepEqual(new Map([...ways(callees)].sort()), new Map([...down].sort()));
    upwards.set('', total);
    assert.deepEqual(new Map([...ways(callers)].sort()), new Map([...upwards].sort()));
  }
});

test('numbers are whole to the last digit, and fractions are short', () => {
  assert.equal(formatNumber(9007199254740991), '9,007,199,254,740,991');
  assert.equal(formatNumber(0), '0');
  assert.equal(formatNumber(1234.56789), '1,234.568');
  assert.equal(formatNumber(-0.5), '-0.5');
});

test('a ruler has few marks, at round numbers, in the range', () => {
  for (const [begin, end] of [[0, 1], [5, 6], [1e15, 1e15 + 7], [0, 9e15], [123, 4567]] as const) {
    const { step, values } = ticks(begin, end, 8);
    assert.ok(values.length <= 9 && Number.isInteger(step) && values.every((value) => value >= begin && value <= end && Number.isInteger(value)));
  }
  assert.deepEqual(ticks(0, 0, 8).values, []);
  assert.deepEqual(ticks(0, NaN, 8).values, []);
});

test('text is cut to its place', () => {
  assert.equal(fit('function', 80, 10), 'function');
  assert.equal(fit('function', 50, 10), 'func\u2026');
  assert.equal(fit('function', 20, 10), '');
});
