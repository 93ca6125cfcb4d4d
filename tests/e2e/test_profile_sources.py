#!/usr/bin/env python3
"""'earshot profile' with --source, --ignore and --against: sources that moved, functions left out."""
import json
import pathlib
import re
import subprocess

from support import PROGRAMS, TREE, Case, main

SOURCES = TREE / "tests/programs"

# Two functions of one name; each counts up to its own number.
HELPER = """
static void __attribute__((noinline)) work(void)
{
	for (volatile int i = 0; i < %d; i++)
		;
}
void %s(void) { work(); }
"""
MAIN = """
void first(void);
void second(void);
int main(void)
{
	first();
	second();
	return 0;
}
"""


class ProfileSources(Case):
    def capture(self, elf, limit=30000):
        shot = self.folder / f"{pathlib.Path(elf).stem}.shot"
        self.earshot("capture", "-q", "-d", f"sim:{elf},uart=/dev/null", "-o", shot, "--limit", limit)
        return shot

    def sort(self):
        return self.capture(PROGRAMS / "sort.elf")

    def profile(self, *arguments, **more):
        return self.earshot("profile", "-q", *arguments, **more)[0]

    def path_of_sort(self, callgrind):
        return re.search(r"(?m)^\w+=\(\d+\) (.*/sort\.c)$", callgrind)[1]

    def build(self, name, sources, folder):
        elf = self.folder / f"{name}.elf"
        folder.mkdir()
        for path, text in sources.items():
            (folder / path).write_text(text)
        subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32imc", "-misa-spec=2.2", "-mabi=ilp32",
                        "--specs=picolibc.specs", "-O1", "-g", "-nostartfiles", "-Wl,--no-warn-rwx-segments", "-T",
                        SOURCES / "link.ld", SOURCES / "start.S", SOURCES / "support.c",
                        *(folder / path for path in sources), "-o", elf], check=True, capture_output=True)
        return elf

    def test_sources_that_moved_are_found(self):
        shot = self.sort()
        callgrind = self.profile("-f", "callgrind", shot)
        path = self.path_of_sort(callgrind)
        moved = self.folder / "other.c"
        moved.write_text("".join(f"moved line {number}\n" for number in range(1, 400)))
        mapping = ("--source", f"{path}={moved}")
        out = self.profile("--annotate", "main", *mapping, shot)
        self.assertRegex(out, r"  other\.c:(\d+)  moved line \1\n")
        self.assertNotIn("sort.c:", out)
        self.assertIn(str(moved), self.profile("-f", "callgrind", *mapping, shot))
        self.assertIn(f'"file": "{moved}"', self.profile("-f", "speedscope", *mapping, shot))
        # Lines are the same ones, by another name.
        lines, expected = (self.profile("--lines", "--limit", "0", *options, shot) for options in (mapping, ()))
        self.assertEqual(lines.replace("other.c", "sort.c").splitlines()[0], expected.splitlines()[0])
        self.assertEqual(sorted(lines.replace("other.c", "sort.c").splitlines()), sorted(expected.splitlines()))
        # The first prefix that fits; a folder for a folder; what does not begin like this is as it was.
        folder = path.rsplit("/", 1)[0]
        out = self.profile("-f", "callgrind", "--source", f"{folder}/=/new/", "--source", f"{path}=/none", shot)
        self.assertIn(" /new/sort.c\n", out)
        self.assertEqual(self.profile("-f", "callgrind", "--source", "sort.c=/none", shot), callgrind)

    def test_two_sources_that_become_one_are_one(self):
        elf = self.build("two", {"a.c": HELPER % (10, "first"), "b.c": HELPER % (70, "second"), "m.c": MAIN},
                         self.folder / "src")
        shot = self.capture(elf)
        rows = lambda out: {line.split()[-1]: int(line.split()[0]) for line in out.splitlines()[1:]}
        apart = rows(self.profile("--lines", "--limit", "0", shot))
        together = rows(self.profile("--lines", "--limit", "0", "--source", f"{self.folder}/src/b.c={self.folder}/src/a.c",
                                     shot))
        self.assertEqual(together["a.c:4"], apart["a.c:4"] + apart["b.c:4"])
        self.assertNotIn("b.c:4", together)

    def test_functions_of_one_name_are_matched_by_their_sources(self):
        """The order in which they were linked, and the folder, are another one in the new program."""
        a, b = HELPER % (10, "first"), HELPER % (70, "second")
        old = self.capture(self.build("old", {"a.c": a, "b.c": b, "m.c": MAIN}, self.folder / "then"))
        new = self.capture(self.build("new", {"y.c": b, "z.c": a, "m.c": MAIN}, self.folder / "now"))

        def work(*options):
            found = json.loads(self.profile("-f", "json", "--against", old, *options, new))["functions"]
            return [(f["old"]["self"], f["new"]["self"]) for f in found if f["name"].endswith("work")]

        moved = ("--source", f"{self.folder}/then/a.c={self.folder}/now/z.c",
                 "--source", f"{self.folder}/then/b.c={self.folder}/now/y.c")
        self.assertEqual(len(work(*moved)), 2)
        for before, now in work(*moved):
            self.assertEqual(before, now)
        # Else the first is taken for the first: each is matched, but with the wrong one.
        self.assertEqual([before == now for before, now in work()], [False, False])
        self.assertIn("(all)", self.profile("--against", old, *moved, new))

    def test_what_is_ignored_is_left_out_of_the_list(self):
        shot = self.sort()
        found = json.loads(self.profile("-f", "json", shot))
        self_of = {f["name"]: f["self"]["records"] for f in found["functions"]}
        rows = lambda out: {line.split()[-1]: line.split() for line in out.splitlines()[1:]}
        whole = rows(self.profile("--limit", "0", shot))
        names = [name for name in whole if name.startswith("ma")]
        self.assertIn("main", names)
        left = rows(self.profile("--limit", "0", "--ignore", "ma*", shot))
        self.assertEqual(set(left), set(whole) - set(names) | {"(ignored)"})
        self.assertEqual(int(left["(ignored)"][0]), sum(self_of[name] for name in names))
        for name in set(whole) - set(names):
            self.assertEqual(left[name], whole[name])
        self.assertEqual(sum(int(row[0]) for row in left.values()), found["total"]["records"])
        # By the source, before and after it was moved.
        path = self.path_of_sort(self.profile("-f", "callgrind", shot))
        for options in (("--ignore", "*/sort.c"), ("--source", f"{path}=/x/y.c", "--ignore", "/x/*"),
                        ("--source", f"{path}=/x/y.c", "--ignore", "*/sort.c")):
            with self.subTest(options):
                left = rows(self.profile("--limit", "0", *options, shot))
                self.assertNotIn("main", left)
                self.assertIn("_start", left)
                self.assertEqual(sum(int(row[0]) for row in left.values()), found["total"]["records"])
                lines = self.profile("--lines", "--limit", "0", *options, shot)
                self.assertNotIn("sort.c:", lines)
                self.assertEqual(lines.splitlines()[-1].split()[-1], "(ignored)")
                self.assertEqual(sum(int(line.split()[0]) for line in lines.splitlines()[1:]),
                                 found["total"]["records"])
        self.assertEqual(self.profile("--ignore", "nobody", shot), self.profile(shot))

    def test_what_is_ignored_is_no_change(self):
        old, new = self.capture(PROGRAMS / "sort.elf", limit=5000).rename(self.folder / "old.shot"), self.sort()
        out = self.profile("--against", old, "--limit", "0", "--ignore", "main", new)
        self.assertNotRegex(out, r"  main$")
        row = next(line.split() for line in out.splitlines() if "(ignored)" in line)
        mains = [next(f["self"]["records"] for f in json.loads(self.profile("-f", "json", shot))["functions"]
                      if f["name"] == "main") for shot in (old, new)]
        self.assertEqual([int(row[0]), int(row[1])], mains)
        found = json.loads(self.profile("--against", old, "-f", "json", "--ignore", "main", new))
        self.assertNotIn("main", [f["name"] for f in found["functions"]])


if __name__ == "__main__":
    main()
