A folder of the Android emulator is a trace like others.

  $ cp -r $DATA/qtrace/sample1/raw .
  $ earshot grep --event=switch raw
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  # event: switch 1; value 0x0; hart 0; before index 34
  # event: switch 100; value 0x0; hart 0; before index 84
  # event: switch 101; value 0x0; hart 0; before index 821
  # event: switch 100; value 0x0; hart 0; before index 879
  # event: switch 1; value 0x0; hart 0; before index 1072
  $ earshot show --to 3 raw
           0  c0008000  ldr     sp, [pc, #4]
                ? <- [0xc000800c]
           1  c0008004  bl      #0xc0008434
           2  c0008434  push    {r4, lr}
                [0xc01feff8] = ?  [0xc01feffc] = ?
           3  c0008438  ldr     r2, [pc, #0x108]
                ? <- [0xc0008548]
  $ earshot show raw | grep 'event: exec'
              event: exec /system/bin/app -v --loop=3 0x0 0x0
  $ earshot info raw
  format: qtrace
  harts: 1
  xlen: 32
  records: 1141
  first_index: 0
  last_index: 1140
  first_pc: 0xc0008000
  last_pc: 0xc0008540
  first_time: 1
  last_time: 2903
  missing: 0
  gaps: 0
  events: 36
  register_writes: 0
  accesses: 261
  opcodes: 1141
  complete: unknown
  $ earshot grep --count-by task raw
         930  task 100  app_main
         119  task 1  init
          58  task 101  worker_thr
          34  task 0  swapper
  $ earshot grep -c --task worker_thr raw
  53
  $ earshot grep -c --task nobody raw
  0
  [1]

A trace without events says no task.

  $ earshot convert -q --quiet-loss -f json raw | grep -v '"event"' >plain.json
  $ earshot grep -c --task 5 plain.json
  0
  earshot: warning: plain.json: no event says which task runs
  [1]
