#!/usr/bin/env python3
"""earshot serve --web: what a browser gets, who gets nothing, and that nobody can hold up the server or a capture."""
import base64
import hashlib
import json
import os
import re
import signal
import socket
import unittest

import odd_traces
from support import EARSHOT, NIGHT, PROGRAMS, Case, children, endless_elf, main, night, wait_until

# Names that would be markup, another event, an escape, or a line of their own.
NAMES = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "a\n\nevent: end\ndata: {}\n\n",
         "\x1b]0;mine\x07", "\u202egpj.exe", "n" * 100000]


class Web(Case):
    def serve(self, *arguments, program="sort.elf", token=True):
        """The server's process; self.port is the page's, self.address the device's."""
        board = f"sim:{program if os.path.isabs(program) else PROGRAMS / program},unit=raw,uart=/dev/null"
        self.token_file = self.folder / "token"
        server = self.start("serve", "-d", board, "--port", "0", "--web", "--web-port", "0",
                            *(["--token-file", self.token_file] if token else []), *arguments)
        said = ""
        while not (found := re.search(r" at (tcp:\S+:\d+);", said)):
            line = server.stderr.readline().decode()
            self.assertTrue(line, said)
            said += line
        self.address = found.group(1)
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)/", said).group(1))
        self.token = self.token_file.read_text().strip()
        self.assertNotIn(self.token, said, "the token is in no log")
        return server

    def end(self, server, status=0, number=signal.SIGTERM):
        server.send_signal(number)
        _, error = server.communicate(timeout=60)
        self.assertEqual(server.returncode, status, error)
        return error.decode()

    def connect(self, window=None):
        peer = socket.socket()
        self.addCleanup(peer.close)
        peer.settimeout(60)
        if window:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        peer.connect(("127.0.0.1", self.port))
        return peer

    def request(self, path="/events", method="GET", headers=None, **more):
        """Sends a request; returns the socket as a file."""
        lines = {"Host": f"127.0.0.1:{self.port}", "Authorization": f"Bearer {self.token}", **(headers or {})}
        text = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items() if v is not None)
        peer = self.connect(**more)
        peer.sendall(text.encode() + b"\r\n")
        return peer.makefile("rb")

    def answer(self, *arguments, **options):
        """(status, headers, body) of an answer that ends."""
        with self.request(*arguments, **options) as file:
            status, headers = self.head(file)
            return status, headers, file.read()

    def head(self, file):
        status = int(file.readline().split()[1])
        lines = iter(lambda: file.readline().decode().strip(), "")
        return status, dict(line.split(": ", 1) for line in lines)

    def events(self, file):
        """(name, object) of each event of a stream, to its end. The stream comes in chunks."""
        rest = b""
        while size := int(file.readline() or b"0", 16):
            rest += file.read(size)
            self.assertEqual(file.readline(), b"\r\n")
            *whole, rest = rest.split(b"\n\n")
            for event in whole:
                name, data = event.decode().split("\n")
                self.assertTrue(name.startswith("event: ") and data.startswith("data: "), event)
                yield name[7:], json.loads(data[6:])

    def stream(self, **options):
        file = self.request(**options)
        self.assertEqual(self.head(file)[0], 200)
        return self.events(file)

    def capture_from(self, *arguments):
        self.earshot("capture", "-q", "-d", f"{self.address},token-file={self.token_file}", *arguments)


