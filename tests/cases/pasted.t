Logs as people paste them in public, in forms of many tools and years, mean what their records say
(tests/data/pasted/README.md).

  $ for want in $DATA/pasted/*.jsonl; do
  >   log=${want%.jsonl}
  >   earshot convert -f json $log 2>${log##*/}.err | cmp -s - $want || echo "${log##*/}"
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

Lines that lack the line that belongs to them are counted; that is no damage.

  $ cp $DATA/pasted/spike-debugger.log .
  $ earshot info spike-debugger.log 2>/dev/null | grep unpaired
  unpaired_lines: 2
  first_unpaired_line: 7
  $ earshot profile -f json spike-debugger.log 2>/dev/null | grep -o '"unpaired.*'
  "unpaired_lines": 2, "without_path": 0, "limited": false,
  $ earshot convert -f json -o /dev/null spike-debugger.log 2>&1 | grep partner
  earshot: warning: spike-debugger.log: 2 lines have no partner: of the two lines of an instruction one is missing, first: line 7

A log of `spike -l` alone has no values, and what depends on them says so.

  $ cat >listing.log <<END
  > core   0: 0x80000000 (0x00500513) li      a0, 5
  > core   0: 0x80000004 (0x00a12023) sw      a0, 0(sp)
  > core   0: 0x80000008 (0x00012583) lw      a1, 0(sp)
  > END
  $ earshot state --reg a0 listing.log
  earshot: warning: listing.log: it shows no register writes, no loads, no stores: their values are unknown
  position  3, after 3 instructions; hart 0
  last pc   0x80000008
  next pc   ?
  privilege ?
  
  a0        ?
  $ earshot check listing.log | grep -E '^(result|access|stored)'
  earshot: warning: listing.log: it shows no register writes, no loads, no stores: their values are unknown
  result                  0              0                        2         0         0         0
  access                  0              0                        2         0         0         0
  stored                  0              0                        1         0         0         0
  $ earshot memory --by region listing.log
  earshot: warning: the trace shows no accesses
  earshot: warning: there are no names: no symbols, sections, heap or loaded bytes (--elf FILE)
  $ earshot profile listing.log
  earshot: warning: there are no names: functions are what calls entered (--elf FILE)
            self      %      inclusive      %        calls  function
               3 100.00              3 100.00            0  [unknown]
  $ sed 's/^core   0: /&3 /; s/) .*/) x10 0x00000005/' listing.log >commits.log
  $ earshot profile commits.log
  earshot: warning: there are no names: functions are what calls entered (--elf FILE)
  earshot: warning: commits.log: it shows no traps and interrupts: handlers are not known as such
            self      %      inclusive      %        calls  function
               3 100.00              3 100.00            0  [unknown]
