// SPDX-License-Identifier: Apache-2.0
// The demo system and the capture unit on the iCE40-HX8K breakout board.
//
// The board's USB chip is the link: 3 Mbaud on its UART. The program's own UART output is on a pin
// of the header. Everything runs from the 12 MHz of the board.
//
// Core and unit together must fit into 7680 logic cells and 32 block RAMs. So the core is RV32IC
// with the software interrupt only, and the unit leaves out: the values of rs1 and rs2, CSR
// writes, filter, triggers, time and the record FIFO (board_ice40_* of hdl/configs). What fits is
// in tests/bench/hdl.md. The unit holds the core while it is busy, which costs little with PREDICT:
// nearly nothing has to go over the link.
`include "ear_board.vh"
`default_nettype none
module ear_ice40_hx8k #(
    parameter LINK    = 0,  // UART only
    parameter PREDICT = 0   // 1: predict mode, geometry tiny; without program load and test source
) (
    input  wire       clk_i,   // 12 MHz
    input  wire       rxd_i,
    output wire       txd_o,
    output wire       uart_o,
    output wire [7:0] led_o
);
  wire [12:0] unused_ftdi;
  ear_board_top #(
      .CONFIG      (PREDICT != 0 ? `EAR_BOARD_ICE40_PREDICT : `EAR_BOARD_ICE40_RAW),
      .CLOCK_HZ    (32'd12_000_000),
      .LINK        (LINK),
      .LINK_DIVISOR(4)  // 3 Mbaud
  ) u_top (
      .clk_i (clk_i),
      .rxd_i (rxd_i),
      .txd_o (txd_o),
      .uart_o(uart_o),
      .led_o (led_o),
      `EAR_BOARD_NO_FTDI
  );
endmodule
`default_nettype wire
