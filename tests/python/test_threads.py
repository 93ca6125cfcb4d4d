#!/usr/bin/env python3
"""Objects that two calls use at the same time: an exception, never a crash."""
import gc
import inspect
import os
import random
import signal
import threading
import unittest

import earshot
from earshot import InUse, Query
from support import NIGHT, capture, children

ELF = os.path.join(os.environ["EARSHOT_PROGRAMS"], "plain.elf")
ABSENT = Query(opcode=0x12345678)
#: Of a trace and its moments: each one that the library is asked for.
TRACE = {
    "add_program": lambda t: t.add_program(earshot.Names()), "carries": lambda t: t.carries("gap"),
    "check": lambda t: t.check(), "checkpoint_before": lambda t: t.checkpoint_before(5),
    "close": lambda t: t.close(), "columns": lambda t: next(t.columns(["pc"])),
    "count": lambda t: t.count(ABSENT), "counts": lambda t: t.counts(),
    "fact": lambda t: t.fact("device"), "facts": lambda t: t.facts, "fault": lambda t: t.fault,
    "find": lambda t: t.find(ABSENT), "find_all": lambda t: next(t.find_all(ABSENT)),
    "find_before": lambda t: t.find_before(ABSENT), "find_report": lambda t: t.find_report(),
    "index": lambda t: t.index(), "index_facts": lambda t: t.index_facts, "infer": lambda t: t.infer(),
    "last_write": lambda t: t.last_write(5), "moment": lambda t: t.moment(5),
    "moment_after": lambda t: t.moment_after(5), "find_moment": lambda t: t.find_moment("5"),
    "mark": lambda t: t.mark("here", 5), "marks": lambda t: t.marks(), "unmark": lambda t: t.unmark("here"),
    "number": lambda t: t.number,
    "position": lambda t: t.position, "read_into": lambda t: t.read_into({"pc": bytearray(8)}),
    "record_at": lambda t: t.record_at(5), "seek": lambda t: t.seek(5),
    "seek_event": lambda t: t.seek_event("port"), "seek_number": lambda t: t.seek_number(5),
    "seek_time": lambda t: t.seek_time(5), "set_program": lambda t: t.set_program(earshot.Names()),
    "value_chain": lambda t: t.value_chain("sp", 5), "verdict": lambda t: t.verdict(),
    "verify_index": lambda t: t.verify_index(), "why": lambda t: t.why(),
    "__exit__": lambda t: t.__exit__(None, None, None), "__iter__": lambda t: next(iter(t)),
    "__next__": next,
}
MOMENT = {
    "close": lambda m: m.close(), "hart": lambda m: m.hart, "inferred": lambda m: m.inferred("sp"), "memory": lambda m: m.memory(0, 8),
    "move": lambda m: m.move(5), "named": lambda m: m.named("r0"), "next_pc": lambda m: m.next_pc(),
    "number": lambda m: m.number, "pc": lambda m: m.pc(), "position": lambda m: m.position,
    "privilege": lambda m: m.privilege(), "record": lambda m: m.record,
    "register": lambda m: m.register("sp"), "registers": lambda m: m.registers(),
    "stack": lambda m: m.stack(), "ticks": lambda m: m.ticks, "vector": lambda m: m.vector(0),
    "__exit__": lambda m: m.__exit__(None, None, None),
}
NAMES = {
    "add": lambda n: n.add(ELF), "add_debug": lambda n: n.add_debug(0, ELF), "code": lambda n: n.code(),
    "address": lambda n: n.address("main"), "close": lambda n: n.close(),
    "function_at": lambda n: n.function_at(0), "inlined_at": lambda n: n.inlined_at(0),
    "line_at": lambda n: n.line_at(0), "line_text": lambda n: n.line_text(0),
    "symbol_at": lambda n: n.symbol_at(0), "symbols": lambda n: n.symbols(),
    "text": lambda n: n.text(0), "variable": lambda n: n.variable("box"),
    "__exit__": lambda n: n.__exit__(None, None, None),
}
WITHOUT = {"__class__", "__del__", "__enter__", "__init__", "closed"}


def members(kind):
    """What a class has itself."""
    own = {name for name in vars(kind) if not name.startswith("_")}
    return own | {name for name in vars(kind) if inspect.isfunction(vars(kind)[name]) and
                  name.startswith("__")} - WITHOUT


class Busy:
    """A call that lasts until this ends."""

    def __init__(self, call):
        self.begun, self.end = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=call, args=(self.wait,))

    def wait(self, *_):
        self.begun.set()
        self.end.wait(30)
        return True

    def __enter__(self):
        self.thread.start()
        self.begun.wait(30)

    def __exit__(self, *_):
        self.end.set()
        self.thread.join()


def search(trace):
    """A call that asks for progress; it ends with Cancelled."""
    def call(progress):
        try:
            trace.find(ABSENT, progress=progress)
        except earshot.Cancelled:
            pass
    return call


