'why --value' shows where a value came from.

  $ cp $DATA/across/a.csv .
  $ earshot why a.csv --value s1
  s1, after 31 instructions: 0xdc
    #17  0x0000000080000020  sub s1, s0, t1          s1: ? -> 0xdc
    from s0 = 0x528:
      #16  0x000000008000001c  csrrs s0, mcycle, zero  s0: ? -> 0x528
      from mcycle = ?: written by the core itself
    from t1 = 0x44c:
      #15  0x0000000080000018  ld t1, 0x8(sp)          t1: 0x44c -> 0x44c
      #2   0x0000000080000008  sd t1, 0x8(sp)          0x0000000080002008:8: ? -> 0x44c
      #1   0x0000000080000004  addi t1, t0, 100        t1: ? -> 0x44c
      #0   0x0000000080000000  csrrs t0, mcycle, zero  t0: ? -> 0x3e8
      from mcycle = ?: written by the core itself
  $ earshot why a.csv --value t1 --at 17
  t1, after 18 instructions: 0x44c
    #15  0x0000000080000018  ld t1, 0x8(sp)          t1: 0x44c -> 0x44c
    #2   0x0000000080000008  sd t1, 0x8(sp)          0x0000000080002008:8: ? -> 0x44c
    #1   0x0000000080000004  addi t1, t0, 100        t1: ? -> 0x44c
    #0   0x0000000080000000  csrrs t0, mcycle, zero  t0: ? -> 0x3e8
    from mcycle = ?: written by the core itself
  $ earshot why a.csv --value 0x80001000:8
  0x0000000080001000:8, after 31 instructions: 0x1
    #9  0x0000000080000208  sd t3, 0x0(gp)  0x0000000080001000:8: ? -> 0x1
    #8  0x0000000080000204  addi t3, t3, 1  t3: 0x0 -> 0x1
    #7  0x0000000080000200  ld t3, 0x0(gp)  t3: ? -> 0x0
    from 0x0000000080001000:8 = ?: unknown: nothing in the trace wrote it
  $ earshot why --json --value a0 a.csv
  {"register":"a0","hart":0,"position":31,"instructions":31,"value":"0x1","limited":false,"roots":[{"register":"a0","hart":0,"value":"0x1","is_address":false,"node":0}],"nodes":[
   {"record":19,"position":19,"hart":0,"pc":"0x80000028","instruction":"addi a0, zero, 1","writes":{"register":"a0","hart":0},"before":null,"after":"0x1","end":"constant","sources":[]}],"complete":null,"accounted":null}
  $ earshot why --value a0 --at begin a.csv
  a0, after 0 instructions: ?
    from a0 = ?: unknown: nothing in the trace wrote it
  [1]

An older name is 'trace-value EXPRESSION FILE', in no list.

  $ earshot trace-value s1 a.csv >old; echo $?; earshot why a.csv --value s1 | cmp - old
  0
  $ earshot --help | grep trace-value
  [1]
