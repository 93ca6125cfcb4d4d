"""A Slurm of two nodes on this machine, in a folder of its own: no root, no service, nothing left behind.

The test's process is the parent of all daemons, and of the steps that outlive them; so what it started it also ends.
"""
import ctypes
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

NODES = ("n1", "n2")
SET_PARENT_DEATH_SIGNAL, SET_CHILD_SUBREAPER = 1, 36  # prctl(2)
LIBC = ctypes.CDLL(None)

CONFIGURATION = """\
ClusterName=earshot
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
SlurmctldTimeout=5
SlurmdTimeout=2
MessageTimeout=5
KillWait=1
CompleteWait=0
ReturnToService=2
GresTypes=board
NodeName=n1 NodeAddr=127.0.0.1 NodeHostname={host} Port={ports[1]} CPUs=2 RealMemory=500 Gres=board:1
NodeName=n2 NodeAddr=127.0.0.1 NodeHostname={host} Port={ports[2]} CPUs=2 RealMemory=500 Gres=board:1
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def is_there():
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return all(shutil.which(name, path=path) for name in ("slurmctld", "slurmd", "sbatch", "squeue"))


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def processes_below(process):
    """All that live and descend from a process."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            state, parent = pathlib.Path(f"/proc/{name}/stat").read_text().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue
        if state != "Z":
            children.setdefault(int(parent), []).append(int(name))
    found, todo = [], [process]
    while todo:
        new = children.get(todo.pop(), [])
        found += new
        todo += new
    return found


class Slurm:
    def __init__(self, folder):
        LIBC.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.folder = pathlib.Path(folder)
        for name in ("state", "spool.n1", "spool.n2"):
            (self.folder / name).mkdir(parents=True)
        configuration = self.folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(host=socket.gethostname().split(".")[0], folder=self.folder,
                                                      user=getpass.getuser(), ports=free_ports(3)))
        others = ("SLURM_", "SBATCH_", "SQUEUE_")
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(others)}
        self.environment["SLURM_CONF"] = str(configuration)
        self.environment["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
        self.daemons = {}

    def begin(self, name, *arguments):
        log = open(self.folder / f"{name}.out", "ab")
        self.daemons[name] = subprocess.Popen(
            [*arguments, "-D", "-f", self.folder / "slurm.conf"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=self.environment, start_new_session=True,
            preexec_fn=lambda: LIBC.prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0))
        log.close()

    def begin_controller(self):
        self.begin("slurmctld", "slurmctld")

    def begin_node(self, node):
        self.begin(node, "slurmd", "-N", node)

    def start(self):
        self.begin_controller()
        for node in NODES:
            self.begin_node(node)
        idle = {f"{node} idle" for node in NODES}
        self.wait(lambda: set(self.run("sinfo", "-h", "-N", "-o", "%N %T").splitlines()) == idle, "two idle nodes")

    def run(self, *arguments):
        return subprocess.run(arguments, env=self.environment, capture_output=True, text=True, timeout=60,
                              check=False).stdout

    def wait(self, condition, what, limit=120):
        end = time.monotonic() + limit
        while not condition():
            if time.monotonic() > end:
                logs = "\n".join(path.read_text(errors="replace")[-2000:] for path in sorted(self.folder.glob("*.log")))
                raise TimeoutError(f"{what}\n{logs}")
            time.sleep(0.05)

    def kill(self, name):
        process = self.daemons.pop(name)
        process.kill()
        process.wait()

    def crash(self, node):
        """The machine is gone: its daemon, and the steps on it with all that they run, at once."""
        daemon = self.daemons[node].pid
        lost = {daemon}
        for process in processes_below(os.getpid()):
            try:
                variables = pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
                if b"SLURMD_NODENAME=" + node.encode() in variables:
                    lost.add(process)
                    parent = int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
                    if pathlib.Path(f"/proc/{parent}/comm").read_text().startswith("slurmstepd"):
                        lost.add(parent)
            except OSError:
                continue
        for number in (signal.SIGSTOP, signal.SIGKILL):  # none lives long enough to say that another one died
            for process in lost:
                try:
                    os.kill(process, number)
                except OSError:
                    pass
        self.daemons.pop(node).wait()

    def stop(self):
        self.run("scancel", f"--user={getpass.getuser()}")
        for name in (*NODES, "slurmctld"):
            process = self.daemons.pop(name, None)
            if process:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        for process in processes_below(os.getpid()):
            if pathlib.Path(f"/proc/{process}/comm").exists() and \
                    pathlib.Path(f"/proc/{process}/comm").read_text().startswith(("slurm", "earshot", "sh")):
                os.kill(process, signal.SIGKILL)
        while True:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                break
