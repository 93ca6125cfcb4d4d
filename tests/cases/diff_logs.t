One run in the forms of many tracers: each says the same as far as it goes.

  $ cp $DATA/logs/forms/* .
  $ for form in $(ls | grep -v records); do
  >   echo "$form: $(earshot diff --xlen 32 $form records.jsonl 2>&1 | grep 'same' | cut -d';' -f1)"
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
