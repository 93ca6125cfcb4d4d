#!/usr/bin/env python3
"""The command line, and what describes it: --help, man page and completions come from the same tables."""
import os
import pathlib
import re
import subprocess

from support import EARSHOT, TREE, Case, main

COMMANDS = ["capture", "decode", "convert", "browse", "show", "grep", "state", "history", "gdb", "why", "check",
            "diff", "infer", "stat", "profile", "calls", "memory", "timeline", "coverage", "branches", "report", "top",
            "info", "list", "doctor", "selftest", "flash", "load", "serve", "index", "cut", "join", "archive",
            "restore", "farm", "new-board", "control", "dump", "android"]
BUILD = pathlib.Path(os.environ["EARSHOT_BUILD"])
COMPLETIONS = BUILD / "cli" / "completions"
MAN = {"earshot.1": BUILD / "docs" / "earshot.1", "earshot-board.1": TREE / "docs" / "man" / "earshot-board.1"}


def options_of(help_text):
    """The options that a --help text lists: what begins a line that is indented."""
    found = set()
    for line in help_text.splitlines():
        if re.match(r" {2,6}-", line):
            # The description comes after two blanks.
            found.update(re.findall(r"(?<!\S)(--[a-z][a-z-]*|-[A-Za-z])", line.lstrip().split("  ")[0]))
    return found


def formats_of(help_text, heading):
    """The names in a list below a heading of a --help text."""
    return set(re.findall(r"^  ([a-z0-9-]+) ", help_text.split(f"\n{heading}:\n")[1].split("\n\n")[0], re.M))


def run(*command, **keywords):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60, **keywords).stdout


def man_sections(page):
    """The rendered page by its headings (.Sh and .Ss)."""
    text = re.sub(".\b", "", run("mandoc", "-Tascii", MAN[page]))
    sections, name = {}, None
    for line in text.splitlines():
        if re.match(r" {0,3}\S", line):
            name = line.strip()
            sections[name] = ""
        elif name:
            sections[name] += line + "\n"
    return sections


