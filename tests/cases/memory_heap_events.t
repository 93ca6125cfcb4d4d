'memory --heap' takes events of the heap, as stores of the emulator's -memcheck make them.

  $ cat > make.py <<'END'
  > import json, sys
  > n = 0
  > def instruction(**more):
  >     global n
  >     record = dict(kind="instruction", hart=0, index=n, xlen=32, pc=hex(0x80000000 + 4 * n),
  >                   opcode="0xb52023", opcode_size=4, privilege="m", **more)
  >     n += 1
  >     print(json.dumps(record))
  > def store(address, *words):
  >     for i, word in enumerate(words):
  >         instruction(memory=[dict(write=True, address=hex(address + 4 * i), size=4, value=hex(word))])
  > PORT = 0x10021800
  > store(PORT, 1)
  > for block, size in (0x8ff0, 16), (0x90f0, 32):
  >     store(0x7000, block, size, 16, 8, 1, 2, 0)
  >     store(PORT + 4, 0x7000)
  > store(0x7100, 0x9000, 1, 2)
  > store(PORT + 8, 0x7100)
  > store(PORT + 8, 0x7100)
  > store(0x7100, 0x5000, 1, 2)
  > store(PORT + 12, 0x7100)
  > store(PORT + 8, 0x7100)
  > store(PORT + 8, 0x7200)
  > store(PORT + 16, 0x7300)
  > END
  $ python3 make.py > stores.jsonl
  $ earshot convert --event-port 0x10020000 stores.jsonl -o events.csv
  earshot: warning: stores.jsonl: 2 strings of the event port: memory is not known there; with --elf also what the program holds is
  $ grep '# event' events.csv
  # event: libc-init 1; value 0x0; hart 0; before index 0
  # event: malloc 2 0x9000 16; value 0x0; hart 0; before index 8
  # event: malloc 2 0x9100 32; value 0x0; hart 0; before index 16
  # event: free 2 0x9000; value 0x0; hart 0; before index 20
  # event: free 2 0x9000; value 0x0; hart 0; before index 21
  # event: query-malloc 2 0x5000; value 0x0; hart 0; before index 25
  # event: free 2 0x5000; value 0x0; hart 0; before index 26
  # event: port print-str; value 0x7300; text <string at 0x7300 unknown>; hart 0; before index 28
  $ heap() { earshot memory -q --heap -f csv "$@"; }
  $ heap --event-port 0x10020000 stores.jsonl
  fault,pc,count,bytes,trapped,record,hart,address,size,object,where
  "not freed",,1,32,,16,0,0x9100,,,
  "freed twice",,1,16,,21,0,0x9000,,,
  "unknown free",,1,0,,26,0,0x5000,,,
  $ heap events.csv
  fault,pc,count,bytes,trapped,record,hart,address,size,object,where
  "not freed",,1,32,,16,0,0x9100,,,
  "freed twice",,1,16,,21,0,0x9000,,,
  "unknown free",,1,0,,26,0,0x5000,,,

In parts, each counted by itself:

  $ for i in 1 2 3; do earshot memory -q --part $i/3 events.csv > $i.part; done
  $ heap 1.part 2.part 3.part
  fault,pc,count,bytes,trapped,record,hart,address,size,object,where
  "not freed",,1,32,,16,0,0x9100,,,
  "freed twice",,1,16,,21,0,0x9000,,,
  "unknown free",,1,0,,26,0,0x5000,,,
