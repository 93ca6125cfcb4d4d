// SPDX-License-Identifier: Apache-2.0
// Turn entries and replies into messages, in the order and with the frame ends of docs/protocol.md,
// sections 2 and 5. decoder/codec/encoder.c is the same in C, and the bytes must be the same.
//
// Everything that an entry needs (UNIT, SYNC, TIME, EVENT, the record) is a set bit in todo. The
// messages of one entry are worked off from the lowest bit: one clock to plan a message (is it
// needed, how long is it), then its chunks. A message that does not fit into the frame ends it
// first and is then planned anew, because what it must carry depends on the frame.
//
// In predict mode most records need no message: ear_predict_encoder counts them or holds them back,
// one a clock, and what it owes to the wire (GROUP, RUN) is sent before anything else is.
//
// Replies are served between entries.
`include "ear_protocol.vh"
`include "ear_entry.vh"
`default_nettype none
module ear_encoder #(
    parameter        XLEN         = 32,
    parameter        CSR_SLOTS    = 0,
    parameter        FLEN         = 0,
    parameter        PADDR        = 0,
    parameter        OPERANDS     = 1,
    parameter        TIME         = 1,
    parameter [31:0] SHAPE        = 32'd0,   // as register SHAPE
    parameter [15:0] HART         = 16'd0,
    parameter [31:0] CLOCK_HZ     = 32'd0,
    parameter [15:0] UNIT_VERSION = 16'd1,
    parameter [15:0] FEATURES     = 16'd0,
    parameter        RESULTS      = 1,       // 0: UNIT says that the port has no results,
    parameter        ACCESSES     = 1,       // 0: no accesses
    parameter [31:0] BUFFERS      = 32'd0,
    parameter        PREDICT      = 0,       // 1: predict mode; 0: raw mode
    parameter [63:0] GEOMETRY     = 64'd0,   // predict mode: as in a UNIT message
    parameter        SINGLE       = 0,       // predict mode: 1: records are not joined to groups
    parameter        LOSS         = 1,       // 0: there are no LOST markers,
    parameter        EVENTS       = 1,       // 0: no EVENT markers
    parameter        PORT         = 0,       // 1: some are of the event port: PORT messages
    parameter        FLUSH_REGISTER = 1,     // 0: flush_cycles_i is a constant, a power of two
    parameter        TEST         = 0,       // 1: TEST messages
    parameter        CHUNK        = 8,       // bytes
    parameter        BODY         = `EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS),
    parameter        ENTRY        = BODY + `EAR_ENTRY_HEAD_WIDTH + (TIME != 0 ? 64 : 0)  // derived
) (
    input wire clk_i,
    input wire rst_ni,

    // Entries. The encoder takes one when its last byte is on the way.
    input  wire             entry_valid_i,
    output wire             entry_ready_o,
    input  wire [ENTRY-1:0] entry_data_i,

    // Predict mode: what the predictor says of the entry.
    input wire            hard_i,          // it has forgotten everything: a hard SYNC comes first
    input wire            check_i,         // a CHECK comes first, with
    input wire [    31:0] check_pc_i,      // the pc predicted before this entry, and
    input wire [    31:0] check_digest_i,  // the digest of the entries since the last one
    input wire [    19:0] mask_i,          // fields of a record that are not as predicted
    input wire            from_number_i,   // insn is in the dictionary,
    input wire [     8:0] number_i,        // at this index
    input wire [XLEN-1:0] delta_i,         // how far mem_rdata or rd_wdata is from its prediction

    // Replies: a UNIT message first if asked for.
    input  wire        reply_valid_i,
    output wire        reply_ready_o,
    input  wire        reply_unit_i,
    input  wire [ 7:0] reply_tag_i,
    input  wire [ 7:0] reply_status_i,
    input  wire [15:0] reply_address_i,
    input  wire [31:0] reply_value_i,
    input  wire        reply_flush_i,   // everything that waits comes first

    // TEST messages, whenever there is nothing else: the 125 words of a message, one for each
    // ready.
    input  wire        test_valid_i,  // one is wanted
    output wire        test_start_o,  // one begins
    output wire        test_ready_o,
    input  wire [31:0] test_data_i,
    input  wire        test_last_i,

    // Registers and counters.
    input wire        begin_i,         // a capture begins: its first SYNC is due
    input wire        drop_i,
    input wire [ 1:0] time_mode_i,
    input wire        filter_on_i,     // it may hold records back
    input wire [31:0] flush_cycles_i,
    input wire [63:0] retired_i,
    input wire [63:0] delivered_i,
    input wire [63:0] lost_i,
    input wire [63:0] filtered_i,
    output wire       delivered_o,     // one more record is on the way
    output wire       stop_sent_o,

    // Chunks of bytes to the packer, and the end of a frame, which comes when the packer is idle.
    output wire               chunk_valid_o,
    input  wire               chunk_ready_i,
    output wire [8*CHUNK-1:0] chunk_data_o,
    output wire [        3:0] chunk_count_o,
    input  wire               idle_i,
    output wire               frame_end_o
);
  // Messages in the order in which they are worked off. GROUP, RUN and CHECK: only in predict mode.
  localparam GROUP = 0;        // the records held back
  localparam RUN = 1;          // the records counted
  localparam CHECK = 2;        // of the records before a SYNC, if one comes
  localparam UNIT = 3;
  localparam SYNC = 4;
  localparam SYNC_TIME = 5;    // the TIME that belongs to a SYNC, a CHECK or a LOST
  localparam EVENT = 6;        // of the start trigger, or an EVENT marker
  localparam RECORD_TIME = 7;  // before a record whose time differs
  localparam RECORD = 8;
  localparam LOST = 9;
  localparam STOP = 10;
  localparam REPLY = 11;
  localparam TEST_PIECE = 12;
  localparam FLUSH = 13;       // end the frame
  localparam MESSAGES = 14;
  localparam [MESSAGES-1:0] ONE = 1;

  localparam [2:0] STATE_PLAN = 3'd0;
  localparam [2:0] STATE_EMIT = 3'd1;
  localparam [2:0] STATE_PAD = 3'd2;   // fill the frame up
  localparam [2:0] STATE_END = 3'd3;   // wait for the packer, end the frame

  reg [         2:0] state_q;
  reg                busy_q;            // todo_q holds what is left of the entry or reply at hand
  reg                from_reply_q;      // it is a reply
  reg                from_entry_q;      // it is an entry
  reg [MESSAGES-1:0] todo_q;
  reg [MESSAGES-1:0] now_q;             // the message being emitted
  reg [        15:0] size_q;
  reg [         2:0] step_q;
  reg [         9:0] payload_q;         // bytes in the frame
  reg                frame_record_q;    // the frame has a record
  reg                frame_time_q;      // the frame has a time message
  reg                sync_due_q;        // raw mode
  reg                first_q;           // the next SYNC is the first one of the capture
  reg                time_due_q;        // predict mode: a LOST was sent
  reg [        63:0] expected_q;        // order of the next record
  reg [        63:0] last_ticks_q;
  reg                wide_time_q;       // this time message is a TIME
  reg                short_event_q;     // this event is a PORT
  reg [        31:0] waited_q;

  // The entry.
  wire [1:0] entry_kind = entry_data_i[1:0];
  wire [2:0] entry_start = entry_data_i[4:2];
  wire [BODY-1:0] body = entry_data_i[`EAR_ENTRY_HEAD_WIDTH+:BODY];
  wire [63:0] order = body[63:0];
  wire [63:0] payload1 = body[127:64];
  wire [63:0] payload2 = body[191:128];
  wire [63:0] ticks;
  generate
    if (TIME != 0) begin : gen_time
      assign ticks = entry_data_i[`EAR_ENTRY_HEAD_WIDTH+BODY+:64];
    end else begin : gen_no_time
      assign ticks = 64'd0;
    end
  endgenerate
  wire is_record = entry_kind == `EAR_ENTRY_RECORD;

  // What there is to do: left over, or of a new reply or entry, or a flush.
  wire predicts = PREDICT != 0;
  wire timed = {6'd0, time_mode_i} != `EAR_TIME_MODE_OFF;
  wire timed_records = {6'd0, time_mode_i} == `EAR_TIME_MODE_RECORD;
  wire sync = predicts ? hard_i : sync_due_q || order[15:0] == 16'd0;
  wire check = predicts && check_i;

  wire plain;    // this record can be counted
  wire joins;    // this record can be held back
  wire held;     // some are held back
  wire counted;  // some are counted
  wire full;     // no more can be
  wire owed = held || counted;
  wire waiting = payload_q != 10'd0 || owed;
  wire flush_due = flush_cycles_i != 32'd0 && (FLUSH_REGISTER != 0 ? waited_q >= flush_cycles_i :
      (waited_q & flush_cycles_i) != 32'd0);
  // A reply ends the frame anyway, and so does nearly every message of raw mode.
  wire flush = waiting && (predicts ? flush_due || (reply_valid_i && reply_flush_i && owed) :
      flush_due && !reply_valid_i && !entry_valid_i);
  wire own = full || flush;
  wire from_reply = reply_valid_i && !own;
  wire from_entry = entry_valid_i && !reply_valid_i && !own;
  wire absorbs = from_entry && is_record && (plain || joins);  // needs no message itself

  reg [MESSAGES-1:0] todo;
  reg                close;  // something comes that GROUP or RUN must precede
  always @* begin
    todo = {MESSAGES{1'b0}};
    close = 1'b0;
    if (busy_q) begin
      todo = todo_q;
    end else begin
      if (own) begin
        close = 1'b1;
        todo[FLUSH] = flush;
      end else if (reply_valid_i) begin
        todo[UNIT] = reply_unit_i;
        todo[REPLY] = 1'b1;
        todo[FLUSH] = 1'b1;
      end else if (entry_valid_i) begin
        case (entry_kind)
          `EAR_ENTRY_RECORD: begin
            todo[CHECK] = check;
            todo[UNIT] = sync;
            todo[SYNC] = sync;
            todo[SYNC_TIME] = timed && (sync || check || time_due_q);
            todo[EVENT] = EVENTS != 0 && entry_start != 3'd0;
            // Left out if it is the time that was sent last, as it is right after a SYNC_TIME.
            todo[RECORD_TIME] = timed_records && !todo[SYNC_TIME] && ticks != last_ticks_q;
            close = todo != {MESSAGES{1'b0}};
            todo[RECORD] = !absorbs;
          end
          `EAR_ENTRY_LOST: begin
            close = 1'b1;
            todo[LOST] = LOSS != 0;
          end
          `EAR_ENTRY_EVENT: begin
            close = 1'b1;
            todo[EVENT] = EVENTS != 0;
          end
          default: begin
            close = 1'b1;
            todo[CHECK] = check;
            todo[STOP] = 1'b1;
            todo[FLUSH] = 1'b1;
          end
        endcase
      end else if (TEST != 0 && test_valid_i) begin
        close = 1'b1;
        todo[TEST_PIECE] = 1'b1;
        todo[FLUSH] = 1'b1;
      end
      // A record message has the run itself, but comes after what is held back, and so does a
      // record that is counted.
      todo[GROUP] = held && (close || (from_entry && !joins));
      todo[RUN] = counted && close && !held;
    end
  end
  wire [MESSAGES-1:0] now = todo & (~todo + ONE);

  // Time: the shortest form, but whole at the first time in a frame.
  wire [63:0] delta = ticks - last_ticks_q;
  wire wide_time = !frame_time_q || delta[63:32] != 32'd0;
  wire [9:0] delta_size = delta[31:16] != 16'd0 ? 10'd5 : delta[15:8] != 8'd0 ? 10'd3 : 10'd2;
  wire [7:0] delta_kind = size_q[2:0] == 3'd5 ? `EAR_MSG_TIME_DELTA4 :
      size_q[2:0] == 3'd3 ? `EAR_MSG_TIME_DELTA2 : `EAR_MSG_TIME_DELTA1;

  // An event of the event port: without its order, if the host knows that of the next record.
  wire order_known = predicts ? !first_q : !sync_due_q && frame_record_q;
  wire short_event = PORT != 0 && !is_record && payload1[39] && order_known && order == expected_q;

  // Size of the message that is planned.
  localparam [15:0] UNIT_SIZE = PREDICT != 0 ? `EAR_MSG_SIZE_UNIT_PREDICT : `EAR_MSG_SIZE_UNIT;
  wire [9:0] record_size;
  reg  [15:0] size;
  always @* begin
    size = {6'd0, record_size};
    if (now[UNIT]) size = UNIT_SIZE;
    if (now[SYNC]) size = `EAR_MSG_SIZE_SYNC;
    if (now[CHECK]) size = `EAR_MSG_SIZE_CHECK;
    if (now[SYNC_TIME] || now[RECORD_TIME])
      size = wide_time ? `EAR_MSG_SIZE_TIME : {6'd0, delta_size};
    if (now[EVENT]) size = short_event ? `EAR_MSG_SIZE_PORT : `EAR_MSG_SIZE_EVENT;
    if (now[LOST]) size = `EAR_MSG_SIZE_LOST;
    if (now[STOP]) size = `EAR_MSG_SIZE_STOP;
    if (now[REPLY]) size = `EAR_MSG_SIZE_REPLY;
    if (now[TEST_PIECE]) size = `EAR_MSG_SIZE_TEST;
  end

  // The chunks of records.
  wire plan = state_q == STATE_PLAN;
  wire free = plan && !busy_q;  // something new is looked for
  wire emit = state_q == STATE_EMIT;
  wire fits = {6'd0, payload_q} + size_q <= `EAR_FRAME_PAYLOAD_MAX;
  wire taken = emit && fits && chunk_ready_i;
  wire is_records = now_q[GROUP] || now_q[RUN] || now_q[RECORD];
  wire [8*CHUNK-1:0] record_data;
  wire [3:0] record_count;
  wire record_last;
`ifdef FORMAL
  wire [2:0] in_flight;
`endif
  wire absorb;  // take the entry in without a message of its own

  generate
    if (PREDICT != 0 && SINGLE != 0) begin : gen_single
      wire [31:0] single_data;
      ear_predict_encoder_single u_predict_encoder (
          .clk_i    (clk_i),
          .rst_ni   (rst_ni),
          .body_i   (body),
          .mask_i   (mask_i),
          .delta_i  (delta_i),
          .plain_o  (plain),
          .full_o   (full),
          .counted_o(counted),
          .take_i   (absorb),
          .start_i  (plan && (now[RUN] || now[RECORD])),
          .run_i    (plan ? now[RUN] : now_q[RUN]),
          .size_o   (record_size),
          .ready_i  (taken && is_records),
          .data_o   (single_data),
          .count_o  (record_count),
`ifdef FORMAL
          .in_flight_o(in_flight),
`endif
          .last_o   (record_last)
      );
      assign record_data = {{(8 * CHUNK - 32) {1'b0}}, single_data};
      assign joins = 1'b0;
      assign held = 1'b0;
      wire unused = &{1'b0, frame_record_q, sync_due_q, expected_q, from_number_i, number_i};
    end else if (PREDICT != 0) begin : gen_predict
      ear_predict_encoder #(
          .XLEN     (XLEN),
          .CSR_SLOTS(CSR_SLOTS),
          .FLEN     (FLEN),
          .PADDR    (PADDR),
          .OPERANDS (OPERANDS),
          .CHUNK    (CHUNK)
      ) u_predict_encoder (
          .clk_i        (clk_i),
          .rst_ni       (rst_ni),
          .body_i       (body),
          .mask_i       (mask_i),
          .from_number_i(from_number_i),
          .number_i     (number_i),
          .delta_i      (delta_i),
          .plain_o      (plain),
          .joins_o      (joins),
          .held_o       (held),
          .full_o       (full),
          .counted_o    (counted),
          .take_i       (absorb),
          .start_i      (plan && (now[GROUP] || now[RUN] || now[RECORD])),
          .group_i      (now[GROUP]),
          .run_i        (now[RUN]),
          .size_o       (record_size),
          .ready_i      (taken && is_records),
          .data_o       (record_data),
          .count_o      (record_count),
`ifdef FORMAL
          .in_flight_o  (in_flight),
`endif
          .last_o       (record_last)
      );
      wire unused = &{1'b0, frame_record_q, sync_due_q, expected_q};
    end else begin : gen_raw
      ear_raw_encoder #(
          .XLEN     (XLEN),
          .CSR_SLOTS(CSR_SLOTS),
          .FLEN     (FLEN),
          .PADDR    (PADDR),
          .OPERANDS (OPERANDS),
          .CHUNK    (CHUNK)
      ) u_raw_encoder (
          .clk_i  (clk_i),
          .rst_ni (rst_ni),
          .body_i (body),
          .order_i(!frame_record_q || order != expected_q),
          .start_i(plan && now[RECORD]),
          .size_o (record_size),
          .ready_i(taken && now_q[RECORD]),
          .data_o (record_data),
          .count_o(record_count),
          .last_o (record_last)
      );
      assign plain = 1'b0;
      assign joins = 1'b0;
      assign held = 1'b0;
      assign full = 1'b0;
      assign counted = 1'b0;
      wire unused = &{
        1'b0, absorb, time_due_q, hard_i, check_i, mask_i, from_number_i, number_i, delta_i,
        reply_flush_i
      };
    end
  endgenerate

  // The chunks of all other messages.
  localparam [7:0] UNIT_MODE = PREDICT != 0 ? `EAR_UNIT_MODE_PREDICT : `EAR_UNIT_MODE_RAW;
  localparam [7:0] UNIT_BEHIND = UNIT_SIZE[7:0] - 8'd2;
  localparam [2:0] UNIT_LAST = PREDICT != 0 ? 3'd4 : 3'd3;  // its last chunk, of four bytes
  wire [319:0] unit = {
    32'd0, GEOMETRY, 32'd0, BUFFERS, CLOCK_HZ, HART, 2'd0, ACCESSES == 0, RESULTS == 0,
    filter_on_i, time_mode_i, drop_i, UNIT_MODE, FEATURES, SHAPE, UNIT_VERSION,
    `EAR_PROTOCOL_MINOR, `EAR_PROTOCOL_MAJOR, UNIT_BEHIND, `EAR_MSG_UNIT
  };
  wire [7:0] sync_flags = `EAR_SYNC_HARD | (first_q ? `EAR_SYNC_FIRST : 8'd0);
  wire [7:0] event_source = is_record ? `EAR_EVENT_START_TRIGGER : payload1[39:32];
  wire [31:0] event_value = is_record ? {29'd0, entry_start} : payload1[31:0];

  reg [63:0] data;
  reg [3:0] count;
  reg last;
  always @* begin
    data  = 64'd0;
    count = 4'd8;
    last  = 1'b0;
    if (now_q[UNIT]) begin
      data  = unit[64*step_q+:64];
      count = step_q == UNIT_LAST ? 4'd4 : 4'd8;
      last  = step_q == UNIT_LAST;
    end
    if (now_q[SYNC]) begin
      data  = step_q == 3'd0 ? {48'd0, sync_flags, `EAR_MSG_SYNC} : order;
      count = step_q == 3'd0 ? 4'd2 : 4'd8;
      last  = step_q == 3'd1;
    end
    if (now_q[CHECK]) begin
      data  = step_q == 3'd0 ? {check_digest_i[23:0], check_pc_i, `EAR_MSG_CHECK} :
          {56'd0, check_digest_i[31:24]};
      count = step_q == 3'd0 ? 4'd8 : 4'd1;
      last  = step_q == 3'd1;
    end
    if (now_q[SYNC_TIME] || now_q[RECORD_TIME]) begin
      data = !wide_time_q ? {24'd0, delta[31:0], delta_kind} :
          step_q == 3'd0 ? {56'd0, `EAR_MSG_TIME} : ticks;
      count = !wide_time_q ? size_q[3:0] : step_q == 3'd0 ? 4'd1 : 4'd8;
      last = !wide_time_q || step_q == 3'd1;
    end
    if (now_q[EVENT]) begin
      data = step_q == 3'd0 ? {48'd0, event_source, `EAR_MSG_EVENT} :
          step_q == 3'd1 ? order : {32'd0, event_value};
      count = step_q == 3'd0 ? 4'd2 : step_q == 3'd1 ? 4'd8 : 4'd4;
      last = step_q == 3'd2;
      if (PORT != 0 && short_event_q) begin
        data  = {16'd0, event_value, event_source, `EAR_MSG_PORT};
        count = 4'd6;
        last  = 1'b1;
      end
    end
    if (now_q[LOST]) begin
      case (step_q[1:0])
        2'd0: data = {48'd0, `EAR_LOST_FIFO_FULL, `EAR_MSG_LOST};
        2'd1: data = payload1;
        2'd2: data = order;
        default: data = payload2;
      endcase
      count = step_q == 3'd0 ? 4'd2 : 4'd8;
      last  = step_q == 3'd3;
    end
    if (now_q[STOP]) begin
      case (step_q)
        3'd0: data = {48'd0, payload1[7:0], `EAR_MSG_STOP};
        3'd1: data = retired_i;
        3'd2: data = delivered_i;
        3'd3: data = lost_i;
        default: data = filtered_i;
      endcase
      count = step_q == 3'd0 ? 4'd2 : 4'd8;
      last  = step_q == 3'd4;
    end
    if (now_q[REPLY]) begin
      data = step_q == 3'd0 ?
          {reply_value_i[23:0], reply_address_i, reply_status_i, reply_tag_i, `EAR_MSG_REPLY} :
          {56'd0, reply_value_i[31:24]};
      count = step_q == 3'd0 ? 4'd8 : 4'd1;
      last = step_q == 3'd1;
    end
    if (now_q[TEST_PIECE]) begin
      data  = {32'd0, test_data_i};
      count = 4'd4;
      last  = test_last_i;
    end
  end

  wire message_last = is_records ? record_last : last;
  wire done = taken && message_last;  // the message at hand is complete
  wire [MESSAGES-1:0] left = todo_q & ~now_q;
  wire pad = state_q == STATE_PAD && payload_q[1:0] != 2'd0;
  wire frame_end = state_q == STATE_END && idle_i;
  wire flushed = frame_end && now_q[FLUSH];  // the end of the frame was the message at hand
  wire finished = (done && left == {MESSAGES{1'b0}}) || flushed;  // entry, reply or flush

  assign chunk_valid_o = (emit && fits) || pad;
  assign chunk_data_o = pad ? {CHUNK{`EAR_MSG_PAD}} : is_records ? record_data :
      {{(8 * (CHUNK - 8)) {1'b0}}, data};
  assign chunk_count_o = pad ? {2'd0, 2'd0 - payload_q[1:0]} : is_records ? record_count : count;
  assign frame_end_o = frame_end;
  assign delivered_o = entry_ready_o && is_record;
  assign stop_sent_o = flushed && from_entry_q;  // of all entries only STOP ends the frame
  // A record without a message of its own is taken at once, or right after what had to go
  // before it, so that no reply comes between.
  assign absorb = busy_q ? finished && from_entry_q && is_record && (plain || joins) :
      plan && absorbs && todo == {MESSAGES{1'b0}};
  assign entry_ready_o = (finished && from_entry_q) || absorb;
  assign reply_ready_o = finished && from_reply_q;
  assign test_start_o = plan && now[TEST_PIECE];
  assign test_ready_o = taken && now_q[TEST_PIECE];

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= STATE_PLAN;
      busy_q <= 1'b0;
      from_reply_q <= 1'b0;
      from_entry_q <= 1'b0;
      todo_q <= {MESSAGES{1'b0}};
      now_q <= {MESSAGES{1'b0}};
      size_q <= 16'd0;
      step_q <= 3'd0;
      wide_time_q <= 1'b0;
      short_event_q <= 1'b0;
    end else begin
      case (state_q)
        STATE_PLAN:
        if (todo != {MESSAGES{1'b0}}) begin
          if (!busy_q) begin
            from_reply_q <= from_reply;
            from_entry_q <= from_entry;
          end
          busy_q <= 1'b1;
          todo_q <= todo;
          now_q <= now;
          size_q <= size;
          step_q <= 3'd0;
          wide_time_q <= wide_time;
          short_event_q <= short_event;
          state_q <= now[FLUSH] ? STATE_PAD : STATE_EMIT;
        end
        STATE_EMIT: begin
          if (taken) step_q <= step_q + 3'd1;
          if (done) begin
            todo_q <= left;
            busy_q <= left != {MESSAGES{1'b0}};
          end
          if (!fits) state_q <= STATE_PAD;
          else if (done) state_q <= STATE_PLAN;
        end
        STATE_PAD: if (!pad || chunk_ready_i) state_q <= STATE_END;
        default:  // STATE_END
        if (idle_i) begin
          if (flushed) busy_q <= 1'b0;
          state_q <= STATE_PLAN;
        end
      endcase
    end
  end

  // What the next message depends on.
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      payload_q <= 10'd0;
      frame_record_q <= 1'b0;
      frame_time_q <= 1'b0;
      sync_due_q <= 1'b1;
      first_q <= 1'b0;
      time_due_q <= 1'b0;
      expected_q <= 64'd0;
      last_ticks_q <= 64'd0;
    end else begin
      if (frame_end) begin
        payload_q <= 10'd0;
        frame_record_q <= 1'b0;
        frame_time_q <= 1'b0;
      end else if (done) begin
        payload_q <= payload_q + size_q[9:0];
        if (now_q[RECORD]) frame_record_q <= 1'b1;
        if (now_q[SYNC_TIME] || now_q[RECORD_TIME]) frame_time_q <= 1'b1;
      end
      if (begin_i || (done && now_q[LOST])) sync_due_q <= 1'b1;
      else if (done && now_q[SYNC]) sync_due_q <= 1'b0;
      if (begin_i) first_q <= 1'b1;
      else if (done && now_q[SYNC]) first_q <= 1'b0;
      if (done && now_q[LOST]) time_due_q <= 1'b1;
      else if (delivered_o) time_due_q <= 1'b0;
      if (done && now_q[SYNC]) expected_q <= order;
      else if (PORT != 0 && predicts ? delivered_o : done && now_q[RECORD])
        expected_q <= order + 64'd1;
      else if (PORT != 0 && done && now_q[LOST]) expected_q <= payload2 + 64'd1;
      if (done && (now_q[SYNC_TIME] || now_q[RECORD_TIME])) last_ticks_q <= ticks;
    end
  end

  // As long as something waits: raw mode: clocks since the last message. Predict mode: clocks since
  // it began to wait, but for those in which a message is being sent. Messages and frames that are
  // full do not begin it anew: an endless run is a short message now and then, which fills no
  // frame.
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waited_q <= 32'd0;
    end else if (predicts) begin
      if (free && (!waiting || flush)) waited_q <= 32'd0;
      else if (free && !flush_due) waited_q <= waited_q + 32'd1;
    end else begin
      if (done || frame_end || !waiting) waited_q <= 32'd0;
      else if (!flush_due) waited_q <= waited_q + 32'd1;
    end
  end

`ifdef FORMAL
  // For hdl/formal, predict mode. An accepted record is counted or held, or its message is
  // complete, and exactly one of these; the rest is what that follows from.
  wire entry_at_hand = busy_q && from_entry_q;
  always @* begin
    if (rst_ni) begin
      assert (delivered_o == (absorb || (done && now_q[RECORD])));
      assert (!(absorb && done && now_q[RECORD]));
      assert (!absorb || entry_ready_o);

      assert (state_q <= STATE_END);
      assert (state_q == STATE_PLAN || busy_q);
      if (busy_q) assert (todo_q != {MESSAGES{1'b0}});
      if (state_q != STATE_PLAN) assert (now_q == (todo_q & (~todo_q + ONE)));
      assert (!(busy_q && from_reply_q && from_entry_q));
      assert (!entry_at_hand || entry_valid_i);
      // What is owed goes first, and is sent before the entry at hand is taken.
      if (entry_at_hand) begin
        assert (!held || todo_q[GROUP]);
        assert (!counted || todo_q[GROUP] || todo_q[RUN] || todo_q[RECORD]);
        assert (todo_q[RECORD] == (is_record && !plain && !joins));
        assert (!is_record || todo_q[MESSAGES-1:LOST] == 5'd0);
      end else if (busy_q) begin
        assert (!todo_q[RECORD]);
      end
      // A message that was planned is the one at hand, until it is complete.
      if (state_q != STATE_PLAN || in_flight != 3'b000) begin
        assert (busy_q && now == now_q);
        assert (in_flight == {now_q[RECORD], now_q[RUN], now_q[GROUP]});
      end
      // The message at hand has what the predict encoder was asked for.
      if (busy_q && todo_q[GROUP]) assert (held);
      if (busy_q && todo_q[RUN]) assert (counted && !held);
    end
  end
`endif
endmodule
`default_nettype wire
