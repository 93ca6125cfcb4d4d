#!/usr/bin/env python3
"""The Linux module for the event port: a real kernel, real processes, every store in order.

The port is the second page of QEMU's PCI device "edu", which ignores stores there; QEMU writes each
of them into a file, in the order in which the processor makes them. port_life and some shells live
in the guest, say what they did, and what /proc shows at that moment. Here the stores are held
against that: the order within each group by a grammar, then what they mean.

The environment names the programs, as CMakeLists.txt sets it. EARSHOT_LINUX_FOLDER keeps all files
for a look: console.log, stores.txt, and what the guest has sent, in results.tar.
"""
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "usb" / "vm"))
import guest  # pylint: disable=wrong-import-position

EARSHOT = os.environ["EARSHOT_BIN"]
LIFE = os.environ["EARSHOT_PORT_LIFE"]
FOLDER = pathlib.Path(os.environ["EARSHOT_LINUX_FOLDER"])
KERNEL = pathlib.Path(os.environ["EARSHOT_VM_FOLDER"]) / "kernel"
LIMIT_SECONDS = 200  # for a machine that has much else to do
PAGE = 4096

# Their numbers have one home.
NAMES = {int(value): name for name, value in re.findall(
    r"#define EAR_PORT_(\w+) (\d+)u", (TOP / "common" / "protocol" / "ear_protocol.h").read_text()) if name != "USER"}
USER = 112  # the first of the user page

STRING = r"(?:(?:STRING )+{0} |HIGH {0} )"
MAPPING = r"(?:HIGH )?EXECVE_VMSTART (?:HIGH )?EXECVE_VMEND (?:HIGH )?EXECVE_OFFSET "
KERNEL_GROUPS = re.compile("(?:" + "|".join([
    "SWITCH ", "EXIT ", "ENABLE ",
    "TGID (?:FORK|CLONE) ",
    "TGID INIT_PID " + STRING.format("INIT_NAME"),
    MAPPING + STRING.format("(?:MMAP_EXEPATH|EXECVE_EXEPATH)"),
    "(?:HIGH )?UNMAP_START (?:HIGH )?UNMAP_END ",
    "CMDLINE_LEN " + STRING.format("CMDLINE"),
    STRING.format("NAME"),
    "(?:HIGH )?DYN_SYM_ADDR " + STRING.format("DYN_SYM"),
    "(?:HIGH )?REMOVE_ADDR ",
]) + ")*")
USER_GROUPS = re.compile("(?:" + "|".join([
    "(?:USER_STRING )*MARK ", "COUNTER COUNT ", "(?:USER_HIGH )?(?:METHOD|NATIVE)_(?:ENTRY|EXIT|EXCEPTION) ",
]) + ")*")


# -- The guest --

def build_module(headers):
    """earshot.ko, as docs/linux-target.md says: from a copy, so that nothing comes into the sources."""
    source = FOLDER / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(TOP / "firmware" / "linux", source / "firmware" / "linux")
    (source / "common" / "protocol").mkdir(parents=True)
    shutil.copy(TOP / "common" / "protocol" / "ear_protocol.h", source / "common" / "protocol")
    module = source / "firmware" / "linux"
    made = subprocess.run(["make", "-C", headers, f"M={module}", "modules"], capture_output=True, text=True, check=False)
    if made.returncode:
        raise RuntimeError(f"the module cannot be built:\n{made.stdout[-3000:]}\n{made.stderr[-3000:]}")
    return module / "earshot.ko"


