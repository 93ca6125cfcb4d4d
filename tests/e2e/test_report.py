#!/usr/bin/env python3
"""earshot report: a page has what the commands print, byte for byte, and nothing that is not text; it is there whole or
not at all, and says what it does not know."""
import base64
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import unittest

import odd_traces
from report_page import Columns, Page
from support import EARSHOT, NIGHT, PROGRAMS, TREE, Case, main, night, some, wait_until

DATA = TREE / "tests/data"
# One trace of each text format and each log.
TEXTS = ["spike/rv64.log", "sail/rv64.log", "whisper/timer.csv", "whisper/timer-default.log", "ibex/rv32.log",
         "riscv-dv/rv32.csv", "tarmac/dialects.txt", "armulator/published.txt", "qemu4v/published.txt",
         *(f"logs/{path.stem}" for path in sorted((DATA / "logs").glob("*.jsonl")) if path.stem != "written")]
HAS_PAGE = b"built without the page" not in subprocess.run(
    [EARSHOT, "report", __file__, "-o", os.devnull], capture_output=True, check=False).stderr


class Without(Case):
    @unittest.skipIf(HAS_PAGE, "this build has the page")
    def test_a_build_without_the_page_says_what_is_missing(self):
        _, error = self.earshot("report", DATA / "spike/rv64.log", "-o", self.folder / "t.html", status=2)
        self.assertIn("-DEAR_REPORT=ON", error)
        self.assertEqual(list(self.folder.iterdir()), [])


@unittest.skipUnless(HAS_PAGE, "this build has no page")
class Reports(Case):
    def report(self, *arguments, status=0, folder=None):
        """The page, and what was printed as errors."""
        path = self.folder / "report.html"
        path.unlink(missing_ok=True)
        done = subprocess.run([EARSHOT, "report", *map(os.fsdecode, map(os.fspath, map(str, arguments))), "-o", path],
                              capture_output=True, cwd=folder or self.folder, timeout=300, check=False)
        error = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, status, error)
        self.assertEqual(done.stdout, b"")
        return Page(path.read_bytes().decode("utf-8-sig")) if path.exists() else None, error

    def check_sections(self, page, folder=None, names=None):
        """Each section is what its command prints, which the page names."""
        for section, data in page.sections():
            if names and section["name"] not in names:
                continue
            words = shlex.split(section["command"])
            self.assertEqual(words[0], "earshot")
            done = subprocess.run([EARSHOT, *words[1:]], capture_output=True, cwd=folder or self.folder, timeout=300,
                                  stdin=subprocess.DEVNULL, check=False)
            with self.subTest(section["command"]):
                self.assertEqual(section["status"], done.returncode)
                if data is None:
                    self.assertEqual((section["kind"], section["bytes"]), ("none", 0))
                    self.assertTrue(section["messages"], "it says why there is nothing")
                else:
                    self.assertEqual(data, done.stdout)
                self.assertEqual(section["messages"], done.stderr.decode(errors="replace").splitlines())
                self.check_kind(section, data)

    def check_kind(self, section, data):
        if section["kind"] == "json":
            json.loads(data)
        elif section["kind"] == "lines":
            for line in data.splitlines():
                json.loads(line)
        elif section["kind"] == "columns":
            Columns(data)

    def sample(self, functions=range(50), name="t.json"):
        """A trace, and a program for it."""
        trace = odd_traces.write_trace(self.folder / name, odd_traces.run(functions))
        return trace, odd_traces.write_elf(self.folder / "t.elf", odd_traces.functions(50))


