What earshot top refuses:

  $ refused top
  earshot: which trace? Give one, or -d DEVICE
  $ refused top a b
  earshot: one trace, please
  $ refused top -d sim:x a
  earshot: -d or a trace, not both
  $ refused top --interval 0 a
  earshot: --interval: '0' is not a number of seconds from 0.05 to 86400
  $ refused top --interval 1x a
  earshot: --interval: '1x' is not a number of seconds from 0.05 to 86400
  $ refused top --limit 0 a
  earshot: --limit: '0' is not 1 or more
  $ refused top nothing-here
  earshot: nothing-here: No such file or directory
  $ refused capture -o - --top
  earshot: --top and -o - both write to standard output
  $ refused capture -o t.shot --top=loud
  earshot: --top: 'loud' is not one of: screen plain json
