What --isa refuses.

  $ refused convert --isa rv64imac_zbogus $DATA/across/a.csv
  earshot: --isa: there is no extension 'zbogus'
  $ refused convert --isa rv128i $DATA/across/a.csv
  earshot: --isa: 'rv128i' is not an ISA string (rv64gc_zba) nor a profile (rva23u64)
  $ refused convert --isa z80 $DATA/across/a.csv
  earshot: --isa: 'z80' is not an ISA string, nor one of: riscv arm thumb thumbee jazelle aarch64 mips mips64
  $ refused convert --xlen 32 --isa rv64i $DATA/across/a.csv
  earshot: --isa has XLEN 64, and --xlen is 32
  $ refused convert --isa rv64i --xlen 32 $DATA/across/a.csv
  earshot: --isa has XLEN 64, and --xlen is 32
