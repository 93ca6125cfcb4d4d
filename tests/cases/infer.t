Values that a trace does not have: docs/infer.md.

A log of instructions alone: auipc, addi, sw, lw, lb, addi of a register that nothing wrote, ret.

  $ cat >log <<'EOF'
  > core   0: 0x80000000 (0x00000297) auipc   t0, 0x0
  > core   0: 0x80000004 (0x10028293) addi    t0, t0, 256
  > core   0: 0x80000008 (0x0052a023) sw      t0, 0(t0)
  > core   0: 0x8000000c (0x0002a503) lw      a0, 0(t0)
  > core   0: 0x80000010 (0x00128583) lb      a1, 1(t0)
  > core   0: 0x80000014 (0x00148493) addi    s1, s1, 1
  > core   0: 0x80000018 (0x0004a603) lw      a2, 0(s1)
  > EOF
  $ earshot infer --xlen 32 --ram 0x80000000+0x1000 log -o log.jsonl
  earshot: warning: log: no program is known: nothing of memory is known before the trace shows it (--elf)
  log: 7 instructions; inferred of what the trace does not have:
    registers written: 4 of 6 (66.6 %)
    values loaded: 2 of 3 (66.6 %)
    addresses stored to: 1 of 1 (100.0 %)
    all became unknown 0 times, memory 0 times by a store to an unknown address
  $ sed 's/.*"pc":"\([^"]*\)".*"next_pc[^,]*,*//' log.jsonl
  "inferred_registers":[{"class":"x","number":5,"value":"0x80000000"}]}
  "inferred_registers":[{"class":"x","number":5,"value":"0x80000100"}]}
  "inferred_memory":[{"write":true,"address":"0x80000100","size":4,"value":"0x80000100"}]}
  "inferred_registers":[{"class":"x","number":10,"value":"0x80000100"}],"inferred_memory":[{"write":false,"address":"0x80000100","size":4,"value":"0x80000100"}]}
  "inferred_registers":[{"class":"x","number":11,"value":"0x1"}],"inferred_memory":[{"write":false,"address":"0x80000101","size":1,"value":"0x1"}]}
  
  {"kind":"instruction","schema":2,"hart":0,"index":6,"offset":312,"line":7,"isa":"riscv","xlen":32,"pc":"0x80000018","opcode":"0x4a603","opcode_size":4,"mnemonic":"lw","class":"load"}

A core dump that was made after the last record: pc, t0, s1, a0, a1, a2, and a word of memory. What it
holds is followed back to before the addition.

  $ zeros() { head -c $1 /dev/zero; }
  $ {
  >   printf '\177ELF\1\1\1'; zeros 9; printf '\4\0\363\0\1\0\0\0\0\0\0\0\64\0\0\0'; zeros 8
  >   printf '\64\0\40\0\2\0'; zeros 6
  >   printf '\4\0\0\0\164\0\0\0'; zeros 8; printf '\340\0\0\0'; zeros 12
  >   printf '\1\0\0\0\124\1\0\0\0\1\0\200\0\1\0\200\4\0\0\0\4\0\0\0\6\0\0\0'; zeros 4
  >   printf '\5\0\0\0\314\0\0\0\1\0\0\0CORE'; zeros 76
  >   printf '\34\0\0\200'; zeros 16; printf '\0\1\0\200'; zeros 12
  >   printf '\0\1\0\200\0\1\0\200\1\0\0\0\0\1\0\200'; zeros 80
  >   printf '\0\1\0\200'
  > } >core
  $ earshot infer --xlen 32 --ram 0x80000000+0x1000 --core core log -o log.jsonl
  earshot: warning: log: no program is known: nothing of memory is known before the trace shows it (--elf)
  log: 7 instructions; inferred of what the trace does not have:
    registers written: 6 of 6 (100.0 %)
    values loaded: 3 of 3 (100.0 %)
    addresses stored to: 1 of 1 (100.0 %)
    all became unknown 0 times, memory 0 times by a store to an unknown address

One of another moment is not used; and what is none is refused.

  $ head -6 log >shorter
  $ earshot infer --xlen 32 --core core shorter -o log.jsonl
  earshot: warning: shorter: no program is known: nothing of memory is known before the trace shows it (--elf)
  shorter: 6 instructions; inferred of what the trace does not have:
    registers written: 4 of 5 (80.0 %)
    values loaded: 2 of 2 (100.0 %)
    addresses stored to: 1 of 1 (100.0 %)
    all became unknown 1 times, memory 0 times by a store to an unknown address
  earshot: warning: core is not of the end of shorter, and is not used
  [1]
  $ head -c 300 core >half
  $ earshot infer --xlen 32 --core half log -o log.jsonl
  earshot: warning: log: no program is known: nothing of memory is known before the trace shows it (--elf)
  earshot: half: it is not a whole core dump of RISC-V
  [2]

