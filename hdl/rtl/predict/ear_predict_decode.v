// SPDX-License-Identifier: Apache-2.0
// Decode an opcode into the operation that the predictor knows. Combinational.
//
// decoder/predict/operation.c is the same in C, and both must agree on every opcode: what the unit
// does not predict, the host must not predict either. XLEN and FLEN decide what exists.
`include "ear_predict.vh"
`default_nettype none
module ear_predict_decode #(
    parameter XLEN = 32,  // bits
    parameter FLEN = 0,   // 0, 32, 64
    parameter BASE = 0    // 1: only I and C are known
) (
    input  wire [31:0] insn_i,  // of a compressed one the upper half is not read
    output wire [`EAR_OPERATION_WIDTH-1:0] operation_o
);
  wire word = insn_i[1:0] == 2'b11;
  wire [31:0] expanded;
  wire [31:0] insn = word ? insn_i : expanded;

  ear_predict_expand #(
      .XLEN(XLEN)
  ) u_expand (
      .half_i(insn_i[15:0]),
      .insn_o(expanded)
  );

  wire [2:0] f3 = insn[14:12];
  wire [6:0] f7 = insn[31:25];
  wire [4:0] rs2_field = insn[24:20];
  wire rv64 = XLEN == 64;

  // Forms of the immediate.
  localparam [2:0] FORM_I = 3'd0;
  localparam [2:0] FORM_S = 3'd1;
  localparam [2:0] FORM_B = 3'd2;
  localparam [2:0] FORM_U = 3'd3;
  localparam [2:0] FORM_J = 3'd4;
  localparam [2:0] FORM_SHIFT = 3'd5;
  localparam [2:0] FORM_CSR = 3'd6;
  localparam [2:0] FORM_NONE = 3'd7;

  reg [6:0] kind;
  reg [2:0] form;
  reg has_rd, has_rs1, has_rs2, has_frd;
  reg frs_is_rs1, frs_is_rs2;
  reg [3:0] access;
  reg [5:0] flags;
  reg csr;

  wire float_32 = FLEN >= 32 && BASE == 0;
  wire float_64 = FLEN == 64 && BASE == 0;
  // Size of a floating-point instruction's operands.
  wire format_known = (insn[26:25] == 2'd0 && float_32) || (insn[26:25] == 2'd1 && float_64);
  wire format_wide = insn[25];
  wire float_size_known = (f3 == 3'd2 && float_32) || (f3 == 3'd3 && float_64);
  wire move = rs2_field == 5'd0 && f3 == 3'd0 && (rv64 || !format_wide);

  reg [6:0] shift_kind;    // OP-IMM, funct3 001 and 101
  reg [6:0] shift32_kind;  // OP-IMM-32
  reg [6:0] register_kind;
  reg [6:0] register32_kind;
  reg [6:0] atomic_kind;
  wire left = f3 == 3'd1;
  reg shift_is_unary;

  always @* begin
    shift_kind = `EAR_DO_UNKNOWN;
    shift_is_unary = 1'b1;
    if (BASE == 0)
    case (insn[31:20])
      12'h600: if (left) shift_kind = `EAR_DO_CLZ;
      12'h601: if (left) shift_kind = `EAR_DO_CTZ;
      12'h602: if (left) shift_kind = `EAR_DO_CPOP;
      12'h604: if (left) shift_kind = `EAR_DO_SEXTB;
      12'h605: if (left) shift_kind = `EAR_DO_SEXTH;
      12'h287: if (!left) shift_kind = `EAR_DO_ORCB;
      12'h698: if (!left && !rv64) shift_kind = `EAR_DO_REV8;
      12'h6b8: if (!left && rv64) shift_kind = `EAR_DO_REV8;
      default: ;
    endcase
    if (shift_kind == `EAR_DO_UNKNOWN && (rv64 || !insn[25])) begin
      shift_is_unary = 1'b0;
      case (insn[31:26])
        6'h00: shift_kind = left ? `EAR_DO_SLL : `EAR_DO_SRL;
        6'h10: shift_kind = left ? `EAR_DO_UNKNOWN : `EAR_DO_SRA;
        default: ;
      endcase
      if (BASE == 0)
      case (insn[31:26])
        6'h12: shift_kind = left ? `EAR_DO_BCLR : `EAR_DO_BEXT;
        6'h1a: shift_kind = left ? `EAR_DO_BINV : `EAR_DO_UNKNOWN;
        6'h0a: shift_kind = left ? `EAR_DO_BSET : `EAR_DO_UNKNOWN;
        6'h18: shift_kind = left ? `EAR_DO_UNKNOWN : `EAR_DO_ROR;
        default: ;
      endcase
    end
  end

  always @* begin
    shift32_kind = `EAR_DO_UNKNOWN;
    case ({f3, f7})
      {3'd1, 7'h00} : shift32_kind = `EAR_DO_SLLW;
      {3'd1, 7'h04}, {3'd1, 7'h05} : shift32_kind = `EAR_DO_SLLUW;
      {3'd1, 7'h30} :
      case (rs2_field)
        5'd0: shift32_kind = `EAR_DO_CLZW;
        5'd1: shift32_kind = `EAR_DO_CTZW;
        5'd2: shift32_kind = `EAR_DO_CPOPW;
        default: ;
      endcase
      {3'd5, 7'h00} : shift32_kind = `EAR_DO_SRLW;
      {3'd5, 7'h20} : shift32_kind = `EAR_DO_SRAW;
      {3'd5, 7'h30} : shift32_kind = `EAR_DO_RORW;
      default: if (f3 == 3'd0) shift32_kind = `EAR_DO_ADDW;
    endcase
  end

  always @* begin
    register_kind = `EAR_DO_UNKNOWN;
    case ({f7, f3})
      {7'h00, 3'd0} : register_kind = `EAR_DO_ADD;
      {7'h00, 3'd1} : register_kind = `EAR_DO_SLL;
      {7'h00, 3'd2} : register_kind = `EAR_DO_SLT;
      {7'h00, 3'd3} : register_kind = `EAR_DO_SLTU;
      {7'h00, 3'd4} : register_kind = `EAR_DO_XOR;
      {7'h00, 3'd5} : register_kind = `EAR_DO_SRL;
      {7'h00, 3'd6} : register_kind = `EAR_DO_OR;
      {7'h00, 3'd7} : register_kind = `EAR_DO_AND;
      {7'h20, 3'd0} : register_kind = `EAR_DO_SUB;
      {7'h20, 3'd5} : register_kind = `EAR_DO_SRA;
      default: ;
    endcase
    if (BASE == 0)
    case ({f7, f3})
      {7'h20, 3'd4} : register_kind = `EAR_DO_XNOR;
      {7'h20, 3'd6} : register_kind = `EAR_DO_ORN;
      {7'h20, 3'd7} : register_kind = `EAR_DO_ANDN;
      {7'h01, 3'd0} : register_kind = `EAR_DO_MUL;
      {7'h01, 3'd1} : register_kind = `EAR_DO_MULH;
      {7'h01, 3'd2} : register_kind = `EAR_DO_MULHSU;
      {7'h01, 3'd3} : register_kind = `EAR_DO_MULHU;
      {7'h01, 3'd4} : register_kind = `EAR_DO_DIV;
      {7'h01, 3'd5} : register_kind = `EAR_DO_DIVU;
      {7'h01, 3'd6} : register_kind = `EAR_DO_REM;
      {7'h01, 3'd7} : register_kind = `EAR_DO_REMU;
      {7'h10, 3'd2} : register_kind = `EAR_DO_SH1ADD;
      {7'h10, 3'd4} : register_kind = `EAR_DO_SH2ADD;
      {7'h10, 3'd6} : register_kind = `EAR_DO_SH3ADD;
      {7'h05, 3'd4} : register_kind = `EAR_DO_MIN;
      {7'h05, 3'd5} : register_kind = `EAR_DO_MINU;
      {7'h05, 3'd6} : register_kind = `EAR_DO_MAX;
      {7'h05, 3'd7} : register_kind = `EAR_DO_MAXU;
      {7'h30, 3'd1} : register_kind = `EAR_DO_ROL;
      {7'h30, 3'd5} : register_kind = `EAR_DO_ROR;
      {7'h24, 3'd1} : register_kind = `EAR_DO_BCLR;
      {7'h24, 3'd5} : register_kind = `EAR_DO_BEXT;
      {7'h34, 3'd1} : register_kind = `EAR_DO_BINV;
      {7'h14, 3'd1} : register_kind = `EAR_DO_BSET;
      {7'h04, 3'd4} : if (!rv64 && rs2_field == 5'd0) register_kind = `EAR_DO_ZEXTH;
      default: ;
    endcase
  end

  always @* begin
    register32_kind = `EAR_DO_UNKNOWN;
    case ({f7, f3})
      {7'h00, 3'd0} : register32_kind = `EAR_DO_ADDW;
      {7'h00, 3'd1} : register32_kind = `EAR_DO_SLLW;
      {7'h00, 3'd5} : register32_kind = `EAR_DO_SRLW;
      {7'h20, 3'd0} : register32_kind = `EAR_DO_SUBW;
      {7'h20, 3'd5} : register32_kind = `EAR_DO_SRAW;
      {7'h01, 3'd0} : register32_kind = `EAR_DO_MULW;
      {7'h01, 3'd4} : register32_kind = `EAR_DO_DIVW;
      {7'h01, 3'd5} : register32_kind = `EAR_DO_DIVUW;
      {7'h01, 3'd6} : register32_kind = `EAR_DO_REMW;
      {7'h01, 3'd7} : register32_kind = `EAR_DO_REMUW;
      {7'h04, 3'd0} : register32_kind = `EAR_DO_ADDUW;
      {7'h04, 3'd4} : if (rs2_field == 5'd0) register32_kind = `EAR_DO_ZEXTH;
      {7'h10, 3'd2} : register32_kind = `EAR_DO_SH1ADDUW;
      {7'h10, 3'd4} : register32_kind = `EAR_DO_SH2ADDUW;
      {7'h10, 3'd6} : register32_kind = `EAR_DO_SH3ADDUW;
      {7'h30, 3'd1} : register32_kind = `EAR_DO_ROLW;
      {7'h30, 3'd5} : register32_kind = `EAR_DO_RORW;
      default: ;
    endcase
  end

  always @* begin
    case (insn[31:27])
      5'h02: atomic_kind = `EAR_DO_LR;
      5'h03: atomic_kind = `EAR_DO_SC;
      5'h01: atomic_kind = `EAR_DO_AMOSWAP;
      5'h00: atomic_kind = `EAR_DO_AMOADD;
      5'h04: atomic_kind = `EAR_DO_AMOXOR;
      5'h0c: atomic_kind = `EAR_DO_AMOAND;
      5'h08: atomic_kind = `EAR_DO_AMOOR;
      5'h10: atomic_kind = `EAR_DO_AMOMIN;
      5'h14: atomic_kind = `EAR_DO_AMOMAX;
      5'h18: atomic_kind = `EAR_DO_AMOMINU;
      5'h1c: atomic_kind = `EAR_DO_AMOMAXU;
      default: atomic_kind = `EAR_DO_UNKNOWN;
    endcase
    if ((f3 != 3'd2 && !(f3 == 3'd3 && rv64)) || BASE != 0) atomic_kind = `EAR_DO_UNKNOWN;
  end

  wire load_known = f3 != 3'd7 && (rv64 || (f3 != 3'd3 && f3 != 3'd6));
  wire store_known = !f3[2] && (rv64 || f3 != 3'd3);
  wire [3:0] access_of_f3 = 4'd1 << f3[1:0];

  always @* begin
    kind = `EAR_DO_UNKNOWN;
    form = FORM_NONE;
    has_rd = 1'b0;
    has_rs1 = 1'b0;
    has_rs2 = 1'b0;
    has_frd = 1'b0;
    frs_is_rs1 = 1'b0;
    frs_is_rs2 = 1'b0;
    access = 4'd0;
    flags = 6'd0;
    csr = 1'b0;
    case (insn[6:2])
      5'h0d, 5'h05: begin  // lui, auipc
        kind = insn[5] ? `EAR_DO_IMMEDIATE : `EAR_DO_AUIPC;
        form = FORM_U;
        has_rd = 1'b1;
      end
      5'h1b: begin
        kind = `EAR_DO_JAL;
        form = FORM_J;
        has_rd = 1'b1;
      end
      5'h19:
      if (f3 == 3'd0) begin
        kind = `EAR_DO_JALR;
        form = FORM_I;
        has_rd = 1'b1;
        has_rs1 = 1'b1;
      end
      5'h18:
      if (f3[2:1] != 2'b01) begin
        kind = f3[2] ? `EAR_DO_BLT + {5'd0, f3[1:0]} : `EAR_DO_BEQ + {6'd0, f3[0]};
        form = FORM_B;
        has_rs1 = 1'b1;
        has_rs2 = 1'b1;
      end
      5'h00:
      if (load_known) begin
        kind = `EAR_DO_LOAD;
        form = FORM_I;
        has_rd = 1'b1;
        has_rs1 = 1'b1;
        access = access_of_f3;
        flags[`EAR_OPERATION_READS] = 1'b1;
        flags[`EAR_OPERATION_UNSIGNED] = f3[2];
      end
      5'h08:
      if (store_known) begin
        kind = `EAR_DO_STORE;
        form = FORM_S;
        has_rs1 = 1'b1;
        has_rs2 = 1'b1;
        access = access_of_f3;
        flags[`EAR_OPERATION_WRITES] = 1'b1;
      end
      5'h01:
      if (float_size_known) begin
        kind = `EAR_DO_FLOAD;
        form = FORM_I;
        has_frd = 1'b1;
        has_rs1 = 1'b1;
        access = access_of_f3;
        flags[`EAR_OPERATION_READS] = 1'b1;
      end
      5'h09:
      if (float_size_known) begin
        kind = `EAR_DO_FSTORE;
        form = FORM_S;
        frs_is_rs2 = 1'b1;
        has_rs1 = 1'b1;
        access = access_of_f3;
        flags[`EAR_OPERATION_WRITES] = 1'b1;
      end
      5'h04: begin  // OP-IMM
        case (f3)
          3'd0: kind = `EAR_DO_ADD;
          3'd2: kind = `EAR_DO_SLT;
          3'd3: kind = `EAR_DO_SLTU;
          3'd4: kind = `EAR_DO_XOR;
          3'd6: kind = `EAR_DO_OR;
          3'd7: kind = `EAR_DO_AND;
          default: kind = shift_kind;
        endcase
        form = f3[1:0] == 2'b01 ? (shift_is_unary ? FORM_NONE : FORM_SHIFT) : FORM_I;
        has_rd = kind != `EAR_DO_UNKNOWN;
        has_rs1 = kind != `EAR_DO_UNKNOWN;
      end
      5'h06:
      if (rv64) begin
        kind = shift32_kind;
        form = f3 == 3'd0 ? FORM_I : f7 == 7'h30 && left ? FORM_NONE : FORM_SHIFT;
        has_rd = kind != `EAR_DO_UNKNOWN;
        has_rs1 = kind != `EAR_DO_UNKNOWN;
      end
      5'h0c, 5'h0e: begin
        kind = !insn[3] ? register_kind : rv64 ? register32_kind : `EAR_DO_UNKNOWN;
        has_rd = kind != `EAR_DO_UNKNOWN;
        has_rs1 = kind != `EAR_DO_UNKNOWN;
        has_rs2 = kind != `EAR_DO_UNKNOWN;
      end
      5'h03: if (f3[2:1] == 2'd0) kind = `EAR_DO_NOTHING;
      5'h0b:
      if (atomic_kind != `EAR_DO_UNKNOWN) begin
        kind = atomic_kind;
        has_rd = 1'b1;
        has_rs1 = 1'b1;
        has_rs2 = kind != `EAR_DO_LR;
        access = access_of_f3;
        flags[`EAR_OPERATION_READS] = kind != `EAR_DO_SC;
        flags[`EAR_OPERATION_WRITES] = kind != `EAR_DO_LR;
      end
      5'h1c:
      if (BASE != 0) begin
        if (insn == 32'h10500073) kind = `EAR_DO_NOTHING;
      end else
      case (insn)
        32'h00000073: kind = `EAR_DO_ECALL;
        32'h00100073: kind = `EAR_DO_EBREAK;
        32'h30200073: kind = `EAR_DO_MRET;
        32'h10200073: kind = `EAR_DO_SRET;
        32'h10500073: kind = `EAR_DO_NOTHING;
        default:
        if (f3[1:0] != 2'd0) begin
          kind = `EAR_DO_CSR;
          form = FORM_CSR;
          csr = 1'b1;
          has_rd = 1'b1;
          has_rs1 = !f3[2];
        end
      endcase
      5'h10, 5'h11, 5'h12, 5'h13:
      if (format_known) begin
        kind = `EAR_DO_FCOMPUTE;
        has_frd = 1'b1;
        flags[`EAR_OPERATION_FLAGS] = 1'b1;
      end
      5'h14:
      if (format_known) begin
        case (insn[31:27])
          5'h00, 5'h01, 5'h02, 5'h03, 5'h05, 5'h08, 5'h0b: begin
            kind = `EAR_DO_FCOMPUTE;
            has_frd = 1'b1;
            flags[`EAR_OPERATION_FLAGS] = 1'b1;
          end
          5'h04: begin
            kind = `EAR_DO_FCOMPUTE;
            has_frd = 1'b1;
            if (f3 == 3'd0 && insn[19:15] == rs2_field) begin
              kind = `EAR_DO_FCOPY;
              frs_is_rs1 = 1'b1;
              access = format_wide ? 4'd8 : 4'd4;
            end
          end
          5'h14, 5'h18: begin
            kind = `EAR_DO_FTOX;
            has_rd = 1'b1;
            flags[`EAR_OPERATION_FLAGS] = 1'b1;
          end
          5'h1a: begin
            kind = `EAR_DO_FCOMPUTE;
            has_frd = 1'b1;
            has_rs1 = 1'b1;
            flags[`EAR_OPERATION_FLAGS] = 1'b1;
          end
          5'h1c:
          if (move) begin
            kind = `EAR_DO_FMVTOX;
            has_rd = 1'b1;
            frs_is_rs1 = 1'b1;
            access = format_wide ? 4'd8 : 4'd4;
          end else if (rs2_field == 5'd0 && f3 == 3'd1) begin
            kind = `EAR_DO_FTOX;
            has_rd = 1'b1;
          end
          5'h1e:
          if (move) begin
            kind = `EAR_DO_FMVTOF;
            has_frd = 1'b1;
            has_rs1 = 1'b1;
            access = format_wide ? 4'd8 : 4'd4;
          end
          default: ;
        endcase
      end
      default: ;
    endcase
    flags[`EAR_OPERATION_MEMORY] =
        flags[`EAR_OPERATION_READS] || flags[`EAR_OPERATION_WRITES];
    // b is the immediate: OP-IMM and OP-IMM-32, and what has no rs2 and writes rd from an
    // immediate (lui, auipc, jal, jalr).
    case (insn[6:2])
      5'h0d, 5'h05, 5'h1b, 5'h04, 5'h06, 5'h19:
      flags[`EAR_OPERATION_IMMEDIATE] = kind != `EAR_DO_UNKNOWN;
      default: ;
    endcase
  end

  reg [31:0] imm;
  always @* begin
    case (form)
      FORM_I: imm = {{20{insn[31]}}, insn[31:20]};
      FORM_S: imm = {{20{insn[31]}}, insn[31:25], insn[11:7]};
      FORM_B: imm = {{20{insn[31]}}, insn[7], insn[30:25], insn[11:8], 1'b0};
      FORM_U: imm = {insn[31:12], 12'd0};
      FORM_J: imm = {{12{insn[31]}}, insn[19:12], insn[20], insn[30:21], 1'b0};
      // A shift of OP-IMM-32 has five bits, but for slli.uw, whose sixth is there as well.
      FORM_SHIFT: imm = {26'd0, insn[25], rs2_field};
      FORM_CSR: imm = {27'd0, insn[19:15]};
      default: imm = 32'd0;
    endcase
    if (kind == `EAR_DO_UNKNOWN) imm = 32'd0;
  end

  assign operation_o = {
    csr ? insn[31:20] : 12'd0,
    csr ? f3 : 3'd0,
    flags,
    access,
    word,
    frs_is_rs1 ? insn[19:15] : frs_is_rs2 ? rs2_field : 5'd0,
    has_frd ? insn[11:7] : 5'd0,
    has_rs2 ? rs2_field : 5'd0,
    has_rs1 ? insn[19:15] : 5'd0,
    has_rd ? insn[11:7] : 5'd0,
    imm,
    kind
  };
endmodule
`default_nettype wire
