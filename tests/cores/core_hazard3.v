// SPDX-License-Identifier: Apache-2.0
// Hazard3 (RV32IMC, two buses) with the capture unit, held at the bus of its instructions.
`include "core_bench.vh"
`default_nettype none
module core_hazard3 (
    `CORE_BENCH_PORTS
);
  `CORE_BENCH_UNIT(`EAR_CORE_HAZARD3)

  wire [31:0] i_address;
  wire [1:0] core_htrans;
  wire core_hready;
  wire core_hresp;
  wire [31:0] core_hrdata;
  wire [1:0] i_htrans;
  wire [31:0] i_rdata;
  wire [31:0] d_address;
  wire [1:0] d_htrans;
  wire d_write;
  wire [2:0] d_size;
  wire [31:0] d_wdata;
  wire d_ready;
  wire [31:0] d_rdata;

  hazard3_cpu_2port #(
      .RESET_VECTOR      (32'h8000_0000),
      .MTVEC_INIT        (32'h8000_0000),
      .EXTENSION_A       (0),
      .EXTENSION_ZIFENCEI(1),
      .CSR_COUNTER       (1)
  ) u_core (
      .clk                  (clk_i),
      .clk_always_on        (clk_i),
      .rst_n                (core_rst_n),
      .pwrup_ack            (1'b1),
      .unblock_in           (1'b0),
      `EAR_RVFI_CORE,
      .i_haddr              (i_address),
      .i_htrans             (core_htrans),
      .i_hready             (core_hready),
      .i_hresp              (core_hresp),
      .i_hrdata             (core_hrdata),
      .d_haddr              (d_address),
      .d_hwrite             (d_write),
      .d_htrans             (d_htrans),
      .d_hsize              (d_size),
      .d_hready             (d_ready),
      .d_hresp              (1'b0),
      .d_hexokay            (1'b1),
      .d_hwdata             (d_wdata),
      .d_hrdata             (d_rdata),
      .dbg_req_halt         (1'b0),
      .dbg_req_halt_on_reset(1'b0),
      .dbg_req_resume       (1'b0),
      .dbg_data0_rdata      (32'd0),
      .dbg_instr_data       (32'd0),
      .dbg_instr_data_vld   (1'b0),
      .dbg_sbus_addr        (32'd0),
      .dbg_sbus_write       (1'b0),
      .dbg_sbus_size        (2'd0),
      .dbg_sbus_vld         (1'b0),
      .dbg_sbus_wdata       (32'd0),
      .irq                  (1'b0),
      .soft_irq             (software_i),
      .timer_irq            (timer_i)
  );

  ear_hold_ahb u_hold (
      .clk_i   (clk_i),
      .rst_ni  (core_rst_n),
      .hold_i  (hold),
      .htrans_i(core_htrans),
      .hready_o(core_hready),
      .hresp_o (core_hresp),
      .hrdata_o(core_hrdata),
      .htrans_o(i_htrans),
      .hready_i(1'b1),
      .hresp_i (1'b0),
      .hrdata_i(i_rdata)
  );

  // Instructions: the answer comes in the next clock, and is gone after that.
  wire answer;
  wire [31:0] i_word;
  core_memory u_instructions (
      .clk_i    (clk_i),
      .valid_i  (core_rst_n && i_htrans[1]),
      .address_i(i_address),
      .wmask_i  (4'd0),
      .wdata_i  (32'd0),
      .answer_o (answer),
      .rdata_o  (i_word)
  );
  assign i_rdata = answer ? i_word : 32'hFFFF_FFFF;

  // Data: the access is in the first clock of its data phase, the answer in the second one.
  reg d_access_q;
  reg [31:0] d_address_q;
  reg [3:0] d_wmask_q;
  wire [3:0] lanes = d_size == 3'd0 ? 4'b0001 : d_size == 3'd1 ? 4'b0011 : 4'b1111;
  assign d_ready = !d_access_q;
  always @(posedge clk_i or negedge core_rst_n) begin
    if (!core_rst_n) d_access_q <= 1'b0;
    else d_access_q <= d_ready && d_htrans[1];
  end
  always @(posedge clk_i) begin
    if (d_ready) begin
      d_address_q <= d_address;
      d_wmask_q   <= d_write ? lanes << d_address[1:0] : 4'd0;
    end
  end
  core_memory u_data (
      .clk_i    (clk_i),
      .valid_i  (d_access_q),
      .address_i(d_address_q),
      .wmask_i  (d_wmask_q),
      .wdata_i  (d_wdata),
      .rdata_o  (d_rdata)
  );

  assign rvfi_ext_cause = 32'd0;
  assign rvfi_ext_irq = 1'b0;
  assign rvfi_ext_debug = 1'b0;
endmodule
`default_nettype wire
