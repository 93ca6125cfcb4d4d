'diff' compares what both sides have; where that is nothing, they are not the same.

  $ cp $DATA/whisper/fpmix.csv a.csv
  $ header() { head -n 1 a.csv; }
  $ (header; echo "# gap: 3399 records missing; index 0 to 3398; hart 0; the unit's FIFO was full; stream byte 100") >lost.csv
  $ earshot diff a.csv lost.csv
  earshot: warning: lost.csv is a part: the unit dropped 3399 records
  B has a gap here (the unit's FIFO was full): 3399 records of A are not compared
    B: lost.csv, record 0, line 2
  nothing was compared; 1 gap, over which 3399 records were not compared
  [2]
  $ earshot diff --status lost.csv lost.csv
  [2]

A trace that was joined late and cut off:

  $ gap() { echo "# gap: an unknown number of records is missing $1 index $2; hart 0; damaged bytes; stream byte 100"; }
  $ (header; gap before 2000; sed -n 2002,3001p a.csv; gap after 2999) >part.csv
  $ earshot diff --json a.csv part.csv
  earshot: warning: part.csv is damaged: an unknown number of records is missing
  {"kind":"gap","side":"b","count_a":2000,"count_b":0,"a":{"record":2000,"number":2000,"place":"line 2002","hart":0,"pc":"0x8000010c","opcode":"0x721"},"b":{"record":0,"number":0,"place":"line 2","hart":0}}
  {"kind":"gap","side":"b","count_a":399,"count_b":0,"b":{"record":1000,"number":1000,"place":"line 1003","hart":0}}
  {"kind":"summary","same":true,"pairs":1000,"differences":0,"only_a":0,"only_b":0,"gaps":2,"not_compared_a":2399,"not_compared_b":0,"a":{"complete":null,"accounted":null},"b":{"complete":false,"accounted":false}}
  [2]
  $ earshot diff --json part.csv a.csv
  earshot: warning: part.csv is damaged: an unknown number of records is missing
  {"kind":"gap","side":"a","count_a":0,"count_b":2000,"a":{"record":0,"number":0,"place":"line 2","hart":0},"b":{"record":2000,"number":2000,"place":"line 2002","hart":0,"pc":"0x8000010c","opcode":"0x721"}}
  {"kind":"gap","side":"a","count_a":0,"count_b":399,"a":{"record":1000,"number":1000,"place":"line 1003","hart":0}}
  {"kind":"summary","same":true,"pairs":1000,"differences":0,"only_a":0,"only_b":0,"gaps":2,"not_compared_a":0,"not_compared_b":2399,"a":{"complete":false,"accounted":false},"b":{"complete":null,"accounted":null}}
  [2]
  $ earshot diff part.csv part.csv
  earshot: warning: part.csv is damaged: an unknown number of records is missing
  earshot: warning: part.csv is damaged: an unknown number of records is missing
  A has a gap here (damaged bytes): 0 records of B are not compared
    A: part.csv, record 0, line 2
  
  B has a gap here (damaged bytes): 0 records of A are not compared
    B: part.csv, record 0, line 2
  
  A has a gap here (damaged bytes): 0 records of B are not compared
    A: part.csv, record 1000, line 1003
  
  B has a gap here (damaged bytes): 0 records of A are not compared
    B: part.csv, record 1000, line 1003
  the same: 1000 records; 4 gaps, over which 0 records were not compared
  [2]
