// SPDX-License-Identifier: Apache-2.0
// FemtoRV32 (electron, RV32IM) with the capture unit, held with its input `mem_rbusy`. It has no
// interrupts and no CSRs but the cycle counter.
`include "core_bench.vh"
`default_nettype none
module core_femtorv (
    `CORE_BENCH_PORTS
);
  `CORE_BENCH_UNIT(`EAR_CORE_FEMTORV)

  wire [31:0] address;
  wire [31:0] wdata;
  wire [3:0] wmask;
  wire rstrb;
  wire [31:0] rdata;
  reg reads_q;  // a read waits for its data: only that is held, see docs/cores/femtorv.md

  always @(posedge clk_i) reads_q <= rstrb || (reads_q && hold);

  FemtoRV32 #(
      .RESET_ADDR(32'h8000_0000),
      .ADDR_WIDTH(32)
  ) u_core (
      .clk      (clk_i),
      .reset    (core_rst_n),
      .mem_addr (address),
      .mem_wdata(wdata),
      .mem_wmask(wmask),
      .mem_rdata(rdata),
      .mem_rstrb(rstrb),
      .mem_rbusy(hold && reads_q),
      .mem_wbusy(1'b0),
      `EAR_RVFI_CORE
  );

  core_memory u_memory (
      .clk_i    (clk_i),
      .valid_i  (core_rst_n && (rstrb || wmask != 4'd0)),
      .address_i(address),
      .wmask_i  (wmask),
      .wdata_i  (wdata),
      .rdata_o  (rdata)
  );

  wire unused = &{1'b0, timer_i, software_i};
  assign rvfi_ext_cause = 32'd0;
  assign rvfi_ext_irq = 1'b0;
  assign rvfi_ext_debug = 1'b0;
endmodule
`default_nettype wire
