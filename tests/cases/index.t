'index' builds an index beside a trace, finds it again, and builds it anew when the trace changed.

  $ cp $DATA/across/a.csv .
  $ earshot index --no-build a.csv
  earshot: a.csv: there is no index
  [2]
  $ earshot index a.csv | grep -v per_second
  a.csv.idx: built
  records: 31
  size: 439
  bits_per_record: 113.2903
  $ earshot index --no-build a.csv
  a.csv.idx: found
  records: 31
  size: 439
  bits_per_record: 113.2903
  $ earshot index --verify a.csv
  a.csv.idx: found
  records: 31
  size: 439
  bits_per_record: 113.2903
  verified: yes
  $ earshot index --json $DATA/shot/states-1.shot -j 2 -o s.idx | sed 's/, "seconds.*//'
  {"index": "s.idx", "action": "built", "cached": false, "verified": false, "size": 442, "records": 6000, "bits_per_record": 0.5893
  $ sed -i 's/x7=1,/x7=9,/' a.csv
  $ earshot index --no-build a.csv
  earshot: a.csv: the trace has changed
  [2]
  $ earshot index a.csv | head -n 1
  a.csv.idx: built
  $ earshot index --no-build --xlen 32 a.csv
  earshot: a.csv: the index is of other options, as --xlen, --unit and --elf
  [2]

A damaged index, and one of another version, are built anew. A pipe has none.

  $ earshot index --rebuild -o t.idx a.csv | head -n 1
  t.idx: built
  $ printf x | dd of=t.idx bs=1 seek=$(($(stat -c %s t.idx) - 10)) conv=notrunc status=none
  $ earshot index --no-build -o t.idx a.csv
  earshot: a.csv: the index is damaged
  [2]
  $ earshot index -o t.idx a.csv | head -n 1
  t.idx: built
  $ printf '\2' | dd of=t.idx bs=1 seek=8 conv=notrunc status=none
  $ earshot index --no-build -o t.idx a.csv
  earshot: a.csv: the index is of another version
  [2]
  $ earshot index -o t.idx a.csv | head -n 1
  t.idx: built
  $ cat a.csv | earshot index -
  earshot: -: an index needs a file, and this is a pipe
  [2]

Nothing but a file or a new name becomes an index: not the trace, no FIFO, no link to a device.

  $ earshot index -o a.csv a.csv
  earshot: a.csv: is the file that is read; write to another one
  [2]
  $ mkfifo a.csv.fifo
  $ earshot index -o a.csv.fifo a.csv
  earshot: a.csv: what is there is no file that an index may replace
  [2]
  $ test -p a.csv.fifo
  $ ln -s /dev/zero zero.idx
  $ earshot index -o zero.idx a.csv
  earshot: a.csv: what is there is no file that an index may replace
  [2]
  $ test -c zero.idx
  $ mkdir folder
  $ earshot index -o folder a.csv
  earshot: a.csv: what is there is no file that an index may replace
  [2]
  $ mkfifo s.csv.idx
  $ cp a.csv s.csv
  $ timeout 60 earshot state --reg x7 s.csv
  position  31, after 31 instructions; hart 0
  last pc   0x0000000080000054
  next pc   0x0000000080000058
  privilege M
  
  t2        0x0000000000000000

A trace beside which nothing can be written has its index in the cache, whose folder is made.

  $ root= && [ "$(id -u)" != 0 ] || root="setpriv --bounding-set=-dac_override,-dac_read_search"
  $ mkdir ro && cp a.csv ro && chmod 555 ro
  $ export XDG_CACHE_HOME=$PWD/all/caches
  $ $root earshot index ro/a.csv | sed 's/[0-9a-f]\{32\}/HASH/' | head -n 1
  */all/caches/earshot/HASH.idx: built, in the cache (glob)
  $ $root earshot index --cache own/cache ro/a.csv | sed 's/[0-9a-f]\{32\}/HASH/' | head -n 1
  own/cache/HASH.idx: built, in the cache
  $ $root earshot index --no-build --cache own/cache ro/a.csv | sed 's/[0-9a-f]\{32\}/HASH/' | head -n 1
  own/cache/HASH.idx: found, in the cache
  $ XDG_CACHE_HOME=/proc/self $root earshot index ro/a.csv
  earshot: ro/a.csv: no folder for the index can be written
  [2]
  $ chmod 755 ro

What comes behind the last record belongs to the trace that the index was made of.

  $ earshot convert -q --quiet-loss -f whisper-log a.csv -o t.whisper.log && echo 'bye' >> t.whisper.log
  $ earshot index t.whisper.log 2>/dev/null | head -n 1
  t.whisper.log.idx: built
  $ earshot index --verify t.whisper.log 2>/dev/null | tail -n 1
  verified: yes
