#!/usr/bin/env python3
"""A device for others, and the ways in which they do not get it: addresses, ports, silence, signals."""
import re
import signal
import socket
import time

from support import PROGRAMS, Case, main, records


class Serve(Case):
    def setUp(self):
        super().setUp()
        self.shot = self.folder / "t.shot"
        self.board = f"sim:{PROGRAMS / 'sort.elf'},unit=raw,uart=/dev/null"

    def serve(self, *arguments):
        """Returns the server and its address."""
        server = self.start("serve", "-d", self.board, "--port", "0", *arguments)
        return server, re.search(r" at (tcp:\S+:\d+);", server.stderr.readline().decode()).group(1)

    def end(self, server, number=signal.SIGTERM):
        server.send_signal(number)
        _, error = server.communicate(timeout=60)
        self.assertEqual(server.returncode, 0, error)
        return error.decode()

    def refused(self, *arguments):
        return self.earshot(*arguments, status=2)[1]

    def test_what_was_served_is_told_at_the_end(self):
        token = self.folder / "token"
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            server, address = self.serve("--token-file", token)
            self.earshot("selftest", "-q", "--seconds", "0.1", f"{address},token-file={token}")
            error = self.end(server, number)
            self.assertGreater(int(re.search(r"(\d+) bytes came from the device", error).group(1)), 5000)
            self.assertIn("ended", error)

    def test_ipv6(self):
        token = self.folder / "token"
        try:
            server, address = self.serve("--listen", "::1", "--token-file", token)
        except AttributeError:
            self.skipTest("this machine has no IPv6")
        self.assertTrue(address.startswith("tcp:[::1]:"), address)
        self.earshot("capture", "-q", "-d", f"{address},token-file={token}", "--limit", "500", "-o", self.shot)
        self.assertEqual(len(records(self.decode(self.shot))), 500)
        self.end(server)

    def test_ports_and_addresses_that_cannot_be(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            for arguments, message in ((["--port", port], "cannot listen: Address already in use"),
                                       (["--port", "65536"], "port 65536"),
                                       (["--port", "x"], "port x"),
                                       (["--listen", "192.0.2.1"], "cannot listen"),
                                       (["--listen", "nobody"], "nobody")):
                with self.subTest(arguments):
                    self.assertIn(message, self.refused("serve", "-d", self.board, "--port", "0", *arguments))
        for device, message in (("tcp:127.0.0.1:65537", "a port is at most 65535"),
                                (f"tcp:127.0.0.1:{port}", "Connection refused"),
                                ("tcp:127.0.0.1", "where to? (tcp:HOST:PORT)"),
                                ("tcp:", "tcp: where to?"),
                                ("tcp:nobody.invalid:1", "tcp:nobody.invalid:1: ")):
            with self.subTest(device):
                self.assertIn(message, self.refused("capture", "-d", device, "-o", self.shot))
                self.assertFalse(self.shot.exists())

    def test_an_answer_with_escapes_is_not_shown_as_it_is(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            process = self.start("capture", "-d", "tcp:127.0.0.1:%d" % other.getsockname()[1], "-o", self.shot)
            peer, _ = other.accept()
            peer.sendall(b"NO \x1b]0;mine\x07\xff go away\n")
            _, error = process.communicate(timeout=60)
            peer.close()
        self.assertEqual(process.returncode, 2)
        self.assertIn(b"the other side says: ?]0;mine?? go away", error)

    def test_an_interrupt_while_the_other_side_is_silent(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            device = "tcp:127.0.0.1:%d" % silent.getsockname()[1]
            for command in (["capture", "-d", device, "-o", self.shot], ["selftest", device],
                            ["load", "-d", device, PROGRAMS / "sort.elf"], ["serve", "-d", device, "--port", "0"]):
                with self.subTest(command[0]):
                    process = self.start(*command)
                    peer, _ = silent.accept()
                    peer.recv(100)  # the greeting; it waits for ours now
                    begin = time.monotonic()
                    process.send_signal(signal.SIGINT)
                    _, error = process.communicate(timeout=60)
                    peer.close()
                    self.assertEqual(process.returncode, 2, error)
                    self.assertIn(b"interrupted while it was opened", error)
                    self.assertLess(time.monotonic() - begin, 4, "it waited for the other side all the same")
                    self.assertFalse(self.shot.exists())


if __name__ == "__main__":
    main()
