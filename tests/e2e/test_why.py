#!/usr/bin/env python3
"""'earshot why', with and without --value: from a symptom to where it came from."""
import json
import subprocess

from support import EARSHOT, PROGRAMS, Case, main


class Why(Case):
    def run_earshot(self, *arguments):
        result = subprocess.run([EARSHOT, *map(str, arguments)], capture_output=True, check=False, text=True,
                                stdin=subprocess.DEVNULL, timeout=120)
        self.assertNotIn("Sanitizer", result.stderr)
        return result.returncode, result.stdout, result.stderr

    def captured(self, program, *arguments):
        path = self.shared / f"{program}.shot"
        if not path.exists():
            subprocess.run([EARSHOT, "capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null", "-o",
                            path, *map(str, arguments)], check=True, capture_output=True, timeout=120)
        return path


class TraceValue(Why):
    def test_an_exit_code_is_followed_to_its_constant(self):
        """main of failing.c returns 7; support.c makes the word for the exit register of it."""
        status, out, err = self.run_earshot("why", "-q", "--value", "a0", self.captured("failing"))
        self.assertEqual((status, err), (0, ""))
        lines = out.splitlines()
        self.assertRegex(lines[0], r"^a0, after \d+ instructions: 0x73333$")
        self.assertRegex(lines[1], r"^  #\d+ +finish\+0x[0-9a-f]+ \(support\.c:\d+\) +.*"
                                   r"a0: 0x70000 -> 0x73333$")
        self.assertRegex(out, r"\n +#\d+ .* main\+0x\w+ \(failing\.c:\d+\) +c\.li a0, 0x7 +a0: 0x\w+ -> 0x7\n")

    def test_json_has_the_same(self):
        status, out, _ = self.run_earshot("why", "--json", "--value", "a0", "--at", "end", self.captured("failing"))
        self.assertEqual(status, 0)
        answer = json.loads(out)
        self.assertEqual((answer["register"], answer["value"], answer["limited"]), ("a0", "0x73333", False))
        nodes = answer["nodes"]
        self.assertEqual(nodes[answer["roots"][0]["node"]]["after"], "0x73333")
        self.assertEqual([node["record"] for node in nodes], sorted((node["record"] for node in nodes), reverse=True))
        constants = {(node["symbol"].split("+")[0], node["after"]) for node in nodes if node["end"] == "constant"}
        self.assertEqual(constants, {("main", "0x7"), ("finish", "0x3000")})

    def test_memory_by_address_and_by_name(self):
        """What the scheduler's stack pointer is, a variable of rtos.c."""
        path = self.captured("rtos")
        status, out, _ = self.run_earshot("why", "--value", "rtos_stack_top", path)
        self.assertEqual(status, 0)
        self.assertRegex(out.splitlines()[1], r"main\+\w+ \(rtos\.c:\d+\) +sw .* rtos_stack_top:4: ")
        address = json.loads(self.run_earshot("why", "--json", "--value", "rtos_stack_top", path)[1])["address"]
        again = self.run_earshot("why", "--value", f"{address}:4", path)[1]
        self.assertEqual(again.splitlines()[1:], out.splitlines()[1:])

    def test_the_index_changes_nothing(self):
        path = self.captured("rtos")
        for value in ("sp", "a5", "mepc", "rtos_current"):
            with self.subTest(value):
                plain = self.run_earshot("why", "--no-index", "--json", "--value", value, "--at", 30000, path)
                self.assertEqual(self.run_earshot("why", "--json", "--value", value, "--at", 30000, path), plain)
                self.assertEqual(plain[0], 0)


