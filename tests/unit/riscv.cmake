# The RISC-V instruction table (decoder/isa).
ear_add_test(test_riscv_inst SOURCES test_riscv_inst.c LIBRARIES ear_decoder_isa)
ear_add_test(test_riscv_table SOURCES test_riscv_table.c LIBRARIES ear_decoder_isa)
ear_add_test(test_riscv_samples SOURCES test_riscv_samples.c LIBRARIES ear_decoder_isa)
ear_add_test(test_riscv_binutils SOURCES test_riscv_binutils.c LIBRARIES ear_decoder_isa)
