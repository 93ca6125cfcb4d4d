// SPDX-License-Identifier: Apache-2.0
// Hold the payload of whole frames between encoder and framer.
//
// The framer must know a frame's length before its first byte, so each frame is here after a
// word with its length. That word is kept free while the frame grows and written at its end; only
// then can the framer see the frame. The frame's words are never taken back: the encoder knows
// that a message fits before it writes its first byte.
`default_nettype none
module ear_payload_buffer #(
    parameter BYTES = 1024  // a power of two, 512 to 65536
) (
    input wire clk_i,
    input wire rst_ni,

    // Words of the frame that grows, from the packer.
    input  wire        word_valid_i,
    output wire        word_ready_o,
    input  wire [31:0] word_data_i,
    input  wire        frame_end_i,  // the frame is complete; not in a clock with a word

    // Complete frames to the framer: a word with the number of words, then the words.
    output wire        frame_valid_o,
    input  wire        frame_ready_i,
    output wire [31:0] frame_data_o,

    // How full it is. A frame that grows does not drain, so without a whole frame it counts as
    // drained, however low the mark is.
    input  wire [15:0] low_i,     // the low mark, units of 64 bytes
`ifdef FORMAL
    output wire [15:0] complete_o,  // words of complete frames
    output wire [15:0] growing_o,   // words of the frame that grows
`endif
    output wire        drained_o  // in the clock before no more was in here, or no whole frame
);
  localparam [31:0] DEPTH = BYTES / 4;
  localparam LOG2 = $clog2(DEPTH);
  localparam [LOG2:0] ONE = 1;
  localparam [LOG2:0] FULL = DEPTH[LOG2:0];

  generate
    if (BYTES != 4 * (1 << LOG2) || BYTES < 512 || BYTES > 65536) begin : gen_bad_parameter
      ear_payload_buffer_BYTES_must_be_a_power_of_two_512_to_65536 u_error ();
    end
  endgenerate

  // A word is offered no earlier than a clock after it was written: what a read gets in the clock
  // of the write does not matter.
  (* no_rw_check *) reg [31:0] memory[0:DEPTH-1];

  // Pointers have one bit more than an address.
  reg [LOG2:0] base_q;   // where the length of the growing frame goes
  reg [LOG2:0] write_q;  // the next word of the growing frame
  reg [LOG2:0] read_q;
  reg          valid_q;
  reg [  31:0] data_q;

  wire write = word_valid_i && word_ready_o;
  wire read = valid_q && frame_ready_i;
  wire [LOG2:0] read_d = read_q + (read ? ONE : {LOG2 + 1{1'b0}});
  wire [LOG2:0] words = write_q - base_q - ONE;
  wire [LOG2-1:0] address = frame_end_i ? base_q[LOG2-1:0] : write_q[LOG2-1:0];
  wire [LOG2:0] used = write_q - read_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      base_q  <= {LOG2 + 1{1'b0}};
      write_q <= ONE;
      read_q  <= {LOG2 + 1{1'b0}};
      valid_q <= 1'b0;
    end else begin
      if (frame_end_i) begin
        base_q  <= write_q;
        write_q <= write_q + ONE;
      end else if (write) begin
        write_q <= write_q + ONE;
      end
      read_q  <= read_d;
      valid_q <= read_d != base_q;
    end
  end

  always @(posedge clk_i) begin
    if (write || frame_end_i)
      memory[address] <= frame_end_i ? {{(31 - LOG2) {1'b0}}, words} : word_data_i;
    data_q <= memory[read_d[LOG2-1:0]];
  end

  // used can reach DEPTH + 1: the word after a frame that fills the buffer is only reserved.
  assign word_ready_o = used < FULL;

  reg drained_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) drained_q <= 1'b1;
    else drained_q <= {{(19 - LOG2) {1'b0}}, used} <= {low_i, 4'd0} || read_q == base_q;
  end
  assign drained_o = drained_q;

`ifdef FORMAL
  wire [LOG2:0] complete = base_q - read_q;
  assign complete_o = {{(15 - LOG2) {1'b0}}, complete};
  assign growing_o = {{(15 - LOG2) {1'b0}}, words};
`endif
  assign frame_valid_o = valid_q;
  assign frame_data_o = data_q;
endmodule
`default_nettype wire
