'branches' prints conditional branches, those that are hardest to predict first.

  $ cp $DATA/shot/states-1.shot $DATA/across/a.csv .
  $ earshot branches --limit 3 states-1.shot
  executed  taken  not_taken  unknown  misses  miss_rate          pc  symbol  line
       130     64         66        0      79   0.607692  0x8000024a       -  -
       120    110         10        0      12   0.100000  0x8000015c       -  -
       120     11        109        0      11   0.091667  0x80000162       -  -
  ... and 4 more (--limit N)
       550    360        190        0     105   0.190909       total       -  -
  $ earshot branches --sort pc -f csv a.csv
  executed,taken,not_taken,unknown,misses,miss_rate,pc,symbol,line
  3,2,1,0,2,0.666667,0x80000014,,
  1,0,1,0,0,0.000000,0x80000024,,
  4,2,2,0,2,0.500000,"total",,
  $ earshot branches -f json a.csv
  {"branches": [
      {"executed": 3, "taken": 2, "not_taken": 1, "unknown": 0, "misses": 2, "miss_rate": 0.666667, "pc": "0x80000014", "symbol": null, "line": null},
      {"executed": 1, "taken": 0, "not_taken": 1, "unknown": 0, "misses": 0, "miss_rate": 0.000000, "pc": "0x80000024", "symbol": null, "line": null}
    ],
    "total": {"executed": 4, "taken": 2, "not_taken": 2, "unknown": 0, "misses": 2, "miss_rate": 0.500000},
    "complete": null, "accounted": null}
  $ earshot branches --sort executed -n 1 states-1.shot
  executed  taken  not_taken  unknown  misses  miss_rate          pc  symbol  line
       130     64         66        0      79   0.607692  0x8000024a       -  -
  ... and 6 more (--limit N)
       550    360        190        0     105   0.190909       total       -  -
  $ earshot branches --part 1/2 a.csv >1.part
  $ earshot branches --part 2/2 a.csv >2.part
  $ cat 2.part
  earshot-part 2 branches
  options -
  trace 2048-45e75a6ae5c4f4d3198be2cfc2864a39
  program - -
  records 15 31 31
  missing 1 0 16 0 0 0 0 0 0
  branch 0x80000024 0 0 1 0 0 0 1 1 0 0 1 2
  sums 16 0 0 0
  end 8
  $ earshot branches 1.part 2.part
  executed  taken  not_taken  unknown  misses  miss_rate          pc  symbol  line
         3      2          1        0       2   0.666667  0x80000014       -  -
         1      0          1        0       0   0.000000  0x80000024       -  -
         4      2          2        0       2   0.500000       total       -  -
  $ printf '%s\n' '{"kind":"gap","reason":"jump"}' \
  >   '{"kind":"instruction","isa":"riscv","xlen":32,"pc":"0x80","opcode":"0x463","opcode_size":4}' >t.json
  $ earshot branches --incomplete ok t.json
  earshot: warning: there are gaps, 1: what ran in them is not counted
  earshot: warning: the trace does not show which way a branch went
  earshot: warning: t.json is damaged, from instruction 0 on: an unknown number of records is missing
  executed  taken  not_taken  unknown  misses  miss_rate    pc  symbol  line
         1      -          -        1       -          -  0x80       -  -
         1      -          -        1       -          -  total       -  -
  $ earshot branches -q -f csv t.json
  executed,taken,not_taken,unknown,misses,miss_rate,pc,symbol,line
  1,,,1,,,0x80,,
  1,,,1,,,"total",,
  [2]
  $ earshot branches -q -f json t.json
  {"branches": [
      {"executed": 1, "taken": null, "not_taken": null, "unknown": 1, "misses": null, "miss_rate": null, "pc": "0x80", "symbol": null, "line": null}
    ],
    "total": {"executed": 1, "taken": null, "not_taken": null, "unknown": 1, "misses": null, "miss_rate": null},
    "complete": false, "accounted": false}
  [2]
