GDB goes back from four of the faults of docs/why.md to their causes (docs/debugging.md, section 4).

  $ command -v earshot-board >/dev/null && command -v gdb-multiarch >/dev/null || exit 80
  $ cat >short.gdb <<END
  > set filename-display basename
  > set print frame-arguments presence
  > set substitute-path . $TREE
  > END
  $ story() { # PROGRAM OPTION...: the commands come from standard input
  >   earshot capture -q -d "sim:$PROGRAMS/story_$1.elf,max-cycles=100000,uart=/dev/null" -o "$1.shot"
  >   { echo "target remote | earshot gdb -q ${*:2} $1.shot"; cat; } >story.gdb
  >   gdb-multiarch -nx -q -batch -x short.gdb -x "$(earshot gdb --script)" -x story.gdb 2>/dev/null |
  >     sed -n '/^#[0-9]/,$ { /./p }' | expand
  > }

A stack that is too small:

  $ story stack <<'END'
  > goto 2216
  > watch parser.on_done
  > reverse-continue
  > x/i $pc
  > print $sp
  > backtrace -2
  > END
  #2216 0x800001bc <main+0x28> story_stack.c:37  c.jalr   x15
    ra = 0x800001be
  #0  0x800001bc in main () at story_stack.c:37
  37              parser.on_done(depth);
  Hardware watchpoint 1: parser.on_done
  Hardware watchpoint 1: parser.on_done
  Old value = (void (* volatile)(uint32_t)) 0x28
  New value = (void (* volatile)(uint32_t)) 0x8000014c <done>
  0x8000015c in parse (...) at story_stack.c:20
  20              while (*(*text)++ == '(') {
  => 0x8000015c <parse+6>:        sw      s2,0(sp)
  $1 = (void *) 0x80000250 <parser+64>
  #62 0x8000018a in parse (...) at story_stack.c:21
  #63 0x800001ba in main () at story_stack.c:36
  [Inferior 1 (Remote target) detached]

Memory that was freed:

  $ story freed <<'END'
  > goto 381
  > watch timers[0]->on_timeout
  > reverse-continue
  > delete
  > break give_back if memory == timers[0]
  > reverse-continue
  > backtrace
  > END
  #381 0x800001d8 <run_timers+0xe> story_freed.c:76  c.jalr   x15
    ra = 0x800001da
  #0  0x800001d8 in run_timers () at story_freed.c:76
  76                      timers[i]->on_timeout(timers[i]);
  Hardware watchpoint 1: timers[0]->on_timeout
  Hardware watchpoint 1: timers[0]->on_timeout
  Old value = (void (*)(struct connection *)) 0x77202c6f
  New value = (void (*)(struct connection *)) 0x80202c6f
  0x800001b8 in new_message (...) at story_freed.c:68
  68              for (unsigned i = 0; (message->text[i] = text[i]); i++)
  Breakpoint 2 at 0x8000015c: file story_freed.c, line 39.
  Breakpoint 2, give_back (...) at story_freed.c:39
  39              block->next = free_blocks;
  #0  give_back (...) at story_freed.c:39
  #1  0x800001a0 in close_connection (...) at story_freed.c:61
  #2  0x8000021c in main () at story_freed.c:88
  [Inferior 1 (Remote target) detached]

Interrupts that stay off:

  $ story interrupt --at end <<'END'
  > last $mstatus
  > goto 1959
  > next
  > next
  > next
  > finish
  > END
  #1959 0x8000018e <put+0x2> story_interrupt.c:21  csrrc    x0, mstatus, x14
    mstatus = 0x1880
  #1959 0x8000018e <put+0x2> story_interrupt.c:21  csrrc    x0, mstatus, x14
    mstatus = 0x1880
  #0  0x8000018e in put (...) at story_interrupt.c:21
  21              csr_clear(mstatus, MSTATUS_MIE);
  22              if (queued == 4) {
  23                      dropped++;
  24                      return 0;
  main () at story_interrupt.c:46
  46                      wait_tick();
  Value returned is $1 = 0
  [Inferior 1 (Remote target) detached]

A race of two tasks:

  $ story race <<'END'
  > goto 3618
  > watch total
  > reverse-continue
  > delete
  > reverse-stepi
  > when
  > reverse-stepi
  > when
  > END
  #3618 0x800001aa <add_to_total+0xa> story_race.c:38  c.jr     x1
  #0  0x800001aa in add_to_total () at story_race.c:38
  38      }
  Hardware watchpoint 1: total
  Hardware watchpoint 1: total
  Old value = 145
  New value = 172
  0x800001a6 in add_to_total () at story_race.c:37
  37              total = total + 1;
  0x800001a4      37              total = total + 1;
  before #3616
  37              total = total + 1;
  before #3119
  [Inferior 1 (Remote target) detached]
