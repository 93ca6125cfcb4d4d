// SPDX-License-Identifier: Apache-2.0
// Timing of policy stall: a core that retires an entry a clock, and after stall_o has risen the two
// entries that its pipeline still holds (STALL_SLACK 2). In raw mode the encoder is slower than the
// core, so the record FIFO fills.
`include "ear_protocol.vh"
`default_nettype none
module timing_stall;
  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #5 clk = !clk;

`include "timing_host.vh"

  // The core: what retires is decided two clocks before, so stall_o stops it two entries late.
  wire stall;
  reg run = 1'b0;
  reg [1:0] pipeline_q = 2'd0;
  reg [63:0] order_q = 64'd0;
  wire valid = pipeline_q[1];
  always @(posedge clk) begin
    pipeline_q <= {pipeline_q[0], run && !stall};
    if (valid) order_q <= order_q + 64'd1;
  end

  ear_unit #(
      .PREDICT    (0),
      .STALL_SLACK(2),
      .RECORD_FIFO(32),
      .ONE_CLOCK  (1)
  ) u_unit (
      .rvfi_valid_i(valid),
      .rvfi_order_i(order_q),
      .link_clk_i  (clk),
      .link_rst_ni (rst_n),
      .tx_ready_i  (1'b1),
      // generate: connect ear_unit tied last insn=32'h13 mode=2'd3 ixl=2'd1 pc_wdata=32'd4
      .clk_i(clk), .rst_ni(rst_n), .rvfi_insn_i(32'h13), .rvfi_trap_i(1'b0), .rvfi_halt_i(1'b0),
      .rvfi_intr_i(1'b0), .rvfi_ext_irq_i(1'b0), .rvfi_mode_i(2'd3), .rvfi_ixl_i(2'd1),
      .rvfi_ext_debug_i(1'b0), .rvfi_ext_virt_i(1'b0), .rvfi_rd_addr_i(5'd0),
      .rvfi_rd_wdata_i(32'd0), .rvfi_pc_rdata_i(32'd0), .rvfi_pc_wdata_i(32'd4),
      .rvfi_mem_addr_i(32'd0), .rvfi_mem_rdata_i(32'd0), .rvfi_mem_wdata_i(32'd0),
      .rvfi_ext_cause_i(32'd0), .rvfi_mem_rmask_i(4'd0), .rvfi_mem_wmask_i(4'd0),
      .rvfi_csr_valid_i(1'b0), .rvfi_csr_addr_i(1'b0), .rvfi_csr_wdata_i(1'b0),
      .rvfi_frd_valid_i(1'b0), .rvfi_frd_addr_i(5'd0), .rvfi_fflags_i(5'd0),
      .rvfi_frd_wdata_i(1'b0), .rvfi_pc_paddr_i(1'b0), .rvfi_mem_paddr_i(1'b0),
      .rvfi_rs1_addr_i(5'd0), .rvfi_rs2_addr_i(5'd0), .rvfi_rs1_rdata_i(32'd0),
      .rvfi_rs2_rdata_i(32'd0), .stall_o(stall), .core_reset_o(), .core_halt_o(), .load_valid_o(),
      .load_write_o(), .load_address_o(), .load_wdata_o(), .load_ready_i(1'b0),
      .load_rdata_i(32'd0), .load_error_i(1'b0), .boot_o(), .ended_i(1'b0), .trigger_i(1'b0),
      .event_valid_i(1'b0), .event_data_i(32'd0), .event_ready_o(), .port_valid_i(1'b0),
      .port_address_i(13'd0), .port_wmask_i(4'd0), .port_wdata_i(32'd0), .port_ready_o(),
      .port_rdata_o(), .tx_valid_o(), .tx_data_o(), .tx_last_o(), .rx_valid_i(rx_valid),
      .rx_ready_o(rx_ready), .rx_data_i(rx_data)
      // generate: end
  );

  // From a few clocks before the rise of stall_o on.
  reg show = 1'b0;
  always @(negedge clk)
    if (show) $display("%b %b %0d", stall, valid, order_q);

  initial begin
    $display("signals clk_i stall_o rvfi_valid_i rvfi_order_i:dec:rvfi_valid_i");
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
    repeat (4) @(posedge clk);
    write_register(`EAR_REG_CONTROL, 32'd1);
    repeat (20) @(posedge clk);
    run <= 1'b1;
    wait (order_q == 64'd29);
    show = 1'b1;
    wait (stall);
    wait (!stall);
    repeat (6) @(posedge clk);
    $finish;
  end
endmodule
`default_nettype wire
