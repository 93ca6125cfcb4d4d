// SPDX-License-Identifier: Apache-2.0
// Ibex with the capture unit, held at the bus of its instructions. It begins at boot_addr + 0x80.
`include "core_bench.vh"
`default_nettype none
module core_ibex (
    `CORE_BENCH_PORTS
);
  `CORE_BENCH_UNIT(`EAR_CORE_IBEX)

  wire core_req;
  wire core_gnt;
  wire instr_req;
  wire instr_rvalid;
  wire [31:0] instr_addr;
  wire [31:0] instr_rdata;
  wire data_req;
  wire data_we;
  wire data_rvalid;
  wire [3:0] data_be;
  wire [31:0] data_addr;
  wire [31:0] data_wdata;
  wire [31:0] data_rdata;

  ibex_top u_core (
      .clk_i              (clk_i),
      .rst_ni             (core_rst_n),
      .test_en_i          (1'b0),
      .scan_rst_ni        (1'b1),
      .cheriot_enable_i   (4'b1010),
      .fetch_enable_i     (4'b0101),
      .boot_addr_i        (32'h7fff_ff00),
      .hart_id_i          (32'd0),
      .instr_req_o        (core_req),
      .instr_gnt_i        (core_gnt),
      .instr_rvalid_i     (instr_rvalid),
      .instr_addr_o       (instr_addr),
      .instr_rdata_i      (instr_rdata),
      .instr_rdata_intg_i (7'd0),
      .instr_err_i        (1'b0),
      .data_req_o         (data_req),
      .data_gnt_i         (1'b1),
      .data_rvalid_i      (data_rvalid),
      .data_we_o          (data_we),
      .data_be_o          (data_be),
      .data_addr_o        (data_addr),
      .data_wdata_o       (data_wdata),
      .data_rdata_i       (data_rdata),
      .data_rdata_intg_i  (7'd0),
      .data_tag_i         (1'b0),
      .data_err_i         (1'b0),
      .irq_software_i     (software_i),
      .irq_timer_i        (timer_i),
      .irq_external_i     (1'b0),
      .irq_fast_i         (15'd0),
      .irq_nm_i           (1'b0),
      .debug_req_i        (1'b0),
      .rvfi_ext_debug_mode(rvfi_ext_debug),
      .rvfi_ext_irq_valid (rvfi_ext_irq),
      `EAR_RVFI_CORE
  );

  ear_hold u_hold (
      .clk_i  (clk_i),
      .rst_ni (core_rst_n),
      .hold_i (hold),
      .valid_i(core_req),
      .ready_o(core_gnt),
      .valid_o(instr_req),
      .ready_i(1'b1)
  );

  core_memory u_instructions (
      .clk_i    (clk_i),
      .valid_i  (instr_req),
      .address_i(instr_addr),
      .wmask_i  (4'd0),
      .wdata_i  (32'd0),
      .answer_o (instr_rvalid),
      .rdata_o  (instr_rdata)
  );

  core_memory u_data (
      .clk_i    (clk_i),
      .valid_i  (data_req),
      .address_i(data_addr),
      .wmask_i  (data_we ? data_be : 4'd0),
      .wdata_i  (data_wdata),
      .answer_o (data_rvalid),
      .rdata_o  (data_rdata)
  );

  assign rvfi_ext_cause = 32'd0;
endmodule
`default_nettype wire
