// Predict every entry of the retire port from the entries before it, and tell which fields are not
// as predicted. decoder/predict/predictor.c is the same in C: mask, number, difference and digest
// must be equal for every entry, also for one that no core would retire.
//
// The entry itself is known here, so nothing waits for a prediction: what is remembered after
// an entry follows from the entry's own fields. Slots (ear_predict_issue) pass these stages:
//   A  the entry is offered; its opcode is decoded, the pools are read
//   B  the way of each pool is chosen; registers, dictionary and CSRs are read
//   C  predicted and compared; all is learned but what D learns
//   D  results are compared; CSR writes are walked, operands that differed are learned; then the
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
    // The geometry, docs/predict.md, section 2. UNIFIED: opcodes and data share the pool CODE.
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
    // How it is built; the results are the same.
    parameter MULTIPLIER      = 1,   // 0: bit by bit; 1: a combinational `*`
    parameter PIPELINED       = 1,
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
    output wire [      8:0] out_number_o,        // its place there, if the opcode differs
    output wire [ XLEN-1:0] out_delta_o          // mem_rdata, else rd_wdata, minus the prediction
);
  localparam X = XLEN / 8;
  localparam SLOTS = CSR_SLOTS > 0 ? CSR_SLOTS : 1;
  localparam OP = `EAR_OPERATION_WIDTH;
  localparam SLOT = `EAR_SLOT_WIDTH;
  localparam [16:0] CHECK_INTERVAL = 17'd65536;  // records

  localparam CODE_SET_BITS = CODE_WORDS_LOG2 - CODE_LINE_LOG2 - CODE_WAYS_LOG2;
  localparam DATA_SET_BITS = UNIFIED != 0 ? 0 : DATA_WORDS_LOG2 - DATA_LINE_LOG2 - DATA_WAYS_LOG2;
  localparam SWEEP_POOLS = CODE_SET_BITS > DATA_SET_BITS ? CODE_SET_BITS : DATA_SET_BITS;
  localparam SWEEP_TABLES = DICTIONARY_LOG2 > CSR_LOG2 ? DICTIONARY_LOG2 : CSR_LOG2;
  localparam SWEEP_MORE = SWEEP_POOLS > SWEEP_TABLES ? SWEEP_POOLS : SWEEP_TABLES;
  localparam SWEEP_BITS = SWEEP_MORE > 5 ? SWEEP_MORE : 5;  // 32 registers
  localparam [SWEEP_BITS-1:0] SWEEP_ONE = 1;

  generate
    if (CODE_SET_BITS < 0 || DATA_SET_BITS < 0 || CODE_LINE_LOG2 > 3 || DATA_LINE_LOG2 > 3 ||
        CODE_WORDS_LOG2 > 20 || DATA_WORDS_LOG2 > 20) begin : gen_bad_pool
      ear_predictor_has_a_pool_that_does_not_exist u_error ();
    end
    if (DICTIONARY_LOG2 > 9 || CSR_LOG2 > 6) begin : gen_bad_table
      ear_predictor_DICTIONARY_LOG2_must_be_0_to_9_and_CSR_LOG2_0_to_6 u_error ();
    end
  endgenerate

  // Places in an entry.
  localparam B = `EAR_ENTRY_HEAD_WIDTH;
  localparam INSN = B + `EAR_BODY_INSN;
  localparam STATUS = B + `EAR_BODY_STATUS;
  localparam TRAP_BIT = STATUS;
  localparam IRQ_BIT = STATUS + 3;
  localparam PC = B + `EAR_BODY_PC(XLEN);
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
  wire [OP-1:0] nothing;
  wire [OP-1:0] op_a = irq_a ? nothing : decoded_a;

  ear_predict_decode #(
      .XLEN(XLEN),
      .FLEN(FLEN)
  ) u_decode (
      .insn_i(entry_a[INSN+:32]),
      .operation_o(decoded_a)
  );
  assign nothing = {25'd0, decoded_a[`EAR_OPERATION_WORD], 57'd0, `EAR_DO_NOTHING};

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
  always @(posedge clk_i) begin
    if (advance) slot_c_q <= slot_p;
  end

  assign empty_o = between && settled && !valid_d_q;

  // Forgetting -----------------------------------------------------------------------------------

  reg                  clear_q;  // it waits until no entry is at work
  reg                  sweep_q;
  reg [SWEEP_BITS-1:0] sweep_address_q;
  reg                  hard_q;   // no record has come since

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clear_q <= 1'b1;
      sweep_q <= 1'b0;
      sweep_address_q <= {SWEEP_BITS{1'b0}};
    end else begin
      if (clear_i) clear_q <= 1'b1;
      else if (clear_q && empty_o && !sweep_q) clear_q <= 1'b0;
      if (sweep_q) begin
        sweep_address_q <= sweep_address_q + SWEEP_ONE;
        if (sweep_address_q == {SWEEP_BITS{1'b1}}) sweep_q <= 1'b0;
      end else if (clear_q && empty_o) begin
        sweep_q <= 1'b1;
      end
    end
  end
  assign sweep = sweep_q;
  assign hold  = clear_q || sweep_q;

  // Entry of stage C -----------------------------------------------------------------------------

  wire record_c = entry_c[1:0] == `EAR_ENTRY_RECORD;
  wire lost_c = entry_c[1:0] == `EAR_ENTRY_LOST;
  wire learn_c = enter_d && record_c;

  wire [63:0] order;
  wire [31:0] insn;
  wire [ 7:0] status;
  wire [ 1:0] ext;
  wire [ 4:0] rd_addr;
  wire [XLEN-1:0] rd_wdata, pc, pc_wdata, mem_addr, mem_rdata, mem_wdata, cause;
  wire [X-1:0] mem_rmask, mem_wmask;
  assign {mem_wmask, mem_rmask, cause, mem_wdata, mem_rdata, mem_addr, pc_wdata, pc, rd_wdata,
          rd_addr, ext, status, insn, order} = entry_c[B+:`EAR_BODY_BASE_WIDTH(XLEN)];
  wire [1:0] ixl = status[7:6];
  wire [1:0] mode = status[5:4];
  wire irq = status[3];
  wire intr = status[2];
  wire halt = status[1];
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

  wire [XLEN-1:0] read_bytes;  // mem_rmask and mem_wmask, a byte for each bit
  wire [XLEN-1:0] stored_bytes;
  genvar i;
  generate
    for (i = 0; i < X; i = i + 1) begin : gen_masks
      assign read_bytes[8*i+:8]   = {8{mem_rmask[i]}};
      assign stored_bytes[8*i+:8] = {8{mem_wmask[i]}};
    end
  endgenerate

  // Opcode and memory ----------------------------------------------------------------------------

  reg irq_without_insn_q;  // the last interrupt told no opcode
  reg insn_differs_q;      // of the last slot that compared
  reg from_number_q;
  reg rdata_differs_q;
  reg [XLEN-1:0] known_q;

  ear_predict_issue #(
      .BYTES(X),
      .UNIFIED(UNIFIED),
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
      .rdata_differs_i(rdata_differs_q),
      .valid_o(issue_valid),
      .slot_o(slot_a),
      .between_o(between)
  );

  wire [31:0] code_window;
  wire [XLEN-1:0] data_window;
  wire [31:0] expected_insn = irq && irq_without_insn_q ? 32'd0 :
      code_window[1:0] == 2'b11 ? code_window : {16'd0, code_window[15:0]};
  wire insn_unlike = insn != expected_insn;
  wire number_like;  // the dictionary has it
  wire eval_code = valid_c_q && record_c && slot_c_q[`EAR_SLOT_CODE_EVAL];

  // An opcode in two lines that differs: its first line is written in a clock before. Afterwards what
  // was found must not be asked again.
  localparam [1:0] WRITTEN = PIPELINED != 0 ? 2'd1 : 2'd2;
  reg [1:0] other_q;
  wire learn_both = eval_code && slot_c_q[`EAR_SLOT_CODE_BOTH] && !irq;
  wire write_other = learn_both && other_q == 2'd0 && insn_unlike;
  wire reread = PIPELINED != 0 ? write_other : other_q == 2'd1;
  assign wait_code = write_other || (other_q != 2'd0 && other_q != WRITTEN);
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) other_q <= 2'd0;
    else if (advance) other_q <= 2'd0;
    else if (wait_code) other_q <= other_q + 2'd1;
  end

  wire insn_differs_now = other_q != 2'd0 || insn_unlike;
  wire from_number_now = other_q != 2'd0 ? from_number_q : number_like;
  wire insn_differs = slot_c_q[`EAR_SLOT_CODE_HELD] ? insn_differs_q : insn_differs_now;
  wire from_number = slot_c_q[`EAR_SLOT_CODE_HELD] ? from_number_q : from_number_now;
  wire code_write = eval_code && insn_differs_now && !irq;
  wire code_look = valid_c_q && slot_c_q[`EAR_SLOT_CODE_LOOK];
  wire data_look = valid_c_q && slot_c_q[`EAR_SLOT_DATA_LOOK];

  wire [XLEN-1:0] known =
      (slot_c_q[`EAR_SLOT_DATA_HELD] ? known_q : data_window) & read_bytes;
  wire rdata_differs = mem_rdata != known;
  wire learn_read = slot_c_q[`EAR_SLOT_DATA_WRITE_READ] ||
      (slot_c_q[`EAR_SLOT_DATA_LEARN] && rdata_differs);
  wire learn_stored =
      slot_c_q[`EAR_SLOT_DATA_WRITE_STORED] || slot_c_q[`EAR_SLOT_DATA_LEARN];
  wire data_write = valid_c_q && record_c && (learn_read || learn_stored);
  wire [X-1:0] data_write_mask = (learn_read ? mem_rmask : {X{1'b0}}) |
      (learn_stored ? mem_wmask : {X{1'b0}});
  wire [XLEN-1:0] data_write_data = learn_stored ?
      (mem_wdata & stored_bytes) | (mem_rdata & ~stored_bytes) : mem_rdata;

  always @(posedge clk_i) begin
    if ((advance || write_other) && slot_c_q[`EAR_SLOT_CODE_EVAL]) begin
      insn_differs_q <= insn_differs_now;
      from_number_q  <= from_number_now;
    end
    if (advance && slot_c_q[`EAR_SLOT_DATA_EVAL]) begin
      known_q <= known;
      rdata_differs_q <= rdata_differs;
    end
  end

  wire [1:0] code_line_a = {1'b0, slot_a[`EAR_SLOT_CODE_BOTH]};
  wire [1:0] code_line_c = {1'b0, slot_c_q[`EAR_SLOT_CODE_BOTH]};
  wire [1:0] data_line_a = slot_a[`EAR_SLOT_DATA_LINE+:2];
  wire [1:0] data_line_c = slot_c_q[`EAR_SLOT_DATA_LINE+:2];
  wire [31:0] insn_write_data = insn;
  wire [3:0] insn_write_mask = insn[1:0] == 2'b11 ? 4'hF : 4'h3;

  generate
    if (UNIFIED != 0) begin : gen_unified
      wire data_a = slot_a[`EAR_SLOT_DATA_LOOK] || slot_a[`EAR_SLOT_DATA_WRITE_READ] ||
          slot_a[`EAR_SLOT_DATA_WRITE_STORED];
      wire data_c = slot_c_q[`EAR_SLOT_DATA_LOOK] || slot_c_q[`EAR_SLOT_DATA_WRITE_READ] ||
          slot_c_q[`EAR_SLOT_DATA_WRITE_STORED];
      wire [X-1:0] code_mask;
      wire [XLEN-1:0] code_data;
      assign code_mask[3:0] = insn_write_mask;
      assign code_data[31:0] = insn_write_data;
      if (XLEN == 64) begin : gen_wide
        assign code_mask[7:4] = 4'd0;
        assign code_data[63:32] = 32'd0;
      end
      ear_predict_pool #(
          .WORDS_LOG2(CODE_WORDS_LOG2),
          .WAYS_LOG2(CODE_WAYS_LOG2),
          .LINE_LOG2(CODE_LINE_LOG2),
          .BYTES(X),
          .PIPELINED(PIPELINED),
          .SWEEP_BITS(SWEEP_BITS)
      ) u_pool (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .advance_i(advance),
          .sweep_i(sweep),
          .sweep_address_i(sweep_address_q),
          .address_i(data_a ? entry_a[ADDRESS+:32] : entry_a[PC+:32]),
          .line_i(data_a ? data_line_a : code_line_a),
          .address_c_i(data_c ? mem_addr[31:0] : pc[31:0]),
          .line_c_i(data_c ? data_line_c : code_line_c),
          .look_c_i(code_look || data_look),
          .first_c_i(!data_c || slot_c_q[`EAR_SLOT_DATA_FIRST]),
          .both_c_i(slot_c_q[`EAR_SLOT_CODE_BOTH]),
          .other_c_i(write_other),
          .reread_i(reread),
          .window_o(data_window),
          .write_c_i(data_c ? data_write : code_write),
          .write_mask_i(data_c ? data_write_mask : code_mask),
          .write_data_i(data_c ? data_write_data : code_data)
      );
      assign code_window = data_window[31:0];
    end else begin : gen_split
      ear_predict_pool #(
          .WORDS_LOG2(CODE_WORDS_LOG2),
          .WAYS_LOG2(CODE_WAYS_LOG2),
          .LINE_LOG2(CODE_LINE_LOG2),
          .BYTES(4),
          .PIPELINED(PIPELINED),
          .SWEEP_BITS(SWEEP_BITS)
      ) u_code (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .advance_i(advance),
          .sweep_i(sweep),
          .sweep_address_i(sweep_address_q),
          .address_i(entry_a[PC+:32]),
          .line_i(code_line_a),
          .address_c_i(pc[31:0]),
          .line_c_i(code_line_c),
          .look_c_i(code_look),
          .first_c_i(1'b1),
          .both_c_i(slot_c_q[`EAR_SLOT_CODE_BOTH]),
          .other_c_i(write_other),
          .reread_i(reread),
          .window_o(code_window),
          .write_c_i(code_write),
          .write_mask_i(insn_write_mask),
          .write_data_i(insn_write_data)
      );
      ear_predict_pool #(
          .WORDS_LOG2(DATA_WORDS_LOG2),
          .WAYS_LOG2(DATA_WAYS_LOG2),
          .LINE_LOG2(DATA_LINE_LOG2),
          .BYTES(X),
          .PIPELINED(PIPELINED),
          .SWEEP_BITS(SWEEP_BITS)
      ) u_data (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .advance_i(advance),
          .sweep_i(sweep),
          .sweep_address_i(sweep_address_q),
          .address_i(entry_a[ADDRESS+:32]),
          .line_i(data_line_a),
          .address_c_i(mem_addr[31:0]),
          .line_c_i(data_line_c),
          .look_c_i(data_look),
          .first_c_i(slot_c_q[`EAR_SLOT_DATA_FIRST]),
          .both_c_i(1'b0),
          .other_c_i(1'b0),
          .reread_i(1'b0),
          .window_o(data_window),
          .write_c_i(data_write),
          .write_mask_i(data_write_mask),
          .write_data_i(data_write_data)
      );
    end
  endgenerate

  // Dictionary of opcodes. It was read in the clock in which the slot before may have written it.
  wire [8:0] place;
  generate
    if (DICTIONARY_LOG2 > 0) begin : gen_dictionary
      wire [31:0] insn_p = entry_p[INSN+:32];
      wire [8:0] hash_p = insn_p[8:0] ^ insn_p[17:9] ^ insn_p[26:18] ^ {4'd0, insn_p[31:27]};
      wire [8:0] hash_c = insn[8:0] ^ insn[17:9] ^ insn[26:18] ^ {4'd0, insn[31:27]};
      wire [31:0] remembered;
      wire write =
          advance && eval_code && insn_differs_now;
      reg                       written_q;
      reg [DICTIONARY_LOG2-1:0] written_place_q;
      reg [               31:0] written_insn_q;
      ear_predict_memory #(
          .WIDTH(32),
          .DEPTH_LOG2(DICTIONARY_LOG2)
      ) u_dictionary (
          .clk_i(clk_i),
          .write_i(sweep || write),
          .write_address_i(sweep ? sweep_address_q[DICTIONARY_LOG2-1:0] :
              hash_c[DICTIONARY_LOG2-1:0]),
          .write_data_i(sweep ? 32'd0 : insn),
          .read_i(advance),
          .read_address_i(hash_p[DICTIONARY_LOG2-1:0]),
          .read_data_o(remembered)
      );
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) written_q <= 1'b0;
        else if (advance) written_q <= write;
      end
      always @(posedge clk_i) begin
        if (advance) begin
          written_place_q <= hash_c[DICTIONARY_LOG2-1:0];
          written_insn_q  <= insn;
        end
      end
      assign number_like =
          insn == (written_q && written_place_q == hash_c[DICTIONARY_LOG2-1:0] ? written_insn_q :
          remembered);
      if (DICTIONARY_LOG2 < 9) begin : gen_small
        assign place = {{(9 - DICTIONARY_LOG2) {1'b0}}, hash_c[DICTIONARY_LOG2-1:0]};
        wire unused = &{1'b0, hash_p[8:DICTIONARY_LOG2], hash_c[8:DICTIONARY_LOG2]};
      end else begin : gen_whole
        assign place = hash_c;
      end
    end else begin : gen_no_dictionary
      assign number_like = 1'b0;
      assign place = 9'd0;
    end
  endgenerate

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
  wire [4:0] rd_addr_d = entry_d[B+106+:5];
  wire [XLEN-1:0] rd_wdata_d = entry_d[B+`EAR_BODY_X+:XLEN];

  // Results are written when the entry enters D; operands that differed afterwards, from D. Whoever
  // stands in C reads in every clock in which it does not move on.
  reg fix1_q;
  reg fix2_q;
  reg fixed_q;  // a register was written in the last clock: read again
  wire fixing = fix1_q || fix2_q;
  wire x_write = (learn_c && rd_addr != 5'd0) || fixing || sweep;
  wire [4:0] x_write_address =
      sweep ? sweep_address_q[4:0] : fix1_q ? rs1_addr_d : fix2_q ? rs2_addr_d : rd_addr;
  wire [XLEN-1:0] x_write_data =
      sweep ? {XLEN{1'b0}} : fix1_q ? rs1_rdata_d : fix2_q ? rs2_rdata_d : rd_wdata;
  wire [XLEN-1:0] stored_x1, stored_x2;

  ear_predict_memory #(
      .WIDTH(XLEN),
      .DEPTH_LOG2(5)
  ) u_x1 (
      .clk_i(clk_i),
      .write_i(x_write),
      .write_address_i(x_write_address),
      .write_data_i(x_write_data),
      .read_i(1'b1),
      .read_address_i(advance ? read1_p : read1_c),
      .read_data_o(stored_x1)
  );
  ear_predict_memory #(
      .WIDTH(XLEN),
      .DEPTH_LOG2(5)
  ) u_x2 (
      .clk_i(clk_i),
      .write_i(x_write),
      .write_address_i(x_write_address),
      .write_data_i(x_write_data),
      .read_i(1'b1),
      .read_address_i(advance ? read2_p : read2_c),
      .read_data_o(stored_x2)
  );

  // The entry in D has written its result in the clock in which these were read.
  wire fresh_rd = PIPELINED != 0 && record_d && rd_addr_d != 5'd0;
  wire [XLEN-1:0] x1 = fresh_rd && rd_addr_d == read1_c ? rd_wdata_d : stored_x1;
  wire [XLEN-1:0] x2 = fresh_rd && rd_addr_d == read2_c ? rd_wdata_d : stored_x2;
  wire [XLEN-1:0] a = OPERANDS != 0 ? rs1_rdata : x1;
  wire [XLEN-1:0] b = OPERANDS != 0 ? rs2_rdata : x2;
  wire rs1_differs = OPERANDS != 0 && rs1_rdata != x1;
  wire rs2_differs = OPERANDS != 0 && rs2_rdata != x2;
  wire numbers_differ = OPERANDS != 0 && (rs1_addr != op_rs1 || rs2_addr != op_rs2);

  // rs1, rs2, rd are learned in this order.
  wire fix1 = rs1_differs && rs1_addr != 5'd0 && rs1_addr != rd_addr && rs1_addr != rs2_addr;
  wire fix2 = rs2_differs && rs2_addr != 5'd0 && rs2_addr != rd_addr;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fix1_q  <= 1'b0;
      fix2_q  <= 1'b0;
      fixed_q <= 1'b0;
    end else begin
      fixed_q <= fixing;
      if (enter_d) begin
        fix1_q <= record_c && fix1;
        fix2_q <= record_c && fix2;
      end else begin
        fix1_q <= 1'b0;
        fix2_q <= fix1_q && fix2_q;
      end
    end
  end

  // Result and next pc ---------------------------------------------------------------------------

  wire [XLEN-1:0] checked;
  wire [XLEN-1:0] checked_next;
  wire [XLEN-1:0] sum;
  wire [XLEN-1:0] computed;  // by multiplier and divider
  wire slow;
  wire computed_done;

  ear_predict_check #(
      .XLEN(XLEN)
  ) u_check (
      .kind_i(kind),
      .immediate_i(flags[`EAR_OPERATION_IMMEDIATE]),
      .memory_i(op_memory),
      .word_i(op_word),
      .imm_i(imm),
      .pc_i(pc),
      .a_i(a),
      .b_i(b),
      .result_o(checked),
      .next_pc_o(checked_next),
      .sum_o(sum)
  );

  // Operands from the register file are those of C only when D is empty.
  wire waits = final_c && record_c && !trap && slow;
  assign wait_c = waits && !computed_done;
  ear_predict_muldiv #(
      .XLEN(XLEN),
      .MULTIPLY(MULTIPLY),
      .DIVIDE(DIVIDE),
      .MULTIPLIER(MULTIPLIER)
  ) u_muldiv (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .start_i(waits && !valid_d_q),
      .kind_i(kind),
      .a_i(a),
      .b_i(b),
      .taken_i(enter_d),
      .slow_o(slow),
      .done_o(computed_done),
      .result_o(computed)
  );
  wire is_product = kind >= `EAR_DO_MUL && kind <= `EAR_DO_MULW;
  wire is_division = kind >= `EAR_DO_DIV && kind <= `EAR_DO_REMUW;

  // What a load makes of the bytes read, or a move of an f register's.
  wire [XLEN-1:0] f_low;  // of the f register that is stored, copied or moved
  wire [XLEN-1:0] loaded_from = op_reads ? mem_rdata : f_low;
  wire extend = !flags[`EAR_OPERATION_UNSIGNED];
  reg [XLEN-1:0] loaded;
  always @* begin
    loaded = loaded_from;
    case (access)
      4'd1: loaded = {{(XLEN - 8) {extend && loaded_from[7]}}, loaded_from[7:0]};
      4'd2: loaded = {{(XLEN - 16) {extend && loaded_from[15]}}, loaded_from[15:0]};
      4'd4: loaded = {{(XLEN - 31) {loaded_from[31]}}, loaded_from[30:0]};
      default: ;
    endcase
    if (access == 4'd4 && !extend && XLEN == 64)
      loaded = loaded_from & {{(XLEN - 32) {1'b0}}, 32'hffff_ffff};
  end

  wire [XLEN-1:0] csr_value;
  wire [XLEN-1:0] csr_raised;
  wire [XLEN-1:0] mstatus, mtvec, mepc;
  wire is_csr = kind == `EAR_DO_CSR;
  wire is_mret = kind == `EAR_DO_MRET;
  wire is_sret = kind == `EAR_DO_SRET;

  reg [XLEN-1:0] result;
  always @* begin
    if (op_reads || kind == `EAR_DO_FMVTOX) result = loaded;
    else if (is_csr) result = op_rd != 5'd0 ? csr_value : {XLEN{1'b0}};
    else if (is_product || is_division) result = computed;
    else result = checked;
    if (trap || rd_addr == 5'd0) result = {XLEN{1'b0}};
  end

  wire by_vector = mtvec[1:0] == 2'b01 && irq;
  wire [XLEN-1:0] handler = {mtvec[XLEN-1:2], 2'b00} +
      (by_vector ? {cause[XLEN-3:0], 2'b00} : {XLEN{1'b0}});
  wire [XLEN-1:0] next_pc = trap ? handler : is_mret ? mepc : is_sret ? csr_value : checked_next;

  // Traps ----------------------------------------------------------------------------------------

  wire [XLEN-1:0] address = op_memory ? sum : {XLEN{1'b0}};
  wire [3:0] below_access = access - 4'd1;
  wire misaligned = op_memory && (address[2:0] & below_access[2:0]) != 3'd0;

  reg misaligned_traps_q, unknown_traps_q, trapped_before_q;
  reg [XLEN-1:0] trap_pc_q, trap_cause_q, irq_cause_q;
  wire is_unknown = kind == `EAR_DO_UNKNOWN;
  wire is_call = kind == `EAR_DO_ECALL || kind == `EAR_DO_EBREAK;
  wire here_before = trapped_before_q && pc == trap_pc_q;

  reg expect_trap;
  reg [XLEN-1:0] expect_cause;
  always @* begin
    expect_trap  = 1'b1;
    expect_cause = {XLEN{1'b0}};
    if (irq) begin
      expect_cause = irq_cause_q;
    end else if (kind == `EAR_DO_ECALL) begin
      expect_cause[3:0] = {2'b10, mode};
    end else if (kind == `EAR_DO_EBREAK) begin
      expect_cause[3:0] = 4'd3;
    end else if (misaligned_traps_q && misaligned) begin
      expect_cause[3:0] = op_writes ? 4'd6 : 4'd4;
    end else if (unknown_traps_q && is_unknown) begin
      expect_cause[3:0] = 4'd2;
    end else if (here_before) begin
      expect_cause = trap_cause_q;
    end else begin
      expect_trap = 1'b0;
    end
    if (!trap) expect_cause = {XLEN{1'b0}};
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      irq_without_insn_q <= 1'b0;
      misaligned_traps_q <= 1'b0;
      unknown_traps_q <= 1'b0;
      trapped_before_q <= 1'b0;
      irq_cause_q <= {1'b1, {(XLEN - 4) {1'b0}}, 3'd7};
      trap_pc_q <= {XLEN{1'b0}};
      trap_cause_q <= {XLEN{1'b0}};
    end else if (sweep) begin
      irq_without_insn_q <= 1'b0;
      misaligned_traps_q <= 1'b0;
      unknown_traps_q <= 1'b0;
      trapped_before_q <= 1'b0;
      irq_cause_q <= {1'b1, {(XLEN - 4) {1'b0}}, 3'd7};
    end else if (learn_c) begin
      if (irq) begin
        irq_cause_q <= cause;
        irq_without_insn_q <= insn == 32'd0;
      end else begin
        if (misaligned) misaligned_traps_q <= trap;
        if (is_unknown)
          unknown_traps_q <= trap && cause == {{(XLEN - 2) {1'b0}}, 2'd2};
        if (!is_call) begin
          if (trap) begin
            trapped_before_q <= 1'b1;
            trap_pc_q <= pc;
            trap_cause_q <= cause;
          end else if (here_before) begin
            trapped_before_q <= 1'b0;
          end
        end
      end
    end
  end

  // Floating point -------------------------------------------------------------------------------

  wire frd_differs;
  wire fvalue_differs;
  wire [4:0] fflags;
  generate
    if (FLEN > 0) begin : gen_float
      wire frd_valid;
      wire [4:0] frd_addr;
      wire [FLEN-1:0] frd_wdata;
      wire frd_valid_d;
      wire [4:0] frd_addr_d;
      wire [FLEN-1:0] frd_wdata_d;
      // Number and value mean nothing without frd_valid.
      assign {fflags, frd_addr, frd_valid} = {
        entry_c[FRD+6+:5], entry_c[FRD+1+:5] & {5{entry_c[FRD]}}, entry_c[FRD]
      };
      assign frd_wdata = entry_c[FRD+11+:FLEN] & {FLEN{frd_valid}};
      assign {frd_addr_d, frd_valid_d} = entry_d[FRD+:6];
      assign frd_wdata_d = entry_d[FRD+11+:FLEN];

      wire [FLEN-1:0] stored_f;
      ear_predict_memory #(
          .WIDTH(FLEN),
          .DEPTH_LOG2(5)
      ) u_f (
          .clk_i(clk_i),
          .write_i(sweep || (learn_c && frd_valid)),
          .write_address_i(sweep ? sweep_address_q[4:0] : frd_addr),
          .write_data_i(sweep ? {FLEN{1'b0}} : frd_wdata),
          .read_i(1'b1),
          .read_address_i(advance ? op_p[`EAR_OPERATION_FRS+:5] : op_frs),
          .read_data_o(stored_f)
      );
      wire [FLEN-1:0] f = PIPELINED != 0 && record_d && frd_valid_d && frd_addr_d == op_frs ?
          frd_wdata_d : stored_f;
      if (XLEN > FLEN) begin : gen_low
        assign f_low = {{(XLEN - FLEN) {1'b0}}, f};
      end else begin : gen_low
        assign f_low = f[XLEN-1:0];
      end

      reg [4:0] raised_q;
      wire raises = flags[`EAR_OPERATION_FLAGS];
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) raised_q <= 5'd0;
        else if (sweep) raised_q <= 5'd0;
        else if (learn_c && raises) raised_q <= fflags;
      end

      wire to_f = !trap && (kind == `EAR_DO_FLOAD || kind == `EAR_DO_FCOPY ||
          kind == `EAR_DO_FCOMPUTE || kind == `EAR_DO_FMVTOF);
      assign frd_differs = frd_valid != to_f || frd_addr != (to_f ? op_frd : 5'd0) ||
          fflags != (!trap && raises ? raised_q : 5'd0);

      // A value of 32 bits stands in 64 with ones above.
      wire [63:0] wide_rdata = {{(64 - XLEN) {1'b0}}, mem_rdata};
      wire [63:0] wide_a = {{(64 - XLEN) {1'b0}}, a};
      wire [63:0] wide_f = {{(64 - FLEN) {1'b0}}, f};
      reg [63:0] value;
      always @* begin
        case (kind)
          `EAR_DO_FLOAD: value = wide_rdata;
          `EAR_DO_FCOPY: value = wide_f;
          `EAR_DO_FMVTOF: value = wide_a;
          default: value = 64'd0;
        endcase
        if (access == 4'd4 && kind != `EAR_DO_FCOPY) value[63:32] = {32{FLEN == 64}};
        if (!frd_valid) value = 64'd0;
      end
      assign fvalue_differs = frd_wdata != value[FLEN-1:0];
      if (FLEN < 64) begin : gen_short
        wire unused = &{1'b0, value[63:FLEN]};
      end
    end else begin : gen_no_float
      assign fflags = 5'd0;
      assign f_low = {XLEN{1'b0}};
      assign frd_differs = 1'b0;
      assign fvalue_differs = 1'b0;
      wire unused = &{1'b0, op_frd, op_frs, flags[`EAR_OPERATION_FLAGS]};
    end
  endgenerate

  // What a store or an atomic operation writes ---------------------------------------------------

  reg [XLEN-1:0] amo_old, amo_b, stored;
  wire amo_less = amo_old[XLEN-1] == amo_b[XLEN-1] ? amo_old < amo_b :
      amo_old[XLEN-1] != (kind == `EAR_DO_AMOMINU || kind == `EAR_DO_AMOMAXU);
  always @* begin
    amo_old = mem_rdata;
    amo_b   = b;
    if (access == 4'd4 && op_reads) begin
      amo_old = {{(XLEN - 31) {mem_rdata[31]}}, mem_rdata[30:0]};
      amo_b   = {{(XLEN - 31) {b[31]}}, b[30:0]};
    end
  end
  always @* begin
    stored = amo_b;
    if (kind == `EAR_DO_FSTORE) begin
      stored = f_low;
    end else if (op_reads) begin
      case (kind)
        `EAR_DO_AMOADD: stored = amo_old + amo_b;
        `EAR_DO_AMOXOR: stored = amo_old ^ amo_b;
        `EAR_DO_AMOAND: stored = amo_old & amo_b;
        `EAR_DO_AMOOR: stored = amo_old | amo_b;
        `EAR_DO_AMOMIN, `EAR_DO_AMOMINU: stored = amo_less ? amo_old : amo_b;
        `EAR_DO_AMOMAX, `EAR_DO_AMOMAXU: stored = amo_less ? amo_b : amo_old;
        default: ;
      endcase
    end
  end
  wire wdata_differs = mem_wdata != (stored & stored_bytes);
  wire [7:0] whole = {{4{access[3]}}, {2{access[3] || access[2]}},
      access[3] || access[2] || access[1], access != 4'd0};
  wire [X-1:0] mask = trap ? {X{1'b0}} : whole[X-1:0];
  wire masks_differ = mem_rmask != (op_reads ? mask : {X{1'b0}}) ||
      mem_wmask != (op_writes ? mask : {X{1'b0}});

  // Order, pc, privilege -------------------------------------------------------------------------

  reg [    63:0] order_q;
  reg [XLEN-1:0] pc_q;
  reg            intr_q, debug_q, virt_q;
  reg [     1:0] mode_q, ixl_q;
  localparam [1:0] IXL = XLEN == 64 ? 2'd2 : 2'd1;

  wire nothing_listed;
  wire special = trap || is_csr || is_mret;
  wire [63:0] lost_last = entry_c[B+128+:64];
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      order_q <= 64'd0;
      hard_q  <= 1'b0;
      pc_q    <= {XLEN{1'b0}};
      {intr_q, debug_q, virt_q} <= 3'd0;
      mode_q  <= 2'd3;
      ixl_q   <= IXL;
    end else if (sweep) begin
      hard_q <= 1'b1;
      pc_q   <= {XLEN{1'b0}};
      {intr_q, debug_q, virt_q} <= 3'd0;
      mode_q <= 2'd3;
      ixl_q  <= IXL;
    end else if (learn_c) begin
      order_q <= order + 64'd1;
      hard_q <= 1'b0;
      pc_q <= pc_wdata;
      intr_q <= trap;
      debug_q <= ext[0];
      virt_q <= ext[1];
      ixl_q <= ixl;
      if (trap) mode_q <= 2'd3;
      else if (is_mret) mode_q <= mstatus[12:11];
      else if (is_sret && nothing_listed) mode_q <= {1'b0, mstatus[8]};
      else mode_q <= mode;
    end else if (enter_d && lost_c) begin
      order_q <= lost_last + 64'd1;  // what was dropped never came here
    end
  end

  // Physical addresses ---------------------------------------------------------------------------

  wire paddr_differs;
  generate
    if (PADDR != 0) begin : gen_paddr
      wire [63:0] pc_paddr, mem_paddr;
      assign {mem_paddr, pc_paddr} = entry_c[PHYSICAL+:128];
      wire [63:0] wide_pc = {{(64 - XLEN) {1'b0}}, pc};
      wire [63:0] wide_address = {{(64 - XLEN) {1'b0}}, mem_addr};
      // {there is none to tell, difference}, of this entry and as remembered.
      wire [64:0] pc_new = {pc_paddr == 64'd0, pc_paddr - wide_pc};
      wire [64:0] data_new = {mem_paddr == 64'd0, mem_paddr - wide_address};
      wire [64:0] pc_stored, data_stored;
      reg [64:0] pc_new_q, data_new_q;  // of the entry in D
      reg data_learned_q;
      ear_predict_memory #(
          .WIDTH(65),
          .DEPTH_LOG2(4)
      ) u_pc_pages (
          .clk_i(clk_i),
          .write_i(sweep || learn_c),
          .write_address_i(sweep ? sweep_address_q[3:0] : pc[15:12]),
          .write_data_i(sweep ? 65'd0 : pc_new),
          .read_i(1'b1),
          .read_address_i(advance ? entry_p[PC+12+:4] : pc[15:12]),
          .read_data_o(pc_stored)
      );
      ear_predict_memory #(
          .WIDTH(65),
          .DEPTH_LOG2(4)
      ) u_data_pages (
          .clk_i(clk_i),
          .write_i(sweep || (learn_c && op_memory)),
          .write_address_i(sweep ? sweep_address_q[3:0] : mem_addr[15:12]),
          .write_data_i(sweep ? 65'd0 : data_new),
          .read_i(1'b1),
          .read_address_i(advance ? entry_p[ADDRESS+12+:4] : mem_addr[15:12]),
          .read_data_o(data_stored)
      );
      always @(posedge clk_i) begin
        if (enter_d) begin
          pc_new_q <= pc_new;
          data_new_q <= data_new;
          data_learned_q <= op_memory;
        end
      end
      wire [64:0] pc_page = PIPELINED != 0 && record_d && entry_d[PC+12+:4] == pc[15:12] ?
          pc_new_q : pc_stored;
      wire [64:0] data_page = PIPELINED != 0 && record_d && data_learned_q &&
          entry_d[ADDRESS+12+:4] == mem_addr[15:12] ? data_new_q : data_stored;
      wire [63:0] pc_expected = pc_page[64] ? 64'd0 : wide_pc + pc_page[63:0];
      wire [63:0] data_expected =
          !op_memory || data_page[64] ? 64'd0 : wide_address + data_page[63:0];
      assign paddr_differs = pc_paddr != pc_expected || mem_paddr != data_expected;
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
      assign {csr_wdata_d, csr_addr_d, csr_valid_d} =
          entry_d[B+`EAR_BODY_BASE_WIDTH(XLEN)+:`EAR_BODY_CSR_WIDTH(XLEN, CSR_SLOTS)];
    end else begin : gen_no_csr
      assign csr_valid = 1'b0;
      assign {csr_wdata_d, csr_addr_d, csr_valid_d} = {(13 + XLEN) {1'b0}};
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
      .sweep_address_i(sweep_address_q),
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
      .cause_i(entry_d[B+`EAR_BODY_X+6*XLEN+:XLEN]),
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
    differs_c[`EAR_DIFFER_BIT_ORDER] = !hard_q && order != order_q;
    differs_c[`EAR_DIFFER_BIT_PC] = pc != pc_q;
    differs_c[`EAR_DIFFER_BIT_HEAD] = halt || intr != intr_q || mode != mode_q || ixl != ixl_q ||
        ext != {virt_q, debug_q};
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

  // Stage D: results and next pc are compared here, because they take longest to work out.
  reg [`EAR_DIFFER_BITS-1:0] differs_q;
  reg                         hard_d_q;
  reg                         from_number_d_q;
  reg [               8:0]    number_q;
  reg [          XLEN-1:0]    known_d_q;
  reg [          XLEN-1:0]    result_q;
  reg [          XLEN-1:0]    next_pc_q;
  reg [              31:0]    fold_q;
  always @(posedge clk_i) begin
    if (enter_d) begin
      differs_q <= differs_c;
      hard_d_q <= hard_q;
      from_number_d_q <= insn_differs && from_number;
      number_q <= insn_differs ? place : 9'd0;
      known_d_q <= known;
      result_q <= result;
      next_pc_q <= next_pc;
      fold_q <= fold_c;
    end
  end

  wire [XLEN-1:0] mem_rdata_d = entry_d[B+`EAR_BODY_MEM_RDATA(XLEN)+:XLEN];
  wire [XLEN-1:0] pc_wdata_d = entry_d[PC+XLEN+:XLEN];
  wire division_d = kind_d >= `EAR_DO_DIV && kind_d <= `EAR_DO_REMUW;
  wire rdata_differs_d = differs_q[`EAR_DIFFER_BIT_RDATA];
  wire [XLEN-1:0] actual = rdata_differs_d ? mem_rdata_d : rd_wdata_d;
  wire [XLEN-1:0] base = rdata_differs_d ? known_d_q : division_d ? {XLEN{1'b0}} : result_q;

  reg [`EAR_DIFFER_BITS-1:0] differs_d;
  always @* begin
    differs_d = differs_q;
    differs_d[`EAR_DIFFER_BIT_RD] = record_d && rd_wdata_d != result_q;
    differs_d[`EAR_DIFFER_BIT_NEXT_PC] = record_d && pc_wdata_d != next_pc_q;
    differs_d[`EAR_DIFFER_BIT_CSR] = record_d && walk_q && csr_differs;
  end

  wire done_d = valid_d_q && !fixing && !fixed_q && (!walk_q || walked);
  assign leave_d = done_d && out_ready_i;

  // The digest, and when it is due.
  reg [31:0] digest_q;
  reg [31:0] check_pc_q;
  reg [16:0] unchecked_q;  // records since the last CHECK or since everything was forgotten
  wire stop_d = entry_d[1:0] == `EAR_ENTRY_STOP;
  wire hard_d = record_d && hard_d_q;
  wire check_d = stop_d ? unchecked_q != 17'd0 :
      record_d && !hard_d && unchecked_q == CHECK_INTERVAL;
  wire [31:0] digest_base = hard_d || check_d ? 32'd0 : digest_q;
  wire [31:0] digest_step = {digest_base[30:0], 1'b0} ^
      (digest_base[31] ? 32'h04C1_1DB7 : 32'd0) ^ fold_q ^ (walk_q ? csr_fold : 32'd0);
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      digest_q <= 32'd0;
      check_pc_q <= 32'd0;
      unchecked_q <= 17'd0;
    end else if (leave_d) begin
      if (record_d) begin
        digest_q <= digest_step;
        check_pc_q <= pc_wdata_d[31:0];
        unchecked_q <= hard_d || check_d ? 17'd1 : unchecked_q + 17'd1;
      end else if (check_d) begin
        digest_q <= 32'd0;
        unchecked_q <= 17'd0;
      end
    end
  end

  assign out_valid_o = done_d;
  assign out_data_o = entry_d;
  assign out_hard_o = hard_d;
  assign out_check_o = check_d;
  assign out_check_digest_o = digest_q;
  assign out_check_pc_o = check_pc_q;
  assign out_mask_o = record_d ? differs_d : {`EAR_DIFFER_BITS{1'b0}};
  assign out_from_number_o = from_number_d_q;
  assign out_number_o = number_q;
  assign out_delta_o = actual - base;

  wire unused = &{1'b0, entry_p, op_p, entry_c, op_d, funct3, mstatus, below_access[3], whole};
endmodule
`default_nettype wire