class Numbers(Web):
    def test_the_sums_are_those_of_top(self):
        """Of each interval, and of all; and every record is in them."""
        shot = self.folder / "t.shot"
        server = self.serve()
        stream = self.stream()
        name, hello = next(stream)
        self.assertEqual((name, hello["protocol"], hello["interval"]), ("hello", 1, 1))
        self.assertIn("sort.elf", hello["device"])
        self.capture_from("--time", "record", "-o", shot)
        out, _ = self.earshot("top", "--json", "--every", "1000000000", "--rows", "50", "--elf", PROGRAMS / "sort.elf", shot)
        wanted = json.loads(out)
        records, intervals = 0, 0
        for name, data in stream:
            if name == "interval":
                records += data["records"]
                intervals += 1
                self.assertEqual(data["state"], "running")
            elif name == "total":
                self.assertEqual(data["records"], records, "the sum of the intervals")
                if records == wanted["records"]:
                    break
        for member in ("clocks", "traps", "interrupts", "gaps", "missing", "unknown_gaps", "events", "idle", "decoded",
                       "classes", "causes", "harts", "functions", "other_functions", "instructions",
                       "other_instructions", "limited"):
            self.assertEqual(data[member], wanted[member], member)
        self.assertEqual(data["capture"]["skipped"] + data["capture"]["dropped"], 0)
        self.assertEqual(data["functions"][0]["function"], wanted["functions"][0]["function"])
        self.assertTrue(any(row["path"] for row in data["instructions"]), "lines of the source are known")
        self.end(server)

    def test_the_end_is_an_event(self):
        server = self.serve()
        streams = [self.stream() for _ in range(3)]
        for stream in streams:
            self.assertEqual(next(stream)[0], "hello")
        server.send_signal(signal.SIGTERM)
        for stream in streams:
            self.assertEqual(list(stream)[-1], ("end", {"state": "ended"}))
        self.assertEqual(server.wait(timeout=60), 0)

    def test_names_are_text(self):
        program = self.folder / "endless.elf"
        endless_elf(program)
        for name in NAMES if NIGHT else NAMES[2:3]:
            with self.subTest(name[:40]):
                elf = odd_traces.write_elf(self.folder / "t.elf", [(name, 0x80000000, 0x10000)], base=0x80000000)
                server = self.serve("--elf", elf, "--elf-anyway", program=os.fspath(program))
                stream = self.stream()
                self.capture_from("--limit", "1000", "-o", self.folder / "t.shot")
                for event, data in stream:  # which finds no event that the server did not make
                    self.assertIn(event, ("hello", "client", "interval", "total"))
                    if event == "total" and data["records"]:
                        break
                found = data["functions"][0]["function"]
                self.assertTrue(name.startswith(found) and found or found == name, found[:80])
                self.end(server)


class Refused(Web):
    def test_who_gets_nothing(self):
        server = self.serve()
        own = f"127.0.0.1:{self.port}"
        for status, path, method, headers in (
                (401, "/events", "GET", {"Authorization": None}),
                (401, "/events", "GET", {"Authorization": "Bearer " + "0" * 32}),
                (401, "/events", "GET", {"Authorization": "Bearer "}),
                (401, "/events", "GET", {"Authorization": f"Bearer {self.token}0"}),
                (401, "/events", "GET", {"Authorization": f"Basic {self.token}"}),
                (401, "/events", "GET", {"Authorization": None, "Cookie": f"token={self.token}"}),
                (400, f"/events?token={self.token}", "GET", {"Authorization": None}),
                (400, "/?", "GET", {"Content-Length": "3"}),
                (400, "/events", "GET", {"host": own}),  # twice
                (403, "/events", "GET", {"Host": "rebound.example"}),
                (403, "/events", "GET", {"Host": f"rebound.example:{self.port}"}),
                (403, "/events", "GET", {"Host": "127.0.0.1.example"}),
                (403, "/events", "GET", {"Host": "127.0.0.1:80@rebound.example"}),
                (403, "/events", "GET", {"Host": "192.0.2.1"}),
                (403, "/", "GET", {"Host": "rebound.example"}),
                (403, "/events", "GET", {"Origin": "http://rebound.example"}),
                (403, "/events", "GET", {"Origin": "null"}),
                (403, "/events", "GET", {"Origin": f"https://{own}"}),
                (403, "/events", "GET", {"Origin": f"http://localhost:{self.port}"}),
                (403, "/events", "GET", {"Sec-Fetch-Site": "cross-site"}),
                (403, "/events", "GET", {"Sec-Fetch-Site": "same-site"}),
                (404, "/token", "GET", {}), (404, "/../token", "GET", {}), (404, "/events/", "GET", {}),
                *((405, "/events", method, {}) for method in ("POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH")),
                (405, "/", "TRACE", {})):
            with self.subTest((path, method, headers)):
                got, answered, body = self.answer(path, method, headers)
                self.assertEqual(got, status, body)
                self.assertEqual((answered["Cache-Control"], answered["Referrer-Policy"]), ("no-store", "no-referrer"))
                self.assertNotIn("Access-Control-Allow-Origin", answered)
                self.assertNotIn(self.token.encode(), body)
                self.assertEqual(answered.get("Allow"), "GET" if status == 405 else None)
        for headers in ({"Host": f"localhost:{self.port}"}, {"Host": "localhost"}, {"Host": "[::1]:80"},
                        {"Origin": f"http://{own}"}, {"Sec-Fetch-Site": "same-origin"}, {"host": None}):
            with self.subTest(headers):
                self.assertEqual(next(self.stream(headers=headers))[0], "hello")
        self.end(server)

    def test_long_headers(self):
        server = self.serve()
        for headers, path in (({"X-Long": "a" * 1000000}, "/events"), ({}, "/" + "a" * 100000),
                              ({f"X-{i}": "a" * 100 for i in range(5000)}, "/events")):
            try:
                status = self.answer(path, headers=headers)[0]
            except (ConnectionError, IndexError):  # it does not read on
                status = 0
            self.assertIn(status, (0, 400, 413, 414, 431))
        self.assertEqual(next(self.stream())[0], "hello")
        self.end(server)

    def test_without_a_token_or_a_port_there_is_no_page(self):
        arguments = ["serve", "-d", f"sim:{PROGRAMS / 'sort.elf'}", "--port", "0", "--web"]
        _, error = self.earshot(*arguments, status=2)
        self.assertIn("--web shows the trace to those who have the token, and there is none", error)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = str(taken.getsockname()[1])
            taken.listen()
            token = ["--token-file", self.folder / "token"]
            _, error = self.earshot(*arguments, *token, "--web-port", port, status=2)
            self.assertIn("cannot listen at 127.0.0.1", error)
            _, error = self.earshot(*arguments, *token, "--web-port", "65536", status=2)
            self.assertIn("'65536' is not a port number", error)
        _, error = self.earshot("serve", "-d", "sim:x", "--web-port", "1", status=2)
        self.assertIn("--web-port is for --web", error)

    def test_the_page_allows_itself_alone(self):
        server = self.serve()
        status, headers, body = self.answer("/", headers={"Authorization": None})
        if status == 503:
            self.end(server)
            self.skipTest("this build has no page")
        self.assertEqual(status, 200)
        policy = headers["Content-Security-Policy"]
        for tag in ("script", "style"):
            text, = re.findall(rb"<%s>(.*?)</%s>" % (tag.encode(), tag.encode()), body, re.S)
            digest = base64.b64encode(hashlib.sha256(text).digest()).decode()
            self.assertIn(f"{tag}-src 'sha256-{digest}';", policy)
        for rule in ("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'",
                     "base-uri 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"):
            self.assertIn(rule, policy)
        self.assertNotIn("unsafe", policy)
        self.assertNotIn(self.token.encode(), body)
        self.end(server)


