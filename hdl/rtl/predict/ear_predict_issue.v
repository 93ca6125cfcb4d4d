// SPDX-License-Identifier: Apache-2.0
// Cut an entry into slots for the stages of the predictor.
//
// An entry whose opcode and whose access lie in one line each is one slot (with one cache for both:
// two, if it has an access). The first line of an opcode over the end of a line is mostly the line
// of the entry before, and is at hand; after a jump it is looked up in a slot of its own. The lines
// of an access over the end of a line are looked up one after the other; then, if they must
// be written, written one after the other; then comes a last slot for all the rest. The order of
// what touches a cache is that of decoder/predict/predictor.c: opcode looked up, trained; data
// looked up, trained, stored; lower lines first.
`include "ear_predict.vh"
`default_nettype none
module ear_predict_issue #(
    parameter BYTES      = 4,  // most bytes of an access
    parameter UNIFIED    = 0,
    parameter AT_HAND    = 1,  // 0: the first line of such an opcode is always looked up; smaller
    parameter CODE_SHIFT = 4,  // log2 of a line's bytes
    parameter DATA_SHIFT = 4
) (
    input wire clk_i,
    input wire rst_ni,

    // The entry at hand; a marker has no accesses.
    input wire             valid_i,
    input wire             record_i,
    input wire             insn_word_i,  // the opcode has four bytes
    input wire [     31:0] pc_i,
    input wire [     31:0] mem_addr_i,
    input wire [BYTES-1:0] mem_rmask_i,
    input wire [BYTES-1:0] mem_wmask_i,

    input wire hold_i,           // begin no other entry
    input wire enable_i,         // a slot may go
    input wire settled_i,        // no slot is on its way
    input wire forget_i,         // the caches are swept
    input wire rdata_differs_i,  // of the last slot that compared

    output wire                       valid_o,   // a slot goes, if enable_i
    output reg  [`EAR_SLOT_WIDTH-1:0] slot_o,
    output wire                       between_o  // no entry is at work
);
  localparam [2:0] STEP_NEW = 3'd0;
  localparam [2:0] STEP_SECOND = 3'd1;  // the second line of the opcode, and all the rest
  localparam [2:0] STEP_DATA = 3'd2;
  localparam [2:0] STEP_DATA_LOOK = 3'd3;
  localparam [2:0] STEP_DATA_WAIT = 3'd4;
  localparam [2:0] STEP_DATA_WRITE_READ = 3'd5;
  localparam [2:0] STEP_DATA_WRITE_STORED = 3'd6;
  localparam [2:0] STEP_FINAL = 3'd7;

  reg [2:0] step_q;
  reg [1:0] line_q;

  // In which line the last byte of an access is, counted from the first byte's line.
  wire [CODE_SHIFT:0] code_end = {1'b0, pc_i[CODE_SHIFT-1:0]} +
      {{(CODE_SHIFT - 1) {1'b0}}, insn_word_i, 1'b1};
  wire code_crosses = code_end[CODE_SHIFT];
  // The line that the last slot looked up for an opcode.
  reg                   at_hand_q;
  reg [31:CODE_SHIFT] number_q;
  wire at_hand = AT_HAND != 0 && at_hand_q && number_q == pc_i[31:CODE_SHIFT];
  wire [BYTES-1:0] touched = mem_rmask_i | mem_wmask_i;
  reg [2:0] last_byte;
  integer i;
  always @* begin
    last_byte = 3'd0;
    for (i = 0; i < BYTES; i = i + 1) if (touched[i]) last_byte = i[2:0];
  end
  wire [DATA_SHIFT+1:0] data_end =
      {2'd0, mem_addr_i[DATA_SHIFT-1:0]} + {{(DATA_SHIFT - 1) {1'b0}}, last_byte};
  wire [1:0] data_last = data_end[DATA_SHIFT+1:DATA_SHIFT];
  wire has_data = touched != {BYTES{1'b0}};
  wire has_read = mem_rmask_i != {BYTES{1'b0}};
  wire has_stored = mem_wmask_i != {BYTES{1'b0}};
  wire data_crosses = data_last != 2'd0;

  wire at_last = line_q == data_last;

  wire start = !hold_i && valid_i;

  reg [2:0] step_d;
  reg [1:0] line_d;
  reg go;  // this step gives a slot
  always @* begin
    slot_o = {`EAR_SLOT_WIDTH{1'b0}};
    slot_o[`EAR_SLOT_DATA_LINE+:2] = line_q;
    slot_o[`EAR_SLOT_DATA_FIRST] = line_q == 2'd0;
    go = 1'b1;
    step_d = step_q;
    line_d = 2'd0;
    case (step_q)
      STEP_NEW, STEP_SECOND:
      if (step_q == STEP_NEW && !start) begin
        go = 1'b0;
      end else if (!record_i) begin
        slot_o[`EAR_SLOT_FINAL] = 1'b1;
      end else begin
        slot_o[`EAR_SLOT_CODE_LOOK] = 1'b1;
        if (code_crosses && step_q == STEP_NEW && !at_hand) begin
          step_d = STEP_SECOND;
        end else begin
          slot_o[`EAR_SLOT_CODE_BOTH] = code_crosses;
          slot_o[`EAR_SLOT_CODE_EVAL] = 1'b1;
          step_d = STEP_NEW;
          if (!has_data) begin
            slot_o[`EAR_SLOT_FINAL] = 1'b1;
          end else if (data_crosses || UNIFIED != 0) begin
            step_d = STEP_DATA;
          end else begin
            slot_o[`EAR_SLOT_FINAL] = 1'b1;
            slot_o[`EAR_SLOT_DATA_LOOK] = 1'b1;
            slot_o[`EAR_SLOT_DATA_EVAL] = 1'b1;
            slot_o[`EAR_SLOT_DATA_LEARN] = 1'b1;
          end
        end
      end
      STEP_DATA: begin
        if (data_crosses) begin
          go = 1'b0;
          step_d = has_read ? STEP_DATA_LOOK : STEP_DATA_WRITE_STORED;
        end else begin
          slot_o[`EAR_SLOT_FINAL] = 1'b1;
          slot_o[`EAR_SLOT_CODE_HELD] = 1'b1;
          slot_o[`EAR_SLOT_DATA_LOOK] = has_data;
          slot_o[`EAR_SLOT_DATA_EVAL] = has_data;
          slot_o[`EAR_SLOT_DATA_LEARN] = has_data;
          step_d = STEP_NEW;
        end
      end
      STEP_DATA_LOOK: begin
        slot_o[`EAR_SLOT_DATA_LOOK] = 1'b1;
        slot_o[`EAR_SLOT_DATA_EVAL] = at_last;
        if (at_last) step_d = STEP_DATA_WAIT;
        else line_d = line_q + 2'd1;
      end
      STEP_DATA_WAIT: begin
        go = 1'b0;
        if (settled_i)
          step_d = rdata_differs_i ? STEP_DATA_WRITE_READ :
              has_stored ? STEP_DATA_WRITE_STORED : STEP_FINAL;
      end
      STEP_DATA_WRITE_READ: begin
        slot_o[`EAR_SLOT_DATA_WRITE_READ] = 1'b1;
        if (at_last) step_d = has_stored ? STEP_DATA_WRITE_STORED : STEP_FINAL;
        else line_d = line_q + 2'd1;
      end
      STEP_DATA_WRITE_STORED: begin
        slot_o[`EAR_SLOT_DATA_WRITE_STORED] = 1'b1;
        if (at_last) step_d = STEP_FINAL;
        else line_d = line_q + 2'd1;
      end
      default: begin
        slot_o[`EAR_SLOT_FINAL] = 1'b1;
        slot_o[`EAR_SLOT_CODE_HELD] = 1'b1;
        slot_o[`EAR_SLOT_DATA_HELD] = 1'b1;
        step_d = STEP_NEW;
      end
    endcase
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= STEP_NEW;
      line_q <= 2'd0;
    end else if (!go || enable_i) begin
      step_q <= step_d;
      line_q <= line_d;
    end
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) at_hand_q <= 1'b0;
    else if (forget_i) at_hand_q <= 1'b0;
    else if (go && enable_i) begin
      if (slot_o[`EAR_SLOT_CODE_LOOK]) at_hand_q <= 1'b1;
      else if (UNIFIED != 0 && record_i) at_hand_q <= 1'b0;
    end
  end
  always @(posedge clk_i) begin
    if (go && enable_i && slot_o[`EAR_SLOT_CODE_LOOK])
      number_q <= pc_i[31:CODE_SHIFT] + {{(31 - CODE_SHIFT) {1'b0}}, slot_o[`EAR_SLOT_CODE_BOTH]};
  end

  assign valid_o = go;
  assign between_o = step_q == STEP_NEW;

  wire unused =
      &{1'b0, mem_addr_i[31:DATA_SHIFT], code_end[CODE_SHIFT-1:0], data_end[DATA_SHIFT-1:0]};
endmodule
`default_nettype wire
