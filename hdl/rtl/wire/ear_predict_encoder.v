// SPDX-License-Identifier: Apache-2.0
// Turn what the predictor says of a record into the record messages of predict mode
// (docs/predict.md, section 7). decoder/predict/difference.c is the same in C.
//
// Most records need no message at all: those as predicted are counted, and those in which only the
// opcode differs are held back until there are four of them or something else comes. So it gives
// three kinds of message, one at a time:
//
//   GROUP   the opcodes held back, with the run before them
//   RUN     the run alone
//   RECORD  the record at hand, with the run before it
//
// While opcodes are held the run does not grow, because it is sent before them: the caller must
// have a GROUP sent before it lets another record be counted.
//
// In the clock with start_i it plans the message and offers its size. Then come the chunks, one a
// clock.
`include "ear_protocol.vh"
`include "ear_entry.vh"
`default_nettype none
module ear_predict_encoder #(
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

    // The record at hand, and where it differs from the prediction. It stays until its message is
    // sent or it is taken in.
    input wire [BODY-1:0] body_i,
    input wire [    19:0] mask_i,         // EAR_DIFFER_*
    input wire            from_number_i,  // insn is in the dictionary,
    input wire [     8:0] number_i,       // at this index
    input wire [XLEN-1:0] delta_i,        // mem_rdata, or rd_wdata, minus its prediction

    // What it needs, and what is owed to the wire.
    output wire plain_o,   // the record can be counted
    output wire joins_o,   // the record can be held
    output wire held_o,    // opcodes are held
    output wire full_o,    // and no more can be; or the run can not be counted on
    output wire counted_o, // the run is not 0
    input  wire take_i,    // count or hold the record now. With plain_o: nothing is held any more

    // A message: a group, a run or, with neither, the record.
    input  wire       start_i,  // plan it now
    input  wire       group_i,
    input  wire       run_i,
    output wire [9:0] size_o,   // bytes of the message; in the clock of start_i

    // Chunks, from the clock after start_i on.
    input  wire               ready_i,
    output reg  [8*CHUNK-1:0] data_o,   // lowest byte first; what is beyond count means nothing
    output reg  [        3:0] count_o,  // bytes
`ifdef FORMAL
    output wire [        2:0] in_flight_o,  // planned and not complete: record, run, group