class CommandLine(Case):
    def help(self, command):
        return self.earshot(*([command] if command else []), "--help")[0]

    def test_help_goes_to_standard_output(self):
        for arguments in (["--help"], ["-h"], ["help"],
                          *(words for command in COMMANDS
                            for words in ([command, "--help"], [command, "-h"], ["help", command]))):
            with self.subTest(arguments):
                out, error = self.earshot(*arguments)
                self.assertTrue(out.startswith("usage: earshot"))
                self.assertEqual(error, "")
                self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def test_help_names_every_command(self):
        self.assertEqual(re.findall(r"^  ([a-z-]+) ", self.help(None).split("First steps")[0], re.M), COMMANDS)

    def test_versions(self):
        out, _ = self.earshot("--version")
        version = re.search(r'#define EAR_VERSION +"([\d.]+)"', (TREE / "include/earshot/earshot.h").read_text()).group(1)
        protocol = re.search(r"Version ([\d.]+)\.\s", (TREE / "docs" / "protocol.md").read_text()).group(1)
        self.assertEqual(out, f"earshot {version}\nprotocol {protocol}\n")
        self.assertEqual(self.earshot("-V")[0], out)
        self.assertEqual(run(os.environ["EARSHOT_BOARD"], "--version"), f"earshot-board {version}\n")

    def test_help_for_a_command(self):
        for command in COMMANDS:
            self.assertEqual(self.earshot("help", command)[0], self.help(command))

    def test_a_long_option_can_be_shortened_and_words_come_in_any_order(self):
        shot = self.folder / "t.shot"
        self.capture(shot, "sort", "--limit", "100")
        text = self.decode(shot, "--limit", "5")
        self.assertEqual(self.decode(shot, "--lim=5"), text)
        self.assertEqual(self.earshot("decode", "--limit", "5", "--", shot)[0], text)

    def test_outputs_that_cannot_be_written(self):
        shot = self.folder / "t.shot"
        self.capture(shot, "sort", "--limit", "2000")
        _, error = self.earshot("decode", shot, "-o", self.folder / "none" / "t.csv", status=2)
        self.assertIn("No such file or directory", error)
        _, error = self.earshot("decode", shot, "-o", "/dev/full", status=2)
        self.assertIn("No space left on device", error)
        error = self.capture(self.folder / "none" / "t.shot", "sort", status=2)
        self.assertNotEqual(error, "")
        for command in ("decode", "info", "dump"):
            with open("/dev/full", "wb") as full:
                result = subprocess.run([EARSHOT, command, shot], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(result.returncode, 2, command)
            self.assertIn(b"No space left on device", result.stderr)

    def test_the_virtual_board_is_listed(self):
        out, _ = self.earshot("list")
        self.assertRegex(out, r"^sim:PROGRAM\.elf +virtual board +/")


class Described(Case):
    """The man page and the completions have all options, and no others."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.options = {command: options_of(case.earshot(command, "--help")[0]) for command in COMMANDS}
        cls.top = options_of(case.earshot("--help")[0])
        out, _ = case.earshot("convert", "--help")
        cls.inputs, cls.outputs = formats_of(out, "Formats to read"), formats_of(out, "Formats to write")
        cls.texts = formats_of(case.earshot("decode", "--help")[0], "Formats")

    def test_options_are_found_in_the_help(self):
        self.assertEqual(self.options["decode"],
                         {"-f", "--format", "-o", "--output", "--from", "--to", "--comments", "--elf", "--elf-anyway",
                          "--ftdi-status",
                          "--isa", "-n", "--limit", "--names", "-j", "--jobs", "-q", "--quiet", "-h", "--help"})
        self.assertEqual(self.options["list"], {"--json", "-h", "--help"})
        self.assertEqual(self.top, {"-h", "--help", "-V", "--version", "--hdl-path"})
        self.assertIn("--buffer-full", self.options["capture"])
        self.assertLessEqual({"shot", "whisper"}, self.outputs)
        self.assertIn("shot", self.inputs)
        self.assertIn("whisper", self.texts)

    def test_man_page_of_earshot(self):
        sections = man_sections("earshot.1")
        everywhere = {"-h", "--help"}
        for command in COMMANDS:
            with self.subTest(command):
                self.assertEqual(options_of(sections[f"earshot {command}"]), self.options[command] - everywhere)
        self.assertEqual(options_of(sections["Other options"]), self.top)

    def test_man_page_of_the_board(self):
        listed = options_of(run(os.environ["EARSHOT_BOARD"], "--help"))
        listed.add("--version")  # stands behind --help, in one line
        self.assertIn("--fault", listed)
        self.assertEqual(options_of(man_sections("earshot-board.1")["DESCRIPTION"]), listed)

    def test_numbers_of_the_board_follow_the_rule_of_all_others(self):
        for ram, message in (("4k", "at least 4096"), ("4Ki", "no such program"), ("2147484k", "is more than"),
                             ("2Gi", "no such program"), ("3G", "is more than"), ("4KiB", "is not a number")):
            result = subprocess.run([os.environ["EARSHOT_BOARD"], "--fd", "0", "--ram", ram, self.folder / "no such program"],
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 2)
            self.assertIn(message, result.stderr, ram)

    def test_man_pages_are_clean(self):
        for page in MAN.values():
            self.assertEqual(run("mandoc", "-Tlint", "-Wwarning", page), "")

    def bash(self, *words):
        script = """source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _earshot 2>&1
            printf '%s\\n' "${COMPREPLY[@]}" """
        return set(run("bash", "-c", script, COMPLETIONS / "earshot.bash", "earshot", *words,
                       cwd=self.folder).split())

    def test_bash(self):
        self.assertEqual(self.bash(""), {*COMMANDS, "help", *self.top})
        self.assertEqual(self.bash("help", ""), {*COMMANDS})
        self.assertEqual(self.bash("d"), {name for name in COMMANDS if name[0] == "d"})
        for command in COMMANDS:
            self.assertEqual(self.bash(command, "-"), self.options[command], command)
        self.assertEqual(self.bash("capture", "--policy", ""), {"auto", "stall", "drop"})
        self.assertEqual(self.bash("capture", "--limit", ""), set())
        self.assertEqual(self.bash("capture", "--start", "p"), {"pc=", "pin"})
        self.assertEqual(self.bash("capture", "--exclude", ""), {"pc="})
        self.assertEqual(self.bash("capture", "--until", "t"), {"trap"})
        self.assertEqual(self.bash("capture", "-f", ""), self.outputs)
        self.assertEqual(self.bash("decode", "-f", ""), self.texts)
        self.assertEqual(self.bash("convert", "-i", ""), self.inputs)
        (self.folder / "a file.elf").touch()
        (self.folder / "a.shot").touch()
        self.assertEqual(self.bash("decode", "a."), {"a.shot"})
        self.assertEqual(self.bash("capture", "-o", "a."), {"a.shot"})
        self.assertEqual(self.bash("capture", "-d", "sim", ":", "a."), {"a.shot"})
        self.assertEqual(self.bash("capture", "-d", "s"), {"sim:"})

    def fish(self, *lines):
        """What is offered for each of these beginnings of a line; loading the completion takes its time."""
        script = "source $argv[1]; for line in $argv[2..]; echo ==; complete -C $line; end"
        environment = dict(os.environ, HOME=str(self.folder), XDG_DATA_DIRS=str(self.folder))
        out = run("fish", "--no-config", "-c", script, COMPLETIONS / "earshot.fish", *lines,
                  cwd=self.folder, env=environment)
        offers = [{entry.split("\t")[0] for entry in part.splitlines()} for part in out.split("==\n")[1:]]
        self.assertEqual(len(offers), len(lines))
        return dict(zip(lines, offers))

    def test_fish(self):
        expected = {
            "earshot ": {*COMMANDS, "help"},
            "earshot help ": set(COMMANDS),
            "earshot -": self.top,
            "earshot capture --policy ": {"auto", "stall", "drop"},
            "earshot capture --stop p": {"pc=", "pin"},
            "earshot capture --filter ": {"pc="},
            "earshot capture --until i": {"interrupt"},
            "earshot capture -f ": self.outputs,
            "earshot decode -f ": self.texts,
            "earshot convert -i ": self.inputs,
        }
        lines = [f"earshot {command} {dashes}" for command in COMMANDS for dashes in ("-", "--")]
        found = self.fish(*expected, *lines)
        for line, offer in expected.items():
            self.assertEqual(found[line], offer, line)
        for command in COMMANDS:
            self.assertEqual(found[f"earshot {command} -"] | found[f"earshot {command} --"], self.options[command],
                             command)

    def zsh(self, *words):
        """What the completion hands to compadd, with the words of a command line so far."""
        script = """compdef() { }; compset() { return 1 }; _files() { print FILES }
            compadd() { while [[ $1 != -- ]] shift; shift; print -rl -- "$@" }
            file=$1; shift; words=("$@"); CURRENT=$#; source $file"""
        return set(run("zsh", "-f", "-c", script, "zsh", COMPLETIONS / "_earshot", "earshot", *words).split())

    def test_zsh(self):
        self.assertEqual(self.zsh(""), {*COMMANDS, "help", *self.top})
        self.assertEqual(self.zsh("help", ""), {*COMMANDS})
        for command in COMMANDS:
            self.assertEqual(self.zsh(command, "-"), self.options[command], command)
        self.assertEqual(self.zsh("capture", "--policy", ""), {"auto", "stall", "drop"})
        self.assertEqual(self.zsh("capture", "--limit", ""), set())
        self.assertLessEqual({"pc=", "pin"}, self.zsh("capture", "--stop", ""))
        self.assertEqual(self.zsh("capture", "--filter", ""), {"pc="})
        self.assertLessEqual({"pc=", "trap"}, self.zsh("capture", "--until", ""))
        self.assertEqual(self.zsh("capture", "-f", ""), self.outputs)
        self.assertEqual(self.zsh("decode", "-f", ""), self.texts)
        self.assertEqual(self.zsh("convert", "-i", ""), self.inputs)
        self.assertEqual(self.zsh("decode", ""), {"FILES"})

    def test_udev_rules_name_the_documented_devices(self):
        rules = (TREE / "udev" / "60-earshot.rules").read_text()
        found = set(re.findall(r'ATTRS\{idVendor\}=="(\w{4})", ATTRS\{idProduct\}=="(\w{4})"', rules))
        listed = set(re.findall(r"^\| `([0-9a-f]{4}):([0-9a-f]{4})` \|", (TREE / "docs" / "boards.md").read_text(), re.M))
        self.assertTrue(found)
        self.assertEqual(found, listed)


class Documents(Case):
    def test_messages_in_the_documents_are_those_of_the_program(self):
        sources = "".join(path.read_text() for folder in ("cli", "driver") for path in (TREE / folder).rglob("*.c"))
        sources = re.sub(r'"\s*(?:PRI\w+\s*)?"', "", sources)  # a text in pieces, and its numbers
        table = (TREE / "docs" / "usb.md").read_text().split("### 6.1 ")[1].split("\n## ")[0]
        messages = [message for row in table.splitlines() if row.startswith("| ")
                    for message in re.findall(r"`([^`]+)`", row.split("|")[2])]
        self.assertGreater(len(messages), 20)
        for message in messages:
            for part in message.split("…"):
                with self.subTest(part):
                    self.assertIn(part.strip(" ,;:"), sources)

    def test_links_in_the_documents_lead_somewhere(self):
        documents = [*TREE.glob("*.md"), *(TREE / "docs").glob("*.md"), *(TREE / "tests" / "bench").glob("*.md")]
        self.assertGreater(len(documents), 5)
        for document in documents:
            for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text()):
                if "://" not in link:
                    self.assertTrue((document.parent / link).exists(), f"{document.name}: {link}")


if __name__ == "__main__":
    main()
