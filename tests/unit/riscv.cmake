# The RISC-V instruction table (decoder/riscv).
ear_add_test(test_riscv_samples SOURCES test_riscv_samples.c LIBRARIES ear_riscv)
