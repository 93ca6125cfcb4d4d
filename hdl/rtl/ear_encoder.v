// Turn entries and replies into messages, in the order and with the frame ends of docs/protocol.md,
// sections 2 and 5. decoder/encoder.c is the same in C, and the bytes must be the same.
//
// Everything that an entry needs (UNIT, SYNC, TIME, EVENT, the record) is a set bit in todo. The
// messages of one entry are worked off from the lowest bit: one clock to plan a message (is it
// needed, how long is it), then its chunks. A message that does not fit into the frame ends it
// first and is then planned anew, because what it must carry depends on the frame.
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
    parameter [31:0] BUFFERS      = 32'd0,
    parameter        CHUNK        = 8,      // bytes
    parameter        BODY         = `EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS),  // derived
    parameter        ENTRY        = BODY + `EAR_ENTRY_HEAD_WIDTH + (TIME != 0 ? 64 : 0)  // derived
) (
    input wire clk_i,
    input wire rst_ni,

    // Entries. The encoder takes one when its last byte is on the way.
    input  wire             entry_valid_i,
    output wire             entry_ready_o,
    input  wire [ENTRY-1:0] entry_data_i,

    // Replies: a UNIT message first if asked for.
    input  wire        reply_valid_i,
    output wire        reply_ready_o,
    input  wire        reply_unit_i,
    input  wire [ 7:0] reply_tag_i,
    input  wire [ 7:0] reply_status_i,
    input  wire [15:0] reply_address_i,
    input  wire [31:0] reply_value_i,

    // Registers and counters.
    input wire        begin_i,         // a capture begins: a sync is due
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
  // Messages in the order in which they are worked off.
  localparam UNIT = 0;
  localparam SYNC = 1;
  localparam SYNC_TIME = 2;    // the TIME that belongs to a SYNC
  localparam EVENT = 3;        // of the start trigger, or an EVENT marker
  localparam RECORD_TIME = 4;  // before a record whose time differs
  localparam RECORD = 5;
  localparam LOST = 6;
  localparam STOP = 7;
  localparam REPLY = 8;
  localparam FLUSH = 9;        // end the frame
  localparam MESSAGES = 10;
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
  reg                sync_due_q;
  reg [        63:0] expected_q;        // order of the next record
  reg [        63:0] last_ticks_q;
  reg                wide_time_q;       // this time message is a TIME
  reg [        31:0] idle_cycles_q;

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
  wire timed = {6'd0, time_mode_i} != `EAR_TIME_MODE_OFF;
  wire timed_records = {6'd0, time_mode_i} == `EAR_TIME_MODE_RECORD;
  wire sync = sync_due_q || order[15:0] == 16'd0;
  wire flush_due = flush_cycles_i != 32'd0 && idle_cycles_q >= flush_cycles_i;

  reg [MESSAGES-1:0] todo;
  always @* begin
    todo = {MESSAGES{1'b0}};
    if (busy_q) begin
      todo = todo_q;
    end else if (reply_valid_i) begin
      todo[UNIT] = reply_unit_i;
      todo[REPLY] = 1'b1;
      todo[FLUSH] = 1'b1;
    end else if (entry_valid_i) begin
      case (entry_kind)
        `EAR_ENTRY_RECORD: begin
          todo[UNIT] = sync;
          todo[SYNC] = sync;
          todo[SYNC_TIME] = sync && timed;
          todo[EVENT] = entry_start != 3'd0;
          todo[RECORD_TIME] = timed_records;
          todo[RECORD] = 1'b1;
        end
        `EAR_ENTRY_LOST: todo[LOST] = 1'b1;
        `EAR_ENTRY_EVENT: todo[EVENT] = 1'b1;
        default: begin
          todo[STOP] = 1'b1;
          todo[FLUSH] = 1'b1;
        end
      endcase
    end else begin
      todo[FLUSH] = flush_due && payload_q != 10'd0;
    end
    // A record's time is left out if it is the one that was told last, which it always is right
    // after the SYNC's.
    if (!todo[SYNC_TIME] && ticks == last_ticks_q) todo[RECORD_TIME] = 1'b0;
  end
  wire [MESSAGES-1:0] now = todo & (~todo + ONE);

  // Time: the shortest form, but whole at the first time in a frame.
  wire [63:0] delta = ticks - last_ticks_q;
  wire wide_time = !frame_time_q || delta[63:32] != 32'd0;
  wire [9:0] delta_size = delta[31:16] != 16'd0 ? 10'd5 : delta[15:8] != 8'd0 ? 10'd3 : 10'd2;
  wire [7:0] delta_kind = size_q[2:0] == 3'd5 ? `EAR_MSG_TIME_DELTA4 :
      size_q[2:0] == 3'd3 ? `EAR_MSG_TIME_DELTA2 : `EAR_MSG_TIME_DELTA1;

  // Size of the message that is planned.
  wire [9:0] record_size;
  reg  [15:0] size;
  always @* begin
    size = {6'd0, record_size};
    if (now[UNIT]) size = `EAR_MSG_SIZE_UNIT;
    if (now[SYNC]) size = `EAR_MSG_SIZE_SYNC;
    if (now[SYNC_TIME] || now[RECORD_TIME]) size = wide_time ? `EAR_MSG_SIZE_TIME : {6'd0, delta_size};
    if (now[EVENT]) size = `EAR_MSG_SIZE_EVENT;
    if (now[LOST]) size = `EAR_MSG_SIZE_LOST;
    if (now[STOP]) size = `EAR_MSG_SIZE_STOP;
    if (now[REPLY]) size = `EAR_MSG_SIZE_REPLY;
  end

  // The chunks of a record.
  wire plan = state_q == STATE_PLAN;
  wire emit = state_q == STATE_EMIT;
  wire fits = {6'd0, payload_q} + size_q <= `EAR_FRAME_PAYLOAD_MAX;
  wire taken = emit && fits && chunk_ready_i;
  wire [8*CHUNK-1:0] record_data;
  wire [3:0] record_count;
  wire record_last;

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

  // The chunks of all other messages.
  wire [223:0] unit = {
    32'd0, BUFFERS, CLOCK_HZ, HART, 4'd0, filter_on_i, time_mode_i, drop_i, 8'd0, FEATURES, SHAPE,
    UNIT_VERSION, `EAR_PROTOCOL_MINOR, `EAR_PROTOCOL_MAJOR, 8'd26, `EAR_MSG_UNIT
  };
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
      data  = step_q == 3'd3 ? {32'd0, unit[223:192]} : unit[64*step_q[1:0]+:64];
      count = step_q == 3'd3 ? 4'd4 : 4'd8;
      last  = step_q == 3'd3;
    end
    if (now_q[SYNC]) begin
      data  = step_q == 3'd0 ? {48'd0, `EAR_SYNC_HARD, `EAR_MSG_SYNC} : order;
      count = step_q == 3'd0 ? 4'd2 : 4'd8;
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
  end

  wire message_last = now_q[RECORD] ? record_last : last;
  wire done = taken && message_last;  // the message at hand is complete
  wire [MESSAGES-1:0] left = todo_q & ~now_q;
  wire pad = state_q == STATE_PAD && payload_q[1:0] != 2'd0;
  wire frame_end = state_q == STATE_END && idle_i;
  wire flushed = frame_end && now_q[FLUSH];  // the end of the frame was the message at hand
  wire finished = (done && left == {MESSAGES{1'b0}}) || flushed;  // entry, reply or flush

  assign chunk_valid_o = (emit && fits) || pad;
  assign chunk_data_o = pad ? {CHUNK{`EAR_MSG_PAD}} : now_q[RECORD] ? record_data :
      {{(8 * (CHUNK - 8)) {1'b0}}, data};
  assign chunk_count_o = pad ? {2'd0, 2'd0 - payload_q[1:0]} : now_q[RECORD] ? record_count : count;
  assign frame_end_o = frame_end;
  assign delivered_o = done && now_q[RECORD];
  assign stop_sent_o = flushed && from_entry_q;  // of all entries only STOP ends the frame
  assign entry_ready_o = finished && from_entry_q;
  assign reply_ready_o = finished && from_reply_q;

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
    end else begin
      case (state_q)
        STATE_PLAN:
        if (todo != {MESSAGES{1'b0}}) begin
          if (!busy_q) begin
            from_reply_q <= reply_valid_i;
            from_entry_q <= !reply_valid_i && entry_valid_i;
          end
          busy_q <= 1'b1;
          todo_q <= todo;
          now_q <= now;
          size_q <= size;
          step_q <= 3'd0;
          wide_time_q <= wide_time;
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
      if (done && now_q[SYNC]) expected_q <= order;
      else if (done && now_q[RECORD]) expected_q <= order + 64'd1;
      if (done && (now_q[SYNC_TIME] || now_q[RECORD_TIME])) last_ticks_q <= ticks;
    end
  end

  // Clocks since the last message, as long as something waits.
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) idle_cycles_q <= 32'd0;
    else if (done || frame_end || payload_q == 10'd0) idle_cycles_q <= 32'd0;
    else if (!flush_due) idle_cycles_q <= idle_cycles_q + 32'd1;
  end
endmodule
`default_nettype wire
