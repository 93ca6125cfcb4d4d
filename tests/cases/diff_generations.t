The run of diff_logs.t as Earshot writes it, and in the lines of tracers of several years: each says
the same as far as it goes.

  $ cp $DATA/logs/forms/records.jsonl .
  $ same() { echo "$1: $(earshot diff $1 records.jsonl 2>&1 | grep same | cut -d';' -f1)"; }
  $ for form in spike whisper whisper-log riscv-dv rvvi tarmac qemu4v; do
  >   earshot convert -q --quiet-loss records.jsonl -f $form -o $form && same $form
  > done
  spike: the same: 68 records
  whisper: the same: 68 records
  whisper-log: the same: 68 records
  riscv-dv: the same: 68 records
  rvvi: the same: 68 records
  tarmac: the same: 68 records
  qemu4v: the same: 68 records
  $ cat >forms.py <<'END'
  > import json, sys
  > form, out = sys.argv[1], []
  > for i, r in enumerate(map(json.loads, open('records.jsonl'))):
  >     pc, op, trap = int(r['pc'], 16), int(r['opcode'], 16), r.get('trap')
  >     writes = [] if trap else [(w['number'], int(w['value'], 16)) for w in r.get('registers', []) if w['class'] == 'x']
  >     reads = [(w['number'], int(w['value'], 16)) for w in r.get('reads', []) if w['class'] == 'x']
  >     memory = [] if trap else [(m['write'], int(m['address'], 16), m['size'], int(m.get('value', '0'), 16)) for m in r.get('memory', [])]
  >     digits = 2 * r['opcode_size']
  >     if form.startswith('cva6'):
  >         name = {'0x2': 'ILLEGAL_INSTR', '0xb': 'ENV_CALL_MMODE'}
  >         if trap:
  >             out.append(f"{name[r['cause']]} exception @ 0x{pc:016x} (0x{op:0{digits}x})")
  >             continue
  >         out.append(f"core   0: 0x{pc:016x} (0x{op:08x}) DASM({op:08x})")
  >         line = f"3 0x{pc:016x} (0x{op:0{digits}x})" + ''.join(f" x{n:2} 0x{v:08x}" for n, v in writes)
  >         for write, address, size, value in memory:
  >             if write or len(memory) == 1:
  >                 line += f" mem 0x{address:016x}" + (f" 0x{value:08x}" if write else '')
  >         out.append(line)
  >     elif form.startswith('ibex'):
  >         if i == 0 and form != 'ibex-2019':
  >             out.append('Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents')
  >         mark = {'ibex-2026': '-->'}.get(form, '') if trap else ''
  >         line = f"{2 * i:15}\t{i:10}\t{pc:08x}\t{op:0{digits}x}\t{mark}{r['mnemonic']}\t"
  >         line += ''.join(f" x{n}:0x{v:08x}" for n, v in reads) + ''.join(f" x{n}=0x{v:08x}" for n, v in writes)
  >         for write, address, size, value in memory[-1:]:
  >             line += f" PA:0x{address:08x}"
  >             if form == 'ibex-2026':
  >                 line += f" {'store' if write else 'load'}:0x{value:0{2 * size}x}".replace(':0x', ':0x' + '?' * (8 - 2 * size) if write else ':0x')
  >             else:
  >                 line += f" store:0x{value if write else 0:08x}" + (' load:0x00000000' if write else '')
  >         out.append(line)
  >     elif form.startswith('sail'):
  >         out.append(f"mem[X,0x{pc:010X}] -> 0x{op & 0xFFFF:04X}")
  >         text = '[%d] [M]: 0x%08X (0x%0*X) %s' % (i, pc, digits, op, r['mnemonic'])
  >         out.append(text)
  >         for write, address, size, value in memory:
  >             where = f"mem[{'W,' if write else 'R,'}0x{address:010X}]" if form == 'sail-2026' or not write else f"mem[0x{address:010X}]"
  >             out.append(f"{where} {'<-' if write else '->'} 0x{value:0{2 * size}X}")
  >         out += [f"x{n} <- 0x{v:08X}" for n, v in writes]
  >         if trap:
  >             cause = {'0x2': 'illegal-instruction', '0xb': 'm-call'}[r['cause']]
  >             out.append(f"trapping from M to M to handle {cause}")
  >             out.append(f"handling exc#0x0{r['cause'][2:]} at priv M with tval 0x{op if cause[0] == 'i' else 0:08X}")
  >     elif form == 'rocket':
  >         if not trap:
  >             out.append(f"3 0x{pc:016x} (0x{op:08x})" + ''.join(f" x{n:2} 0x{v:016x}" for n, v in writes))
  > print('\n'.join(out))
  > END
  $ for form in cva6-2024 ibex-2019 ibex-2024 ibex-2026 sail-2023 sail-2026; do
  >   python3 forms.py $form >$form && same $form
  > done
  cva6-2024: the same: 68 records
  ibex-2019: the same: 68 records
  ibex-2024: the same: 68 records
  ibex-2026: the same: 68 records
  sail-2023: the same: 68 records
  sail-2026: the same: 68 records

Rocket's commit log prints 16 digits for RV32, too, and has no traps.

  $ python3 forms.py rocket >rocket && earshot diff rocket records.jsonl 2>/dev/null | head -n 1 | cut -d';' -f1
  the same: 66 records