`endif
    output wire               last_o
);
  localparam [31:0] X = XLEN / 8;
  localparam [3:0] X_COUNT = X[3:0];
  localparam [31:0] F = FLEN / 8;
  localparam [3:0] F_COUNT = F[3:0];
  localparam SLOTS = CSR_SLOTS > 0 ? CSR_SLOTS : 1;

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
  wire [31:0] mask = {12'd0, mask_i};

  // The opcode in its shortest form: EAR_INSN_FORM_*, up to four bytes, and how many.
  wire wide_insn = insn[1:0] == 2'b11;
  wire has_form = from_number_i || wide_insn || insn[31:16] == 16'd0;
  wire form24 = wide_insn && insn[31:24] == 8'd0;
  wire [1:0] form = from_number_i ? {1'b1, number_i[8]} : {1'b0, form24};
  wire [31:0] form_insn = from_number_i ? {24'd0, number_i[7:0]} : insn;
  wire [2:0] form_count = from_number_i ? 3'd1 : form24 ? 3'd3 : wide_insn ? 3'd4 : 3'd2;

  // Records that need no message of their own: the run, and the opcodes held back after it.
  reg [ 15:0] run_q;
  reg [  2:0] held_q;         // 0 to 4
  reg [127:0] insns_q;        // the first one lowest, as form_insn
  reg [  7:0] forms_q;
  reg [ 11:0] form_counts_q;  // 3 bits each
  reg         group_q;        // the message at hand is a GROUP

  wire done = ready_i && last_o;
  wire [15:0] run = done ? 16'd0 : run_q;  // every message has it
  wire [2:0] held = done && group_q ? 3'd0 : held_q;

  assign plain_o = mask_i == 20'd0;
  assign joins_o = mask == `EAR_DIFFER_INSN && has_form;
  assign held_o = held_q != 3'd0;
  assign counted_o = run_q != 16'd0;
  assign full_o = held_q == 3'd4 || ({16'd0, run_q} == `EAR_RUN_MAX && held_q == 3'd0);

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q  <= 16'd0;
      held_q <= 3'd0;
    end else begin
      run_q  <= run + {15'd0, take_i && plain_o};
      held_q <= held + {2'd0, take_i && joins_o};
    end
  end

  always @(posedge clk_i) begin
    if (take_i && joins_o) begin
      insns_q[32*held[1:0]+:32] <= form_insn;
      forms_q[2*held[1:0]+:2] <= form;
      form_counts_q[3*held[1:0]+:3] <= form_count;
    end
  end

  // The kind of the message.
  wire [31:0] other = mask & ~`EAR_DIFFER_INSN;
  wire with_insn = mask != other;
  wire rdata = other == `EAR_DIFFER_RDATA;
  reg beside;
  wire is_value = ((rdata && !beside) || other == `EAR_DIFFER_RD) && (!with_insn || has_form);

  // Length of a value: the difference is signed, and the size of the access bounds it. A core may
  // show data beside the bytes that it read; no difference has room for that.
  reg [XLEN-1:0] delta;
  reg [3:0] value_count;
  reg needed;
  integer i;
  always @* begin
    delta = delta_i;
    beside = 1'b0;
    if (rdata && mem_rmask == {{(XLEN / 8 - 1) {1'b0}}, 1'b1}) begin
      delta = {{(XLEN - 8) {delta_i[7]}}, delta_i[7:0]};
      beside = mem_rdata[XLEN-1:8] != {(XLEN - 8) {1'b0}};
    end
    if (rdata && mem_rmask == {{(XLEN / 8 - 2) {1'b0}}, 2'b11}) begin
      delta = {{(XLEN - 16) {delta_i[15]}}, delta_i[15:0]};
      beside = mem_rdata[XLEN-1:16] != {(XLEN - 16) {1'b0}};
    end
    if (XLEN == 64 && rdata && mem_rmask == {{(XLEN / 8 - 4) {1'b0}}, 4'b1111}) begin
      delta = {{(XLEN - 32) {delta_i[31]}}, delta_i[31:0]};
      beside = mem_rdata[XLEN-1:XLEN/2] != {(XLEN / 2) {1'b0}};
    end
    // A byte is not needed if it and the bit below it only repeat the sign.
    value_count = X_COUNT;
    needed = 1'b0;
    for (i = XLEN / 8 - 1; i > 0; i = i - 1) begin
      needed = needed || delta[8*i-1+:9] != {9{delta[XLEN-1]}};
      if (!needed) value_count = i[3:0];
    end
  end

  wire [7:0] value_form = {
    1'b0, !rdata, value_count[2:0] - 3'd1, with_insn ? {1'b0, form} + 3'd1 : 3'd0
  };
  wire one_piece = rdata && !beside && !with_insn &&
      (value_count == 4'd1 || value_count == 4'd2 || value_count == 4'd4);

  // Header: kind and run.
  reg [ 7:0] kind;
  reg [23:0] head;
  reg [ 1:0] head_count;
  reg [15:0] short_run;
  always @* begin
    kind = `EAR_PREDICT_GENERAL;
    if (group_i) begin
      kind = held_q == 3'd1 ? `EAR_PREDICT_INSN + {6'd0, forms_q[1:0]} :
          `EAR_PREDICT_GROUP2 - 8'd2 + {5'd0, held_q};
    end else if (run_i) begin
      kind = `EAR_PREDICT_RUN;
    end else if (one_piece) begin
      kind = `EAR_PREDICT_RDATA1 + {6'd0, value_count[2:1]};
    end else if (is_value) begin
      kind = `EAR_PREDICT_VALUE;
    end else if (mask == `EAR_DIFFER_IRQ) begin
      kind = `EAR_PREDICT_IRQ;
    end else if (mask == `EAR_DIFFER_FVALUE) begin
      kind = `EAR_PREDICT_FVALUE;
    end
    short_run = run_q - 16'd13;  // EAR_RUN_BYTE_BASE
    if (run_q < 16'd13) begin
      head = {16'd0, kind[3:0], run_q[3:0]};
      head_count = 2'd1;
    end else if (short_run[15:8] == 8'd0) begin
      head = {8'd0, short_run[7:0], kind[3:0], 4'd13};  // EAR_RUN_BYTE
      head_count = 2'd2;
    end else begin
      head = {run_q, kind[3:0], 4'd14};  // EAR_RUN_HALF
      head_count = 2'd3;
    end
  end

  // What is in the first chunk after the header.
  wire [7:0] used_forms = forms_q & (held_q == 3'd2 ? 8'h0F : held_q == 3'd3 ? 8'h3F : 8'hFF);
  reg [39:0] tail;
  reg [ 2:0] tail_count;
  wire general = !group_i && !run_i && kind == `EAR_PREDICT_GENERAL;
  always @* begin
    if (group_i) begin
      tail = held_q == 3'd1 ? {8'd0, insns_q[31:0]} : {insns_q[31:0], used_forms};
      tail_count = form_counts_q[2:0] + (held_q == 3'd1 ? 3'd0 : 3'd1);
    end else if (one_piece) begin
      tail = {8'd0, delta[31:0]};
      tail_count = value_count[2:0];
    end else if (is_value) begin
      tail = {with_insn ? form_insn : 32'd0, value_form};
      tail_count = (with_insn ? form_count : 3'd0) + 3'd1;
    end else begin
      tail = {20'd0, mask_i};
      tail_count = general ? 3'd3 : 3'd0;
    end
    if (run_i) tail_count = 3'd0;
  end

  // What follows.
  localparam HEAD = 0;
  localparam INSN1 = 1;      // of a group: its second to fourth opcode
  localparam INSN2 = 2;
  localparam INSN3 = 3;
  localparam VALUE = 4;
  localparam ORDER = 5;
  localparam PC = 6;
  localparam STATUS = 7;
  localparam INSN = 8;
  localparam NUMBERS = 9;
  localparam RS1 = 10;
  localparam RS2 = 11;
  localparam TRAP = 12;
  localparam ADDRESS = 13;
  localparam MASKS = 14;
  localparam RDATA = 15;
  localparam WDATA = 16;
  localparam RD_ADDR = 17;
  localparam RD = 18;
  localparam FRD = 19;
  localparam FVALUE = 20;
  localparam NEXT_PC = 21;
  localparam COUNT = 22;     // of CSR writes
  localparam CSR = 23;       // SLOTS of them
  localparam PC_PADDR = CSR + SLOTS;
  localparam MEM_PADDR = PC_PADDR + 1;
  localparam STEPS = PC_PADDR + 2;
  localparam [STEPS-1:0] STEP_ONE = 1;

  wire [19:0] m = general ? mask_i : 20'd0;
  wire unused = &{1'b0, status[3], m[3]};  // irq is in the mask itself
  wire is_fvalue = !group_i && !run_i && kind == `EAR_PREDICT_FVALUE;
  wire [STEPS-1:0] all = {
    m[19], m[19], m[18] ? csr_valid : {SLOTS{1'b0}}, m[18:17], m[16] || is_fvalue, m[15:4],
    m[2:0], !group_i && !run_i && is_value && !one_piece, group_i && held_q > 3'd3,
    group_i && held_q > 3'd2, group_i && held_q > 3'd1, 1'b1
  };

  reg [3:0] csr_count;
  always @* begin
    csr_count = 4'd0;
    for (i = 0; i < SLOTS; i = i + 1) csr_count = csr_count + {3'd0, csr_valid[i]};
  end

  // Size of GENERAL after its mask, counted in classes of fields of 1, 2, X and 8 bytes.
  wire [3:0] csrs = m[18] ? csr_count : 4'd0;
  wire [1:0] ones = {1'b0, m[8]} + {1'b0, m[13]} + {1'b0, m[18]};
  wire [3:0] twos = {3'd0, m[2]} + {2'd0, m[4], 1'b0} + {3'd0, m[5]} + {3'd0, m[10]} +
      {3'd0, m[15]} + csrs;
  wire [4:0] words = {4'd0, m[1]} + {4'd0, m[6]} + {4'd0, m[7]} + {4'd0, m[8]} + {4'd0, m[9]} +
      {4'd0, m[11]} + {4'd0, m[12]} + {4'd0, m[14]} + {4'd0, m[17]} + {1'b0, csrs};
  wire [2:0] eights = {2'd0, m[0]} + {2'd0, m[16]} + {1'b0, m[19], 1'b0};
  wire [9:0] general_size = {8'd0, ones} + {5'd0, twos, 1'b0} + {4'd0, eights, 3'd0} +
      (XLEN == 64 ? {2'd0, words, 3'd0} : {3'd0, words, 2'd0});
  wire [9:0] group_size = (held_q > 3'd1 ? {7'd0, form_counts_q[5:3]} : 10'd0) +
      (held_q > 3'd2 ? {7'd0, form_counts_q[8:6]} : 10'd0) +
      (held_q > 3'd3 ? {7'd0, form_counts_q[11:9]} : 10'd0);
  wire [9:0] value_size = !run_i && is_value && !one_piece ? {6'd0, value_count} : 10'd0;

  assign size_o = {8'd0, head_count} + {7'd0, tail_count} +
      (group_i ? group_size : general_size + value_size + (is_fvalue ? {6'd0, F_COUNT} : 10'd0));

  reg [STEPS-1:0] todo_q;
  reg [     23:0] head_q;
  reg [      1:0] head_count_q;
  reg [     39:0] tail_q;
  reg [      2:0] tail_count_q;
  reg [XLEN-1:0]  value_q;
  reg [      3:0] value_count_q;
  reg [      3:0] csr_count_q;
  reg             is_fvalue_q;

  wire [STEPS-1:0] rest = todo_q & (todo_q - STEP_ONE);
  wire [STEPS-1:0] now = todo_q & ~rest;  // the lowest bit alone

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      todo_q  <= {STEPS{1'b0}};
      group_q <= 1'b0;
    end else if (start_i) begin
      todo_q  <= all;
      group_q <= group_i;
    end else if (ready_i) begin
      todo_q <= rest;
    end
  end

  always @(posedge clk_i) begin
    if (start_i) begin
      head_q <= head;
      head_count_q <= head_count;
      tail_q <= tail;
      tail_count_q <= tail_count;
      value_q <= delta;
      value_count_q <= value_count;
      csr_count_q <= csr_count;
      is_fvalue_q <= is_fvalue;
    end
  end

  assign last_o = rest == {STEPS{1'b0}};

  // One chunk. Exactly one bit of now is set, so the parts can be or-ed together.
  wire [63:0] first = (head_count_q == 2'd1 ? {16'd0, tail_q, head_q[7:0]} :
      head_count_q == 2'd2 ? {8'd0, tail_q, head_q[15:0]} : {tail_q, head_q});
  wire [7:0] status_head = {status[7:4], 1'b0, status[2:1], 1'b0};

  reg [63:0] low;        // of fields of at most 8 bytes
  reg [XLEN+15:0] wide;  // of fields of XLEN
  reg csr_now;
  always @* begin
    low = (now[HEAD] ? first : 64'd0) | (now[INSN1] ? {32'd0, insns_q[63:32]} : 64'd0) |
        (now[INSN2] ? {32'd0, insns_q[95:64]} : 64'd0) |
        (now[INSN3] ? {32'd0, insns_q[127:96]} : 64'd0) | (now[ORDER] ? order : 64'd0) |
        (now[STATUS] ? {48'd0, 6'd0, ext, status_head} : 64'd0) |
        (now[INSN] ? {32'd0, insn} : 64'd0) |
        (now[NUMBERS] ? {51'd0, rs2_addr, 3'd0, rs1_addr} : 64'd0) |
        (now[RD_ADDR] ? {59'd0, rd_addr} : 64'd0) |
        (now[FRD] ? {51'd0, fflags, frd_valid, 2'd0, frd_addr} : 64'd0) |
        (now[FVALUE] ? frd_wdata : 64'd0) | (now[COUNT] ? {60'd0, csr_count_q} : 64'd0) |
        (now[PC_PADDR] ? pc_paddr : 64'd0) | (now[MEM_PADDR] ? mem_paddr : 64'd0);
    wide = (now[VALUE] ? {16'd0, value_q} : {(XLEN + 16) {1'b0}}) |
        (now[PC] ? {16'd0, pc_rdata} : {(XLEN + 16) {1'b0}}) |
        (now[RS1] ? {16'd0, rs1_rdata} : {(XLEN + 16) {1'b0}}) |
        (now[RS2] ? {16'd0, rs2_rdata} : {(XLEN + 16) {1'b0}}) |
        (now[TRAP] ? {8'd0, cause, 7'd0, status[0]} : {(XLEN + 16) {1'b0}}) |
        (now[ADDRESS] ? {16'd0, mem_addr} : {(XLEN + 16) {1'b0}}) |
        (now[RDATA] ? {16'd0, mem_rdata} : {(XLEN + 16) {1'b0}}) |
        (now[WDATA] ? {16'd0, mem_wdata} : {(XLEN + 16) {1'b0}}) |
        (now[RD] ? {16'd0, rd_wdata} : {(XLEN + 16) {1'b0}}) |
        (now[NEXT_PC] ? {16'd0, pc_wdata} : {(XLEN + 16) {1'b0}});
    csr_now = 1'b0;
    for (i = 0; i < SLOTS; i = i + 1) begin
      wide = wide | (now[CSR+i] ? {csr_wdata[i*XLEN+:XLEN], 4'd0, csr_addr[i*12+:12]} :
          {(XLEN + 16) {1'b0}});
      csr_now = csr_now | now[CSR+i];
    end
  end

  wire [15:0] masks;
  wire [8*CHUNK-1:0] low_part;
  wire [8*CHUNK-1:0] wide_part;
  generate
    if (XLEN == 64) begin : gen_x64
      assign masks = {mem_wmask, mem_rmask};
      assign low_part = {16'd0, low};
      assign wide_part = wide;
    end else begin : gen_x32
      assign masks = {4'd0, mem_wmask, 4'd0, mem_rmask};
      assign low_part = low;
      assign wide_part = {16'd0, wide};
    end
  endgenerate

  always @* begin
    data_o = low_part | wide_part | {{(8 * CHUNK - 16) {1'b0}}, now[MASKS] ? masks : 16'd0};
    count_o = X_COUNT;  // PC, RS1, RS2, ADDRESS, RDATA, WDATA, RD, NEXT_PC
    if (now[HEAD]) count_o = {2'd0, head_count_q} + {1'b0, tail_count_q};
    if (now[INSN1]) count_o = {1'b0, form_counts_q[5:3]};
    if (now[INSN2]) count_o = {1'b0, form_counts_q[8:6]};
    if (now[INSN3]) count_o = {1'b0, form_counts_q[11:9]};
    if (now[VALUE]) count_o = value_count_q;
    if (now[ORDER] || now[PC_PADDR] || now[MEM_PADDR]) count_o = 4'd8;
    if (now[STATUS] || now[NUMBERS] || now[MASKS] || now[FRD]) count_o = 4'd2;
    if (now[INSN]) count_o = 4'd4;
    if (now[TRAP]) count_o = X_COUNT + 4'd1;
    if (now[RD_ADDR] || now[COUNT]) count_o = 4'd1;
    if (now[FVALUE]) count_o = is_fvalue_q ? F_COUNT : 4'd8;
    if (csr_now) count_o = X_COUNT + 4'd2;
  end

`ifdef FORMAL
  // For hdl/formal, under the caller that is proved with it. What a message reports is fixed when
  // it is planned; it must still be true when its last byte is taken. So every record is counted,
  // held or sent, and reported once: records = reported + what is counted and held.
  reg [15:0] sent_run_q;
  reg [ 2:0] sent_held_q;
  reg        sent_record_q;
  reg        in_flight_q;
  reg [17:0] records_q;
  reg [17:0] sent_q;
  assign in_flight_o = !in_flight_q ? 3'b000 : {sent_record_q, !sent_record_q && !group_q, group_q};
  wire [17:0] sends = {2'd0, sent_run_q} + {15'd0, sent_held_q} + {17'd0, sent_record_q};
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sent_run_q <= 16'd0;
      sent_held_q <= 3'd0;
      sent_record_q <= 1'b0;
      in_flight_q <= 1'b0;
      records_q <= 18'd0;
      sent_q <= 18'd0;
    end else begin
      if (start_i) begin
        sent_run_q <= run_q;
        sent_held_q <= group_i ? held_q : 3'd0;
        sent_record_q <= !group_i && !run_i;
      end
      in_flight_q <= start_i || (in_flight_q && !done);
      records_q <= records_q + {17'd0, take_i} + {17'd0, done && sent_record_q};
      if (done) sent_q <= sent_q + sends;
    end
  end
  always @* begin
    if (rst_ni) begin
      assert (records_q == sent_q + {2'd0, run_q} + {15'd0, held_q});
      assert (held_q <= 3'd4);
      assert (!done || in_flight_q);
      if (in_flight_q) begin
        assert (sent_run_q == run_q);
        assert (sent_held_q == (group_q ? held_q : 3'd0));
        assert (!sent_record_q || (!group_q && held_q == 3'd0));
        assert (!take_i || done);
      end
      if (take_i) begin
        assert (plain_o || joins_o);
        assert (!plain_o || ({16'd0, run} != `EAR_RUN_MAX && held == 3'd0));
        assert (!joins_o || held <= 3'd3);
      end
    end
  end
`endif
endmodule
`default_nettype wire
