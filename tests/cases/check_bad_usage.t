What 'check' refuses.

  $ cp $DATA/across/a.csv .
  $ refused check
  earshot: which trace?
  $ refused check --only nothing a.csv
  earshot: --only: 'nothing' is not rules with commas between, such as result,loaded (see --help)
  $ refused check --limit -1 a.csv
  earshot: --limit: '-1' is not a number
  $ refused check --assume zero=1 a.csv
  earshot: --assume: 'zero=1' is not REG=VALUE, such as sp=0x80010000 or mtvec=0; or reset
  $ refused check --assume sp a.csv
  earshot: --assume: 'sp' is not REG=VALUE, such as sp=0x80010000 or mtvec=0; or reset
  $ refused check --assume sp= a.csv
  earshot: --assume: 'sp=' is not REG=VALUE, such as sp=0x80010000 or mtvec=0; or reset
  $ refused check --assume 'sp=1 ' a.csv
  earshot: --assume: 'sp=1 ' is not REG=VALUE, such as sp=0x80010000 or mtvec=0; or reset
  $ refused check --assume v1=1 a.csv
  earshot: --assume: 'v1=1' is not REG=VALUE, such as sp=0x80010000 or mtvec=0; or reset
  $ refused check --junit a.csv a.csv
  earshot: a.csv: is the file that is read; write to another one
  $ refused check --json --junit - a.csv
  earshot: --json and --junit - both write to standard output
  $ refused check --junit none/j.xml a.csv
  earshot: none/j.xml: No such file or directory
