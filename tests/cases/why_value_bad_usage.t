What 'why --value' refuses, and 'trace-value', its older name.

  $ cp $DATA/across/a.csv .
  $ refused trace-value
  earshot: which value?
  $ refused trace-value a0
  earshot: of which trace?
  $ refused trace-value a0 a.csv a.csv
  earshot: one value of one trace, please
  $ refused why a.csv --value nothing_there
  earshot: it is no register, and 'nothing_there' is neither a number nor a symbol (no ELF given)
  $ refused why --value v3 a.csv
  earshot: 'v3': vector registers are not followed
  $ refused why --value 0x1000:16 a.csv
  earshot: '0x1000:16' has more than 8 bytes: which of them? A member, or ADDRESS:SIZE
  $ refused why --limit 0 --value a0 a.csv
  earshot: --limit: '0' is not a number from 1 to 4096
  $ refused why --value pc a.csv
  earshot: 'pc': every instruction writes it; ask for the register that a jump took its target from
  $ refused why --at 3 a.csv
  earshot: --at is the moment of a value: with --value
