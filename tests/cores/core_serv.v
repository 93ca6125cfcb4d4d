// SPDX-License-Identifier: Apache-2.0
// SERV with the capture unit, held at the bus of its instructions. DEBUG is needed: without it the
// port is silent.
`include "core_bench.vh"
`default_nettype none
module core_serv (
    `CORE_BENCH_PORTS
);
  `CORE_BENCH_UNIT(`EAR_CORE_SERV)

  wire core_cyc;
  wire core_ack;
  wire ibus_cyc;
  wire ibus_ack;
  wire [31:0] ibus_adr;
  wire [31:0] ibus_rdt;
  wire dbus_cyc;
  wire dbus_ack;
  wire dbus_we;
  wire [3:0] dbus_sel;
  wire [31:0] dbus_adr;
  wire [31:0] dbus_dat;
  wire [31:0] dbus_rdt;

  serv_rf_top #(
      .RESET_PC(32'h8000_0000),
      .DEBUG   (1'b1)
  ) u_core (
      .clk        (clk_i),
      .i_rst      (!core_rst_n),
      .i_timer_irq(timer_i),
      .o_ibus_adr (ibus_adr),
      .o_ibus_cyc (core_cyc),
      .i_ibus_rdt (ibus_rdt),
      .i_ibus_ack (core_ack),
      .o_dbus_adr (dbus_adr),
      .o_dbus_dat (dbus_dat),
      .o_dbus_sel (dbus_sel),
      .o_dbus_we  (dbus_we),
      .o_dbus_cyc (dbus_cyc),
      .i_dbus_rdt (dbus_rdt),
      .i_dbus_ack (dbus_ack),
      .i_ext_rd   (32'd0),
      .i_ext_ready(1'b0),
      `EAR_RVFI_CORE
  );

  ear_hold u_hold (
      .clk_i  (clk_i),
      .rst_ni (core_rst_n),
      .hold_i (hold),
      .valid_i(core_cyc),
      .ready_o(core_ack),
      .valid_o(ibus_cyc),
      .ready_i(ibus_ack)
  );

  core_memory u_instructions (
      .clk_i    (clk_i),
      .valid_i  (ibus_cyc && !ibus_ack),
      .address_i(ibus_adr),
      .wmask_i  (4'd0),
      .wdata_i  (32'd0),
      .answer_o (ibus_ack),
      .rdata_o  (ibus_rdt)
  );

  core_memory u_data (
      .clk_i    (clk_i),
      .valid_i  (dbus_cyc && !dbus_ack),
      .address_i(dbus_adr),
      .wmask_i  (dbus_we ? dbus_sel : 4'd0),
      .wdata_i  (dbus_dat),
      .answer_o (dbus_ack),
      .rdata_o  (dbus_rdt)
  );

  assign rvfi_ext_cause = 32'd0;
  assign rvfi_ext_irq = 1'b0;
  assign rvfi_ext_debug = 1'b0;
endmodule
`default_nettype wire