class Contents(Reports):
    def test_every_section_is_what_its_command_prints(self):
        trace = self.folder / "t.shot"
        self.capture(trace, "rtos", "-q", "--time", "record")
        page, _ = self.report("t.shot", "--records", 50)
        shown = ("why", "profile", "annotate", "flame", "timeline", "memory", "heap", "records")
        self.check_sections(page, names=None if NIGHT else shown)
        self.assertEqual(page.head["format"], 1)
        self.assertEqual(page.head["traces"], [{"name": "t.shot", "path": "t.shot"}])
        names = [section["name"] for section in page.head["sections"]]
        for name in ("info", "why", "check", "stat", "profile", "flame", "timeline", "calls", "coverage", "isa",
                     "branches", "memory", "heat", "errors", "tasks", "records"):
            self.assertIn(name, names)
        self.assertEqual([section["name"] for section, data in page.sections() if data is None], [])
        self.assertEqual(len(page.section("records")[1].splitlines()), 50)
        missed = [file["uncovered_lines"] for file in json.loads(page.section("coverage")[1])["files"]]
        self.assertTrue(any(missed), "the lines that did not run are there")

    @night
    def test_two_traces_have_their_difference(self):
        one, _ = self.sample(range(20), "a.json")
        two, _ = self.sample([*range(15), 3, 16], "b.json")
        page, _ = self.report(one.name, two.name, "--elf", "t.elf")
        self.check_sections(page, names=("info", "profile", "diff"))
        section, data = page.section("diff", -1)
        self.assertEqual((section["kind"], section["status"]), ("lines", 1))
        self.assertFalse(json.loads(data.splitlines()[-1])["same"])
        self.assertEqual(page.section("profile", 1)[0]["command"],
                         "earshot profile --json --elf=t.elf b.json")

    @night
    def test_options_go_to_the_commands_that_have_them(self):
        trace, elf = self.sample()
        page, _ = self.report(trace.name, "--elf", elf.name, "--from", "10", "--to", "100", "--no-index")
        self.check_sections(page, names=("info", "why", "flame", "records"))
        commands = {section["name"]: section["command"] for section in page.head["sections"]}
        self.assertEqual(commands["info"], "earshot info --json --elf=t.elf t.json")
        self.assertIn("--from=10 --to=100", commands["flame"])
        self.assertNotIn("--from", commands["why"])
        self.assertIn("--no-index", commands["why"])
        self.assertEqual(page.columns("flame").meta["total"], 91)

    @night
    def test_what_is_not_known_is_said(self):
        """Damage, gaps, two harts, no program, no index: the sections have the warnings."""
        made = odd_traces.run(range(9)) + [odd_traces.gap(3)] + odd_traces.run(range(5), hart=1)
        trace = odd_traces.write_trace(self.folder / "t.json", made)
        with open(trace, "a", encoding="utf-8") as file:
            file.write("{\"kind\":\"instruction\",\n")
        page, error = self.report(trace.name, "--no-index", status=2)
        self.check_sections(page)
        self.assertEqual(error.count("t.json is damaged"), 1, error)
        self.assertFalse(page.columns("timeline").meta["complete"])
        self.assertIn("there are no names", " ".join(page.section("profile")[0]["messages"]))
        self.assertIn("there are gaps", " ".join(page.section("profile")[0]["messages"]))
        self.assertEqual(page.section("profile")[0]["status"], 2)
        self.assertIsNone(page.section("coverage")[1])

    def test_damage_is_said_once_and_is_in_the_exit_status(self):
        """As of any command: a cut capture, alone and beside a whole text; -q and --incomplete ok."""
        (self.folder / "cut.shot").write_bytes((DATA / "shot/states-1.shot").read_bytes()[:3000])
        sentence = r"earshot: warning: cut\.shot is damaged, from instruction 6000 on: .*\n"
        page, error = self.report("cut.shot", status=2)
        self.assertRegex(error, rf"\A{sentence}\Z")
        self.check_sections(page, names=("why", "stat"))
        self.assertEqual(page.section("stat")[0]["messages"], error.splitlines())
        for more, status, said in ((["-q"], 2, 0), (["--incomplete", "ok"], 0, 1), ([DATA / "spike/rv64.log"], 2, 1),
                                   (["--to", 5], 2, 1))[:4 if NIGHT else 0]:
            with self.subTest(more):
                page, error = self.report("cut.shot", *more, status=status)
                self.assertEqual(len(re.findall(sentence, error)), said, error)
                self.assertIsNotNone(page)

    @night
    def test_an_empty_trace(self):
        shot = self.folder / "t.shot"
        self.earshot("convert", odd_traces.write_trace(self.folder / "t.json", [odd_traces.gap(1)]), "-o", shot,
                     status=None)
        page, _ = self.report(shot.name, status=2)
        self.check_sections(page)
        self.assertEqual(page.columns("flame").tables["nodes"], [])

    def test_the_places_that_are_named_have_their_records(self):
        """Of why's chain and of check, if the last ones do not have them."""
        page, _ = self.report("spike-2019.log", "--no-index", "--records", 1, folder=DATA / "pasted")
        section, data = page.section("cause")
        named = {int(number) for name in ("why", "check", "errors")
                 for number in re.findall(rb'"record": ?(\d+)', page.section(name)[1])}
        held = {json.loads(line)["number"] for line in data.splitlines()}
        self.assertTrue(named)
        self.assertLessEqual(named - {json.loads(page.section("records")[1])["number"]}, held)
        self.assertLess(len(section["command"]), 4000)
        if NIGHT:
            self.check_sections(page, folder=DATA / "pasted", names=("cause",))

    @night
    def test_the_same_input_gives_the_same_bytes(self):
        trace, elf = self.sample()
        os.environ["SOURCE_DATE_EPOCH"] = "1795696923"
        self.addCleanup(os.environ.pop, "SOURCE_DATE_EPOCH")
        page, _ = self.report(trace.name, "--elf", elf.name)
        again, _ = self.report(trace.name, "--elf", elf.name, "-j", 1)
        self.assertEqual(page.text, again.text)
        self.assertEqual(page.head["created"], "2026-11-26T12:42:03Z")


