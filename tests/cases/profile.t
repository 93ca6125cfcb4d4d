'profile' counts the instructions of each function, here of a program without names.

  $ cp -r $DATA/shot/states-1.shot $DATA/qtrace/kernel.elf $DATA/qtrace/sample1/raw .
  $ earshot profile states-1.shot
  earshot: warning: there are no names: functions are what calls entered (--elf FILE)
            self      %      inclusive      %        calls  function
            3886  64.77           3886  64.77           67  [0x8000022c]
            2027  33.78           2027  33.78          110  [0x80000150]
              65   1.08           6000 100.00            0  [unknown]
              22   0.37           5935  98.92            1  [0x800002c0]
  $ earshot profile -q --tree --limit 4 states-1.shot
            self      %      inclusive      %        calls  function
              65   1.08           6000 100.00            0  [unknown]
              22   0.37           5935  98.92            1    [0x800002c0]
              23   0.38           3886  64.77            1      [0x8000022c]
              58   0.97           3863  64.38            1        [0x8000022c]
  ... smaller ones are left out (--limit 0 prints all)
  $ earshot profile -q --blocks --limit 2 states-1.shot
            self      %        times length  block
            1024  17.07           64     16  80000284-800002aa  [0x8000022c]  ... c.j      . - 0x60
             924  15.40           66     14  8000022c-80000246  [0x8000022c]  ... lui      s4, -0x80000
  ... and 19 more (--limit N)
  $ earshot profile -q --opcodes --limit 3 states-1.shot | tail -n 7
  
             753  12.55  alu      c.mv
             752  12.53  store    c.swsp
             732  12.20  load     c.lwsp
  ... and 26 more (--limit N)
  
  81.62 % of 6000 are compressed
  $ earshot profile -q --annotate=0x800002c0 states-1.shot | head -n 4
  [0x800002c0]: 22 of 6000 records
            self      %        taken    not taken  code
               1   4.55                              800002c0  c.addi   sp, -0x10
               1   4.55                              800002c2  c.li     a1, 0x9
  $ earshot profile -q --json --annotate --limit 1 states-1.shot | sed -n '3,5p; $p'
    {"name": null, "entry": "0x8000022c", "inlined": false, "file": null, "line": null, "low": "0x8000022c", "high": "0x800002c0", "records": 3886, "clocks": null, "listed": 3886, "limited": false,
     "instructions": [
      {"address": "0x8000022c", "records": 66, "clocks": null, "taken": null, "not_taken": null, "traps": 0, "interrupts": 0, "size": 2, "text": "c.addi   sp, -0x20", "changed": false, "file": null, "line": null, "inlined": []},
  "sources_missing": []}
  $ earshot profile -q -f folded --to 200 states-1.shot
  [unknown] 65
  [unknown];[0x800002c0] 8
  [unknown];[0x800002c0];[0x80000150] 9
  [unknown];[0x800002c0];[0x80000150];[0x80000150] 9
  [unknown];[0x800002c0];[0x80000150];[0x80000150];[0x80000150] 9
  [unknown];[0x800002c0];[0x80000150];[0x80000150];[0x80000150];[0x80000150] 9
  [unknown];[0x800002c0];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150] 9
  [unknown];[0x800002c0];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150] 9
  [unknown];[0x800002c0];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150] 9
  [unknown];[0x800002c0];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150] 9
  [unknown];[0x800002c0];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150] 17
  [unknown];[0x800002c0];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150] 24
  [unknown];[0x800002c0];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150];[0x80000150] 15

With names, of a kernel for ARM of which no calls are known:

  $ earshot profile --limit 4 --elf kernel.elf raw
  earshot: warning: raw: it shows no traps and interrupts: handlers are not known as such
  earshot: warning: of 1141 records no calls are known: they have no opcodes of RISC-V
            self      %      inclusive      %        calls         clocks  function
             732  64.15            732  64.15            0           1781  [unknown]
             142  12.45            142  12.45            0            247  worker
              68   5.96             68   5.96            0            249  start_kernel
              48   4.21             48   4.21            0            133  sys_call
  ... and 16 more (--limit N)
         records  state     trace
            1177  done      raw
            1177            total
  1 trace: 1 done
  $ earshot profile -q --by process --elf kernel.elf raw
         records      %         clocks      %      traps interrupts  process
             988  86.59           2453  84.53          -          -  100  app_main
             119  10.43            345  11.89          -          -  1  init
              34   2.98            104   3.58          -          -  0  swapper
