// SPDX-License-Identifier: Apache-2.0
// Give the memory group of an entry the one form that the predictor expects.
//
// docs/retire-port.md, section 2, leaves a core some freedom: an aligned address with shifted
// masks, anything in the bytes beside the masks, and many cores leave the last address on the port
// when an instruction has nothing to do with memory. All of that means the same to the host, and
// each of it would be a difference to the prediction in nearly every record. So:
//
//   1. data outside its mask are zero;
//   2. the address of an entry without access is zero, unless the opcode may access memory (a load
//      that trapped, a store conditional that failed), and so is the physical one;
//   3. the address is that of the lowest byte of the masks, and masks and data begin with it.
//
// Rules 4 to 7 are those of ear_normalize_registers.
//
// These say nothing else than the port does. With OPCODE_READS the port's read mask is only a hint,
// and the opcode decides; a read that the core does by mistake is not seen then, a write always is:
//
//   8. an entry that traps, or an interrupt, accesses nothing;
//   9. an opcode that cannot access memory reads nothing;
//  10. a load that shows a whole word at an aligned address reads the bytes that its opcode says.
//      Their position in the word follows from rs1 and the immediate.
//
// Combinational. What may access memory: everything but the opcodes that are known not to, so that
// custom instructions keep what they show.
`default_nettype none
module ear_normalize #(
    parameter XLEN         = 32,  // bits
    parameter PADDR        = 0,
    parameter OPCODE_READS = 0,   // 1: rules 8 to 10
    parameter PA           = PADDR != 0 ? 64 : 1  // derived, do not set
) (
    input wire [      31:0] insn_i,
    input wire              trap_i,
    input wire              irq_i,
    input wire [       2:0] rs1_low_i,  // of the value of rs1; only for OPCODE_READS
    input wire [  XLEN-1:0] addr_i,
    input wire [XLEN/8-1:0] rmask_i,
    input wire [XLEN/8-1:0] wmask_i,
    input wire [  XLEN-1:0] rdata_i,
    input wire [  XLEN-1:0] wdata_i,
    input wire [    PA-1:0] paddr_i,

    output wire [  XLEN-1:0] addr_o,
    output wire [XLEN/8-1:0] rmask_o,
    output wire [XLEN/8-1:0] wmask_o,
    output wire [  XLEN-1:0] rdata_o,
    output wire [  XLEN-1:0] wdata_o,
    output wire [    PA-1:0] paddr_o
);
  localparam BYTES = XLEN / 8;
  localparam PLACE = XLEN == 64 ? 3 : 2;  // bits of the position of a byte in a word
  localparam [BYTES-1:0] ALL = {BYTES{1'b1}};

  wire unused_fields = &{1'b0, insn_i[31:23], insn_i[19:16], insn_i[11:7]};

  // May this opcode access memory? Compressed ones by quadrant and funct3; c.sspush and c.sspopchk
  // (Zicfiss) are the forms of c.lui without an immediate.
  reg may_access;
  always @* begin
    case (insn_i[1:0])
      2'b00: may_access = insn_i[15:13] != 3'b000;
      2'b01: may_access = insn_i[15:12] == 4'b0110 && insn_i[6:2] == 5'd0;
      2'b10: may_access = insn_i[15:13] != 3'b000 && insn_i[15:13] != 3'b100;
      default:
      case (insn_i[6:2])
        5'b00100, 5'b00101, 5'b00110,                      // OP-IMM, AUIPC, OP-IMM-32
        5'b01100, 5'b01101, 5'b01110,                      // OP, LUI, OP-32
        5'b10000, 5'b10001, 5'b10010, 5'b10011, 5'b10100,  // FP arithmetic
        5'b10101,                                          // vector arithmetic
        5'b11000, 5'b11001, 5'b11011:                      // branches, JALR, JAL
        may_access = 1'b0;
        5'b00011: may_access = insn_i[14:12] == 3'b010;    // MISC-MEM: cbo.*
        5'b11100: may_access = insn_i[14:12] == 3'b100;    // SYSTEM: hypervisor accesses
        default: may_access = 1'b1;
      endcase
    endcase
  end

  wire [BYTES-1:0] rmask;
  wire [BYTES-1:0] wmask;

  generate
    if (OPCODE_READS != 0) begin : gen_opcode_reads
      // Size and the low bits of the address of the loads that are known.
      reg       is_load;
      reg [1:0] size_log2;
      reg [2:0] place;
      always @* begin
        is_load = 1'b0;
        size_log2 = insn_i[13:12];
        place = rs1_low_i + insn_i[22:20];
        if (insn_i[1:0] == 2'b11) begin
          case (insn_i[6:2])
            5'b00000: is_load = insn_i[14:12] != 3'b111;
            5'b00001: is_load = !insn_i[14] && insn_i[13:12] != 2'b00;
            5'b01011: begin  // atomics have no immediate
              is_load = !insn_i[14];
              place   = rs1_low_i;
            end
            default: ;
          endcase
        end else if (!insn_i[0]) begin  // c.fld, c.lw, c.flw or c.ld, and those relative to sp
          is_load   = !insn_i[15] && insn_i[14:13] != 2'b00;
          size_log2 =
              insn_i[14:13] == 2'b10 || (XLEN == 32 && insn_i[14:13] == 2'b11) ? 2'd2 : 2'd3;
          place     = rs1_low_i + {size_log2 == 2'd2 && (insn_i[1] ? insn_i[4] : insn_i[6]), 2'b00};
        end
      end

      wire [PLACE-1:0] at = place[PLACE-1:0];
      wire [7:0] size_8 = {{4{size_log2 == 2'd3}}, {2{size_log2[1]}}, size_log2 != 2'd0, 1'b1};
      wire [BYTES-1:0] size_mask = size_8[BYTES-1:0];
      // Over the end of the word: then the core has done something else than is thought here.
      wire [2*BYTES-1:0] placed = {{BYTES{1'b0}}, size_mask} << at;
      wire narrow = is_load && rmask_i == ALL && addr_i[PLACE-1:0] == {PLACE{1'b0}} &&
          placed[2*BYTES-1:BYTES] == {BYTES{1'b0}};
      wire nothing = trap_i || irq_i;
      assign rmask = nothing || !may_access ? {BYTES{1'b0}} : narrow ? placed[BYTES-1:0] : rmask_i;
      assign wmask = nothing ? {BYTES{1'b0}} : wmask_i;
      if (XLEN == 32) begin : gen_unused
        wire unused = &{1'b0, place[2], size_8[7:4]};
      end
    end else begin : gen_port
      wire unused = &{1'b0, trap_i, rs1_low_i, insn_i[22:20]};
      assign rmask = rmask_i;
      assign wmask = wmask_i;
    end
  endgenerate

  wire [BYTES-1:0] touched = rmask | wmask;
  wire accesses = touched != {BYTES{1'b0}};
  wire keeps = accesses || (may_access && !irq_i);

  // The lowest byte of the masks.
  reg [PLACE-1:0] shift;
  integer i;
  always @* begin
    shift = {PLACE{1'b0}};
    for (i = BYTES - 1; i > 0; i = i - 1) if (touched[i]) shift = i[PLACE-1:0];
    if (touched[0]) shift = {PLACE{1'b0}};
  end

  reg [XLEN-1:0] rdata;
  reg [XLEN-1:0] wdata;
  integer b;
  always @* begin
    for (b = 0; b < BYTES; b = b + 1) begin
      rdata[8*b+:8] = rmask[b] ? rdata_i[8*b+:8] : 8'd0;
      wdata[8*b+:8] = wmask[b] ? wdata_i[8*b+:8] : 8'd0;
    end
  end

  assign rmask_o = rmask >> shift;
  assign wmask_o = wmask >> shift;
  assign rdata_o = rdata >> {shift, 3'b000};
  assign wdata_o = wdata >> {shift, 3'b000};
  assign addr_o  = keeps ? addr_i + {{(XLEN - PLACE) {1'b0}}, shift} : {XLEN{1'b0}};

  generate
    if (PADDR != 0) begin : gen_paddr
      assign paddr_o = keeps && paddr_i != {PA{1'b0}} ? paddr_i + {{(PA - PLACE) {1'b0}}, shift} :
          {PA{1'b0}};
    end else begin : gen_no_paddr
      assign paddr_o = paddr_i;
    end
  endgenerate
endmodule
`default_nettype wire
