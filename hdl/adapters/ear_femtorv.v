// SPDX-License-Identifier: Apache-2.0
// RVFI for FemtoRV32, from the names inside of the core. It is also an example for a core that has
// no such port: docs/bring-up.md walks through it.
//
// The core does one instruction at a time. It ends in EXECUTE, or, if it needs the divider or the
// memory, in the last clock of WAIT_ALU_OR_MEM. Until then the operands and the opcode stay as they
// are, but the pc is already the next one and is kept here.
`include "ear_rvfi.vh"
`default_nettype none
module ear_femtorv #(
    parameter ADDR_WIDTH = 32  // of the core, bits: up to 32
) (
    input wire clk_i,
    input wire rst_ni,

    // The core's own names, without _i.
    input wire                  execute_i,  // state[EXECUTE_bit]
    input wire                  waits_i,    // state[WAIT_ALU_OR_MEM_bit]
    input wire                  need_to_wait_i,
    input wire                  alu_busy_i,
    input wire                  mem_rbusy_i,
    input wire                  mem_wbusy_i,
    input wire [          31:2] instr_i,
    input wire [ADDR_WIDTH-1:0] pc_i,
    input wire [ADDR_WIDTH-1:0] pc_new_i,
    input wire [          31:0] rs1_i,
    input wire [          31:0] rs2_i,
    input wire                  is_load_i,
    input wire                  is_store_i,
    input wire                  is_branch_i,
    input wire [ADDR_WIDTH-1:0] loadstore_addr_i,
    input wire [           3:0] store_wmask_i,
    input wire [          31:0] write_back_data_i,
    input wire [          31:0] mem_rdata_i,
    input wire [          31:0] mem_wdata_i,

    `EAR_RVFI_OUTPUTS(1, 32)
);
  reg [63:0] order_q;
  reg pending_q;  // an instruction waits
  reg [ADDR_WIDTH-1:0] pc_q;
  reg [ADDR_WIDTH-1:0] pc_new_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      order_q <= 64'd0;
      pending_q <= 1'b0;
    end else begin
      if (rvfi_valid) order_q <= order_q + 64'd1;
      if (execute_i) pending_q <= need_to_wait_i;
      else if (rvfi_valid) pending_q <= 1'b0;
    end
  end

  always @(posedge clk_i) begin
    if (execute_i) begin
      pc_q <= pc_i;
      pc_new_q <= pc_new_i;
    end
  end

  wire busy = alu_busy_i || mem_rbusy_i || mem_wbusy_i;
  wire [4:0] rd = is_branch_i || is_store_i ? 5'd0 : instr_i[11:7];
  wire [31:0] pc = {{(32 - ADDR_WIDTH) {1'b0}}, execute_i ? pc_i : pc_q};
  wire [31:0] pc_new = {{(32 - ADDR_WIDTH) {1'b0}}, execute_i ? pc_new_i : pc_new_q};
  wire [31:0] address = {{(32 - ADDR_WIDTH) {1'b0}}, loadstore_addr_i};
  wire unused = &{1'b0, address[1:0]};

  assign rvfi_valid     = (execute_i && !need_to_wait_i) || (waits_i && pending_q && !busy);
  assign rvfi_order     = order_q;
  assign rvfi_insn      = {instr_i, 2'b11};
  assign rvfi_trap      = 1'b0;
  assign rvfi_halt      = 1'b0;
  assign rvfi_intr      = 1'b0;
  assign rvfi_mode      = 2'd3;
  assign rvfi_ixl       = 2'd1;
  assign rvfi_rs1_addr  = instr_i[19:15];
  assign rvfi_rs2_addr  = instr_i[24:20];
  assign rvfi_rs1_rdata = rs1_i;
  assign rvfi_rs2_rdata = rs2_i;
  assign rvfi_rd_addr   = rd;
  assign rvfi_rd_wdata  = rd == 5'd0 ? 32'd0 : write_back_data_i;
  assign rvfi_pc_rdata  = pc;
  assign rvfi_pc_wdata  = pc_new;
  assign rvfi_mem_addr  = {address[31:2], 2'b00};
  assign rvfi_mem_rmask = is_load_i ? store_wmask_i : 4'd0;
  assign rvfi_mem_wmask = is_store_i ? store_wmask_i : 4'd0;
  assign rvfi_mem_rdata = mem_rdata_i;
  assign rvfi_mem_wdata = mem_wdata_i;
endmodule
`default_nettype wire
