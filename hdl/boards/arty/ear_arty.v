// SPDX-License-Identifier: Apache-2.0
// Arty A7 (Artix-7): 100 MHz, divided by 4. The link is the UART of the board's FT2232H, 1 Mbaud.
`include "ear_board.vh"
`default_nettype none
module ear_arty #(
    parameter LINK = 0  // UART only
) (
    input  wire       clk_i,
    input  wire       rxd_i,
    output wire       txd_o,
    output wire       uart_o,
    output wire [3:0] led_o  // ended, held, stalled, retiring
);
  // A clock of registers: synthesis puts it on a clock network.
  reg [1:0] clk_q = 2'd0;
  always @(posedge clk_i) clk_q <= clk_q + 2'd1;

  wire [7:0] led;
  wire [12:0] unused_ftdi;
  ear_board_top #(
      .CONFIG      (`EAR_BOARD_FPGA),
      .CLOCK_HZ    (32'd25_000_000),
      .RAM_WORDS   (4096),
      .LINK        (LINK),
      .LINK_DIVISOR(25)
  ) u_top (
      .clk_i (clk_q[1]),
      .rxd_i (rxd_i),
      .txd_o (txd_o),
      .uart_o(uart_o),
      .led_o (led),
      `EAR_BOARD_NO_FTDI
  );
  assign led_o = led[7:4];
  wire unused = &{1'b0, led[3:0]};
endmodule
`default_nettype wire
