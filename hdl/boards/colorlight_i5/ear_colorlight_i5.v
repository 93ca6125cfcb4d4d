// SPDX-License-Identifier: Apache-2.0
// Colorlight i5 (ECP5-25F) on its extension board: 25 MHz. The link is the UART of the extension
// board's USB chip, 1 Mbaud.
`include "ear_board.vh"
`default_nettype none
module ear_colorlight_i5 #(
    parameter LINK = 0  // UART only
) (
    input  wire       clk_i,
    input  wire       rxd_i,
    output wire       txd_o,
    output wire       uart_o,
    output wire       led_no  // the program has ended
);
  wire [7:0] led;
  wire [12:0] unused_ftdi;
  ear_board_top #(
      .CONFIG      (`EAR_BOARD_FPGA),
      .CLOCK_HZ    (32'd25_000_000),
      .RAM_WORDS   (4096),
      .LINK        (LINK),
      .LINK_DIVISOR(25)
  ) u_top (
      .clk_i (clk_i),
      .rxd_i (rxd_i),
      .txd_o (txd_o),
      .uart_o(uart_o),
      .led_o (led),
      `EAR_BOARD_NO_FTDI
  );
  assign led_no = !led[7];
  wire unused = &{1'b0, led[6:0]};
endmodule
`default_nettype wire
