// SPDX-License-Identifier: Apache-2.0
// What the benches of all cores have in common: their ports, and the capture unit. bench.cpp is the
// other side.
`ifndef CORE_BENCH_VH
`define CORE_BENCH_VH
`include "ear_cores.vh"

// The ports of core_bench, without a comma at the end.
`define CORE_BENCH_PORTS \
    input wire clk_i, \
    input wire rst_ni, \
    input wire ended_i, \
    input wire timer_i, \
    input wire software_i, \
    `EAR_RVFI_OUTPUTS(1, 32), \
    output wire [31:0] rvfi_ext_cause, \
    output wire rvfi_ext_debug, \
    output wire rvfi_ext_irq, \
    output wire stall_o, \
    output wire reads_o, \
    output wire causes_o, \
    output wire next_o, \
    output wire tx_valid_o, \
    input wire tx_ready_i, \
    output wire [31:0] tx_data_o, \
    output wire tx_last_o, \
    input wire rx_valid_i, \
    output wire rx_ready_o, \
    input wire [7:0] rx_data_i

// The unit, with the parameters that the core needs: core_rst_n resets the core, hold holds it. The
// core is held for good when the program has ended, as nothing else stops it.
`define CORE_BENCH_UNIT(CORE) \
    wire core_reset; \
    wire core_halt; \
    wire core_rst_n = rst_ni && !core_reset; \
    wire hold = stall_o || core_halt || ended_i; \
    assign reads_o = u_trace.OPCODE_READS != 0; \
    assign causes_o = u_trace.CAUSES != 0; \
    assign next_o = u_trace.NEXT_PC != 0; \
    ear_rvfi #( \
        CORE, \
        .PRESET    (`CORE_PRESET), \
        .RESET_HOLD(1), \
        .ONE_CLOCK (1) \
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
        .link_clk_i      (clk_i), \
        .link_rst_ni     (rst_ni), \
        .tx_valid_o      (tx_valid_o), \
        .tx_ready_i      (tx_ready_i), \
        .tx_data_o       (tx_data_o), \
        .tx_last_o       (tx_last_o), \
        .rx_valid_i      (rx_valid_i), \
        .rx_ready_o      (rx_ready_o), \
        .rx_data_i       (rx_data_i) \
    );

`endif
