// SPDX-License-Identifier: Apache-2.0
// Take one channel of the retire port into a register, packed as the body of a FIFO entry.
//
// The core's outputs end here, so the unit adds nothing to the core's longest path but the load.
// What NORMALIZE does to an entry comes after the register (ear_normalize.v: the memory group;
// ear_normalize_registers.v: x registers and ixl).
`include "ear_entry.vh"
`default_nettype none
module ear_retire_stage #(
    parameter XLEN      = 32,  // bits
    parameter CSR_SLOTS = 0,
    parameter FLEN      = 0,   // bits, or 0
    parameter PADDR     = 0,
    parameter OPERANDS  = 1,
    parameter DIRECT    = 0,   // 1: no register
    parameter NORMALIZE = 0,
    parameter OPCODE_READS = 0,
    parameter CAUSES    = 1,   // 0: rvfi_ext_cause_i is not read
    parameter RESULTS   = 1,   // 0: rvfi_rd_addr_i and rvfi_rd_wdata_i are not read
    parameter ACCESSES  = 1,   // 0: the memory group is not read
    parameter WIDTH     = `EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS)  // derived
) (
    input wire clk_i,
    input wire rst_ni,

    // One channel of the retire port, as in ear_unit.
    // generate: ports channel
    input wire rvfi_valid_i,
    input wire [63:0] rvfi_order_i,
    input wire [31:0] rvfi_insn_i,
    input wire rvfi_trap_i,
    input wire rvfi_halt_i,
    input wire rvfi_intr_i,
    input wire rvfi_ext_irq_i,
    input wire [1:0] rvfi_mode_i,
    input wire [1:0] rvfi_ixl_i,
    input wire rvfi_ext_debug_i,
    input wire rvfi_ext_virt_i,
    input wire [4:0] rvfi_rd_addr_i,
    input wire [XLEN-1:0] rvfi_rd_wdata_i,
    input wire [XLEN-1:0] rvfi_pc_rdata_i,
    input wire [XLEN-1:0] rvfi_pc_wdata_i,
    input wire [XLEN-1:0] rvfi_mem_addr_i,
    input wire [XLEN-1:0] rvfi_mem_rdata_i,
    input wire [XLEN-1:0] rvfi_mem_wdata_i,
    input wire [XLEN-1:0] rvfi_ext_cause_i,
    input wire [XLEN/8-1:0] rvfi_mem_rmask_i,
    input wire [XLEN/8-1:0] rvfi_mem_wmask_i,
    input wire [(CSR_SLOTS > 0 ? CSR_SLOTS : 1)-1:0] rvfi_csr_valid_i,
    input wire [(CSR_SLOTS > 0 ? 12*CSR_SLOTS : 1)-1:0] rvfi_csr_addr_i,
    input wire [(CSR_SLOTS > 0 ? XLEN*CSR_SLOTS : 1)-1:0] rvfi_csr_wdata_i,
    input wire rvfi_frd_valid_i,
    input wire [4:0] rvfi_frd_addr_i,
    input wire [4:0] rvfi_fflags_i,
    input wire [(FLEN > 0 ? FLEN : 1)-1:0] rvfi_frd_wdata_i,
    input wire [(PADDR > 0 ? 64 : 1)-1:0] rvfi_pc_paddr_i,
    input wire [(PADDR > 0 ? 64 : 1)-1:0] rvfi_mem_paddr_i,
    input wire [4:0] rvfi_rs1_addr_i,
    input wire [4:0] rvfi_rs2_addr_i,
    input wire [XLEN-1:0] rvfi_rs1_rdata_i,
    input wire [XLEN-1:0] rvfi_rs2_rdata_i,
    // generate: end

    // The same entry, one clock later.
    output wire             valid_o,
    output wire [WIDTH-1:0] body_o
);
  localparam BYTES = XLEN / 8;

  wire [WIDTH-1:0] packed_body;
  reg              valid_q;
  reg  [WIDTH-1:0] body_q;

  wire [XLEN-1:0] cause = CAUSES != 0 ? rvfi_ext_cause_i : {XLEN{1'b0}};
  // generate: pack ext_cause=cause
  assign packed_body[`EAR_BODY_BASE_WIDTH(XLEN)-1:0] = {rvfi_mem_wmask_i, rvfi_mem_rmask_i, cause,
      rvfi_mem_wdata_i, rvfi_mem_rdata_i, rvfi_mem_addr_i, rvfi_pc_wdata_i, rvfi_pc_rdata_i,
      rvfi_rd_wdata_i, rvfi_rd_addr_i, rvfi_ext_virt_i, rvfi_ext_debug_i, rvfi_ixl_i, rvfi_mode_i,
      rvfi_ext_irq_i, rvfi_intr_i, rvfi_halt_i, rvfi_trap_i, rvfi_insn_i, rvfi_order_i};

  generate
    if (CSR_SLOTS != 0) begin : gen_csr
      assign packed_body[`EAR_BODY_CSR(XLEN)+:`EAR_BODY_CSR_WIDTH(XLEN, CSR_SLOTS)] = {
          rvfi_csr_wdata_i, rvfi_csr_addr_i, rvfi_csr_valid_i};
    end else begin : gen_no_csr
      wire unused = &{1'b0, rvfi_csr_wdata_i, rvfi_csr_addr_i, rvfi_csr_valid_i};
    end
    if (FLEN != 0) begin : gen_frd
      assign packed_body[`EAR_BODY_FRD(XLEN, CSR_SLOTS)+:`EAR_BODY_FRD_WIDTH(FLEN)] = {
          rvfi_frd_wdata_i, rvfi_fflags_i, rvfi_frd_addr_i, rvfi_frd_valid_i};
    end else begin : gen_no_frd
      wire unused = &{1'b0, rvfi_frd_wdata_i, rvfi_fflags_i, rvfi_frd_addr_i, rvfi_frd_valid_i};
    end
    if (PADDR != 0) begin : gen_paddr
      assign packed_body[`EAR_BODY_PADDR(XLEN, CSR_SLOTS, FLEN)+:`EAR_BODY_PADDR_WIDTH(PADDR)] = {
          rvfi_mem_paddr_i, rvfi_pc_paddr_i};
    end else begin : gen_no_paddr
      wire unused = &{1'b0, rvfi_mem_paddr_i, rvfi_pc_paddr_i};
    end
    if (OPERANDS != 0) begin : gen_operands
      assign packed_body[`EAR_BODY_OPERANDS(XLEN, CSR_SLOTS, FLEN, PADDR)
          +:`EAR_BODY_OPERANDS_WIDTH(XLEN, OPERANDS)] = {rvfi_rs2_rdata_i, rvfi_rs1_rdata_i,
              rvfi_rs2_addr_i, rvfi_rs1_addr_i};
    end else begin : gen_no_operands
      wire unused = &{1'b0, rvfi_rs2_rdata_i, rvfi_rs1_rdata_i, rvfi_rs2_addr_i, rvfi_rs1_addr_i};
    end
  endgenerate
  // generate: end

  // What the port does not have is zero.
  reg [WIDTH-1:0] port_body;
  always @* begin
    port_body = packed_body;
    if (RESULTS == 0) begin
      port_body[`EAR_BODY_RD_ADDR+:5] = 5'd0;
      port_body[`EAR_BODY_RD_WDATA+:XLEN] = {XLEN{1'b0}};
    end
    if (ACCESSES == 0) begin
      port_body[`EAR_BODY_MEM_ADDR(XLEN)+:XLEN] = {XLEN{1'b0}};
      port_body[`EAR_BODY_MEM_RDATA(XLEN)+:XLEN] = {XLEN{1'b0}};
      port_body[`EAR_BODY_MEM_WDATA(XLEN)+:XLEN] = {XLEN{1'b0}};
      port_body[`EAR_BODY_MEM_RMASK(XLEN)+:BYTES] = {BYTES{1'b0}};
      port_body[`EAR_BODY_MEM_WMASK(XLEN)+:BYTES] = {BYTES{1'b0}};
    end
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= rvfi_valid_i;
  end

  always @(posedge clk_i) begin
    body_q <= port_body;
  end

  wire [WIDTH-1:0] body = DIRECT != 0 ? port_body : body_q;
  assign valid_o = DIRECT != 0 ? rvfi_valid_i : valid_q;

  generate
    if (NORMALIZE != 0) begin : gen_normalize
      localparam PA = PADDR != 0 ? 64 : 1;
      wire [ XLEN-1:0] addr;
      wire [BYTES-1:0] rmask;
      wire [BYTES-1:0] wmask;
      wire [ XLEN-1:0] rdata;
      wire [ XLEN-1:0] wdata;
      wire [   PA-1:0] paddr;
      wire [   PA-1:0] paddr_in;
      wire [      2:0] rs1_low;

      ear_normalize #(
          .XLEN        (XLEN),
          .PADDR       (PADDR),
          .OPCODE_READS(OPCODE_READS)
      ) u_normalize (
          .insn_i   (body[`EAR_BODY_INSN+:32]),
          .trap_i   (body[`EAR_BODY_STATUS]),
          .irq_i    (body[`EAR_BODY_STATUS+3]),
          .rs1_low_i(rs1_low),
          .addr_i   (body[`EAR_BODY_MEM_ADDR(XLEN)+:XLEN]),
          .rmask_i  (body[`EAR_BODY_MEM_RMASK(XLEN)+:BYTES]),
          .wmask_i  (body[`EAR_BODY_MEM_WMASK(XLEN)+:BYTES]),
          .rdata_i  (body[`EAR_BODY_MEM_RDATA(XLEN)+:XLEN]),
          .wdata_i  (body[`EAR_BODY_MEM_WDATA(XLEN)+:XLEN]),
          .paddr_i  (paddr_in),
          .addr_o   (addr),
          .rmask_o  (rmask),
          .wmask_o  (wmask),
          .rdata_o  (rdata),
          .wdata_o  (wdata),
          .paddr_o  (paddr)
      );

      localparam OPERANDS_AT =
          OPERANDS != 0 ? `EAR_BODY_OPERANDS(XLEN, CSR_SLOTS, FLEN, PADDR) : 0;
      localparam OPERANDS_BITS = 10 + 2 * XLEN;
      wire [              1:0] ixl;
      wire [              4:0] rd_addr;
      wire [         XLEN-1:0] rd_wdata;
      wire [OPERANDS_BITS-1:0] operands;
      wire [OPERANDS_BITS-1:0] operands_in;

      ear_normalize_registers #(
          .XLEN(XLEN),
          .FLEN(FLEN)
      ) u_normalize_registers (
          .insn_i     (body[`EAR_BODY_INSN+:32]),
          .trap_i     (body[`EAR_BODY_TRAP]),
          .irq_i      (body[`EAR_BODY_EXT_IRQ]),
          .ixl_i      (body[`EAR_BODY_IXL+:2]),
          .rd_addr_i  (body[`EAR_BODY_RD_ADDR+:5]),
          .rd_wdata_i (body[`EAR_BODY_RD_WDATA+:XLEN]),
          .rs1_addr_i (operands_in[4:0]),
          .rs2_addr_i (operands_in[9:5]),
          .rs1_rdata_i(operands_in[10+:XLEN]),
          .rs2_rdata_i(operands_in[10+XLEN+:XLEN]),
          .ixl_o      (ixl),
          .rd_addr_o  (rd_addr),
          .rd_wdata_o (rd_wdata),
          .rs1_addr_o (operands[4:0]),
          .rs2_addr_o (operands[9:5]),
          .rs1_rdata_o(operands[10+:XLEN]),
          .rs2_rdata_o(operands[10+XLEN+:XLEN])
      );

      if (OPERANDS != 0) begin : gen_operands_in
        assign operands_in = body[OPERANDS_AT+:OPERANDS_BITS];
      end else begin : gen_no_operands_in
        assign operands_in = {OPERANDS_BITS{1'b0}};
        wire unused = &{1'b0, operands};
      end

      // Where operands are not kept, the low bits of rs1 are kept for OPCODE_READS alone.
      if (OPERANDS != 0) begin : gen_rs1
        assign rs1_low = body[`EAR_BODY_OPERANDS(XLEN, CSR_SLOTS, FLEN, PADDR)+10+:3];
      end else if (OPCODE_READS != 0 && DIRECT == 0) begin : gen_rs1_low
        reg [2:0] rs1_low_q;
        always @(posedge clk_i) rs1_low_q <= rvfi_rs1_rdata_i[2:0];
        assign rs1_low = rs1_low_q;
      end else begin : gen_rs1_direct
        assign rs1_low = rvfi_rs1_rdata_i[2:0];
      end

      // The fields that it gives, in their places. Without physical addresses PADDR_AT is any bit.
      localparam PADDR_AT = PADDR != 0 ? `EAR_BODY_PADDR(XLEN, CSR_SLOTS, FLEN) + 64 : 0;
      reg [WIDTH-1:0] normal;
      assign paddr_in = body[PADDR_AT+:PA];
      always @* begin
        normal = body;
        normal[PADDR_AT+:PA] = PADDR != 0 ? paddr : paddr_in;
        if (OPERANDS != 0) normal[OPERANDS_AT+:OPERANDS_BITS] = operands;
        normal[`EAR_BODY_IXL+:2] = ixl;
        normal[`EAR_BODY_RD_ADDR+:5] = rd_addr;
        normal[`EAR_BODY_RD_WDATA+:XLEN] = rd_wdata;
        normal[`EAR_BODY_MEM_ADDR(XLEN)+:XLEN] = addr;
        normal[`EAR_BODY_MEM_RMASK(XLEN)+:BYTES] = rmask;
        normal[`EAR_BODY_MEM_WMASK(XLEN)+:BYTES] = wmask;
        normal[`EAR_BODY_MEM_RDATA(XLEN)+:XLEN] = rdata;
        normal[`EAR_BODY_MEM_WDATA(XLEN)+:XLEN] = wdata;
      end
      assign body_o = normal;
    end else begin : gen_as_it_is
      assign body_o = body;
    end
    if (CAUSES == 0) begin : gen_no_causes
      wire unused = &{1'b0, rvfi_ext_cause_i};
    end
  endgenerate
endmodule
`default_nettype wire
