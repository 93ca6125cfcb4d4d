// SPDX-License-Identifier: Apache-2.0
// A whole design for an FPGA board: the demo system with its capture unit, memory, the program's
// UART, the link and the reset. The top of a board adds pins, and names what it has.
//
// `earshot new-board` puts its own module with these ports in this place, with another core.
`include "ear_board.vh"
`default_nettype none
module ear_board_top #(
    parameter        CONFIG       = `EAR_BOARD_FPGA,  // number of a board, see ear_board.vh
    parameter [31:0] CLOCK_HZ     = 32'd25_000_000,   // Hz of clk_i
    parameter        RAM_WORDS    = 512,              // words of memory, with program.hex in it
    parameter        LINK         = 0,                // see ear_board_link
    parameter        LINK_DIVISOR = 16                // of a UART
) (
    input  wire       clk_i,
    input  wire       rxd_i,   // from the USB chip
    output wire       txd_o,   // to the USB chip: the capture unit's stream
    output wire       uart_o,  // the program's output, 115200 baud
    output wire [7:0] led_o,   // ended, held, stalled, retiring; exit code

    // FTDI chip, see ear_link_ft245.
    input  wire       ftdi_clk_i,
    input  wire       ftdi_rxf_ni,
    input  wire       ftdi_txe_ni,
    output wire       ftdi_oe_no,
    output wire       ftdi_rd_no,
    output wire       ftdi_wr_no,
    output wire       ftdi_siwu_no,
    input  wire [7:0] ftdi_data_i,
    output wire [7:0] ftdi_data_o,
    output wire       ftdi_data_oe_o
);
  localparam UART_DIVISOR = CLOCK_HZ / 115200;

  wire link_clk = LINK != 0 ? ftdi_clk_i : clk_i;
  wire rst_n;
  wire ftdi_rst_n;
  wire link_rst_n = LINK != 0 ? ftdi_rst_n : rst_n;
  ear_board_reset u_reset (
      .clk_i      (clk_i),
      .link_clk_i (link_clk),
      .rst_no     (rst_n),
      .link_rst_no(ftdi_rst_n)
  );

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
      .CONFIG  (CONFIG),
      .CLOCK_HZ(CLOCK_HZ)
  ) u_board (
      .rst_ni        (rst_n),
      .link_clk_i    (link_clk),
      .link_rst_ni   (link_rst_n),
      .boot_address_i(32'h8000_0000),
      // generate: connect ear_board tied last
      .clk_i(clk_i), .memory_valid_o(memory_valid), .memory_address_o(memory_address),
      .memory_wmask_o(memory_wmask), .memory_wdata_o(memory_wdata), .memory_rdata_i(memory_rdata),
      .memory_error_i(memory_error), .uart_valid_o(uart_valid), .uart_data_o(uart_data),
      .uart_ready_i(uart_ready), .exit_i(1'b0), .exit_code_i(exit_code), .ended_o(ended),
      .exit_code_o(exit_code), .retired_o(retired), .trap_o(trap), .stall_o(stall), .held_o(held),
      .fault_kind_i(2'd0), .fault_op_valid_i(1'b0), .fault_op_i(4'd0), .fault_period_i(32'd0),
      .fault_mask_i(32'd0), .tx_valid_o(tx_valid), .tx_ready_i(tx_ready), .tx_data_o(tx_data),
      .tx_last_o(tx_last), .rx_valid_i(rx_valid), .rx_ready_o(rx_ready), .rx_data_i(rx_data)
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

  ear_board_link #(
      .LINK   (LINK),
      .DIVISOR(LINK_DIVISOR)
  ) u_link (
      .link_clk_i (link_clk),
      .link_rst_ni(link_rst_n),
      // generate: connect ear_board_link last
      .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_data_i(tx_data), .tx_last_i(tx_last),
      .rx_valid_o(rx_valid), .rx_ready_i(rx_ready), .rx_data_o(rx_data), .rxd_i(rxd_i),
      .txd_o(txd_o), .ftdi_rxf_ni(ftdi_rxf_ni), .ftdi_txe_ni(ftdi_txe_ni), .ftdi_oe_no(ftdi_oe_no),
      .ftdi_rd_no(ftdi_rd_no), .ftdi_wr_no(ftdi_wr_no), .ftdi_siwu_no(ftdi_siwu_no),
      .ftdi_data_i(ftdi_data_i), .ftdi_data_o(ftdi_data_o), .ftdi_data_oe_o(ftdi_data_oe_o)
      // generate: end
  );

  assign led_o = {ended, held, stall, retired, exit_code[3:0]};
  wire unused = &{1'b0, trap, exit_code[15:4]};
endmodule
`default_nettype wire
