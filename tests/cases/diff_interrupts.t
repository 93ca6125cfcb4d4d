'diff --interrupts skip' where a format shows no interrupts, and where there is nothing else.

  $ cp $DATA/across/a.csv .
  $ earshot convert -q --quiet-loss a.csv -o a.dv.csv
  $ earshot diff --interrupts skip a.csv a.dv.csv
  earshot: warning: a.dv.csv: riscv-dv traces show no interrupts: no handler is skipped
  the same: 30 records; not on both sides and not compared: trap, target, fflags, v, address, value, physical
  in another form, or not in one of the formats: interrupts 1
  skipped 0 handlers, 0 records in A; 0, 0 in B
  $ sed -n '1p; 8,11p' a.csv >handler.csv
  $ refused diff --interrupts skip handler.csv handler.csv
  earshot: all records are those of interrupt handlers: nothing was compared
