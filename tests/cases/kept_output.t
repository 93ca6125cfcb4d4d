A file of -o keeps what it holds until there is something to write: not if the input is no trace.

  $ printf 'this is\nno trace\n' > text
  $ head -c 3000 $DATA/shot/states-1.shot | tail -c 2900 > bytes
  $ : > empty
  $ mkdir folder
  $ try() {
  >   for input in text bytes empty folder missing; do
  >     seq 100000 > $file; cp $file before
  >     earshot "$@" $input > /dev/null 2> error && echo "$*, $input: no error"
  >     cmp -s $file before || echo "$*, $input: $(stat -c %s $file) bytes are left"
  >   done
  > }
  $ file=out.json; try profile -f json -o out.json
  $ file=out.pb; try profile -f pprof -o out.pb
  $ file=out.part; try profile --part 1/2 -o out.part
  $ file=out.info; try coverage -o out.info
  $ file=out.json; try timeline -o out.json
  $ file=out.vcd; try timeline -o out.vcd
  $ file=out.part; try timeline --part 1/2 -o out.part
  $ file=out.csv; try decode -o out.csv
  $ file=out.csv.gz; try decode -o out.csv.gz
  $ file=out.csv; try convert -o out.csv
  $ file=out.shot; try convert -o out.shot

Of a trace, nothing of the older text is left.

  $ new() {
  >   seq 100000 > $file
  >   earshot "$@" $DATA/shot/states-1.shot > /dev/null 2> error || cat error
  >   tail -n 1 $file | cut -c 1-40
  > }
  $ file=out.json; new profile -f json -o out.json
  ]}
  $ file=out.part; new profile --part 1/2 -o out.part
  end 74
  $ file=out.json; new timeline -o out.json
  "otherData":{"time":"1 ns is one instruc
  $ file=out.vcd; new timeline -o out.vcd
  #6000
  $ file=out.part; new timeline --part 1/2 -o out.part
  end 560
  $ file=out.csv; new decode -o out.csv
  80000260,37f1,x1=80000262,iffffffcc,,,m,
  $ file=out.csv; new decode --limit 0 -o out.csv
  $ file=out.csv; new convert -o out.csv
  80000260,37f1,x1=80000262,iffffffcc,,,m,
  $ file=out.xml; new check --junit out.xml
  </testsuites>

The file of --junit says to a CI server that the trace could not be read.

  $ seq 100000 > out.xml
  $ earshot check --junit out.xml text > /dev/null 2> error
  [2]
  $ tail -n 3 out.xml
      </testcase>
    </testsuite>
  </testsuites>
