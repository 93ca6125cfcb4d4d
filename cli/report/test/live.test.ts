// The parts of the page of serve --web: the stream taken apart, and what its numbers mean.
import assert from 'node:assert/strict';
import test from 'node:test';
import { EventParser } from '../src/live/events';
import { judge } from '../src/live/judge';
import type { Interval } from '../src/live/shapes';

const text = 'event: hello\ndata: {"a":1}\n\nevent: end\ndata: {}\n\n';

test('an event is complete with its empty line, wherever the stream is cut', () => {
  const whole = [{ name: 'hello', data: '{"a":1}' }, { name: 'end', data: '{}' }];
  for (let at = 0; at <= text.length; at++) {
    const parser = new EventParser();
    assert.deepEqual([...parser.take(text.slice(0, at)), ...parser.take(text.slice(at))], whole, `cut at ${at}`);
  }
  const parser = new EventParser();
  assert.deepEqual([...text].flatMap((character) => parser.take(character)), whole);
});

test('comments and unknown fields are no event', () => {
  assert.deepEqual(new EventParser().take(': comment\n\nid: 3\n\nnonsense\ndata:x\ndata: y\n\n'), [{ name: 'message', data: 'x\ny' }]);
});

test('the verdict says what is missing, and does not take the view for the trace', () => {
  const total = (members: object): Interval =>
    ({ records: 5, gaps: 0, missing: 0, unknown_gaps: 0, capture: { dropped: 0, skipped: 0 }, ...members }) as unknown as Interval;
  assert.equal(judge(total({})).mood, 'good');
  assert.equal(judge(total({ records: 0 })).mood, 'unknown');
  assert.deepEqual(judge(total({ gaps: 1, missing: 3 })), { mood: 'bad', text: '3 records missing, in 1 gap' });
  assert.equal(judge(total({ gaps: 2, missing: 3, unknown_gaps: 1 })).mood, 'bad');
  assert.match(judge(total({ gaps: 2, missing: 3, unknown_gaps: 1 })).text, /1 gap of unknown size.* 3 records/);
  assert.equal(judge(total({ capture: { dropped: 0, skipped: 9 } })).mood, 'warn');
});
