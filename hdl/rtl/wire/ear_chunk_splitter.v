// SPDX-License-Identifier: Apache-2.0
// Cut the encoder's chunks into parts of at most four bytes, one a clock.
//
// A packer for wide chunks shifts 12 bytes by up to 4; one for single words needs a third of
// that. Where the link is far slower than a word a clock, the clocks that the cut costs are free.
`default_nettype none
module ear_chunk_splitter #(
    parameter CHUNK = 8  // bytes of the widest chunk: 8 to 12
) (
    input wire clk_i,
    input wire rst_ni,

    // Chunks from the encoder; a chunk stays until it is taken.
    input  wire               chunk_valid_i,
    output wire               chunk_ready_o,
    input  wire [8*CHUNK-1:0] chunk_data_i,   // lowest byte first
    input  wire [        3:0] chunk_count_i,  // bytes: 1 to CHUNK

    // Pieces to the packer.
    output wire        piece_valid_o,
    input  wire        piece_ready_i,
    output wire [31:0] piece_data_o,
    output wire [ 3:0] piece_count_o  // bytes: 1 to 4
);
  reg [1:0] part_q;  // words of the chunk that are gone

  wire [95:0] words = {{(96 - 8 * CHUNK) {1'b0}}, chunk_data_i};
  wire [3:0] left = chunk_count_i - {part_q, 2'd0};
  wire last = left <= 4'd4;
  wire move = piece_valid_o && piece_ready_i;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) part_q <= 2'd0;
    else if (move) part_q <= last ? 2'd0 : part_q + 2'd1;
  end

  assign chunk_ready_o = piece_ready_i && last;
  assign piece_valid_o = chunk_valid_i;
  assign piece_data_o = part_q[1] ? words[95:64] : part_q[0] ? words[63:32] : words[31:0];
  assign piece_count_o = last ? left : 4'd4;
endmodule
`default_nettype wire
