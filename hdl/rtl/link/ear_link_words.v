// SPDX-License-Identifier: Apache-2.0
// Cut the unit's words into chunks as wide as the link.
//
// piece_last_o marks the last piece of a frame. A piece moves when valid and ready are high.
`default_nettype none
module ear_link_words #(
    parameter BYTES = 1  // of a piece: 1, 2 or 4
) (
    input wire clk_i,
    input wire rst_ni,

    // Frames from the unit.
    input  wire        tx_valid_i,
    output wire        tx_ready_o,
    input  wire [31:0] tx_data_i,
    input  wire        tx_last_i,

    output wire               piece_valid_o,
    input  wire               piece_ready_i,
    output wire [8*BYTES-1:0] piece_data_o,
    output wire               piece_last_o
);
  generate
    if (BYTES == 4) begin : gen_whole
      wire unused = &{1'b0, clk_i, rst_ni};
      assign tx_ready_o = piece_ready_i;
      assign piece_data_o = tx_data_i;
      assign piece_last_o = tx_last_i;
    end else begin : gen_parts
      localparam [1:0] LAST = BYTES == 2 ? 2'd1 : 2'd3;
      reg [1:0] part_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) part_q <= 2'd0;
        else if (piece_valid_o && piece_ready_i) part_q <= part_q == LAST ? 2'd0 : part_q + 2'd1;
      end
      assign tx_ready_o = piece_ready_i && part_q == LAST;
      assign piece_data_o = tx_data_i[8*BYTES*part_q+:8*BYTES];
      assign piece_last_o = tx_last_i && part_q == LAST;
    end
  endgenerate
  assign piece_valid_o = tx_valid_i;
endmodule
`default_nettype wire