class TwoCalls(unittest.TestCase):
    def setUp(self):
        self.trace = earshot.open(capture("interpreter", 20_000_000), index="none")
        self.moment = self.trace.moment(100)

    def tearDown(self):
        self.trace.close()

    def refuse_all(self, kind, calls, thing):
        self.assertEqual(members(kind) - {"closed"}, set(calls), "each member is tried")
        for name, call in calls.items():
            with self.subTest(kind=kind.__name__, name=name), self.assertRaises(InUse):
                call(thing)

    def test_another_thread_is_refused_until_the_call_has_ended(self):
        with Busy(search(self.trace)):
            self.refuse_all(earshot.Trace, TRACE, self.trace)
            self.refuse_all(earshot.Moment, MOMENT, self.moment)
            with self.assertRaisesRegex(RuntimeError, "the trace is in use by another call"):
                earshot.parse_address("sp", moment=self.moment)
            self.assertFalse(self.trace.closed or self.moment.closed)
        self.assertIsNotNone(self.moment.pc())
        self.assertEqual(self.trace.record_at(5).position, 5)

    def test_the_callbacks_of_a_call_are_refused(self):
        def progress(*_):
            self.refuse_all(earshot.Trace, TRACE, self.trace)
            self.refuse_all(earshot.Moment, MOMENT, self.moment)
            return True

        with self.assertRaises(earshot.Cancelled):
            self.trace.find(ABSENT, progress=progress)
        with self.assertRaises(InUse):
            self.trace.find(ABSENT, progress=lambda *_: self.trace.close())
        self.assertEqual(self.trace.record_at(5).position, 5)

    def test_names_are_for_one_call_at_a_time(self):
        errors, helpers = [], children()
        with earshot.Names(ELF) as names:
            def handler(*_):
                try:
                    self.refuse_all(earshot.Names, NAMES, names)
                except AssertionError as error:
                    errors.append(error)
                raise KeyboardInterrupt

            before = signal.signal(signal.SIGALRM, handler)
            helper, = children() - helpers
            os.kill(helper, signal.SIGSTOP)
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                with self.assertRaises(KeyboardInterrupt):
                    names.address("box.handler")
            finally:
                signal.signal(signal.SIGALRM, before)
        self.assertEqual(errors, [])

    def test_instructions_are_for_one_call_at_a_time(self):
        instructions = earshot.Instructions()
        instructions._guard.take(self)
        for call in (lambda: instructions.decode(0x13, 32),
                     lambda: instructions.of(self.trace.record_at(5)),
                     lambda: instructions.text(self.trace.record_at(5))):
            self.assertRaises(InUse, call)
        instructions._guard.release(self)
        self.assertEqual(instructions.decode(0x13, 32).mnemonic, "addi")

    def test_a_moment_that_is_forgotten_during_a_call_is_freed_later(self):
        def progress(*_):
            self.moment = None
            gc.collect()
            return True

        with self.assertRaises(earshot.Cancelled):
            self.trace.find(ABSENT, progress=progress)
        self.assertEqual(len(self.trace._moments), 1)
        self.moment = self.trace.moment(5)
        self.assertEqual(len(self.trace._moments), 1)

    def test_moments_are_closed_with_their_trace_in_a_cycle_of_garbage(self):
        for _ in range(20):
            trace = earshot.open(capture("calls", 1000))
            trace.kept = [trace.moment(position) for position in range(5)]
            trace.kept.append(trace)
            del trace
            gc.collect()
        self.trace.close()
        for name, call in MOMENT.items():
            if name not in ("close", "__exit__"):
                with self.subTest(name=name), self.assertRaises(ValueError):
                    call(self.moment)
        self.moment.close()


class Stress(unittest.TestCase):
    def test_random_calls_in_threads(self):
        """Any result but a crash, and afterwards the trace is as good as before."""
        most, seed = 200_000 if NIGHT else 1000, random.randrange(1 << 32)
        print("seed", seed)
        rounds, results = 0, {}

        def ended():
            return sum(results.values()) >= most

        def call(chosen, things):
            which = chosen.choice((TRACE, MOMENT, NAMES))
            name = chosen.choice(list(which))
            if name in ("close", "__exit__") and chosen.random() < 0.9:
                return
            thing = things[(TRACE, MOMENT, NAMES).index(which)]
            try:
                which[name](thing)
                result = "done"
            except (earshot.Error, ValueError, StopIteration, IndexError) as error:
                result = type(error).__name__
            results[result] = results.get(result, 0) + 1

        def search_and_call(chosen, things):
            """A call whose reports of progress make others; close is one of them."""
            def progress(*_):
                call(chosen, things)
                results["reports"] = results.get("reports", 0) + 1
                return chosen.random() < 0.5

            try:
                things[0].find(ABSENT, progress=progress)
            except (earshot.Error, ValueError):
                pass

        def work(number, things):
            chosen = random.Random(seed + number)
            while not ended() and not things[0].closed:
                (search_and_call if chosen.random() < 0.3 else call)(chosen, things)

        while not ended():
            with earshot.Names(ELF) as names:
                trace = earshot.open(capture("calls", 200000))
                things = trace, trace.moment(50), names
                threads = [threading.Thread(target=work, args=(rounds * 4 + i, things))
                           for i in range(4)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                if not trace.closed:
                    self.assertEqual(trace.record_at(7).position, 7)
                trace.close()
            rounds += 1
        print(results)
        self.assertTrue(results.get("done") and results.get("InUse"), results)


if __name__ == "__main__":
    unittest.main()
