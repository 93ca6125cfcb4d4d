// SPDX-License-Identifier: Apache-2.0
// From the encoder's chunks to frames: packer, payload buffer and framer.
//
// The length of a frame is in its head, so the buffer holds a frame until it is complete. Without
// these three in this order the host finds no frame in the stream.
`default_nettype none
module ear_frames #(
    parameter       CHUNK         = 8,     // bytes: the widest chunk
    parameter       NARROW        = 0,     // bytes a clock, see ear_unit
    parameter       PAYLOAD_BYTES = 1024,  // of the buffer: a power of two, 512 to 65536
    parameter [7:0] STREAM_ID     = 8'd0   // in the head of each frame
) (
    input wire clk_i,
    input wire rst_ni,

    // From the encoder: chunks, and the end of their frame. idle: no byte is in the packer.
    input  wire               chunk_valid_i,
    output wire               chunk_ready_o,
    input  wire [8*CHUNK-1:0] chunk_data_i,
    input  wire [        3:0] chunk_count_i,
    output wire               idle_o,
    input  wire               frame_end_i,

    // To the capture: the buffer holds no more than the mark, see ear_payload_buffer.
    input  wire [15:0] low_i,
    output wire        drained_o,

    // Frames, as words; last marks the last word of a frame.
    output wire        out_valid_o,
    input  wire        out_ready_i,
    output wire [31:0] out_data_o,
    output wire        out_last_o
);
  wire        word_valid;
  wire        word_ready;
  wire [31:0] word_data;
  wire        frame_valid;
  wire        frame_ready;
  wire [31:0] frame_data;

  ear_chunk_packer #(
      .CHUNK (CHUNK),
      .NARROW(NARROW)
  ) u_chunk_packer (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .chunk_valid_i(chunk_valid_i),
      .chunk_ready_o(chunk_ready_o),
      .chunk_data_i (chunk_data_i),
      .chunk_count_i(chunk_count_i),
      .word_valid_o (word_valid),
      .word_ready_i (word_ready),
      .word_data_o  (word_data),
      .idle_o       (idle_o)
  );

  ear_payload_buffer #(
      .BYTES(PAYLOAD_BYTES)
  ) u_payload_buffer (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .word_valid_i (word_valid),
      .word_ready_o (word_ready),
      .word_data_i  (word_data),
      .frame_end_i  (frame_end_i),
      .frame_valid_o(frame_valid),
      .frame_ready_i(frame_ready),
      .frame_data_o (frame_data),
      .low_i        (low_i),
      .drained_o    (drained_o)
  );

  ear_framer #(
      .STREAM_ID(STREAM_ID),
      .SERIAL   (NARROW == 2)
  ) u_framer (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .frame_valid_i(frame_valid),
      .frame_ready_o(frame_ready),
      .frame_data_i (frame_data),
      .out_valid_o  (out_valid_o),
      .out_ready_i  (out_ready_i),
      .out_data_o   (out_data_o),
      .out_last_o   (out_last_o)
  );
endmodule
`default_nettype wire
