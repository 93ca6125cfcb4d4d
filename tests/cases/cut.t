'cut' makes a capture of a part, which decodes to the same records.

  $ cp $DATA/shot/states-1.shot t.shot
  $ earshot cut t.shot --from 1000 --to 1999 -o part.shot
  $ earshot decode -q t.shot --from 1000 --to 1999 -o expected.csv
  $ earshot decode -q part.shot | cmp - expected.csv
  $ earshot info part.shot | grep '^part_[ofl]'
  part_of: t.shot
  part_first: 1000
  part_last: 1999
  $ earshot decode t.shot --from 1000 --to 1999 -f shot -o same.shot
  $ earshot decode -q same.shot | cmp - expected.csv
  $ refused cut t.shot --from 20 --to 10 -o none.shot
  earshot: no record is selected, and a part has at least one
  $ refused cut -o none.shot
  earshot: which file?
  $ ls *.shot
  part.shot
  same.shot
  t.shot
