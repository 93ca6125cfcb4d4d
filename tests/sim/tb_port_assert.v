// SPDX-License-Identifier: Apache-2.0
// A core that retires a loop of four instructions, and one fault of its port: +fault=N.
//
// test_port_assert.py has the faults by number, and what ear_port_assert must say of each.
`default_nettype none
module tb_port_assert #(
    parameter NORMALIZE = 1
) ();
  reg         clk = 1'b0;
  reg         rst_n = 1'b0;
  reg         valid = 1'b0;
  reg  [63:0] order = 64'd1;
  reg  [31:0] insn = 32'd0;
  reg         trap = 1'b0;
  reg  [31:0] pc = 32'd0;
  reg  [31:0] next = 32'd0;
  reg  [31:0] address = 32'd0;
  reg  [ 3:0] rmask = 4'd0;
  reg  [ 3:0] wmask = 4'd0;
  reg  [ 4:0] rs2 = 5'd0;
  reg         ended = 1'b0;
  integer     fault = 0;
  integer     i;

  ear_unit #(
      .PREDICT(0),
      .NORMALIZE(NORMALIZE),
      .STALL_SLACK(1),
      .ENDED_CLOCKS(8)
  ) u_unit (
      .clk_i(clk),
      .rst_ni(rst_n),
      .rvfi_valid_i(valid),
      .rvfi_order_i(order),
      .rvfi_insn_i(insn),
      .rvfi_trap_i(trap),
      .rvfi_halt_i(1'b0),
      .rvfi_intr_i(1'b0),
      .rvfi_ext_irq_i(1'b0),
      .rvfi_mode_i(2'd3),
      .rvfi_ixl_i(2'd1),
      .rvfi_ext_debug_i(1'b0),
      .rvfi_ext_virt_i(1'b0),
      .rvfi_rd_addr_i(5'd0),
      .rvfi_rd_wdata_i(32'd0),
      .rvfi_pc_rdata_i(pc),
      .rvfi_pc_wdata_i(next),
      .rvfi_mem_addr_i(address),
      .rvfi_mem_rdata_i(32'd0),
      .rvfi_mem_wdata_i(32'd0),
      .rvfi_ext_cause_i(32'd0),
      .rvfi_mem_rmask_i(rmask),
      .rvfi_mem_wmask_i(wmask),
      .rvfi_csr_valid_i(1'b0),
      .rvfi_csr_addr_i(1'b0),
      .rvfi_csr_wdata_i(1'b0),
      .rvfi_frd_valid_i(1'b0),
      .rvfi_frd_addr_i(5'd0),
      .rvfi_fflags_i(5'd0),
      .rvfi_frd_wdata_i(1'b0),
      .rvfi_pc_paddr_i(1'b0),
      .rvfi_mem_paddr_i(1'b0),
      .rvfi_rs1_addr_i(5'd0),
      .rvfi_rs2_addr_i(rs2),
      .rvfi_rs1_rdata_i(32'd0),
      .rvfi_rs2_rdata_i(32'd0),
      .load_ready_i(1'b0),
      .load_rdata_i(32'd0),
      .load_error_i(1'b0),
      .ended_i(ended),
      .trigger_i(1'b0),
      .event_valid_i(1'b0),
      .event_data_i(32'd0),
      .port_valid_i(1'b0),
      .port_address_i(13'd0),
      .port_wmask_i(4'd0),
      .port_wdata_i(32'd0),
      .link_clk_i(clk),
      .link_rst_ni(rst_n),
      .tx_ready_i(1'b1),
      .rx_valid_i(1'b0),
      .rx_data_i(8'd0),
      .stall_o(),
      .core_reset_o(),
      .core_halt_o(),
      .load_valid_o(),
      .load_write_o(),
      .load_address_o(),
      .load_wdata_o(),
      .boot_o(),
      .event_ready_o(),
      .port_ready_o(),
      .port_rdata_o(),
      .tx_valid_o(),
      .tx_data_o(),
      .tx_last_o(),
      .rx_ready_o()
  );

  always #5 clk = !clk;

  // A load, a store, an addi and a jump back; two clocks each.
  task retire;
    begin
      @(negedge clk);
      valid = 1'b1;
      pc = 32'h100 + {28'd0, order[1:0], 2'b00};
      next = 32'h100 + {28'd0, order[1:0] + 2'd1, 2'b00};
      {trap, address, rmask, wmask, rs2} = 46'd0;
      case (order[1:0])
        2'd0: begin
          insn = 32'h0000_2503;  // lw x10, 0(x0)
          {address, rmask} = {32'h40, 4'hf};
        end
        2'd1: begin
          insn = 32'h00a0_2023;  // sw x10, 0(x0)
          {address, wmask, rs2} = {32'h40, 4'hf, 5'd10};
        end
        2'd2: insn = 32'h0010_0513;  // addi x10, x0, 1
        default: insn = 32'hff5f_f06f;  // jal x0, -12
      endcase
      if (order == 64'd10) begin
        case (fault)
          1: insn[9] = 1'bx;
          3: {address, rmask} = {32'h1, 4'hf};
          4: {address, wmask} = {32'h1, 4'hf};
          5: insn = 32'h0013_4501;  // c.li and the half after it
          6: rs2 = 5'd1;
          7: next = 32'h300;
          8: {trap, next} = {1'b1, 32'h300};
          default: ;
        endcase
      end
      @(negedge clk);
      valid = 1'b0;
      order = order + (fault == 2 && order == 64'd10 ? 64'd2 : 64'd1);
    end
  endtask

  initial begin
    if (!$value$plusargs("fault=%d", fault)) fault = 0;
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    for (i = 0; i < 16; i = i + 1) retire;
    force u_unit.stall_o = 1'b1;
    for (i = 0; i < (fault == 9 ? 3 : 1); i = i + 1) retire;
    release u_unit.stall_o;
    retire;
    ended = 1'b1;
    retire;
    if (fault == 10) begin
      repeat (9) @(negedge clk);
      retire;
    end
    if (fault == 11) for (i = 0; i < 70; i = i + 1) retire;
    $finish;
  end
endmodule
`default_nettype wire
