// SPDX-License-Identifier: Apache-2.0
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
    parameter BODY      = `EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS),  // derived
    parameter SLOTS     = CSR_SLOTS > 0 ? CSR_SLOTS : 1  // derived
) (
    input wire [BODY-1:0] body_i,

    // generate: outputs
    output wire [63:0] order_o,
    output wire [31:0] insn_o,
    output wire [7:0] status_o,
    output wire [1:0] ext_o,
    output wire [4:0] rd_addr_o,
    output wire [XLEN-1:0] rd_wdata_o,
    output wire [XLEN-1:0] pc_rdata_o,
    output wire [XLEN-1:0] pc_wdata_o,
    output wire [XLEN-1:0] mem_addr_o,
    output wire [XLEN-1:0] mem_rdata_o,
    output wire [XLEN-1:0] mem_wdata_o,
    output wire [XLEN-1:0] cause_o,
    output wire [XLEN/8-1:0] mem_rmask_o,
    output wire [XLEN/8-1:0] mem_wmask_o,
    output wire [SLOTS-1:0] csr_valid_o,
    output wire [12*SLOTS-1:0] csr_addr_o,
    output wire [XLEN*SLOTS-1:0] csr_wdata_o,
    output wire frd_valid_o,
    output wire [4:0] frd_addr_o,
    output wire [4:0] fflags_o,
    output wire [63:0] frd_wdata_o,
    output wire [63:0] pc_paddr_o,
    output wire [63:0] mem_paddr_o,
    output wire [4:0] rs1_addr_o,
    output wire [4:0] rs2_addr_o,
    output wire [XLEN-1:0] rs1_rdata_o,
    output wire [XLEN-1:0] rs2_rdata_o
    // generate: end
);
  // generate: unpack base body_i suffix=_o
  assign {mem_wmask_o, mem_rmask_o, cause_o, mem_wdata_o, mem_rdata_o, mem_addr_o, pc_wdata_o,
      pc_rdata_o, rd_wdata_o, rd_addr_o, ext_o, status_o, insn_o, order_o} =
      body_i[`EAR_BODY_BASE_WIDTH(XLEN)-1:0];
  // generate: end

  generate
    if (CSR_SLOTS > 0) begin : gen_csr
      // generate: unpack csr body_i suffix=_o
      assign {csr_wdata_o, csr_addr_o, csr_valid_o} =
          body_i[`EAR_BODY_CSR(XLEN)+:`EAR_BODY_CSR_WIDTH(XLEN, CSR_SLOTS)];
      // generate: end
    end else begin : gen_no_csr
      // generate: unpack csr zero suffix=_o
      assign {csr_wdata_o, csr_addr_o, csr_valid_o} = {(13 + XLEN) {1'b0}};
      // generate: end
    end
    if (FLEN > 0) begin : gen_frd
      wire [4:0] frd_addr;
      wire [FLEN-1:0] frd_wdata;
      // generate: unpack frd body_i suffix=_o frd_addr=frd_addr frd_wdata=frd_wdata
      assign {frd_wdata, fflags_o, frd_addr, frd_valid_o} =
          body_i[`EAR_BODY_FRD(XLEN, CSR_SLOTS)+:`EAR_BODY_FRD_WIDTH(FLEN)];
      // generate: end
      assign frd_addr_o = frd_valid_o ? frd_addr : 5'd0;
      assign frd_wdata_o[FLEN-1:0] = frd_valid_o ? frd_wdata : {FLEN{1'b0}};
      if (FLEN < 64) begin : gen_narrow
        assign frd_wdata_o[63:FLEN] = {(64 - FLEN) {1'b0}};
      end
    end else begin : gen_no_frd
      // generate: unpack frd zero suffix=_o
      assign {frd_wdata_o, fflags_o, frd_addr_o, frd_valid_o} = {75{1'b0}};
      // generate: end
    end
    if (PADDR != 0) begin : gen_paddr
      // generate: unpack paddr body_i suffix=_o
      assign {mem_paddr_o, pc_paddr_o} =
          body_i[`EAR_BODY_PADDR(XLEN, CSR_SLOTS, FLEN)+:`EAR_BODY_PADDR_WIDTH(PADDR)];
      // generate: end
    end else begin : gen_no_paddr
      // generate: unpack paddr zero suffix=_o
      assign {mem_paddr_o, pc_paddr_o} = {128{1'b0}};
      // generate: end
    end
    if (OPERANDS != 0) begin : gen_operands
      // generate: unpack operands body_i suffix=_o
      assign {rs2_rdata_o, rs1_rdata_o, rs2_addr_o, rs1_addr_o} =
          body_i[`EAR_BODY_OPERANDS(XLEN, CSR_SLOTS, FLEN, PADDR)
          +:`EAR_BODY_OPERANDS_WIDTH(XLEN, OPERANDS)];
      // generate: end
    end else begin : gen_no_operands
      // generate: unpack operands zero suffix=_o
      assign {rs2_rdata_o, rs1_rdata_o, rs2_addr_o, rs1_addr_o} = {(10 + 2 * XLEN) {1'b0}};
      // generate: end
    end
  endgenerate
endmodule
`default_nettype wire
