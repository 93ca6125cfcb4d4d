// SPDX-License-Identifier: Apache-2.0
// VexRiscv with FormalPlugin and the capture unit, held at the bus of its instructions. It is the
// generated file of riscv-formal: RV32IC, no interrupts, and it stops at a trap. It begins at 0.
`include "core_bench.vh"
`default_nettype none
module core_vexriscv (
    `CORE_BENCH_PORTS
);
  `CORE_BENCH_UNIT(`EAR_CORE_VEXRISCV)

  wire core_valid;
  wire core_ready;
  wire ibus_valid;
  wire ibus_answer;
  wire [31:0] ibus_pc;
  wire [31:0] ibus_inst;
  wire dbus_valid;
  wire dbus_wr;
  wire dbus_answer;
  wire [1:0] dbus_size;
  wire [31:0] dbus_address;
  wire [31:0] dbus_wdata;
  wire [31:0] dbus_rdata;
  wire [3:0] dbus_bytes = dbus_size == 0 ? 4'b0001 : dbus_size == 1 ? 4'b0011 : 4'b1111;

  VexRiscv u_core (
      .clk                     (clk_i),
      .reset                   (!core_rst_n),
      .iBus_cmd_valid          (core_valid),
      .iBus_cmd_ready          (core_ready),
      .iBus_cmd_payload_pc     (ibus_pc),
      .iBus_rsp_valid          (ibus_answer),
      .iBus_rsp_payload_error  (1'b0),
      .iBus_rsp_payload_inst   (ibus_inst),
      .dBus_cmd_valid          (dbus_valid),
      .dBus_cmd_ready          (1'b1),
      .dBus_cmd_payload_wr     (dbus_wr),
      .dBus_cmd_payload_address(dbus_address),
      .dBus_cmd_payload_data   (dbus_wdata),
      .dBus_cmd_payload_size   (dbus_size),
      .dBus_rsp_ready          (dbus_answer),
      .dBus_rsp_error          (1'b0),
      .dBus_rsp_data           (dbus_rdata),
      `EAR_RVFI_CORE
  );

  ear_hold u_hold (
      .clk_i  (clk_i),
      .rst_ni (core_rst_n),
      .hold_i (hold),
      .valid_i(core_valid),
      .ready_o(core_ready),
      .valid_o(ibus_valid),
      .ready_i(1'b1)
  );

  core_memory u_instructions (
      .clk_i    (clk_i),
      .valid_i  (core_rst_n && ibus_valid),
      .address_i(ibus_pc),
      .wmask_i  (4'd0),
      .wdata_i  (32'd0),
      .answer_o (ibus_answer),
      .rdata_o  (ibus_inst)
  );

  core_memory u_data (
      .clk_i    (clk_i),
      .valid_i  (core_rst_n && dbus_valid),
      .address_i(dbus_address),
      .wmask_i  (dbus_wr ? dbus_bytes << dbus_address[1:0] : 4'd0),
      .wdata_i  (dbus_wdata),
      .answer_o (dbus_answer),
      .rdata_o  (dbus_rdata)
  );

  assign rvfi_ext_cause = 32'd0;
  assign rvfi_ext_irq = 1'b0;
  assign rvfi_ext_debug = 1'b0;
endmodule
`default_nettype wire
