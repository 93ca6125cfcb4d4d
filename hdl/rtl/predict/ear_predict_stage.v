// SPDX-License-Identifier: Apache-2.0
// The stage between record FIFO and encoder: the predictor, or with PREDICT 0 only wires.
//
// It decides when the predictor forgets. The host forgets at STOP and at a hard SYNC; if the
// predictor did so one record earlier or later, the host would decode wrong values from there on.
`include "ear_entry.vh"
`include "ear_predict.vh"
`default_nettype none
module ear_predict_stage #(
    parameter PREDICT         = 1,   // 1: a predictor; 0: entries pass as they are
    parameter XLEN            = 32,  // from here on as ear_predictor
    parameter CSR_SLOTS       = 0,
    parameter FLEN            = 0,
    parameter PADDR           = 0,
    parameter OPERANDS        = 1,
    parameter TIME            = 1,
    parameter UNIFIED         = 0,
    parameter MULTIPLY        = 1,
    parameter DIVIDE          = 1,
    parameter CODE_WORDS_LOG2 = 13,
    parameter CODE_WAYS_LOG2  = 2,
    parameter CODE_LINE_LOG2  = 2,
    parameter DATA_WORDS_LOG2 = 13,
    parameter DATA_WAYS_LOG2  = 2,
    parameter DATA_LINE_LOG2  = 2,
    parameter DICTIONARY_LOG2 = 9,
    parameter CSR_LOG2        = 6,
    parameter BASE            = 0,
    parameter MULTIPLIER      = 1,
    parameter PIPELINED       = 1,
    parameter ORDER           = 1,
    parameter ENTRY           = `EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS) +
        `EAR_ENTRY_HEAD_WIDTH + (TIME != 0 ? 64 : 0)  // derived
) (
    input wire clk_i,
    input wire rst_ni,

    input wire sync_i,       // COMMAND.SYNC: forget before the next record
    input wire stop_sent_i,  // STOP is on the wire

    // Entries and markers, from the record FIFO.
    input  wire             entry_valid_i,
    output wire             entry_ready_o,
    input  wire [ENTRY-1:0] entry_data_i,

    // To the encoder, see ear_predictor.
    output wire                         out_valid_o,
    input  wire                         out_ready_i,
    output wire [            ENTRY-1:0] out_data_o,
    output wire                         out_hard_o,
    output wire                         out_check_o,
    output wire [                 31:0] out_check_digest_o,
    output wire [                 31:0] out_check_pc_o,
    output wire [`EAR_DIFFER_BITS-1:0] out_mask_o,
    output wire                         out_from_number_o,
    output wire [                  8:0] out_number_o,
    output wire [             XLEN-1:0] out_delta_o,

    output wire wrong_o  // one clock: the record that is taken has a wrong result
);
  generate
    if (PREDICT != 0) begin : gen_predict
      // The predictor forgets everything when STOP is on the wire, so that it is ready when the
      // next capture begins. With COMMAND.SYNC it does so before the next record and not earlier:
      // a CHECK before that record still needs its digest. An entry that it is working on already
      // is not the next one.
      reg sync_q;
      reg working_q;
      wire ready;
      wire empty;
      wire wrong;
      wire resync = sync_q && !working_q && entry_valid_i &&
          entry_data_i[1:0] == `EAR_ENTRY_RECORD;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) working_q <= 1'b0;
        else working_q <= entry_valid_i && !resync && !ready;
      end
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) sync_q <= 1'b0;
        else if (sync_i) sync_q <= 1'b1;
        else if (resync || stop_sent_i) sync_q <= 1'b0;
      end
      assign entry_ready_o = ready && !resync;
      assign wrong_o = wrong && out_valid_o && out_ready_i;
      wire unused = &{1'b0, empty};

      ear_predictor #(
          .XLEN           (XLEN),
          .CSR_SLOTS      (CSR_SLOTS),
          .FLEN           (FLEN),
          .PADDR          (PADDR),
          .OPERANDS       (OPERANDS),
          .TIME           (TIME),
          .UNIFIED        (UNIFIED),
          .MULTIPLY       (MULTIPLY),
          .DIVIDE         (DIVIDE),
          .CODE_WORDS_LOG2(CODE_WORDS_LOG2),
          .CODE_WAYS_LOG2 (CODE_WAYS_LOG2),
          .CODE_LINE_LOG2 (CODE_LINE_LOG2),
          .DATA_WORDS_LOG2(DATA_WORDS_LOG2),
          .DATA_WAYS_LOG2 (DATA_WAYS_LOG2),
          .DATA_LINE_LOG2 (DATA_LINE_LOG2),
          .DICTIONARY_LOG2(DICTIONARY_LOG2),
          .CSR_LOG2       (CSR_LOG2),
          .BASE           (BASE),
          .ORDER          (ORDER),
          .MULTIPLIER     (MULTIPLIER),
          .PIPELINED      (PIPELINED)
      ) u_predictor (
          .clk_i             (clk_i),
          .rst_ni            (rst_ni),
          .clear_i           (resync || stop_sent_i),
          .empty_o           (empty),
          .entry_valid_i     (entry_valid_i && !resync),
          .entry_ready_o     (ready),
          .entry_data_i      (entry_data_i),
          .out_valid_o       (out_valid_o),
          .out_ready_i       (out_ready_i),
          .out_data_o        (out_data_o),
          .out_hard_o        (out_hard_o),
          .out_check_o       (out_check_o),
          .out_check_digest_o(out_check_digest_o),
          .out_check_pc_o    (out_check_pc_o),
          .out_mask_o        (out_mask_o),
          .out_from_number_o (out_from_number_o),
          .out_number_o      (out_number_o),
          .out_wrong_o       (wrong),
          .out_delta_o       (out_delta_o)
      );
    end else begin : gen_raw
      wire unused = &{1'b0, clk_i, rst_ni, sync_i, stop_sent_i};
      assign entry_ready_o = out_ready_i;
      assign out_valid_o = entry_valid_i;
      assign out_data_o = entry_data_i;
      assign out_hard_o = 1'b0;
      assign out_check_o = 1'b0;
      assign out_check_digest_o = 32'd0;
      assign out_check_pc_o = 32'd0;
      assign out_mask_o = {`EAR_DIFFER_BITS{1'b0}};
      assign out_from_number_o = 1'b0;
      assign out_number_o = 9'd0;
      assign out_delta_o = {XLEN{1'b0}};
      assign wrong_o = 1'b0;
    end
  endgenerate
endmodule
`default_nettype wire
