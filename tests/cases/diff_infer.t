Inferred values in a comparison: docs/infer.md. A log of instructions, and that of a reference with
values.

  $ cat >log <<'EOF'
  > core   0: 0x80000000 (0x00000297) auipc   t0, 0x0
  > core   0: 0x80000004 (0x10028293) addi    t0, t0, 256
  > core   0: 0x80000008 (0x0052a023) sw      t0, 0(t0)
  > core   0: 0x8000000c (0x0002a503) lw      a0, 0(t0)
  > core   0: 0x80000010 (0x00128583) lb      a1, 1(t0)
  > core   0: 0x80000014 (0x00148493) addi    s1, s1, 1
  > EOF
  $ cat >reference <<'EOF'
  > core   0: 3 0x80000000 (0x00000297) x5  0x80000000
  > core   0: 3 0x80000004 (0x10028293) x5  0x80000100
  > core   0: 3 0x80000008 (0x0052a023) mem 0x80000100 0x80000100
  > core   0: 3 0x8000000c (0x0002a503) x10 0x80000100 mem 0x80000100
  > core   0: 3 0x80000010 (0x00128583) x11 0x00000001 mem 0x80000101
  > core   0: 3 0x80000014 (0x00148493) x9  0x00000801
  > EOF
  $ earshot diff --xlen 32 --infer --ram 0x80000000+0x1000 log reference
  earshot: warning: no program is known: nothing of memory is known before the trace shows it (--elf)
  the same: 6 records; not on both sides and not compared: privilege, trap, physical
  inferred in A, of what was read: 4 of 5 registers written, 2 of 2 values loaded

A value of the reference that is wrong: of a register, in a store, an address.

  $ sed 's/x11 0x00000001/x11 0x00000009/' reference >wrong
  $ earshot diff --xlen 32 --ram 0x80000000+0x1000 -c 0 log wrong
  earshot: warning: no program is known: nothing of memory is known before the trace shows it (--elf)
  hart 0, pc 0x80000010 (lb       x11, 0x1(x5)): x11 is 0x1 (inferred) in A and 0x9 in B
    A: log, record 4, line 5
    B: wrong, record 4, line 5
    A 80000010,128583,x11=1,x5;i1,80000101,l,,,lb       x11; 0x1(x5),0
    B 80000010,128583,x11=9,x5;i1,80000101,l,m,,lb       x11; 0x1(x5),0
  1 difference in 5 records compared; not on both sides and not compared: privilege, trap, physical
  inferred in A, of what was read: 4 of 5 registers written, 2 of 2 values loaded
  [1]
  $ sed 's/mem 0x80000100 0x80000100/mem 0x80000100 0x80000104/' reference >wrong
  $ earshot diff --xlen 32 --ram 0x80000000+0x1000 -c 0 wrong log 2>/dev/null | head -1
  hart 0, pc 0x80000008 (sw       x5, 0x0(x5)): the value at address 0x80000100 is 0x80000104 in A and 0x80000100 (inferred) in B
  $ sed 's/mem 0x80000101/mem 0x80000109/' reference >wrong
  $ earshot diff --xlen 32 --ram 0x80000000+0x1000 --json log wrong 2>/dev/null
  {"kind":"different","field":"address","value_a":"0x80000101","inferred_a":true,"value_b":"0x80000109","a":{"record":4,"number":4,"place":"line 5","hart":0,"pc":"0x80000010","opcode":"0x128583"},"b":{"record":4,"number":4,"place":"line 5","hart":0,"pc":"0x80000010","opcode":"0x128583"}}
  {"kind":"summary","same":false,"pairs":5,"differences":1,"only_a":0,"only_b":0,"gaps":0,"not_compared_a":0,"not_compared_b":0,"a":{"complete":null,"accounted":null},"b":{"complete":null,"accounted":null},"inference_a":{"writes":5,"writes_inferred":4,"loads":2,"loads_inferred":2,"contradictions":0}}
  [1]

A pc, as before; and without --infer no value is compared.

  $ sed 's/80000014/80000018/' reference >wrong
  $ earshot diff --xlen 32 --infer --status log wrong
  [1]
  $ sed 's/x11 0x00000001/x11 0x00000009/' reference >wrong
  $ earshot diff --xlen 32 log wrong
  the same: 6 records; not on both sides and not compared: privilege, trap, x, address, value, physical

Where both sides have values, nothing is inferred.

  $ earshot diff --xlen 32 --infer reference reference
  earshot: warning: no program is known: nothing of memory is known before the trace shows it (--elf)
  earshot: --infer: both sides have registers
  [2]

What contradicts the inference is said.

  $ sed '4,6d' log >short; echo 'core   0: 0x8000000c (0x00528463) beq     t0, t0, pc + 8' >>short; echo 'core   0: 0x80000010 (0x00000013) nop' >>short
  $ sed '4,6d' reference >other; echo 'core   0: 3 0x8000000c (0x00528463)' >>other; echo 'core   0: 3 0x80000010 (0x00000013)' >>other
  $ earshot diff --xlen 32 --infer short other
  earshot: warning: no program is known: nothing of memory is known before the trace shows it (--elf)
  earshot: warning: short: 1 time the trace shows something else than what was inferred, first at index 3: what was inferred before may be wrong (docs/infer.md)
  the same: 5 records; not on both sides and not compared: privilege, trap, physical
  inferred in A, of what was read: 2 of 2 registers written, 0 of 0 values loaded