def run_guest():
    """Returns ({name: text} that the guest has sent, [(offset in the window, value)] of all stores)."""
    kernel, headers = guest.fetch_kernel_and_headers(KERNEL)
    initial = guest.make_initial({"init": HERE / "guest_linux", "bin/port_life": LIFE,
                                  "modules/earshot.ko": build_module(headers)}, kernel)
    trace = FOLDER / "stores.txt"
    machine = guest.start(FOLDER, kernel, initial, [], extra=[
        "-device", "edu", "-trace", "memory_region_ops_write", "-D", trace])
    try:
        said, _ = machine.communicate(timeout=LIMIT_SECONDS)
        problem = f"QEMU ended with {machine.returncode}: {said.decode(errors='replace')}" if machine.returncode else ""
    except subprocess.TimeoutExpired:
        problem = f"the guest has not come to an end within {LIMIT_SECONDS} s"
    finally:
        machine.kill()
        machine.wait()
    if problem:
        raise RuntimeError(f"{problem}\n{(FOLDER / 'console.log').read_text(errors='replace')[-3000:]}")
    with tarfile.open(fileobj=io.BytesIO((FOLDER / "results.tar").read_bytes())) as archive:
        files = {os.path.basename(member.name): archive.extractfile(member).read().decode(errors="replace")
                 for member in archive if member.isfile()}
    port = int(files["port.txt"])
    stores = [(int(address, 16) - port, int(value, 16), int(size)) for address, value, size in re.findall(
        r"addr (0x[0-9a-f]+) value (0x[0-9a-f]+) size (\d) name 'edu-mmio'", trace.read_text())]
    return files, stores


def spike_log(stores, port):
    """A trace in which each store to the port is an instruction of its own, sw a0, 0(a1)."""
    return "".join(f"core   0: 3 0x{0x80000000 + 4 * i:016x} (0x00a5a023) mem 0x{port + offset:016x} 0x{value:08x}\n"
                   for i, (offset, value) in enumerate(stores))


# -- What stores mean --

def number_of(offset):
    return offset // 4 if offset < PAGE else USER + (offset - PAGE) // 4


class Latches:
    """Strings and upper halves of one page, and what its registers keep."""

    def __init__(self):
        self.text, self.high, self.kept = b"", 0, {}

    def take_text(self):
        text, self.text = self.text, b""
        return text

    def address(self, value):
        value, self.high = self.high << 32 | value, 0
        return value


def event_of(name, value, page):
    """The words of the event that a store completes, as port_life writes them; None: it keeps a number."""
    if name in ("STRING", "USER_STRING"):
        page.text += value.to_bytes(4, "little")
    elif name in ("HIGH", "USER_HIGH"):
        page.high = value
    elif name in ("TGID", "INIT_PID", "CMDLINE_LEN", "COUNTER"):
        page.kept[name] = value
    elif name in ("EXECVE_VMSTART", "EXECVE_VMEND", "EXECVE_OFFSET", "UNMAP_START", "DYN_SYM_ADDR"):
        page.kept[name] = page.address(value)
    elif name in ("FORK", "CLONE"):
        return f"{name.lower()} {page.kept['TGID']} {value}"
    elif name == "EXIT":
        return f"exit {value:x}"
    elif name in ("MMAP_EXEPATH", "EXECVE_EXEPATH"):
        path = page.take_text().split(b"\0")[0].decode()
        return (("mmap" if name == "MMAP_EXEPATH" else "old") + f" {page.kept['EXECVE_VMSTART']:x} "
                f"{page.kept['EXECVE_VMEND']:x} {page.kept['EXECVE_OFFSET']:x} {path}")
    elif name == "UNMAP_END":
        return f"unmap {page.kept['UNMAP_START']:x} {page.address(value):x}"
    elif name == "CMDLINE":
        text = page.take_text()[:page.kept["CMDLINE_LEN"]]
        assert text.endswith(b"\0"), text
        return "exec " + "|".join(argument.decode() for argument in text[:-1].split(b"\0"))
    elif name == "NAME":
        return "name " + page.take_text().rstrip(b"\0").decode()
    elif name == "INIT_NAME":
        return f"init {page.kept['TGID']} {page.kept['INIT_PID']} {page.take_text().rstrip(bytes(1)).decode()}"
    elif name == "DYN_SYM":
        return f"symbol {page.kept['DYN_SYM_ADDR']:x} {page.take_text().rstrip(bytes(1)).decode()}"
    elif name == "REMOVE_ADDR":
        return f"remove {page.address(value):x}"
    elif name == "MARK":
        text = page.take_text().rstrip(b"\0").decode()
        return f"mark {value}" + (f" {text}" if text else "")
    elif name == "COUNT":
        return f"count {page.kept['COUNTER']} {value:x}"
    elif name.startswith(("METHOD_", "NATIVE_")):
        return f"{name.lower()} {page.address(value):x}"
    else:
        return f"{name.lower()} {value}"
    return None


