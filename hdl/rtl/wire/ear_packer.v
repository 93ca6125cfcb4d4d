// SPDX-License-Identifier: Apache-2.0
// Join chunks of bytes into 32-bit words without gaps.
//
// Chunks of 1 to CHUNK bytes come in, at most one a clock; a word goes out whenever four bytes are
// there. A word a clock is sustained if the chunks bring four bytes a clock on average. The bytes
// of a frame are a multiple of four in all (the encoder pads), so nothing is left over at its end.
`default_nettype none
module ear_packer #(
    parameter CHUNK = 8  // bytes of the widest chunk: 4 to 12
) (
    input wire clk_i,
    input wire rst_ni,

    // Chunks from the encoder.
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
  // A chunk is taken when no more than ROOM bytes will be left. Chunks of a word need no more than
  // 3 for a word in every clock; wide ones come less often, and 4 keep more of them waiting.
  localparam [4:0] ROOM = CHUNK > 4 ? 5'd4 : 5'd3;
  localparam SIZE = CHUNK > 4 ? CHUNK + 4 : CHUNK + 3;  // bytes that can wait

  // The chunk is held in a register first, to keep the encoder's choice and the shift apart.
  reg               chunk_valid_q;
  reg [8*CHUNK-1:0] chunk_data_q;
  reg [        3:0] chunk_count_q;

  reg [ 8*SIZE-1:0] bytes_q;
  reg [        4:0] count_q;

  wire out = word_valid_o && word_ready_i;
  wire [4:0] left = out ? count_q - 5'd4 : count_q;
  wire [8*SIZE-1:0] left_bytes = out ? bytes_q >> 32 : bytes_q;
  wire take = chunk_valid_q && left <= ROOM;

  // Bytes beyond count are cleared, so that the next chunk can be or-ed in.
  wire [8*CHUNK-1:0] chunk_bytes = chunk_data_q & ~({8 * CHUNK{1'b1}} << {chunk_count_q, 3'd0});
  wire [8*SIZE-1:0] chunk_wide = {{(8 * (SIZE - CHUNK)) {1'b0}}, chunk_bytes};

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      chunk_valid_q <= 1'b0;
      count_q <= 5'd0;
      bytes_q <= {8 * SIZE{1'b0}};
    end else begin
      if (chunk_ready_o) chunk_valid_q <= chunk_valid_i;
      count_q <= left + (take ? {1'b0, chunk_count_q} : 5'd0);
      bytes_q <= left_bytes | (take ? chunk_wide << {left[2:0], 3'd0} : {8 * SIZE{1'b0}});
    end
  end

  always @(posedge clk_i) begin
    if (chunk_ready_o) begin
      chunk_data_q  <= chunk_data_i;
      chunk_count_q <= chunk_count_i;
    end
  end

  assign chunk_ready_o = !chunk_valid_q || take;
  assign word_valid_o = count_q >= 5'd4;
  assign word_data_o = bytes_q[31:0];
  assign idle_o = !chunk_valid_q && count_q == 5'd0;
endmodule
`default_nettype wire
