// SPDX-License-Identifier: Apache-2.0
// Properties of ear_encoder in predict mode, proved for every sequence of entries, predictions,
// replies and flushes:
//
//   1. Every record that is accepted is counted in the run, held for a group or sent in a message
//      of its own: exactly one of these, in that clock.
//   2. Records accepted = records reported by the messages so far + those that are counted or held:
//      none is lost or reported twice. A message reports what was true when its last byte was
//      taken.
//   3. The run never overflows, and no group has more than four.
//
// The assertions are inside ear_encoder and ear_predict_encoder, with SINGLE
// ear_predict_encoder_single.
`include "ear_entry.vh"
`default_nettype none
module formal_encoder #(
    parameter SINGLE = 0
) (
    input wire        clk_i,
    input wire        valid_i,
    input wire [ 1:0] kind_i,
    input wire [ 2:0] start_i,
    input wire [31:0] insn_i,
    input wire        hard_i,
    input wire        check_i,
    input wire [19:0] mask_i,
    input wire        from_number_i,
    input wire        reply_valid_i,
    input wire        reply_unit_i,
    input wire        reply_flush_i,
    input wire [ 1:0] time_mode_i,
    input wire [31:0] flush_cycles_i,
    input wire        chunk_ready_i,
    input wire        idle_i
);
  localparam BODY = `EAR_BODY_WIDTH(32, 0, 0, 0, 0);
  localparam ENTRY = BODY + `EAR_ENTRY_HEAD_WIDTH;

  reg started_q = 1'b0;
  always @(posedge clk_i) started_q <= 1'b1;

  // An entry stays until it is taken, and a reply too.
  wire        entry_ready;
  wire        reply_ready;
  reg         valid_q = 1'b0;
  reg  [ 1:0] kind_q;
  reg  [ 2:0] start_q;
  reg  [31:0] insn_q;
  reg         hard_q;
  reg         check_q;
  reg  [19:0] mask_q;
  reg         from_number_q;
  reg         reply_valid_q = 1'b0;
  reg         reply_unit_q;
  reg         reply_flush_q;
  always @(posedge clk_i) begin
    if (!valid_q || entry_ready) begin
      valid_q <= started_q && valid_i;
      kind_q <= kind_i;
      start_q <= start_i;
      insn_q <= insn_i;
      hard_q <= hard_i;
      check_q <= check_i;
      mask_q <= mask_i;
      from_number_q <= from_number_i;
    end
    if (!reply_valid_q || reply_ready) begin
      reply_valid_q <= started_q && reply_valid_i;
      reply_unit_q <= reply_unit_i;
      reply_flush_q <= reply_flush_i;
    end
  end

  wire delivered;
  wire stop_sent;
  wire chunk_valid;
  wire [63:0] chunk_data;
  wire [3:0] chunk_count;
  wire frame_end;

  ear_encoder #(
      .OPERANDS(0),
      .TIME    (0),
      .PREDICT (1),
      .SINGLE  (SINGLE)
  ) u_encoder (
      .rst_ni       (started_q),
      .entry_valid_i(valid_q),
      .entry_data_i ({{(BODY - 96) {1'b0}}, insn_q, 64'd0, start_q, kind_q}),
      .hard_i       (hard_q),
      .check_i      (check_q),
      .mask_i       (mask_q),
      .from_number_i(from_number_q),
      .reply_valid_i(reply_valid_q),
      .reply_unit_i (reply_unit_q),
      .reply_flush_i(reply_flush_q),
      .delta_i      (32'd0),
      .delivered_i  (64'd0),
      // generate: connect ear_encoder tied last
      .clk_i(clk_i), .entry_ready_o(entry_ready), .check_pc_i(32'd0), .check_digest_i(32'd0),
      .number_i(9'd0), .reply_ready_o(reply_ready), .reply_tag_i(8'd0), .reply_status_i(8'd0),
      .reply_address_i(16'd0), .reply_value_i(32'd0), .test_valid_i(1'b0), .test_start_o(),
      .test_ready_o(), .test_data_i(32'd0), .test_last_i(1'b0), .begin_i(1'b0), .drop_i(1'b0),
      .time_mode_i(time_mode_i), .filter_on_i(1'b0), .flush_cycles_i(flush_cycles_i),
      .retired_i(64'd0), .lost_i(64'd0), .filtered_i(64'd0), .delivered_o(delivered),
      .stop_sent_o(stop_sent), .chunk_valid_o(chunk_valid), .chunk_ready_i(chunk_ready_i),
      .chunk_data_o(chunk_data), .chunk_count_o(chunk_count), .idle_i(idle_i),
      .frame_end_o(frame_end)
      // generate: end
  );
endmodule
`default_nettype wire
