// SPDX-License-Identifier: Apache-2.0
// Fold one entry into 32 bits for the digest: all fields but the CSR writes, each turned by another
// amount (docs/predict.md, section 6). Combinational.
`include "ear_entry.vh"
`default_nettype none
module ear_predict_digest #(
    parameter XLEN      = 32,  // bits
    parameter CSR_SLOTS = 0,
    parameter FLEN      = 0,
    parameter PADDR     = 0,
    parameter OPERANDS  = 1,
    parameter BODY      = `EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS)  // derived
) (
    input  wire [BODY-1:0] body_i,
    output wire [    31:0] fold_o
);
  localparam X = XLEN / 8;

  // The halves of a value, on each other.
  function [31:0] half(input [63:0] value);
    half = value[63:32] ^ value[31:0];
  endfunction
  function [31:0] turn(input [31:0] value, input integer by);
    turn = (value << by) | (value >> (32 - by));
  endfunction

  // generate: wires base
  wire [63:0] order;
  wire [31:0] insn;
  wire [7:0] status;
  wire [1:0] ext;
  wire [4:0] rd_addr;
  wire [XLEN-1:0] rd_wdata;
  wire [XLEN-1:0] pc_rdata;
  wire [XLEN-1:0] pc_wdata;
  wire [XLEN-1:0] mem_addr;
  wire [XLEN-1:0] mem_rdata;
  wire [XLEN-1:0] mem_wdata;
  wire [XLEN-1:0] cause;
  wire [XLEN/8-1:0] mem_rmask;
  wire [XLEN/8-1:0] mem_wmask;
  // generate: end
  // generate: unpack base body_i
  assign {mem_wmask, mem_rmask, cause, mem_wdata, mem_rdata, mem_addr, pc_wdata, pc_rdata, rd_wdata,
      rd_addr, ext, status, insn, order} = body_i[`EAR_BODY_BASE_WIDTH(XLEN)-1:0];
  // generate: end

  wire [4:0] rs1_addr;
  wire [4:0] rs2_addr;
  wire [XLEN-1:0] rs1_rdata;
  wire [XLEN-1:0] rs2_rdata;
  wire [31:0] float_fold;
  wire [31:0] paddr_fold;
  wire [3:0] csr_count;

  generate
    if (OPERANDS != 0) begin : gen_operands
      // generate: unpack operands body_i
      assign {rs2_rdata, rs1_rdata, rs2_addr, rs1_addr} =
          body_i[`EAR_BODY_OPERANDS(XLEN, CSR_SLOTS, FLEN, PADDR)
          +:`EAR_BODY_OPERANDS_WIDTH(XLEN, OPERANDS)];
      // generate: end
    end else begin : gen_no_operands
      // generate: unpack operands zero
      assign {rs2_rdata, rs1_rdata, rs2_addr, rs1_addr} = {(10 + 2 * XLEN) {1'b0}};
      // generate: end
    end
    if (FLEN > 0) begin : gen_frd
      // Number and value mean nothing without valid.
      wire frd_valid;
      wire [4:0] frd_addr;
      wire [4:0] fflags;
      wire [FLEN-1:0] frd_wdata;
      wire [63:0] frd_value;
      // generate: unpack frd body_i
      assign {frd_wdata, fflags, frd_addr, frd_valid} =
          body_i[`EAR_BODY_FRD(XLEN, CSR_SLOTS)+:`EAR_BODY_FRD_WIDTH(FLEN)];
      // generate: end
      assign frd_value[FLEN-1:0] = frd_wdata & {FLEN{frd_valid}};
      if (FLEN < 64) begin : gen_narrow
        assign frd_value[63:FLEN] = {(64 - FLEN) {1'b0}};
      end
      assign float_fold = turn(half(frd_value), 23) ^
          turn({21'd0, fflags, frd_addr & {5{frd_valid}}, frd_valid}, 25);
    end else begin : gen_no_frd
      assign float_fold = 32'd0;
    end
    if (PADDR != 0) begin : gen_paddr
      wire [63:0] pc_paddr;
      wire [63:0] mem_paddr;
      // generate: unpack paddr body_i
      assign {mem_paddr, pc_paddr} =
          body_i[`EAR_BODY_PADDR(XLEN, CSR_SLOTS, FLEN)+:`EAR_BODY_PADDR_WIDTH(PADDR)];
      // generate: end
      assign paddr_fold = turn(half(pc_paddr), 27) ^ turn(half(mem_paddr), 29);
    end else begin : gen_no_paddr
      assign paddr_fold = 32'd0;
    end
    if (CSR_SLOTS > 0) begin : gen_csr
      wire [CSR_SLOTS-1:0] csr_valid = body_i[`EAR_BODY_BASE_WIDTH(XLEN)+:CSR_SLOTS];
      wire unused =
          &{1'b0, body_i[`EAR_BODY_BASE_WIDTH(XLEN)+CSR_SLOTS+:CSR_SLOTS*(12+XLEN)]};
      reg [3:0] count;
      integer i;
      always @* begin
        count = 4'd0;
        for (i = 0; i < CSR_SLOTS; i = i + 1) count = count + {3'd0, csr_valid[i]};
      end
      assign csr_count = count;
    end else begin : gen_no_csr
      assign csr_count = 4'd0;
    end
  endgenerate

  wire [31:0] head = {
    3'd0, csr_count, rd_addr, rs2_addr, rs1_addr, ext, status[7:4], status[3:0]
  };
  wire [31:0] masks = {16'd0, {(8 - X) {1'b0}}, mem_wmask, {(8 - X) {1'b0}}, mem_rmask};

  generate
    if (XLEN == 64) begin : gen_64
      assign fold_o = head ^ turn(masks, 1) ^ turn(half(order), 2) ^ turn(insn, 3) ^
          turn(half(pc_rdata), 5) ^ turn(half(pc_wdata), 7) ^ turn(half(rs1_rdata), 9) ^
          turn(half(rs2_rdata), 11) ^ turn(half(rd_wdata), 13) ^ turn(half(mem_addr), 15) ^
          turn(half(mem_rdata), 17) ^ turn(half(mem_wdata), 19) ^ turn(half(cause), 21) ^
          float_fold ^ paddr_fold;
    end else begin : gen_32
      assign fold_o = head ^ turn(masks, 1) ^ turn(half(order), 2) ^ turn(insn, 3) ^
          turn(pc_rdata, 5) ^ turn(pc_wdata, 7) ^ turn(rs1_rdata, 9) ^ turn(rs2_rdata, 11) ^
          turn(rd_wdata, 13) ^ turn(mem_addr, 15) ^ turn(mem_rdata, 17) ^ turn(mem_wdata, 19) ^
          turn(cause, 21) ^ float_fold ^ paddr_fold;
    end
  endgenerate
endmodule
`default_nettype wire
