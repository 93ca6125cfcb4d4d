// SPDX-License-Identifier: Apache-2.0
// The ports of core_*.v, and the capture unit in it.
//
//   CORE_BENCH_PORTS         the ports of a core with its unit, without a comma at the end
//   CORE_BENCH_UNIT(CORE)    the unit; CORE are parameters of ear_rvfi that this core needs.
//                            core_rst_n resets the core, hold holds it
`ifndef CORE_BENCH_VH
`define CORE_BENCH_VH
`include "ear_cores.vh"
`define CORE_BENCH_PORTS \
    input wire clk_i, \
    input wire rst_ni, \
    input wire link_clk_i, \
    input wire link_rst_ni, \
    input wire ended_i, \
    input wire timer_i, \
    input wire software_i, \
    `EAR_RVFI_OUTPUTS(1, 32), \
    output wire [31:0] rvfi_ext_cause, \
    output wire rvfi_ext_debug, \
    output wire rvfi_ext_irq, \
    output wire stall_o, \
    output wire core_reset_o, \
    output wire tx_valid_o, \
    input wire tx_ready_i, \
    output wire [31:0] tx_data_o, \
    output wire tx_last_o, \
    input wire rx_valid_i, \
    output wire rx_ready_o, \
    input wire [7:0] rx_data_i

`define CORE_BENCH_UNIT(CORE) \
    wire core_reset; \
    wire core_halt; \
    assign core_reset_o = core_reset; \
    wire core_rst_n = rst_ni && !core_reset; \
    wire hold = stall_o || core_halt || ended_i; \
    ear_rvfi #( \
        CORE, \
        .PRESET    (`EAR_PRESET_@PRESET@), \
        .SIZE      (`EAR_SIZE_LEAN), \
        .RESET_HOLD(1) \
    ) u_trace ( \
        .clk_i           (clk_i), \
        .rst_ni          (rst_ni), \
        `EAR_RVFI_UNIT, \
        `EAR_RVFI_NO_CSRS(1), \
        .rvfi_ext_cause_i(rvfi_ext_cause), \
        .rvfi_ext_debug_i(rvfi_ext_debug), \
        .rvfi_ext_irq_i  (rvfi_ext_irq), \
        .stall_o         (stall_o), \
        .core_reset_o    (core_reset), \
        .core_halt_o     (core_halt), \
        .ended_i         (ended_i), \
        .link_clk_i      (link_clk_i), \
        .link_rst_ni     (link_rst_ni), \
        .tx_valid_o      (tx_valid_o), \
        .tx_ready_i      (tx_ready_i), \
        .tx_data_o       (tx_data_o), \
        .tx_last_o       (tx_last_o), \
        .rx_valid_i      (rx_valid_i), \
        .rx_ready_o      (rx_ready_o), \
        .rx_data_i       (rx_data_i) \
    );

`endif
