Logs as people paste them in public, in forms of many tools and years, mean what their records say
(tests/data/pasted/README.md).

  $ for want in $DATA/pasted/*.jsonl; do
  >   log=${want%.jsonl}
  >   earshot convert -q -f json $log 2>${log##*/}.err | cmp -s - $want || echo "${log##*/}"
  > done

What is not of the form is said.

  $ tail -n 1 qemu-in-asm.log.err | cut -d: -f4-
   line 11: the log has translated code only, which says nothing of what ran: log with -d exec,nochain as well
  $ tail -n 1 spike-debugger.log.err | sed 's,/.*/,,'
  earshot: warning: spike-debugger.log: 4 lines of something else skipped
  $ cat >word.log <<END
  > core   0: 3 0x80000000 (0x00500513) x10 0x00000005 cycle=17
  > END
  $ earshot info word.log | grep -E '^(records|register|.*word)'
  earshot: warning: word.log: 1 record; 1 line has words that were not understood, first: line 1, 'cycle=17'
  records: 1
  register_writes: 1
  unknown_words: 1
  first_unknown_word: line 1, 'cycle=17'
  incomplete: words were not understood
