// SPDX-License-Identifier: Apache-2.0
// NERV with the capture unit, held with its input `stall`.
`include "core_bench.vh"
`default_nettype none
module core_nerv (
    `CORE_BENCH_PORTS
);
  `CORE_BENCH_UNIT(`EAR_CORE_NERV)

  wire [31:0] imem_addr;
  wire [31:0] imem_data;
  wire dmem_valid;
  wire [31:0] dmem_addr;
  wire [3:0] dmem_wstrb;
  wire [31:0] dmem_wdata;
  wire [31:0] dmem_rdata;

  nerv #(
      .RESET_ADDR(32'h8000_0000)
  ) u_core (
      .clock     (clk_i),
      .reset     (!core_rst_n),
      .stall     (hold),
      .imem_addr (imem_addr),
      .imem_data (imem_data),
      .dmem_valid(dmem_valid),
      .dmem_addr (dmem_addr),
      .dmem_wstrb(dmem_wstrb),
      .dmem_wdata(dmem_wdata),
      .dmem_rdata(dmem_rdata),
      .irq       ({24'd0, timer_i, 3'd0, software_i, 3'd0}),
      `EAR_RVFI_CORE
  );

  core_memory u_instructions (
      .clk_i    (clk_i),
      .valid_i  (core_rst_n && !hold),
      .address_i(imem_addr),
      .wmask_i  (4'd0),
      .wdata_i  (32'd0),
      .rdata_o  (imem_data)
  );

  core_memory u_data (
      .clk_i    (clk_i),
      .valid_i  (core_rst_n && !hold && dmem_valid),
      .address_i(dmem_addr),
      .wmask_i  (dmem_wstrb),
      .wdata_i  (dmem_wdata),
      .rdata_o  (dmem_rdata)
  );

  assign rvfi_ext_cause = 32'd0;
  assign rvfi_ext_irq = 1'b0;
  assign rvfi_ext_debug = 1'b0;
endmodule
`default_nettype wire
