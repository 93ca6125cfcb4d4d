// SPDX-License-Identifier: Apache-2.0
// A model of Ibex's ports: requests that stay until gnt, and an answer in a later clock.
`include "ear_rvfi.vh"
`default_nettype none
module ibex_top (
    input  wire        clk_i,
    input  wire        rst_ni,
    input  wire        test_en_i,
    input  wire        scan_rst_ni,
    input  wire [ 3:0] cheriot_enable_i,
    input  wire [ 3:0] fetch_enable_i,
    input  wire [31:0] boot_addr_i,
    input  wire [31:0] hart_id_i,
    output wire        instr_req_o,
    input  wire        instr_gnt_i,
    input  wire        instr_rvalid_i,
    output wire [31:0] instr_addr_o,
    input  wire [31:0] instr_rdata_i,
    input  wire [ 6:0] instr_rdata_intg_i,
    input  wire        instr_err_i,
    output wire        data_req_o,
    input  wire        data_gnt_i,
    input  wire        data_rvalid_i,
    output wire        data_we_o,
    output wire [ 3:0] data_be_o,
    output wire [31:0] data_addr_o,
    output wire [31:0] data_wdata_o,
    input  wire [31:0] data_rdata_i,
    input  wire [ 6:0] data_rdata_intg_i,
    input  wire        data_tag_i,
    input  wire        data_err_i,
    input  wire        irq_software_i,
    input  wire        irq_timer_i,
    input  wire        irq_external_i,
    input  wire [14:0] irq_fast_i,
    input  wire        irq_nm_i,
    input  wire        debug_req_i,
    output wire        rvfi_ext_debug_mode,
    output wire        rvfi_ext_irq_valid,
    `EAR_RVFI_OUTPUTS(1, 32)
);
  wire req;
  wire fetch;
  reg granted_q;
  wire granted = fetch ? instr_req_o && instr_gnt_i : data_req_o && data_gnt_i;
  wire answered = granted_q && (fetch ? instr_rvalid_i : data_rvalid_i);

  model_core #(
      .CORE    (3),
      .RESET_PC(32'h7fff_ff80)
  ) u_model (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .hold_i    (1'b0),
      .timer_i   (irq_timer_i),
      .software_i(irq_software_i),
      .req_o     (req),
      .fetch_o   (fetch),
      .address_o (instr_addr_o),
      .wmask_o   (data_be_o),
      .wdata_o   (data_wdata_o),
      .done_i    (answered),
      .rdata_i   (fetch ? instr_rdata_i : data_rdata_i),
      .irq_o     (rvfi_ext_irq_valid),
      `EAR_RVFI_CORE
  );

  assign instr_req_o = req && fetch && !granted_q;
  assign data_req_o  = req && !fetch && !granted_q;
  assign data_addr_o = instr_addr_o;
  assign data_we_o   = |data_be_o;
  assign rvfi_ext_debug_mode = 1'b0;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) granted_q <= 1'b0;
    else granted_q <= granted || (granted_q && !answered);
  end
endmodule
`default_nettype wire
