What 'branches' refuses.

  $ cp $DATA/across/a.csv .
  $ refused branches
  earshot: which trace?
  $ refused branches a.csv a.csv
  earshot: one trace, please
  $ refused branches --sort size a.csv
  earshot: --sort: 'size' is not one of: misses executed taken pc
  $ refused branches --limit 0 a.csv
  earshot: --limit: '0' is not 1 or more
  $ refused branches --task nobody a.csv
  earshot: a.csv: no event says which task runs
  $ refused branches $DATA/armulator/published.txt
  earshot: */published.txt: nothing can be said of branches: there are no instructions of RISC-V with an opcode (glob)
  $ earshot branches --part 1/2 a.csv >1.part
  $ earshot stat --part 2/2 a.csv >2.part
  $ refused branches 1.part 2.part
  earshot: 2.part: it is a part of 'earshot stat'
  executed  taken  not_taken  unknown  misses  miss_rate          pc  symbol  line
         3      2          1        0       2   0.666667  0x80000014       -  -
         3      2          1        0       2   0.666667       total       -  -
  $ sed 's/^branch/twig/' 1.part >bad.part
  $ refused branches bad.part
  earshot: bad.part: line 7: it is none of branches
  $ sed 's/^\(branch .* \)[0-3]$/\14/' 1.part >bad.part
  $ refused branches bad.part
  earshot: bad.part: line 7: a number is wrong
  $ sed '/^branch/{p}' 1.part >bad.part
  $ refused branches bad.part
  earshot: bad.part: line 8: it came before
