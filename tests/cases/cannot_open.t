A file that is not there, and a folder without a trace, are refused by each command that reads one.

  $ all='decode dump convert grep show state gdb why check profile calls memory index'
  $ for command in info $all; do refused $command none.shot; done | uniq -c
       14 earshot: none.shot: No such file or directory
  $ mkdir folder
  $ for command in $all; do refused $command folder; done | uniq -c
        2 earshot: folder: is a folder
        2 earshot: folder: there is no trace in it
        4 earshot: folder: is a folder without qtrace.static
        2 earshot: folder: there is no trace in it
        3 earshot: folder: is a folder without qtrace.static
  $ refused info folder
  earshot: folder: there is no trace in it
  $ refused diff none.shot none.shot
  earshot: none.shot: No such file or directory
  $ refused why --value a0 none.shot
  earshot: none.shot: No such file or directory
  $ refused timeline none.shot -o t.vcd
  earshot: none.shot: No such file or directory
  $ refused coverage none.shot -o t.info
  earshot: none.shot: No such file or directory
  $ refused android read_pid none
  earshot: none: No such file or directory
  $ ls
  folder
