// SPDX-License-Identifier: Apache-2.0
// Join chunks of bytes into 32-bit words, a byte a clock. It is ear_packer for slow links, and has
// a quarter of its size.
`default_nettype none
module ear_packer_bytes #(
    parameter CHUNK = 8  // bytes of the widest chunk: up to 12
) (
    input wire clk_i,
    input wire rst_ni,

    // Chunks from the encoder. A chunk stays until it is taken, and may have no bytes.
    input  wire               chunk_valid_i,
    output wire               chunk_ready_o,
    input  wire [8*CHUNK-1:0] chunk_data_i,   // lowest byte first
    input  wire [        3:0] chunk_count_i,  // bytes

    // Words to the payload buffer.
    output wire        word_valid_o,
    input  wire        word_ready_i,
    output wire [31:0] word_data_o,

    output wire idle_o  // nothing is in here
);
  reg [ 3:0] part_q;   // bytes of the chunk that are gone
  reg [ 2:0] count_q;  // bytes of the word
  reg [31:0] bytes_q;

  wire full = count_q[2];
  wire empty = chunk_count_i == 4'd0;
  wire move = chunk_valid_i && !full;
  wire last = part_q + 4'd1 == chunk_count_i || empty;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      part_q  <= 4'd0;
      count_q <= 3'd0;
    end else begin
      if (move) part_q <= last ? 4'd0 : part_q + 4'd1;
      if (full) count_q <= word_ready_i ? 3'd0 : count_q;
      else if (move && !empty) count_q <= count_q + 3'd1;
    end
  end
  wire [127:0] bytes = {{(128 - 8 * CHUNK) {1'b0}}, chunk_data_i};
  always @(posedge clk_i) begin
    if (move && !empty) bytes_q <= {bytes[8*part_q+:8], bytes_q[31:8]};
  end

  assign chunk_ready_o = move && last;
  assign word_valid_o = full;
  assign word_data_o = bytes_q;
  assign idle_o = count_q == 3'd0;
endmodule
`default_nettype wire
