// Numbers and names as text, the order of rows, and what a verdict says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count, duration, many, plural, share } from '../src/ui/format';
import { fits, order } from '../src/ui/sort';
import { shown, visible } from '../src/ui/text';
import { completeness, ending } from '../src/verdict';
import type { Why } from '../src/shapes';

test('a number keeps all of its digits', () => {
  assert.equal(count(0), '0');
  assert.equal(count(999), '999');
  assert.equal(count(1000), '1,000');
  assert.equal(count(1234567), '1,234,567');
  assert.equal(count('18446744073709551615'), '18,446,744,073,709,551,615');
  assert.equal(count(18446744073709551615n), '18,446,744,073,709,551,615');
  assert.equal(count(-1234), '-1,234');
  assert.equal(count(1234.5678), '1,234.5678');
});

test('what is not known is a dash, never 0', () => {
  assert.equal(count(null), '–');
  assert.equal(count(undefined), '–');
  assert.equal(share(null, 10), '–');
  assert.equal(share(1, null), '–');
  assert.equal(share(0, 0), '–');
});

test('a share is 0 % or 100 % only if it is exactly that', () => {
  assert.equal(share(0, 10), '0 %');
  assert.equal(share(10, 10), '100 %');
  assert.equal(share(1, 1000000), '< 0.1 %');
  assert.equal(share(999999, 1000000), '> 99.9 %');
  assert.equal(share(1, 3), '33.3 %');
});

test('controls and marks of direction are visible, other text is as it is', () => {
  assert.equal(visible('a\u202eb'), 'a\\u{202e}b');
  assert.equal(visible('\u0000\u001b[31m'), '\\u{0}\\u{1b}[31m');
  assert.equal(visible('</script>'), '</script>');
  assert.equal(visible('Größe 日本'), 'Größe 日本');
});

test('words have their plurals', () => {
  assert.equal(plural(1, 'branch'), '1 branch');
  assert.equal(plural(2, 'branch'), '2 branches');
  assert.equal(many('entry'), 'entries');
  assert.equal(many('day'), 'days');
  assert.equal(plural(1000, 'record'), '1,000 records');
});

test('a duration has a unit that fits', () => {
  assert.equal(duration(0), '0 ns');
  assert.equal(duration(1500), '1.5 µs');
  assert.equal(duration(7200e9), '2 h');
});

test('what is not known comes last, upwards and downwards', () => {
  const rows = [3, null, 1, null, 2];
  assert.deepEqual(order(rows, (row) => row, true), [3, 2, 1, null, null]);
  assert.deepEqual(order(rows, (row) => row, false), [1, 2, 3, null, null]);
});

test('numbers as text, and addresses, are in the order of their values', () => {
  assert.deepEqual(order(['0x100', '0x9', '0x20'], (row) => row, false), ['0x9', '0x20', '0x100']);
  assert.deepEqual(order(['18446744073709551615', '9007199254740993', '9007199254740992'], (row) => row, false), ['9007199254740992', '9007199254740993', '18446744073709551615']);
  assert.deepEqual(order(['a10', 'a9'], (row) => row, false), ['a9', 'a10']);
});

test('rows that are equal stay in their order', () => {
  const rows = [{ key: 1, name: 'a' }, { key: 1, name: 'b' }, { key: 0, name: 'c' }];
  assert.equal(order(rows, (row) => row.key, true).map((row) => row.name).join(''), 'abc');
});

test('a filter wants each of its words', () => {
  assert.ok(fits('send_packet main.c', 'PACKET main'));
  assert.ok(!fits('send_packet main.c', 'packet other'));
});

const why = (more: Partial<Why>): Why => ({ kind: 'ended', text: 'the program ended', end_missing: null, interrupts_off: false, earlier: false, ...more }) as Why;

test('only an end that is known to be good is good', () => {
  assert.equal(ending(why({})).mood, 'good');
  assert.equal(ending(why({ kind: 'unknown' })).mood, 'unknown');
  for (const kind of ['trap', 'exit', 'hang']) assert.equal(ending(why({ kind })).mood, 'bad');
  assert.equal(ending(why({ kind: 'event' })).mood, 'warn');
  assert.equal(ending(why({ core_text: 'x5 is 1' })).mood, 'bad');
  assert.equal(ending(why({ end_missing: { after: 9, records: null } })).mood, 'warn');
  assert.match(ending(why({ end_missing: { after: 9594, records: null } })).more.join(), /an unknown number of records after #9,594/);
});

test('nothing is missing only if the trace says so', () => {
  assert.equal(completeness({ complete: true, accounted: true, missing: 0, gaps: 0 }).mood, 'good');
  assert.equal(completeness({ complete: null, accounted: null, missing: 0, gaps: 0 }).mood, 'unknown');
  assert.equal(completeness({}).mood, 'unknown');
  assert.equal(completeness({ complete: false, accounted: true, missing: 3, gaps: 1 }).mood, 'bad');
  assert.match(completeness({ complete: false, accounted: false, missing: 3, gaps: 2, missing_at_least: true }).more.join(), /At least 3 records missing in 2 gaps/);
  assert.match(completeness({ complete: false, accounted: false, gaps: 2 }).more.join(), /not known/);
  assert.equal(completeness({ complete: false, accounted: true, missing: 0, gaps: 0 }).mood, 'warn');
});

test('a text that is too long is cut, and says by how much', () => {
  assert.equal(shown('a'.repeat(1000)), 'a'.repeat(1000));
  assert.equal(shown('a'.repeat(11000)), `${'a'.repeat(1000)}… (10,000 more characters)`);
  assert.equal(shown('\u202e'.repeat(200)), `${'\\u{202e}'.repeat(125)}… (75 more characters)`);
  assert.equal(shown(`${'a'.repeat(999)}\u{1f600}b`), `${'a'.repeat(999)}… (3 more characters)`);
});
