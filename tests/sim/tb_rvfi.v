// SPDX-License-Identifier: Apache-2.0
// ear_rvfi with two channels and six CSR groups, and what it gives the unit as outputs.
//
// The core is built from the macros of ear_rvfi.vh, so they are compiled here, too.
`include "ear_rvfi.vh"
`default_nettype none
module tb_rvfi #(
    parameter MASKS = 0
) (
    input wire         clk_i,
    input wire         rst_ni,
    input wire [  1:0] valid_i,
    input wire [127:0] order_i,
    input wire [ 63:0] insn_i,
    input wire [  1:0] trap_i,
    input wire [383:0] csr_rmask_i,
    input wire [383:0] csr_wmask_i,
    input wire [383:0] csr_rdata_i,
    input wire [383:0] csr_wdata_i,

    output wire [127:0] own_order_o,   // with COUNT_ORDER
    output wire [127:0] port_order_o,  // without
    output wire [  3:0] own_mode_o,    // with MODE 3
    output wire [  3:0] port_mode_o,   // without
    output wire [  3:0] own_ixl_o,
    output wire [  9:0] csr_valid_o,
    output wire [119:0] csr_addr_o,
    output wire [319:0] csr_wdata_o
);
  localparam [71:0] LIST = {12'hb03, 12'h310, 12'h300, 12'h343, 12'h342, 12'h341};

  `EAR_RVFI_WIRES(2, 32)
  tb_rvfi_core u_core (
      .valid_i(valid_i),
      .order_i(order_i),
      .insn_i (insn_i),
      .trap_i (trap_i),
      `EAR_RVFI_CORE
  );

  wire [1:0] stall;
  wire [1:0] core_reset;
  wire [1:0] core_halt;
  wire [1:0] tx_valid;
  wire [63:0] tx_data;
  wire [1:0] tx_last;
  wire [1:0] rx_ready;
  wire unused = &{1'b0, stall, core_reset, core_halt, tx_valid, tx_data, tx_last, rx_ready};

  ear_rvfi #(
      .PREDICT(0),
      .NRET(2),
      .RECORD_FIFO(32),
      .COUNT_ORDER(1),
      .MODE(3),
      .IXL(1),
      .CSR_SLOTS(5),
      .CSRS(6),
      .CSR_LIST(LIST),
      .CSR_MASKS(MASKS)
  ) u_own (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      `EAR_RVFI_UNIT,
      .rvfi_ext_cause_i(64'd0),
      .rvfi_ext_debug_i(2'd0),
      .rvfi_ext_irq_i(2'd0),
      .rvfi_csr_rmask_i(csr_rmask_i),
      .rvfi_csr_wmask_i(csr_wmask_i),
      .rvfi_csr_rdata_i(csr_rdata_i),
      .rvfi_csr_wdata_i(csr_wdata_i),
      .stall_o(stall[0]),
      .core_reset_o(core_reset[0]),
      .core_halt_o(core_halt[0]),
      .ended_i(1'b0),
      .link_clk_i(clk_i),
      .link_rst_ni(rst_ni),
      .tx_valid_o(tx_valid[0]),
      .tx_ready_i(1'b1),
      .tx_data_o(tx_data[31:0]),
      .tx_last_o(tx_last[0]),
      .rx_valid_i(1'b0),
      .rx_ready_o(rx_ready[0]),
      .rx_data_i(8'd0)
  );

  ear_rvfi #(
      .PREDICT(0),
      .NRET(2),
      .RECORD_FIFO(32)
  ) u_port (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      `EAR_RVFI_UNIT,
      `EAR_RVFI_NO_CSRS(2),
      .rvfi_ext_cause_i(64'd0),
      .rvfi_ext_debug_i(2'd0),
      .rvfi_ext_irq_i(2'd0),
      .stall_o(stall[1]),
      .core_reset_o(core_reset[1]),
      .core_halt_o(core_halt[1]),
      .ended_i(1'b0),
      .link_clk_i(clk_i),
      .link_rst_ni(rst_ni),
      .tx_valid_o(tx_valid[1]),
      .tx_ready_i(1'b1),
      .tx_data_o(tx_data[63:32]),
      .tx_last_o(tx_last[1]),
      .rx_valid_i(1'b0),
      .rx_ready_o(rx_ready[1]),
      .rx_data_i(8'd0)
  );

  assign own_order_o = u_own.u_unit.rvfi_order_i;
  assign own_mode_o = u_own.u_unit.rvfi_mode_i;
  assign own_ixl_o = u_own.u_unit.rvfi_ixl_i;
  assign csr_valid_o = u_own.u_unit.rvfi_csr_valid_i;
  assign csr_addr_o = u_own.u_unit.rvfi_csr_addr_i;
  assign csr_wdata_o = u_own.u_unit.rvfi_csr_wdata_i;
  assign port_order_o = u_port.u_unit.rvfi_order_i;
  assign port_mode_o = u_port.u_unit.rvfi_mode_i;
endmodule
`default_nettype wire
