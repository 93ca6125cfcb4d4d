// SPDX-License-Identifier: Apache-2.0
// A model of SERV's ports: two buses, with cyc until ack. Silent without DEBUG, and more so than SERV.
`include "ear_rvfi.vh"
`default_nettype none
module serv_rf_top #(
    parameter RESET_PC = 32'd0,
    parameter DEBUG    = 1'b0
) (
    input  wire        clk,
    input  wire        i_rst,
    input  wire        i_timer_irq,
    output wire [31:0] o_ibus_adr,
    output wire        o_ibus_cyc,
    input  wire [31:0] i_ibus_rdt,
    input  wire        i_ibus_ack,
    output wire [31:0] o_dbus_adr,
    output wire [31:0] o_dbus_dat,
    output wire [ 3:0] o_dbus_sel,
    output wire        o_dbus_we,
    output wire        o_dbus_cyc,
    input  wire [31:0] i_dbus_rdt,
    input  wire        i_dbus_ack,
    input  wire [31:0] i_ext_rd,
    input  wire        i_ext_ready,
    `EAR_RVFI_OUTPUTS(1, 32)
);
  wire req;
  wire fetch;

  model_core #(
      .CORE    (2),
      .RESET_PC(RESET_PC)
  ) u_model (
      .clk_i     (clk),
      .rst_ni    (!i_rst && DEBUG),
      .hold_i    (1'b0),
      .timer_i   (i_timer_irq),
      .software_i(1'b0),
      .req_o     (req),
      .fetch_o   (fetch),
      .address_o (o_dbus_adr),
      .wmask_o   (o_dbus_sel),
      .wdata_o   (o_dbus_dat),
      .done_i    (fetch ? i_ibus_ack : i_dbus_ack),
      .rdata_i   (fetch ? i_ibus_rdt : i_dbus_rdt),
      `EAR_RVFI_CORE
  );

  assign o_ibus_adr = o_dbus_adr;
  assign o_ibus_cyc = req && fetch;
  assign o_dbus_cyc = req && !fetch;
  assign o_dbus_we  = |o_dbus_sel;
endmodule
`default_nettype wire
