#!/usr/bin/env python3
"""--names of decode, grep and diff: functions and lines in texts, as the toolchain names them."""
import json
import re
import subprocess

from support import PROGRAMS, Case, main, records


class Names(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.elf = PROGRAMS / "sort.elf"
        cls.shot = cls.shared / "t.shot"
        case.capture(cls.shot, "sort", "--limit", "20000")
        cls.csv = case.decode(cls.shot)
        pcs = [line.split(",")[0] for line in records(cls.csv)]
        out = subprocess.run(["riscv64-unknown-elf-addr2line", "-f", "-e", cls.elf], input="\n".join(pcs), check=True,
                             capture_output=True, text=True).stdout.splitlines()
        cls.lines = [re.sub(r" \(discriminator \d+\)", "", line).split("/")[-1] for line in out[1::2]]

    def test_comment_lines_say_where_instructions_are(self):
        out = self.decode(self.shot, "--names")
        self.assertEqual("".join(line + "\n" for line in out.splitlines() if not line.startswith("# at ")), self.csv)
        line, found = None, []
        for text in out.splitlines()[1:]:
            if text.startswith("# at "):
                self.assertNotIn(",", text)
                line = text.split(" ")[-1]
            elif not text.startswith("#"):
                found.append(line)
        self.assertEqual(found, self.lines)
        with_four, _ = self.earshot("decode", "--names", "-j4", self.shot)
        self.assertEqual(with_four, out)

    def test_a_text_with_names_is_read_as_the_one_without(self):
        named = self.folder / "named.csv"
        named.write_text(self.decode(self.shot, "--names"))
        self.assertEqual(self.earshot("convert", named, "-f", "whisper", "-o", "-")[0], self.csv)
        jsonl = self.folder / "named.jsonl"
        self.earshot("decode", "--names", self.shot, "-o", jsonl)
        self.assertEqual(self.earshot("convert", jsonl, "-f", "whisper", "-o", "-")[0], self.csv)

    def instructions(self, text):
        rows = map(json.loads, text.splitlines())
        return [row for row in rows if row["kind"] == "instruction"]

    def test_json_has_members(self):
        plain = self.instructions(self.decode(self.shot, "-f", "json"))
        named = self.instructions(self.decode(self.shot, "-f", "json", "--names"))
        self.assertEqual([record.pop("source_line") for record in named], self.lines)
        symbols = {record.pop("symbol").split("+")[0] for record in named}
        self.assertLessEqual({"main", "_start"}, symbols)
        self.assertEqual(plain, named)
        self.assertEqual({record["schema"] for record in plain}, {2})
        for record, line in zip(plain, records(self.csv)):
            text = line.split(",")[8].split()[0]
            self.assertEqual(record["mnemonic"], text)
        classes = {record["class"] for record in plain}
        self.assertLessEqual({"alu", "load", "store", "branch", "jump"}, classes)

    def test_json_of_older_versions_is_read(self):
        old = self.folder / "old.jsonl"
        rows = [json.loads(line) for line in self.decode(self.shot, "-f", "json", "--limit", 200).splitlines()]
        for row in rows:
            for name in ("schema", "mnemonic", "class"):
                row.pop(name)
        old.write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.assertEqual(self.earshot("convert", old, "-f", "whisper", "-o", "-")[0],
                         self.decode(self.shot, "--limit", 200))

    def test_grep(self):
        out, _ = self.earshot("grep", "--pc", "main", "--names", self.shot)
        self.assertIn("# at main sort.c:", out)
        self.assertEqual([line for line in out.splitlines() if not line.startswith("# ")],
                         self.earshot("grep", "--pc", "main", self.shot)[0].splitlines())

    def test_counts_of_places(self):
        plain = self.earshot("grep", "--count-by", "pc", self.shot)[0].splitlines()
        out = self.earshot("grep", "--count-by", "pc", "--names", self.shot)[0].splitlines()
        self.assertEqual(len(out), len(plain))
        lines = {line.split(",")[0]: place for line, place in zip(records(self.csv), self.lines)}
        for line, without in zip(out, plain):
            self.assertTrue(line.startswith(without), line)
            pc = f"{int(without.split()[1], 16):08x}"
            if lines[pc] != "??:0":
                self.assertEqual(line.split()[-1], lines[pc])

    def test_grep_with_places(self):
        for form in ("whisper", "json", "spike"):
            out = self.earshot("grep", "-n", "-A1", "--pc", "main", "--names", "-f", form, self.shot)[0].splitlines()
            without = self.earshot("grep", "-n", "-A1", "--pc", "main", "-f", form, self.shot)[0].splitlines()
            self.assertEqual(len(out), len(without))
            seen = 0
            for line, other in zip(out, without):
                head = re.match(r"(#\d+, stream byte \d+, index (\d+)), ([\w.]+(?:\+0x[0-9a-f]+)?) (\S+:\d+)([:-] .*)$",
                                line)
                if not head:
                    self.assertEqual(line, other)
                    continue
                self.assertEqual(head[1] + head[5], other)
                self.assertEqual(head[4], self.lines[int(head[2])])
                seen += 1
            self.assertGreater(seen, 10)

    def test_diff(self):
        other = self.folder / "other.csv"
        rows = self.csv.splitlines(keepends=True)
        at = next(i for i in range(9000, len(rows)) if re.search(r"x15=[1-9a-f][0-9a-f]+,", rows[i]))
        other.write_text("".join(rows[:at]) + re.sub(r"x15=[0-9a-f]+", "x15=f", rows[at]) + "".join(rows[at + 1:]))
        out, _ = self.earshot("diff", "--names", self.shot, other, status=1)
        self.assertRegex(out, rf"\n  A: .*, \w+(\+0x[0-9a-f]+)?, {re.escape(self.lines[at - 1])}\n")
        first = json.loads(self.earshot("diff", "--names", "--json", self.shot, other, status=1)[0].splitlines()[0])
        self.assertEqual(first["b"]["source_line"], self.lines[at - 1])
        plain, _ = self.earshot("diff", self.shot, other, status=1)
        self.assertEqual(re.sub(r"(?m)^(  [AB]: .*?), \w+(\+0x\w+)?, \S+:\d+$", r"\1", out), plain)

    def test_a_dump_takes_names_from_elf_and_a_capture_from_its_own_program(self):
        dump = self.folder / "t.raw"
        self.earshot("capture", "-q", "-d", f"sim:{self.elf},uart=/dev/null", "--limit", 10, "--record", dump, "-o",
                     self.folder / "u.shot")
        _, error = self.earshot("decode", "--names", "--elf", PROGRAMS / "matrix.elf", self.shot, status=2)
        self.assertIn("is not the program that was traced", error)
        self.assertIn("# at _start start.S", self.decode(dump, "--names", "--elf", self.elf))


if __name__ == "__main__":
    main()
