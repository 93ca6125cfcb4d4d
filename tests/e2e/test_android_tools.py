#!/usr/bin/env python3
"""earshot android: the original tools' answers for the sample, and what is done otherwise (docs/android.md)."""
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys

from support import PROGRAMS, TREE, Case, main

sys.path.insert(0, str(TREE / "tests" / "support"))
import qtrace_model

DATA = TREE / "tests" / "data" / "qtrace"
SAMPLE = DATA / "sample1"
KERNEL, ROOT = DATA / "kernel.elf", DATA / "root"
# The tools, and whether they take an ELF file.
TOOLS = {"read_trace": True, "check_trace": True, "bb_dump": True, "bb2sym": True, "profile_trace": True,
         "bbprof": False, "hist_trace": False, "read_addr": False, "read_pid": False, "exc_dump": False,
         "check_stack": True, "read_method": True, "profile_pid": False, "dump_regions": False, "stack_dump": True, "coverage": True}


def without_disassembly(text):
    """Capstone spells instructions as it does; a tab is in most of them."""
    lines = (line.split("\t")[0] for line in text.splitlines())
    return [re.sub(r"\s+[a-z]\S*( 0x0| #0)?$", "", line) for line in lines]


class AndroidTools(Case):
    def tool(self, name, folder, *options, status=0):
        words = [folder] + ([KERNEL] if TOOLS.get(name) else [])
        return self.earshot("android", name, "-r", ROOT, *options, *words, status=status)

    def original(self, name):
        return (SAMPLE / "tools" / f"{name}.txt").read_text()

    def test_answers_are_those_of_the_original_tools(self):
        for name in TOOLS:
            for folder in "raw", "post":
                with self.subTest(name, folder=folder):
                    shutil.copytree(SAMPLE / folder, self.folder / name / folder)
                    shutil.copy(SAMPLE / "post" / "qtrace.dexlist", self.folder / name / folder)
                    out, error = self.tool(name, self.folder / name / folder, "--compatible")
                    self.assertEqual(error, "")
                    expected = self.original(name)
                    if name in ("read_trace", "bbprof"):
                        out, expected = without_disassembly(out), without_disassembly(expected)
                    self.assertEqual(out, expected)

    def test_blocks_are_left_out_as_the_original_tools_do(self):
        """Lines of bb_dump, cycles of profile_trace, and lines of read_method, as the originals printed them."""
        for words, blocks, cycles, methods in (("-e :kernel", 202, 1496, 24), ("-e :libs", 244, 2432, 24),
                                               ("-i :libs", 59, 231, 24), ("-i fib", 91, 656, 24),
                                               ("-i 100 -i fib", 91, 656, 24), ("-e 100", 47, 555, 0), ("-i nosuch", 1, 0, 24)):
            options = *words.split(), "--compatible"
            with self.subTest(words):
                out = self.tool("bb_dump", SAMPLE / "post", *options)[0]
                self.assertEqual(out.count("\n"), blocks)
                self.assertIn(f"total cycles: {cycles},", self.tool("profile_trace", SAMPLE / "post", *options)[0])
                self.assertEqual(self.tool("read_method", SAMPLE / "post", *options)[0].count("\n"), methods)

    def test_files_are_those_of_the_original_tools(self):
        for name, path, expected in ("q2dm", "t.trace", "q2dm.trace"), ("q2g", "t.gtrace", "q2g.gtrace"):
            self.earshot("android", name, "-r", ROOT, "--compatible", SAMPLE / "post", KERNEL, self.folder / path)
            self.assertEqual((self.folder / path).read_bytes(), (SAMPLE / "tools" / expected).read_bytes())
        name = "gname_20261121_210807.txt"
        self.assertEqual((self.folder / name).read_text(), (SAMPLE / "tools" / name).read_text())

    def test_dmtracedump_reads_the_calls_with_equal_total_time(self):
        if not shutil.which("dmtracedump"):
            self.skipTest("dmtracedump is not installed")
        path = self.folder / "t.trace"
        for options in [], ["--compatible"]:
            self.earshot("android", "q2dm", "-r", ROOT, *options, SAMPLE / "post", KERNEL, path)
            out = subprocess.run(["dmtracedump", path], check=True, capture_output=True, text=True, timeout=60).stdout
            self.assertIn("Total cycles: 2903\n", out)
            self.assertRegex(out, r" 656 +22.60 +22.60 +\[\d+\] fib\n")
            threads = path.read_bytes().split(b"*methods")[0].splitlines()[4:]
            # 2 is a task that ran nothing; no task has 3.
            self.assertEqual(threads, [b"2\t(kernel)" if options else b"3\t(kernel)", b"100\tapp_main"])

    def test_what_ran_is_covered_and_files_that_were_unmapped_are_listed(self):
        out, _ = self.tool("coverage", SAMPLE / "post")
        self.assertNotIn(" native_call ", out)
        self.assertIn("  (0 unknown) /system/lib/libfoo.so\n", out)
        self.assertIn("  com.example.Test.nativeCall(I)I /system/app/Test.apk\n", out)

    def test_calls_of_riscv_are_followed(self):
        """main (at 0) calls f, f calls itself, a trap comes in it, and all return."""
        call, ret, nop, mret = 0x008000EF, 0x00008067, 0x00000013, 0x30200073
        steps = [(0x00, nop), (0x04, call), (0x0C, nop), (0x10, call), (0x18, nop), (0x100, nop), (0x104, mret),
                 (0x1C, nop), (0x20, ret), (0x14, ret), (0x08, nop)]
        lines = []
        for i, (offset, opcode) in enumerate(steps):
            trap = {"trap": {"cause": "0x7", "interrupt": True}} if offset == 0x100 else {}
            lines.append(f'{{"kind":"instruction","hart":0,"index":{i},"xlen":32,"pc":"{0x80000000 + offset:#x}",'
                         f'"opcode":"{opcode:#010x}","opcode_size":4,"time":{i + 1}}}')
        (self.folder / "t.json").write_text("\n".join(lines) + "\n")
        folder = self.folder / "q"
        self.earshot("convert", "-i", "json", "-f", "qtrace", "-o", folder, self.folder / "t.json")
        out, _ = self.earshot("android", "stack_dump", folder)
        found = [(int(line.split()[0]), line.split()[1], int(line.split()[5].rstrip("."))) for line in out.splitlines()]
        self.assertEqual(found[:3], [(1, "en", 0), (3, "en", 1), (5, "en", 2)])
        self.assertEqual([row for row in found if row[1] == "x"][-1][2], 0)

    def test_native_methods_that_never_ran_are_found(self):
        """port_calls has traced functions, which report themselves by their addresses."""
        elf, folder = PROGRAMS / "port_calls.elf", self.folder / "q"
        self.capture(self.folder / "t.shot", "port_calls", "-o", f"{folder}/", keys=",unit=small")
        self.assertEqual(self.earshot("android", "check_stack", folder, elf)[0], "")
        text = self.earshot("convert", "-q", "--quiet-loss", "-f", "json", folder)[0]
        text, count = re.subn(r"(native-\w+ 1 )0x8000\w+", r"\g<1>0x80000000", text)
        self.assertEqual(count, 10)
        (self.folder / "t.json").write_text(text)
        self.earshot("convert", "-q", "--quiet-loss", "-i", "json", "-o", f"{folder}/", self.folder / "t.json")
        lines = self.earshot("android", "check_stack", folder, elf)[0].splitlines()
        self.assertEqual(len(lines), 5)
        for line in lines:
            self.assertRegex(line, r"^\d+ thr 1 the native method 0x80000000 that was entered at \d+ never ran$")

    def test_instructions_are_disassembled(self):
        out, _ = self.tool("read_trace", SAMPLE / "post")
        self.assertIn("1 p0    c0008000 e59fd004 _start+00                      ldr\tsp, [pc, #4]\n", out)
        self.assertIn("1052 p100  40000404 f000 f807 foo+04                         bl\t", out)
        self.assertNotIn("<unknown>", out)
        out, _ = self.tool("read_trace", SAMPLE / "post", "-s", 2900)
        self.assertEqual([line.split()[0] for line in out.splitlines()], ["2900", "2901", "2902", "2903"])

    def test_post_trace_fills_the_header_in(self):
        folder = self.folder / "t"
        shutil.copytree(SAMPLE / "raw", folder)
        for _ in range(2):
            self.assertEqual(self.tool("post_trace", folder)[0], self.original("post_trace"))
            for path in folder.iterdir():
                self.assertEqual(path.read_bytes(), (SAMPLE / "post" / path.name).read_bytes(), path.name)

    def test_post_trace_ends_the_last_block_after_a_stop_word(self):
        log = qtrace_model.Log(blocks=[(0x8000, [0xE1A00000]), (0x8004, [0xE1A00000, 0xE6C00110, 0, 0])],
                               runs=[qtrace_model.Run(1, 1, [1])], end=2)
        qtrace_model.write(self.folder, log, counted=False)
        out, _ = self.tool("post_trace", self.folder)
        self.assertIn("Static basic blocks: 3, Dynamic basic blocks: 2\nStatic instructions: 3, ", out)
        self.assertEqual(qtrace_model.read(self.folder).blocks[1], (0x8004, [0xE1A00000, 0xE6C00110]))

    def test_the_time_after_the_last_switch_is_counted(self):
        out, _ = self.tool("profile_pid", SAMPLE / "post")
        cycles = {int(line.split()[0]): int(line.split()[2]) for line in out.splitlines()[1:]}
        self.assertEqual(cycles, {0: 105, 1: 158 + 187, 2: 0, 100: 2348, 101: 105})
        self.assertEqual(sum(cycles.values()), 2903)

    def test_a_library_that_was_unmapped_keeps_its_time(self):
        out, _ = self.tool("profile_trace", SAMPLE / "post")
        self.assertIn("total cycles: 2903", out)
        rows = {line.split()[-1]: int(line.split()[1]) for line in out.splitlines()[3:]}
        self.assertEqual((rows["foo"], rows["helper"]), (63, 177))

    def test_both_halfwords_of_an_instruction_have_their_cycles(self):
        for options, expected in ([], "    12 40000404 f000 f807 bl"), (["--compatible"], "     3 40000404 f000 f807 bl"):
            self.assertIn(expected, self.tool("bbprof", SAMPLE / "post", *options)[0])

    def test_blocks_are_left_out_taken_and_lumped(self):
        def pids_and_names(*options):
            rows = [line.split() for line in self.tool("bb_dump", SAMPLE / "post", *options)[0].splitlines()[1:-1]]
            return {int(row[2]) for row in rows}, {row[5] for row in rows}
        pids, names = pids_and_names("-e", ":kernel")
        self.assertEqual(pids, {100})
        self.assertNotIn("sys_call", names)
        self.assertEqual(pids_and_names("-i", "101")[0], {101})
        self.assertEqual(pids_and_names("-i", "fib", "-i", "foo")[1], {"fib", "foo"})
        self.assertEqual(pids_and_names("-i", "fib", "-e", "100"), (set(), set()))
        self.assertEqual(pids_and_names("-i", ":libs")[1], {"foo", "helper", "dvmInterpret", "op", "native_call"})
        self.assertIn(":kernel", pids_and_names("-l", ":kernel")[1])
        self.assertIn("/system/lib/libfoo.so", pids_and_names("-l", ":libs")[1])

    def test_without_a_root_mapped_files_have_no_names(self):
        out, error = self.earshot("android", "bb_dump", SAMPLE / "post", KERNEL)
        self.assertEqual(error, "")
        self.assertIn("0xc0008434 start_kernel", out)
        self.assertIn("0x0000801c (unknown)", out)
        self.assertIn("com.example.Test.leaf(I)I", out)

    def test_no_file_outside_of_the_root_is_opened(self):
        events = [(0, 7, (0, 0), [b"swapper"])]
        events += [(1, 5, (0x10000 * i, 0x10000 * i + 0x1000, 0), [path]) for i, path in
                   enumerate((b"/../kernel.elf", b"/system/../../kernel.elf", b"..", b"", b"/system", b"/none.so"), 1)]
        log = qtrace_model.Log(blocks=[(0x10000, [0xE1A00000])], runs=[qtrace_model.Run(1, 1, [1])], events=events, end=2)
        qtrace_model.write(self.folder, log)
        out, error = self.tool("dump_regions", self.folder)
        self.assertEqual(out.count("nsyms:    1"), 6)
        self.assertEqual(error.count("its name leads out of the root"), 4)
        self.assertIn("/system: it is not a file: its code has no names", error)
        self.assertIn("/none.so: No such file or directory: its code has no names", error)

    def test_blocks_that_overlap_are_cut(self):
        # 1: 8 entries; 2: in its middle; 3: the same as 1; 4: other code at the address of 2.
        nop, other = 0xE1A00000, 0xE1A01001
        log = qtrace_model.Log(blocks=[(0x8000, [nop] * 8), (0x8008, [nop] * 2), (0x8000, [nop] * 8), (0x8008, [other])])
        time = 1
        for number, count in ((1, 8), (2, 2), (3, 8), (4, 1)):
            log.runs.append(qtrace_model.Run(number, time, list(range(time, time + count))))
            time += count
        log.end = time
        qtrace_model.write(self.folder, log)
        out, _ = self.tool("bbprof", self.folder)
        self.assertEqual(re.findall(r"^bb .*", out, re.M), [
            "bb 1 addr: 0x8010, insns: 4 freq: 2 elapsed: 8",
            "bb 2 addr: 0x8008, insns: 2 freq: 3 elapsed: 6",
            "bb 1 addr: 0x8000, insns: 2 freq: 2 elapsed: 4",
            "bb 4 addr: 0x8008, insns: 1 freq: 1 elapsed: 1",
            "bb 0 addr: 0x0, insns: 0 freq: 1 elapsed: 0"])

    def test_damaged_folders_give_errors_and_never_more(self):
        rng, seen = random.Random(1), set()
        folder = self.folder / "t"
        shutil.copytree(SAMPLE / "post", folder)
        for round_number in range(120):
            path = folder / rng.choice(sorted(entry.name for entry in folder.iterdir()))
            whole = path.read_bytes()
            data = bytearray(whole)
            for _ in range(rng.randint(1, 3)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            path.write_bytes(data[:rng.randrange(len(data))] if rng.random() < 0.2 else data)
            name = rng.choice(sorted(TOOLS) + ["q2dm", "q2g"])
            words = [folder] + ([KERNEL] if TOOLS.get(name, True) else [])
            words += [] if name in TOOLS else [self.folder / "out"]
            out, error = self.earshot("android", name, "-r", ROOT, *words, status=None)
            seen.add(bool(re.search(r"^earshot: .*qtrace\.", error, re.M)))
            self.assertNotRegex(error, r"^(?!earshot: )", f"round {round_number}") if error else None
            path.write_bytes(whole)
        self.assertEqual(seen, {False, True})

    def test_an_elf_file_of_64_bits_is_none_for_the_tools(self):
        header = bytearray(KERNEL.read_bytes()[:52].ljust(64, b"\0"))
        header[4] = 2
        for name, data in ("wide.elf", bytes(header)), ("real", pathlib.Path(sys.executable).resolve().read_bytes()):
            (self.folder / name).write_bytes(data)
            _, error = self.earshot("android", "bb_dump", SAMPLE / "post", self.folder / name, status=2)
            self.assertIn(f"{name}: ", error)
        self.assertIn("it is no ELF file of 32 bits", error)

    def test_names_of_cpp_are_readable_or_as_they_are_linked(self):
        (self.folder / "t.S").write_text(".globl _ZN3foo3barEi\n.type _ZN3foo3barEi, @function\n_ZN3foo3barEi:\n\tj .\n")
        elf, folder = self.folder / "t.elf", self.folder / "q"
        subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32i", "-mabi=ilp32", "-nostdlib", "-Ttext=0x80000000",
                        "-Wl,-e,_ZN3foo3barEi", self.folder / "t.S", "-o", elf], check=True, timeout=60)
        (self.folder / "t.json").write_text('{"kind":"instruction","hart":0,"index":0,"xlen":32,"pc":"0x80000000",'
                                            '"opcode":"0x6f","opcode_size":4,"time":1}\n')
        self.earshot("convert", "-q", "-i", "json", "-f", "qtrace", "-o", folder, self.folder / "t.json")
        for options, name in ([], "foo::bar(int)"), (["-m"], "_ZN3foo3barEi"):
            rows = self.earshot("android", "bb_dump", *options, folder, elf)[0].splitlines()
            self.assertTrue(rows[1].endswith(f" 0x80000000 {name}"), rows[1])

    def test_pids_are_those_of_the_trace_and_with_compatible_those_of_the_folder(self):
        """40000 and 2^40 are 32767 and 32766 in the folder."""
        wide, time, lines = 1 << 40, 0, []
        for name in ("process 0 0 swapper", "process 40000 40000 app", "switch 40000", f"fork {wide} {wide}", f"name 40000 main",
                     f"switch {wide}", f"native-enter {wide} 0x80000000", "", f"native-exit {wide} 0x80000000", "switch 40000"):
            time += 1
            head = {"hart": 0, "index": time, "time": 2 * time}
            if name:
                lines.append(head | {"kind": "event", "source": 0, "value": "0x0", "words": ["0x0", "0x0"], "name": name})
            lines.append(head | {"kind": "instruction", "xlen": 32, "pc": "0x80000000", "opcode": "0x6f", "opcode_size": 4})
        (self.folder / "t.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
        folder = self.folder / "q"
        self.earshot("convert", "-q", "-f", "qtrace", "-o", folder, self.folder / "t.json")
        seen = {}
        for name, pattern in (("bb_dump", r"^ +\d+ +[1-9]\d* +(\d+) "), ("read_trace", r"^\d+ p(\d+) "), ("stack_dump", r" thr (\d+) "),
                              ("read_method", r"^\d+ p (\d+) "), ("profile_pid", r"^ *(\d+ +\d+) "), ("dump_regions", r"^pid (\d+) "),
                              ("read_pid", r"(?:fork tgid|kthread tgid|switch|name|pid) (\d+)")):
            for options in [], ["--compatible"]:
                out, _ = self.earshot("android", name, *options, folder)
                seen[name, bool(options)] = {int(pid) for pids in re.findall(pattern, out, re.M) for pid in pids.split()}
        both = {0, 40000, wide}
        self.assertEqual({name: pids for (name, compatible), pids in seen.items() if not compatible},
                         {"bb_dump": both, "read_trace": both, "stack_dump": both, "read_method": {wide}, "profile_pid": both,
                          "dump_regions": both, "read_pid": both})
        folder_pids = {0: 0, 40000: 32767, wide: 32766}
        for (name, compatible), pids in seen.items():
            if compatible:
                self.assertEqual(pids, {folder_pids[pid] for pid in seen[name, False]}, name)
        for word, options in (40000, []), (32767, ["--compatible"]):
            out, _ = self.earshot("android", "bb_dump", "-i", word, *options, folder)
            self.assertEqual({int(line.split()[2]) for line in out.splitlines()[1:-1]}, {word})
        out, _ = self.earshot("android", "bb_dump", "-i", 32767, folder)
        self.assertEqual(len(out.splitlines()), 2)
        (folder / "qtrace.method").write_bytes(qtrace_model.methods([(8, 0x10, 32766, 0), (9, 0x20, 32766, 1)]))
        _, error = self.earshot("android", "read_method", folder, status=2)
        self.assertIn(f"pid {wide} leaves the method", error)

    def test_a_folder_of_riscv_is_disassembled(self):
        lines = "\n".join(f'{{"kind":"instruction","hart":0,"index":{i},"xlen":32,"pc":"{0x80000000 + 4 * i:#x}",'
                          f'"opcode":"0x00150513","opcode_size":4}}' for i in range(3))
        (self.folder / "t.json").write_text(lines + "\n")
        folder = self.folder / "q"
        self.earshot("convert", "-i", "json", "-f", "qtrace", "-o", folder, self.folder / "t.json")
        out, _ = self.earshot("android", "read_trace", folder)
        self.assertEqual(re.findall(r"p0    (\S+ \S+).*addi\s+(.*)", out),
                         [(f"{0x80000000 + 4 * i:08x} 00150513", "x10, x10, 1") for i in range(3)])
        self.assertEqual(self.earshot("android", "dump_regions", folder)[0], "pid 0 regions: 0 pid-0\n")


if __name__ == "__main__":
    main()
