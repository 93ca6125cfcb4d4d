// SPDX-License-Identifier: Apache-2.0
// The smallest thing to trace: a core that knows two instructions, with the capture unit. Put your
// core in the place of this one; docs/own-simulation.md walks through it.
`include "ear_geometry.vh"
`default_nettype none
module own_unit #(
    parameter COUNT = 1000  // instructions until the program ends
) (
    input wire clk_i,
    input wire rst_ni,
    output wire ended_o,

    output wire        tx_valid_o,
    input  wire        tx_ready_i,
    output wire [31:0] tx_data_o,
    output wire        tx_last_o,
    input  wire        rx_valid_i,
    output wire        rx_ready_o,
    input  wire [ 7:0] rx_data_i
);
  // 80000000  addi x5, x5, 1
  // 80000004  jal x0, 80000000
  wire stall;
  wire core_reset;
  wire core_halt;
  reg [63:0] order_q;
  reg [31:0] x5_q;
  wire jumps = order_q[0];
  wire retires = !stall && !core_reset && !core_halt && !ended_o;
  wire [31:0] pc = jumps ? 32'h8000_0004 : 32'h8000_0000;
  assign ended_o = order_q >= COUNT;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      order_q <= 64'd0;
      x5_q    <= 32'd0;
    end else if (core_reset) begin
      order_q <= 64'd0;
      x5_q    <= 32'd0;
    end else if (retires) begin
      order_q <= order_q + 64'd1;
      if (!jumps) x5_q <= x5_q + 32'd1;
    end
  end

  // What this core has no use for.
  wire load_valid;
  wire load_write;
  wire [31:0] load_address;
  wire [31:0] load_wdata;
  wire [31:0] boot;
  wire event_ready;
  wire port_ready;
  wire [31:0] port_rdata;
  wire unused = &{1'b0, load_valid, load_write, load_address, load_wdata, boot};
  wire unused_port = &{1'b0, event_ready, port_ready, port_rdata};

  ear_unit #(
      .PREDICT_GEOMETRY(`EAR_GEOMETRY_SMALL),
      .RESET_HOLD      (1),
      .ONE_CLOCK       (1)
  ) u_unit (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .rvfi_valid_i      (retires),
      .rvfi_order_i      (order_q),
      .rvfi_insn_i       (jumps ? 32'hffdf_f06f : 32'h0012_8293),
      .rvfi_trap_i       (1'b0),
      .rvfi_halt_i       (1'b0),
      .rvfi_intr_i       (1'b0),
      .rvfi_ext_irq_i    (1'b0),
      .rvfi_mode_i       (2'd3),
      .rvfi_ixl_i        (2'd1),
      .rvfi_ext_debug_i  (1'b0),
      .rvfi_ext_virt_i   (1'b0),
      .rvfi_rd_addr_i    (jumps ? 5'd0 : 5'd5),
      .rvfi_rd_wdata_i   (jumps ? 32'd0 : x5_q + 32'd1),
      .rvfi_pc_rdata_i   (pc),
      .rvfi_pc_wdata_i   (jumps ? 32'h8000_0000 : 32'h8000_0004),
      .rvfi_mem_addr_i   (32'd0),
      .rvfi_mem_rdata_i  (32'd0),
      .rvfi_mem_wdata_i  (32'd0),
      .rvfi_ext_cause_i  (32'd0),
      .rvfi_mem_rmask_i  (4'd0),
      .rvfi_mem_wmask_i  (4'd0),
      .rvfi_csr_valid_i  (1'b0),
      .rvfi_csr_addr_i   (1'b0),
      .rvfi_csr_wdata_i  (1'b0),
      .rvfi_frd_valid_i  (1'b0),
      .rvfi_frd_addr_i   (5'd0),
      .rvfi_fflags_i     (5'd0),
      .rvfi_frd_wdata_i  (1'b0),
      .rvfi_pc_paddr_i   (1'b0),
      .rvfi_mem_paddr_i  (1'b0),
      .rvfi_rs1_addr_i   (jumps ? 5'd0 : 5'd5),
      .rvfi_rs2_addr_i   (5'd0),
      .rvfi_rs1_rdata_i  (jumps ? 32'd0 : x5_q),
      .rvfi_rs2_rdata_i  (32'd0),
      .stall_o           (stall),
      .core_reset_o      (core_reset),
      .core_halt_o       (core_halt),
      .load_valid_o      (load_valid),
      .load_write_o      (load_write),
      .load_address_o    (load_address),
      .load_wdata_o      (load_wdata),
      .load_ready_i      (1'b0),
      .load_rdata_i      (32'd0),
      .load_error_i      (1'b0),
      .boot_o            (boot),
      .ended_i           (ended_o),
      .trigger_i         (1'b0),
      .event_valid_i     (1'b0),
      .event_data_i      (32'd0),
      .event_ready_o     (event_ready),
      .port_valid_i      (1'b0),
      .port_address_i    (13'd0),
      .port_wmask_i      (4'd0),
      .port_wdata_i      (32'd0),
      .port_ready_o      (port_ready),
      .port_rdata_o      (port_rdata),
      .link_clk_i        (clk_i),
      .link_rst_ni       (rst_ni),
      .tx_valid_o        (tx_valid_o),
      .tx_ready_i        (tx_ready_i),
      .tx_data_o         (tx_data_o),
      .tx_last_o         (tx_last_o),
      .rx_valid_i        (rx_valid_i),
      .rx_ready_o        (rx_ready_o),
      .rx_data_i         (rx_data_i)
  );
endmodule
`default_nettype wire
