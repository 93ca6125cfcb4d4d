// SPDX-License-Identifier: Apache-2.0
// Timing of one entry on its way from the retire port to the link, in raw mode: the register of the
// port, the register after filter and triggers, the record FIFO, the encoder, the payload buffer
// and, after FLUSH_CYCLES, the framer. An entry before it has made the unit send UNIT and SYNC.
`include "ear_protocol.vh"
`default_nettype none
module timing_entry;
  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #5 clk = !clk;

`include "timing_host.vh"

  // The core retires two entries far apart.
  reg valid = 1'b0;
  reg [63:0] order_q = 64'd0;
  wire tx_valid;
  wire [31:0] tx_data;
  wire tx_last;

  ear_unit #(
      .PREDICT  (0),
      .ONE_CLOCK(1)
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
      .rvfi_rs2_rdata_i(32'd0), .stall_o(), .core_reset_o(), .core_halt_o(), .load_valid_o(),
      .load_write_o(), .load_address_o(), .load_wdata_o(), .load_ready_i(1'b0),
      .load_rdata_i(32'd0), .load_error_i(1'b0), .boot_o(), .ended_i(1'b0), .trigger_i(1'b0),
      .event_valid_i(1'b0), .event_data_i(32'd0), .event_ready_o(), .port_valid_i(1'b0),
      .port_address_i(13'd0), .port_wmask_i(4'd0), .port_wdata_i(32'd0), .port_ready_o(),
      .port_rdata_o(), .tx_valid_o(tx_valid), .tx_data_o(tx_data), .tx_last_o(tx_last),
      .rx_valid_i(rx_valid), .rx_ready_o(rx_ready), .rx_data_i(rx_data)
      // generate: end
  );

  reg show = 1'b0;
  always @(negedge clk)
    if (show)
      $display("%b %b %b %b %b %b %0d %b %b %b %h %b", valid, u_unit.staged_valid,
               u_unit.at_valid, u_unit.push_count != 2'd0,
               u_unit.stored_valid && u_unit.stored_ready,
               u_unit.chunk_valid && u_unit.chunk_ready, u_unit.chunk_count,
               u_unit.u_frames.word_valid && u_unit.u_frames.word_ready, u_unit.frame_end,
               tx_valid, tx_data, tx_last);

  initial begin
    $display("signals clk_i rvfi_valid_i staged_valid at_valid push pop chunk",
             " chunk_count:dec:chunk word frame_end tx_valid_o tx_data_o:hex:tx_valid_o",
             " tx_last_o:bit:tx_valid_o");
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
    repeat (4) @(posedge clk);
    write_register(`EAR_REG_FLUSH_CYCLES, 32'd16);
    write_register(`EAR_REG_CONTROL, 32'd1);
    repeat (200) @(posedge clk);
    valid <= 1'b1;
    @(posedge clk);
    valid <= 1'b0;
    order_q <= 64'd1;
    repeat (200) @(posedge clk);
    show = 1'b1;
    @(posedge clk);
    valid <= 1'b1;
    @(posedge clk);
    valid <= 1'b0;
    wait (tx_valid && tx_last);
    repeat (2) @(posedge clk);
    $finish;
  end
endmodule
`default_nettype wire
