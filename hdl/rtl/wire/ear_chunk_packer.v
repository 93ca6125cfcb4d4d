// SPDX-License-Identifier: Apache-2.0
// From the encoder's chunks to words, as wide as the link needs it: a word a clock; parts of four
// bytes, or single bytes, for links that are far slower than that.
`default_nettype none
module ear_chunk_packer #(
    parameter CHUNK  = 8,  // bytes of the widest chunk: 8 to 12
    parameter NARROW = 0   // 1: parts of 4 bytes; 2: bytes
) (
    input wire clk_i,
    input wire rst_ni,

    // Chunks from the encoder; a chunk stays until it is taken.
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
  localparam PIECE = NARROW == 1 ? 4 : CHUNK;

  generate
    if (NARROW == 2) begin : gen_bytes
      ear_packer_bytes #(
          .CHUNK(CHUNK)
      ) u_packer (
          .clk_i        (clk_i),
          .rst_ni       (rst_ni),
          .chunk_valid_i(chunk_valid_i),
          .chunk_ready_o(chunk_ready_o),
          .chunk_data_i (chunk_data_i),
          .chunk_count_i(chunk_count_i),
          .word_valid_o (word_valid_o),
          .word_ready_i (word_ready_i),
          .word_data_o  (word_data_o),
          .idle_o       (idle_o)
      );
    end else begin : gen_words
      wire               piece_valid;
      wire               piece_ready;
      wire [8*PIECE-1:0] piece_data;
      wire [        3:0] piece_count;
      if (NARROW != 0) begin : gen_narrow
        ear_chunk_splitter #(
            .CHUNK(CHUNK)
        ) u_chunk_splitter (
            .clk_i        (clk_i),
            .rst_ni       (rst_ni),
            .chunk_valid_i(chunk_valid_i),
            .chunk_ready_o(chunk_ready_o),
            .chunk_data_i (chunk_data_i),
            .chunk_count_i(chunk_count_i),
            .piece_valid_o(piece_valid),
            .piece_ready_i(piece_ready),
            .piece_data_o (piece_data),
            .piece_count_o(piece_count)
        );
      end else begin : gen_wide
        assign piece_valid = chunk_valid_i;
        assign chunk_ready_o = piece_ready;
        assign piece_data = chunk_data_i;
        assign piece_count = chunk_count_i;
      end

      ear_packer #(
          .CHUNK(PIECE)
      ) u_packer (
          .clk_i        (clk_i),
          .rst_ni       (rst_ni),
          .chunk_valid_i(piece_valid),
          .chunk_ready_o(piece_ready),
          .chunk_data_i (piece_data),
          .chunk_count_i(piece_count),
          .word_valid_o (word_valid_o),
          .word_ready_i (word_ready_i),
          .word_data_o  (word_data_o),
          .idle_o       (idle_o)
      );
    end
  endgenerate
endmodule
`default_nettype wire
