// SPDX-License-Identifier: Apache-2.0
// The physical address that belongs to a virtual one: the difference of both is remembered for 16
// pages, by the low bits of the page's number.
`default_nettype none
module ear_predict_physical #(
    parameter XLEN      = 32,  // bits
    parameter PIPELINED = 1
) (
    input wire clk_i,

    input wire       sweep_i,
    input wire [3:0] sweep_address_i,

    // Read: the page of the slot before C if advance_i, else of that in C.
    input wire            advance_i,
    input wire [     3:0] page_i,
    // The entry in C: address and physical address. learn_i: it goes to D and is trained.
    input  wire [XLEN-1:0] address_i,
    input  wire [    63:0] physical_i,
    input  wire            enter_i,     // something goes to D
    input  wire            learn_i,
    // The entry in D.
    input  wire            record_d_i,
    input  wire [     3:0] page_d_i,
    output wire [    63:0] expected_o
);
  wire [63:0] address = {{(64 - XLEN) {1'b0}}, address_i};
  wire [ 3:0] page = address_i[15:12];
  wire [64:0] now = {physical_i == 64'd0, physical_i - address};  // {there is none, difference}
  wire [64:0] stored;
  reg  [64:0] new_q;      // of the entry in D
  reg         learned_q;

  ear_predict_memory #(
      .WIDTH(65),
      .DEPTH_LOG2(4)
  ) u_memory (
      .clk_i(clk_i),
      .write_i(sweep_i || learn_i),
      .write_address_i(sweep_i ? sweep_address_i : page),
      .write_data_i(sweep_i ? 65'd0 : now),
      .read_i(1'b1),
      .read_address_i(advance_i ? page_i : page),
      .read_data_o(stored)
  );
  always @(posedge clk_i) begin
    if (enter_i) begin
      new_q <= now;
      learned_q <= learn_i;
    end
  end

  // The entry in D wrote in the clock of the read.
  wire [64:0] known =
      PIPELINED != 0 && record_d_i && learned_q && page_d_i == page ? new_q : stored;
  assign expected_o = known[64] ? 64'd0 : address + known[63:0];
endmodule
`default_nettype wire
