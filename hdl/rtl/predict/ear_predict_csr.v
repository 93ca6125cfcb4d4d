// SPDX-License-Identifier: Apache-2.0
// The CSRs that the predictor remembers, and the list of CSR writes of an entry.
//
// mstatus, mtvec, mepc, mcause, mtval and fcsr have registers of their own; all others share a
// table, each at the index that its number gives. Few entries write CSRs, so their list is walked
// one slot a clock: compared with what was expected, then used for training
// (decoder/predict/predictor.c, expect_csrs and learn_csrs). The predictor waits meanwhile.
`include "ear_predict.vh"
`default_nettype none
module ear_predict_csr #(
    parameter XLEN       = 32,  // bits
    parameter CSR_SLOTS  = 0,
    parameter FLEN       = 0,
    parameter CSR_LOG2   = 6,   // places of the table; 0: no table
    parameter SWEEP_BITS = 12,
    parameter SLOTS      = CSR_SLOTS > 0 ? CSR_SLOTS : 1  // derived
) (
    input wire clk_i,
    input wire rst_ni,

    input wire                  sweep_i,
    input wire [SWEEP_BITS-1:0] sweep_address_i,

    // Read: the value is there in the clock after.
    input  wire [    11:0] read_number_i,
    output wire [XLEN-1:0] read_value_o,
    output wire [XLEN-1:0] read_raised_o,  // the same, with fflags_i raised already

    // fflags of an entry are raised.
    input wire       raise_i,
    input wire [4:0] fflags_i,

    output wire [XLEN-1:0] mstatus_o,
    output wire [XLEN-1:0] mtvec_o,
    output wire [XLEN-1:0] mepc_o,

    // An entry whose list is to be walked, from the clock after start_i until taken_i.
    input  wire              start_i,
    input  wire [ SLOTS-1:0] start_valid_i,  // its csr_valid_i, with start_i already
    input  wire              taken_i,
    input  wire              trap_i,
    input  wire              irq_i,
    input  wire [  XLEN-1:0] cause_i,
    input  wire [  XLEN-1:0] pc_i,
    input  wire [      31:0] insn_i,
    input  wire [  XLEN-1:0] mem_addr_i,
    input  wire [       1:0] mode_i,
    input  wire              is_csr_i,    // a CSR instruction: number, funct3, immediate
    input  wire              is_mret_i,
    input  wire [      11:0] number_i,
    input  wire [       2:0] function_i,
    input  wire [       4:0] imm_i,
    input  wire [  XLEN-1:0] source_i,    // rs1
    input  wire [  XLEN-1:0] old_i,       // read_raised_o of the CSR
    input  wire              has_rd_i,
    input  wire [  XLEN-1:0] rd_wdata_i,
    input  wire [ SLOTS-1:0] csr_valid_i,
    input  wire [12*SLOTS-1:0] csr_addr_i,
    input  wire [XLEN*SLOTS-1:0] csr_wdata_i,
    output wire              done_o,      // walked; the table can be read again
    output wire              differs_o,   // the list was not as expected
    output wire [      31:0] fold_o       // of the list, for the digest
);
  localparam [11:0] CSR_FFLAGS = 12'h001;
  localparam [11:0] CSR_FRM = 12'h002;
  localparam [11:0] CSR_FCSR = 12'h003;
  localparam [11:0] CSR_MSTATUS = 12'h300;
  localparam [11:0] CSR_MTVEC = 12'h305;
  localparam [11:0] CSR_MSTATUSH = 12'h310;
  localparam [11:0] CSR_MEPC = 12'h341;
  localparam [11:0] CSR_MCAUSE = 12'h342;
  localparam [11:0] CSR_MTVAL = 12'h343;

  localparam MIE = 3;
  localparam MPIE = 7;
  localparam MPP = 11;
  localparam MPRV = 17;

  reg [XLEN-1:0] mstatus_q;
  reg [XLEN-1:0] mtvec_q;
  reg [XLEN-1:0] mepc_q;
  reg [XLEN-1:0] mcause_q;
  reg [XLEN-1:0] mtval_q;
  reg [     7:0] fcsr_q;

  // Habits of the core.
  reg [15:0] tval_zero_q;  // bit c: the last mtval of cause c was 0
  reg [ 1:0] mret_mpp_q;   // MPP after mret
  reg        mstatush_q;   // traps and returns list mstatush

  // The table.
  reg            write;
  reg [    11:0] write_number;
  reg [XLEN-1:0] write_value;
  reg            write_table;
  wire [XLEN-1:0] table_value;
  reg [11:0] read_number_q;

  always @(posedge clk_i) read_number_q <= read_number_i;

  generate
    if (CSR_LOG2 > 0) begin : gen_table
      wire [11:0] read_hash = read_number_i ^ {6'd0, read_number_i[11:6]};
      wire [11:0] write_hash = write_number ^ {6'd0, write_number[11:6]};
      wire [11+XLEN:0] stored;
      ear_predict_memory #(
          .WIDTH(12 + XLEN),
          .DEPTH_LOG2(CSR_LOG2)
      ) u_table (
          .clk_i(clk_i),
          .write_i(sweep_i || (write && write_table)),
          .write_address_i(sweep_i ? sweep_address_i[CSR_LOG2-1:0] : write_hash[CSR_LOG2-1:0]),
          .write_data_i(sweep_i ? {(12 + XLEN) {1'b0}} : {write_number, write_value}),
          .read_i(1'b1),
          .read_address_i(read_hash[CSR_LOG2-1:0]),
          .read_data_o(stored)
      );
      assign table_value = stored[XLEN+:12] == read_number_q ? stored[XLEN-1:0] : {XLEN{1'b0}};
      wire unused = &{1'b0, read_hash[11:CSR_LOG2], write_hash[11:CSR_LOG2], sweep_address_i};
    end else begin : gen_no_table
      assign table_value = {XLEN{1'b0}};
      wire unused = &{1'b0, write_table, sweep_address_i};
    end
  endgenerate

  reg [XLEN-1:0] plain_value;
  always @* begin
    case (read_number_q)
      CSR_MSTATUS: plain_value = mstatus_q;
      CSR_MTVEC: plain_value = mtvec_q;
      CSR_MEPC: plain_value = mepc_q;
      CSR_MCAUSE: plain_value = mcause_q;
      CSR_MTVAL: plain_value = mtval_q;
      default: plain_value = table_value;
    endcase
  end
  generate
    if (FLEN > 0) begin : gen_fcsr
      reg [7:0] now;
      reg [7:0] raised;
      reg float;
      always @* begin
        now = fcsr_q;
        raised = fcsr_q | {3'd0, fflags_i};
        float = 1'b1;
        case (read_number_q)
          CSR_FFLAGS: begin
            now = {3'd0, now[4:0]};
            raised = {3'd0, raised[4:0]};
          end
          CSR_FRM: begin
            now = {5'd0, now[7:5]};
            raised = {5'd0, raised[7:5]};
          end
          CSR_FCSR: ;
          default: float = 1'b0;
        endcase
      end
      assign read_value_o  = float ? {{(XLEN - 8) {1'b0}}, now} : plain_value;
      assign read_raised_o = float ? {{(XLEN - 8) {1'b0}}, raised} : plain_value;
    end else begin : gen_no_fcsr
      assign read_value_o  = plain_value;
      assign read_raised_o = plain_value;
    end
  endgenerate

  assign mstatus_o = mstatus_q;
  assign mtvec_o   = mtvec_q;
  assign mepc_o    = mepc_q;

  // What is expected of the list: {number, value} at index_q.
  localparam [2:0] STATE_IDLE = 3'd0;
  localparam [2:0] STATE_COMPARE = 3'd1;  // the list with what is expected
  localparam [2:0] STATE_RD = 3'd2;       // train: what a CSR instruction read
  localparam [2:0] STATE_EXPECTED = 3'd3; // train: what was expected, if the list may be cut
  localparam [2:0] STATE_LISTED = 3'd4;   // train: the list
  localparam [2:0] STATE_READ = 3'd5;     // the table is read again by who waits
  localparam [2:0] STATE_DONE = 3'd6;
  reg [      2:0] state_q;
  reg [      3:0] index_q;
  reg [SLOTS-1:0] todo_q;
  reg             differs_q;
  reg [     31:0] fold_q;

  wire few_causes = cause_i[XLEN-1:4] == {(XLEN - 4) {1'b0}};
  reg [XLEN-1:0] trap_value;
  always @* begin
    trap_value = {XLEN{1'b0}};
    if (!irq_i && few_causes && !tval_zero_q[cause_i[3:0]]) begin
      case (cause_i[3:0])
        4'd0, 4'd1, 4'd3, 4'd12: trap_value = pc_i;
        4'd2: trap_value[31:0] = insn_i;
        4'd4, 4'd5, 4'd6, 4'd7, 4'd13, 4'd15: trap_value = mem_addr_i;
        default: ;
      endcase
    end
  end

  reg [XLEN-1:0] new_mstatus;
  always @* begin
    new_mstatus = mstatus_q;
    if (trap_i) begin
      new_mstatus[MIE] = 1'b0;
      new_mstatus[MPIE] = mstatus_q[MIE];
      new_mstatus[MPP+:2] = mode_i;
    end else begin
      if (mstatus_q[MPP+:2] != 2'b11) new_mstatus[MPRV] = 1'b0;
      new_mstatus[MIE] = mstatus_q[MPIE];
      new_mstatus[MPIE] = 1'b1;
      new_mstatus[MPP+:2] = mret_mpp_q;
    end
  end

  wire [XLEN-1:0] operand = function_i[2] ? {{(XLEN - 5) {1'b0}}, imm_i} : source_i;
  wire [XLEN-1:0] old = has_rd_i ? rd_wdata_i : old_i;
  wire [XLEN-1:0] written = function_i[1:0] == 2'd1 ? operand :
      function_i[1:0] == 2'd2 ? old | operand : old & ~operand;
  wire writes = function_i[1:0] == 2'd1 || imm_i != 5'd0;

  wire [3:0] expected_count = trap_i ? 4'd4 + {3'd0, mstatush_q} :
      is_mret_i ? 4'd1 + {3'd0, mstatush_q} : {3'd0, is_csr_i && writes};
  localparam [3:0] MOST = CSR_SLOTS[3:0];
  wire all_fit = {1'b0, expected_count} + 5'd1 <= {1'b0, MOST} + 5'd1;
  wire [3:0] listed_count = all_fit ? expected_count : MOST;

  reg [    11:0] expected_number;
  reg [XLEN-1:0] expected_value;
  always @* begin
    expected_number = CSR_MSTATUSH;
    expected_value  = {XLEN{1'b0}};
    case ({trap_i, is_mret_i, index_q})
      {1'b1, 1'b0, 4'd0}, {1'b1, 1'b1, 4'd0} : begin
        expected_number = CSR_MEPC;
        expected_value  = pc_i;
      end
      {1'b1, 1'b0, 4'd1}, {1'b1, 1'b1, 4'd1} : begin
        expected_number = CSR_MCAUSE;
        expected_value  = cause_i;
      end
      {1'b1, 1'b0, 4'd2}, {1'b1, 1'b1, 4'd2} : begin
        expected_number = CSR_MTVAL;
        expected_value  = trap_value;
      end
      {1'b1, 1'b0, 4'd3}, {1'b1, 1'b1, 4'd3}, {1'b0, 1'b1, 4'd0} : begin
        expected_number = CSR_MSTATUS;
        expected_value  = new_mstatus;
      end
      {1'b0, 1'b0, 4'd0} : begin
        expected_number = number_i;
        expected_value  = written;
      end
      default: ;
    endcase
  end

  // The next slot of the list that holds a write.
  reg [    11:0] slot_number;
  reg [XLEN-1:0] slot_value;
  reg [SLOTS-1:0] rest;
  integer s;
  always @* begin
    slot_number = 12'd0;
    slot_value = {XLEN{1'b0}};
    rest = {SLOTS{1'b0}};
    for (s = SLOTS - 1; s >= 0; s = s - 1) begin
      if (todo_q[s]) begin
        slot_number = csr_addr_i[12*s+:12];
        slot_value = csr_wdata_i[XLEN*s+:XLEN];
        rest = todo_q;
        rest[s] = 1'b0;
      end
    end
  end
  wire last = rest == {SLOTS{1'b0}};
  wire nothing_listed = CSR_SLOTS == 0 || csr_valid_i == {SLOTS{1'b0}};

  wire [31:0] value_half;
  generate
    if (XLEN == 64) begin : gen_half
      assign value_half = slot_value[63:32] ^ slot_value[31:0];
    end else begin : gen_half
      assign value_half = slot_value;
    end
  endgenerate
  wire [31:0] slot_fold = value_half ^ {18'd0, slot_number, 2'd0};
  wire [4:0] turn = {index_q, 1'b0} + 5'd4;
  wire [31:0] fold_out;
  wire [31:0] fold_high;
  assign {fold_high, fold_out} = {slot_fold, slot_fold} << turn;
  wire unused_fold = &{1'b0, fold_out};

  // Conventions, trained at the end of the walk.
  reg tval_seen_q, tval_is_zero_q, mpp_seen_q, last_mstatush_q;
  reg [1:0] mpp_q;

  reg [3:0] listed_q;  // writes in the list
  wire learn_rd = is_csr_i && !trap_i && has_rd_i;

  always @* begin
    write = 1'b0;
    write_number = expected_number;
    write_value = expected_value;
    case (state_q)
      STATE_RD: begin
        write = learn_rd;
        write_number = number_i;
        write_value = rd_wdata_i;
      end
      STATE_EXPECTED: write = listed_q == MOST && expected_count != 4'd0;
      STATE_LISTED: begin
        write = 1'b1;
        write_number = slot_number;
        write_value = slot_value;
      end
      default: ;
    endcase
    write_table = 1'b1;
    case (write_number)
      CSR_MSTATUS, CSR_MTVEC, CSR_MEPC, CSR_MCAUSE, CSR_MTVAL: write_table = 1'b0;
      CSR_FFLAGS, CSR_FRM, CSR_FCSR: write_table = FLEN == 0;
      default: ;
    endcase
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= STATE_IDLE;
    end else begin
      case (state_q)
        STATE_IDLE: if (start_i) state_q <= STATE_COMPARE;
        STATE_COMPARE: if (nothing_listed || last) state_q <= STATE_RD;
        STATE_RD: state_q <= STATE_EXPECTED;
        STATE_EXPECTED:
        if (!write || index_q + 4'd1 == expected_count)
          state_q <= nothing_listed ? STATE_READ : STATE_LISTED;
        STATE_LISTED: if (last) state_q <= STATE_READ;
        STATE_READ: state_q <= STATE_DONE;
        default: if (taken_i) state_q <= start_i ? STATE_COMPARE : STATE_IDLE;
      endcase
    end
  end

  always @(posedge clk_i) begin
    if (start_i) begin
      differs_q <= 1'b0;
      fold_q <= 32'd0;
      index_q <= 4'd0;
      listed_q <= 4'd0;
      tval_seen_q <= 1'b0;
      mpp_seen_q <= 1'b0;
    end
    case (state_q)
      STATE_COMPARE: begin
        if (!nothing_listed) begin
          index_q <= index_q + 4'd1;
          listed_q <= listed_q + 4'd1;
          fold_q <= fold_q ^ fold_high;
          if (index_q >= listed_count || slot_number != expected_number ||
              slot_value != expected_value)
            differs_q <= 1'b1;
          if (slot_number == CSR_MTVAL) begin
            tval_seen_q <= 1'b1;
            tval_is_zero_q <= slot_value == {XLEN{1'b0}};
          end
          if (slot_number == CSR_MSTATUS) begin
            mpp_seen_q <= 1'b1;
            mpp_q <= slot_value[MPP+:2];
          end
          last_mstatush_q <= slot_number == CSR_MSTATUSH;
        end
      end
      STATE_RD: begin
        index_q <= 4'd0;
        if (listed_q != listed_count) differs_q <= 1'b1;
      end
      STATE_EXPECTED: index_q <= index_q + 4'd1;
      default: ;
    endcase
  end

  // The list is gone through twice.
  always @(posedge clk_i) begin
    case (state_q)
      STATE_COMPARE, STATE_LISTED: todo_q <= rest;
      STATE_RD, STATE_EXPECTED: ;
      default: todo_q <= start_valid_i;
    endcase
    if (state_q == STATE_COMPARE && (nothing_listed || last)) todo_q <= csr_valid_i;
  end

  wire trap_or_return = trap_i || is_mret_i;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tval_zero_q <= 16'd0;
      mret_mpp_q  <= 2'd0;
      mstatush_q  <= XLEN == 32;
    end else if (sweep_i) begin
      tval_zero_q <= 16'd0;
      mret_mpp_q  <= 2'd0;
      mstatush_q  <= XLEN == 32;
    end else if (state_q == STATE_READ && trap_or_return) begin
      if (tval_seen_q && trap_i && !irq_i && few_causes)
        tval_zero_q[cause_i[3:0]] <= tval_is_zero_q;
      if (mpp_seen_q && !trap_i) mret_mpp_q <= mpp_q;
      if (!nothing_listed) mstatush_q <= last_mstatush_q;
    end
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mstatus_q <= {XLEN{1'b0}};
      mtvec_q <= {XLEN{1'b0}};
      mepc_q <= {XLEN{1'b0}};
      mcause_q <= {XLEN{1'b0}};
      mtval_q <= {XLEN{1'b0}};
      fcsr_q <= 8'd0;
    end else if (sweep_i) begin
      mstatus_q <= {XLEN{1'b0}};
      mtvec_q <= {XLEN{1'b0}};
      mepc_q <= {XLEN{1'b0}};
      mcause_q <= {XLEN{1'b0}};
      mtval_q <= {XLEN{1'b0}};
      fcsr_q <= 8'd0;
    end else begin
      if (raise_i && FLEN > 0) fcsr_q <= fcsr_q | {3'd0, fflags_i};
      if (write) begin
        case (write_number)
          CSR_MSTATUS: mstatus_q <= write_value;
          CSR_MTVEC: mtvec_q <= write_value;
          CSR_MEPC: mepc_q <= write_value;
          CSR_MCAUSE: mcause_q <= write_value;
          CSR_MTVAL: mtval_q <= write_value;
          CSR_FFLAGS: if (FLEN > 0) fcsr_q[4:0] <= write_value[4:0];
          CSR_FRM: if (FLEN > 0) fcsr_q[7:5] <= write_value[2:0];
          CSR_FCSR: if (FLEN > 0) fcsr_q <= write_value[7:0];
          default: ;
        endcase
      end
    end
  end

  assign done_o = state_q == STATE_DONE;
  assign differs_o = differs_q;
  assign fold_o = fold_q;
endmodule
`default_nettype wire
