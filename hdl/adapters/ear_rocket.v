// SPDX-License-Identifier: Apache-2.0
// RVFI from the trace port of Rocket and BOOM, a TracedInstruction for each channel. It has no
// operands, no accesses and no next pc; docs/cores/rocket.md says what follows from that.
//
// Rocket shows a trap, and an interrupt, as an entry with exception: its pc is the one of the
// instruction that did not run. BOOM shows it without valid, in channel 0. There the pc is right
// with one channel only; with two channels nothing is made of it, and the trap is only seen as
// rvfi_intr of the next entry.
//
// wdata is the value of the instruction's destination. Its register comes from the opcode; f
// registers, and what a custom instruction (RoCC) writes, are not shown. Combinational but for two
// bits.
`include "ear_rvfi.vh"
`default_nettype none
module ear_rocket #(
    parameter BOOM  = 0,   // 1: traps come without valid
    parameter XLEN  = 64,  // bits
    parameter NRET  = 1,   // channels: 1 or 2
    parameter IADDR = 40,  // bits of iaddr that count; its upper ones repeat the last
    parameter WDATA = 0    // 1: wdata is there
) (
    input wire clk_i,
    input wire rst_ni,

    // The port, channel by channel. wdata is not read without WDATA.
    input wire [NRET-1:0]       valid_i,
    input wire [NRET*IADDR-1:0] iaddr_i,
    input wire [NRET*32-1:0]    insn_i,
    input wire [NRET*3-1:0]     priv_i,
    input wire [NRET-1:0]       exception_i,
    input wire [NRET-1:0]       interrupt_i,
    input wire [NRET*XLEN-1:0]  cause_i,
    input wire [NRET*XLEN-1:0]  wdata_i,

    output wire [NRET*XLEN-1:0] ext_cause_o,
    output wire [NRET-1:0]      ext_debug_o,
    output wire [NRET-1:0]      ext_irq_o,
    `EAR_RVFI_OUTPUTS(NRET, XLEN)
);
  localparam [1:0] MXL = XLEN == 64 ? 2'd2 : 2'd1;

  // BOOM: an entry is missing between the last one and the next one.
  wire lost = BOOM != 0 && NRET > 1 && !valid_i[0] && (exception_i[0] || interrupt_i[0]);
  reg lost_q;
  reg trapped_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lost_q <= 1'b0;
      trapped_q <= 1'b0;
    end else begin
      lost_q <= lost || (lost_q && !(|rvfi_valid));
      if (rvfi_valid[NRET-1]) trapped_q <= rvfi_trap[NRET-1];
      else if (rvfi_valid[0]) trapped_q <= rvfi_trap[0];
    end
  end

  genvar k;
  generate
    for (k = 0; k < NRET; k = k + 1) begin : gen_channel
      wire [31:0] insn = insn_i[32*k+:32];
      wire [31:0] expanded;
      ear_predict_expand #(
          .XLEN(XLEN)
      ) u_expand (
          .half_i(insn[15:0]),
          .insn_o(expanded)
      );
      wire [31:0] full = insn[1:0] == 2'b11 ? insn : expanded;
      wire unused_fields = &{1'b0, full[26:15], full[1:0]};

      // Of the operations with an x register as destination.
      reg writes;
      always @* begin
        case (full[6:2])
          5'b00000, 5'b00100, 5'b00101, 5'b00110, 5'b01011, 5'b01100, 5'b01101, 5'b01110, 5'b11001,
          5'b11011:
          writes = 1'b1;
          5'b11100: writes = full[14:12] != 3'd0;  // CSRs, and loads of the hypervisor
          5'b10100: writes = full[31:27] == 5'b11000 || full[31:27] == 5'b10100 ||
              full[31:27] == 5'b11100;             // conversions, comparisons, moves to x
          default: writes = 1'b0;
        endcase
      end

      wire alone = BOOM != 0 && NRET == 1 && (exception_i[k] || interrupt_i[k]);
      wire trap = BOOM != 0 ? alone : valid_i[k] && exception_i[k];
      wire [4:0] rd = WDATA != 0 && writes && !trap ? full[11:7] : 5'd0;
      assign rvfi_valid[k] = valid_i[k] || alone;
      assign rvfi_order[64*k+:64] = 64'd0;
      assign rvfi_insn[32*k+:32] = insn[1:0] == 2'b11 ? insn : {16'd0, insn[15:0]};
      assign rvfi_trap[k] = trap;
      assign rvfi_halt[k] = 1'b0;
      assign rvfi_intr[k] = k > 0 && rvfi_valid[0] ? rvfi_trap[0] : trapped_q || lost_q;
      assign rvfi_mode[2*k+:2] = priv_i[3*k+:2];
      assign rvfi_ixl[2*k+:2] = MXL;
      assign ext_debug_o[k] = priv_i[3*k+2];
      assign ext_irq_o[k] = trap && interrupt_i[k];
      assign ext_cause_o[XLEN*k+:XLEN] = trap ? cause_i[XLEN*k+:XLEN] : {XLEN{1'b0}};
      assign rvfi_rd_addr[5*k+:5] = rd;
      assign rvfi_rd_wdata[XLEN*k+:XLEN] = rd != 5'd0 ? wdata_i[XLEN*k+:XLEN] : {XLEN{1'b0}};
      if (IADDR < XLEN) begin : gen_sign
        assign rvfi_pc_rdata[XLEN*k+:XLEN] = {{(XLEN - IADDR) {iaddr_i[IADDR*k+IADDR-1]}},
            iaddr_i[IADDR*k+:IADDR]};
      end else begin : gen_whole
        assign rvfi_pc_rdata[XLEN*k+:XLEN] = iaddr_i[IADDR*k+:XLEN];
      end
    end
  endgenerate

  // Not on the port: OPERANDS 0, ACCESSES 0 and NEXT_PC 2 of ear_rvfi.
  assign rvfi_pc_wdata  = {NRET * XLEN{1'b0}};
  assign rvfi_mem_addr  = {NRET * XLEN{1'b0}};
  assign rvfi_mem_rdata = {NRET * XLEN{1'b0}};
  assign rvfi_mem_wdata = {NRET * XLEN{1'b0}};
  assign rvfi_mem_rmask = {NRET * XLEN / 8{1'b0}};
  assign rvfi_mem_wmask = {NRET * XLEN / 8{1'b0}};
  assign rvfi_rs1_addr  = {NRET * 5{1'b0}};
  assign rvfi_rs2_addr  = {NRET * 5{1'b0}};
  assign rvfi_rs1_rdata = {NRET * XLEN{1'b0}};
  assign rvfi_rs2_rdata = {NRET * XLEN{1'b0}};
endmodule
`default_nettype wire
