// SPDX-License-Identifier: Apache-2.0
// The boards of hdl/configs, by number: values of CONFIG of ear_board.
`ifndef EAR_BOARD_VH
`define EAR_BOARD_VH

// generate: boards
`define EAR_BOARD_RAW 0
`define EAR_BOARD_TINY 1
`define EAR_BOARD_SMALL 2
`define EAR_BOARD_LARGE 3
`define EAR_BOARD_UNIFIED 4
`define EAR_BOARD_ICE40_RAW 5
`define EAR_BOARD_ICE40_PREDICT 6
// generate: end

`endif
