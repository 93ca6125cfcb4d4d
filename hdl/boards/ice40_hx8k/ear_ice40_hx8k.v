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
    parameter PREDICT = 0  // 1: predict mode, geometry tiny; without program load and test source
) (
    input  wire       clk_i,   // 12 MHz
    input  wire       rxd_i,   // from the USB chip
    output wire       txd_o,   // to the USB chip: the capture unit's stream
    output wire       uart_o,  // the program's output, 115200 baud
    output wire [7:0] led_o    // ended, held, stalled, retiring; exit code
);
  localparam [31:0] CLOCK_HZ = 32'd12_000_000;
  localparam LINK_DIVISOR = 4;  // 3 Mbaud
  localparam UART_DIVISOR = 104;  // 115200 baud
  localparam RAM_WORDS = 512;

  // Reset after configuration: the counter starts at 0 in an iCE40.
  reg [3:0] reset_count_q = 4'd0;
  reg rst_nq = 1'b0;
  wire rst_n = rst_nq;
  always @(posedge clk_i) begin
    if (reset_count_q != 4'hf) reset_count_q <= reset_count_q + 4'd1;
    rst_nq <= reset_count_q == 4'hf;
  end

  wire stall;
  wire held;
  wire retired;
  wire trap;
  wire ended;
  wire [15:0] exit_code;

  wire memory_valid;
  wire [31:0] memory_address;
  wire [3:0] memory_wmask;
  wire [31:0] memory_wdata;
  wire [31:0] memory_rdata;
  wire memory_error;
  wire uart_valid;
  wire [7:0] uart_data;
  wire uart_ready;

  wire tx_valid;
  wire tx_ready;
  wire [31:0] tx_data;
  wire tx_last;
  wire rx_valid;
  wire rx_ready;
  wire [7:0] rx_data;

  ear_board #(
      .CONFIG  (PREDICT != 0 ? `EAR_BOARD_ICE40_PREDICT : `EAR_BOARD_ICE40_RAW),
      .CLOCK_HZ(CLOCK_HZ)
  ) u_board (
      .boot_address_i(32'h8000_0000),
      // generate: connect ear_board tied last
      .clk_i(clk_i), .rst_ni(rst_n), .memory_valid_o(memory_valid),
      .memory_address_o(memory_address), .memory_wmask_o(memory_wmask),
      .memory_wdata_o(memory_wdata), .memory_rdata_i(memory_rdata), .memory_error_i(memory_error),
      .uart_valid_o(uart_valid), .uart_data_o(uart_data), .uart_ready_i(uart_ready), .exit_i(1'b0),
      .exit_code_i(exit_code), .ended_o(ended), .exit_code_o(exit_code), .retired_o(retired),
      .trap_o(trap), .stall_o(stall), .held_o(held), .fault_kind_i(2'd0), .fault_op_valid_i(1'b0),
      .fault_op_i(4'd0), .fault_period_i(32'd0), .fault_mask_i(32'd0), .tx_valid_o(tx_valid),
      .tx_ready_i(tx_ready), .tx_data_o(tx_data), .tx_last_o(tx_last), .rx_valid_i(rx_valid),
      .rx_ready_o(rx_ready), .rx_data_i(rx_data)
      // generate: end
  );

  ear_demo_ram #(
      .WORDS(RAM_WORDS)
  ) u_ram (
      .clk_i    (clk_i),
      .valid_i  (memory_valid),
      .address_i(memory_address),
      .wmask_i  (memory_wmask),
      .wdata_i  (memory_wdata),
      .rdata_o  (memory_rdata),
      .error_o  (memory_error)
  );

  ear_demo_uart_tx #(
      .DIVISOR(UART_DIVISOR)
  ) u_uart (
      .clk_i  (clk_i),
      .rst_ni (rst_n),
      .valid_i(uart_valid),
      .data_i (uart_data),
      .ready_o(uart_ready),
      .txd_o  (uart_o)
  );

  ear_link_uart #(
      .DIVISOR(LINK_DIVISOR)
  ) u_link (
      .link_clk_i (clk_i),
      .link_rst_ni(rst_n),
      // generate: connect ear_link_uart last
      .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_data_i(tx_data), .tx_last_i(tx_last),
      .rx_valid_o(rx_valid), .rx_ready_i(rx_ready), .rx_data_o(rx_data), .txd_o(txd_o),
      .rxd_i(rxd_i)
      // generate: end
  );

  assign led_o = {ended, held, stall, retired, exit_code[3:0]};
  wire unused = &{1'b0, trap, exit_code[15:4]};
endmodule
`default_nettype wire
