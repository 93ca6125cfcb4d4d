#!/usr/bin/env python3
"""'earshot profile': functions that were inlined count as addr2line says it of each instruction."""
import collections
import json
import re
import subprocess

from support import EARSHOT, NIGHT, PROGRAMS, Case, json_lines, main, night, some

ADDR2LINE = "riscv64-unknown-elf-addr2line"


def chains_of(program, addresses):
    """Of each address, the functions that it is in, the innermost first: name and source."""
    out = subprocess.run([ADDR2LINE, "-a", "-i", "-f", "-e", PROGRAMS / f"{program}.elf", *map(hex, addresses)],
                         capture_output=True, text=True, check=True).stdout
    chains = {}
    for line in out.splitlines():
        if line.startswith("0x"):
            chain = chains[int(line, 0)] = []
            name = None
        elif name is None:
            name = line
        else:
            chain.append((name, re.sub(r":[\d?]+( \(.*)?$", "", line)))
            name = None
    return chains


class ProfileInline(Case):
    def capture(self, program, *arguments, limit=60000):
        shot = self.folder / f"{program}.shot"
        if not shot.exists():
            self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null", "-o", shot, "--limit",
                         limit, *arguments)
        return shot

    def profile(self, *arguments):
        return json.loads(self.earshot("profile", "-q", "-f", "json", *arguments)[0])

    def pcs(self, shot):
        out = subprocess.run([EARSHOT, "decode", "-f", "json", shot], capture_output=True, check=True).stdout
        return collections.Counter(int(record["pc"], 0) for record in json_lines(out) if "pc" in record)

    def test_counts_are_those_of_addr2line(self):
        inlined_rows = 0
        for program in some("rtos", "sort", "sha256", "crc32", "tasks", "nested", gate=2):
            with self.subTest(program):
                shot = self.capture(program)
                pcs = self.pcs(shot)
                chains = chains_of(program, list(pcs))
                expected, within, inlined = collections.Counter(), collections.Counter(), set()
                for pc, count in pcs.items():
                    names = [name for name, _ in chains[pc]]
                    expected[names[0]] += count
                    for name in set(names):
                        within[name] += count
                    inlined.update(names[:-1])
                found, self_counts = self.profile("--inline", shot), collections.Counter()
                inclusive = collections.Counter()
                for function in found["functions"]:
                    # addr2line names a clone as what it is one of.
                    name = re.sub(r"\.(constprop|isra|part)\.\d+$", "", function["name"])
                    self_counts[name] += function["self"]["records"]
                    inclusive[name] += function["inclusive"]["records"]
                    self.assertEqual("inlined" in function, function["name"] in inlined, function)
                    if function["calls"] is None:
                        self.assertIsNone(function["entry"])
                # Assembly has labels where addr2line has no function.
                named = {name for name in expected if name != "??"}
                self.assertEqual({name: self_counts[name] for name in named}, {name: expected[name] for name in named})
                self.assertEqual(sum(self_counts.values()), sum(pcs.values()))
                for name in named:
                    self.assertGreaterEqual(inclusive[name], within[name], name)
                inlined_rows += len(inlined)
        self.assertGreater(inlined_rows, 20 if NIGHT else 5)

    def test_without_what_is_inlined_it_is_the_profile(self):
        """Of each function, itself and what is inlined into it is what it is with --no-inline."""
        for program in some("rtos", "sort", "nested"):
            with self.subTest(program):
                shot = self.capture(program, "--time", "record")
                plain, found = self.profile("--no-inline", shot), self.profile(shot)
                self.assertEqual(found["total"], plain["total"])
                sums = collections.defaultdict(collections.Counter)
                for node in found["nodes"]:
                    at = node
                    while at["kind"] == "inlined":
                        self.assertIsNone(at["calls"])
                        at = found["nodes"][at["parent"]]
                    sums[found["functions"][at["function"]]["entry"]].update(node["self"])
                for function in plain["functions"]:
                    if function["self"]["records"] == 0:
                        continue
                    self.assertEqual({key: sums[function["entry"]][key] for key in function["self"]}, function["self"],
                                     function["name"])
                entries = {function["entry"]: function for function in found["functions"]}
                for function in plain["functions"]:
                    own = entries[function["entry"]]
                    self.assertEqual(own["calls"], function["calls"])
                    if "inlined" not in own:
                        self.assertEqual(own["inclusive"], function["inclusive"])

    @night
    def test_show_and_coverage_without_what_is_inlined(self):
        """The line of the outermost function, as addr2line says it; functions that are symbols."""
        shot = self.capture("sort")
        text = self.earshot("show", "--no-inline", "--no-source", "--from", "main", "--limit", 3000, shot)[0]
        place, seen = None, {}
        for line in text.splitlines():
            if header := re.match(r"  (?:[\w.]+  )?([\w.]+:\d+)$", line):
                place = header[1]
            elif record := re.match(r" +\d+  ([0-9a-f]{8})  ", line):
                seen.setdefault(int(record[1], 16), set()).add(place)
        out = subprocess.run([ADDR2LINE, "-a", "-i", "-e", PROGRAMS / "sort.elf", *map(hex, seen)], capture_output=True,
                             text=True, check=True).stdout
        for block in re.split(r"^(?=0x)", out, flags=re.M)[1:]:
            address, *lines = block.splitlines()
            outermost = re.sub(r".*/| \(.*", "", lines[-1])
            self.assertEqual(seen[int(address, 0)], {outermost}, address)
        self.assertTrue("inlined from" in self.earshot("show", "--from", "main", "--limit", 3000, shot)[0])
        self.earshot("show", "--no-inline", "--json", shot, status=2)
        names = [set(re.findall(r"^FN:\d+,(.*)", self.earshot("coverage", "-q", "-o", "-", *more, shot)[0], re.M))
                 for more in ((), ("--no-inline",))]
        table = subprocess.run(["riscv64-unknown-elf-nm", PROGRAMS / "sort.elf"], capture_output=True, text=True,
                               check=True).stdout
        self.assertLess(names[1], names[0])
        self.assertLessEqual(names[1], {line.split()[-1].split(".")[0] for line in table.splitlines()})

    def test_parts_are_the_whole(self):
        for program, count in some(("rtos", 7), ("sort", 64), ("nested", 5)):
            with self.subTest(program):
                shot = self.capture(program, "--time", "record")
                parts = []
                for i in range(count):
                    parts.append(self.folder / f"{program}-{i}.part")
                    parts[-1].write_text(self.earshot("profile", "-q", "--inline", "--part", f"{i + 1}/{count}", shot)[0])
                for how in ("-f json", "--tree", "-f folded"):
                    whole, _ = self.earshot("profile", "-q", "--inline", *how.split(), shot)
                    self.assertEqual(self.earshot("profile", "-q", "--inline", *how.split(), *parts)[0], whole, how)
                    self.assertEqual(self.earshot("profile", "-q", "--inline", "-j", 3, *how.split(), shot)[0], whole, how)
                self.assertEqual(self.earshot("profile", "-q", *parts)[0], self.earshot("profile", "-q", shot)[0])
                _, error = self.earshot("profile", "-q", "--no-inline", *parts, status=2)
                self.assertIn("counted with inlined functions", error)

    def test_damaged_parts_are_refused(self):
        """Those that say what cannot be of functions that were inlined."""
        shot, part = self.capture("rtos"), self.folder / "whole.part"
        part.write_text(self.earshot("profile", "-q", "--inline", "--part", "1/1", shot)[0])
        lines = part.read_text().splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("inlined "))
        self.assertTrue(lines[at - 1].startswith("source "))
        deep = [text for i in range(70) for text in ("source a.c", f"inlined {i} f")]
        first = next(i for i, line in enumerate(lines) if line.startswith("function "))
        for damage, message in (
                (lines[:at - 1] + lines[at:], "no source before it"),
                (lines[:at] + ["inlined 4000 f"] + lines[at + 1:], f"line {at + 1}: "),
                (lines[:at + 1] + lines[at - 1:], "it came before"),
                (lines[:first + 1] + deep + lines[first + 1:], "inlined too deep")):
            part.write_text("\n".join(damage) + "\n")
            _, error = self.earshot("profile", "-q", "--inline", part, status=2)
            self.assertIn(message, error)

    def test_callgrind(self):
        """The costs by function, as Valgrind's own program sums them up."""
        for program in ("rtos", "sort"):
            with self.subTest(program):
                shot, path = self.capture(program), self.folder / "callgrind.out"
                path.write_text(self.earshot("profile", "-q", "--inline", "-f", "callgrind", shot)[0])
                found, costs, expected = self.profile("--inline", shot), collections.Counter(), collections.Counter()
                out = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", path], capture_output=True,
                                     text=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout
                for cost, name in re.findall(r"(?m)^ *([\d,]+) .*:([\w.]+)", out):
                    costs[name] += int(cost.replace(",", ""))
                for function in found["functions"]:
                    if function["self"]["records"]:
                        expected[function["name"]] += function["self"]["records"]
                self.assertEqual(costs, expected)

    def test_what_does_not_fit_is_refused(self):
        stripped = self.folder / "stripped.elf"
        subprocess.run(["riscv64-unknown-elf-strip", "-g", "-o", stripped, PROGRAMS / "sort.elf"], check=True)
        out, error = self.earshot("profile", "--inline", "--elf-anyway", "--elf", stripped, self.capture("sort"))
        self.assertIn("nothing is known of inlining", error)
        self.assertIn("main", out)


if __name__ == "__main__":
    main()
