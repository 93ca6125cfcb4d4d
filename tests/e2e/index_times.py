"""Changes the times of the trace that an index records (docs/index.md, sections 3 and 5): an index that takes its
trace for one that nobody wrote to. No command can make such a trace, so tests of what an index believes do."""
import struct
import subprocess

TRAILER = 64
TIMES = 8  # offset in the directory, which begins with the identity


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def zstd(*arguments, data):
    return subprocess.run(["zstd", "-q", "-c", *arguments], input=data, capture_output=True, check=True).stdout


def forge_times(index, trace):
    """Let the index say that the trace is as it was when the index was made."""
    data = index.read_bytes()
    offset, size, unpacked = struct.unpack_from("<QII", data, len(data) - TRAILER)
    directory = bytearray(zstd("-d", data=data[offset:offset + size]))
    assert len(directory) == unpacked
    status = trace.stat()
    struct.pack_into("<QQ", directory, TIMES, status.st_mtime_ns, status.st_ctime_ns)
    packed = zstd("--check", f"--stream-size={unpacked}", data=bytes(directory))
    trailer = bytearray(data[-TRAILER:])
    struct.pack_into("<I", trailer, 8, len(packed))
    struct.pack_into("<Q", trailer, 32, offset + len(packed) + TRAILER)
    struct.pack_into("<I", trailer, 52, crc32c(trailer[:52]))
    index.write_bytes(data[:offset] + packed + trailer)
