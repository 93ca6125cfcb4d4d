// SPDX-License-Identifier: Apache-2.0
// Timing of the load port: the host writes a word into a memory that answers in the third clock.
// The unit reads the word back for its reply.
`include "ear_protocol.vh"
`default_nettype none
module timing_load;
  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #5 clk = !clk;

`include "timing_host.vh"

  // The memory: one word, ready in the third clock of an access.
  wire        core_reset;
  wire        load_valid;
  wire        load_write;
  wire [31:0] load_address;
  wire [31:0] load_wdata;
  reg  [ 1:0] age_q = 2'd0;
  reg  [31:0] word_q = 32'd0;
  wire        load_ready = load_valid && age_q == 2'd2;
  always @(posedge clk) begin
    age_q <= load_valid && !load_ready ? age_q + 2'd1 : 2'd0;
    if (load_ready && load_write) word_q <= load_wdata;
  end

  ear_unit #(
      .PREDICT  (0),
      .LOAD     (1),
      .ONE_CLOCK(1)
  ) u_unit (
      .load_rdata_i(word_q),
      .link_clk_i  (clk),
      .link_rst_ni (rst_n),
      .tx_ready_i  (1'b1),
      // generate: connect ear_unit tied last
      .clk_i(clk), .rst_ni(rst_n), .rvfi_valid_i(1'b0), .rvfi_order_i(64'd0), .rvfi_insn_i(32'd0),
      .rvfi_trap_i(1'b0), .rvfi_halt_i(1'b0), .rvfi_intr_i(1'b0), .rvfi_ext_irq_i(1'b0),
      .rvfi_mode_i(2'd0), .rvfi_ixl_i(2'd0), .rvfi_ext_debug_i(1'b0), .rvfi_ext_virt_i(1'b0),
      .rvfi_rd_addr_i(5'd0), .rvfi_rd_wdata_i(32'd0), .rvfi_pc_rdata_i(32'd0),
      .rvfi_pc_wdata_i(32'd0), .rvfi_mem_addr_i(32'd0), .rvfi_mem_rdata_i(32'd0),
      .rvfi_mem_wdata_i(32'd0), .rvfi_ext_cause_i(32'd0), .rvfi_mem_rmask_i(4'd0),
      .rvfi_mem_wmask_i(4'd0), .rvfi_csr_valid_i(1'b0), .rvfi_csr_addr_i(1'b0),
      .rvfi_csr_wdata_i(1'b0), .rvfi_frd_valid_i(1'b0), .rvfi_frd_addr_i(5'd0),
      .rvfi_fflags_i(5'd0), .rvfi_frd_wdata_i(1'b0), .rvfi_pc_paddr_i(1'b0),
      .rvfi_mem_paddr_i(1'b0), .rvfi_rs1_addr_i(5'd0), .rvfi_rs2_addr_i(5'd0),
      .rvfi_rs1_rdata_i(32'd0), .rvfi_rs2_rdata_i(32'd0), .stall_o(), .core_reset_o(core_reset),
      .core_halt_o(), .load_valid_o(load_valid), .load_write_o(load_write),
      .load_address_o(load_address), .load_wdata_o(load_wdata), .load_ready_i(load_ready),
      .load_error_i(1'b0), .boot_o(), .ended_i(1'b0), .trigger_i(1'b0), .event_valid_i(1'b0),
      .event_data_i(32'd0), .event_ready_o(), .port_valid_i(1'b0), .port_address_i(13'd0),
      .port_wmask_i(4'd0), .port_wdata_i(32'd0), .port_ready_o(), .port_rdata_o(), .tx_valid_o(),
      .tx_data_o(), .tx_last_o(), .rx_valid_i(rx_valid), .rx_ready_o(rx_ready), .rx_data_i(rx_data)
      // generate: end
  );

  reg show = 1'b0;
  always @(negedge clk)
    if (show)
      $display("%b %b %b %h %h %b %h %b %b %b", core_reset, load_valid, load_write, load_address,
               load_wdata, load_ready, word_q, 1'b0, load_valid && load_write,
               load_ready && !load_write);

  initial begin
    $display("signals clk_i core_reset_o load_valid_o load_write_o:bit:load_valid_o",
             " load_address_o:hex:load_valid_o load_wdata_o:hex:-writes load_ready_i",
             " load_rdata_i:hex:-reads load_error_i:bit:load_ready_i -writes -reads");
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
    repeat (4) @(posedge clk);
    write_register(`EAR_REG_CORE, 32'd1);
    write_register(`EAR_REG_LOAD_BASE, 32'h8000_0000);
    fork
      write_register(`EAR_REG_LOAD + 16'h0010, 32'h0010_0093);
      begin
        wait (u_unit.control_valid);
        show = 1'b1;
        wait (load_valid);
        repeat (7) @(posedge clk);
        $finish;
      end
    join
  end
endmodule
`default_nettype wire