class Crowds(Web):
    def test_a_hundred_silent_connections_keep_nobody_out(self):
        server = self.serve()
        silent = [self.connect() for _ in range(100)]
        for peer in silent[::2]:
            peer.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
        self.assertEqual(next(self.stream())[0], "hello")
        view, = [pid for pid in children(server.pid) if b"earshot-board" not in self.name_of(pid)
                 and b"earshot-names" not in self.name_of(pid)]
        wait_until(lambda: len(os.listdir(f"/proc/{view}/fd")) < 64)
        self.end(server)

    def name_of(self, pid):
        with open(f"/proc/{pid}/comm", "rb") as file:
            return file.read()

    def test_seventeen_are_too_many(self):
        server = self.serve()
        streams = [self.stream() for _ in range(16)]
        for stream in streams:
            next(stream)
        status, _, body = self.answer()
        self.assertEqual((status, b"16 is the limit" in body), (503, True))
        self.end(server)

    @night
    def test_who_does_not_read_misses_updates_and_learns_it(self):
        """The others, and a capture, do not wait for him."""
        server = self.serve()
        slow = self.request(window=4096)
        self.capture_from("-o", self.folder / "t.shot")
        sizes = 0
        for _, data in self.stream():
            sizes += len(json.dumps(data))
            if sizes > 300000:  # more than the sockets hold
                break
        self.assertEqual(self.head(slow)[0], 200)
        numbers, skipped = [], 0
        for name, data in self.events(slow):
            if name == "client":
                skipped = data["skipped"]
            elif name == "interval":
                numbers.append(data["interval"])
                if skipped:
                    break
        self.assertEqual(numbers[-1] - numbers[0] + 1, len(numbers) + skipped)
        self.end(server)


class Sandbox(Web):
    @unittest.skipIf(os.environ.get("EARSHOT_SANDBOX") == "off", "it is off")
    def test_the_view_has_given_up_its_rights(self):
        server = self.serve()
        next(self.stream())
        if "seccomp" not in self.earshot("doctor", status=None)[0]:
            self.skipTest("no seccomp here")
        states = []
        for pid in children(server.pid):
            with open(f"/proc/{pid}/status", encoding="ascii") as file:
                seen = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
            if seen["Name"] == "earshot":
                states.append((seen["Seccomp"], seen["NoNewPrivs"]))
        self.assertEqual(states, [("2", "1")])
        self.end(server)

    def view_of(self, server):
        """Its only child that is earshot: the board is that, too, until it has begun."""
        found = []
        while len(found) != 1:
            found = [pid for pid in children(server.pid)
                     if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(EARSHOT)]
        return found[0]

    def test_a_view_that_is_killed_ends_nothing_else(self):
        server = self.serve()
        os.kill(self.view_of(server), signal.SIGKILL)
        self.capture_from("--limit", "500", "-o", self.folder / "t.shot")
        self.assertIn("the view has ended; the device is served as before", self.end(server, status=2))


if __name__ == "__main__":
    main()
