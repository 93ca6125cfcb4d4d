Each command refuses an option that it does not have, and says where its options are listed.

  $ for command in $(earshot --help | sed -n '/^First/q; s/^  \([a-z-]*\) .*/\1/p'); do
  >   said=$(earshot $command --nonsense 2>&1); echo $? $said
  > done
  2 earshot: 'capture' has no option --nonsense Try 'earshot capture --help'.
  2 earshot: 'decode' has no option --nonsense Try 'earshot decode --help'.
  2 earshot: 'convert' has no option --nonsense Try 'earshot convert --help'.
  2 earshot: 'browse' has no option --nonsense Try 'earshot browse --help'.
  2 earshot: 'show' has no option --nonsense Try 'earshot show --help'.
  2 earshot: 'grep' has no option --nonsense Try 'earshot grep --help'.
  2 earshot: 'state' has no option --nonsense Try 'earshot state --help'.
  2 earshot: 'history' has no option --nonsense Try 'earshot history --help'.
  2 earshot: 'gdb' has no option --nonsense Try 'earshot gdb --help'.
  2 earshot: 'why' has no option --nonsense Try 'earshot why --help'.
  2 earshot: 'check' has no option --nonsense Try 'earshot check --help'.
  2 earshot: 'diff' has no option --nonsense Try 'earshot diff --help'.
  2 earshot: 'infer' has no option --nonsense Try 'earshot infer --help'.
  2 earshot: 'stat' has no option --nonsense Try 'earshot stat --help'.
  2 earshot: 'profile' has no option --nonsense Try 'earshot profile --help'.
  2 earshot: 'calls' has no option --nonsense Try 'earshot calls --help'.
  2 earshot: 'memory' has no option --nonsense Try 'earshot memory --help'.
  2 earshot: 'timeline' has no option --nonsense Try 'earshot timeline --help'.
  2 earshot: 'coverage' has no option --nonsense Try 'earshot coverage --help'.
  2 earshot: 'branches' has no option --nonsense Try 'earshot branches --help'.
  2 earshot: 'report' has no option --nonsense Try 'earshot report --help'.
  2 earshot: 'top' has no option --nonsense Try 'earshot top --help'.
  2 earshot: 'info' has no option --nonsense Try 'earshot info --help'.
  2 earshot: 'list' has no option --nonsense Try 'earshot list --help'.
  2 earshot: 'doctor' has no option --nonsense Try 'earshot doctor --help'.
  2 earshot: 'selftest' has no option --nonsense Try 'earshot selftest --help'.
  2 earshot: 'flash' has no option --nonsense Try 'earshot flash --help'.
  2 earshot: 'load' has no option --nonsense Try 'earshot load --help'.
  2 earshot: 'serve' has no option --nonsense Try 'earshot serve --help'.
  2 earshot: 'index' has no option --nonsense Try 'earshot index --help'.
  2 earshot: 'cut' has no option --nonsense Try 'earshot cut --help'.
  2 earshot: 'join' has no option --nonsense Try 'earshot join --help'.
  2 earshot: 'archive' has no option --nonsense Try 'earshot archive --help'.
  2 earshot: 'restore' has no option --nonsense Try 'earshot restore --help'.
  2 earshot: 'farm' has no option --nonsense Try 'earshot farm --help'.
  2 earshot: 'new-board' has no option --nonsense Try 'earshot new-board --help'.
  2 earshot: 'control' has no option --nonsense Try 'earshot control --help'.
  2 earshot: 'dump' has no option --nonsense Try 'earshot dump --help'.
  2 earshot: 'android' has no option --nonsense Try 'earshot android --help'.
