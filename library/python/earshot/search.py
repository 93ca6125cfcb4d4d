"""What is searched for."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Union

from ._base import ffi, lib, new_sized
from .record import Kind, Privilege, RegisterClass

#: One address, a range of them (its end is not included), or several of either. An Address of
#: :meth:`Names.address` is one, too.
Addresses = Union[int, range, Iterable[Union[int, range]]]
#: One of an enum, or several.
Kinds = Union[Kind, Iterable[Kind]]
Privileges = Union[Privilege, Iterable[Privilege]]
#: A name ("sp", "x2", "fa0", "mstatus"), or a class and a number.
Register = Union[str, "tuple[RegisterClass, int]"]


def spans(addresses: Addresses) -> list[tuple[int, int]]:
    """First and last of each range."""
    if isinstance(addresses, int):
        return [(addresses, addresses)]
    if isinstance(addresses, str):
        raise TypeError(f"'{addresses}' is a name: Names.address says where it is")
    if isinstance(addresses, range):
        if addresses.step != 1 or not addresses:
            raise ValueError("a range of addresses has a step of 1 and is not empty")
        return [(addresses.start, addresses.stop - 1)]
    return [span for each in addresses for span in spans(each)]


def span_array(addresses: Addresses) -> tuple[Any, int]:
    found = spans(addresses)
    return ffi.new("struct ear_span[]", found), len(found)


def find_register(register: Register) -> tuple[int, int]:
    """The class and the number of a register."""
    if not isinstance(register, str):
        return int(register[0]), register[1]
    reg_class, number = ffi.new("enum ear_register_class *"), ffi.new("unsigned *")
    if lib.ear_register_find(register.encode(), reg_class, number) < 0:
        raise ValueError(f"'{register}' is no register")
    return int(reg_class[0]), int(number[0])


def register_name(reg_class: RegisterClass, number: int) -> str:
    """The name of a register as programs have it: "sp", "ft0", "mstatus"."""
    text = ffi.new("char[64]")
    lib.ear_register_name(int(reg_class), number, text, 64)
    return str(ffi.string(text).decode())


def bit_set(values: int | Iterable[int]) -> int:
    if isinstance(values, int):
        return 1 << values
    result = 0
    for value in values:
        result |= 1 << value
    return result


class Query:
    """Conditions on a record; all that are given must hold (earshot/search.h).

    pc: the instruction's address. opcode: its bits, or bits and a mask.
    read, write, access: an access to one of these addresses; True: to any.
    data: the value of that access, or value and mask.
    register: it was written, with value if that is given; named: the same for registers of other
    instruction sets, by name.
    trap, interrupt: the instruction trapped, an interrupt was taken; both: either.
    event: its name or the number of its source; True: any. gap: records are missing here.
    ticks: its time is known, and one of these, both ends included.
    """

    def __init__(self, *, pc: Addresses | None = None, opcode: int | tuple[int, int] | None = None,
                 read: Addresses | bool = False, write: Addresses | bool = False,
                 access: Addresses | bool = False, data: int | tuple[int, int] | None = None,
                 register: Register | None = None, named: str | None = None,
                 value: int | None = None, hart: int | None = None, kinds: Kinds | None = None,
                 privilege: Privileges | None = None, privilege_change: bool = False,
                 trap: bool = False, interrupt: bool = False, cause: int | None = None,
                 event: str | int | bool = False, event_value: int | None = None,
                 gap: bool = False, ticks: tuple[int, int] | None = None) -> None:
        self._keep: list[Any] = []
        query = new_sized("struct ear_query")
        query.hart = -1 if hart is None else hart
        self.struct = query
        if pc is not None:
            query.pcs, query.pc_count = self._spans(pc)
        if opcode is not None:
            bits, mask = opcode if isinstance(opcode, tuple) else (opcode, (1 << 64) - 1)
            query.opcode_value, query.opcode_mask = bits, mask
        self._set_access(read, write, access)
        if data is not None:
            query.has_data = True
            query.data, query.data_mask = data if isinstance(data, tuple) else (data, (1 << 64) - 1)
        self._set_register(register, named, value)
        wanted = bit_set(kinds) if kinds is not None else 0
        if gap:
            wanted |= 1 << Kind.GAP
        if privilege is not None:
            query.privileges = bit_set(privilege)
        query.privilege_change = privilege_change
        query.traps = ((lib.EAR_QUERY_EXCEPTION if trap else 0) |
                       (lib.EAR_QUERY_INTERRUPT if interrupt else 0))
        if cause is not None:
            query.has_cause, query.cause = True, cause
        if event is not False or event_value is not None:
            wanted |= 1 << Kind.EVENT
        if event is not False and event is not True:
            self._set_event(event)
        if event_value is not None:
            query.has_event_value, query.event_value = True, event_value
        if ticks is not None:
            query.has_ticks = True
            query.first_ticks, query.last_ticks = ticks
        query.kinds = wanted

    def _spans(self, addresses: Addresses) -> tuple[Any, int]:
        array, count = span_array(addresses)
        if count == 0:
            raise ValueError("no addresses")
        self._keep.append(array)
        return array, count

    def _set_access(self, read: Addresses | bool, write: Addresses | bool,
                    access: Addresses | bool) -> None:
        given = [(where, kind) for where, kind in ((read, lib.EAR_QUERY_READ),
                                                   (write, lib.EAR_QUERY_WRITE),
                                                   (access, 0)) if where is not False]
        if not given:
            return
        if len(given) > 1:
            raise ValueError("one of read, write and access")
        where, kind = given[0]
        self.struct.accesses = kind or lib.EAR_QUERY_READ | lib.EAR_QUERY_WRITE
        if where is not True:
            self.struct.addresses, self.struct.address_count = self._spans(where)

    def _set_register(self, register: Register | None, named: str | None,
                      value: int | None) -> None:
        query = self.struct
        if register is not None:
            query.has_register = True
            query.register_class, query.register_number = find_register(register)
        elif named is not None:
            text = named.encode()
            chars = ffi.new("char[]", text)
            self._keep.append(chars)
            query.has_register = True
            query.register_class = lib.EAR_REGISTER_NAMED
            query.register_name.text, query.register_name.size = chars, len(text)
        elif value is not None:
            raise ValueError("a value of which register?")
        if value is not None:
            query.has_value, query.register_value = True, value

    def _set_event(self, event: str | int) -> None:
        name = ffi.new("char[]", str(event).encode())
        self._keep.append(name)
        if lib.ear_query_event(self.struct, name) < 0:
            raise ValueError(f"'{event}' is no event")
