#!/usr/bin/env python3
"""'earshot why' on what people have: texts that list less than a capture, and captures that were cut."""
import json
import subprocess

from support import EARSHOT, PROGRAMS, Case, main, some, write_elf


class Inputs(Case):
    def run_earshot(self, *arguments):
        result = subprocess.run([EARSHOT, *map(str, arguments)], capture_output=True, check=False, text=True,
                                stdin=subprocess.DEVNULL, timeout=120)
        self.assertNotIn("Sanitizer", result.stderr)
        return result.returncode, result.stdout, result.stderr

    def captured(self, program, keys="", *arguments):
        path = self.folder / f"{program}.shot"
        subprocess.run([EARSHOT, "capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null{keys}", "-o",
                        path, *map(str, arguments)], check=True, capture_output=True, timeout=120)
        return path

    def converted(self, path, name):
        text = path.with_suffix(f".{name}")
        status, _, err = self.run_earshot("convert", "-q", "--quiet-loss", "-f", name, path, "-o", text)
        self.assertEqual(status, 0, err)
        return text

    def why(self, path, *arguments):
        status, out, err = self.run_earshot("why", "-q", "--json", *arguments, path)
        self.assertIn(status, (0, 1), err)
        answer = json.loads(out)
        text = self.run_earshot("why", "-q", *arguments, path)
        self.assertEqual((text[0], text[1].splitlines()[0]), (status, answer["text"]))
        return answer

    @staticmethod
    def function(place):
        return place["symbol"].split("+")[0].split(".")[0]


class Texts(Inputs):
    def test_a_hang_in_texts_that_list_no_operands(self):
        """Nor the next pc: both are known by the records around. The hang is longer than what is in memory."""
        path = self.captured("story_interrupt", ",max-cycles=200000")
        said = [self.why(path)] + [self.why(self.converted(path, name), "--elf", PROGRAMS / "story_interrupt.elf")
                                   for name in some("riscv-dv", "spike", "whisper", "json")]
        for answer in said:
            self.assertEqual((answer["kind"], answer["period"], answer["interrupts_off"]), ("hang", 2, True))
            self.assertGreater(answer["rounds"], 30000)
            self.assertEqual(self.function(answer["place"]), "wait_tick")
            self.assertEqual([value["role"] for value in answer["values"]], ["operand", "operand", "status"])
            self.assertEqual([value["value"] for value in answer["values"]][:2], ["0x4", "0x4"])
            register, = answer["difference"]["registers"]
            self.assertEqual((register["then"], register["now"]), ("0x3", "0x4"))
            self.assertLess(answer["difference"]["before"]["record"], answer["loop"]["record"])
            self.assertLess(answer["loop"]["record"] - answer["difference"]["before"]["record"], 100)
        self.assertEqual({answer["loop"]["pc"] for answer in said}, {said[0]["loop"]["pc"]})


    def test_a_fault_in_texts_that_list_less(self):
        """The same culprit where the trap is there; where it is not, nothing that is not there is named."""
        path = self.captured("story_pointer")
        whole = self.why(path)
        said = {name: self.why(self.converted(path, name), "--elf", PROGRAMS / "story_pointer.elf")
                for name in ("json", "whisper", "whisper-log", "spike", "tarmac", "armulator", "qemu4v", "riscv-dv")}
        for name in ("json", "whisper", "whisper-log", "spike", "tarmac", "armulator"):
            answer = said[name]
            self.assertEqual((answer["kind"], answer["cause"], answer["place"]["record"]), ("trap", 5, 1131), name)
            self.assertEqual([node["record"] for node in answer["values"][0]["nodes"]],
                             [node["record"] for node in whole["values"][0]["nodes"]], name)
        # QEMU4V has no traps: the handler's exit is there, and no branch led to it.
        answer = said["qemu4v"]
        self.assertEqual((answer["kind"], answer["code"], answer["branch"]), ("exit", 255, None))
        # riscv-dv has no accesses either.
        self.assertEqual(said["riscv-dv"]["kind"], "unknown")
        self.assertTrue(said["riscv-dv"]["text"].endswith("; the trace lists no accesses, so an exit does not show"))


class Words(Inputs):
    """Programs of a few words."""

    def run_words(self, words, cycles=3000):
        elf, path = self.folder / "words.elf", self.folder / "words.shot"
        write_elf(elf, words)
        subprocess.run([EARSHOT, "capture", "-q", "-d", f"sim:{elf},uart=/dev/null,max-cycles={cycles}", "-o", path],
                       check=True, capture_output=True, timeout=120)
        status, out, _ = self.run_earshot("why", "-q", path)
        return status, out

    def test_a_loop_that_writes_to_a_device(self):
        """It may be how the program works: a watchdog, or the same letter for ever."""
        status, out = self.run_words([0x020002b7, 0x0002a023, 0xffdff06f])  # sw zero, (0x2000000); j . - 4
        self.assertEqual((status, out.splitlines()[0]),
                         (1, "cause unknown: an endless loop of 2 instructions, which writes to a device"))

    def test_code_that_was_written_over(self):
        """li a0, 1; sw zero, 4(t0); j: the second time there is another opcode."""
        status, out = self.run_words([0x00000297, 0x00100513, 0x0002a223, 0xff9ff06f])
        self.assertEqual((status, out.splitlines()[0]), (0, "overwritten code: illegal instruction 0x0000"))
        self.assertIn("\nthe instruction was written: 0x80000004:2 = 0x0\n", out)
        self.assertTrue(out.endswith("its opcode was 0x00100513, and is 0x0000\n"), out)


