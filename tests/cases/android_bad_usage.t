What 'android' refuses, and folders that are damaged.

  $ cp -r $DATA/qtrace/sample1/post $DATA/qtrace/kernel.elf .
  $ mkdir folder
  $ refused android
  earshot: which tool?
  $ refused android nonsense x
  earshot: there is no tool 'nonsense'
  $ refused android read_pid
  earshot: read_pid of which folder?
  $ refused android read_pid post kernel.elf
  earshot: read_pid takes a folder
  $ refused android bb_dump post kernel.elf x
  earshot: bb_dump takes a folder and an ELF file
  $ refused android q2dm post kernel.elf
  earshot: q2dm into which file?
  $ refused android q2dm post kernel.elf none/x
  earshot: post: none/x: No such file or directory
  $ refused android q2g post kernel.elf kernel.elf
  earshot: kernel.elf: is the file that is read; write to another one
  $ refused android read_pid folder
  earshot: folder: is a folder without qtrace.static
  $ refused android bb_dump post none
  earshot: warning: none: No such file or directory: its code has no names
  earshot: post: none: names of it are needed
  $ refused android bb_dump post post/qtrace.bb
  earshot: warning: post/qtrace.bb: qtrace.bb: not an ELF file: its code has no names
  earshot: post: post/qtrace.bb: names of it are needed
  $ refused android -r none bb_dump post kernel.elf
  earshot: post: none: No such file or directory
  $ refused android -l x bb_dump post
  earshot: --lump: 'x' is not one of: :kernel :libs
  $ refused android stack_dump -d 2904 post kernel.elf
  earshot: post: no block begins after the time 2904
  $ printf '#/a.apk\n0x10 1 a b c d\n' >post/qtrace.dexlist
  $ refused android read_pid post
  earshot: post: qtrace.dexlist, line 2: this is not '#PATH', nor a method after the one before: ADDRESS SIZE CLASS METHOD SIGNATURE FILE LINE
  $ rm post/qtrace.dexlist
  $ printf '\5\4\0\0\5\1\0\1\0\0' >post/qtrace.method
  $ refused android read_method post | tail -n 1
  earshot: post: qtrace.method, time 10: pid 0 leaves the method at 0x00000005, but is in the one at 0x00000004
  $ printf '\5\3\300\200\0\0\0' >post/qtrace.pid
  $ refused android profile_pid post
  earshot: post: qtrace: the pid 32768 is above 32767

A record whose time is that of the one before is refused by each command, with file and byte.

  $ printf '\1\1\0\1\0\0\0\0\0' >post/qtrace.bb
  $ for command in convert show info "diff $DATA/qtrace/sample1/raw"; do refused $command post; done
  earshot: post: qtrace.bb, byte 3: the time is that of the record before
  earshot: post: qtrace.bb, byte 3: the time is that of the record before
  earshot: post: qtrace.bb, byte 3: the time is that of the record before
  earshot: post: qtrace.bb, byte 3: the time is that of the record before
  $ refused index post
  earshot: post: qtrace.bb, byte 3: the time is that of the record before
  $ rm post/qtrace.exc
  $ refused convert post
  earshot: post: qtrace.exc: No such file or directory
