// Take one channel of the retire port into a register, packed as the body of a FIFO entry.
//
// The core's outputs end here, so the unit adds nothing to the core's longest path but the load.
`include "ear_entry.vh"
`default_nettype none
module ear_retire_stage #(
    parameter XLEN      = 32,  // bits
    parameter CSR_SLOTS = 0,
    parameter FLEN      = 0,   // bits, or 0
    parameter PADDR     = 0,
    parameter OPERANDS  = 1,
    parameter DIRECT    = 0,   // 1: no register
    parameter WIDTH     = `EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS)  // derived, do not set
) (
    input wire clk_i,
    input wire rst_ni,

    // One channel of the retire port, as in ear_unit.
    input wire              rvfi_valid_i,
    input wire [      63:0] rvfi_order_i,
    input wire [      31:0] rvfi_insn_i,
    input wire              rvfi_trap_i,
    input wire              rvfi_halt_i,
    input wire              rvfi_intr_i,
    input wire [       1:0] rvfi_mode_i,
    input wire [       1:0] rvfi_ixl_i,
    input wire [       4:0] rvfi_rs1_addr_i,
    input wire [       4:0] rvfi_rs2_addr_i,
    input wire [  XLEN-1:0] rvfi_rs1_rdata_i,
    input wire [  XLEN-1:0] rvfi_rs2_rdata_i,
    input wire [       4:0] rvfi_rd_addr_i,
    input wire [  XLEN-1:0] rvfi_rd_wdata_i,
    input wire [  XLEN-1:0] rvfi_pc_rdata_i,
    input wire [  XLEN-1:0] rvfi_pc_wdata_i,
    input wire [  XLEN-1:0] rvfi_mem_addr_i,
    input wire [XLEN/8-1:0] rvfi_mem_rmask_i,
    input wire [XLEN/8-1:0] rvfi_mem_wmask_i,
    input wire [  XLEN-1:0] rvfi_mem_rdata_i,
    input wire [  XLEN-1:0] rvfi_mem_wdata_i,
    input wire              rvfi_ext_irq_i,
    input wire [  XLEN-1:0] rvfi_ext_cause_i,
    input wire              rvfi_ext_debug_i,
    input wire              rvfi_ext_virt_i,
    input wire [     (CSR_SLOTS > 0 ? CSR_SLOTS : 1)-1:0] rvfi_csr_valid_i,
    input wire [  (CSR_SLOTS > 0 ? CSR_SLOTS*12 : 1)-1:0] rvfi_csr_addr_i,
    input wire [(CSR_SLOTS > 0 ? CSR_SLOTS*XLEN : 1)-1:0] rvfi_csr_wdata_i,
    input wire              rvfi_frd_valid_i,
    input wire [       4:0] rvfi_frd_addr_i,
    input wire [(FLEN > 0 ? FLEN : 1)-1:0] rvfi_frd_wdata_i,
    input wire [       4:0] rvfi_fflags_i,
    input wire [(PADDR > 0 ? 64 : 1)-1:0] rvfi_pc_paddr_i,
    input wire [(PADDR > 0 ? 64 : 1)-1:0] rvfi_mem_paddr_i,

    // The same entry, one clock later.
    output wire             valid_o,
    output wire [WIDTH-1:0] body_o
);
  localparam BASE = `EAR_BODY_BASE_WIDTH(XLEN);

  wire [WIDTH-1:0] packed_body;
  reg              valid_q;
  reg  [WIDTH-1:0] body_q;

  assign packed_body[BASE-1:0] = {
    rvfi_mem_wmask_i,
    rvfi_mem_rmask_i,
    rvfi_ext_cause_i,
    rvfi_mem_wdata_i,
    rvfi_mem_rdata_i,
    rvfi_mem_addr_i,
    rvfi_pc_wdata_i,
    rvfi_pc_rdata_i,
    rvfi_rd_wdata_i,
    rvfi_rd_addr_i,
    {rvfi_ext_virt_i, rvfi_ext_debug_i},
    {rvfi_ixl_i, rvfi_mode_i, rvfi_ext_irq_i, rvfi_intr_i, rvfi_halt_i, rvfi_trap_i},
    rvfi_insn_i,
    rvfi_order_i
  };

  generate
    if (CSR_SLOTS > 0) begin : gen_csr
      assign packed_body[BASE+:`EAR_BODY_CSR_WIDTH(XLEN, CSR_SLOTS)] = {
        rvfi_csr_wdata_i, rvfi_csr_addr_i, rvfi_csr_valid_i
      };
    end else begin : gen_no_csr
      wire unused = &{1'b0, rvfi_csr_wdata_i, rvfi_csr_addr_i, rvfi_csr_valid_i};
    end
    if (FLEN > 0) begin : gen_frd
      assign packed_body[`EAR_BODY_FRD(XLEN, CSR_SLOTS)+:11+FLEN] = {
        rvfi_frd_wdata_i, rvfi_fflags_i, rvfi_frd_addr_i, rvfi_frd_valid_i
      };
    end else begin : gen_no_frd
      wire unused = &{1'b0, rvfi_frd_wdata_i, rvfi_fflags_i, rvfi_frd_addr_i, rvfi_frd_valid_i};
    end
    if (PADDR != 0) begin : gen_paddr
      assign packed_body[`EAR_BODY_PADDR(XLEN, CSR_SLOTS, FLEN)+:128] = {
        rvfi_mem_paddr_i, rvfi_pc_paddr_i
      };
    end else begin : gen_no_paddr
      wire unused = &{1'b0, rvfi_mem_paddr_i, rvfi_pc_paddr_i};
    end
    if (OPERANDS != 0) begin : gen_operands
      assign packed_body[`EAR_BODY_OPERANDS(XLEN, CSR_SLOTS, FLEN, PADDR)+:10+2*XLEN] = {
        rvfi_rs2_rdata_i, rvfi_rs1_rdata_i, rvfi_rs2_addr_i, rvfi_rs1_addr_i
      };
    end else begin : gen_no_operands
      wire unused = &{1'b0, rvfi_rs2_rdata_i, rvfi_rs1_rdata_i, rvfi_rs2_addr_i, rvfi_rs1_addr_i};
    end
  endgenerate

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= rvfi_valid_i;
  end

  always @(posedge clk_i) begin
    body_q <= packed_body;
  end

  assign valid_o = DIRECT != 0 ? rvfi_valid_i : valid_q;
  assign body_o  = DIRECT != 0 ? packed_body : body_q;
endmodule
`default_nettype wire