Where the trace contradicts: the branch is not taken, though both are the same.

  $ cat >log <<'EOF'
  > core   0: 0x80000000 (0x00500513) li      a0, 5
  > core   0: 0x80000004 (0x00500593) li      a1, 5
  > core   0: 0x80000008 (0x00b50463) beq     a0, a1, pc + 8
  > core   0: 0x8000000c (0x00000013) nop
  > EOF
  $ earshot infer --xlen 32 log -o log.jsonl
  earshot: warning: log: no program is known: nothing of memory is known before the trace shows it (--elf)
  log: 4 instructions; inferred of what the trace does not have:
    registers written: 2 of 2 (100.0 %)
    values loaded: none
    addresses stored to: none
    all became unknown 1 times, memory 0 times by a store to an unknown address
  earshot: warning: log: 1 time the trace shows something else than what was inferred, first at index 2: what was inferred before may be wrong. A device, another hart or another program writes to memory (--device, --shared, --elf)
  [1]

A second hart comes late: it may have stored what was loaded before. With --shared nothing is
inferred that it may have changed.

  $ cat >harts <<'EOF'
  > core   0: 0x80000000 (0x00000297) auipc   t0, 0x0
  > core   0: 0x80000004 (0x0052a023) sw      t0, 0(t0)
  > core   0: 0x80000008 (0x0002a503) lw      a0, 0(t0)
  > core   1: 0x80000000 (0x00000297) auipc   t0, 0x0
  > EOF
  $ earshot infer --xlen 32 --ram 0x80000000+0x1000 harts -o harts.jsonl
  earshot: warning: harts: no program is known: nothing of memory is known before the trace shows it (--elf)
  harts: 4 instructions; inferred of what the trace does not have:
    registers written: 3 of 3 (100.0 %)
    values loaded: 1 of 1 (100.0 %)
    addresses stored to: 1 of 1 (100.0 %)
    all became unknown 0 times, memory 0 times by a store to an unknown address
  earshot: warning: harts: 1 load inferred before a second hart came at index 3, which may have written there: give --shared
  [1]
  $ earshot infer --xlen 32 --ram 0x80000000+0x1000 --shared harts -o harts.jsonl
  earshot: warning: harts: no program is known: nothing of memory is known before the trace shows it (--elf)
  harts: 4 instructions; inferred of what the trace does not have:
    registers written: 2 of 3 (66.6 %)
    values loaded: 0 of 1 (0.0 %)
    addresses stored to: 1 of 1 (100.0 %)
    all became unknown 0 times, memory 0 times by a store to an unknown address

QEMU's log. An interrupt comes before the addition, which QEMU lists and does not execute: a0 is
increased once, after the handler.

  $ trace() { echo "Trace 0: 0x7fb8b000ff80 [00000000/8000000$1/00109003/ff000201] main"; }
  $ {
  >   printf 'IN: main\nPriv: 3; Virt: 0\n0x80000000:  00500513          addi  a0,zero,5\n'
  >   printf '0x80000004:  00150513          addi  a0,a0,1\n0x80000008:  00000013          nop\n'
  >   printf '0x8000000c:  30200073          mret\n'
  >   trace 0; trace 4
  >   echo 'Stopped execution of TB chain before 0x7fb8b000ff80 [80000004] main'
  >   echo 'riscv_cpu_do_interrupt: hart:0, async:1, cause:00000003, epc:0x80000004, tval:0x00000000, desc=m_software'
  >   trace 8; trace c; trace 4; trace 8
  > } >qemu
  $ earshot infer qemu -o qemu.jsonl
  earshot: warning: qemu: no program is known: nothing of memory is known before the trace shows it (--elf)
  qemu: 5 instructions; inferred of what the trace does not have:
    registers written: 2 of 2 (100.0 %)
    values loaded: none
    addresses stored to: none
    all became unknown 0 times, memory 0 times by a store to an unknown address
  $ sed 's/.*"pc":"\([^"]*\)".*"next_pc[^,]*,*/\1 /' qemu.jsonl
  0x80000000 "inferred_registers":[{"class":"x","number":10,"value":"0x5"}]}
  0x80000004 "cause":"0x80000003","interrupt":true}
  0x80000008 
  0x8000000c 
  0x80000004 "inferred_registers":[{"class":"x","number":10,"value":"0x6"}]}
  {"kind":"instruction","schema":2,"hart":0,"index":5,"offset":698,"line":14,"isa":"riscv","xlen":32,"pc":"0x80000008","opcode":"0x13","opcode_size":4,"mnemonic":"addi","class":"alu","privilege":"m"}

Other formats have no room for it, and do not get it.

  $ earshot infer log -o log.csv
  earshot: a format that says which values are inferred is needed: -o NAME.jsonl
  Try 'earshot infer --help'.
  [2]
  $ earshot convert log.jsonl -f tracerv -o log.tracerv
  earshot: warning: the output format cannot carry: opcode, of 4 records
  earshot: warning: the output format cannot carry: inferred value, of 2 records
  $ earshot infer log --ram 5-4
  earshot: --ram: '5-4' is not a range: FIRST-LAST, FIRST+SIZE or an address
  Try 'earshot infer --help'.
  [2]
  $ earshot infer
  earshot: which file?
  Try 'earshot infer --help'.
  [2]