def events_of(stores):
    """[(pid of the task that runs, words)]"""
    kernel, user, pid, events = Latches(), Latches(), None, []
    for name, value in stores:
        page = user if any(number >= USER for number, known in NAMES.items() if known == name) else kernel
        words = event_of(name, value, page)
        if words is None:
            continue
        if name == "SWITCH":
            pid = value
        events.append((pid, words))
    return events


METHODS = {"enter": "entry", "exit": "exit", "unwind": "exception"}


def words_of_earshot(event):
    """An event of earshot convert --tasks (docs/android.md, section 6) in the words of event_of."""
    if event["source"]:
        return f"{NAMES[event['source'] - 128].lower()} {int(event['value'], 16)}"
    kind, *rest = event["name"].split(" ")
    texts = ["" if text == '""' else re.sub(r"\\x([0-9A-Fa-f]{2})", lambda found: chr(int(found[1], 16)), text) for text in rest]
    plain = [text.removeprefix("0x") for text in texts]
    if kind == "exec":
        return "exec " + "|".join(texts)
    if kind == "exit":
        return f"exit {int(rest[0]):x}"
    if kind == "counter":
        return f"count {rest[0]} {int(rest[1]):x}"
    if kind.startswith(("method-", "native-")):
        first, second = kind.split("-")
        return f"{first}_{METHODS[second]} {plain[0]} {plain[1]}"
    words = {"process": "init", "munmap": "unmap", "symbol-gone": "remove"}.get(kind, kind)
    return " ".join([words, *plain]).rstrip(" ")


def words_with_pid(pid, words):
    """An event of events_of as words_of_earshot has it: there some have the task in them."""
    kind, rest = words.split(" ", 1)
    if kind == "old":
        return f"mmap {rest}"
    return f"{kind} {pid} {rest}" if re.match("name|method|native", kind) else words


class Spaces:
    """The files in the memory of each task, page by page, as the events say."""

    def __init__(self):
        self.of_pid = {}

    def take(self, pid, words):
        kind, *arguments = words.split(" ")
        space = self.of_pid.setdefault(pid, {})
        if kind == "fork":
            self.of_pid[int(arguments[1])] = dict(space)
        elif kind == "clone":
            self.of_pid[int(arguments[1])] = space
        elif kind == "exec":
            self.of_pid[pid] = {}
        elif kind in ("mmap", "old"):
            start, end, offset = (int(word, 16) for word in arguments[:3])
            for page in range(start, end, PAGE):
                space[page] = (offset + page - start, arguments[3])
        elif kind == "unmap":
            for page in range(int(arguments[0], 16), int(arguments[1], 16), PAGE):
                space.pop(page, None)


def pages_of(lines, flag=""):
    """The same of lines of /proc/PID/maps."""
    pages = {}
    for line in lines:
        area, flags, offset, _, _, *path = line.split(None, 5)
        if path and path[0].startswith("/") and flag in flags:
            start, end = (int(word, 16) for word in area.split("-"))
            for page in range(start, end, PAGE):
                pages[page] = (int(offset, 16) + page - start, path[0].strip())
    return pages


class Step:
    def __init__(self, pid, number):
        self.pid, self.number, self.expected, self.maps, self.switches, self.text = pid, number, [], [], None, None


