// SPDX-License-Identifier: Apache-2.0
// Turn one record into the bytes of its RAW32 or RAW64 message (docs/protocol.md, section 4.7).
//
// In the clock with start_i it looks at the record, decides which fields are there and offers the
// size of the message. Then it gives the fields one after the other, one chunk a clock; the fields
// that are not there cost no clock.
`include "ear_protocol.vh"
`include "ear_entry.vh"
`default_nettype none
module ear_raw_encoder #(
    parameter XLEN      = 32,  // bits
    parameter CSR_SLOTS = 0,
    parameter FLEN      = 0,
    parameter PADDR     = 0,
    parameter OPERANDS  = 1,
    parameter CHUNK     = 8,   // bytes: 8 for XLEN 32, 10 for XLEN 64
    parameter BODY      = `EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS)  // derived
) (
    input wire clk_i,
    input wire rst_ni,

    // The record; it stays until the last chunk is taken.
    input wire [BODY-1:0] body_i,

    input  wire       order_i,  // the message carries the order; with start_i
    input  wire       start_i,  // look at the record now
    output wire [9:0] size_o,   // bytes of the message; in the clock of start_i

    // Chunks, from the clock after start_i on.
    input  wire               ready_i,
    output reg  [8*CHUNK-1:0] data_o,   // lowest byte first; bytes beyond count are zero
    output reg  [        3:0] count_o,  // bytes
    output wire               last_o
);
  localparam [31:0] X = XLEN / 8;
  localparam SLOTS = CSR_SLOTS > 0 ? CSR_SLOTS : 1;
  localparam [3:0] X_COUNT = X[3:0];

  // The record's fields.
  // generate: wires fields
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
  wire [SLOTS-1:0] csr_valid;
  wire [12*SLOTS-1:0] csr_addr;
  wire [XLEN*SLOTS-1:0] csr_wdata;
  wire frd_valid;
  wire [4:0] frd_addr;
  wire [4:0] fflags;
  wire [63:0] frd_wdata;
  wire [63:0] pc_paddr;
  wire [63:0] mem_paddr;
  wire [4:0] rs1_addr;
  wire [4:0] rs2_addr;
  wire [XLEN-1:0] rs1_rdata;
  wire [XLEN-1:0] rs2_rdata;
  // generate: end

  ear_body_fields #(
      .XLEN     (XLEN),
      .CSR_SLOTS(CSR_SLOTS),
      .FLEN     (FLEN),
      .PADDR    (PADDR),
      .OPERANDS (OPERANDS)
  ) u_fields (
      .body_i     (body_i),
      // generate: body last
      .order_o(order), .insn_o(insn), .status_o(status), .ext_o(ext), .rd_addr_o(rd_addr),
      .rd_wdata_o(rd_wdata), .pc_rdata_o(pc_rdata), .pc_wdata_o(pc_wdata), .mem_addr_o(mem_addr),
      .mem_rdata_o(mem_rdata), .mem_wdata_o(mem_wdata), .cause_o(cause), .mem_rmask_o(mem_rmask),
      .mem_wmask_o(mem_wmask), .csr_valid_o(csr_valid), .csr_addr_o(csr_addr),
      .csr_wdata_o(csr_wdata), .frd_valid_o(frd_valid), .frd_addr_o(frd_addr), .fflags_o(fflags),
      .frd_wdata_o(frd_wdata), .pc_paddr_o(pc_paddr), .mem_paddr_o(mem_paddr),
      .rs1_addr_o(rs1_addr), .rs2_addr_o(rs2_addr), .rs1_rdata_o(rs1_rdata), .rs2_rdata_o(rs2_rdata)
      // generate: end
  );

  // The mask, and the size that follows from it.
  wire has_insn32 = insn[31:16] != 16'd0;
  wire has_rs1 = {rs1_addr, rs1_rdata} != {(5 + XLEN) {1'b0}};
  wire has_rs2 = {rs2_addr, rs2_rdata} != {(5 + XLEN) {1'b0}};
  wire has_rd = {rd_addr, rd_wdata} != {(5 + XLEN) {1'b0}};
  wire has_mem = {mem_addr, mem_rmask, mem_wmask} != {(XLEN + 2 * X) {1'b0}};
  wire has_rdata = mem_rdata != {XLEN{1'b0}};
  wire has_wdata = mem_wdata != {XLEN{1'b0}};
  wire has_cause = cause != {XLEN{1'b0}};
  wire has_csr = csr_valid != {SLOTS{1'b0}};
  wire has_frd = frd_valid || fflags != 5'd0;
  wire has_pc_paddr = pc_paddr != 64'd0;
  wire has_mem_paddr = mem_paddr != 64'd0;
  wire has_ext = ext != 2'd0;

  wire [15:0] mask = (order_i ? `EAR_RAW_ORDER : 16'd0) | (has_insn32 ? `EAR_RAW_INSN32 : 16'd0) |
      (has_rs1 ? `EAR_RAW_RS1 : 16'd0) | (has_rs2 ? `EAR_RAW_RS2 : 16'd0) |
      (has_rd ? `EAR_RAW_RD : 16'd0) | (has_mem ? `EAR_RAW_MEM : 16'd0) |
      (has_rdata ? `EAR_RAW_RDATA : 16'd0) | (has_wdata ? `EAR_RAW_WDATA : 16'd0) |
      (has_cause ? `EAR_RAW_CAUSE : 16'd0) | (has_csr ? `EAR_RAW_CSR : 16'd0) |
      (has_frd ? `EAR_RAW_FRD : 16'd0) | (has_pc_paddr ? `EAR_RAW_PC_PADDR : 16'd0) |
      (has_mem_paddr ? `EAR_RAW_MEM_PADDR : 16'd0) | (has_ext ? `EAR_RAW_EXT : 16'd0);

  reg [3:0] csr_count;
  integer i;
  always @* begin
    csr_count = 4'd0;
    for (i = 0; i < SLOTS; i = i + 1) csr_count = csr_count + {3'd0, csr_valid[i]};
  end

  // Counted in classes of equal size: fields of 1, X, 2 and 8 bytes.
  wire [3:0] ones = {3'd0, has_rs1} + {3'd0, has_rs2} + {3'd0, has_rd} + {3'd0, has_mem} +
      {3'd0, has_csr} + {3'd0, has_ext} + {3'd0, has_mem && XLEN == 64};
  wire [4:0] words = 5'd2 + {4'd0, has_rs1} + {4'd0, has_rs2} + {4'd0, has_rd} +
      {4'd0, has_mem} + {4'd0, has_rdata} + {4'd0, has_wdata} + {4'd0, has_cause} +
      {1'b0, csr_count};
  wire [3:0] twos = csr_count + {3'd0, has_frd} + {3'd0, has_insn32};
  wire [2:0] eights =
      {2'd0, order_i} + {2'd0, has_frd} + {2'd0, has_pc_paddr} + {2'd0, has_mem_paddr};

  assign size_o = 10'd6 + {6'd0, ones} + {5'd0, twos, 1'b0} + {4'd0, eights, 3'd0} +
      (XLEN == 64 ? {2'd0, words, 3'd0} : {3'd0, words, 2'd0});

  // What is still to be given, in the order of the wire.
  localparam HEAD = 0;   // kind, status, mask, and insn if there is no order
  localparam ORDER = 1;
  localparam INSN = 2;   // only after an order
  localparam PC = 3;     // both pcs if XLEN is 32
  localparam NPC = 4;    // pc_wdata if XLEN is 64
  localparam RS1 = 5;
  localparam RS2 = 6;
  localparam RD = 7;
  localparam MEM = 8;
  localparam RDATA = 9;
  localparam WDATA = 10;
  localparam CAUSE = 11;
  localparam COUNT = 12;  // of CSR writes
  localparam CSR = 13;    // SLOTS of them
  localparam FRD = CSR + SLOTS;
  localparam FVALUE = FRD + 1;
  localparam PC_PADDR = FRD + 2;
  localparam MEM_PADDR = FRD + 3;
  localparam EXT = FRD + 4;
  localparam STEPS = FRD + 5;
  localparam [STEPS-1:0] STEP_ONE = 1;

  wire [STEPS-1:0] all = {
    has_ext, has_mem_paddr, has_pc_paddr, has_frd, has_frd, csr_valid, has_csr, has_cause,
    has_wdata, has_rdata, has_mem, has_rd, has_rs2, has_rs1, XLEN == 64, 1'b1, order_i, order_i,
    1'b1
  };
  reg [STEPS-1:0] todo_q;
  reg [15:0] mask_q;
  reg [3:0] csr_count_q;

  wire [STEPS-1:0] rest = todo_q & (todo_q - STEP_ONE);
  wire [STEPS-1:0] now = todo_q & ~rest;  // the lowest bit alone

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      todo_q <= {STEPS{1'b0}};
      mask_q <= 16'd0;
      csr_count_q <= 4'd0;
    end else if (start_i) begin
      todo_q <= all;
      mask_q <= mask;
      csr_count_q <= csr_count;
    end else if (ready_i) begin
      todo_q <= rest;
    end
  end

  assign last_o = rest == {STEPS{1'b0}};

  // One chunk. Exactly one bit of now is set, so the parts can be or-ed together.
  wire [7:0] kind = XLEN == 64 ? `EAR_MSG_RAW64 : `EAR_MSG_RAW32;
  wire insn32 = (mask_q & `EAR_RAW_INSN32) != 16'd0;
  wire with_order = (mask_q & `EAR_RAW_ORDER) != 16'd0;
  wire [3:0] insn_count = insn32 ? 4'd4 : 4'd2;
  wire [63:0] head = {with_order ? 32'd0 : insn, mask_q, status, kind};

  reg [63:0] low;          // of the plain fields, at most 8 bytes
  reg [XLEN+15:0] wide;    // of register, memory and CSR fields
  always @* begin
    low = (now[HEAD] ? head : 64'd0) | (now[ORDER] ? order : 64'd0) |
        (now[INSN] ? {32'd0, insn} : 64'd0) | (now[COUNT] ? {60'd0, csr_count_q} : 64'd0) |
        (now[FVALUE] ? frd_wdata : 64'd0) |
        (now[FRD] ? {51'd0, fflags, frd_valid, 2'd0, frd_addr} : 64'd0) |
        (now[PC_PADDR] ? pc_paddr : 64'd0) | (now[MEM_PADDR] ? mem_paddr : 64'd0) |
        (now[EXT] ? {62'd0, ext} : 64'd0);
    wide = (now[RS1] ? {8'd0, rs1_rdata, 3'd0, rs1_addr} : {(XLEN + 16) {1'b0}}) |
        (now[RS2] ? {8'd0, rs2_rdata, 3'd0, rs2_addr} : {(XLEN + 16) {1'b0}}) |
        (now[RD] ? {8'd0, rd_wdata, 3'd0, rd_addr} : {(XLEN + 16) {1'b0}}) |
        (now[RDATA] ? {16'd0, mem_rdata} : {(XLEN + 16) {1'b0}}) |
        (now[WDATA] ? {16'd0, mem_wdata} : {(XLEN + 16) {1'b0}}) |
        (now[CAUSE] ? {16'd0, cause} : {(XLEN + 16) {1'b0}});
    for (i = 0; i < SLOTS; i = i + 1) begin
      wide = wide | (now[CSR+i] ? {csr_wdata[i*XLEN+:XLEN], 4'd0, csr_addr[i*12+:12]} :
          {(XLEN + 16) {1'b0}});
    end
  end

  wire [8*CHUNK-1:0] x_part;  // of the fields whose shape depends on XLEN
  generate
    if (XLEN == 64) begin : gen_x64
      wire [79:0] mem = {mem_wmask, mem_rmask, mem_addr};
      assign x_part = (now[PC] ? {16'd0, pc_rdata} : 80'd0) |
          (now[NPC] ? {16'd0, pc_wdata} : 80'd0) | (now[MEM] ? mem : 80'd0) | wide |
          {16'd0, low};
    end else begin : gen_x32
      wire [63:0] mem = {24'd0, mem_wmask, mem_rmask, mem_addr};
      assign x_part = (now[PC] ? {pc_wdata, pc_rdata} : 64'd0) | (now[MEM] ? mem : 64'd0) |
          {16'd0, wide} | low;
    end
  endgenerate

  reg csr_now;
  always @* begin
    csr_now = 1'b0;
    for (i = 0; i < SLOTS; i = i + 1) csr_now = csr_now | now[CSR+i];
    data_o = x_part;
    count_o = 4'd8;  // ORDER, FVALUE, PC_PADDR, MEM_PADDR, and both pcs or one of 8 bytes
    if (now[HEAD]) count_o = with_order ? 4'd4 : 4'd4 + insn_count;
    if (now[INSN]) count_o = insn_count;
    if (now[RS1] || now[RS2] || now[RD]) count_o = X_COUNT + 4'd1;
    if (now[MEM]) count_o = XLEN == 64 ? 4'd10 : 4'd5;
    if (now[RDATA] || now[WDATA] || now[CAUSE]) count_o = X_COUNT;
    if (now[COUNT] || now[EXT]) count_o = 4'd1;
    if (now[FRD]) count_o = 4'd2;
    if (csr_now) count_o = X_COUNT + 4'd2;
  end
endmodule
`default_nettype wire
