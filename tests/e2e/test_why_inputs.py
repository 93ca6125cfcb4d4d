#!/usr/bin/env python3
"""'earshot why' on what people have: texts that list less than a capture, and captures that were cut."""
import json
import subprocess

from support import EARSHOT, PROGRAMS, Case, main


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
                                   for name in ("whisper", "spike", "riscv-dv", "json")]
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


if __name__ == "__main__":
    main()
