'why' says why a run ended as it did.

  $ cp $DATA/across/a.csv $DATA/spike/rv64.log .
  $ earshot why rv64.log
  load address misaligned at address 0x0000000000001021
  at #12  0x0000000080000022  ld a0, 0x1(a1)
  and then 1 more trap in its handler, which did not return
  
  calls:
    #0   0x0000000080000022
  
  the address is made of a1 = 0x1020
    #1  0x0000000000001004  addi a1, t0, 32  a1: ? -> 0x1020
    #0  0x0000000000001000  auipc t0, 0x0    t0: ? -> 0x1000
  
  no earlier execution of this instruction was found
  $ earshot why --json rv64.log
  {"end_missing":null,"kind":"trap","text":"load address misaligned at address 0x0000000000001021","hart":0,"end_reason":"","cause":4,"trap_value":"0x1021","nested":1,"earlier":false,"interrupts_off":false,
  "core":null,
  "place":{"record":12,"position":12,"pc":"0x80000022","instruction":"ld a0, 0x1(a1)","next_pc":"0x80000000"},
  "jump":null,
  "branch":null,
  "choice":null,
  "loop":null,
  "skip":null,
  "overflow":null,
  "leaves_if":null,"exits":[],"exits_if":[],
  "changed":null,
  "lost":null,
  "blocks":[],
  "memory_errors":[],"memory_error_count":0,"memory_from":0,
  "calls":[{"pc":"0x80000022","kind":"base"}],"call_count":1,
  "values":[{"role":"address","register":"a1","hart":0,"before":12,"value":"0x1020","limited":false,"roots":[{"register":"a1","hart":0,"value":"0x1020","is_address":false,"node":0}],"nodes":[
   {"record":1,"position":1,"hart":0,"pc":"0x1004","instruction":"addi a1, t0, 32","writes":{"register":"a1","hart":0},"before":null,"after":"0x1020","end":null,"sources":[{"register":"t0","hart":0,"value":"0x1000","is_address":false,"node":1}]},
   {"record":0,"position":0,"hart":0,"pc":"0x1000","instruction":"auipc t0, 0x0","writes":{"register":"t0","hart":0},"before":null,"after":"0x1000","end":"constant","sources":[]}]}],
  "difference":null,
  "after_write":null,
  "after":null,"complete":null,"accounted":null}
  $ earshot why a.csv
  cause unknown: no trap, no exit and no loop without progress at the end
  at #30  0x0000000080000054  addi s5, zero, 21
  
  calls:
    #0   0x0000000080000054
  [1]

Nothing is known of another instruction set.

  $ for i in {0..39}; do echo "$i clk IT ($i) 00008000 eafffffe A svc : B 0x8000"; done >arm.tarmac
  $ earshot why arm.tarmac
  cause unknown: causes are known for RISC-V, and this trace is of another instruction set
  at #39  0x00008000
  [1]
