// SPDX-License-Identifier: Apache-2.0
// Predict every entry of the retire port from the entries before it, and report which fields are
// not as predicted. decoder/predict/predictor.c is the same in C: mask, number, difference and
// digest must be equal for every entry, also for one that no core would retire.
//
// The entry itself is known here, so nothing waits for a prediction: what is remembered after
// an entry follows from the entry's own fields. Slots (ear_predict_issue) pass these stages:
//   A  the entry is offered; its opcode is decoded, the caches are read
//   B  the way of each cache is chosen; registers, dictionary and CSRs are read
//   C  predicted and compared; everything is trained except in D
//   D  results are compared; CSR writes are walked, operands that differed are trained; then the
//      entry is offered with what differs
// All stages move together. With PIPELINED 1 that is an entry a clock; an access over the end of a
// line, a division, a CSR list or a wrong operand takes more clocks, and with UNIFIED 1 every
// memory access takes one more. With PIPELINED 0 there is no stage B, no copy of the entry, and
// one entry is at work at a time: three clocks, which is small.
//
// After reset, and after clear_i, all memories are swept: 2^SWEEP_BITS clocks, SWEEP_BITS being
// the bits of the largest index. Entries that were taken before are finished first.
`include "ear_entry.vh"
`include "ear_predict.vh"
`default_nettype none
module ear_predictor #(
    parameter XLEN            = 32,  // bits: 32 or 64
    parameter CSR_SLOTS       = 0,   // as the retire port
    parameter FLEN            = 0,
    parameter PADDR           = 0,
    parameter OPERANDS        = 1,
    parameter TIME            = 1,
    // The geometry, docs/predict.md, section 2. UNIFIED: opcodes and data share the cache CODE.
    parameter UNIFIED         = 0,
    parameter MULTIPLY        = 1,
    parameter DIVIDE          = 1,
    parameter CODE_WORDS_LOG2 = 13,
    parameter CODE_WAYS_LOG2  = 2,
    parameter CODE_LINE_LOG2  = 2,
    parameter DATA_WORDS_LOG2 = 13,
    parameter DATA_WAYS_LOG2  = 2,
    parameter DATA_LINE_LOG2  = 2,
    parameter DICTIONARY_LOG2 = 9,   // 0: none; 4 .. 9
    parameter CSR_LOG2        = 6,   // 0: none; .. 6
    parameter BASE            = 0,   // 1: only I and C are known, and no traps; for XLEN 32 only
    // How it is built; the results are the same.
    parameter MULTIPLIER      = 1,   // 0: bit by bit; 1: a combinational `*`
    parameter PIPELINED       = 1,
    parameter ORDER           = 1,   // 0: the order is always as expected, and not looked at
    parameter BODY            = `EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS),  // derived
    parameter ENTRY           = BODY + `EAR_ENTRY_HEAD_WIDTH + (TIME != 0 ? 64 : 0)  // derived
) (
    input wire clk_i,
    input wire rst_ni,

    input  wire clear_i,  // one clock: forget everything before the next entry
    output wire empty_o,  // no entry is in here

    // Entries and markers, from the record FIFO.
    input  wire             entry_valid_i,
    output wire             entry_ready_o,
    input  wire [ENTRY-1:0] entry_data_i,

    // The same in the same order, to the encoder, and what it must know of them.
    output wire             out_valid_o,
    input  wire             out_ready_i,
    output wire [ENTRY-1:0] out_data_o,
    output wire             out_hard_o,          // the first record after everything was forgotten
    output wire             out_check_o,         // a CHECK is due before it
    output wire [     31:0] out_check_digest_o,  // of the records since the last one
    output wire [     31:0] out_check_pc_o,      // the pc that is expected of the next record
    output wire [`EAR_DIFFER_BITS-1:0] out_mask_o,  // fields that differ; 0 for a marker
    output wire             out_from_number_o,   // the opcode is in the dictionary
    output wire [      8:0] out_number_o,        // its index there, if the opcode differs
    output wire             out_wrong_o,         // the record's result is not that of its opcode
    output wire [ XLEN-1:0] out_delta_o          // mem_rdata, else rd_wdata, minus the prediction
);
  localparam X = XLEN / 8;
  localparam SLOTS = CSR_SLOTS > 0 ? CSR_SLOTS : 1;
  localparam OP = `EAR_OPERATION_WIDTH;
  localparam SLOT = `EAR_SLOT_WIDTH;

  localparam CODE_SET_BITS = CODE_WORDS_LOG2 - CODE_LINE_LOG2 - CODE_WAYS_LOG2;
  localparam DATA_SET_BITS = UNIFIED != 0 ? 0 : DATA_WORDS_LOG2 - DATA_LINE_LOG2 - DATA_WAYS_LOG2;
  localparam SWEEP_CACHES = CODE_SET_BITS > DATA_SET_BITS ? CODE_SET_BITS : DATA_SET_BITS;
  localparam SWEEP_TABLES = DICTIONARY_LOG2 > CSR_LOG2 ? DICTIONARY_LOG2 : CSR_LOG2;
  localparam SWEEP_MORE = SWEEP_CACHES > SWEEP_TABLES ? SWEEP_CACHES : SWEEP_TABLES;
  localparam SWEEP_BITS = SWEEP_MORE > 5 ? SWEEP_MORE : 5;  // 32 registers

