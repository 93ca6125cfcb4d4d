// SPDX-License-Identifier: Apache-2.0
// Decide whether a record may pass the filter: by privilege mode and by four ranges of pc.
//
// A record passes if its mode is allowed, no EXCLUDE range holds its pc, and, if there is any
// INCLUDE range, at least one of them does. Combinational. docs/protocol.md, register FILTER.
`include "ear_protocol.vh"
`default_nettype none
module ear_filter #(
    parameter XLEN = 32  // bits
) (
    input wire [       1:0] mode_i,
    input wire [  XLEN-1:0] pc_i,
    input wire [      11:0] filter_i,  // register FILTER
    input wire [4*XLEN-1:0] low_i,     // first address of each range
    input wire [4*XLEN-1:0] high_i,    // last address of each range

    output wire pass_o
);
  wire [3:0] holds;
  wire [3:0] included;
  wire [3:0] excluded;

  genvar r;
  generate
    for (r = 0; r < 4; r = r + 1) begin : gen_range
      assign holds[r] = pc_i >= low_i[r*XLEN+:XLEN] && pc_i <= high_i[r*XLEN+:XLEN];
      assign included[r] = {6'd0, filter_i[2*r+:2]} == `EAR_FILTER_RANGE_INCLUDE;
      assign excluded[r] = {6'd0, filter_i[2*r+:2]} == `EAR_FILTER_RANGE_EXCLUDE;
    end
  endgenerate

  wire [3:0] modes = filter_i[`EAR_REG_FILTER_MODES_LOW+:`EAR_REG_FILTER_MODES_WIDTH];

  assign pass_o = modes[mode_i] && (holds & excluded) == 4'd0 &&
      (included == 4'd0 || (holds & included) != 4'd0);
endmodule
`default_nettype wire
