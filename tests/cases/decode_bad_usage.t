What 'decode', 'info', 'dump', 'list' and 'doctor' refuse.

  $ cp $DATA/shot/states-1.shot t.shot
  $ refused decode
  earshot: which file?
  $ refused decode a b
  earshot: one file, please
  $ refused decode -f nonsense a
  earshot: there is no format 'nonsense'; 'earshot convert --help' lists them
  $ refused decode -f qtrace t.shot
  earshot: -f qtrace makes a folder: use 'earshot convert -f qtrace -o NAME'
  $ refused decode --limit x a
  earshot: --limit: 'x' is not a number
  $ refused decode --comments perhaps a
  earshot: --comments: 'perhaps' is not one of: no yes
  $ refused decode t.shot -o none/t.csv
  earshot: none/t.csv: No such file or directory
  $ refused decode t.shot -o t.shot
  earshot: t.shot: is the file that is read; write to another one
  $ refused decode t.shot -o /dev/full
  earshot: /dev/full: No space left on device
  $ refused info
  earshot: which file?
  $ refused dump --limit -1 a
  earshot: --limit: '-1' is not a number
  $ refused list a
  earshot: takes no arguments
  $ refused doctor a
  earshot: takes no arguments

What cannot be cut out:

  $ refused decode t.shot --limit 0 -o p.shot
  earshot: no record is selected, and a part has at least one
  $ refused decode t.shot --from 5 --to 4 -o p.shot
  earshot: no record is selected, and a part has at least one
  $ refused decode t.shot --from 1099511627776 -o p.shot
  earshot: warning: t.shot: it has 6000 instruction records, none from number 1099511627776 on
  earshot: t.shot: the file is empty

Names need a program, and a format that has room for them.

  $ refused decode --names -f spike t.shot
  earshot: --names: the format spike has no room for names
  $ refused decode --names t.shot
  earshot: --names: there is no program to take names from (no ELF given: use --elf FILE)
  $ refused decode -f spike --elf t.shot t.shot
  earshot: t.shot: not an ELF file
  $ refused decode -f spike --elf none t.shot
  earshot: none: No such file or directory
  $ refused decode -f whisper --elf t.shot t.shot
  earshot: --elf labels a Spike log: it needs -f spike, or --names
