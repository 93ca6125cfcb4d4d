// SPDX-License-Identifier: Apache-2.0
// iCEBreaker (iCE40 UP5K): 12 MHz, channel B of the board's FT2232H as the link, 3 Mbaud.
`include "ear_board.vh"
`default_nettype none
module ear_icebreaker #(
    parameter LINK = 0  // UART only
) (
    input  wire       clk_i,
    input  wire       rxd_i,
    output wire       txd_o,
    output wire       uart_o,
    output wire [1:0] led_no  // red: the unit holds the core; green: the program has ended
);
  wire [7:0] led;
  wire [12:0] unused_ftdi;
  ear_board_top #(
      .CONFIG      (`EAR_BOARD_UP5K),
      .CLOCK_HZ    (32'd12_000_000),
      .LINK        (LINK),
      .LINK_DIVISOR(4)
  ) u_top (
      .clk_i (clk_i),
      .rxd_i (rxd_i),
      .txd_o (txd_o),
      .uart_o(uart_o),
      .led_o (led),
      `EAR_BOARD_NO_FTDI
  );
  assign led_no = ~{led[7], led[5]};
  wire unused = &{1'b0, led[6], led[4:0]};
endmodule
`default_nettype wire