def pairs(value):
    """All objects with the number of a record and a pc: what a page links, and what must be found there."""
    if isinstance(value, list):
        for one in value:
            yield from pairs(one)
    elif isinstance(value, dict):
        number = value.get("number" if "place" in value else "record", value.get("number"))
        if isinstance(number, int) and isinstance(value.get("pc"), str):
            yield number, value["pc"], value.get("hart")
        for one in value.values():
            yield from pairs(one)


def with_indexes(records):
    """As of a source that numbers the records of each hart; a gap counts as what is missing in it."""
    at, made = {}, []
    for one in records:
        index = at.get(one["hart"], 0)
        missing = one.get("count", 1 if one["kind"] == "instruction" else 0)
        at[one["hart"]] = index + missing
        more = {"first": index, "last": index + missing - 1} if one["kind"] == "gap" else {}
        made.append({**one, "index": index + (missing if one["kind"] == "gap" else 0), **more})
    return made


def write_marks(trace, marks):
    """The file beside the trace (docs/moments.md, section 5): names with the number that comes next."""
    status = trace.stat()
    lines = ["earshot-marks 1", f"trace {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} 0",
             *(f"mark {name} {number} {position}" for name, number, position in marks), "end"]
    pathlib.Path(f"{trace}.marks").write_text("\n".join(lines) + "\n")


