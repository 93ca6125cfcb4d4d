#!/usr/bin/env python3
"""Who wrote an address last, and how did the program get there?

    who_wrote.py TRACE ADDRESS [NUMBER]

ADDRESS is a number or a name of the program that the capture names ("seldom", "box.handler",
"table+8"). Asked is for the last write before the instruction of this number, or before the end.
"""
from __future__ import annotations

import sys

import earshot


def main() -> None:
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: who_wrote.py TRACE ADDRESS [NUMBER]")
    with earshot.open(sys.argv[1]) as trace, earshot.Names() as names:
        trace.add_program(names)
        address = names.address(sys.argv[2])
        end = trace.counts().records
        if len(sys.argv) == 4:
            trace.seek_number(int(sys.argv[3]))
            end = trace.position
        position = trace.find_before(earshot.Query(write=address), end)
        if position is None:
            sys.exit(f"nothing wrote {sys.argv[2]} before")
        record = trace.record_at(position)
        text = earshot.Instructions().text(record)
        print(f"instruction {record.number}: {text}  [{record.address:#x}] = {record.data:#x}")
        with trace.moment(position + 1) as moment:
            for frame in moment.stack():
                pc = record.pc if frame.pc is None else frame.pc
                print(f"  {frame.kind.name.lower():9} {names.text(pc) or hex(pc)}")


if __name__ == "__main__":
    main()
