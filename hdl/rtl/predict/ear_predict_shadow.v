// SPDX-License-Identifier: Apache-2.0
// What the predictor remembers of memory: opcodes and data, in one cache or two, and the dictionary
// of opcodes. It says what an opcode and what is read from memory are expected to be, and trains
// both.
//
// A slot (ear_predict_issue) is here in three stages: A, where the caches are read, the one before
// C, where the dictionary is read, and C, where it compares and writes. Without a pipeline A is the
// one before C.
`include "ear_predict.vh"
`default_nettype none
module ear_predict_shadow #(
    parameter XLEN            = 32,  // bits
    parameter UNIFIED         = 0,
    parameter CODE_WORDS_LOG2 = 13,
    parameter CODE_WAYS_LOG2  = 2,
    parameter CODE_LINE_LOG2  = 2,
    parameter DATA_WORDS_LOG2 = 13,
    parameter DATA_WAYS_LOG2  = 2,
    parameter DATA_LINE_LOG2  = 2,
    parameter DICTIONARY_LOG2 = 9,
    parameter PIPELINED       = 1,
    parameter SWEEP_BITS      = 12,
    parameter X               = XLEN / 8  // derived
) (
    input wire clk_i,
    input wire rst_ni,

    input wire                  sweep_i,
    input wire [SWEEP_BITS-1:0] sweep_address_i,

    input  wire advance_i,
    output wire wait_o,     // the slot in C has more to write: do not advance

    // Stage A.
    input wire [`EAR_SLOT_WIDTH-1:0] slot_a_i,
    input wire [               31:0] pc_a_i,
    input wire [               31:0] mem_addr_a_i,

    // Before C.
    input wire [31:0] insn_p_i,

    // Stage C, with the true values of the entry.
    input  wire [`EAR_SLOT_WIDTH-1:0] slot_c_i,
    input  wire                       valid_c_i,
    input  wire                       record_c_i,          // valid, and no marker
    input  wire                       irq_i,
    input  wire                       irq_without_insn_i,  // an interrupt is expected to have none
    input  wire [               31:0] insn_i,
    input  wire [               31:0] pc_i,
    input  wire [               31:0] mem_addr_i,
    input  wire [              X-1:0] mem_rmask_i,
    input  wire [              X-1:0] mem_wmask_i,
    input  wire [           XLEN-1:0] mem_rdata_i,
    input  wire [           XLEN-1:0] mem_wdata_i,

    // In the entry's last slot.
    output wire            insn_differs_o,
    output wire            from_number_o,   // the dictionary had it
    output wire [     8:0] place_o,         // of it in there
    output wire [XLEN-1:0] known_o,         // prediction of mem_rdata
    output wire            rdata_differs_o,

    output reg rdata_differs_last_o  // of the last slot that compared
);
  wire [31:0] code_window;
  wire [XLEN-1:0] data_window;
  wire [31:0] expected_insn = irq_i && irq_without_insn_i ? 32'd0 :
      code_window[1:0] == 2'b11 ? code_window : {16'd0, code_window[15:0]};
  reg insn_differs_q;  // of the last slot that compared
  reg from_number_q;
  wire insn_unlike = insn_i != expected_insn;
  wire number_like;  // the dictionary has it
  wire eval_code = record_c_i && slot_c_i[`EAR_SLOT_CODE_EVAL];

  // An opcode in two lines that differs: its first line is written in a clock before. Afterwards
  // what was found must not be asked again.
  localparam [1:0] WRITTEN = PIPELINED != 0 ? 2'd1 : 2'd2;
  reg [1:0] other_q;
  wire learn_both = eval_code && slot_c_i[`EAR_SLOT_CODE_BOTH] && !irq_i;
  wire write_other = learn_both && other_q == 2'd0 && insn_unlike;
  wire reread = PIPELINED != 0 ? write_other : other_q == 2'd1;
  assign wait_o = write_other || (other_q != 2'd0 && other_q != WRITTEN);
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) other_q <= 2'd0;
    else if (advance_i) other_q <= 2'd0;
    else if (wait_o) other_q <= other_q + 2'd1;
  end

  wire insn_differs_now = other_q != 2'd0 || insn_unlike;
  wire from_number_now = other_q != 2'd0 ? from_number_q : number_like;
  assign insn_differs_o = slot_c_i[`EAR_SLOT_CODE_HELD] ? insn_differs_q : insn_differs_now;
  assign from_number_o = slot_c_i[`EAR_SLOT_CODE_HELD] ? from_number_q : from_number_now;
  wire code_write = eval_code && insn_differs_now && !irq_i;
  wire code_look = valid_c_i && slot_c_i[`EAR_SLOT_CODE_LOOK];
  wire data_look = valid_c_i && slot_c_i[`EAR_SLOT_DATA_LOOK];

  wire [XLEN-1:0] read_bytes;  // mem_rmask_i and mem_wmask_i, a byte for each bit
  wire [XLEN-1:0] stored_bytes;
  genvar i;
  generate
    for (i = 0; i < X; i = i + 1) begin : gen_masks
      assign read_bytes[8*i+:8]   = {8{mem_rmask_i[i]}};
      assign stored_bytes[8*i+:8] = {8{mem_wmask_i[i]}};
    end
  endgenerate
  reg [XLEN-1:0] known_q;
  assign known_o =
      (slot_c_i[`EAR_SLOT_DATA_HELD] ? known_q : data_window) & read_bytes;
  assign rdata_differs_o = mem_rdata_i != known_o;
  wire learn_read = slot_c_i[`EAR_SLOT_DATA_WRITE_READ] ||
      (slot_c_i[`EAR_SLOT_DATA_LEARN] && rdata_differs_o);
  wire learn_stored =
      slot_c_i[`EAR_SLOT_DATA_WRITE_STORED] || slot_c_i[`EAR_SLOT_DATA_LEARN];
  wire data_write = record_c_i && (learn_read || learn_stored);
  wire [X-1:0] data_write_mask = (learn_read ? mem_rmask_i : {X{1'b0}}) |
      (learn_stored ? mem_wmask_i : {X{1'b0}});
  wire [XLEN-1:0] data_write_data = learn_stored ?
      (mem_wdata_i & stored_bytes) | (mem_rdata_i & ~stored_bytes) : mem_rdata_i;

  always @(posedge clk_i) begin
    if ((advance_i || write_other) && slot_c_i[`EAR_SLOT_CODE_EVAL]) begin
      insn_differs_q <= insn_differs_now;
      from_number_q  <= from_number_now;
    end
    if (advance_i && slot_c_i[`EAR_SLOT_DATA_EVAL]) begin
      known_q <= known_o;
      rdata_differs_last_o <= rdata_differs_o;
    end
  end

  wire [1:0] code_line_a = {1'b0, slot_a_i[`EAR_SLOT_CODE_BOTH]};
  wire [1:0] code_line_c = {1'b0, slot_c_i[`EAR_SLOT_CODE_BOTH]};
  wire [1:0] data_line_a = slot_a_i[`EAR_SLOT_DATA_LINE+:2];
  wire [1:0] data_line_c = slot_c_i[`EAR_SLOT_DATA_LINE+:2];
  wire [3:0] insn_write_mask = insn_i[1:0] == 2'b11 ? 4'hF : 4'h3;

  generate
    if (UNIFIED != 0) begin : gen_unified
      wire data_a = slot_a_i[`EAR_SLOT_DATA_LOOK] || slot_a_i[`EAR_SLOT_DATA_WRITE_READ] ||
          slot_a_i[`EAR_SLOT_DATA_WRITE_STORED];
      wire data_c = slot_c_i[`EAR_SLOT_DATA_LOOK] || slot_c_i[`EAR_SLOT_DATA_WRITE_READ] ||
          slot_c_i[`EAR_SLOT_DATA_WRITE_STORED];
      wire [X-1:0] code_mask;
      wire [XLEN-1:0] code_data;
      assign code_mask[3:0] = insn_write_mask;
      assign code_data[31:0] = insn_i;
      if (XLEN == 64) begin : gen_wide
        assign code_mask[7:4] = 4'd0;
        assign code_data[63:32] = 32'd0;
      end
      ear_predict_cache #(
          .WORDS_LOG2(CODE_WORDS_LOG2),
          .WAYS_LOG2(CODE_WAYS_LOG2),
          .LINE_LOG2(CODE_LINE_LOG2),
          .BYTES(X),
          .PIPELINED(PIPELINED),
          .SWEEP_BITS(SWEEP_BITS)
      ) u_cache (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .advance_i(advance_i),
          .sweep_i(sweep_i),
          .sweep_address_i(sweep_address_i),
          .address_i(data_a ? mem_addr_a_i : pc_a_i),
          .line_i(data_a ? data_line_a : code_line_a),
          .address_c_i(data_c ? mem_addr_i : pc_i),
          .line_c_i(data_c ? data_line_c : code_line_c),
          .look_c_i(code_look || data_look),
          .first_c_i(!data_c || slot_c_i[`EAR_SLOT_DATA_FIRST]),
          .both_c_i(slot_c_i[`EAR_SLOT_CODE_BOTH]),
          .other_c_i(write_other),
          .reread_i(reread),
          .window_o(data_window),
          .write_c_i(data_c ? data_write : code_write),
          .write_mask_i(data_c ? data_write_mask : code_mask),
          .write_data_i(data_c ? data_write_data : code_data)
      );
      assign code_window = data_window[31:0];
    end else begin : gen_split
      ear_predict_cache #(
          .WORDS_LOG2(CODE_WORDS_LOG2),
          .WAYS_LOG2(CODE_WAYS_LOG2),
          .LINE_LOG2(CODE_LINE_LOG2),
          .BYTES(4),
          .PIPELINED(PIPELINED),
          .SWEEP_BITS(SWEEP_BITS)
      ) u_code (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .advance_i(advance_i),
          .sweep_i(sweep_i),
          .sweep_address_i(sweep_address_i),
          .address_i(pc_a_i),
          .line_i(code_line_a),
          .address_c_i(pc_i),
          .line_c_i(code_line_c),
          .look_c_i(code_look),
          .first_c_i(1'b1),
          .both_c_i(slot_c_i[`EAR_SLOT_CODE_BOTH]),
          .other_c_i(write_other),
          .reread_i(reread),
          .window_o(code_window),
          .write_c_i(code_write),
          .write_mask_i(insn_write_mask),
          .write_data_i(insn_i)
      );
      ear_predict_cache #(
          .WORDS_LOG2(DATA_WORDS_LOG2),
          .WAYS_LOG2(DATA_WAYS_LOG2),
          .LINE_LOG2(DATA_LINE_LOG2),
          .BYTES(X),
          .PIPELINED(PIPELINED),
          .SWEEP_BITS(SWEEP_BITS)
      ) u_data (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .advance_i(advance_i),
          .sweep_i(sweep_i),
          .sweep_address_i(sweep_address_i),
          .address_i(mem_addr_a_i),
          .line_i(data_line_a),
          .address_c_i(mem_addr_i),
          .line_c_i(data_line_c),
          .look_c_i(data_look),
          .first_c_i(slot_c_i[`EAR_SLOT_DATA_FIRST]),
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

  generate
    if (DICTIONARY_LOG2 > 0) begin : gen_dictionary
      ear_predict_dictionary #(
          .DEPTH_LOG2(DICTIONARY_LOG2)
      ) u_dictionary (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .sweep_i(sweep_i),
          .sweep_address_i(sweep_address_i[DICTIONARY_LOG2-1:0]),
          .advance_i(advance_i),
          .insn_i(insn_p_i),
          .insn_c_i(insn_i),
          .write_i(advance_i && eval_code && insn_differs_now),
          .has_o(number_like),
          .place_o(place_o)
      );
    end else begin : gen_no_dictionary
      assign number_like = 1'b0;
      assign place_o = 9'd0;
    end
  endgenerate

  wire unused = &{1'b0, slot_a_i, slot_c_i, valid_c_i, insn_p_i};
endmodule
`default_nettype wire
