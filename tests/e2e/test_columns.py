#!/usr/bin/env python3
"""-f columns of timeline and profile: slice by slice and node by node what the JSON of the same trace has."""
import collections
import fractions
import json
import struct

import odd_traces
from report_page import UNKNOWN, Columns
from support import PROGRAMS, TREE, Case, main

ENDS = [None, "unwound", "forgotten", "cut"]


def exact(text):
    return json.loads(text, parse_float=fractions.Fraction)


class Traces(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        timed = cls.shared / "timed.shot"
        case.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / 'rtos.elf'},uart=/dev/null", "-o", timed, "--time",
                     "record")
        # Two harts, a gap, and no time.
        made = odd_traces.run(range(20)) + [odd_traces.gap(3)] + odd_traces.run(range(9, 30), hart=1)
        harts = odd_traces.write_trace(cls.shared / "harts.json", made)
        elf = odd_traces.write_elf(cls.shared / "harts.elf", odd_traces.functions(25))
        empty = odd_traces.write_trace(cls.shared / "gap.json", [odd_traces.gap(3)])
        cls.traces = [[timed], [harts, "--elf", elf], [TREE / "tests/data/shot/states-1.shot"], [empty]]

    def both(self, command, trace, *arguments):
        """The columns, and the JSON."""
        output = ["-o", "-"] if command == "timeline" else []
        data, one = self.earshot_bytes(command, "-f", "columns", *output, *arguments, *trace, status=None)
        text, two = self.earshot_bytes(command, "-f", "json", *output, *arguments, *trace, status=None)
        # Only the JSON is in ns.
        nanoseconds = "earshot: warning: the trace has no time: 1 ns is one instruction record\n"
        self.assertEqual(one, two.replace(nanoseconds, ""), "the same warnings")
        return Columns(data), exact(text)


class Timeline(Traces):
    def slices(self, columns):
        return [(row["track"] + 1, row["begin"], row["length"], columns.string(row, "name"),
                 columns.string(row, "kind"), None if row["record"] == UNKNOWN else row["record"], row["merged"],
                 ENDS[row["end"]]) for row in columns.tables["slices"]]

    def check(self, trace, *arguments):
        columns, document = self.both("timeline", trace, *arguments)
        events = collections.defaultdict(list)
        for event in document["traceEvents"]:
            events[event["ph"]].append(event)
        expected = [(event["tid"], event["ts"] * 1000, event["dur"] * 1000, event["name"], event["cat"],
                     event["args"].get("record"), event["args"].get("merged", 0), event["args"].get("end"))
                    for event in events["X"]]
        key = [tuple(str(value) for value in one) for one in self.slices(columns)]
        self.assertEqual(sorted(key), sorted(tuple(str(value) for value in one) for one in expected))
        order = [(row["track"], row["depth"], row["begin"]) for row in columns.tables["slices"]]
        self.assertEqual(order, sorted(order))
        instants = [(row["track"] + 1, row["time"], columns.string(row, "name"), columns.string(row, "kind"),
                     row["record"]) for row in columns.tables["instants"]]
        self.assertEqual(instants, [(event["tid"], event["ts"] * 1000, event["name"], event["cat"],
                                     event["args"]["record"]) for event in events["i"]])
        tracks = columns.tables["tracks"]
        samples = [(columns.string(tracks[row["track"]], "name"), row["time"], f"{row['value']:.9g}")
                   for row in columns.tables["samples"]]
        self.assertEqual(samples, [(event["name"], event["ts"] * 1000, f"{float(event['args']['value']):.9g}")
                                   for event in events["C"]])
        names = {event["tid"]: event["args"] for event in events["M"] if event["name"] == "thread_name"}
        for number, args in names.items():
            self.assertEqual(columns.string(tracks[number - 1], "name"), args["name"])
            self.assertEqual(tracks[number - 1]["merged"], args.get("merged", 0))
        self.check_meta(columns, document["otherData"])
        return columns

    def check_meta(self, columns, other):
        meta = columns.meta
        for name in ("records", "slices", "merged", "instants", "instants_left_out", "gaps", "complete", "accounted"):
            self.assertEqual(meta[name], other[name], name)
        self.assertEqual(meta["shorter_than"], other["least_duration"])
        self.assertEqual(meta["unit"], "records" if "no time" in other["time"] else "clocks")
        ends = [row["begin"] + row["length"] for row in columns.tables["slices"]]
        if ends:
            self.assertLessEqual(meta["begin"], min(row["begin"] for row in columns.tables["slices"]))
            self.assertGreaterEqual(meta["end"], max(ends))

    def check_nesting(self, columns):
        """A slice of depth 1 and more is within one of the depth below it."""
        by_depth = collections.defaultdict(list)
        for row in columns.tables["slices"]:
            by_depth[row["track"], row["depth"]].append(row)
        for (track, depth), rows in by_depth.items():
            for row in rows if depth else ():
                self.assertTrue(any(one["begin"] <= row["begin"] and
                                    row["begin"] + row["length"] <= one["begin"] + one["length"]
                                    for one in by_depth[track, depth - 1]), row)

    def test_every_slice_is_that_of_the_json(self):
        for trace in self.traces:
            with self.subTest(trace):
                columns = self.check(trace)
                self.check_nesting(columns)
        self.assertEqual(len(columns.tables["slices"]), 1)  # the gap

    def test_with_fewer_slices(self):
        columns = self.check(self.traces[0], "--limit", 40)
        self.assertGreater(columns.meta["merged"], 0)
        self.assertLessEqual(len(columns.tables["slices"]), 40)

    def test_the_beginning_is_not_known_in_a_range(self):
        columns = self.check(self.traces[0], "--from", 5000, "--to", 9000)
        self.assertIn(UNKNOWN, [row["record"] for row in columns.tables["slices"]])


