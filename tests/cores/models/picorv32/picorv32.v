// SPDX-License-Identifier: Apache-2.0
// A model of PicoRV32's ports: one memory interface, on which a request stays until mem_ready.
`include "ear_rvfi.vh"
`default_nettype none
module picorv32 #(
    parameter COMPRESSED_ISA = 0,
    parameter ENABLE_MUL     = 0,
    parameter ENABLE_DIV     = 0,
    parameter BARREL_SHIFTER = 0,
    parameter PROGADDR_RESET = 32'd0
) (
    input  wire        clk,
    input  wire        resetn,
    output wire        mem_valid,
    input  wire        mem_ready,
    output wire [31:0] mem_addr,
    output wire [31:0] mem_wdata,
    output wire [ 3:0] mem_wstrb,
    input  wire [31:0] mem_rdata,
    input  wire [31:0] irq,
    `EAR_RVFI_OUTPUTS(1, 32)
);
  model_core #(
      .CORE    (1),
      .RESET_PC(PROGADDR_RESET)
  ) u_model (
      .clk_i     (clk),
      .rst_ni    (resetn),
      .hold_i    (1'b0),
      .timer_i   (1'b0),
      .software_i(1'b0),
      .req_o     (mem_valid),
      .address_o (mem_addr),
      .wmask_o   (mem_wstrb),
      .wdata_o   (mem_wdata),
      .done_i    (mem_ready),
      .rdata_i   (mem_rdata),
      `EAR_RVFI_CORE
  );
endmodule
`default_nettype wire
