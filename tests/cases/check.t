'check' finds what an instruction cannot have done.

  $ cp $DATA/across/a.csv .
  $ earshot check a.csv
  rule              checked     violations   not checked:    absent   unknown extension   changes
  order                  30              0                        0         1         0         0
  flow                   29              0                        0         2         0         0
  operand                 0              0                       17         0         0         0
  result                 23              0                        0         0         0         0
  next-pc                29              0                        0         0         0         0
  access                  0              0                        0         4         0         0
  stored                  2              0                        0         0         0         0
  loaded                  1              0                        0         1         0         0
  trap                    4              0                        1         0         0         0
  return                  0              0                        2         0         0         0
  csr                     0              0                        0         0         0         2
  interrupt               0              0                        0         1         0         0
  pmp                     0              0                        0         0         0         0
  31 instructions, 0 violations
  $ sed -i 's/x9=dc,/x9=dd,/' a.csv
  $ earshot check --only result,loaded a.csv
  #17 0x80000020: result: x9 is 0xdd, but sub of x8=0x528 and x6=0x44c is 0xdc
  
  rule              checked     violations   not checked:    absent   unknown extension   changes
  result                 23              1                        0         0         0         0
  loaded                  1              0                        0         1         0         0
  31 instructions, 1 violation
  [1]
  $ earshot check --only result --json a.csv
  {"found": [
    {"record": 17, "hart": 0, "pc": "0x80000020", "rule": "result", "expected": "0xdc", "actual": "0xdd", "text": "x9 is 0xdd, but sub of x8=0x528 and x6=0x44c is 0xdc"}
  ], "records": 31, "instructions": 31, "violations": 1, "end_missing": null, "complete": null, "accounted": null, "rules": {
    "result": {"checked": 23, "violations": 1, "absent": 0, "unknown": 0, "extension": 0, "changes": 0}
  }}
  [1]
  $ earshot check -q --only result --junit - a.csv
  <?xml version="1.0" encoding="UTF-8"?>
  <testsuites>
    <testsuite name="earshot check a.csv" tests="1" failures="1" skipped="0" errors="0">
      <testcase classname="earshot.check" name="result">
        <failure message="#17 0x80000020: x9 is 0xdd, but sub of x8=0x528 and x6=0x44c is 0xdc">1 violation; the first one: #17 0x80000020: x9 is 0xdd, but sub of x8=0x528 and x6=0x44c is 0xdc</failure>
        <system-out>checked 23, absent 0, unknown 0, extension 0, changes 0</system-out>
      </testcase>
    </testsuite>
  </testsuites>
  [1]
As many violations are printed as --limit says; 0 is all.

  $ sed -i 's/=0x44c,/=0x44d,/; s/x6=44c/x6=44d/; s/x7=\([0-9a-f]\)/x7=7\1/' a.csv
  $ earshot check -q --limit 1 a.csv | grep -c '^#'
  1
  $ earshot check -q --limit 0 a.csv | grep -c '^#'
  6
