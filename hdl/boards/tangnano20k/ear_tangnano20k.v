// SPDX-License-Identifier: Apache-2.0
// Tang Nano 20K (GW2AR-18): 27 MHz. The link is the board's BL616, a UART: 1 Mbaud.
`include "ear_board.vh"
`default_nettype none
module ear_tangnano20k #(
    parameter LINK = 0  // UART only
) (
    input  wire       clk_i,
    input  wire       rxd_i,
    output wire       txd_o,
    output wire       uart_o,
    output wire [5:0] led_no  // ended, held, stalled, retiring; two bits of the exit code
);
  wire [7:0] led;
  wire [12:0] unused_ftdi;
  ear_board_top #(
      .CONFIG      (`EAR_BOARD_FPGA),
      .CLOCK_HZ    (32'd27_000_000),
      .RAM_WORDS   (4096),
      .LINK        (LINK),
      .LINK_DIVISOR(27)
  ) u_top (
      .clk_i (clk_i),
      .rxd_i (rxd_i),
      .txd_o (txd_o),
      .uart_o(uart_o),
      .led_o (led),
      `EAR_BOARD_NO_FTDI
  );
  assign led_no = ~led[7:2];
  wire unused = &{1'b0, led[1:0]};
endmodule
`default_nettype wire
