// SPDX-License-Identifier: Apache-2.0
// Decide what becomes of every entry of the retire port, and count it.
//
// Each entry that is offered while a capture is enabled is counted as retired and then becomes
// exactly one of: filtered (the filter or a trigger held it back), pushed into the record FIFO
// (and later delivered), or lost. With LOSS 0 one without room would only be counted as retired.
// Markers for LOST, EVENT and STOP go through the same FIFO, so what the host reads is in the
// order in which it happened.
//
// A capture: IDLE, then ARMED while the start trigger has not fired, then ON, then the three CLOSE
// states push what is owed, and DRAIN waits until STOP is on the wire. The counters do not change
// from CLOSE on until the next capture begins.
//
// Loss (docs/protocol.md, section 6): a record that finds the FIFO full starts a gap; the gap ends
// when the FIFO has run empty and, with policy drop, the payload buffer has drained to its low
// mark: else a few records would fill it again, and most of the link would carry what a gap costs.
// Then the LOST marker is the first thing in the FIFO. With policy stall stall_o rises early enough
// that no record is lost, as long as the core keeps its word (STALL_SLACK). If it does not, the
// loss is reported all the same, and the core is held until the gap has ended.
`include "ear_protocol.vh"
`include "ear_entry.vh"
`default_nettype none
module ear_capture #(
    parameter NRET         = 1,   // channels: 1 or 2
    parameter BODY         = 422, // bits of a body
    parameter TRIGGER      = 1,
    parameter TIME         = 1,
    parameter LATENCY      = 2,   // clocks from the retire port to here
    parameter COUNTER_BITS = 64,  // of the records lost in one gap, 32 to 64
    parameter DIRECT       = 0,   // 1: the FIFO is one entry, and the core is held while it is full
    parameter EVENTS       = 1,   // 0: there is no event port
    parameter MISMATCH     = 0,   // 1: the predictor reports wrong results
    parameter PORT         = 0,   // entries: room in the FIFO for events of the event port; 0: none
    parameter LOSS         = 1,   // 0: no entry comes without room
    parameter HELD         = 0,   // 1: held clocks are counted
    parameter ENDED_CLOCKS = 0,   // clocks without an entry that end a capture after ended_i
    parameter STALL_SLACK  = 0,   // entries that may come after stall_o has risen
    parameter ENTRY        = BODY + `EAR_ENTRY_HEAD_WIDTH + (TIME != 0 ? 64 : 0)  // derived
) (
    input wire clk_i,
    input wire rst_ni,

    // Entries, LATENCY clocks after they retired, with the verdict of filter and matchers.
    input wire [     NRET-1:0] valid_i,
    input wire [NRET*BODY-1:0] body_i,
    input wire [     NRET-1:0] pass_i,
    input wire [     NRET-1:0] start_match_i,
    input wire [     NRET-1:0] stop_match_i,
    input wire                 ended_i,  // LATENCY clocks late too
    input wire                 pin_i,

    // Registers.
    input  wire        enable_i,
    input  wire        drop_i,         // policy of this capture
    input  wire [ 3:0] start_kind_i,
    input  wire [63:0] start_value_i,
    input  wire [ 3:0] stop_kind_i,
    input  wire [63:0] stop_value_i,
    output wire        begin_o,        // a capture begins in the next clock
    output wire        finished_o,     // trigger or end of program ended it: clears CONTROL.ENABLE
    output wire        idle_o,         // no capture, and the last one is on the wire
    output wire        armed_o,
    output wire        on_o,
    output wire        losing_o,

    // Event port.
    input  wire        event_valid_i,
    input  wire [31:0] event_data_i,
    output wire        event_ready_o,

    // The first wrong result of a capture: an EVENT that waits for the port's. seen: it stays so.
    input  wire        mismatch_valid_i,
    input  wire [31:0] mismatch_order_i,
    output wire        mismatch_ready_o,
    input  wire        mismatch_seen_i,

    // Markers of the event port (ear_port_events), taken in the clock in which they are due.
    input  wire        port_valid_i,
    output wire        port_ready_o,
    input  wire [ 7:0] port_source_i,
    input  wire [31:0] port_value_i,
    input  wire [63:0] port_order_i,
    input  wire        port_waits_i,  // an event is on its way here
    input  wire        port_late_i,   // it is due since a clock before this one
    output wire        port_close_o,  // the capture ends: everything is due
    output wire        roomy_o,
    output wire [63:0] next_order_o,

    // Time, and what to add to the counters in this clock.
    input  wire [63:0] time_i,
    output wire [ 1:0] retired_o,
    output wire [ 1:0] lost_o,
    output wire [ 1:0] filtered_o,
    output wire        running_o,
    output wire        held_o,     // the core was held when the entries of this clock retired
    input  wire [63:0] held_i,     // in how many clocks of this capture it was

    // Record FIFO.
    output wire [           1:0] push_count_o,
    output wire [NRET*ENTRY-1:0] push_data_o,
    input  wire [          15:0] free_i,
    input  wire                  empty_i,

    input wire drained_i,  // the payload buffer is down to its low mark

    input  wire stop_sent_i,  // the encoder has written STOP
    output wire stall_o
);
  localparam HEAD = `EAR_ENTRY_HEAD_WIDTH;
  localparam ONLY_STOP = LOSS == 0 && EVENTS == 0 && TRIGGER == 0 && MISMATCH == 0 && PORT == 0;
  localparam MARKER = 192;  // order and two payloads
  localparam [63:0] COUNTER_MASK = {64{1'b1}} >> (64 - COUNTER_BITS);

  localparam [2:0] STATE_IDLE = 3'd0;
  localparam [2:0] STATE_ARMED = 3'd1;
  localparam [2:0] STATE_ON = 3'd2;
  localparam [2:0] STATE_CLOSE_EVENT = 3'd3;  // owed: EVENT of port and stop trigger
  localparam [2:0] STATE_CLOSE_LOST = 3'd4;   // owed: LOST
  localparam [2:0] STATE_CLOSE_STOP = 3'd5;   // owed: STOP
  localparam [2:0] STATE_DRAIN = 3'd6;
  localparam [2:0] STATE_CLOSE_HELD = 3'd7;   // before CLOSE_STOP: owed: EVENTs of the held clocks

  // stall_o is two registers after free_i. When free_i shows the threshold, this much may still
  // come: what is in the LATENCY stages, what retires in this clock, and the slack; and the
  // clock before may have brought NRET entries beyond the threshold and an event; and those of the
  // event port come in their own clock, whatever room there is.
  localparam [31:0] THRESHOLD = NRET * (LATENCY + 2) + STALL_SLACK + 1 + PORT;

  reg  [ 2:0] state_q;
  reg  [ 7:0] reason_q;
  reg         stop_fired_q;
  reg  [2:0] start_fired_q;  // kind of the start trigger, until a record carries it away
  reg        losing_q;
  reg [63:0] lost_count_q;
  reg [63:0] lost_first_q;
  reg [63:0] lost_last_q;
  reg [63:0] next_order_q;   // one after the last entry seen
  reg        event_q;
  reg        event_mismatch_q;  // it is not of the port
  reg [31:0] event_data_q;
  reg [63:0] event_order_q;
  reg        stall_q;
  wire       held_high;

  wire armed = state_q == STATE_ARMED;
  wire on = state_q == STATE_ON;

  // stall_o as it was when the entries of this clock retired. An entry that comes all the same
  // shows that the core was not held.
  wire stalled;
  generate
    if (HELD == 0 || LATENCY == 0) begin : gen_stalled_now
      assign stalled = stall_o;
    end else begin : gen_stalled
      reg [1:0] stalled_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) stalled_q <= 2'd0;
        else stalled_q <= {stalled_q[0], stall_o};
      end
      assign stalled = LATENCY == 1 ? stalled_q[0] : stalled_q[1];
    end
  endgenerate
  assign held_o = HELD != 0 && stalled && valid_i == {NRET{1'b0}};

  // Triggers that fire on a clock rather than on a record, and the n-th record since arming.
  wire       start_clock;
  wire       stop_clock;
  wire [1:0] start_nth;
  wire [1:0] stop_nth;
  reg  [1:0] start_records;
  reg  [1:0] stop_records;
  wire       start_none = TRIGGER == 0 || {4'd0, start_kind_i} == `EAR_TRIGGER_NONE;
  wire       starts = armed && (start_none || start_clock);
  wire       stops = (on || starts) && stop_clock;

  generate
    if (TRIGGER != 0) begin : gen_trigger
      ear_trigger_count u_start (
          .clk_i    (clk_i),
          .rst_ni   (rst_ni),
          .kind_i   (start_kind_i),
          .value_i  (start_value_i),
          .pin_i    (pin_i),
          .mismatch_i(1'b0),
          .armed_i  (armed),
          .hold_i   (held_o),
          .records_i(start_records),
          .clock_o  (start_clock),
          .nth_o    (start_nth)
      );
      ear_trigger_count u_stop (
          .clk_i    (clk_i),
          .rst_ni   (rst_ni),
          .kind_i   (stop_kind_i),
          .value_i  (stop_value_i),
          .pin_i    (pin_i),
          .mismatch_i(MISMATCH != 0 && mismatch_seen_i),
          .armed_i  (on || starts),
          .hold_i   (held_o),
          .records_i(stop_records),
          .clock_o  (stop_clock),
          .nth_o    (stop_nth)
      );
    end else begin : gen_no_trigger
      wire unused = &{
        1'b0, start_value_i, stop_value_i, pin_i, start_records, stop_records, mismatch_seen_i
      };
      assign start_clock = 1'b0;
      assign stop_clock  = 1'b0;
      assign start_nth   = 2'd0;
      assign stop_nth    = 2'd0;
    end
  endgenerate

  // The end of the program. What the core has begun retires after ended_i, and must not be left
  // out in silence: the capture continues until the core has been quiet for ENDED_CLOCKS, and at
  // most 16 times as long. A core that is not quiet even then is reported in the reason of STOP. A
  // core that is held is quiet for that reason alone, so these clocks do not count.
  wire ended;
  wire quiet;
  generate
    if (ENDED_CLOCKS != 0) begin : gen_ended
      localparam WIDTH = $clog2(ENDED_CLOCKS) + 1;
      localparam [WIDTH-1:0] ONE = 1;
      reg [WIDTH-1:0] quiet_q;  // clocks without an entry; the highest bit: enough
      reg [WIDTH+3:0] since_q;  // clocks since ended_i rose; the highest bit: too many
      assign quiet = quiet_q[WIDTH-1];
      assign ended = ended_i && (quiet || since_q[WIDTH+3]);
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          quiet_q <= {WIDTH{1'b0}};
          since_q <= {(WIDTH + 4) {1'b0}};
        end else begin
          if (!ended_i || valid_i != {NRET{1'b0}}) quiet_q <= {WIDTH{1'b0}};
          else if (!quiet && !stall_o) quiet_q <= quiet_q + ONE;
          if (!ended_i) since_q <= {(WIDTH + 4) {1'b0}};
          else if (!since_q[WIDTH+3] && !stall_o) since_q <= since_q + {4'd0, ONE};
        end
      end
    end else begin : gen_ended_at_once
      assign quiet = 1'b1;
      assign ended = ended_i;
    end
  endgenerate

  // An event that found the FIFO full is older than what retires now. With policy drop that is
  // lost, or it would be in front of the event.
  wire port_blocks = PORT != 0 && drop_i && port_late_i;

  // The entries of this clock, one after the other. Slot j of the FIFO's write port gets the
  // record of channel slot_channel[j].
  reg         live;       // the capture is running when it is entry k's turn
  reg         recording;  // and the start trigger has fired
  reg         stop_hit;
  reg  [ 2:0] start_fired;
  reg         losing;
  reg  [ 1:0] pushed;
  reg  [ 1:0] retired;
  reg  [ 1:0] lost;
  reg  [ 1:0] filtered;
  reg  [63:0] lost_first;
  reg  [63:0] lost_last;
  reg  [63:0] next_order;
  reg  [ 1:0] slot_channel;
  reg  [ 5:0] slot_start;
  integer     k;

  always @* begin
    live = (armed || on) && enable_i && !stops;
    recording = on || starts;
    stop_hit = 1'b0;
    start_fired = starts && !start_none ? start_kind_i[2:0] : start_fired_q;
    losing = losing_q;
    pushed = 2'd0;
    retired = 2'd0;
    lost = 2'd0;
    filtered = 2'd0;
    lost_first = lost_first_q;
    lost_last = lost_last_q;
    next_order = next_order_q;
    slot_channel = 2'd0;
    slot_start = 6'd0;
    start_records = 2'd0;
    stop_records = 2'd0;

    for (k = 0; k < NRET; k = k + 1) begin
      if (valid_i[k] && live) begin
        retired = retired + 2'd1;
        next_order = body_i[k*BODY+:64] + 64'd1;
        if (!recording && (start_match_i[k] || start_nth[start_records[0]])) begin
          recording   = 1'b1;
          start_fired = start_kind_i[2:0];
        end
        start_records = start_records + 2'd1;

        if (!recording || !pass_i[k]) begin
          filtered = filtered + 2'd1;
        end else if (LOSS == 0 && free_i == {14'd0, pushed}) begin
          lost = 2'd0;  // the counters show that it is missing
        end else if (losing || free_i == {14'd0, pushed} || port_blocks) begin
          if (!losing) lost_first = body_i[k*BODY+:64];
          lost_last = body_i[k*BODY+:64];
          losing = 1'b1;
          lost = lost + 2'd1;
        end else begin
          slot_channel[pushed[0]] = k != 0;
          slot_start[3*pushed[0]+:3] = start_fired;
          start_fired = 3'd0;
          pushed = pushed + 2'd1;
        end

        if (recording) begin
          if (stop_match_i[k] || stop_nth[stop_records[0]]) begin
            stop_hit = 1'b1;
            live = 1'b0;
          end
          stop_records = stop_records + 2'd1;
        end
      end
    end
  end

  assign retired_o  = retired;
  assign lost_o     = lost;
  assign filtered_o = filtered;

  // Markers. LOST has the write port to itself, because everything that comes in a gap is lost. An
  // event takes a slot that no record needs, also inside a gap: there every slot is free.
  localparam [1:0] NRET_2 = NRET[1:0];
  wire port_due = PORT != 0 && port_valid_i;
  wire gap_ends = on && losing_q && empty_i && (!drop_i || drained_i) && !port_due;
  wire room = free_i != 16'd0;
  wire roomy = DIRECT != 0 ? room : {16'd0, free_i} > THRESHOLD;
  wire port_fits = on && port_due && pushed != NRET_2 && free_i > {14'd0, pushed};
  wire event_fits = on && event_q && !gap_ends && !port_due && pushed != NRET_2 &&
      free_i > {14'd0, pushed} && (drop_i || roomy);
  wire close_port = state_q == STATE_CLOSE_EVENT && room && port_due;
  wire close_event = state_q == STATE_CLOSE_EVENT && room && !port_due && event_q;
  wire close_fired =
      state_q == STATE_CLOSE_EVENT && room && !port_due && !event_q && stop_fired_q;
  wire close_lost = state_q == STATE_CLOSE_LOST && room && losing_q;
  wire close_stop = state_q == STATE_CLOSE_STOP && room;
  wire close_held = state_q == STATE_CLOSE_HELD && room;
  wire push_port = event_fits || close_event;
  wire push_lost = gap_ends || close_lost;
  wire push_bus = port_fits || close_port;
  wire push_marker =
      push_port || push_bus || push_lost || close_fired || close_held || close_stop;
  wire [63:0] lost_count = (lost_count_q + {62'd0, lost}) & COUNTER_MASK;

  reg [1:0] marker_kind;
  reg [MARKER-1:0] marker;
  always @* begin
    if (push_lost) begin
      marker_kind = `EAR_ENTRY_LOST;
      marker = {lost_last, lost_count, lost_first};
    end else if (PORT != 0 && push_bus) begin
      marker_kind = `EAR_ENTRY_EVENT;
      marker = {64'd0, 24'd0, port_source_i, port_value_i, port_order_i};
    end else if (push_port) begin
      marker_kind = `EAR_ENTRY_EVENT;
      marker = {
        64'd0,
        24'd0,
        MISMATCH != 0 && event_mismatch_q ? `EAR_EVENT_MISMATCH : `EAR_EVENT_PORT,
        event_data_q,
        event_order_q
      };
    end else if (close_fired) begin
      marker_kind = `EAR_ENTRY_EVENT;
      marker = {64'd0, 24'd0, `EAR_EVENT_STOP_TRIGGER, {28'd0, stop_kind_i}, next_order_q};
    end else if (HELD != 0 && close_held) begin
      marker_kind = `EAR_ENTRY_EVENT;
      marker = held_high ? {64'd0, 24'd0, `EAR_EVENT_HELD_HI, held_i[63:32], next_order_q} :
          {64'd0, 24'd0, `EAR_EVENT_HELD_LO, held_i[31:0], next_order_q};
    end else begin
      marker_kind = `EAR_ENTRY_STOP;
      marker = {64'd0, 56'd0, reason_q, 64'd0};
    end
  end

  assign push_count_o = pushed + {1'b0, push_marker};

  genvar j;
  generate
    for (j = 0; j < NRET; j = j + 1) begin : gen_slot
      localparam [1:0] SLOT = j;
      wire is_marker = push_marker && pushed == SLOT;
      wire [BODY-1:0] record = NRET > 1 && slot_channel[j] ? body_i[(NRET-1)*BODY+:BODY] :
          body_i[0+:BODY];
      // If STOP is the only marker, nothing of it but its reason is ever read.
      wire [BODY-1:0] body = ONLY_STOP ? {
        record[BODY-1:72], is_marker ? reason_q : record[71:64], record[63:0]
      } : {record[BODY-1:MARKER], is_marker ? marker : record[MARKER-1:0]};
      wire [HEAD-1:0] head = is_marker ? {3'd0, marker_kind} :
          {slot_start[3*j+:3], `EAR_ENTRY_RECORD};
      if (TIME != 0) begin : gen_time
        assign push_data_o[j*ENTRY+:ENTRY] = {time_i, body, head};
      end else begin : gen_no_time
        assign push_data_o[j*ENTRY+:ENTRY] = {body, head};
      end
    end
    if (NRET == 1) begin : gen_one
      wire unused = &{1'b0, slot_channel, slot_start[5:3]};
    end
    if (TIME == 0) begin : gen_timeless
      wire unused = &{1'b0, time_i};
    end
  endgenerate

  // State.
  wire port_owed = PORT != 0 && (port_valid_i || port_waits_i);
  wire running = armed || on;
  assign running_o = running;
  wire by_trigger = running && enable_i && (stops || stop_hit);
  wire by_end = running && enable_i && ended;

  assign begin_o = state_q == STATE_IDLE && enable_i;
  assign finished_o = by_trigger || by_end;
  assign idle_o = state_q == STATE_IDLE;
  assign armed_o = armed;
  assign on_o = on;
  assign losing_o = losing_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= STATE_IDLE;
      reason_q <= 8'd0;
      stop_fired_q <= 1'b0;
    end else begin
      case (state_q)
        STATE_IDLE: if (enable_i) state_q <= STATE_ARMED;
        STATE_ARMED, STATE_ON: begin
          stop_fired_q <= by_trigger;
          if (!enable_i || by_trigger || by_end) state_q <= STATE_CLOSE_EVENT;
          else if (recording) state_q <= STATE_ON;
          reason_q <= !enable_i ? `EAR_STOP_HOST : by_trigger ? `EAR_STOP_TRIGGER :
              quiet ? `EAR_STOP_ENDED : `EAR_STOP_ENDED_BUSY;
        end
        STATE_CLOSE_EVENT: begin
          if (close_fired) stop_fired_q <= 1'b0;
          if (!event_q && !stop_fired_q && !port_owed) state_q <= STATE_CLOSE_LOST;
        end
        STATE_CLOSE_LOST:
        if (!losing_q)
          state_q <= HELD != 0 && held_i != 64'd0 ? STATE_CLOSE_HELD : STATE_CLOSE_STOP;
        STATE_CLOSE_HELD: if (room && held_high) state_q <= STATE_CLOSE_STOP;
        STATE_CLOSE_STOP: if (room) state_q <= STATE_DRAIN;
        default: if (stop_sent_i) state_q <= STATE_IDLE;
      endcase
    end
  end

  // The lower half of the held clocks goes first.
  generate
    if (HELD != 0) begin : gen_held
      reg high_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) high_q <= 1'b0;
        else if (close_held) high_q <= !high_q;
      end
      assign held_high = high_q;
    end else begin : gen_not_held
      wire unused = &{1'b0, held_i};
      assign held_high = 1'b1;
    end
  endgenerate

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_fired_q <= 3'd0;
      losing_q <= 1'b0;
      lost_count_q <= 64'd0;
    end else begin
      start_fired_q <= running ? start_fired : 3'd0;
      losing_q <= losing && !push_lost;
      lost_count_q <= push_lost ? 64'd0 : lost_count;
    end
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lost_first_q <= 64'd0;
      lost_last_q <= 64'd0;
      next_order_q <= 64'd0;
    end else begin
      lost_first_q <= lost_first;
      lost_last_q <= lost_last;
      next_order_q <= next_order;
    end
  end

  // The event port on the bus.
  assign port_ready_o = push_bus;
  assign port_close_o = state_q == STATE_CLOSE_EVENT;
  assign roomy_o = roomy;
  assign next_order_o = next_order;
  generate
    if (PORT == 0) begin : gen_no_port
      wire unused = &{
        1'b0, port_valid_i, port_source_i, port_value_i, port_order_i, port_waits_i, port_late_i
      };
    end
  endgenerate

  // Strobed event port: one event waits here for a slot. That of a wrong result waits until there
  // is none.
  wire event_taken = event_ready_o && event_valid_i;
  assign event_ready_o = EVENTS != 0 && on && !event_q;
  assign mismatch_ready_o = MISMATCH != 0 && on && !event_q && !event_taken;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) event_q <= 1'b0;
    else if (push_port) event_q <= 1'b0;
    else if (event_taken || (mismatch_ready_o && mismatch_valid_i)) event_q <= 1'b1;
  end

  always @(posedge clk_i) begin
    if (event_ready_o || mismatch_ready_o) begin
      event_mismatch_q <= !event_taken;
      event_data_q  <= event_taken || MISMATCH == 0 ? event_data_i : mismatch_order_i;
      event_order_q <= next_order;
    end
  end

  generate
    if (MISMATCH == 0) begin : gen_no_mismatch
      wire unused = &{
        1'b0, mismatch_valid_i, mismatch_order_i, mismatch_seen_i, event_mismatch_q
      };
    end
  endgenerate

  // A waiting event holds the core too, or a core that retires in every clock would starve it; and
  // so does a gap, or everything that retires until it ends would be lost with what came too late.
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stall_q <= 1'b0;
    else stall_q <= running && enable_i && !drop_i && (!roomy || event_q || losing_q || port_owed);
  end

  assign stall_o = DIRECT != 0 ? !room || event_q || (losing_q && !drop_i) : stall_q;

`ifdef FORMAL
  // For hdl/formal. A gap is open exactly while records are owed to a LOST marker, and none is
  // owed when STOP is pushed. Fewer than 2^62 records are lost in one gap. What is owed is counted
  // here once more, from what the counters and the FIFO get; of each
  // number the low bits, which keeps the proof short.
  localparam LOW = 8;
  reg  [LOW-1:0] owed_q;
  reg  [LOW-1:0] owed_first_q;
  reg  [LOW-1:0] owed_last_q;
  wire [LOW-1:0] owed = owed_q + {6'd0, lost_o};
  wire [LOW-1:0] order_first = body_i[LOW-1:0];
  wire [LOW-1:0] order_last = body_i[(NRET-1)*BODY+:LOW];
  reg  [LOW-1:0] event_due_q;
  always @(posedge clk_i) if (!event_q) event_due_q <= next_order_o[LOW-1:0];
  reg         lost_pushed;  // a LOST marker goes into the FIFO
  reg [MARKER-1:0] sent_marker;
  integer     slot;
  always @* begin
    lost_pushed = 1'b0;
    sent_marker = {MARKER{1'b0}};
    for (slot = 0; slot < NRET; slot = slot + 1) begin
      if (slot < push_count_o && push_data_o[slot*ENTRY+:2] == `EAR_ENTRY_LOST) begin
        lost_pushed = 1'b1;
        sent_marker = push_data_o[slot*ENTRY+HEAD+:MARKER];
      end
    end
  end
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owed_q <= {LOW{1'b0}};
      owed_first_q <= {LOW{1'b0}};
      owed_last_q <= {LOW{1'b0}};
    end else begin
      owed_q <= lost_pushed ? {LOW{1'b0}} : owed;
      // Of two channels only one entry may be lost: then which one follows from lost_first alone.
      if (!losing_q) owed_first_q <= lost_o == 2'd1 ? lost_first[LOW-1:0] : order_first;
      if (lost_o != 2'd0) owed_last_q <= lost_o == 2'd1 ? lost_last[LOW-1:0] : order_last;
    end
  end
  always @* begin
    if (rst_ni && COUNTER_BITS == 64) begin
      assert (lost_count_q[LOW-1:0] == owed_q);
      if (losing_q) begin
        assert (lost_first_q[LOW-1:0] == owed_first_q);
        assert (lost_last_q[LOW-1:0] == owed_last_q);
      end
      if (lost_o == 2'd1) begin
        assert ((valid_i[0] && lost_last[LOW-1:0] == order_first) ||
            (valid_i[NRET-1] && lost_last[LOW-1:0] == order_last));
        if (!losing_q) assert (lost_first[LOW-1:0] == lost_last[LOW-1:0]);
      end
      if (lost_pushed) begin
        assert (sent_marker[64+:LOW] == owed);
        assert (sent_marker[0+:LOW] == (losing_q ? owed_first_q : lost_first[LOW-1:0]));
        if (lost_o == 2'd0) assert (sent_marker[128+:LOW] == owed_last_q);
        if (lost_o == 2'd2) assert (sent_marker[128+:LOW] == order_last);
      end
    end
    assume (lost_count_q[63:62] == 2'd0);
    if (rst_ni) begin
      // An event has the order of the entry that retires after it.
      assert (!event_q || event_order_q[LOW-1:0] == event_due_q);
      assert (retired_o != 2'd0 || next_order == next_order_q);
      assert (retired_o != NRET_2 || next_order[LOW-1:0] == order_last + 8'd1);
      assert (losing_q == (lost_count_q != 64'd0));
      assert (!losing_q || (state_q != STATE_CLOSE_STOP && state_q != STATE_DRAIN &&
          state_q != STATE_IDLE && state_q != STATE_ARMED));
      assert (!close_stop || !losing_q);
      assert (state_q != STATE_CLOSE_HELD || !losing_q);
    end
  end
`endif
endmodule
`default_nettype wire
