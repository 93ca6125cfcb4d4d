"""A small virtual machine: Debian's kernel, an initial file system made here, QEMU without KVM.

Everything is made below one folder and kept for the next time: the kernel's package is downloaded once
and not installed. Nothing here needs root.
"""
import lzma
import os
import pathlib
import re
import shutil
import stat
import subprocess

# In the order in which they are loaded.
MODULES = [
    "drivers/usb/common/usb-common",
    "drivers/usb/core/usbcore",
    "drivers/usb/host/xhci-hcd",
    "drivers/usb/host/xhci-pci",
    "drivers/usb/serial/usbserial",
    "drivers/usb/serial/ftdi_sio",
]


class KernelMissing(Exception):
    """Debian's kernel could not be had; the text says why and what to do."""


# -- The kernel --

def run_apt(command, *arguments, cwd=None):
    return subprocess.run([command, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


def own_lists(folder):
    """Options with which apt uses lists of its own: the system's may be old, or nobody has made them."""
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return ["-o", f"Dir::State::lists={folder}/lists", "-o", f"Dir::Cache={folder}/cache", "-o", "APT::Sandbox::User=root"]


def try_download(folder, options):
    """The package that linux-image-amd64 depends on today, in the folder. Returns (path, what went wrong)."""
    depends = run_apt("apt-cache", *options, "depends", "linux-image-amd64")
    names = re.findall(r"Depends: (linux-image-\S+)", depends.stdout)
    if not names:
        return None, f"apt-cache knows no linux-image-amd64 {depends.stderr.strip()}"
    result = run_apt("apt-get", *options, "download", names[0], cwd=folder)
    packages = sorted(folder.glob(f"{names[0]}_*.deb"))
    if result.returncode or not packages:
        return None, f"apt-get download {names[0]}: {result.stderr.strip()}"
    return packages[-1], ""


def download(folder):
    given = os.environ.get("EARSHOT_VM_KERNEL")
    if given:
        return pathlib.Path(given)
    package, problem = try_download(folder, [])
    if not package:
        options = own_lists(folder)
        updated = run_apt("apt-get", *options, "update")
        package, again = try_download(folder, options)
        if not package:
            raise KernelMissing(f"Debian's kernel package cannot be downloaded:\n  {problem}\n  {again}\n"
                                f"  apt-get update: {(updated.stderr or updated.stdout).strip()[-500:]}\n"
                                "With the package at hand, name it: EARSHOT_VM_KERNEL=/path/to/linux-image-....deb; "
                                "without it, leave this stage out: scripts/test --no-vm")
    return package


def unpack(package, folder):
    """vmlinux and the modules out of the package."""
    tree = folder / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    wanted = [f"./lib/modules/*/kernel/{module}.ko" for module in MODULES] + ["./boot/vmlinuz-*"]
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as archive:
        subprocess.run(["tar", "-x", "-f", "-", "-C", tree, "--wildcards", *wanted], stdin=archive.stdout, check=True)
    for module in MODULES:
        found, = tree.glob(f"lib/modules/*/kernel/{module}.ko")
        found.rename(folder / found.name)
    # QEMU starts the kernel's own ELF file twice as fast as the one that has to unpack itself.
    compressed = next(tree.glob("boot/vmlinuz-*")).read_bytes()
    vmlinux = lzma.LZMADecompressor().decompress(compressed[compressed.index(b"\xfd7zXZ\0"):])
    assert vmlinux.startswith(b"\x7fELF")
    (folder / "vmlinux").write_bytes(vmlinux)
    shutil.rmtree(tree)


def fetch_kernel(folder):
    """A folder with vmlinux and the modules."""
    if not (folder / "complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        package = download(folder)
        unpack(package, folder)
        (folder / "complete").write_text(package.name + "\n")
    return folder


# -- What a module is built with --

def download_headers(package, folder):
    """The headers for this kernel package, from Debian or from where the package is. Returns their packages."""
    release, version = re.match(r"linux-image-(.*)_(.*)_", package).groups()
    series, flavour = re.match(r"(\d+\.\d+)\.\d+-\d+(.*)", release).groups()
    release = release.removesuffix("-unsigned")
    common = release.removesuffix(flavour) + "-common"
    names = [f"linux-headers-{release}", f"linux-headers-{common}", f"linux-kbuild-{series}"]
    given = os.environ.get("EARSHOT_VM_KERNEL")
    problem = ""
    if not given:
        wanted = [f"{name}={version}" for name in names]
        for options in ([], own_lists(folder)):
            if options:
                run_apt("apt-get", *options, "update")
            result = run_apt("apt-get", *options, "download", *wanted, cwd=folder)
            problem = result.stderr.strip()
            if not result.returncode:
                break
    place = pathlib.Path(given).parent if given else folder
    packages = [found for name in names for found in place.glob(f"{name}_{version.split('%3a')[-1]}_*.deb")]
    if len(packages) != len(names):
        advice = "put the three packages there" if given else f"{problem}\n  scripts/test --no-vm leaves this stage out"
        raise KernelMissing(f"the headers of {package} are not in {place}: {', '.join(names)}, version {version}\n  {advice}")
    return packages


def unpack_headers(packages, folder):
    """Debian's headers name /usr/src, where they are not installed. Returns the folder for make -C."""
    for package in packages:
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    tops = [path.parent for path in folder.glob("usr/src/*/Module.symvers")]
    for top in tops:
        makefile = top / "Makefile"
        makefile.write_text(makefile.read_text().replace("/usr/src/", f"{folder}/usr/src/"))
    return tops[0]


def fetch_kernel_and_headers(folder):
    """(the folder of fetch_kernel, the folder of its headers). Both anew if Debian has a newer kernel by now."""
    fetch_kernel(folder)
    headers = folder / "headers"
    done = headers / "complete"
    if not done.exists() or not done.read_text().startswith(f"{headers}/"):  # the build folder may have been moved
        shutil.rmtree(headers, ignore_errors=True)
        headers.mkdir()
        try:
            packages = download_headers((folder / "complete").read_text().strip(), headers)
        except KernelMissing:
            if os.environ.get("EARSHOT_VM_KERNEL"):
                raise
            shutil.rmtree(folder)
            fetch_kernel(folder)
            headers.mkdir()
            packages = download_headers((folder / "complete").read_text().strip(), headers)
        done.write_text(str(unpack_headers(packages, headers)) + "\n")
    return folder, done.read_text().strip()


# -- The initial file system --

def add_entry(out, name, mode, data=b""):
    """One file of a cpio archive, format newc."""
    header = "070701" + "%08X" * 13 % (len(out) + 1, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    out += header.encode() + name.encode() + b"\0"
    out += bytes(-len(out) % 4)
    out += data
    out += bytes(-len(out) % 4)


def libraries(program):
    """The shared libraries of a program, the loader as well."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    if "not found" in text:
        raise RuntimeError(f"{program} misses a library:\n{text}")
    return re.findall(r"(/\S+) \(0x", text)


def make_initial(files, kernel):
    """An archive with busybox, the modules and the files, {name in the guest: path or bytes}."""
    files = {**files, "bin/busybox": shutil.which("busybox"), "modules/order": "".join(
        f"{module.rsplit('/')[-1]}.ko\n" for module in MODULES).encode()}
    for module in MODULES:
        name = module.rsplit("/")[-1] + ".ko"
        files["modules/" + name] = kernel / name
    for path in list(files.values()):
        if not isinstance(path, bytes) and pathlib.Path(path).read_bytes()[:4] == b"\x7fELF" and os.access(path, os.X_OK):
            for library in libraries(path) if is_dynamic(path) else []:
                files[library.lstrip("/")] = library
    out = bytearray()
    folders = {str(parent) for name in files for parent in pathlib.PurePath(name).parents} | {"proc", "sys", "dev", "tmp"}
    for folder in sorted(folders - {"."}):
        add_entry(out, folder, stat.S_IFDIR | 0o755)
    for name, content in sorted(files.items()):
        data = content if isinstance(content, bytes) else pathlib.Path(content).read_bytes()
        add_entry(out, name, stat.S_IFREG | 0o755, data)
    add_entry(out, "TRAILER!!!", 0)
    return bytes(out)


def is_dynamic(path):
    """Has the program an interpreter? Debian's busybox-static has none, and ldd says so with status 1."""
    return subprocess.run(["ldd", path], capture_output=True, check=False).returncode == 0


# -- The machine --

def start(folder, kernel, initial, sockets, cpus=1, extra=()):
    """Start QEMU: the console in folder/console.log, the second serial port in folder/results.tar."""
    initial_path = folder / "initial.cpio"
    initial_path.write_bytes(initial)
    command = ["qemu-system-x86_64", "-accel", "tcg", "-machine", "pc", "-m", "256", "-smp", str(cpus), "-nodefaults",
               "-no-user-config", "-display", "none", "-no-reboot", "-kernel", kernel / "vmlinux", "-initrd", initial_path,
               "-append", "console=ttyS0 loglevel=2 panic=-1 mitigations=off nokaslr",
               "-serial", f"file:{folder}/console.log", "-serial", f"file:{folder}/results.tar", "-device", "qemu-xhci,id=xhci"]
    for number, path in enumerate(sockets):
        command += ["-chardev", f"socket,id=usb{number},path={path}", "-device", f"usb-redir,chardev=usb{number},bus=xhci.0"]
    command += extra
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
