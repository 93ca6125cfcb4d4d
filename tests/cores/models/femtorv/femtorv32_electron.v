// SPDX-License-Identifier: Apache-2.0
// A model of FemtoRV32's ports, with the retire port that ear_femtorv gives it: a read is asked for
// in one clock, and its data are there from the next one on in which mem_rbusy is low.
`include "ear_rvfi.vh"
`default_nettype none
module FemtoRV32 #(
    parameter RESET_ADDR = 32'h0000_0000,
    parameter ADDR_WIDTH = 24
) (
    input  wire        clk,
    output wire [31:0] mem_addr,
    output wire [31:0] mem_wdata,
    output wire [ 3:0] mem_wmask,
    input  wire [31:0] mem_rdata,
    output wire        mem_rstrb,
    input  wire        mem_rbusy,
    input  wire        mem_wbusy,
    input  wire        reset,
    `EAR_RVFI_OUTPUTS(1, 32)
);
  wire req;
  wire [31:0] address;
  wire [3:0] wmask;
  reg asked_q;  // the memory has got the request

  model_core #(
      .CORE    (0),
      .RESET_PC(RESET_ADDR)
  ) u_model (
      .clk_i     (clk),
      .rst_ni    (reset),
      .hold_i    (1'b0),
      .timer_i   (1'b0),
      .software_i(1'b0),
      .req_o     (req),
      .address_o (address),
      .wmask_o   (wmask),
      .wdata_o   (mem_wdata),
      .done_i    (asked_q && !mem_rbusy && !mem_wbusy),
      .rdata_i   (mem_rdata),
      `EAR_RVFI_CORE
  );

  assign mem_addr  = address & {ADDR_WIDTH{1'b1}};
  assign mem_rstrb = req && !asked_q && wmask == 4'd0;
  assign mem_wmask = req && !asked_q ? wmask : 4'd0;
  always @(posedge clk or negedge reset) begin
    if (!reset) asked_q <= 1'b0;
    else asked_q <= req && !(asked_q && !mem_rbusy && !mem_wbusy);
  end
endmodule
`default_nettype wire
