'grep' takes registers by any name, causes as a trace shows them, modes in any spelling.

  $ cp $DATA/whisper/timer.csv $DATA/whisper/vector.csv $DATA/whisper/multi.csv .
  $ earshot grep -c --reg a4 timer.csv
  40
  $ earshot grep -c --reg x14 timer.csv
  40
  $ grep -c 'x14=' timer.csv
  40
  $ earshot grep -c --trap=0x8000000000000007 timer.csv
  3
  $ grep -c ',8000000000000007,' timer.csv
  3
  $ earshot grep -c --privilege M,S timer.csv
  287
  $ earshot grep -c --privilege vsu timer.csv
  0
  [1]
  $ earshot grep -c --reg v2 vector.csv
  2

An element that the mask switched off was not touched.

  $ earshot grep -c --addr 0x80001048 vector.csv
  1

A format of one hart takes the records of one.

  $ earshot grep -f tarmac --hart 1 multi.csv | grep -c ' IT ('
  91
  $ earshot grep -c --hart 1 multi.csv
  91
