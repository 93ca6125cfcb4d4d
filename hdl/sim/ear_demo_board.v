// SPDX-License-Identifier: Apache-2.0
// The virtual board: demo system, capture unit and a 32-bit FT245 link, as `earshot-board`
// simulates them. The other end of each port (memory, UART, FIFO chip) is C++.
//
// One clock drives everything; the capture unit's clock crossings are there all the same.
`include "ear_board.vh"
`default_nettype none
module ear_demo_board #(
    parameter [31:0] CLOCK_HZ = 32'd50_000_000,  // what the clock represents
    parameter        CONFIG   = `EAR_BOARD_SMALL  // as ear_board
) (
    input wire        clk_i,
    input wire        rst_ni,
    input wire [31:0] boot_address_i, // first pc

    // Memory, see ear_demo_system.
    output wire        memory_valid_o,
    output wire [31:0] memory_address_o,
    output wire [ 3:0] memory_wmask_o,
    output wire [31:0] memory_wdata_o,
    input  wire [31:0] memory_rdata_i,
    input  wire        memory_error_i,

    // UART bytes; always taken.
    output wire       uart_valid_o,
    output wire [7:0] uart_data_o,

    // End of the program: asked for by the simulation, and when it has come.
    input  wire        exit_i,
    input  wire [15:0] exit_code_i,
    output wire        ended_o,
    output wire [15:0] exit_code_o,

    // Events, for the simulation's own decisions and counts.
    output wire retired_o,  // an entry left the retire port, not an interrupt or trap
    output wire held_o,     // the host holds the core: it cannot do anything by itself

    // Fault injection, see ear_demo_core.
    input wire [ 1:0] fault_kind_i,
    input wire        fault_op_valid_i,
    input wire [ 3:0] fault_op_i,
    input wire [31:0] fault_period_i,
    input wire [31:0] fault_mask_i,

    // FIFO chip, see ear_link_ft245.
    input  wire        rxf_ni,
    input  wire        txe_ni,
    output wire        oe_no,
    output wire        rd_no,
    output wire        wr_no,
    input  wire [31:0] data_i,
    output wire [31:0] data_o,
    input  wire [ 3:0] be_i,
    output wire [ 3:0] be_o
);
  wire tx_valid;
  wire tx_ready;
  wire [31:0] tx_data;
  wire tx_last;
  wire rx_valid;
  wire rx_ready;
  wire [7:0] rx_data;
  wire retired;
  wire trap;
  wire stall;

  ear_board #(
      .CONFIG  (CONFIG),
      .CLOCK_HZ(CLOCK_HZ)
  ) u_board (
      .uart_ready_i(1'b1),
      .retired_o   (retired),
      .link_clk_i  (clk_i),
      .link_rst_ni (rst_ni),
      // generate: connect ear_board last
      .clk_i(clk_i), .rst_ni(rst_ni), .boot_address_i(boot_address_i),
      .memory_valid_o(memory_valid_o), .memory_address_o(memory_address_o),
      .memory_wmask_o(memory_wmask_o), .memory_wdata_o(memory_wdata_o),
      .memory_rdata_i(memory_rdata_i), .memory_error_i(memory_error_i), .uart_valid_o(uart_valid_o),
      .uart_data_o(uart_data_o), .exit_i(exit_i), .exit_code_i(exit_code_i), .ended_o(ended_o),
      .exit_code_o(exit_code_o), .trap_o(trap), .stall_o(stall), .held_o(held_o),
      .fault_kind_i(fault_kind_i), .fault_op_valid_i(fault_op_valid_i), .fault_op_i(fault_op_i),
      .fault_period_i(fault_period_i), .fault_mask_i(fault_mask_i), .tx_valid_o(tx_valid),
      .tx_ready_i(tx_ready), .tx_data_o(tx_data), .tx_last_o(tx_last), .rx_valid_i(rx_valid),
      .rx_ready_o(rx_ready), .rx_data_i(rx_data)
      // generate: end
  );

  wire siwu_n;
  wire data_oe;

  ear_link_ft245 #(
      .DATA_BYTES(4)
  ) u_link (
      .link_clk_i (clk_i),
      .link_rst_ni(rst_ni),
      // generate: connect ear_link_ft245 last
      .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_data_i(tx_data), .tx_last_i(tx_last),
      .rx_valid_o(rx_valid), .rx_ready_i(rx_ready), .rx_data_o(rx_data), .rxf_ni(rxf_ni),
      .txe_ni(txe_ni), .oe_no(oe_no), .rd_no(rd_no), .wr_no(wr_no), .siwu_no(siwu_n),
      .data_i(data_i), .data_o(data_o), .data_oe_o(data_oe), .be_i(be_i), .be_o(be_o)
      // generate: end
  );

  assign retired_o = retired && !trap;
  wire unused = &{1'b0, siwu_n, data_oe, stall};
endmodule
`default_nettype wire
