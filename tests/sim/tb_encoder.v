// SPDX-License-Identifier: Apache-2.0
// The encoder in predict mode with everything after it, up to the frames. The test plays the
// predictor.
`include "ear_entry.vh"
`default_nettype none
module tb_encoder #(
    parameter XLEN      = 32,
    parameter CSR_SLOTS = 5,
    parameter FLEN      = 0,
    parameter PADDR     = 0,
    parameter OPERANDS  = 1,
    parameter TIME      = 1
) (
    input  wire          clk_i,
    input  wire          rst_ni,
    input  wire          begin_i,
    input  wire          entry_valid_i,
    output wire          entry_ready_o,
    input  wire [2047:0] entry_data_i,
    input  wire          hard_i,
    input  wire          check_i,
    input  wire [  31:0] check_pc_i,
    input  wire [  31:0] check_digest_i,
    input  wire [  19:0] mask_i,
    input  wire          from_number_i,
    input  wire [   8:0] number_i,
    input  wire [  63:0] delta_i,
    input  wire [   1:0] time_mode_i,
    input  wire [  31:0] flush_cycles_i,
    output wire          free_o,  // the encoder looks for something to do,
    output wire          own_o,   // and has something of its own: no entry is begun
    output wire          delivered_o,
    output wire          out_valid_o,
    input  wire          out_ready_i,
    output wire [  31:0] out_data_o,
    output wire          out_last_o
);
  localparam CHUNK = XLEN == 64 ? 10 : 8;
  localparam ENTRY = `EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS) +
      `EAR_ENTRY_HEAD_WIDTH + (TIME != 0 ? 64 : 0);
  localparam [7:0] XLEN_8 = XLEN[7:0];
  localparam [7:0] FLEN_8 = FLEN[7:0];
  localparam [7:0] CSR_SLOTS_8 = CSR_SLOTS[7:0];

  wire reply_ready;
  wire stop_sent;
  wire chunk_valid;
  wire chunk_ready;
  wire [8*CHUNK-1:0] chunk_data;
  wire [3:0] chunk_count;
  wire idle;
  wire frame_end;

  assign free_o = u_encoder.free;
  assign own_o = u_encoder.own;

  ear_encoder #(
      .XLEN     (XLEN),
      .CSR_SLOTS(CSR_SLOTS),
      .FLEN     (FLEN),
      .PADDR    (PADDR),
      .OPERANDS (OPERANDS),
      .TIME     (TIME),
      .SHAPE    ({CSR_SLOTS_8, FLEN_8, 8'd1, XLEN_8}),
      .PREDICT  (1),
      .GEOMETRY (64'h0009_0909_5544_3322),
      .CHUNK    (CHUNK)
  ) u_encoder (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .entry_valid_i  (entry_valid_i),
      .entry_ready_o  (entry_ready_o),
      .entry_data_i   (entry_data_i[ENTRY-1:0]),
      .hard_i         (hard_i),
      .check_i        (check_i),
      .check_pc_i     (check_pc_i),
      .check_digest_i (check_digest_i),
      .mask_i         (mask_i),
      .from_number_i  (from_number_i),
      .number_i       (number_i),
      .delta_i        (delta_i[XLEN-1:0]),
      .reply_valid_i  (1'b0),
      .reply_ready_o  (reply_ready),
      .reply_unit_i   (1'b0),
      .reply_tag_i    (8'd0),
      .reply_status_i (8'd0),
      .reply_address_i(16'd0),
      .reply_value_i  (32'd0),
      .reply_flush_i  (1'b0),
      .test_valid_i   (1'b0),
      .test_start_o   (),
      .test_ready_o   (),
      .test_data_i    (32'd0),
      .test_last_i    (1'b0),
      .begin_i        (begin_i),
      .drop_i         (1'b0),
      .time_mode_i    (time_mode_i),
      .filter_on_i    (1'b0),
      .flush_cycles_i (flush_cycles_i),
      .retired_i      (64'd0),
      .delivered_i    (64'd0),
      .lost_i         (64'd0),
      .filtered_i     (64'd0),
      .delivered_o    (delivered_o),
      .stop_sent_o    (stop_sent),
      .chunk_valid_o  (chunk_valid),
      .chunk_ready_i  (chunk_ready),
      .chunk_data_o   (chunk_data),
      .chunk_count_o  (chunk_count),
      .idle_i         (idle),
      .frame_end_o    (frame_end)
  );

  ear_frames #(
      .CHUNK(CHUNK)
  ) u_frames (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .chunk_valid_i(chunk_valid),
      .chunk_ready_o(chunk_ready),
      .chunk_data_i (chunk_data),
      .chunk_count_i(chunk_count),
      .idle_o       (idle),
      .frame_end_i  (frame_end),
      .low_i        (16'd0),
      .drained_o    (),
      .out_valid_o  (out_valid_o),
      .out_ready_i  (out_ready_i),
      .out_data_o   (out_data_o),
      .out_last_o   (out_last_o)
  );

  wire unused = &{1'b0, entry_data_i[2047:ENTRY], delta_i, reply_ready, stop_sent};
endmodule
`default_nettype wire
