// SPDX-License-Identifier: Apache-2.0
// The boards of hdl/configs, by number: values of CONFIG of ear_board. Pins that a board has not.
`ifndef EAR_BOARD_VH
`define EAR_BOARD_VH

// The pins of an FTDI chip in FIFO mode on a board that has none, after `wire [12:0] unused_ftdi;`.
`define EAR_BOARD_NO_FTDI \
    .ftdi_clk_i    (1'b0), \
    .ftdi_rxf_ni   (1'b1), \
    .ftdi_txe_ni   (1'b1), \
    .ftdi_oe_no    (unused_ftdi[12]), \
    .ftdi_rd_no    (unused_ftdi[11]), \
    .ftdi_wr_no    (unused_ftdi[10]), \
    .ftdi_siwu_no  (unused_ftdi[9]), \
    .ftdi_data_i   (8'd0), \
    .ftdi_data_o   (unused_ftdi[8:1]), \
    .ftdi_data_oe_o(unused_ftdi[0])

// generate: boards
`define EAR_BOARD_RAW 0
`define EAR_BOARD_TINY 1
`define EAR_BOARD_SMALL 2
`define EAR_BOARD_LARGE 3
`define EAR_BOARD_UNIFIED 4
`define EAR_BOARD_ICE40_RAW 5
`define EAR_BOARD_ICE40_PREDICT 6
`define EAR_BOARD_FPGA 7
`define EAR_BOARD_UP5K 8
// generate: end

`endif