class Links(Reports):
    """A link of the page names a record by its number in the trace, of all harts."""

    def two_harts(self, name, wrong, other=False):
        """The second hart runs slower, and something is wrong there: a store that writes a register. A gap of the
        first one is before it."""
        first, second = odd_traces.run(range(20)), odd_traces.run(range(30, 40), hart=1)
        second[20] = {**second[20], "registers": [{"class": "x", "number": 10, "value": wrong}]}
        made = [odd_traces.gap(7)]
        for at, one in enumerate(first):
            made += [one, second[at // 2]] if at % 2 == other else [one]  # the harts may take other turns
        return odd_traces.write_trace(self.folder / name, with_indexes(made))

    def check_links(self, page, trace=0):
        held, linked = {}, []
        for name in "cause", "records":
            for section, data in page.sections():
                if (section["name"], section["trace"]) == (name, trace) and data is not None:
                    held.update({line["number"]: line for line in map(json.loads, data.splitlines())
                                 if line["kind"] == "instruction"})
        for section, data in page.sections():
            if section["kind"] == "columns" or section["name"] in ("cause", "records", "state") or data is None:
                continue
            made = [json.loads(line) for line in ([data] if section["kind"] == "json" else data.splitlines())]
            if section["name"] == "calls":
                made = [{**call, "pc": call["call_pc"]} for call in made if "number" in call]
            if section["trace"] == -1:
                made = [event["ab"[trace]] for event in made if "a" in event and event["kind"] != "summary"]
            elif section["trace"] != trace:
                continue
            for number, pc, hart in pairs(made):
                if section["name"] == "calls" and number not in held:
                    continue  # the page says that it does not have them
                linked.append(section["name"])
                with self.subTest(section["name"], number=number):
                    self.assertEqual(held[number]["pc"], pc)
                    if hart is not None:
                        self.assertEqual(held[number]["hart"], hart)
        return set(linked)

    def test_of_two_harts_and_of_a_gap(self):
        """why, check, calls, marks."""
        trace = self.two_harts("t.json", "0x7")
        write_marks(trace, [("here", 62, 63), ("begin", 0, 0)])
        page, _ = self.report(trace.name, status=2)
        self.assertLessEqual({"why", "check", "calls", "marks"}, self.check_links(page))
        self.assertEqual({one["hart"] for one in page.json("check")["found"]}, {0, 1})
        self.assertEqual([mark["name"] for mark in page.json("marks")["marks"]], ["begin", "here"])
        # Each record is there, in the order of the trace; its index is that of its hart.
        lines = [json.loads(line) for line in page.section("records")[1].splitlines()]
        made = [line for line in lines if line["kind"] == "instruction"]
        self.assertEqual([line["number"] for line in made], list(range(180)))
        self.assertEqual(made[0]["index"], 7)
        self.assertEqual(made[1]["index"], 0)

    def test_of_a_difference_and_the_state_before_it(self):
        one, two = self.two_harts("a.json", "0x7"), self.two_harts("b.json", "0x8", other=True)
        page, _ = self.report(one.name, two.name, "--records", 1, status=2)
        for trace, value in enumerate(["0x7", "0x8"]):
            self.assertIn("diff", self.check_links(page, trace))
            event = next(event for event in map(json.loads, page.section("diff", -1)[1].splitlines())
                         if event["kind"] == "different")
            side = event["ab"[trace]]
            self.assertEqual((side["hart"], side["record"], side["number"]), (1, 20, 61 + trace))
            line = next(line for line in map(json.loads, page.section("cause", trace)[1].splitlines())
                        if line["number"] == side["number"])
            self.assertEqual(line["registers"][0]["value"], value)
            state = page.json("state", trace)
            self.assertEqual((state["hart"], state["instructions"], state["registers"]["a0"]),
                             (1, side["number"], "0x1"))
        self.check_sections(page, names=("state", "cause", "marks"))

    def test_the_difference_of_a_task_is_numbered_in_the_trace(self):
        """Its records are counted in the task; and --start leaves some out."""
        for name, value in ("a.json", "0x1"), ("b.json", "0x9"):
            made = []
            for number, call in enumerate(odd_traces.run([function]) for function in range(12)):
                task = {"kind": "event", "hart": 0, "source": 0, "name": f"switch {number % 2 + 1}", "value": "0x1"}
                made += [task, *call]
            made[7 * 7 + 2] = {**made[7 * 7 + 2], "registers": [{"class": "x", "number": 10, "value": value}]}
            odd_traces.write_trace(self.folder / name, with_indexes(made))
        for more, record in (["--task", "2"], 19), (["--start", "10"], 33), (["--task", "2", "--start", "10"], 15):
            out, _ = self.earshot("diff", "--json", *more, self.folder / "a.json", self.folder / "b.json", status=1)
            side = json.loads(out.splitlines()[0])["a"]
            self.assertEqual((side["record"], side["number"]), (record, 43), out)

    @night
    def test_with_a_range_of_a_task_and_of_whole_programs(self):
        """What is around a place is there if the records of the range do not have it."""
        for program in "rtos", "sort", "interrupts":
            with self.subTest(program):
                trace = self.folder / f"{program}.shot"
                self.capture(trace, program, "-q", "--time", "record")
                page, _ = self.report(trace.name, "--from", 100, "--to", 5000, "--records", 60)
                named = {int(number) for number in re.findall(rb'"record": ?(\d+)', page.section("why")[1])}
                held = {json.loads(line)["number"] for name in ("records", "cause")
                        for line in page.section(name)[1].splitlines()}
                self.assertLessEqual(set(sorted(named)[:40]), held)


    @night
    def test_text_formats(self):
        for text in TEXTS:
            with self.subTest(text):
                damaged = "is damaged" in self.earshot("stat", DATA / text, status=None)[1]
                page, _ = self.report(text, "--no-index", folder=DATA, status=2 if damaged else 0)
                self.check_sections(page, folder=DATA)
                self.check_links(page)
                self.assertIsNotNone(page.section("info")[1])
                self.assertNotEqual(page.columns("timeline").meta["complete"], True)

    def test_a_program_without_symbols_has_its_records(self):
        trace = odd_traces.write_trace(self.folder / "t.json", odd_traces.run(range(5)))
        elf = odd_traces.write_elf(self.folder / "stripped.elf", [])
        page, _ = self.report(trace.name, "--elf", elf.name, "--no-index")
        self.assertEqual(len(page.section("records")[1].splitlines()), 30)
        self.assertIn("stripped.elf: has no symbols", " ".join(page.section("records")[0]["messages"]))

    @night
    def test_odd_traces_and_programs(self):
        for odd in odd_traces.all(self.folder):
            if odd.name == "a million functions":
                continue
            with self.subTest(odd.name):
                page, _ = self.report(odd.trace, *odd.options, "--no-index", status=2 if odd.gaps else 0)
                self.check_sections(page)
                self.check_links(page)
                self.assertEqual(page.json("profile")["total"]["records"], odd.records)
                self.assertEqual(page.columns("timeline").meta["gaps"], odd.gaps)
                # How long it is, and whether all is there, is not known of a text; with gaps something is missing.
                self.assertEqual(page.json("info").get("complete"), False if odd.gaps else None)
                self.assertLessEqual([section["name"] for section, data in page.sections() if data is None], ["coverage"])


class Size(Reports):
    @night
    def test_less_is_shown_of_what_is_too_long(self):
        trace, elf = self.sample([number * 7 % 50 for number in range(4000)])
        whole, _ = self.report(trace.name, "--elf", elf.name, "--records", 1)
        size = len(whole.text) - 4000
        page, error = self.report(trace.name, "--elf", elf.name, "--records", 1, "--size", size)
        self.assertLessEqual(len(page.text), size)
        self.assertEqual(len(page.head["left_out"]), error.count("left out: "))
        timeline = page.columns("timeline")
        self.assertGreater(timeline.meta["merged"], 0)
        self.assertIn(f"{timeline.meta['merged']} slices of the timeline", page.head["left_out"][0])
        self.check_sections(page, names=("timeline",))

    @night
    def test_what_cannot_become_smaller_is_said(self):
        trace, _ = self.sample()
        page, error = self.report(trace.name, "--size", 1)
        self.assertIn("nothing more can be left out", page.head["left_out"][-1])
        self.assertIn("nothing more can be left out", error)


EVIL = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--<script>", "\x1b[2Jred", "\u202egpj",
        "m" * 1000000, "a\"b'c\\d&amp;"]


class Hostile(Reports):
    TAGS = ["html", "head", "meta", "meta", "meta", "title", "style", "body", "noscript"]

    def check_page(self, page):
        """The page has the elements that every page has, and nothing else."""
        tags = [tag for tag, _, _ in page.elements]
        data = sum(section["chunks"] for section in page.head["sections"])
        self.assertEqual(tags, [*self.TAGS, *["script"] * (data + 2)])
        self.assertEqual(page.text.count("<script"), data + 2)
        types = [attributes.get("type") for tag, attributes, _ in page.elements if tag == "script"]
        self.assertEqual(types, ["application/json", *["application/octet-stream"] * data, None])
        before = page.text.split('<script type="application/octet-stream"')[0]
        head = before[before.index("earshot-head"):] + before[before.index("<title>"):before.index("</title>")]
        self.assertTrue(head.isascii())
        self.assertFalse([c for c in head if c < " " and c != "\n"])

    def test_names_of_symbols_and_tasks(self):
        functions = [(name, odd_traces.BASE + 16 * number, 16) for number, name in enumerate(EVIL)]
        elf = odd_traces.write_elf(self.folder / "t.elf", functions + [("main", odd_traces.MAIN, 8)])
        data = bytearray(elf.read_bytes())
        data[data.index(b"a\"b")] = 0xff
        elf.write_bytes(data)
        made = odd_traces.run(range(5))
        for number, name in enumerate(EVIL[:5]):
            for words in name, f"switch {number + 1}", f"process {number + 1} {number + 1} {name}":
                made.insert(8 * number, {"kind": "event", "hart": 0, "source": 0, "name": words, "value": "0x1"})
        trace = odd_traces.write_trace(self.folder / "t.json", made)
        page, _ = self.report(trace.name, "--elf", elf.name)
        self.check_page(page)
        self.check_sections(page, names=("flame", "timeline", "tasks"))
        self.assertIn(EVIL[0], page.columns("flame").strings)
        self.assertIn(EVIL[0], page.columns("timeline").strings)
        self.assertIn(EVIL[0], [row["name"] for row in page.json("tasks")["rows"]])
        self.check_policy(page)

    @night
    def test_names_of_files(self):
        for name in EVIL[:2] + EVIL[3:5] + ["a b'c\"d.json", "-n.json"]:
            path = self.folder / name.replace("/", "|")
            odd_traces.write_trace(path, odd_traces.run(range(5)))
            with self.subTest(name):
                done = subprocess.run([EARSHOT, "report", "-o", "r.html", "--", path.name], cwd=self.folder,
                                      capture_output=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                page = Page((self.folder / "r.html").read_bytes().decode("utf-8-sig"))
                self.check_page(page)
                self.assertEqual(page.head["traces"][0]["name"], path.name)
                self.check_sections(page, names=("stat",))

    @night
    def test_a_name_that_is_not_utf8(self):
        name = b"a\xff\xc3(.json"
        path = pathlib.Path(os.fsdecode(os.fsencode(self.folder) + b"/" + name))
        odd_traces.write_trace(path, odd_traces.run(range(5)))
        done = subprocess.run([EARSHOT, "report", "-o", "r.html", "--", name], cwd=self.folder, capture_output=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = Page((self.folder / "r.html").read_bytes().decode("utf-8-sig"))
        self.check_page(page)
        self.assertEqual(page.head["title"], "a\ufffd\ufffd(.json")

    def check_policy(self, page):
        """It allows the script and the style that are there."""
        policy = next(attributes["content"] for tag, attributes, _ in page.elements
                      if attributes.get("http-equiv") == "Content-Security-Policy")
        for tag, begin in ("script", "<script>"), ("style", "<style>"):
            text = page.text[page.text.rindex(begin) + len(begin):]
            digest = hashlib.sha256(text[:text.index(f"</{tag}>")].encode()).digest()
            self.assertIn(f"{tag}-src 'sha256-{base64.b64encode(digest).decode()}'", policy)
        self.assertIn("default-src 'none'", policy)


class Files(Reports):
    def test_no_report_of_what_is_no_trace(self):
        (self.folder / "t.txt").write_text("no trace\n" * 9)
        for arguments in some(["missing.shot"], ["t.txt"], [os.curdir], gate=2):
            with self.subTest(arguments):
                _, error = self.report(*arguments, status=2)
                self.assertIn(arguments[0], error)
                self.assertFalse((self.folder / "report.html").exists())

    def test_what_it_refuses(self):
        trace, _ = self.sample()
        for arguments, message in (([], "which trace?"), (["-"], "standard input"), ([trace] * 3, "one trace, or two")):
            _, error = self.report(*arguments, status=2)
            self.assertIn(message, error)
        _, error = self.earshot("report", trace, status=2)
        self.assertIn("where to? (-o FILE)", error)
        _, error = self.earshot("report", trace, "-o", trace, status=2)
        self.assertIn("is the file that is read", error)
        _, error = self.earshot("report", trace, "-o", self.folder / "no/such", status=2)
        self.assertIn("no/such", error)

    @night
    def test_to_standard_output(self):
        trace, _ = self.sample()
        out, _ = self.earshot("report", trace, "-o", "-", "-q")
        self.assertIsNotNone(Page(out).json("info"))

    def test_interrupted_there_is_nothing(self):
        trace, _ = self.sample([number % 50 for number in range(2000)])
        (self.folder / "report.html").write_text("before")
        process = subprocess.Popen([EARSHOT, "report", trace.name, "-o", "report.html"], cwd=self.folder,
                                   stderr=subprocess.PIPE, text=True)
        wait_until(lambda: pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().strip())
        process.send_signal(signal.SIGTERM)
        _, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2, error)
        self.assertIn("interrupted", error)
        self.assertEqual((self.folder / "report.html").read_text(), "before")
        self.assertEqual([path.name for path in self.folder.glob("*.tmp")], [])

    @night
    def test_one_process_reads_for_all_that_count(self):
        trace, elf = self.sample([number % 50 for number in range(20000)])
        process = subprocess.Popen([EARSHOT, "report", trace.name, "--elf", elf.name, "-o", "report.html"],
                                   cwd=self.folder, stderr=subprocess.DEVNULL)
        children, seen = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children"), set()
        while process.poll() is None:
            for pid in children.read_text().split():
                with contextlib.suppress(OSError, IndexError):
                    seen.add(pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[1])
        self.assertIn(b"check", seen)
        self.assertEqual(seen & {b"profile", b"timeline", b"memory", b"branches", b"coverage"}, set())

    @night
    def test_a_command_that_is_killed_is_a_section_without_data(self):
        trace, _ = self.sample([number % 50 for number in range(20000)])
        process = subprocess.Popen([EARSHOT, "report", trace.name, "-j1", "-o", "report.html"], cwd=self.folder,
                                   stderr=subprocess.PIPE, text=True)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")

        def of(command, confined):
            """Its process: one that has given up its rights, if that is asked, is no fork that becomes another one."""
            def fits(pid):
                return command in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") and (
                    not confined or "Seccomp:\t2" in pathlib.Path(f"/proc/{pid}/status").read_text())
            return [pid for pid in children.read_text().split() if fits(pid)]
        for command, confined in (b"check", False), (b"report", True):  # the second one is for several sections
            wait_until(lambda: of(command, confined))
            os.kill(int(of(command, confined)[0]), signal.SIGKILL)
        process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0)
        page = Page((self.folder / "report.html").read_text())
        section, data = page.section("check")
        self.assertEqual((section["status"], data), (137, None))
        self.assertIn("signal 9 ended the command", section["messages"])
        self.check_sections(page, names=("annotate", "profile", "flame"))  # each was made by itself then


if __name__ == "__main__":
    main()
