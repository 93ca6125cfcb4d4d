// Take the body of an entry apart (ear_entry.vh). Groups that are not built read as zero, and so do
// number and value of an FP register that was not written (docs/protocol.md, section 4.7).
`include "ear_entry.vh"
`default_nettype none
module ear_body_fields #(
    parameter XLEN      = 32,  // bits
    parameter CSR_SLOTS = 0,
    parameter FLEN      = 0,
    parameter PADDR     = 0,
    parameter OPERANDS  = 1,
    parameter BODY      = `EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS),  // derived, do not set
    parameter SLOTS     = CSR_SLOTS > 0 ? CSR_SLOTS : 1  // derived, do not set
) (
    input wire [BODY-1:0] body_i,

    output wire [          63:0] order_o,
    output wire [          31:0] insn_o,
    output wire [           7:0] status_o,     // as in a RAW message
    output wire [           1:0] ext_o,        // virt, debug
    output wire [           4:0] rd_addr_o,
    output wire [      XLEN-1:0] rd_wdata_o,
    output wire [      XLEN-1:0] pc_rdata_o,
    output wire [      XLEN-1:0] pc_wdata_o,
    output wire [      XLEN-1:0] mem_addr_o,
    output wire [      XLEN-1:0] mem_rdata_o,
    output wire [      XLEN-1:0] mem_wdata_o,
    output wire [      XLEN-1:0] cause_o,
    output wire [    XLEN/8-1:0] mem_rmask_o,
    output wire [    XLEN/8-1:0] mem_wmask_o,
    output wire [     SLOTS-1:0] csr_valid_o,
    output wire [  12*SLOTS-1:0] csr_addr_o,
    output wire [XLEN*SLOTS-1:0] csr_wdata_o,
    output wire                  frd_valid_o,
    output wire [           4:0] frd_addr_o,
    output wire [           4:0] fflags_o,
    output wire [          63:0] frd_wdata_o,
    output wire [          63:0] pc_paddr_o,
    output wire [          63:0] mem_paddr_o,
    output wire [           4:0] rs1_addr_o,
    output wire [           4:0] rs2_addr_o,
    output wire [      XLEN-1:0] rs1_rdata_o,
    output wire [      XLEN-1:0] rs2_rdata_o
);
  assign {mem_wmask_o, mem_rmask_o, cause_o, mem_wdata_o, mem_rdata_o, mem_addr_o, pc_wdata_o,
          pc_rdata_o, rd_wdata_o, rd_addr_o, ext_o, status_o, insn_o, order_o} =
      body_i[`EAR_BODY_BASE_WIDTH(XLEN)-1:0];

  generate
    if (CSR_SLOTS > 0) begin : gen_csr
      assign {csr_wdata_o, csr_addr_o, csr_valid_o} =
          body_i[`EAR_BODY_BASE_WIDTH(XLEN)+:`EAR_BODY_CSR_WIDTH(XLEN, CSR_SLOTS)];
    end else begin : gen_no_csr
      assign {csr_wdata_o, csr_addr_o, csr_valid_o} = {(13 + XLEN) {1'b0}};
    end
    if (FLEN > 0) begin : gen_frd
      wire [4:0] frd_addr;
      assign {fflags_o, frd_addr, frd_valid_o} = body_i[`EAR_BODY_FRD(XLEN, CSR_SLOTS)+:11];
      assign frd_addr_o = frd_valid_o ? frd_addr : 5'd0;
      assign frd_wdata_o[FLEN-1:0] = frd_valid_o ?
          body_i[`EAR_BODY_FRD(XLEN, CSR_SLOTS)+11+:FLEN] : {FLEN{1'b0}};
      if (FLEN < 64) begin : gen_narrow
        assign frd_wdata_o[63:FLEN] = {(64 - FLEN) {1'b0}};
      end
    end else begin : gen_no_frd
      assign {frd_wdata_o, fflags_o, frd_addr_o, frd_valid_o} = 75'd0;
    end
    if (PADDR != 0) begin : gen_paddr
      assign {mem_paddr_o, pc_paddr_o} = body_i[`EAR_BODY_PADDR(XLEN, CSR_SLOTS, FLEN)+:128];
    end else begin : gen_no_paddr
      assign {mem_paddr_o, pc_paddr_o} = 128'd0;
    end
    if (OPERANDS != 0) begin : gen_operands
      assign {rs2_rdata_o, rs1_rdata_o, rs2_addr_o, rs1_addr_o} =
          body_i[`EAR_BODY_OPERANDS(XLEN, CSR_SLOTS, FLEN, PADDR)+:10+2*XLEN];
    end else begin : gen_no_operands
      assign {rs2_rdata_o, rs1_rdata_o, rs2_addr_o, rs1_addr_o} = {(10 + 2 * XLEN) {1'b0}};
    end
  endgenerate
endmodule
`default_nettype wire
