'show' prints records for people.

  $ cp $DATA/across/a.csv .
  $ earshot show --to 7 a.csv
           0  0000000080000000  csrrs   t0, mcycle, zero
                t0=0x3e8
           1  0000000080000004  addi    t1, t0, 100
                t1=0x44c
           2  0000000080000008  sd      t1, 0x8(sp)
                [0x80002008].8 = 0x44c
           3  000000008000000c  addi    t2, zero, 3
                t2=0x3
           4  0000000080000010  addi    t2, t2, -1
                *t2=0x2
           5  0000000080000014  bne     t2, zero, 0x80000010
           6  0000000080000010  (interrupted before)
                mepc=0x80000010  mcause=0x8000000000000007  mtval=0x0
                mstatus=0x1800
              interrupt: machine timer (cause 0x7)
           7  0000000080000200  ld      t3, 0x0(gp)
                t3=0x0  ? <- [0x80001000].8
  $ earshot show --at 24 --around 1 --opcodes --width 100 a.csv | sed 's/^/|/'
  |        23  0000000080000038  00e00713  addi    a4, zero, 14          a4=0xe
  |>       24  000000008000003c  00f00793  addi    a5, zero, 15          a5=0xf
  |        25  0000000080000040  01000813  addi    a6, zero, 16          a6=0x10
  $ earshot show $DATA/tarmac/dialects.txt
              note: Tarmac Text Rev 3t
           0  00008000  ADD     r8,pc,#0x90
                r8=0x8098  cpsr=0x600001d3
              hart 1
           1  004d6eb8  CBZ     x0,{pc}+8 ; 0x4d6ec0
                X30=0x4d6ec0  V0=0x00000000000000010000000000000002
              hart 0
           2  00008004  BX      lr
                0x7804 <- [0x8098].4  0x3ff87cc460000000 <- [0x400171e0].8
                0x400f731b40000000 <- [0x400171e8].8
           3  004d6eb8  B.NE    0x4d6e8c
                sp (AARCH64)=0x8000  fpscr=0x????0000
           4  00001000  MOV     r0,#0 (not executed)
                0x89ab <- [0x8000].2  0x1234567 <- [0x8004].4
                [0x1234].8 = 0x0 (refused by the bus)
           5  00008010  BL      0x8016
           6  00008014  andeq   r0, r0, r0 (not executed)
              event: E EXC [0x4] CoreEvent_RESET 0x0 0x0
              event: CADI E 00000048 text 0x0 0x0

As JSON a record is what 'convert -f json' makes of it, with its number in the trace, and its names
if there are any.

  $ earshot show --json --to 1 a.csv >s.json; earshot convert -q -n 2 -f json a.csv >c.json
  $ sed 's/,"number":[0-9]*}$/}/' s.json | cmp - c.json; wc -l <s.json
  2

A record of two harts has an index in its hart, and a number in the trace.

  $ earshot show --json $DATA/tarmac/dialects.txt | grep -o '"hart":[0-9]*,"index":[0-9]*\|"number":[0-9]*}' | paste -d' ' - -
  "hart":0,"index":0 "number":0}
  "hart":0,"index":1 "number":0}
  "hart":1,"index":1 "number":1}
  "hart":0,"index":2 "number":2}
  "hart":0,"index":3 "number":3}
  "hart":0,"index":4 "number":4}
  "hart":0,"index":7 "number":5}
  "hart":0,"index":8 "number":6}
  "hart":0,"index":9 "number":7}
  "hart":0,"index":9 "number":7}

A time of a trace that has none is not its end.

  $ refused show --at @5 a.csv
  earshot: a.csv: the trace has no times, so '@5' is nowhere in it: the number of an instruction is written without @
  $ refused show --from @0 a.csv
  earshot: a.csv: the trace has no times, so '@0' is nowhere in it: the number of an instruction is written without @

Marks are a list, each with the instruction before it. A trace that has changed has none of them.

  $ marked() { printf 'earshot-marks 1\ntrace %s 0\nmark early 0 0\nmark crash 8 9\nend\n' "$(python3 -c '
  > import os
  > status = os.stat("a.csv")
  > print(status.st_size, status.st_mtime_ns, status.st_ctime_ns)')" >a.csv.marks; }
  $ earshot show --marks a.csv
  earshot: warning: a.csv: there are no marks: m in `earshot browse` makes one
  $ marked; earshot show --marks a.csv; earshot show --marks --json a.csv
  early                     before #0
  crash                     after #7            0x80000200
  {"stale":false,"marks":[{"name":"early","number":0,"position":0,"after":null},{"name":"crash","number":8,"position":9,"after":{"number":7,"hart":0,"pc":"0x80000200","symbol":null,"source_line":null}}]}
  $ sed -i 2d a.csv; earshot show --marks a.csv
  earshot: a.csv: the trace has changed since it was marked: the marks are of another one
  early                     of another trace
  crash                     of another trace
  [2]
