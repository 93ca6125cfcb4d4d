// SPDX-License-Identifier: Apache-2.0
// A model of NEORV32's ports that the bench connects: a cycle of its external bus stays until ack.
`include "ear_rvfi.vh"
`default_nettype none
module neorv32_rvfi (
    input  wire        clk_i,
    input  wire        rstn_i,
    input  wire        timer_i,
    input  wire        software_i,
    output wire [31:0] xbus_adr_o,
    output wire [31:0] xbus_dat_o,
    output wire        xbus_we_o,
    output wire [ 3:0] xbus_sel_o,
    output wire        xbus_cyc_o,
    input  wire [31:0] xbus_dat_i,
    input  wire        xbus_ack_i,
    output wire        rvfi_ext_debug,
    `EAR_RVFI_OUTPUTS(1, 32)
);
  wire fetch;

  model_core #(
      .CORE(4)
  ) u_model (
      .clk_i     (clk_i),
      .rst_ni    (rstn_i),
      .hold_i    (1'b0),
      .timer_i   (timer_i),
      .software_i(software_i),
      .req_o     (xbus_cyc_o),
      .fetch_o   (fetch),
      .address_o (xbus_adr_o),
      .wmask_o   (xbus_sel_o),
      .wdata_o   (xbus_dat_o),
      .done_i    (xbus_ack_i),
      .rdata_i   (xbus_dat_i),
      `EAR_RVFI_CORE
  );

  assign xbus_we_o = |xbus_sel_o;
  assign rvfi_ext_debug = 1'b0;
endmodule
`default_nettype wire