class Stories(Why):
    """The programs of docs/why.md: from the capture to the culprit, by one command."""

    def why(self, program, keys="", status=0):
        path = self.shared / f"{program}.shot"
        if not path.exists():
            subprocess.run([EARSHOT, "capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null{keys}",
                            "-o", path], check=True, capture_output=True, timeout=120)
        found, out, err = self.run_earshot("why", "--json", path)
        self.assertEqual((found, err), (status, ""))
        text = self.run_earshot("why", path)
        self.assertEqual((text[0], text[2]), (status, ""))
        self.assertEqual(text[1].splitlines()[0], json.loads(out)["text"])
        return json.loads(out), text[1]

    def function(self, place):
        return place["symbol"].split("+")[0].split(".")[0]

    def writers(self, value):
        """The functions with the places of the program that a chain goes through."""
        return {self.function(node) for node in value["nodes"]}

    def test_a_pointer_that_was_written_over(self):
        answer, text = self.why("story_pointer")
        self.assertEqual((answer["kind"], answer["cause"], answer["code"]), ("trap", 5, 255))
        self.assertEqual(self.function(answer["place"]), "receive")
        self.assertEqual([self.function(call) for call in answer["calls"]], ["receive", "main", "_start"])
        value, = answer["values"]
        self.assertEqual(value["role"], "address")
        self.assertEqual(self.writers(value), {"receive", "set_name"})
        stores = [node for node in value["nodes"] if node["instruction"].startswith("sb")]
        self.assertEqual({node["writes"]["symbol"] for node in stores}, {"sessions+0x22", "sessions+0x23"})
        self.assertEqual({node["writes"]["member"] for node in stores},
                         {"sessions[2].counter+0x2", "sessions[2].counter+0x3"})
        self.assertIn("sessions[2].counter+0x3:1: 0x80 -> 0x0", text)
        self.assertEqual(self.run_earshot("why", "-q", "--value", "sessions[2].counter+0x3:1",
                                          self.shared / "story_pointer.shot")[0], 0)
        register, = answer["difference"]["registers"]
        self.assertEqual((register["register"], register["now"]), (value["register"], value["value"]))
        self.assertIn(" was 0x", text)

    def test_a_stack_that_is_too_small(self):
        answer, text = self.why("story_stack")
        self.assertEqual((answer["kind"], answer["cause"]), ("trap", 1))
        self.assertRegex(answer["text"], r"^stack overflow over \w+: wild jump to 0x")
        self.assertEqual(answer["overflow_calls"], 65)
        self.assertEqual(self.function(answer["overflow"]), "parse")
        self.assertEqual(self.function(answer["jump"]), "main")
        value, = answer["values"]
        self.assertEqual(value["role"], "target")
        store = next(node for node in value["nodes"] if "address" in node["writes"])
        self.assertEqual((self.function(store), store["writes"]["symbol"]), ("parse", "parser+0x40"))
        self.assertRegex(text, r"note: #\d+ stores through sp, into the variable parser\.on_done\.\n"
                               r" +The stack began at 0x[0-9a-f]+, and was \d+ calls deep\.\n")

    def test_memory_that_was_freed(self):
        answer, _ = self.why("story_freed")
        self.assertTrue(answer["text"].startswith("wild jump to 0x"))
        self.assertEqual(self.function(answer["jump"]), "run_timers")
        value, = answer["values"]
        self.assertEqual(self.writers(value), {"run_timers", "new_message"})
        self.assertEqual({source["symbol"].split("+")[0] for source in
                          value["nodes"][0]["sources"] if "symbol" in source}, {"blocks"})
        register, = answer["difference"]["registers"]
        self.assertNotEqual(register["then"], register["now"])

    def test_interrupts_that_stay_off(self):
        answer, text = self.why("story_interrupt", ",max-cycles=100000")
        self.assertEqual((answer["kind"], answer["period"], answer["interrupts_off"]), ("hang", 2, True))
        self.assertGreater(answer["rounds"], 1000)
        self.assertEqual(self.function(answer["place"]), "wait_tick")
        self.assertEqual([value["role"] for value in answer["values"]], ["operand", "operand", "status"])
        status = answer["values"][2]
        self.assertEqual(status["nodes"][0]["instruction"], "csrrc zero, mstatus, a4")
        self.assertEqual(self.function(status["nodes"][0]), "put")
        self.assertIn("interrupts are off (mstatus.MIE is 0)\n", text)
        self.assertIn("the branch left the loop last at\n", text)

    def test_a_race_of_two_tasks(self):
        """A task was switched between its load and its store: its register comes from the switch."""
        answer, _ = self.why("story_race")
        self.assertEqual(answer["kind"], "exit")
        self.assertEqual(self.function(answer["branch"]), "first_task")
        total = next(value for value in answer["values"] if value["role"] == "operand")
        self.assertLess(int(total["value"], 16), 200)
        self.assertLessEqual({"add_to_total", "rtos_entry", "rtos_resume"}, self.writers(total))
        # The store after the switch: total goes back.
        switch = next(node for node in total["nodes"] if self.function(node) == "rtos_resume")
        status, out, _ = self.run_earshot("why", "--json", "--value", "total", "--at", switch["record"] + 30,
                                          self.shared / "story_race.shot")
        stores = [node for node in json.loads(out)["nodes"] if node["record"] > switch["record"]
                  and "address" in node["writes"]]
        self.assertEqual(status, 0)
        self.assertGreater(int(stores[-1]["before"], 16), int(stores[-1]["after"], 16))

    def test_a_program_that_ends_well(self):
        """Its capture has several chunks; what it says of its end is in the last one."""
        answer, _ = self.why("rtos", status=1)
        self.assertEqual((answer["kind"], answer["code"], answer["end_reason"]), ("ended", 0, "program ended"))

    def test_a_capture_that_was_ended_in_the_middle(self):
        path = self.folder / "part.shot"
        subprocess.run([EARSHOT, "capture", "-q", "-d", f"sim:{PROGRAMS}/sort.elf,uart=/dev/null", "--limit", "20000",
                        "-o", path], check=True, capture_output=True, timeout=120)
        status, out, _ = self.run_earshot("why", path)
        self.assertEqual(status, 1)
        self.assertRegex(out.splitlines()[0], "^cause unknown: .*; the capture ended by: limit$")

    def test_a_flight_recorder(self):
        """Only the newest part is kept, up to the trap; values from before it are unknown."""
        path = self.folder / "flight.shot"
        subprocess.run([EARSHOT, "capture", "-q", "-d", f"sim:{PROGRAMS}/story_pointer.elf,uart=/dev/null", "--ring",
                        "64K", "--until", "trap", "-o", path], check=True, capture_output=True, timeout=120)
        status, out, _ = self.run_earshot("why", "--json", path)
        answer = json.loads(out)
        self.assertEqual((status, answer["kind"], answer["cause"]), (0, "trap", 5))
        self.assertEqual(self.function(answer["place"]), "receive")

    def flight(self, program, *arguments, keys=""):
        """The answer on a flight recorder's file, and the file."""
        path = self.folder / f"{program}.shot"
        subprocess.run([EARSHOT, "capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null{keys}", "--ring",
                        "64K", *arguments, "-o", path], check=True, capture_output=True, timeout=120)
        status, out, err = self.run_earshot("why", "-q", "--json", path)
        self.assertEqual((status, err), (0, ""))
        return json.loads(out), path

    def record(self, path, number):
        out = self.run_earshot("decode", "-q", "-f", "json", "--from", number, "--limit", 1, path)[1]
        return json.loads(out.splitlines()[0])

    def test_the_event_of_a_flight_recorder(self):
        """The place is where the event was, however much was captured after it, an end without a fault included."""
        for after in ("0", "200", "1M"):
            answer, _ = self.flight("sort", "--until", "pc=main", "--after", after)
            self.assertEqual((answer["kind"], answer["values"]), ("event", []))
            self.assertEqual((answer["place"]["symbol"], answer["calls"][0]["symbol"]), ("main", "main"))

    def test_an_event_after_records_that_were_evicted(self):
        """Indexes go on from what is not in the file; numbers begin with it."""
        answer, path = self.flight("sha256", "--until", "records=50000", "--after", "1000", keys=",unit=raw")
        info = dict(line.split(": ", 1) for line in self.run_earshot("info", path)[1].splitlines() if ": " in line)
        self.assertGreater(int(info["let_go_records"]), 0)
        self.assertEqual(answer["place"]["record"] + int(info["let_go_records"]), 49999)

    def test_an_interrupt_as_the_event(self):
        answer, path = self.flight("rtos", "--until", "interrupt", "--after", "300")
        self.assertEqual(answer["text"], "the event that the recorder waited for: an interrupt, cause 0x7, timer")
        self.assertIn("interrupt", self.record(path, answer["place"]["record"]))

    def test_a_violation_is_the_cause(self):
        """The core writes another register than it computed; what was right is followed."""
        answer, path = self.flight("sort", "--until", "violation", "--after", "100", keys=",fault=reg:300")
        self.assertEqual(answer["kind"], "event")
        said = self.run_earshot("info", path)[1].split("event_violation: ")[1].split("\n")[0]
        self.assertEqual(answer["text"], f"the core is wrong: {said}")
        self.assertIn(f"event_index: {answer['place']['record']}\n", self.run_earshot("info", path)[1])
        self.assertEqual({value["role"] for value in answer["values"]}, {"input"})
        self.assertTrue(any(said.endswith(f"which holds {value['value']}") for value in answer["values"]), said)

    def test_a_mismatch_is_the_cause(self):
        """The unit sees a wrong sum, and says so some instructions later."""
        answer, path = self.flight("sort", "--until", "mismatch", "--after", "1000", keys=",fault=alu")
        self.assertEqual(answer["kind"], "event")
        self.assertRegex(answer["text"], "^the core is wrong: .*mismatch")
        record = self.record(path, answer["place"]["record"])
        self.assertEqual(record["class"], "alu")
        self.assertEqual(len(answer["values"]), len({register["number"] for register in record["reads"]}))

    def test_the_branch_before_a_code_that_a_compiler_shifted(self):
        """tohost.c stores code << 1 | 1; another variable has the value of the code some time before."""
        status, out, _ = self.run_earshot("why", "--json", self.captured("tohost"))
        answer = json.loads(out)
        self.assertEqual((status, answer["kind"], answer["code"]), (0, "exit", 5))
        store, branch = answer["place"]["line"], answer["branch"]["line"]
        self.assertEqual(branch, store)


if __name__ == "__main__":
    main()
