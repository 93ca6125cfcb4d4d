One run in the forms of many tracers: each says the same as far as it goes.

  $ cp $DATA/logs/forms/* .
  $ for form in $(ls | grep -v records); do
  >   echo "$form: $(earshot diff $form records.jsonl 2>&1 | grep 'same' | cut -d';' -f1)"
  > done
  ariane-dasm.log: the same: 68 records
  ariane-instr-tracer.log: the same: 68 records
  bsg-manycore.log: the same: 68 records
  corev-rvfi.log: the same: 68 records
  dromajo.log: the same: 68 records
  gem5-exec.log: the same: 68 records
  imperas-trace2log.csv: the same: 68 records
  neorv32-2025.log: the same: 68 records
  neorv32-2026.log: the same: 68 records
  qemu-d-exec.log: the same: 68 records
  qemu-execlog.log: the same: 68 records
  renode.txt: the same: 68 records
  rocket-verbose.out: the same: 68 records
  tracerv.in: the same: 68 records

A trace of ARM is not one of RISC-V, and its disassembly or its opcodes say so.

  $ printf '0, 0xa12, 0xf8012400, "movs r4, #0"\n0, 0xa14, 0xf87f42b4, "cmp r4, r6"\n' > arm.log
  $ printf '0x5A4: 0x480A\n0x5A6: 0xF3808808\n' > renode.log
  $ for log in arm renode; do earshot convert -f json -o /dev/null $log.log; done
  earshot: warning: arm.log: line 1: the instructions are not those of RISC-V, as which they are read: what they do is wrong
  earshot: warning: renode.log: line 2: the instructions are not those of RISC-V, as which they are read: what they do is wrong
