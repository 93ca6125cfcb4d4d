// SPDX-License-Identifier: Apache-2.0
// Sends the demo system's UART bytes on a pin: 8 data bits, no parity, 1 stop bit.
`default_nettype none
module ear_demo_uart_tx #(
    parameter DIVISOR = 104  // clocks a bit, 2 to 65535
) (
    input  wire       clk_i,
    input  wire       rst_ni,
    input  wire       valid_i,  // a byte is there; it is taken when ready
    input  wire [7:0] data_i,
    output wire       ready_o,
    output wire       txd_o
);
  reg [9:0] shift_q;  // stop bit, data, start bit; empty when only ones have been shifted in
  reg [3:0] left_q;  // bits still to send
  reg [15:0] count_q;

  wire [31:0] count_last = DIVISOR - 1;
  wire bit_ends = count_q == count_last[15:0];
  wire unused = &{1'b0, count_last[31:16]};

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shift_q <= {10{1'b1}};
      left_q  <= 4'd0;
      count_q <= 16'd0;
    end else if (left_q == 4'd0) begin
      count_q <= 16'd0;
      if (valid_i) begin
        shift_q <= {1'b1, data_i, 1'b0};
        left_q  <= 4'd10;
      end
    end else if (bit_ends) begin
      count_q <= 16'd0;
      shift_q <= {1'b1, shift_q[9:1]};
      left_q  <= left_q - 4'd1;
    end else begin
      count_q <= count_q + 16'd1;
    end
  end

  assign ready_o = left_q == 4'd0;
  assign txd_o   = shift_q[0];
endmodule
`default_nettype wire