class Cuts(Inputs):
    """Captures that ended at a limit, or are torn: what they do not show is no cause."""

    def test_a_wait_that_is_cut(self):
        """The program waits for ticks of a timer: of the third wait less is there than of the second."""
        path = self.captured("story_interrupt", ",max-cycles=10000")
        waits = [json.loads(line)["index"] for line in self.run_earshot(
            "decode", "-q", "-f", "json", path)[1].splitlines() if '"interrupt":true' in line]
        self.assertGreater(len(waits), 3)
        answer = self.why(self.captured("story_interrupt", ",max-cycles=10000", "--limit", (waits[1] + waits[2]) // 2))
        self.assertEqual((answer["kind"], answer["values"]), ("unknown", []))
        self.assertRegex(answer["text"], r"^cause unknown: at the end is a loop, at least \d+ rounds so far, that "
                                         r"was left before after at least \d+$")
        answer = self.why(self.captured("story_interrupt", ",max-cycles=10000", "--limit", waits[0] - 10))
        self.assertEqual(answer["kind"], "hang")
        self.assertTrue(answer["text"].endswith("; the capture ended by its limit there"), answer["text"])

    def test_a_handler_that_is_cut(self):
        """Handlers of this program return; the one that the capture ended in may have, too."""
        path = self.captured("misaligned")
        traps = [json.loads(line) for line in self.run_earshot("decode", "-q", "-f", "json", path)[1].splitlines()
                 if '"trap":true' in line]
        self.assertGreater(len(traps), 2)
        answer = self.why(self.captured("misaligned", "", "--limit", traps[1]["index"] + 20))
        self.assertEqual((answer["kind"], answer["place"]["record"]), ("unknown", traps[1]["index"]))
        self.assertEqual(answer["cause"], int(traps[1]["cause"], 16))
        self.assertRegex(answer["text"], r"^cause unknown: the capture ended \(limit\) in a handler that may have "
                                         r"returned, of: \w+ address misaligned at ")

    def test_a_handler_that_never_gets_further(self):
        """It saves a register on the stack, and there is none: each trap leads to the next."""
        elf, path = self.folder / "deep.elf", self.folder / "deep.shot"
        write_elf(elf, [0x00000297, 0x01028293, 0x30529073,  # csrw mtvec, 0x80000010
                        0x00002503,              # lw a0, 0(zero)
                        0xff010113, 0x00112023])  # addi sp, sp, -16; sw ra, 0(sp)
        subprocess.run([EARSHOT, "capture", "-q", "-d", f"sim:{elf},uart=/dev/null,max-cycles=3000", "-o", path],
                       check=True, capture_output=True, timeout=120)
        answer = self.why(path)
        self.assertEqual((answer["kind"], answer["text"], answer["place"]["record"]),
                         ("trap", "load access fault at address 0x00000000", 3))
        self.assertGreater(answer["nested"], 16)

    def test_a_program_without_symbols(self):
        """Its image says where a value came from."""
        elf, path = self.folder / "bare.elf", self.folder / "bare.shot"
        write_elf(elf, [0x00000297, 0x0002a583, 0x0005a503])  # auipc t0, 0; lw a1, 0(t0); lw a0, 0(a1)
        subprocess.run([EARSHOT, "capture", "-q", "-d", f"sim:{elf},uart=/dev/null,max-cycles=3000", "-o", path],
                       check=True, capture_output=True, timeout=120)
        for arguments in ((), ("--elf", elf)):
            status, out, err = self.run_earshot("why", "-q", "--json", *arguments, path)
            self.assertEqual((status, err), (0, f"earshot: {elf}: has no symbols\n"))
            answer = json.loads(out)
            self.assertEqual(answer["text"], "load address misaligned at address 0x00000297")
            load = answer["values"][0]["nodes"][0]
            self.assertEqual([source["end"] for source in load["sources"] if "address" in source], ["image"])

    def test_a_program_that_the_board_ended(self):
        answer = self.why(self.captured("sort", ",max-cycles=20000"))
        self.assertEqual((answer["kind"], answer["end_reason"]), ("unknown", "program ended"))
        self.assertIn("the board ended the program (max-cycles, for instance)", answer["text"])

    def test_torn_files(self):
        """A file that ends anywhere has an answer, and says no more than what it shows."""
        path = self.captured("story_pointer")
        whole = path.read_bytes()
        torn = self.folder / "torn.shot"
        kinds = set()
        for size in range(200, len(whole), max(1, len(whole) // 40)):
            torn.write_bytes(whole[:size])
            status, out, err = self.run_earshot("why", "-q", "--json", "--no-index", torn)
            self.assertEqual(status, 2, err)  # the end was not seen
            if not out:
                self.assertTrue(err.startswith("earshot"), err)
                continue
            answer = json.loads(out)
            kinds.add(answer["kind"])
            self.assertIn(answer["kind"], ("unknown", "trap"))
            if answer["kind"] == "trap":
                self.assertEqual(answer["text"], "load access fault at address 0x00726568")
        self.assertTrue(kinds)

    def test_without_names(self):
        """The program is gone: the same chain, without names, and values of the file are unknown."""
        path = self.captured("story_pointer")
        named = self.why(path)
        text = self.converted(path, "json")
        bare = self.why(text)
        self.assertEqual((bare["kind"], bare["cause"], bare["place"]["pc"]),
                         (named["kind"], named["cause"], named["place"]["pc"]))
        records = [[node["record"] for node in answer["values"][0]["nodes"]] for answer in (bare, named)]
        self.assertEqual(*records)
        self.assertNotIn("symbol", bare["place"])


if __name__ == "__main__":
    main()