`include "ear_predictor_check.vh"

  // Places in an entry.
  localparam B = `EAR_ENTRY_HEAD_WIDTH;
  localparam INSN = B + `EAR_BODY_INSN;
  localparam STATUS = B + `EAR_BODY_STATUS;
  localparam TRAP_BIT = STATUS;
  localparam IRQ_BIT = STATUS + 3;
  localparam PC = B + `EAR_BODY_PC_RDATA(XLEN);
  localparam ADDRESS = B + `EAR_BODY_MEM_ADDR(XLEN);
  localparam RMASK = B + `EAR_BODY_MEM_RMASK(XLEN);
  localparam WMASK = B + `EAR_BODY_MEM_WMASK(XLEN);
  localparam FRD = B + `EAR_BODY_FRD(XLEN, CSR_SLOTS);
  localparam PHYSICAL = B + `EAR_BODY_PADDR(XLEN, CSR_SLOTS, FLEN);
  localparam NUMBERS = B + `EAR_BODY_OPERANDS(XLEN, CSR_SLOTS, FLEN, PADDR);

  // The stages -----------------------------------------------------------------------------------

  wire [ENTRY-1:0] entry_a = entry_data_i;
  wire record_a = entry_a[1:0] == `EAR_ENTRY_RECORD;
  wire irq_a = entry_a[IRQ_BIT];
  wire [OP-1:0] decoded_a;
  // An interrupt is not an instruction, but its opcode has a size.
  wire [OP-1:0] nothing = {25'd0, decoded_a[`EAR_OPERATION_WORD], 57'd0, `EAR_DO_NOTHING};
  wire [OP-1:0] op_a = irq_a ? nothing : decoded_a;

  ear_predict_decode #(
      .XLEN(XLEN),
      .FLEN(FLEN),
      .BASE(BASE)
  ) u_decode (
      .insn_i(entry_a[INSN+:32]),
      .operation_o(decoded_a)
  );
  wire            advance;
  wire            sweep;
  wire            hold;
  wire            issue_enable;
  wire            issue_valid;
  wire [SLOT-1:0] slot_a;
  wire            between;
  wire            settled;
  wire            issue = issue_enable && issue_valid;

  // What goes before C: stage B, or A if there is no B.
  wire             valid_p;
  wire [ SLOT-1:0] slot_p;
  wire [ENTRY-1:0] entry_p;
  wire [   OP-1:0] op_p;

  reg             valid_c_q;
  reg  [SLOT-1:0] slot_c_q;
  wire [ENTRY-1:0] entry_c;
  wire [   OP-1:0] op_c;

  reg              valid_d_q;
  wire [ENTRY-1:0] entry_d;
  wire [   OP-1:0] op_d;
  wire             leave_d;

  wire final_c = valid_c_q && slot_c_q[`EAR_SLOT_FINAL];
  wire wait_c;  // for a product or quotient
  wire wait_code;  // for the first line of an opcode to be written
  assign advance = !wait_c && !wait_code && (!final_c || !valid_d_q || leave_d);
  wire enter_d = advance && final_c;

  generate
    if (PIPELINED != 0) begin : gen_stages
      reg             valid_b_q;
      reg [ SLOT-1:0] slot_b_q;
      reg [ENTRY-1:0] entry_b_q;
      reg [   OP-1:0] op_b_q;
      reg [ENTRY-1:0] entry_c_q;
      reg [   OP-1:0] op_c_q;
      reg [ENTRY-1:0] entry_d_q;
      reg [   OP-1:0] op_d_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) valid_b_q <= 1'b0;
        else if (advance) valid_b_q <= issue;
      end
      always @(posedge clk_i) begin
        if (advance) begin
          slot_b_q  <= slot_a;
          entry_b_q <= entry_a;
          op_b_q    <= op_a;
          entry_c_q <= entry_b_q;
          op_c_q    <= op_b_q;
        end
        if (enter_d) begin
          entry_d_q <= entry_c_q;
          op_d_q    <= op_c_q;
        end
      end
      assign valid_p = valid_b_q;
      assign slot_p = slot_b_q;
      assign entry_p = entry_b_q;
      assign op_p = op_b_q;
      assign entry_c = entry_c_q;
      assign op_c = op_c_q;
      assign entry_d = entry_d_q;
      assign op_d = op_d_q;
      assign issue_enable = advance;
      assign settled = !valid_b_q && !valid_c_q;
      assign entry_ready_o = issue && slot_a[`EAR_SLOT_FINAL];
    end else begin : gen_one_by_one
      assign valid_p = issue;
      assign slot_p = slot_a;
      assign entry_p = entry_a;
      assign op_p = op_a;
      assign entry_c = entry_a;
      assign op_c = op_a;
      assign entry_d = entry_a;
      assign op_d = op_a;
      assign issue_enable = !valid_c_q && !valid_d_q;
      assign settled = !valid_c_q;
      assign entry_ready_o = leave_d;
    end
  endgenerate

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_c_q <= 1'b0;
      valid_d_q <= 1'b0;
    end else begin
      if (advance) valid_c_q <= valid_p;
      if (enter_d) valid_d_q <= 1'b1;
      else if (leave_d) valid_d_q <= 1'b0;
    end
  end
  always @(posedge clk_i) if (advance) slot_c_q <= slot_p;

  assign empty_o = between && settled && !valid_d_q;

  // Forgetting -----------------------------------------------------------------------------------

  wire [SWEEP_BITS-1:0] sweep_address;
  ear_predict_sweep #(
      .BITS(SWEEP_BITS)
  ) u_sweep (
      .clk_i    (clk_i),
      .rst_ni   (rst_ni),
      .clear_i  (clear_i),
      .empty_i  (empty_o),
      .sweep_o  (sweep),
      .address_o(sweep_address),
      .hold_o   (hold)
  );

  // Entry of stage C -----------------------------------------------------------------------------

  wire record_c = entry_c[1:0] == `EAR_ENTRY_RECORD;
  wire lost_c = entry_c[1:0] == `EAR_ENTRY_LOST;
  wire learn_c = enter_d && record_c;

  // generate: wires base pc_rdata=pc
  wire [63:0] order;
  wire [31:0] insn;
  wire [7:0] status;
  wire [1:0] ext;
  wire [4:0] rd_addr;
  wire [XLEN-1:0] rd_wdata;
  wire [XLEN-1:0] pc;
  wire [XLEN-1:0] pc_wdata;
  wire [XLEN-1:0] mem_addr;
  wire [XLEN-1:0] mem_rdata;
  wire [XLEN-1:0] mem_wdata;
  wire [XLEN-1:0] cause;
  wire [XLEN/8-1:0] mem_rmask;
  wire [XLEN/8-1:0] mem_wmask;
  // generate: end
  // generate: unpack base entry_c at=B pc_rdata=pc
  assign {mem_wmask, mem_rmask, cause, mem_wdata, mem_rdata, mem_addr, pc_wdata, pc, rd_wdata,
      rd_addr, ext, status, insn, order} = entry_c[B+:`EAR_BODY_BASE_WIDTH(XLEN)];
  // generate: end
  wire irq = status[3];
  wire trap = status[0];

  wire [6:0] kind;
  wire [31:0] imm;
  wire [4:0] op_rd, op_rs1, op_rs2, op_frd, op_frs;
  wire op_word;
  wire [3:0] access;
  wire [5:0] flags;
  wire [2:0] funct3;
  wire [11:0] csr_number;
  assign {csr_number, funct3, flags, access, op_word, op_frs, op_frd, op_rs2, op_rs1, op_rd, imm,
          kind} = op_c;
  wire op_memory = flags[`EAR_OPERATION_MEMORY];
  wire op_reads = flags[`EAR_OPERATION_READS];
  wire op_writes = flags[`EAR_OPERATION_WRITES];

  // Opcode and memory ----------------------------------------------------------------------------

  wire irq_without_insn;  // the last interrupt had no opcode
  wire rdata_differs_last;  // of the last slot that compared

  ear_predict_issue #(
      .BYTES(X),
      .UNIFIED(UNIFIED),
      .AT_HAND(BASE == 0),
      .CODE_SHIFT(CODE_LINE_LOG2 + 2),
      .DATA_SHIFT((UNIFIED != 0 ? CODE_LINE_LOG2 : DATA_LINE_LOG2) + 2)
  ) u_issue (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .valid_i(entry_valid_i),
      .record_i(record_a),
      .insn_word_i(entry_a[INSN+:2] == 2'b11),
      .pc_i(entry_a[PC+:32]),
      .mem_addr_i(entry_a[ADDRESS+:32]),
      .mem_rmask_i(entry_a[RMASK+:X]),
      .mem_wmask_i(entry_a[WMASK+:X]),
      .hold_i(hold),
      .enable_i(issue_enable),
      .settled_i(settled),
      .forget_i(sweep),
      .rdata_differs_i(rdata_differs_last),
      .valid_o(issue_valid),
      .slot_o(slot_a),
      .between_o(between)
  );

  wire insn_differs;
  wire from_number;
  wire [8:0] place;  // in the dictionary
  wire [XLEN-1:0] known;
  wire rdata_differs;
  ear_predict_shadow #(
      .XLEN(XLEN),
      .UNIFIED(UNIFIED),
      .CODE_WORDS_LOG2(CODE_WORDS_LOG2),
      .CODE_WAYS_LOG2(CODE_WAYS_LOG2),
      .CODE_LINE_LOG2(CODE_LINE_LOG2),
      .DATA_WORDS_LOG2(DATA_WORDS_LOG2),
      .DATA_WAYS_LOG2(DATA_WAYS_LOG2),
      .DATA_LINE_LOG2(DATA_LINE_LOG2),
      .DICTIONARY_LOG2(DICTIONARY_LOG2),
      .PIPELINED(PIPELINED),
      .SWEEP_BITS(SWEEP_BITS)
  ) u_shadow (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .sweep_i(sweep),
      .sweep_address_i(sweep_address),
      .advance_i(advance),
      .wait_o(wait_code),
      .slot_a_i(slot_a),
      .pc_a_i(entry_a[PC+:32]),
      .mem_addr_a_i(entry_a[ADDRESS+:32]),
      .insn_p_i(entry_p[INSN+:32]),
      .slot_c_i(slot_c_q),
      .valid_c_i(valid_c_q),
      .record_c_i(valid_c_q && record_c),
      .irq_i(irq),
      .irq_without_insn_i(irq_without_insn),
      .insn_i(insn),
      .pc_i(pc[31:0]),
      .mem_addr_i(mem_addr[31:0]),
      .mem_rmask_i(mem_rmask),
      .mem_wmask_i(mem_wmask),
      .mem_rdata_i(mem_rdata),
      .mem_wdata_i(mem_wdata),
      .insn_differs_o(insn_differs),
      .from_number_o(from_number),
      .place_o(place),
      .known_o(known),
      .rdata_differs_o(rdata_differs),
      .rdata_differs_last_o(rdata_differs_last)
  );

  // Registers ------------------------------------------------------------------------------------

  wire [4:0] rs1_addr, rs2_addr;
  wire [XLEN-1:0] rs1_rdata, rs2_rdata;
  wire [4:0] read1_p, read2_p;
  wire [4:0] read1_c, read2_c;
  wire [4:0] rs1_addr_d, rs2_addr_d;
  wire [XLEN-1:0] rs1_rdata_d, rs2_rdata_d;
  generate
    if (OPERANDS != 0) begin : gen_operands
      assign {rs2_rdata, rs1_rdata, rs2_addr, rs1_addr} = entry_c[NUMBERS+:10+2*XLEN];
      assign {rs2_rdata_d, rs1_rdata_d, rs2_addr_d, rs1_addr_d} = entry_d[NUMBERS+:10+2*XLEN];
      assign read1_p = entry_p[NUMBERS+:5];
      assign read2_p = entry_p[NUMBERS+5+:5];
      assign read1_c = rs1_addr;
      assign read2_c = rs2_addr;
    end else begin : gen_no_operands
      assign {rs2_rdata, rs1_rdata, rs2_addr, rs1_addr} = {(10 + 2 * XLEN) {1'b0}};
      assign {rs2_rdata_d, rs1_rdata_d, rs2_addr_d, rs1_addr_d} = {(10 + 2 * XLEN) {1'b0}};
      assign read1_p = op_p[`EAR_OPERATION_RS1+:5];
      assign read2_p = op_p[`EAR_OPERATION_RS2+:5];
      assign read1_c = op_rs1;
      assign read2_c = op_rs2;
    end
  endgenerate

  wire record_d = valid_d_q && entry_d[1:0] == `EAR_ENTRY_RECORD;
  wire [4:0] rd_addr_d = entry_d[B+`EAR_BODY_RD_ADDR+:5];
  wire [XLEN-1:0] pc_wdata_d = entry_d[B+`EAR_BODY_PC_WDATA(XLEN)+:XLEN];
  wire [XLEN-1:0] rd_wdata_d = entry_d[B+`EAR_BODY_RD_WDATA+:XLEN];

  wire [XLEN-1:0] x1, x2;
  wire [XLEN-1:0] a = OPERANDS != 0 ? rs1_rdata : x1;
  wire [XLEN-1:0] b = OPERANDS != 0 ? rs2_rdata : x2;
  wire rs1_differs = OPERANDS != 0 && rs1_rdata != x1;
  wire rs2_differs = OPERANDS != 0 && rs2_rdata != x2;
  wire numbers_differ = OPERANDS != 0 && (rs1_addr != op_rs1 || rs2_addr != op_rs2);
  wire learning_operands;
  ear_predict_registers #(
      .XLEN(XLEN),
      .PIPELINED(PIPELINED)
  ) u_registers (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .sweep_i(sweep),
      .sweep_address_i(sweep_address[4:0]),
      .advance_i(advance),
      .read1_i(read1_p),
      .read2_i(read2_p),
      .read1_c_i(read1_c),
      .read2_c_i(read2_c),
      .x1_o(x1),
      .x2_o(x2),
      .learn_i(learn_c),
      .enter_i(enter_d),
      .rd_addr_i(rd_addr),
      .rd_wdata_i(rd_wdata),
      .wrong1_i(rs1_differs),
      .wrong2_i(rs2_differs),
      .record_d_i(record_d),
      .rd_addr_d_i(rd_addr_d),
      .rd_wdata_d_i(rd_wdata_d),
      .rs1_addr_d_i(rs1_addr_d),
      .rs2_addr_d_i(rs2_addr_d),
      .rs1_rdata_d_i(rs1_rdata_d),
      .rs2_rdata_d_i(rs2_rdata_d),
      .busy_o(learning_operands)
  );

  // Result and next pc ---------------------------------------------------------------------------

  wire [XLEN-1:0] f_low;  // of the f register that is stored, copied or moved
  wire [XLEN-1:0] csr_value;
  wire [XLEN-1:0] csr_raised;
  wire [XLEN-1:0] mstatus, mtvec, mepc;
  wire is_csr = kind == `EAR_DO_CSR;
  wire is_mret = kind == `EAR_DO_MRET;
  wire is_sret = kind == `EAR_DO_SRET;

  wire [XLEN-1:0] result;
  wire [XLEN-1:0] next_pc;
  wire [XLEN-1:0] sum;
  wire is_division;
  ear_predict_result #(
      .XLEN(XLEN),
      .MULTIPLY(MULTIPLY),
      .DIVIDE(DIVIDE),
      .MULTIPLIER(MULTIPLIER),
      .BASE(BASE)
  ) u_result (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .kind_i(kind),
      .flags_i(flags),
      .access_i(access),
      .word_i(op_word),
      .has_rd_i(op_rd != 5'd0),
      .imm_i(imm),
      .pc_i(pc),
      .a_i(a),
      .b_i(b),
      .mem_rdata_i(mem_rdata),
      .f_i(f_low),
      .csr_value_i(csr_value),
      .mtvec_i(mtvec),
      .mepc_i(mepc),
      .trap_i(trap),
      .irq_i(irq),
      .cause_i(cause),
      .rd_zero_i(rd_addr == 5'd0),
      .valid_i(final_c && record_c),
      .hold_i(valid_d_q),
      .taken_i(enter_d),
      .wait_o(wait_c),
      .division_o(is_division),
      .result_o(result),
      .next_pc_o(next_pc),
      .sum_o(sum)
  );

  // Traps ----------------------------------------------------------------------------------------

  wire [XLEN-1:0] address = op_memory ? sum : {XLEN{1'b0}};
  wire [3:0] below_access = access - 4'd1;
  wire misaligned = op_memory && (address[2:0] & below_access[2:0]) != 3'd0;

  wire expect_trap;
  wire [XLEN-1:0] expect_cause;
  generate
    if (BASE != 0) begin : gen_no_trap
      assign expect_trap = 1'b0;
      assign expect_cause = {XLEN{1'b0}};
      assign irq_without_insn = 1'b0;
      wire unused = misaligned;
    end else begin : gen_trap
      ear_predict_trap #(
          .XLEN(XLEN)
      ) u_trap (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .sweep_i(sweep),
          .learn_i(learn_c),
          .kind_i(kind),
          .writes_i(op_writes),
          .misaligned_i(misaligned),
          .irq_i(irq),
          .no_insn_i(insn == 32'd0),
          .mode_i(status[5:4]),
          .pc_i(pc),
          .trap_i(trap),
          .cause_i(cause),
          .trap_o(expect_trap),
          .cause_o(expect_cause),
          .irq_without_insn_o(irq_without_insn)
      );
    end
  endgenerate

  // Floating point -------------------------------------------------------------------------------

  wire frd_differs;
  wire fvalue_differs;
  wire [4:0] fflags;
  generate
    if (FLEN > 0) begin : gen_float
      // Number and value mean nothing without frd_valid.
      wire frd_valid = entry_c[FRD];
      wire [4:0] frd_addr = entry_c[FRD+1+:5] & {5{frd_valid}};
      wire [FLEN-1:0] frd_wdata = entry_c[FRD+11+:FLEN] & {FLEN{frd_valid}};
      assign fflags = entry_c[FRD+6+:5];
      ear_predict_float #(
          .XLEN(XLEN),
          .FLEN(FLEN),
          .PIPELINED(PIPELINED)
      ) u_float (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .sweep_i(sweep),
          .sweep_address_i(sweep_address[4:0]),
          .advance_i(advance),
          .read_i(op_p[`EAR_OPERATION_FRS+:5]),
          .learn_i(learn_c),
          .kind_i(kind),
          .access_i(access),
          .raises_i(flags[`EAR_OPERATION_FLAGS]),
          .frs_i(op_frs),
          .frd_i(op_frd),
          .trap_i(trap),
          .mem_rdata_i(mem_rdata),
          .a_i(a),
          .frd_valid_i(frd_valid),
          .frd_addr_i(frd_addr),
          .fflags_i(fflags),
          .frd_wdata_i(frd_wdata),
          .f_o(f_low),
          .frd_differs_o(frd_differs),
          .value_differs_o(fvalue_differs),
          .written_d_i(record_d && entry_d[FRD]),
          .frd_addr_d_i(entry_d[FRD+1+:5]),
          .frd_wdata_d_i(entry_d[FRD+11+:FLEN])
      );
    end else begin : gen_no_float
      assign fflags = 5'd0;
      assign f_low = {XLEN{1'b0}};
      assign frd_differs = 1'b0;
      assign fvalue_differs = 1'b0;
      wire unused = &{1'b0, op_frd, op_frs, flags[`EAR_OPERATION_FLAGS]};
    end
  endgenerate

  // What a store or an atomic operation writes ---------------------------------------------------

  wire [XLEN-1:0] stored;
  ear_predict_store #(
      .XLEN(XLEN),
      .BASE(BASE)
  ) u_store (
      .kind_i(kind),
      .access_i(access),
      .reads_i(op_reads),
      .read_i(mem_rdata),
      .b_i(b),
      .float_i(f_low),
      .mask_i(mem_wmask),
      .stored_o(stored)
  );
  wire wdata_differs = mem_wdata != stored;
  wire [7:0] whole = {{4{access[3]}}, {2{access[3] || access[2]}},
      access[3] || access[2] || access[1], access != 4'd0};
  wire [X-1:0] mask = trap ? {X{1'b0}} : whole[X-1:0];
  wire masks_differ = mem_rmask != (op_reads ? mask : {X{1'b0}}) ||
      mem_wmask != (op_writes ? mask : {X{1'b0}});

  // Order, pc, privilege -------------------------------------------------------------------------

  wire leave_record;
  wire nothing_listed;
  wire special = trap || is_csr || is_mret;
  wire hard;
  wire order_differs;
  wire pc_differs;
  wire head_differs;
  ear_predict_sequence #(
      .XLEN(XLEN),
      .ORDER(ORDER),
      .PIPELINED(PIPELINED)
  ) u_sequence (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .sweep_i(sweep),
      .learn_i(learn_c),
      .lost_i(enter_d && lost_c),
      .lost_last_i(entry_c[B+128+:64]),
      .order_i(order),
      .pc_i(pc),
      .pc_wdata_i(pc_wdata),
      .status_i(status),
      .ext_i(ext),
      .mret_i(is_mret),
      .sret_i(is_sret && nothing_listed),
      .mpp_i(mstatus[12:11]),
      .spp_i(mstatus[8]),
      .leave_d_i(leave_record),
      .pc_wdata_d_i(pc_wdata_d),
      .hard_o(hard),
      .order_differs_o(order_differs),
      .pc_differs_o(pc_differs),
      .head_differs_o(head_differs),
      .check_pc_o(out_check_pc_o)
  );

  // Physical addresses ---------------------------------------------------------------------------

  wire paddr_differs;
  generate
    if (PADDR != 0) begin : gen_paddr
      ear_predict_paddr #(
          .XLEN(XLEN),
          .PIPELINED(PIPELINED)
      ) u_paddr (
          .clk_i(clk_i),
          .sweep_i(sweep),
          .sweep_address_i(sweep_address[3:0]),
          .advance_i(advance),
          .pc_page_p_i(entry_p[PC+12+:4]),
          .mem_page_p_i(entry_p[ADDRESS+12+:4]),
          .enter_i(enter_d),
          .learn_i(learn_c),
          .memory_i(op_memory),
          .pc_i(pc),
          .mem_addr_i(mem_addr),
          .physical_i(entry_c[PHYSICAL+:128]),
          .record_d_i(record_d),
          .pc_page_d_i(entry_d[PC+12+:4]),
          .mem_page_d_i(entry_d[ADDRESS+12+:4]),
          .differs_o(paddr_differs)
      );
    end else begin : gen_no_paddr
      assign paddr_differs = 1'b0;
    end
  endgenerate

  // CSRs -----------------------------------------------------------------------------------------

  wire [SLOTS-1:0] csr_valid;
  wire [SLOTS-1:0] csr_valid_d;
  wire [12*SLOTS-1:0] csr_addr_d;
  wire [XLEN*SLOTS-1:0] csr_wdata_d;
  generate
    if (CSR_SLOTS > 0) begin : gen_csr
      assign csr_valid = entry_c[B+`EAR_BODY_BASE_WIDTH(XLEN)+:CSR_SLOTS];
      // generate: unpack csr entry_d at=B suffix=_d
      assign {csr_wdata_d, csr_addr_d, csr_valid_d} =
          entry_d[B+`EAR_BODY_CSR(XLEN)+:`EAR_BODY_CSR_WIDTH(XLEN, CSR_SLOTS)];
      // generate: end
    end else begin : gen_no_csr
      assign csr_valid = 1'b0;
      // generate: unpack csr zero suffix=_d
      assign {csr_wdata_d, csr_addr_d, csr_valid_d} = {(13 + XLEN) {1'b0}};
      // generate: end
    end
  endgenerate
  assign nothing_listed = csr_valid == {SLOTS{1'b0}};

  wire [6:0] kind_d = op_d[6:0];
  wire [11:0] read_csr_p = op_p[6:0] == `EAR_DO_SRET ? 12'h141 : op_p[`EAR_OPERATION_CSR+:12];
  wire [11:0] read_csr_c = is_sret ? 12'h141 : csr_number;
  reg [XLEN-1:0] source_q;
  reg [XLEN-1:0] old_q;
  reg            walk_q;  // the entry in D has a list to be walked
  wire           walked;
  wire           csr_differs;
  wire [31:0]    csr_fold;
  always @(posedge clk_i) begin
    if (enter_d) begin
      source_q <= a;
      old_q <= csr_raised;
      walk_q <= record_c && (special || !nothing_listed);
    end
  end

  generate
    if (BASE != 0 && CSR_SLOTS == 0) begin : gen_no_csrs
      assign csr_value = {XLEN{1'b0}};
      assign csr_raised = {XLEN{1'b0}};
      assign mstatus = {XLEN{1'b0}};
      assign mtvec = {XLEN{1'b0}};
      assign mepc = {XLEN{1'b0}};
      assign walked = 1'b1;
      assign csr_differs = 1'b0;
      assign csr_fold = 32'd0;
      wire unused = &{
        1'b0, read_csr_p, read_csr_c, source_q, old_q, csr_valid_d, csr_addr_d, csr_wdata_d, kind_d,
        fflags
      };
    end else begin : gen_csrs
      ear_predict_csr #(
          .XLEN(XLEN),
          .CSR_SLOTS(CSR_SLOTS),
          .FLEN(FLEN),
          .CSR_LOG2(CSR_LOG2),
          .SWEEP_BITS(SWEEP_BITS)
      ) u_csr (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .sweep_i(sweep),
          .sweep_address_i(sweep_address),
          .read_number_i(advance ? read_csr_p : read_csr_c),
          .read_value_o(csr_value),
          .read_raised_o(csr_raised),
          .raise_i(learn_c),
          .fflags_i(fflags),
          .mstatus_o(mstatus),
          .mtvec_o(mtvec),
          .mepc_o(mepc),
          .start_i(learn_c && (special || !nothing_listed)),
          .start_valid_i(csr_valid),
          .taken_i(leave_d),
          .trap_i(entry_d[TRAP_BIT]),
          .irq_i(entry_d[IRQ_BIT]),
          .cause_i(entry_d[B+`EAR_BODY_CAUSE(XLEN)+:XLEN]),
          .pc_i(entry_d[PC+:XLEN]),
          .insn_i(entry_d[INSN+:32]),
          .mem_addr_i(entry_d[ADDRESS+:XLEN]),
          .mode_i(entry_d[STATUS+4+:2]),
          .is_csr_i(kind_d == `EAR_DO_CSR),
          .is_mret_i(kind_d == `EAR_DO_MRET),
          .number_i(op_d[`EAR_OPERATION_CSR+:12]),
          .function_i(op_d[`EAR_OPERATION_CSR-3+:3]),
          .imm_i(op_d[7+:5]),
          .source_i(source_q),
          .old_i(old_q),
          .has_rd_i(rd_addr_d != 5'd0),
          .rd_wdata_i(rd_wdata_d),
          .csr_valid_i(csr_valid_d),
          .csr_addr_i(csr_addr_d),
          .csr_wdata_i(csr_wdata_d),
          .done_o(walked),
          .differs_o(csr_differs),
          .fold_o(csr_fold)
      );
    end
  endgenerate

  // What differs ---------------------------------------------------------------------------------

  wire [31:0] fold_c;
  ear_predict_digest #(
      .XLEN(XLEN),
      .CSR_SLOTS(CSR_SLOTS),
      .FLEN(FLEN),
      .PADDR(PADDR),
      .OPERANDS(OPERANDS)
  ) u_digest (
      .body_i(entry_c[B+:BODY]),
      .fold_o(fold_c)
  );

  reg [`EAR_DIFFER_BITS-1:0] differs_c;
  always @* begin
    differs_c = {`EAR_DIFFER_BITS{1'b0}};
    differs_c[`EAR_DIFFER_BIT_ORDER] = order_differs;
    differs_c[`EAR_DIFFER_BIT_PC] = pc_differs;
    differs_c[`EAR_DIFFER_BIT_HEAD] = head_differs;
    differs_c[`EAR_DIFFER_BIT_IRQ] = irq;
    differs_c[`EAR_DIFFER_BIT_INSN] = insn_differs;
    differs_c[`EAR_DIFFER_BIT_NUMBERS] = numbers_differ;
    differs_c[`EAR_DIFFER_BIT_RS1] = rs1_differs;
    differs_c[`EAR_DIFFER_BIT_RS2] = rs2_differs;
    differs_c[`EAR_DIFFER_BIT_TRAP] = trap != expect_trap || cause != expect_cause;
    differs_c[`EAR_DIFFER_BIT_ADDRESS] = mem_addr != address;
    differs_c[`EAR_DIFFER_BIT_MASKS] = masks_differ;
    differs_c[`EAR_DIFFER_BIT_RDATA] = rdata_differs;
    differs_c[`EAR_DIFFER_BIT_WDATA] = wdata_differs;
    differs_c[`EAR_DIFFER_BIT_RD_ADDR] = rd_addr != (trap ? 5'd0 : op_rd);
    differs_c[`EAR_DIFFER_BIT_FRD] = frd_differs;
    differs_c[`EAR_DIFFER_BIT_FVALUE] = fvalue_differs;
    differs_c[`EAR_DIFFER_BIT_PADDR] = paddr_differs;
    if (!record_c) differs_c = {`EAR_DIFFER_BITS{1'b0}};
  end

  // Stage D.
  reg [`EAR_DIFFER_BITS-1:0] differs_q;
  reg                         hard_d_q;
  reg                         from_number_d_q;
  reg [               8:0]    number_q;
  reg [              31:0]    fold_q;
  always @(posedge clk_i) begin
    if (enter_d) begin
      differs_q <= differs_c;
      hard_d_q <= hard;
      from_number_d_q <= insn_differs && from_number;
      number_q <= insn_differs ? place : 9'd0;
      fold_q <= fold_c;
    end
  end

  // A wrong result: of an operation on integers that is known and did not trap. What it should be
  // follows from the operands of the entry, so nothing else must be known. Without OPERANDS it
  // would not be so.
  wire is_product = kind >= `EAR_DO_MUL && kind <= `EAR_DO_MULW;
  wire judged_c = OPERANDS != 0 && record_c && kind >= `EAR_DO_IMMEDIATE && kind <= `EAR_DO_JALR &&
      (MULTIPLY != 0 || !is_product) && (DIVIDE != 0 || !is_division) && !trap && !irq;
  wire rd_differs;
  reg judged_q;
  reg wrong_number_q;
  reg has_rd_q;
  always @(posedge clk_i) begin
    if (enter_d) begin
      judged_q <= judged_c;
      wrong_number_q <= rd_addr != op_rd;
      has_rd_q <= op_rd != 5'd0;
    end
  end
  assign out_wrong_o = judged_q && (wrong_number_q || (has_rd_q && rd_differs));

  wire next_pc_differs;
  ear_predict_compare #(
      .XLEN(XLEN),
      .PIPELINED(PIPELINED)
  ) u_compare (
      .clk_i(clk_i),
      .enter_i(enter_d),
      .rdata_differs_i(record_c && rdata_differs),
      .division_i(is_division),
      .known_i(known),
      .result_i(result),
      .next_pc_i(next_pc),
      .mem_rdata_i(mem_rdata),
      .rd_wdata_i(rd_wdata),
      .pc_wdata_i(pc_wdata),
      .mem_rdata_d_i(entry_d[B+`EAR_BODY_MEM_RDATA(XLEN)+:XLEN]),
      .rd_wdata_d_i(rd_wdata_d),
      .pc_wdata_d_i(pc_wdata_d),
      .rd_differs_o(rd_differs),
      .next_pc_differs_o(next_pc_differs),
      .delta_o(out_delta_o)
  );

  reg [`EAR_DIFFER_BITS-1:0] differs_d;
  always @* begin
    differs_d = differs_q;
    differs_d[`EAR_DIFFER_BIT_RD] = record_d && rd_differs;
    differs_d[`EAR_DIFFER_BIT_NEXT_PC] = record_d && next_pc_differs;
    differs_d[`EAR_DIFFER_BIT_CSR] = record_d && walk_q && csr_differs;
  end

  wire done_d = valid_d_q && !learning_operands && (!walk_q || walked);
  assign leave_d = done_d && out_ready_i;
  assign leave_record = leave_d && record_d;

  wire hard_d = record_d && hard_d_q;
  ear_predict_account u_account (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .leave_i(leave_d),
      .record_i(record_d),
      .stop_i(entry_d[1:0] == `EAR_ENTRY_STOP),
      .hard_i(hard_d),
      .fold_i(fold_q ^ (walk_q ? csr_fold : 32'd0)),
      .check_o(out_check_o),
      .digest_o(out_check_digest_o)
  );

  assign out_valid_o = done_d;
  assign out_data_o = entry_d;
  assign out_hard_o = hard_d;
  assign out_mask_o = record_d ? differs_d : {`EAR_DIFFER_BITS{1'b0}};
  assign out_from_number_o = from_number_d_q;
  assign out_number_o = number_q;

  wire unused = &{1'b0, entry_p, op_p, entry_c, op_d, funct3, mstatus, below_access[3], whole};
endmodule
`default_nettype wire
