// SPDX-License-Identifier: Apache-2.0
// Find control words in the bytes from the host (docs/protocol.md, section 7).
//
// The last ten bytes are in a window. When it is full, it is rotated once to compute its
// CRC, which is zero over a good word including its CRC byte. If it is no good word, the oldest
// byte is dropped and the next byte completes the window again.
`include "ear_protocol.vh"
`default_nettype none
module ear_control_parser (
    input wire clk_i,
    input wire rst_ni,

    // Bytes from the link.
    input  wire       byte_valid_i,
    output wire       byte_ready_o,
    input  wire [7:0] byte_data_i,

    // Control words with a right CRC.
    output wire        word_valid_o,
    input  wire        word_ready_i,
    output wire [ 7:0] word_operation_o,
    output wire [ 7:0] word_tag_o,
    output wire [15:0] word_address_o,
    output wire [31:0] word_value_o
);
  localparam [7:0] SIZE_8 = `EAR_CONTROL_WORD_SIZE;
  localparam [3:0] SIZE = SIZE_8[3:0];

  localparam [1:0] STATE_FILL = 2'd0;
  localparam [1:0] STATE_CHECK = 2'd1;
  localparam [1:0] STATE_WORD = 2'd2;

  reg [ 1:0] state_q;
  reg [79:0] window_q;  // the oldest byte in the low end, once the window is full
  reg [ 3:0] count_q;   // bytes in the window; in STATE_CHECK bytes still to turn
  reg [ 7:0] crc_q;
  reg [ 7:0] crc_d;

  integer i;
  always @* begin
    crc_d = crc_q ^ window_q[7:0];
    for (i = 0; i < 8; i = i + 1)
      crc_d = {crc_d[6:0], 1'b0} ^ (crc_d[7] ? `EAR_CONTROL_WORD_CRC_POLY : 8'd0);
  end

  wire full = count_q == SIZE;
  wire take = byte_valid_i && byte_ready_o;
  assign byte_ready_o = state_q == STATE_FILL && !full;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= STATE_FILL;
      window_q <= 80'd0;
      count_q <= 4'd0;
      crc_q <= 8'd0;
    end else begin
      case (state_q)
        STATE_FILL: begin
          crc_q <= 8'd0;
          if (take) begin
            window_q <= {byte_data_i, window_q[79:8]};
            count_q  <= count_q + 4'd1;
          end else if (full) begin
            if (window_q[7:0] == `EAR_CONTROL_WORD_MAGIC) state_q <= STATE_CHECK;
            else count_q <= SIZE - 4'd1;
          end
        end
        STATE_CHECK: begin
          window_q <= {window_q[7:0], window_q[79:8]};
          crc_q <= crc_d;
          count_q <= count_q - 4'd1;
          if (count_q == 4'd1) begin
            state_q <= crc_d == 8'd0 ? STATE_WORD : STATE_FILL;
            count_q <= SIZE - 4'd1;
          end
        end
        default:  // STATE_WORD
        if (word_ready_i) begin
          state_q <= STATE_FILL;
          count_q <= 4'd0;
        end
      endcase
    end
  end

  assign word_valid_o = state_q == STATE_WORD;
  assign word_operation_o = window_q[15:8];
  assign word_tag_o = window_q[23:16];
  assign word_address_o = window_q[39:24];
  assign word_value_o = window_q[71:40];
endmodule
`default_nettype wire
