#!/usr/bin/env python3
"""A device for others, and the ways in which they do not get it: addresses, ports, silence, signals."""
import os
import pathlib
import re
import resource
import signal
import socket
import stat
import subprocess
import threading
import time

from support import EARSHOT, NIGHT, PROGRAMS, Case, children, endless_elf, main, records, some, wait_until


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
        for device, message in (("tcp:127.0.0.1:65537", "a port number is at most 65535"),
                                (f"tcp:127.0.0.1:{port}", "Connection refused"),
                                ("tcp:127.0.0.1", "no host and port given (tcp:HOST:PORT)"),
                                ("tcp:", "tcp: no host and port given"),
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
                    self.assertIn(b"interrupted while it was being opened", error)
                    self.assertLess(time.monotonic() - begin, 4, "it waited for the other side all the same")
                    self.assertFalse(self.shot.exists())

    def connections(self, address, count):
        """Connections that say nothing."""
        host, port = address[4:].rsplit(":", 1)
        silent = []
        for _ in range(count):
            silent.append(socket.create_connection((host, int(port))))
            self.addCleanup(silent[-1].close)
        return silent

    def test_many_captures_one_after_another(self):
        self.board = f"sim:{PROGRAMS / ('sort' if NIGHT else 'tohost')}.elf,unit=raw,uart=/dev/null"
        token = self.folder / "token"
        server, address = self.serve("--token-file", token)
        device = f"{address},token-file={token}"
        for number in range(4):
            shot = self.folder / f"{number}.shot"
            self.earshot("capture", "-q", "-d", device, "-o", shot)
            info = self.info(shot)
            self.assertEqual((info["complete"], info["end_reason"]), ("yes", "program ended"))
            self.assertEqual(info["records"], info["retired"])
        self.assertEqual(info["records"], self.info(self.folder / "0.shot")["records"])
        self.assertIn("ended", self.end(server))

    def test_clients_that_vanish_in_the_middle(self):
        endless_elf(self.folder / "endless.elf")
        token = self.folder / "token"
        for program, last in some((self.folder / "endless.elf", ["--limit", "5000"]), (PROGRAMS / "sort.elf", [])):
            self.board = f"sim:{program},unit=raw,uart=/dev/null"
            server, address = self.serve("--token-file", token)
            device = f"{address},token-file={token}"
            for number in range(2):
                shot = self.folder / f"killed{number}.shot"
                end = time.monotonic() + 30
                while not shot.exists():  # the one before may not have been missed yet: it is refused
                    self.assertLess(time.monotonic(), end)
                    process = self.start("capture", "-d", device, "-o", shot)
                    wait_until(lambda: shot.exists() and shot.stat().st_size > 0 or process.poll() is not None)
                    process.kill()
                    process.communicate()
                shot.unlink()
            # The one before may not have been missed yet, and the program may end just now.
            end = time.monotonic() + 30
            while subprocess.run([EARSHOT, "capture", "-q", "-d", device, "-o", self.shot, *last],
                                 capture_output=True, timeout=60).returncode != 0:
                self.assertLess(time.monotonic(), end, "no capture succeeds any more")
                self.assertIsNone(server.poll(), "the server has ended")
            info = self.info(self.shot)
            if last:
                self.assertEqual(info["records"], 5000)
            else:
                self.assertEqual(info["complete"], "yes")
            self.end(server)

    def test_silent_clients_and_no_descriptors_do_not_lock_out_the_controller(self):
        token = self.folder / "token"
        for limit in (None, 16):  # open files: the server's own are about eight
            with self.subTest(limit):
                def restrict():
                    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
                server = subprocess.Popen(
                    [EARSHOT, "serve", "-d", self.board, "--port", "0", "--token-file", token],
                    stderr=subprocess.PIPE, preexec_fn=restrict if limit else None)
                self.addCleanup(server.kill)
                address = re.search(r" at (tcp:\S+:\d+);", server.stderr.readline().decode()).group(1)
                silent = self.connections(address, 40)

                def seconds():
                    fields = pathlib.Path(f"/proc/{server.pid}/stat").read_text().rsplit(")", 1)[1].split()
                    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                before = seconds()
                time.sleep(0.5)
                self.assertLess(seconds() - before, 0.2, "the server spins")
                self.earshot("capture", "-q", "-d", f"{address},token-file={token}", "--limit", "500",
                             "-o", self.shot)
                self.assertEqual(self.info(self.shot)["records"], 500)
                for connection in silent:
                    connection.close()
                error = self.end(server)
                self.assertIn("was evicted: too many connections", error)
                self.assertEqual(error.count("cannot accept a connection: Too many open files"), 1 if limit else 0)

    def test_silent_clients_that_come_again_do_not_lock_out_the_controller(self):
        """20 of its own address, as all have behind an SSH tunnel, each of which connects again when it is evicted."""
        token, ended = self.folder / "token", threading.Event()
        server, address = self.serve("--token-file", token)
        host, port = address[4:].rsplit(":", 1)

        def be_silent():
            while not ended.is_set():
                try:
                    with socket.create_connection((host, int(port)), timeout=20) as connection:
                        while connection.recv(64):
                            pass
                except OSError:
                    pass
        clients = [threading.Thread(target=be_silent) for _ in range(20)]
        for client in clients:
            client.start()
        try:
            for _ in range(4):
                self.earshot("capture", "-q", "-d", f"{address},token-file={token}", "--limit", "500",
                             "-o", self.shot)
                self.assertEqual(self.info(self.shot)["records"], 500)
        finally:
            ended.set()
            error = self.end(server)
            for client in clients:
                client.join()
        self.assertIn("was evicted: too many connections", error)

    def test_the_token_is_in_no_environment(self):
        os.environ["EARSHOT_TOKEN"] = "a-token-of-the-test"
        self.addCleanup(os.environ.pop, "EARSHOT_TOKEN", None)
        server, address = self.serve()
        wait_until(lambda: children(server.pid))
        endless_elf(self.folder / "endless.elf")
        capture = self.start("capture", "-d", f"sim:{self.folder}/endless.elf,unit=raw,uart=/dev/null", "-o", self.shot)
        wait_until(lambda: children(capture.pid))
        processes = [server.pid, *children(server.pid), capture.pid, *children(capture.pid)]
        self.assertEqual(len(processes), 4)
        for pid in processes:
            # A process that has just been started may still show what was there before.
            self.assertNotIn(b"a-token-of-the-test", pathlib.Path(f"/proc/{pid}/environ").read_bytes(), pid)
        os.kill(capture.pid, signal.SIGINT)
        capture.communicate(timeout=60)
        # And it is the token all the same.
        self.earshot("capture", "-q", "-d", address, "--limit", "500", "-o", self.folder / "b.shot")
        os.environ["EARSHOT_TOKEN"] = "another-token"
        self.assertIn("that is not the token", self.refused("capture", "-d", address, "-o", self.shot))
        self.end(server)

    def test_a_token_file_that_others_can_read_is_refused(self):
        token = self.folder / "token"
        server, address = self.serve("--token-file", token)
        self.assertEqual(stat.S_IMODE(token.stat().st_mode), 0o600)
        token.chmod(0o644)
        sentence = f"{token}: the token's file is open to other users (mode 0644); close it: chmod 600 {token}"
        self.assertIn(sentence, self.refused("capture", "-d", f"{address},token-file={token}", "-o", self.shot))
        self.assertIn(sentence, self.refused("serve", "-d", self.board, "--port", "0", "--token-file", token))
        self.assertFalse(self.shot.exists())
        self.end(server)


if __name__ == "__main__":
    main()
