// SPDX-License-Identifier: Apache-2.0
// Property of policy drop, with ear_capture and ear_payload_buffer, proved for every sequence of
// inputs:
//
//   A gap does not last. When the link takes what it is offered and no record comes, the gap has
//   ended within BOUND clocks, from any state and whatever the mark in RESUME is.
//
// Between the two are a record FIFO and an encoder, of which only this is assumed: the encoder
// takes an entry within WAIT clocks, makes up to WORDS words of it, one a clock if the buffer takes
// it, and ends the frame when it likes, and before the frame is longer than it may be. The framer
// takes a word within GAP clocks.
//
// The induction goes by what is left to do: each clock in which nothing comes makes it less.
`include "ear_entry.vh"
`default_nettype none
module formal_drop #(
    parameter NRET = 1
) (
    input wire            clk_i,
    input wire [NRET-1:0] valid_i,
    input wire [NRET-1:0] pass_i,
    input wire            event_valid_i,
    input wire            enable_i,
    input wire            pop_i,        // the encoder takes an entry,
    input wire [     1:0] words_i,      // of so many words
    input wire            frame_end_i,  // it ends the frame
    input wire            read_i,       // the framer takes a word
    input wire [    15:0] low_i         // the mark
);
  localparam BODY = 193;
  localparam [15:0] DEPTH = 16'd16;
  localparam [15:0] WAIT = 16'd3;
  localparam [15:0] WORDS = 16'd3;
  localparam [15:0] GAP = 16'd6;
  localparam BYTES = 512;
  // What is left to do costs how many clocks, as powers of two: a word to read (GAP + 2), a frame's
  // end (READ + 4), a word to write (READ + 1 + END), an entry (WORDS * WRITE + WAIT + 2).
  localparam READ_LOG2 = 3;
  localparam END = 16'd16;
  localparam WRITE_LOG2 = 5;
  localparam ENTRY_LOG2 = 7;
  localparam [15:0] BOUND =
      (DEPTH << ENTRY_LOG2) + (WORDS << WRITE_LOG2) + END + (16'd128 << READ_LOG2) +
      WAIT + GAP + 16'd3;

  reg started_q = 1'b0;
  always @(posedge clk_i) started_q <= 1'b1;

  wire on;
  wire losing;
  wire drained;
  wire word_ready;
  wire frame_valid;
  wire [1:0] push_count;
  wire [15:0] complete;  // words of complete frames that were not read
  wire [15:0] growing;   // of the frame that grows, without its length

  reg [15:0] low_q;  // any mark, which stays
  always @(posedge clk_i) if (!started_q) low_q <= low_i;

  // The FIFO and the encoder.
  reg [15:0] count_q = 16'd0;
  reg [15:0] wait_q = 16'd0;    // clocks in which there was an entry to take
  reg [15:0] words_q = 16'd0;   // of the entry at hand, still to write
  reg [15:0] frame_q = 16'd0;   // words in the frame that grows
  wire writes = words_q != 16'd0;
  wire must_end = frame_q + WORDS > 16'd125;
  wire ends = started_q && !writes && frame_q != 16'd0 && (frame_end_i || must_end);
  wire could_pop = started_q && !writes && !ends && count_q != 16'd0;
  wire pops = could_pop && (pop_i || wait_q == WAIT);
  wire written = started_q && writes && word_ready;
  always @(posedge clk_i) begin
    count_q <= count_q + {14'd0, push_count} - {15'd0, pops};
    wait_q <= could_pop && !pops ? wait_q + 16'd1 : ends ? wait_q : 16'd0;
    if (pops) words_q <= {14'd0, words_i};
    else if (written) words_q <= words_q - 16'd1;
    frame_q <= ends ? 16'd0 : frame_q + {15'd0, written};
  end

  // The framer.
  reg [15:0] gap_q = 16'd0;
  wire reads = frame_valid && (read_i || gap_q == GAP);
  always @(posedge clk_i) gap_q <= frame_valid && !reads ? gap_q + 16'd1 : 16'd0;

  ear_capture #(
      .NRET   (NRET),
      .BODY   (BODY),
      .TRIGGER(0),
      .TIME   (0)
  ) u_capture (
      .rst_ni (started_q),
      .body_i ({NRET * BODY{1'b0}}),
      .drop_i (1'b1),
      .free_i (DEPTH - count_q),
      .empty_i(count_q == 16'd0),
      // generate: connect ear_capture tied last
      .clk_i(clk_i), .valid_i(valid_i), .pass_i(pass_i), .start_match_i({NRET{1'b0}}),
      .stop_match_i({NRET{1'b0}}), .ended_i(1'b0), .pin_i(1'b0), .enable_i(enable_i),
      .start_kind_i(4'd0), .start_value_i(64'd0), .stop_kind_i(4'd0), .stop_value_i(64'd0),
      .begin_o(), .finished_o(), .idle_o(), .armed_o(), .on_o(on), .losing_o(losing),
      .event_valid_i(event_valid_i), .event_data_i(32'd0), .event_ready_o(),
      .mismatch_valid_i(1'b0), .mismatch_order_i(32'd0), .mismatch_ready_o(),
      .mismatch_seen_i(1'b0), .port_valid_i(1'b0), .port_ready_o(), .port_source_i(8'd0),
      .port_value_i(32'd0), .port_order_i(64'd0), .port_waits_i(1'b0), .port_late_i(1'b0),
      .port_close_o(), .roomy_o(), .next_order_o(), .time_i(64'd0), .retired_o(), .lost_o(),
      .filtered_o(), .running_o(), .held_o(), .held_i(64'd0), .push_count_o(push_count),
      .push_data_o(), .drained_i(drained), .stop_sent_i(1'b0), .stall_o()
      // generate: end
  );

  ear_payload_buffer #(
      .BYTES(BYTES)
  ) u_buffer (
      .clk_i        (clk_i),
      .rst_ni       (started_q),
      .word_valid_i (writes),
      .word_ready_o (word_ready),
      .word_data_i  (32'd0),
      .frame_end_i  (ends),
      .frame_valid_o(frame_valid),
      .frame_ready_i(reads),
      .frame_data_o (),
      .low_i        (low_q),
      .complete_o   (complete),
      .growing_o    (growing),
      .drained_o    (drained)
  );

  wire nothing = count_q == 16'd0 && !writes && complete == 16'd0;  // left for encoder and framer
  wire [15:0] left = (count_q << ENTRY_LOG2) + (words_q << WRITE_LOG2) +
      (frame_q != 16'd0 ? END : 16'd0) + ((complete + growing) << READ_LOG2) + (WAIT - wait_q) +
      (frame_valid ? GAP - gap_q : GAP + 16'd1) +
      (!nothing ? 16'd2 : drained ? 16'd0 : 16'd1);
  reg [15:0] quiet_q = 16'd0;  // clocks in which nothing came
  always @(posedge clk_i) begin
    if (push_count != 2'd0 || !on || !losing) quiet_q <= 16'd0;
    else if (quiet_q != 16'hFFFF) quiet_q <= quiet_q + 16'd1;
  end

  always @* begin
    if (started_q) begin
      assert (!(losing && on) || quiet_q <= BOUND);
      // For the induction.
      assert (count_q <= DEPTH);
      assert (wait_q <= WAIT);
      assert (gap_q <= GAP);
      assert (words_q <= WORDS);
      assert (frame_q + words_q <= 16'd125);
      assert (growing == frame_q);
      assert (complete + growing <= (growing == 16'd0 ? 16'd128 : 16'd127));
      assert (!frame_valid || complete != 16'd0);
      assert (!(losing && on) || quiet_q + left <= BOUND);
    end
  end
endmodule
`default_nettype wire
