"""A trace that is another one at the same size, for tests of an index that is older than its trace."""


def changed(data, is_text, chance):
    """The same size: a bit, a digit, or two lines that change places."""
    data = bytearray(data)
    at = chance.randrange(len(data))
    if not is_text:
        data[at] ^= 1 << chance.randrange(8)
        return bytes(data)
    if chance.randrange(4) == 0:
        first = data.rfind(b"\n", 0, at) + 1
        lines = data[first:first + 4000].split(b"\n")[:2]
        if len(lines) == 2 and lines[0] != lines[1]:
            data[first:first + len(lines[0]) + 1 + len(lines[1])] = lines[1] + b"\n" + lines[0]
            return bytes(data)
    while not chr(data[at]).isdigit():
        at = (at + 1) % len(data)
    data[at] = ord("0") + (data[at] - ord("0") + chance.randrange(1, 10)) % 10
    return bytes(data)
