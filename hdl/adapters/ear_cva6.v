// SPDX-License-Identifier: Apache-2.0
// RVFI from that of CVA6 (cva6_rvfi), which has it for each commit port with habits of its own.
//
// - order, halt and pc_wdata are not driven: COUNT_ORDER 1 and NEXT_PC 2 of ear_rvfi.
// - Of an instruction that traps only ecall is valid. So a trap is taken from rvfi_to_iti_o:
//   ex_valid, in the same clock, with the pc and the opcode of commit port 0. An interrupt shows in
//   the same way, at the instruction that did not run; its cause has its uppermost bit set.
// - intr is cleared by an ecall, and is made here.
// - mode 2 is debug mode.
// - mem_addr is the address of the first byte, but the masks are the lanes of the bus. The data
//   begin with the first byte. Atomic operations have the write mask only, LR and a failed SC too.
// - f registers are in the same fields as x registers. They are not shown: FLEN 0.
// Combinational but for a bit.
`include "ear_rvfi.vh"
`default_nettype none
module ear_cva6 #(
    parameter XLEN = 64,  // bits; VLEN, the bits of addresses, is the same
    parameter NRET = 2    // NrCommitPorts: 1 or 2
) (
    input wire clk_i,
    input wire rst_ni,

    // Fields of rvfi_instr_o, commit port by commit port, and of rvfi_to_iti_o.
    input wire                   ex_valid_i,
    input wire [XLEN-1:0]        ex_cause_i,
    input wire [NRET-1:0]        valid_i,
    input wire [NRET*32-1:0]     insn_i,
    input wire [NRET*2-1:0]      mode_i,
    input wire [NRET*5-1:0]      rs1_addr_i,
    input wire [NRET*5-1:0]      rs2_addr_i,
    input wire [NRET*XLEN-1:0]   rs1_rdata_i,
    input wire [NRET*XLEN-1:0]   rs2_rdata_i,
    input wire [NRET*5-1:0]      rd_addr_i,
    input wire [NRET*XLEN-1:0]   rd_wdata_i,
    input wire [NRET*XLEN-1:0]   pc_rdata_i,
    input wire [NRET*XLEN-1:0]   mem_addr_i,
    input wire [NRET*XLEN/8-1:0] mem_rmask_i,
    input wire [NRET*XLEN/8-1:0] mem_wmask_i,
    input wire [NRET*XLEN-1:0]   mem_rdata_i,
    input wire [NRET*XLEN-1:0]   mem_wdata_i,

    output wire [NRET*XLEN-1:0] ext_cause_o,
    output wire [NRET-1:0]      ext_debug_o,
    output wire [NRET-1:0]      ext_irq_o,
    `EAR_RVFI_OUTPUTS(NRET, XLEN)
);
  localparam BYTES = XLEN / 8;
  localparam [1:0] MXL = XLEN == 64 ? 2'd2 : 2'd1;
  localparam LOW = XLEN == 64 ? 3 : 2;  // bits of an address within a word

  reg trapped_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) trapped_q <= 1'b0;
    else if (rvfi_valid[NRET-1]) trapped_q <= rvfi_trap[NRET-1];
    else if (rvfi_valid[0]) trapped_q <= rvfi_trap[0];
  end

  genvar k;
  generate
    for (k = 0; k < NRET; k = k + 1) begin : gen_port
      wire trap = k == 0 && ex_valid_i;
      wire [31:0] insn = insn_i[32*k+:32];
      wire [31:0] expanded;
      ear_predict_expand #(
          .XLEN(XLEN)
      ) u_expand (
          .half_i(insn[15:0]),
          .insn_o(expanded)
      );
      wire [31:0] full = insn[1:0] == 2'b11 ? insn : expanded;
      wire unused_fields = &{1'b0, full[26:7], full[1:0]};

      // Registers that are f registers.
      wire load = full[6:2] == 5'b00001;
      wire store = full[6:2] == 5'b01001;
      wire fused = full[6:4] == 3'b100;
      wire compute = full[6:2] == 5'b10100;
      wire to_x = full[31:27] == 5'b11000 || full[31:27] == 5'b10100 || full[31:27] == 5'b11100;
      wire from_x = full[31:27] == 5'b11010 || full[31:27] == 5'b11110;
      wire f_rd = load || fused || (compute && !to_x);
      wire f_rs1 = fused || (compute && !from_x);
      wire f_rs2 = store || fused || compute;

      // LR reads only, SC writes only if it succeeds, all others do both.
      wire atomic = insn[6:0] == 7'b0101111 && mem_wmask_i[BYTES*k+:BYTES] != {BYTES{1'b0}};
      wire lr = insn[31:27] == 5'b00010;
      wire sc = insn[31:27] == 5'b00011;
      wire failed = sc && rd_wdata_i[XLEN*k];
      wire [LOW-1:0] low = mem_addr_i[XLEN*k+:LOW];
      wire [BYTES-1:0] rmask = mem_rmask_i[BYTES*k+:BYTES] >> low;
      wire [BYTES-1:0] wmask = mem_wmask_i[BYTES*k+:BYTES] >> low;

      assign rvfi_valid[k] = valid_i[k] || trap;
      assign rvfi_order[64*k+:64] = 64'd0;
      assign rvfi_insn[32*k+:32] = insn;
      assign rvfi_trap[k] = trap;
      assign rvfi_halt[k] = 1'b0;
      assign rvfi_intr[k] = k > 0 && rvfi_valid[0] ? rvfi_trap[0] : trapped_q;
      assign rvfi_mode[2*k+:2] = mode_i[2*k+:2] == 2'd2 ? 2'd3 : mode_i[2*k+:2];
      assign rvfi_ixl[2*k+:2] = MXL;
      assign ext_debug_o[k] = mode_i[2*k+:2] == 2'd2;
      assign ext_irq_o[k] = trap && ex_cause_i[XLEN-1];
      assign ext_cause_o[XLEN*k+:XLEN] = trap ? ex_cause_i : {XLEN{1'b0}};
      assign rvfi_rd_addr[5*k+:5] = f_rd ? 5'd0 : rd_addr_i[5*k+:5];
      assign rvfi_rd_wdata[XLEN*k+:XLEN] = rd_wdata_i[XLEN*k+:XLEN];
      assign rvfi_pc_rdata[XLEN*k+:XLEN] = pc_rdata_i[XLEN*k+:XLEN];
      assign rvfi_pc_wdata[XLEN*k+:XLEN] = {XLEN{1'b0}};
      assign rvfi_mem_addr[XLEN*k+:XLEN] = mem_addr_i[XLEN*k+:XLEN];
      assign rvfi_mem_rmask[BYTES*k+:BYTES] = trap || (atomic && sc) ? {BYTES{1'b0}} :
          atomic ? wmask : rmask;
      assign rvfi_mem_wmask[BYTES*k+:BYTES] = trap || (atomic && (lr || failed)) ? {BYTES{1'b0}} :
          wmask;
      assign rvfi_mem_rdata[XLEN*k+:XLEN] = atomic ? rd_wdata_i[XLEN*k+:XLEN] :
          mem_rdata_i[XLEN*k+:XLEN];
      assign rvfi_mem_wdata[XLEN*k+:XLEN] = mem_wdata_i[XLEN*k+:XLEN];
      assign rvfi_rs1_addr[5*k+:5] = f_rs1 ? 5'd0 : rs1_addr_i[5*k+:5];
      assign rvfi_rs2_addr[5*k+:5] = f_rs2 ? 5'd0 : rs2_addr_i[5*k+:5];
      assign rvfi_rs1_rdata[XLEN*k+:XLEN] = rs1_rdata_i[XLEN*k+:XLEN];
      assign rvfi_rs2_rdata[XLEN*k+:XLEN] = rs2_rdata_i[XLEN*k+:XLEN];
    end
  endgenerate
endmodule
`default_nettype wire
