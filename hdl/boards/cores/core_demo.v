// SPDX-License-Identifier: Apache-2.0
// The demo core of Earshot, RV32IC, with the capture unit: a model in the place of a core whose
// sources are not there, and an example of one that is.
`include "core_bench.vh"
`default_nettype none
module core_demo (
    `CORE_BENCH_PORTS
);
  `CORE_BENCH_UNIT(.STALL_SLACK(0))

  wire memory_valid;
  wire [31:0] memory_address;
  wire [3:0] memory_wmask;
  wire [31:0] memory_wdata;
  wire [31:0] memory_rdata;

  ear_demo_system #(
      .MULDIV  (0),
      .COUNTERS(0),
      .TIMER   (0)
  ) u_core (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .boot_address_i  (32'h8000_0000),
      .core_reset_i    (core_reset),
      .core_halt_i     (core_halt),
      .stall_i         (hold),
      .memory_valid_o  (memory_valid),
      .memory_address_o(memory_address),
      .memory_wmask_o  (memory_wmask),
      .memory_wdata_o  (memory_wdata),
      .memory_rdata_i  (memory_rdata),
      .memory_error_i  (1'b0),
      .port_rdata_i    (32'd0),
      .uart_ready_i    (1'b1),
      .exit_i          (1'b0),
      .exit_code_i     (16'd0),
      .fault_kind_i    (2'd0),
      .fault_op_valid_i(1'b0),
      .fault_op_i      (4'd0),
      .fault_period_i  (32'd0),
      .fault_mask_i    (32'd0),
      .rvfi_valid_o    (rvfi_valid),
      .rvfi_order_o    (rvfi_order),
      .rvfi_insn_o     (rvfi_insn),
      .rvfi_trap_o     (rvfi_trap),
      .rvfi_halt_o     (rvfi_halt),
      .rvfi_intr_o     (rvfi_intr),
      .rvfi_mode_o     (rvfi_mode),
      .rvfi_ixl_o      (rvfi_ixl),
      .rvfi_rd_addr_o  (rvfi_rd_addr),
      .rvfi_rd_wdata_o (rvfi_rd_wdata),
      .rvfi_pc_rdata_o (rvfi_pc_rdata),
      .rvfi_pc_wdata_o (rvfi_pc_wdata),
      .rvfi_mem_addr_o (rvfi_mem_addr),
      .rvfi_mem_rdata_o(rvfi_mem_rdata),
      .rvfi_mem_wdata_o(rvfi_mem_wdata),
      .rvfi_mem_rmask_o(rvfi_mem_rmask),
      .rvfi_mem_wmask_o(rvfi_mem_wmask),
      .rvfi_rs1_addr_o (rvfi_rs1_addr),
      .rvfi_rs2_addr_o (rvfi_rs2_addr),
      .rvfi_rs1_rdata_o(rvfi_rs1_rdata),
      .rvfi_rs2_rdata_o(rvfi_rs2_rdata),
      .rvfi_ext_debug_o(rvfi_ext_debug),
      .rvfi_ext_irq_o  (rvfi_ext_irq),
      .rvfi_ext_cause_o(rvfi_ext_cause)
  );

  core_memory u_memory (
      .clk_i    (clk_i),
      .valid_i  (memory_valid),
      .address_i(memory_address),
      .wmask_i  (memory_wmask),
      .wdata_i  (memory_wdata),
      .rdata_o  (memory_rdata)
  );
endmodule
`default_nettype wire
