What a format cannot carry is reported, field by field.

  $ cp $DATA/whisper/sv39-ptw.csv $DATA/whisper/multi.csv .
  $ earshot convert sv39-ptw.csv -o t.spike.log
  earshot: warning: the output format cannot carry: physical pc, of 24 records
  earshot: warning: the output format cannot carry: physical data address, of 4 records
  earshot: warning: the output format cannot carry: page walk of a fetch, of 1 record
  earshot: warning: the output format cannot carry: page walk of an access, of 2 records
  $ earshot convert sv39-ptw.csv -o t.spike.log --quiet-loss
  $ earshot convert sv39-ptw.csv -o t.spike.log --strict
  earshot: sv39-ptw.csv: line 70: the format cannot carry: physical pc (--strict)
  [2]

A format with one hart in a file gets a file for each.

  $ earshot convert multi.csv -o t.tarmac --quiet-loss
  earshot: warning: hart 1 is written to t.h1.tarmac
  $ grep -c ' IT (' t.tarmac t.h1.tarmac
  t.tarmac:1388
  t.h1.tarmac:91
  $ for hart in 0 1; do grep -c ",$hart\$" multi.csv; done
  1388
  91
  $ refused convert multi.csv -f tarmac --quiet-loss
  earshot: -: this format holds one hart in a file; with -o NAME there is a file for each hart, 64 at the most

The index of a capture begins at 0 and does not jump: records that get another one are named.

  $ earshot convert sv39-ptw.csv -o whole.jsonl
  $ sed 1,9d whole.jsonl > slice.jsonl
  $ earshot convert slice.jsonl -o slice.shot
  earshot: warning: the output format cannot carry: page walk of a fetch, of 1 record
  earshot: warning: the output format cannot carry: page walk of an access, of 2 records
  earshot: warning: 111 records have another index in the capture file, first: hart 0, index 9 becomes 0
  $ earshot info slice.shot | grep '_index'
  first_index: 0
  last_index: 110
  $ earshot convert whole.jsonl -o whole.shot
  earshot: warning: the output format cannot carry: page walk of a fetch, of 1 record
  earshot: warning: the output format cannot carry: page walk of an access, of 2 records
  $ earshot convert -q --quiet-loss slice.jsonl -o slice.shot

A trace of ARM has nothing for a format of RISC-V: that is no success.

  $ cp $DATA/armulator/forms.txt .
  $ earshot convert --quiet-loss forms.txt -f spike -o arm.spike
  earshot: forms.txt: nothing was converted: the output format has no instructions of this instruction set
  [2]
  $ earshot convert --quiet-loss -j2 forms.txt -f whisper -o arm.csv
  earshot: forms.txt: nothing was converted: the output format has no instructions of this instruction set
  [2]
  $ earshot convert --quiet-loss forms.txt -f qemu4v -o arm.qemu

What the source of a capture did not have stays unknown when the capture is converted:

  $ printf 'core   0: 0x80000000 (0x00000297) auipc t0, 0x0\ncore   0: 3 0x80000000 (0x00000297) x5 0x80000000\n' > one.spike.log
  $ earshot convert one.spike.log -o one.shot
  earshot: warning: the output format cannot carry: disassembly of the source, of 1 record
  $ earshot convert one.shot -o two.shot
  $ strings two.shot | grep not_told
  not_told: time, physical pc, load value, physical data address, gap, event