class Tree(Traces):
    def check(self, trace, *arguments):
        columns, document = self.both("profile", trace, *arguments)
        rows, nodes = columns.tables["nodes"], document["nodes"]
        path, inclusive, seen = [], [0] * len(rows), collections.Counter()
        for number, row in enumerate(rows):
            self.assertLessEqual(row["depth"], len(path))
            del path[row["depth"]:]
            path.append(number)
            for above in path:
                inclusive[above] += row["self"]
            seen[tuple(rows[above]["function"] for above in path)] += 1
        paths = []
        for node in nodes:
            above = paths[node["parent"]] if node["parent"] is not None else ()
            paths.append((*above, node["function"]))
        self.assertEqual(seen, collections.Counter(paths))
        expected = collections.defaultdict(list)
        for node, one in zip(nodes, paths):
            expected[one].append((node["self"]["records"], node["inclusive"]["records"], node["kind"],
                                  node["calls"], node["self"]["clocks"]))
        found, path = collections.defaultdict(list), []
        for number, row in enumerate(rows):
            del path[row["depth"]:]
            path.append(row["function"])
            calls = None if row["calls"] == UNKNOWN else row["calls"]
            found[tuple(path)].append((row["self"], inclusive[number], columns.string(row, "kind"), calls,
                                       row.get("self_clocks")))
            name = document["functions"][row["function"]]["name"]
            self.assertEqual(row["merged"], 0)
            if name is not None:
                self.assertEqual(columns.string(row, "name"), name)
        self.assertEqual(found, expected)
        self.assertEqual(columns.meta["total"], document["total"]["records"])
        self.assertEqual(columns.meta["total_clocks"], document["total"]["clocks"])
        for name in ("gaps", "without_path", "limited", "complete", "accounted"):
            self.assertEqual(columns.meta[name], document[name], name)
        return columns

    def test_every_node_is_that_of_the_json(self):
        for trace in self.traces:
            with self.subTest(trace):
                columns = self.check(trace)
                self.assertEqual(columns.meta["merged"], 0)
        self.assertEqual(columns.tables["nodes"], [])

    def test_fewer_nodes_keep_the_sums(self):
        whole = self.check(self.traces[0])
        trace = self.traces[0]
        for limit in 1, 5, 17:
            data, _ = self.earshot_bytes("profile", "-f", "columns", "--limit", limit, *trace, status=None)
            columns = Columns(data)
            rows = columns.tables["nodes"]
            for name in "self", "self_clocks":
                self.assertEqual(sum(row[name] for row in rows),
                                 sum(row[name] for row in whole.tables["nodes"]))
            real = [row for row in rows if row["merged"] == 0]
            self.assertLessEqual(len(real), limit)
            self.assertEqual(len(real) + columns.meta["merged"], columns.meta["nodes"])
            self.assertEqual({columns.string(row, "kind") for row in rows if row["merged"]}, {"(smaller)"})


class Odd(Traces):
    def test_names_of_any_bytes(self):
        evil = ["</script><script>alert(1)</script>", "\x1b[2J", "\u202egpj", "a\"b\\c", "é" * 400]
        functions = [(name, odd_traces.BASE + 16 * number, 16) for number, name in enumerate(evil)]
        elf = odd_traces.write_elf(self.folder / "evil.elf", functions + [("main", odd_traces.MAIN, 8)])
        data = bytearray(elf.read_bytes())
        at = data.index(b"a\"b")
        data[at] = 0xff
        elf.write_bytes(data)
        trace = odd_traces.write_trace(self.folder / "t.json", odd_traces.run(range(5)))
        for command in ["profile"], ["timeline", "-o", "-"]:
            data, _ = self.earshot_bytes(*command, "-f", "columns", "--elf", elf, trace, status=None)
            size, = struct.unpack_from("<I", data, 8)
            text = data[12:12 + size].decode("utf-8", "strict")
            self.assertFalse([c for c in text if c < " "])
            strings = Columns(data).strings
            for name in evil[0], "\\x1b[2J", "\\xff\"b\\c", "é" * 100:
                raw = name.replace("\\x1b", "\x1b").replace("\\xff", "\ufffd")  # the timeline has them as they are
                self.assertTrue(any(one.startswith((name, raw)) for one in strings), (name, strings))
            self.assertTrue(all(len(one.encode()) <= 512 + 2 for one in strings))

    def test_a_terminal_gets_no_columns(self):
        """As with pprof, which test_profile tries with a terminal; here: both options are refused with others."""
        trace = odd_traces.write_trace(self.folder / "t.json", odd_traces.run(range(5)))
        _, error = self.earshot("profile", "-f", "columns", "--tree", trace, status=2)
        self.assertIn("are tables", error)


if __name__ == "__main__":
    main()