def steps_of(log):
    """What port_life said: a step after the other."""
    steps, last = [], {}
    for line in log.splitlines():
        pid, kind, rest = re.fullmatch(r"(\d+) (\w+) ?(.*)", line).groups()
        if kind == "step":
            steps.append(Step(int(pid), int(rest)))
            last[pid] = steps[-1]
        elif kind == "expect":
            last[pid].expected.append(rest)
        elif kind == "maps":
            last[pid].maps.append(rest)
        elif kind == "switches":
            last[pid].switches = int(rest)
        elif kind == "text":
            last[pid].text = rest.split(" ", 1)[1]
    return steps


class Module(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        FOLDER.mkdir(exist_ok=True)
        for name in ("console.log", "results.tar", "stores.txt"):
            (FOLDER / name).unlink(missing_ok=True)
        begin = time.monotonic()
        try:
            cls.files, stores = run_guest()
        except guest.KernelMissing as missing:
            raise AssertionError(str(missing)) from None
        print(f"module and guest took {time.monotonic() - begin:.1f} s, {len(stores)} stores")
        cls.sizes = {size for _, _, size in stores}
        cls.unknown = {offset for offset, _, _ in stores if number_of(offset) not in NAMES}
        cls.stores = [(NAMES.get(number_of(offset), "?"), value) for offset, value, _ in stores]
        # The list is sent when the module is loaded, on request, and when it is loaded again with
        # strings as addresses: it begins with task 0 of group 0.
        lists = [i - 1 for i, store in enumerate(cls.stores) if store == ("INIT_PID", 0)]
        assert len(lists) == 3, lists
        cls.again = cls.stores[lists[2]:]
        cls.stores = cls.stores[:lists[2]]
        cls.raw = [(offset, value) for offset, value, _ in stores[:lists[2]]]
        cls.lists = [events_of(cls.stores[lists[0]:lists[1]]), events_of(cls.stores[lists[1]:])]
        cls.events = events_of(cls.stores)
        cls.steps = steps_of(cls.files["life.txt"])

    def after_mark(self, step):
        """(index of the mark, the events of its task until its next mark)"""
        found = [i for i, (pid, words) in enumerate(self.events)
                 if pid == step.pid and re.match(f"mark {step.number}(?: |$)", words)]
        self.assertEqual(len(found), 1, f"marker {step.number} of task {step.pid}")
        after = []
        for pid, words in self.events[found[0] + 1:]:
            if pid == step.pid and words.startswith("mark "):
                break
            if pid == step.pid and not words.startswith("switch "):
                after.append(words)
        return found[0], after

    def events_of_task(self, pid):
        return [words for task, words in self.events if task == pid and not words.startswith("switch ")]

    def test_the_module_is_loaded_and_everything_ends_well(self):
        # Loaded and removed, with strings as addresses, without tasks, at an impossible port, with no port yet.
        self.assertEqual(self.files["load.txt"].split()[:4], ["0"] * 4)
        self.assertNotEqual(self.files["load.txt"].split()[4], "0")
        self.assertEqual(self.files["load.txt"].split()[5:], ["0"])
        self.assertEqual(self.files["life.status"], "5\n", self.files["life.err"])
        self.assertEqual(self.files["missed.txt"], "0\n")
        self.assertEqual(self.files["enable.txt"], "1\n")
        self.assertIn("crw-rw-rw-", self.files["device.txt"])
        self.assertNotRegex(self.files["dmesg.txt"], r"BUG|WARNING|Oops|Call Trace|not reported")

    def test_stores_are_words_to_registers_that_there_are(self):
        self.assertEqual(self.sizes, {4})
        self.assertEqual(self.unknown, set())

    def test_groups_of_stores_are_whole_and_in_order(self):
        for stores in (self.stores, self.again):
            names = [name for name, _ in stores]
            user = {NAMES[number] for number in NAMES if number >= USER}
            for groups, page in ((KERNEL_GROUPS, [name for name in names if name not in user]),
                                 (USER_GROUPS, [name for name in names if name in user])):
                text = "".join(name + " " for name in page)
                end = groups.match(text).end()
                self.assertEqual(end, len(text), f"no group begins here: {text[end:end + 200]}")

    def test_each_step_makes_the_events_that_it_must_make(self):
        expectations = 0
        for step in self.steps:
            _, events = self.after_mark(step)
            expected = [words for words in step.expected if not words.startswith("argument ")]
            arguments = [words[9:] for words in step.expected if words.startswith("argument ")]
            if "exec" in expected:  # the new program's own mappings follow
                expected[expected.index("exec")] = "exec " + "|".join(arguments)
                events = [words for words in events if not words.startswith(("mmap ", "unmap "))]
            if any(words.startswith("clone thread") for words in expected):
                thread, = [words for words in events if words.startswith("clone ")]
                self.assertEqual(thread.split()[1], expected[0].split()[2])
                expected, events = [], []
            if events and events[0].startswith("name port_life") and not expected:
                continue  # test_a_thread_that_executes_has_the_pid_of_its_group
            with self.subTest(pid=step.pid, step=step.number):
                self.assertEqual(events, expected)
                expectations += len(expected)
        self.assertGreaterEqual(expectations, 30)

    def test_files_in_memory_are_those_of_proc_maps(self):
        moments = {self.after_mark(step)[0]: step for step in self.steps if step.maps}
        spaces = Spaces()
        for i, (pid, words) in enumerate(self.events):
            spaces.take(pid, words)
            if i in moments:
                with self.subTest(pid=pid, step=moments[i].number):
                    expected = pages_of(moments[i].maps)
                    self.assertGreater(len(expected), 100)
                    self.assertEqual(spaces.of_pid[pid], expected)
        self.assertGreaterEqual(len(moments), 7)

    def test_a_switch_is_reported_each_time_that_the_kernel_counts_one(self):
        readings = [step for step in self.steps if step.switches is not None]
        self.assertEqual(len(readings), 2)
        begin, end = (self.after_mark(step)[0] for step in readings)
        count = sum(words.startswith("switch ") for _, words in self.events[begin:end])
        self.assertEqual(count, readings[1].switches - readings[0].switches)
        self.assertGreater(count, 10)

    def executed_in_thread(self):
        """(index, pid) of the exec by a thread that was not the first of its group."""
        found, = [(i, pid) for i, (pid, words) in enumerate(self.events)
                  if words.startswith("exec ") and "from a thread" in words]
        return found

    def test_a_thread_that_executes_has_the_pid_of_its_group(self):
        index, pid = self.executed_in_thread()
        made, = [words for words in self.events_of_task(pid) if words.startswith("clone ")]
        group, thread = (int(word) for word in made.split()[1:])
        self.assertEqual(group, pid)
        self.assertNotEqual(thread, pid)
        before = [words for task, words in self.events[:index] if task == pid and not words.startswith("switch ")]
        self.assertEqual(before[-1], "name port_life")
        self.assertEqual(before[-2], "exit 0")  # the first thread's end
        self.assertEqual(self.events_of_task(pid)[-1], "exit 700")

    def test_tasks_that_were_there_are_listed_once(self):
        before, after = ({tuple(line.split(" ", 2)[:2]): line.split(" ", 2)[2] for line in self.files[name].splitlines()}
                         for name in ("before.txt", "after.txt"))
        listed = {}
        for _, words in self.lists[0]:
            if words.startswith("init "):
                _, tgid, pid, name = words.split(" ", 3)
                if (tgid, pid) not in listed:
                    listed[tgid, pid] = name
                elif name != listed[tgid, pid]:
                    self.assertTrue(name.startswith("kworker/"), name)  # renamed by the kernel's own tasks
        self.assertEqual(listed.pop(("0", "0")), "swapper/0")
        there = set(before) & set(after)
        self.assertGreater(len(there), 30)
        self.assertLessEqual(there, set(listed))
        for task in there:  # /proc adds what a worker does to its name
            self.assertTrue(before[task].startswith(listed[task]) or listed[task].startswith("kworker"), (before[task], listed[task]))

    def test_programs_that_were_there_are_listed_with_their_files(self):
        expected = pages_of(self.files["maps_1.txt"].splitlines(), "x")
        for events in self.lists:
            spaces = Spaces()
            for pid, words in events:
                if words.startswith("old ") and pid == 1:
                    spaces.take(pid, words)
            self.assertEqual(spaces.of_pid.get(1), expected)

    def test_the_list_is_sent_again_on_request(self):
        listed = [words.split(" ")[2] for _, words in self.lists[1] if words.startswith("init ")]
        self.assertLessEqual({"0", "1", "2"}, set(listed))
        enables = [words for _, words in self.lists[0] if words.startswith("enable ")]
        self.assertEqual(enables, ["enable 1", "enable 0"])

    def test_shells_fork_execute_and_end(self):
        own, first, second, last = self.files["shell.txt"].split("\n")[:4]
        self.assertEqual((own, last), ("pid 1", "last"))
        first, second = int(first.split()[1]), int(second.split()[1])
        self.assertEqual([words for pid, words in self.events if pid == first and words.startswith(("exec", "exit"))],
                         ['exec /bin/busybox|sh|-c|echo "pid $$"; exit 5', "exit 500"])
        events = self.events_of_task(second)
        self.assertEqual([words for words in events if words.startswith(("exec", "exit"))][1:],
                         ["exec /bin/busybox|echo|last", "exit 0"])
        child = int(next(words for words in events if words.startswith(("fork ", "clone "))).split()[2])
        self.assertEqual([words for words in self.events_of_task(child) if words.startswith(("exec", "exit"))],
                         ["exec /bin/busybox|true|two words", "exit 0"])
        for parent, child in ((1, first), (1, second), (second, child)):
            self.assertTrue({f"fork {child} {child}", f"clone {child} {child}"} & set(self.events_of_task(parent)), child)

    def test_a_module_comes_and_goes_with_its_address(self):
        name, *_, address = self.files["usb_common.txt"].split()[:6]
        events = [words for _, words in self.events if words.startswith(("symbol ", "remove "))]
        address = int(address, 16)
        self.assertEqual(events, [f"symbol {address:x} {name}", f"remove {address:x}"])

    def test_markers_have_their_texts(self):
        step, = [step for step in self.steps if step.text]
        index, _ = self.after_mark(step)
        self.assertEqual(self.events[index][1], f"mark {step.number} {step.text}")

    def test_earshot_understands_the_stores(self):
        log = FOLDER / "stores.log"
        log.write_text(spike_log(self.raw, 0x10020000))
        text = subprocess.run([EARSHOT, "convert", "-q", "-f", "json", "--event-port", "0x10020000", "--tasks", log],
                              capture_output=True, text=True, check=True).stdout
        events = [json.loads(line) for line in text.splitlines() if line.startswith('{"kind":"event"')]
        self.assertEqual([words_of_earshot(event) for event in events],
                         [words_with_pid(pid, words) for pid, words in self.events])

    def test_strings_by_address_are_in_one_buffer(self):
        takers = ("INIT_NAME", "NAME", "CMDLINE", "MMAP_EXEPATH", "EXECVE_EXEPATH")
        addresses, high = set(), 0
        for name, value in self.again:
            if name == "HIGH":
                high = value
            elif name in takers:
                addresses.add(high << 32 | value)
        self.assertEqual(len(addresses), 1)
        self.assertGreater(addresses.pop(), 1 << 63)
        self.assertNotIn("STRING", [name for name, _ in self.again])

    def test_without_tasks_nothing_of_them_is_reported(self):
        exits = [value for name, value in self.again if name == "EXIT"]
        self.assertIn(0x600, exits)
        self.assertNotIn(0x700, exits)


if __name__ == "__main__":
    unittest.main(verbosity=2)
