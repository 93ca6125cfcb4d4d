#!/usr/bin/env python3
"""--comments no: the text without its comment lines, which are on standard error, and the status says so."""
import random
import re

from support import HEADER, PROGRAMS, Case, main

COMMENT_FORMATS = {"whisper": "csv", "whisper-log": "whisper.log", "tracerv": "tracerv"}
OTHER_FORMATS = {"spike": "spike.log", "riscv-dv": "dv.csv", "qemu4v": "qemu4v", "json": "jsonl"}
COMMENT = re.compile(r"^# (?:gap|event): .*\n", re.M)


def make_text(count, seed=1):
    """A Whisper CSV of two harts with gaps, events, a remark, and what was missing there."""
    numbers = random.Random(seed)
    indexes, lines, missing = [0, 0], [HEADER], 0
    for number in range(count):
        hart = numbers.randrange(2) if number > count / 2 else 0
        if number > count / 2 and indexes[1] == 0:
            lines.append(HEADER)
            hart = 1
        choice = numbers.random()
        if choice < 0.004:
            size = numbers.randrange(1, 99)
            lines.append(f"# gap: {size} record{'s' * (size > 1)} missing; index {indexes[hart]} to "
                         f"{indexes[hart] + size - 1}; hart {hart}; the unit's FIFO was full; stream byte {number}")
            indexes[hart] += size
            missing += 1
        elif choice < 0.006:
            lines.append(f"# event: start trigger; value 0x1; hart {hart}; before index {indexes[hart]}")
        else:
            lines.append(f"80000002,1197,x3=80001002,i1000,,,m,,auipc    x3; 0x1,{hart}")
            indexes[hart] += 1
    return "\n".join(lines) + "\n", missing


class Comments(Case):
    def without(self, *arguments, out, status=1):
        """A command with --comments no: the text, and what it said about comments."""
        _, error = self.earshot(*arguments, "-q", "--comments", "no", "-o", out, status=status)
        return out.read_text(), [re.sub(r"^earshot: \S+: ", "# ", line) for line in error.splitlines()
                                 if re.search(": (?:gap|event|remark): ", line)]

    def test_a_conversion_has_no_comment_lines_with_any_number_of_threads(self):
        text, _ = make_text(40000)
        source = self.folder / "t.csv"
        source.write_text(text)
        comments = [line.rstrip("\n") for line in COMMENT.findall(text)]
        self.assertGreater(len(comments), 100)
        for name, ending in {**COMMENT_FORMATS, **OTHER_FORMATS}.items():
            whole = self.folder / f"whole.{ending}"
            self.earshot("convert", "-q", source, "-o", whole)
            for jobs in (1, 2):
                with self.subTest(format=name, jobs=jobs):
                    shown, said = self.without("convert", source, "-j", jobs, out=self.folder / f"o.{ending}",
                                               status=0 if name == "json" else 1)
                    self.assertEqual(shown, COMMENT.sub("", whole.read_text()))
                    self.assertEqual(said, [] if name == "json" else comments)

    def test_a_line_that_cannot_be_read_is_reported_between_the_same_gaps(self):
        text, _ = make_text(40000)
        lines = text.splitlines(keepends=True)
        for number in (900, 20000, 39000):
            lines[number] = "no record\n"
        source = self.folder / "t.csv"
        source.write_text("".join(lines))
        said = [self.earshot("convert", "-j", jobs, "--comments", "no", source, "-o", self.folder / "o.csv",
                             status=1)[1] for jobs in (1, 2)]
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[0].count(" skipped: "), 3)

    def test_a_packed_text_comes_back_without_its_comment_lines(self):
        text, _ = make_text(20000)
        text = text.replace("\n", "\n# remark: written by hand\n", 1)
        for end in ("\n", "\r\n"):
            source, shot = self.folder / "t.csv", self.folder / "t.shot"
            source.write_bytes(text.replace("\n", end).encode())
            self.earshot("convert", "-q", source, "-o", shot)
            for arguments in (["decode"], ["decode", "-j", 2], ["convert"]):
                with self.subTest(arguments=arguments, end=end):
                    out = self.folder / "o.csv"
                    _, said = self.without(*arguments, shot, out=out)
                    self.assertEqual(said, [line for line in text.splitlines() if line.startswith("#")])
                    self.assertEqual(out.read_bytes().decode(), "".join(
                        line + end for line in text.splitlines() if not line.startswith("#")))

    def test_a_live_capture_shows_each_gap_once_whatever_the_number_of_texts(self):
        shot, whole = self.folder / "t.shot", self.folder / "whole.csv"
        names = [self.folder / f"t.{ending}" for ending in COMMENT_FORMATS.values()]
        arguments = ["capture", "-q", "-d", f"sim:{PROGRAMS / 'sort.elf'},unit=raw,uart={self.folder}/uart,link=2M",
                     "--policy", "drop", "--limit", "30000"]
        outputs = [word for name in names for word in ("-o", name)]
        _, error = self.earshot(*arguments, "--comments", "no", *outputs, "-o", shot, status=1)
        self.earshot("decode", "-q", shot, "-o", whole)
        comments = COMMENT.findall(whole.read_text())
        self.assertGreater(len(comments), 0)
        self.assertEqual([re.sub(r"^earshot: \S+: ", "# ", line) + "\n" for line in error.splitlines()
                          if re.search(": (?:gap|event): ", line)], comments)
        self.assertEqual(names[0].read_text(), COMMENT.sub("", whole.read_text()))
        for name in names:
            self.assertNotRegex(name.read_text(), COMMENT)
            self.assertGreater(len(name.read_text()), 1000)
        self.earshot(*arguments, *outputs, status=0)
        self.assertRegex(names[0].read_text(), COMMENT)
        shown, said = self.without("decode", shot, out=self.folder / "o.csv")
        self.assertEqual((shown, len(said)), (COMMENT.sub("", whole.read_text()), len(comments)))

    def test_a_search_keeps_its_status(self):
        source = self.folder / "t.csv"
        source.write_text(make_text(3000)[0])
        gap_count = source.read_text().count("# gap: ")
        for jobs in (1, 2):
            shown, error = self.earshot("grep", "-j", jobs, "--gap", "--comments", "no", source)
            self.assertEqual((shown, error.count(": gap: ")), ((HEADER + "\n") * 2, gap_count))
            shown, error = self.earshot("grep", "-j", jobs, "-n", "--gap", "--comments", "no", source)
            self.assertEqual((shown, error.count(": gap: ")), ("", gap_count))
            self.earshot("grep", "-j", jobs, "--pc", "0", "--comments", "no", source, status=1)


if __name__ == "__main__":
    main()
