// SPDX-License-Identifier: Apache-2.0
// For tb_core_ports.v: the unit of core N, with RVFI of NR channels of XL bits.
`ifndef TB_CORE_PORTS_VH
`define TB_CORE_PORTS_VH
// Within an argument.
`define COMMA ,
`define UNIT(N, NR, XL, PARAMETERS) \
    `EAR_RVFI_WIRES(NR, XL) \
    wire [NR*XL-1:0] rvfi_ext_cause; \
    wire [NR-1:0] rvfi_ext_debug; \
    wire [NR-1:0] rvfi_ext_irq; \
    ear_rvfi #( \
        PARAMETERS, .NRET(NR), .XLEN(XL), .FILTER(0), .TRIGGER(0), .TIME(0), .TEST(0), \
        .EVENTS(1), .HELD(0), .ENDED_CLOCKS(64) \
    ) u_trace ( \
        .clk_i(clk_i), .rst_ni(rst_ni), `EAR_RVFI_UNIT, `EAR_RVFI_NO_CSRS(NR), \
        .rvfi_ext_cause_i(rvfi_ext_cause), .rvfi_ext_debug_i(rvfi_ext_debug), \
        .rvfi_ext_irq_i(rvfi_ext_irq), .stall_o(stall[N]), .core_reset_o(core_reset[N]), \
        .core_halt_o(core_halt[N]), .ended_i(ended_i), .link_clk_i(clk_i), \
        .link_rst_ni(rst_ni), .tx_valid_o(tx_valid[N]), .tx_ready_i(1'b1), \
        .tx_data_o(tx_data[32*N+:32]), .tx_last_o(tx_last[N]), \
        .rx_valid_i(rx_valid_i && core_i == N), .rx_ready_o(rx_ready[N]), .rx_data_i(rx_data_i) \
    );
`endif
