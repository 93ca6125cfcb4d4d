// SPDX-License-Identifier: Apache-2.0
// NEORV32 with the capture unit, held at its external bus. neorv32_rvfi.vhd has the core.
`include "core_bench.vh"
`default_nettype none
module core_neorv32 (
    `CORE_BENCH_PORTS
);
  `CORE_BENCH_UNIT(`EAR_CORE_NEORV32)

  wire [31:0] address;
  wire [31:0] wdata;
  wire we;
  wire [3:0] select;
  wire cycle;
  wire ready;
  wire valid;
  wire answer;
  wire [31:0] rdata;

  neorv32_rvfi u_core (
      .clk_i         (clk_i),
      .rstn_i        (core_rst_n),
      .timer_i       (timer_i),
      .software_i    (software_i),
      .xbus_adr_o    (address),
      .xbus_dat_o    (wdata),
      .xbus_we_o     (we),
      .xbus_sel_o    (select),
      .xbus_cyc_o    (cycle),
      .xbus_dat_i    (rdata),
      .xbus_ack_i    (answer),
      .rvfi_ext_debug(rvfi_ext_debug),
      `EAR_RVFI_CORE
  );

  // The cycle stays until its answer.
  ear_hold u_hold (
      .clk_i  (clk_i),
      .rst_ni (core_rst_n),
      .hold_i (hold),
      .valid_i(cycle && !answer),
      .ready_o(ready),
      .valid_o(valid),
      .ready_i(1'b1)
  );

  core_memory u_memory (
      .clk_i    (clk_i),
      .valid_i  (valid),
      .address_i(address),
      .wmask_i  (we ? select : 4'd0),
      .wdata_i  (wdata),
      .answer_o (answer),
      .rdata_o  (rdata)
  );

  assign rvfi_ext_cause = 32'd0;
  assign rvfi_ext_irq = 1'b0;
endmodule
`default_nettype wire
