// SPDX-License-Identifier: Apache-2.0
// PicoRV32 with the capture unit, held at its memory interface. It has no CSRs.
`include "core_bench.vh"
`default_nettype none
module core_picorv32 (
    `CORE_BENCH_PORTS
);
  `CORE_BENCH_UNIT(`EAR_CORE_PICORV32)

  wire core_valid;
  wire core_ready;
  wire valid;
  wire ready;
  wire [31:0] address;
  wire [31:0] wdata;
  wire [31:0] rdata;
  wire [3:0] wstrb;

  picorv32 #(
      .COMPRESSED_ISA (1),
      .ENABLE_MUL     (1),
      .ENABLE_DIV     (1),
      .BARREL_SHIFTER (1),
      .PROGADDR_RESET (32'h8000_0000)
  ) u_core (
      .clk      (clk_i),
      .resetn   (core_rst_n),
      .mem_valid(core_valid),
      .mem_ready(core_ready),
      .mem_addr (address),
      .mem_wdata(wdata),
      .mem_wstrb(wstrb),
      .mem_rdata(rdata),
      .irq      (32'd0),
      `EAR_RVFI_CORE
  );

  ear_hold u_hold (
      .clk_i  (clk_i),
      .rst_ni (core_rst_n),
      .hold_i (hold),
      .valid_i(core_valid),
      .ready_o(core_ready),
      .valid_o(valid),
      .ready_i(ready)
  );

  core_memory u_memory (
      .clk_i    (clk_i),
      .valid_i  (valid && !ready),
      .address_i(address),
      .wmask_i  (wstrb),
      .wdata_i  (wdata),
      .answer_o (ready),
      .rdata_o  (rdata)
  );

  assign rvfi_ext_cause = 32'd0;
  assign rvfi_ext_irq = 1'b0;
  assign rvfi_ext_debug = 1'b0;
endmodule
`default_nettype wire
