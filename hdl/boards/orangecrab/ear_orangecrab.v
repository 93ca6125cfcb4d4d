// SPDX-License-Identifier: Apache-2.0
// OrangeCrab r0.2 (ECP5-25F): 48 MHz, divided by 2. It has no USB chip: the link is an adapter at
// pins 0 and 1 of its header, 3 Mbaud.
`include "ear_board.vh"
`default_nettype none
module ear_orangecrab #(
    parameter LINK = 0  // UART only
) (
    input  wire       clk_i,
    input  wire       rxd_i,
    output wire       txd_o,
    output wire       uart_o,
    output wire [2:0] led_no  // red: the unit holds the core; green: ended; blue: the host holds it
);
  reg clk_q = 1'b0;
  always @(posedge clk_i) clk_q <= !clk_q;

  wire [7:0] led;
  wire [12:0] unused_ftdi;
  ear_board_top #(
      .CONFIG      (`EAR_BOARD_FPGA),
      .CLOCK_HZ    (32'd24_000_000),
      .RAM_WORDS   (4096),
      .LINK        (LINK),
      .LINK_DIVISOR(8)
  ) u_top (
      .clk_i (clk_q),
      .rxd_i (rxd_i),
      .txd_o (txd_o),
      .uart_o(uart_o),
      .led_o (led),
      `EAR_BOARD_NO_FTDI
  );
  assign led_no = ~{led[6], led[7], led[5]};
  wire unused = &{1'b0, led[4:0]};
endmodule
`default_nettype wire
