#!/usr/bin/env python3
"""'earshot profile --annotate': its counts are those of the records, of the profile and of the coverage."""
import collections
import json
import os
import pathlib
import re
import subprocess

from support import EARSHOT, PROGRAMS, Case, json_lines, main, some

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ProfileAnnotate(Case):
    def setUp(self):
        """In an empty folder: the programs name their sources by paths within the tree."""
        super().setUp()
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)

    def capture(self, program, *arguments, limit=30000):
        shot = self.folder / f"{program}.shot"
        if not shot.exists():
            self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null", "-o", shot, "--limit",
                         limit, *arguments)
        return shot

    def annotate(self, shot, *arguments):
        return json.loads(self.earshot("profile", "-q", "--json", "--annotate", *arguments, shot)[0])

    def test_counts_are_those_of_the_records_and_of_the_profile(self):
        for program in some("nested", "sort", "crc32", "rtos", gate=1):
            with self.subTest(program):
                shot = self.capture(program)
                out = subprocess.run([EARSHOT, "decode", "-f", "json", shot], capture_output=True, check=True).stdout
                ran = collections.Counter(int(record["pc"], 0) for record in json_lines(out) if "pc" in record)
                for options in ((), ("--no-inline",)):
                    profile = json.loads(self.earshot("profile", "-q", "--json", *options, shot)[0])
                    found = self.annotate(shot, "--limit", "0", *options)
                    self.assertEqual(found["total"], profile["total"])
                    self.assertEqual(found["left_out"], 0)
                    self.check(found, profile, ran, options)

    def check(self, found, profile, ran, options):
        expected = collections.Counter()
        for function in profile["functions"]:
            if function["self"]["records"]:
                expected[function["name"], function["entry"]] += function["self"]["records"]
        seen, own, inlined = {}, collections.Counter(), 0
        last = None
        for function in found["functions"]:
            self.assertTrue(last is None or function["records"] <= last)
            last = function["records"]
            entry = function["entry"]
            counted = 0
            for at in function["instructions"]:
                pc = int(at["address"], 0)
                self.assertEqual(at["records"], ran[pc])
                self.assertTrue(int(function["low"], 0) <= pc < int(function["high"], 0))
                seen[pc] = at["records"]
                inlined += bool(at["inlined"])
                if options or not (at["inlined"] or function["entry"] is None):
                    counted += at["records"]
                elif at["inlined"] and at["inlined"][0]["function"] == function["name"]:
                    counted += at["records"]
            own[function["name"], entry] += function["records"]
            self.assertEqual(counted, function["records"], function["name"])
            self.assertEqual(sum(at["records"] for at in function["instructions"]), function["listed"])
            lines = collections.Counter()
            for at in function["instructions"]:
                if at["line"]:
                    lines[at["file"], at["line"]] += at["records"]
            self.assertEqual({(line["file"], line["line"]): line["records"] for line in function["lines"]
                              if line["records"] is not None}, dict(lines))
        self.assertEqual(own, expected)
        # No instruction is left out.
        self.assertEqual({pc: count for pc, count in seen.items() if count}, dict(ran))
        self.assertGreater(inlined, 0)

    def test_lines_are_those_of_the_coverage(self):
        """A line has run in one exactly if it has in the other."""
        shot, info = self.capture("sort"), self.folder / "cov.info"
        self.earshot("coverage", "-q", "--all-sources", "-o", info, shot)
        path, ran = None, set()
        for line in info.read_text().splitlines():
            if line.startswith("SF:"):
                path = line[3:]
            elif line.startswith("DA:"):
                number, count = line[3:].split(",")[:2]
                if count != "0":
                    ran.add((path, int(number)))
        found = self.annotate(shot, "--limit", "0")
        lines = {(line["file"], line["line"]) for function in found["functions"] for line in function["lines"]
                 if line["records"]}
        self.assertTrue(lines)
        self.assertLessEqual(lines, ran)
        # Coverage also has the head of a function that ran.
        heads = {(function["file"], function["line"]) for function in found["functions"]}
        self.assertLess(len(ran - lines), len(heads) + 1)

    def test_text_and_functions_that_are_named(self):
        shot = self.capture("sort")
        everything = self.annotate(shot, "--limit", "0")
        hottest = self.annotate(shot, "--limit", "2")
        self.assertEqual(hottest["functions"], everything["functions"][:2])
        self.assertEqual(hottest["left_out"], len(everything["functions"]) - 2)
        first, second = (function["name"] for function in hottest["functions"])
        named = self.annotate(shot, f"--annotate={second}", f"--annotate={first}")
        self.assertEqual(named["functions"], hottest["functions"][::-1])
        # The older form, in two words.
        self.assertEqual(json.loads(self.earshot("profile", "-q", "--json", "--annotate", first, shot)[0])["functions"],
                         hottest["functions"][:1])
        text, _ = self.earshot("profile", "-q", "--annotate", "--limit", "2", shot)
        for function in hottest["functions"]:
            self.assertRegex(text, rf"(?m)^{function['name']}(, inlined)?: {function['listed']} of ")
            for at in function["instructions"]:
                self.assertRegex(text, rf"(?m)^ +{at['records']} .*  {int(at['address'], 0):x}  {re.escape(at['text'])}$")
        self.assertIn(f"... and {hottest['left_out']} more functions (--limit N)", text)

    def test_sources(self):
        shot = self.capture("sort")
        found = self.annotate(shot)
        self.assertTrue(found["sources_missing"])
        self.assertTrue(all(line["text"] is None for function in found["functions"] for line in function["lines"]
                            if line["file"] in found["sources_missing"]))
        _, error = self.earshot("profile", "--annotate", "--json", shot)
        self.assertIn("cannot be read", error)
        found = self.annotate(shot, "--source", f"./={ROOT}/")
        texts = 0
        for function in found["functions"]:
            for line in function["lines"]:
                if line["text"] is not None:
                    with open(line["file"], encoding="utf-8") as source:
                        text = source.read().split("\n")[line["line"] - 1].rstrip()
                    self.assertEqual(text.replace("\t", " "), line["text"].replace("\t", " "))
                    blanks = len(text) - len(text.lstrip())
                    self.assertEqual(text[:blanks], line["text"][:blanks])
                    texts += 1
        self.assertGreater(texts, 20)
        for function in found["functions"]:
            if function["name"] in ("main", "finish"):
                self.assertRegex("\n".join(str(line["text"]) for line in function["lines"]),
                                 rf"(?m)^\w.*\b{function['name']}\(", "its declaration is there")

    def test_within_a_function(self):
        """Only what runs below it is annotated, and its sums are those of the profile."""
        shot = self.capture("nested")
        profile = json.loads(self.earshot("profile", "-q", "--json", shot)[0])
        within = max((function for function in profile["functions"] if function["calls"] and function["entry"]),
                     key=lambda function: function["inclusive"]["records"] * (function["calls"] < 100))["name"]
        found = self.annotate(shot, "--limit", "0", "--within", within)
        profile = json.loads(self.earshot("profile", "-q", "--json", "--within", within, shot)[0])
        self.assertEqual(sum(function["records"] for function in found["functions"]), profile["total"]["records"])


if __name__ == "__main__":
    main()
