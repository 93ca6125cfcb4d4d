// SPDX-License-Identifier: Apache-2.0
// The words of TEST messages: a pattern that the host knows (docs/protocol.md, section 4.10).
//
// Without it the only way to test a link is to capture something, and then damage shows only as
// damage. The state of the generator begins anew with each message, from the message's number, so
// that the host needs no history. common/protocol/test_pattern.h is the same in C.
`include "ear_protocol.vh"
`default_nettype none
module ear_test_source (
    input wire clk_i,
    input wire rst_ni,

    // Number of the next message; not written while one is on its way.
    input  wire        write_i,
    input  wire [31:0] value_i,
    output wire [31:0] number_o,

    // A message, to the encoder: start, then a word for each ready; last comes with the last word.
    input  wire        start_i,
    input  wire        ready_i,
    output wire [31:0] data_o,
    output wire        last_o
);
  localparam [7:0] WORDS_8 = `EAR_TEST_WORDS;
  localparam [6:0] WORDS = WORDS_8[6:0];
  localparam [6:0] HEAD = WORDS + 7'd1;  // words left after the first one

  reg [ 6:0] left_q;  // words after the current one
  reg [31:0] number_q;
  reg [31:0] word_q;

  // The next word of the generator; the first one comes while the number is sent.
  wire [31:0] state = left_q == WORDS ? number_q ^ `EAR_TEST_SEED_VALUE : word_q;
  wire [31:0] left_13 = state ^ {state[18:0], 13'd0};
  wire [31:0] right_17 = left_13 ^ {17'd0, left_13[31:17]};
  wire [31:0] word_d = right_17 ^ {right_17[26:0], 5'd0};

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= 7'd0;
      number_q <= 32'd0;
    end else begin
      if (start_i) left_q <= HEAD;
      else if (ready_i) left_q <= left_q - 7'd1;
      if (write_i) number_q <= value_i;
      else if (ready_i && last_o) number_q <= number_q + 32'd1;
    end
  end

  always @(posedge clk_i) if (ready_i) word_q <= word_d;

  assign number_o = number_q;
  assign data_o = left_q == HEAD ? {16'd0, WORDS_8, `EAR_MSG_TEST} :
      left_q == WORDS ? number_q : word_q;
  assign last_o = left_q == 7'd0;
endmodule
`default_nettype wire
