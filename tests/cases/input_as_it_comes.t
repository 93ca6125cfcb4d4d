Texts as other programs leave them: packed, with marks, colours, and something before each line.

  $ cp $DATA/whisper/timer.csv .
  $ same() { earshot diff --status timer.csv "$1" && earshot info "$1" | grep -E '^(format|records)'; }
  $ pack() { python3 -c "import $1; open('timer.csv.$1', 'wb').write($1.compress(open('timer.csv', 'rb').read()))"; }
  $ pack lzma && same timer.csv.lzma
  format: whisper
  records: 287
  $ pack bz2 && same timer.csv.bz2
  format: whisper
  records: 287
  $ { printf '\357\273\277'; cat timer.csv; } >bom.csv
  $ same bom.csv
  format: whisper
  records: 287
  $ iconv -t UTF-16 timer.csv >wide.csv
  $ same wide.csv
  format: whisper
  records: 287
  $ sed 's/^/# /; s/$/\r/' timer.csv >questa.csv
  $ same questa.csv
  format: whisper
  records: 287
  $ sed 's,^,//,' timer.csv | earshot diff --status timer.csv -
  $ sed 's/,/,\x1b[1;32m/; s/$/\x1b[0m/' timer.csv | earshot diff --status timer.csv -
  $ earshot diff --status -j 3 timer.csv questa.csv
  $ earshot state --at 20 questa.csv | head -n 2
  position  21, after 21 instructions; hart 0
  last pc   0x000000008000003c
  $ head -c 500 timer.csv.lzma | earshot convert - | tail -n 1
  earshot: standard input: the compressed data are cut off, at byte 500 of the file
  80000032,62f663,,x5;x6;ic,,nt,m,,bgeu     x5; x6; . + 0xc,0

What was taken away does not come back from a capture file, and that is said. What is data stays.

  $ (printf '\357\273\277'; cat $DATA/across/a.csv) > mark.csv
  $ earshot convert mark.csv -o mark.shot
  earshot: warning: mark.csv: it comes back without its byte order mark, NUL characters, colours and prefixes, and not as UTF-16
  $ sed '2s/$/\x1b[31m/' $DATA/across/a.csv > escape.csv
  $ earshot convert -q escape.csv -o escape.shot 2>/dev/null; earshot convert escape.shot -o back.csv && cmp escape.csv back.csv
  earshot: warning: escape.shot: 1 gap: 0 records lost by the unit, 0 on the way, and an unknown number elsewhere
