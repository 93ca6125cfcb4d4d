A misspelt command or option is answered with the nearest one, if one is near.

  $ earshot captrue
  earshot: there is no command 'captrue'; did you mean 'capture'?
  Try 'earshot --help'.
  [2]
  $ refused help dif
  earshot: there is no command 'dif'; did you mean 'diff'?
  $ refused capture --ouput a.shot
  earshot: 'capture' has no option --ouput; did you mean --output?
  $ refused grep --beofre=1 a
  earshot: 'grep' has no option --beofre; did you mean --before?
  $ refused show --aruond=1 a
  earshot: 'show' has no option --aruond; did you mean --around?
  $ refused index --verfy a
  earshot: 'index' has no option --verfy; did you mean --verify?
  $ refused capture --re a
  earshot: --re may mean any of --reset, --reconnect, --record
  $ refused zzz
  earshot: there is no command 'zzz'
  $ refused x
  earshot: there is no command 'x'
  $ refused capture --zzz
  earshot: 'capture' has no option --zzz
  $ refused help nonsense
  earshot: there is no command 'nonsense'
  $ refused --nonsense
  earshot: there is no command '--nonsense'
  $ earshot 2>&1 | head -n 2
  usage: earshot COMMAND [OPTION]...
  Hear everything a core retires.

An option has its argument, or none.

  $ refused decode -Z
  earshot: 'decode' has no option -Z
  $ refused decode --quiet=1 a
  earshot: --quiet takes no argument
  $ refused decode -o
  earshot: -o needs an argument: OUT
  $ refused decode --output
  earshot: --output needs an argument: OUT
