// What connects a core to ear_unit; paths are from the root of the tree. With hdl/rtl/rtl.f:
//   verilator --lint-only -Wall -f hdl/rtl/rtl.f -f hdl/adapters/adapters.f --top-module ear_rvfi
+incdir+hdl/adapters
hdl/adapters/ear_cv32e40x.v
hdl/adapters/ear_cva6.v
hdl/adapters/ear_femtorv.v
hdl/adapters/ear_hold.v
hdl/adapters/ear_hold_ahb.v
hdl/adapters/ear_rocket.v
hdl/adapters/ear_rvfi.v
hdl/adapters/ear_rvfi_csrs.v
hdl/adapters/ear_rvfi_next.v
hdl/adapters/ear_unit_ft245.v
hdl/adapters/ear_unit_fx2.v
hdl/adapters/ear_unit_uart.v
