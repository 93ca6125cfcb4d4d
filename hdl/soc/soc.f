// The demo core and its system, ear_demo_system; paths are from the root of the tree.
hdl/soc/ear_demo_alu.v
hdl/soc/ear_demo_clint.v
hdl/soc/ear_demo_core.v
hdl/soc/ear_demo_csr.v
hdl/soc/ear_demo_expand.v
hdl/soc/ear_demo_load.v
hdl/soc/ear_demo_muldiv.v
hdl/soc/ear_demo_ram.v
hdl/soc/ear_demo_system.v
hdl/soc/ear_demo_uart_tx.v
