'diff' shows vector registers whole, and a masked element is not a written zero.

  $ cp $DATA/whisper/vector.csv a.csv
  $ edited() { sed "$1" a.csv >b.csv; earshot diff -c0 a.csv b.csv; earshot diff --json a.csv b.csv | head -n 1; }
  $ edited 's/v2=\(.*\)1,x11,/v2=\19,x11,/'
  hart 0, pc 0x8000008a (vle32.v v2, (x11)): v2 is 0x00000004000000030000000200000001 in A and 0x00000004000000030000000200000009 in B
    A: a.csv, record 1, line 3
    B: b.csv, record 1, line 3
    A 8000008a,205e107,v2=00000004000000030000000200000001,x11,80001000;80001004;80001008;8000100c,v,m,,vle32.v v2; (x11),0
    B 8000008a,205e107,v2=00000004000000030000000200000009,x11,80001000;80001004;80001008;8000100c,v,m,,vle32.v v2; (x11),0
  1 difference in 2 records compared
  {"kind":"different","field":"v","register":"v2","value_a":"0x00000004000000030000000200000001","value_b":"0x00000004000000030000000200000009","a":{"record":1,"number":1,"place":"line 3","hart":0,"pc":"0x8000008a","opcode":"0x205e107"},"b":{"record":1,"number":1,"place":"line 3","hart":0,"pc":"0x8000008a","opcode":"0x205e107"}}
  $ edited 's/v2=[0-9a-f]*,x11,/,x11,/'
  hart 0, pc 0x8000008a (vle32.v v2, (x11)): v2 is 0x00000004000000030000000200000001 in A and not there in B
    A: a.csv, record 1, line 3
    B: b.csv, record 1, line 3
    A 8000008a,205e107,v2=00000004000000030000000200000001,x11,80001000;80001004;80001008;8000100c,v,m,,vle32.v v2; (x11),0
    B 8000008a,205e107,,x11,80001000;80001004;80001008;8000100c,v,m,,vle32.v v2; (x11),0
  1 difference in 2 records compared
  {"kind":"different","field":"v","register":"v2","value_a":"0x00000004000000030000000200000001","a":{"record":1,"number":1,"place":"line 3","hart":0,"pc":"0x8000008a","opcode":"0x205e107"},"b":{"record":1,"number":1,"place":"line 3","hart":0,"pc":"0x8000008a","opcode":"0x205e107"}}
  $ edited 's/80001048m=0/80001048=0/'
  hart 0, pc 0x8000009c (vse32.v v6, (x12)): the element at address 0x80001048 is masked in A and not masked in B
    A: a.csv, record 4, line 6
    B: b.csv, record 4, line 6
    A 8000009c,2066327,,v6m2;x12,80001040=4;80001044=a;80001048m=0;8000104cm=0,v,m,,vse32.v v6; (x12),0
    B 8000009c,2066327,,v6m2;x12,80001040=4;80001044=a;80001048=0;8000104cm=0,v,m,,vse32.v v6; (x12),0
  1 difference in 5 records compared
  {"kind":"different","field":"masked","value_a":"0x1","value_b":"0x0","a":{"record":4,"number":4,"place":"line 6","hart":0,"pc":"0x8000009c","opcode":"0x2066327"},"b":{"record":4,"number":4,"place":"line 6","hart":0,"pc":"0x8000009c","opcode":"0x2066327"}}

What is shown for a masked element is no value.

  $ edited 's/80001048m=0/80001048m=7/'
  the same: 8 records
  {"kind":"summary","same":true,"pairs":8,"differences":0,"only_a":0,"only_b":0,"gaps":0,"not_compared_a":0,"not_compared_b":0,"a":{"complete":null,"accounted":null},"b":{"complete":null,"accounted":null}}
