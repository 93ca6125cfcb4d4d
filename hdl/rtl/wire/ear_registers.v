// SPDX-License-Identifier: Apache-2.0
// The registers of the unit: carry out a control word, answer it (docs/protocol.md, section 7).
//
// One word is at work at a time: EXECUTE writes or commands, READ fetches the value that the
// register has now, REPLY hands the answer to the encoder. A word of the window LOAD goes to the
// system's memory instead, in LOAD: a write is read back, so that its answer has what is there. A
// write that begins a capture waits until the STOP of the one before is on the wire, because the
// counters begin anew.
`include "ear_protocol.vh"
`default_nettype none
module ear_registers #(
    parameter        XLEN         = 32,
    parameter        FILTER       = 1,
    parameter        TRIGGER      = 1,
    parameter        TIME         = 1,
    parameter        STALL        = 1,
    parameter        CORE         = 1,
    parameter        TEST         = 1,
    parameter        LOAD         = 0,
    parameter        PREDICT      = 0,
    parameter        FLUSH_REGISTER = 1,  // 0: FLUSH_CYCLES stays as after reset
    parameter        LOSS         = 1,       // 0: there is no register RESUME
    parameter        HELD         = 0,       // 1: there are the registers HELD
    parameter        MISMATCH     = 0,       // 1: there is the register MISMATCHES
    parameter        EVENT_PORT   = 0,       // 1, 2: there are those of the event port
    parameter        EVENT_STRINGS = 1,
    parameter        RESUME_REGISTER = 1,    // 0: RESUME stays as after reset
    parameter        RESET_HOLD   = 0,
    parameter [31:0] SHAPE        = 32'd0,   // what these registers read
    parameter [15:0] FEATURES     = 16'd0,
    parameter [15:0] HART         = 16'd0,
    parameter [31:0] CLOCK_HZ     = 32'd0,
    parameter [31:0] BUFFERS      = 32'd0,
    parameter [15:0] UNIT_VERSION = 16'd1
) (
    input wire clk_i,
    input wire rst_ni,

    // Control words.
    input  wire        word_valid_i,
    output wire        word_ready_o,
    input  wire [ 7:0] word_operation_i,
    input  wire [ 7:0] word_tag_i,
    input  wire [15:0] word_address_i,
    input  wire [31:0] word_value_i,

    // Replies to the encoder; with unit a UNIT message comes first.
    output wire        reply_valid_o,
    input  wire        reply_ready_i,
    output wire        reply_unit_o,
    output wire [ 7:0] reply_tag_o,
    output wire [ 7:0] reply_status_o,
    output wire [15:0] reply_address_o,
    output wire [31:0] reply_value_o,
    output wire        reply_flush_o,   // whatever waits goes out before the reply

    // Capture.
    output wire         enable_o,
    output wire         drop_o,          // of the capture at hand, or the next one
    output wire [  1:0] time_mode_o,     // the same
    input  wire         finished_i,      // the capture ended by itself
    input  wire         idle_i,
    input  wire         armed_i,
    input  wire         on_i,
    input  wire         losing_i,
    input  wire         ended_i,
    output wire         snapshot_o,
    output wire         sync_o,          // predict mode: a hard SYNC before the next record
    input  wire [383:0] copy_i,          // held, time, filtered, lost, delivered, retired
    input  wire [ 31:0] mismatches_i,
    input  wire [ 31:0] events_lost_i,
    input  wire [ 31:0] events_unknown_i,
    output wire [ 31:0] flush_cycles_o,
    output wire [ 15:0] resume_o,
    output wire         core_reset_o,
    output wire         core_halt_o,

    // Test source.
    output wire        test_on_o,
    output wire        test_write_o,   // its number
    output wire [31:0] write_value_o,
    input  wire [31:0] test_number_i,

    // Memory of the traced system, and where the core begins in it. An access is held until ready,
    // which comes with its result.
    output wire        load_valid_o,
    output wire        load_write_o,
    output wire [31:0] load_address_o,
    output wire [31:0] load_wdata_o,
    input  wire        load_ready_i,
    input  wire [31:0] load_rdata_i,
    input  wire        load_error_i,
    output wire [31:0] boot_o,

    // Filter and triggers. start first, then stop, in each pair.
    output wire [      11:0] filter_o,
    output wire [4*XLEN-1:0] range_low_o,
    output wire [4*XLEN-1:0] range_high_o,
    output wire [       7:0] trigger_kind_o,
    output wire [       1:0] trigger_reads_o,
    output wire [       1:0] trigger_writes_o,
    output wire [     127:0] trigger_value_o,
    output wire [2*XLEN-1:0] trigger_mask_o,
    output wire [2*XLEN-1:0] trigger_data_o,
    output wire [2*XLEN-1:0] trigger_data_mask_o
);
  localparam [1:0] STATE_EXECUTE = 2'd0;
  localparam [1:0] STATE_READ = 2'd1;
  localparam [1:0] STATE_REPLY = 2'd2;
  localparam [1:0] STATE_LOAD = 2'd3;

  reg [ 1:0] state_q;
  reg [ 7:0] status_q;
  reg [31:0] value_q;
  reg        unit_q;
  reg        flush_q;
  reg        load_write_q;  // the access to the system's memory is a write
  reg        enable_q;
  reg        drop_q;         // as written
  reg [ 1:0] time_mode_q;    // as written
  reg        active_drop_q;  // as it was when the capture began
  reg [ 1:0] active_time_mode_q;
  reg [31:0] flush_cycles_q;

  wire is_read = word_operation_i == `EAR_CONTROL_WORD_READ;
  wire is_write = word_operation_i == `EAR_CONTROL_WORD_WRITE;
  wire [15:0] address = word_address_i;

  // Which register is meant.
  wire at_range = FILTER != 0 && address >= `EAR_REG_RANGE0 &&
      address <= `EAR_REG_RANGE3 + 16'd12 && address[1:0] == 2'd0;
  localparam [15:0] START = `EAR_REG_START;
  localparam [15:0] STOP = `EAR_REG_STOP;
  wire at_start = address[15:6] == START[15:6];
  wire at_stop = address[15:6] == STOP[15:6];
  wire [15:0] block = {10'd0, address[5:0]};
  wire block_known = block == `EAR_TRIGGER_REG_KIND ||
      (block >= `EAR_TRIGGER_REG_VALUE_LO && block <= `EAR_TRIGGER_REG_DATA_MASK_HI &&
       block[1:0] == 2'd0);
  wire at_load = LOAD != 0 && address[15] && address[1:0] == 2'd0;
  wire at_trigger = TRIGGER != 0 && (at_start || at_stop) && block_known;

  // The value of the register, whether it is there, and whether it can be written.
  reg  [31:0] value;
  reg         known;
  reg         writable;
  wire [31:0] range_value;
  wire [31:0] trigger_value;
  wire [ 1:0] core;
  wire        test_on;
  wire [31:0] boot;
  wire [16:0] load_base;

  always @* begin
    known = 1'b1;
    writable = 1'b0;
    value = 32'd0;
    case (address)
      `EAR_REG_ID: value = `EAR_ID_VALUE;
      `EAR_REG_PROTOCOL: value = {8'd0, `EAR_PROTOCOL_MAJOR, 8'd0, `EAR_PROTOCOL_MINOR};
      `EAR_REG_UNIT_VERSION: value = {16'd0, UNIT_VERSION};
      `EAR_REG_SHAPE: value = SHAPE;
      `EAR_REG_FEATURES: value = {16'd0, FEATURES};
      `EAR_REG_HART: value = {16'd0, HART};
      `EAR_REG_CLOCK_HZ: value = CLOCK_HZ;
      `EAR_REG_BUFFERS: value = BUFFERS;
      `EAR_REG_CONTROL: begin
        value = {28'd0, time_mode_q, drop_q, enable_q};
        writable = 1'b1;
      end
      `EAR_REG_COMMAND: writable = 1'b1;
      `EAR_REG_STATUS: value = {28'd0, losing_i, ended_i, armed_i, on_i};
      `EAR_REG_FLUSH_CYCLES: begin
        value = flush_cycles_o;
        writable = FLUSH_REGISTER != 0;
      end
      `EAR_REG_RESUME: begin
        value = {16'd0, resume_o};
        known = LOSS != 0;
        writable = RESUME_REGISTER != 0;
      end
      `EAR_REG_CORE: begin
        value = {30'd0, core};
        known = CORE != 0;
        writable = 1'b1;
      end
      `EAR_REG_TEST: begin
        value = {31'd0, test_on};
        known = TEST != 0;
        writable = 1'b1;
      end
      `EAR_REG_TEST_NUMBER: begin
        value = test_number_i;
        known = TEST != 0;
        writable = 1'b1;
      end
      `EAR_REG_BOOT: begin
        value = boot;
        known = LOAD != 0;
        writable = 1'b1;
      end
      `EAR_REG_LOAD_BASE: begin
        value = {load_base, 15'd0};
        known = LOAD != 0;
        writable = 1'b1;
      end
      `EAR_REG_RETIRED_LO: value = copy_i[31:0];
      `EAR_REG_RETIRED_HI: value = copy_i[63:32];
      `EAR_REG_DELIVERED_LO: value = copy_i[95:64];
      `EAR_REG_DELIVERED_HI: value = copy_i[127:96];
      `EAR_REG_LOST_LO: value = copy_i[159:128];
      `EAR_REG_LOST_HI: value = copy_i[191:160];
      `EAR_REG_FILTERED_LO: value = copy_i[223:192];
      `EAR_REG_FILTERED_HI: value = copy_i[255:224];
      `EAR_REG_CYCLES_LO: value = copy_i[287:256];
      `EAR_REG_CYCLES_HI: value = copy_i[319:288];
      `EAR_REG_HELD_LO: begin
        value = copy_i[351:320];
        known = HELD != 0;
      end
      `EAR_REG_HELD_HI: begin
        value = copy_i[383:352];
        known = HELD != 0;
      end
      `EAR_REG_MISMATCHES: begin
        value = mismatches_i;
        known = MISMATCH != 0;
      end
      `EAR_REG_FILTER: begin
        value = {20'd0, filter_o};
        known = FILTER != 0;
        writable = 1'b1;
      end
      default: begin
        known = at_range || at_trigger || at_load;
        writable = 1'b1;
        value = at_range ? range_value : trigger_value;
      end
    endcase
    // Without the event port these are as any address that is none: not a gate is spent on them.
    if (EVENT_PORT != 0) begin
      case (address)
        `EAR_REG_EVENT_PORT: begin
          value = {29'd0, EVENT_STRINGS != 0, EVENT_PORT > 1, 1'b1};
          known = 1'b1;
          writable = 1'b0;
        end
        `EAR_REG_EVENTS_LOST: begin
          value = events_lost_i;
          known = 1'b1;
          writable = 1'b0;
        end
        `EAR_REG_EVENTS_UNKNOWN: begin
          value = events_unknown_i;
          known = 1'b1;
          writable = 1'b0;
        end
        default: ;
      endcase
    end
  end

  wire begins = address == `EAR_REG_CONTROL && word_value_i[`EAR_REG_CONTROL_ENABLE_LOW] &&
      !enable_q && !idle_i;  // a capture, but the one before has not ended
  wire execute = state_q == STATE_EXECUTE && word_valid_i && !(is_write && begins);
  wire write = execute && is_write && known && writable;
  wire command = write && address == `EAR_REG_COMMAND;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= STATE_EXECUTE;
      status_q <= 8'd0;
      unit_q <= 1'b0;
      flush_q <= 1'b0;
      load_write_q <= 1'b0;
      value_q <= 32'd0;
    end else begin
      case (state_q)
        STATE_EXECUTE:
        if (execute) begin
          unit_q <= command && word_value_i[`EAR_REG_COMMAND_SEND_UNIT_LOW];
          flush_q <= command && word_value_i[`EAR_REG_COMMAND_FLUSH_LOW];
          load_write_q <= is_write;
          status_q <= !is_read && !is_write ? `EAR_REPLY_UNKNOWN_OPERATION :
              !known ? `EAR_REPLY_UNKNOWN_REGISTER :
              is_write && !writable ? `EAR_REPLY_READ_ONLY : `EAR_REPLY_OK;
          state_q <= at_load && (is_read || is_write) ? STATE_LOAD : STATE_READ;
        end
        STATE_LOAD:
        if (load_ready_i) begin
          load_write_q <= 1'b0;
          value_q <= load_error_i ? 32'd0 : load_rdata_i;
          if (load_error_i) status_q <= `EAR_REPLY_NO_MEMORY;
          if (load_error_i || !load_write_q) state_q <= STATE_REPLY;
        end
        STATE_READ: begin
          value_q <= known && (is_read || is_write) ? value : 32'd0;
          state_q <= STATE_REPLY;
        end
        default: if (reply_ready_i) state_q <= STATE_EXECUTE;
      endcase
    end
  end

  assign word_ready_o = state_q == STATE_REPLY && reply_ready_i;
  assign reply_valid_o = state_q == STATE_REPLY;
  assign reply_unit_o = unit_q;
  assign reply_tag_o = word_tag_i;
  assign reply_status_o = status_q;
  assign reply_address_o = address;
  assign reply_value_o = value_q;
  // The reply itself ends the frame.
  assign reply_flush_o = flush_q;
  assign snapshot_o = command && word_value_i[`EAR_REG_COMMAND_SNAPSHOT_LOW];
  assign sync_o = command && word_value_i[`EAR_REG_COMMAND_SYNC_LOW];

  // CONTROL and FLUSH_CYCLES.
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q <= 1'b0;
      drop_q <= 1'b0;
      time_mode_q <= 2'd0;
      flush_cycles_q <= PREDICT != 0 ? 32'd1048576 : 32'd1024;
    end else begin
      if (write && address == `EAR_REG_CONTROL) begin
        enable_q <= word_value_i[`EAR_REG_CONTROL_ENABLE_LOW];
        drop_q <= word_value_i[`EAR_REG_CONTROL_DROP_LOW];
        if (TIME != 0) time_mode_q <= word_value_i[`EAR_REG_CONTROL_TIME_MODE_LOW+:2];
      end
      if (finished_i) enable_q <= 1'b0;
      if (FLUSH_REGISTER != 0 && write && address == `EAR_REG_FLUSH_CYCLES)
        flush_cycles_q <= word_value_i;
    end
  end

  // A capture keeps the policy and the time mode that it began with.
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_drop_q <= STALL == 0;
      active_time_mode_q <= 2'd0;
    end else if (idle_i) begin
      active_drop_q <= drop_q || STALL == 0;
      active_time_mode_q <= time_mode_q;
    end
  end

  assign enable_o = enable_q;
  assign drop_o = active_drop_q;
  assign time_mode_o = active_time_mode_q;
  assign flush_cycles_o =
      FLUSH_REGISTER != 0 ? flush_cycles_q : PREDICT != 0 ? 32'd1048576 : 32'd1024;

  // Where a gap ends: half of the payload buffer.
  localparam [15:0] RESUME = {1'b0, BUFFERS[31:17]};
  generate
    if (LOSS != 0 && RESUME_REGISTER != 0) begin : gen_resume
      reg [15:0] resume_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) resume_q <= RESUME;
        else if (write && address == `EAR_REG_RESUME) resume_q <= word_value_i[15:0];
      end
      assign resume_o = resume_q;
    end else begin : gen_no_resume
      assign resume_o = RESUME;
    end
  endgenerate

  generate
    if (CORE != 0) begin : gen_core
      reg [1:0] core_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) core_q <= {1'b0, RESET_HOLD != 0};
        else if (write && address == `EAR_REG_CORE) core_q <= word_value_i[1:0];
      end
      assign core = core_q;
    end else begin : gen_no_core
      assign core = 2'd0;
    end
  endgenerate
  assign core_reset_o = core[`EAR_REG_CORE_RESET_LOW];
  assign core_halt_o = core[`EAR_REG_CORE_HALT_LOW];

  // Test source. A capture that begins ends the test.
  generate
    if (TEST != 0) begin : gen_test
      reg test_on_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) test_on_q <= 1'b0;
        else if (enable_q) test_on_q <= 1'b0;
        else if (write && address == `EAR_REG_TEST) test_on_q <= word_value_i[`EAR_REG_TEST_ON_LOW];
      end
      assign test_on = test_on_q;
    end else begin : gen_no_test
      assign test_on = 1'b0;
    end
  endgenerate
  assign test_on_o = test_on && !enable_q && idle_i;
  assign test_write_o = write && address == `EAR_REG_TEST_NUMBER && !test_on;
  assign write_value_o = word_value_i;

  // The system's memory.
  generate
    if (LOAD != 0) begin : gen_load
      reg [31:0] boot_q;
      reg [16:0] load_base_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          boot_q <= 32'd0;
          load_base_q <= 17'd0;
        end else begin
          if (write && address == `EAR_REG_BOOT) boot_q <= word_value_i;
          if (write && address == `EAR_REG_LOAD_BASE) load_base_q <= word_value_i[31:15];
        end
      end
      assign boot = boot_q;
      assign load_base = load_base_q;
    end else begin : gen_no_load
      assign boot = 32'd0;
      assign load_base = 17'd0;
    end
  endgenerate
  assign boot_o = boot;
  assign load_valid_o = state_q == STATE_LOAD;
  assign load_write_o = load_write_q;
  assign load_address_o = {load_base, address[14:0]};
  assign load_wdata_o = word_value_i;

  // Filter. Ranges are read and written 32 bits at a time; on XLEN 32 the upper halves read 0.
  generate
    if (FILTER != 0) begin : gen_filter
      reg [11:0] filter_q;
      reg [XLEN-1:0] low_q[0:3];
      reg [XLEN-1:0] high_q[0:3];
      wire [1:0] range = address[5:4] - 2'd2;  // RANGE0 is at 0xA0
      wire [63:0] bound;
      integer i;

      if (XLEN == 64) begin : gen_wide
        assign bound = address[3] ? high_q[range] : low_q[range];
      end else begin : gen_narrow
        assign bound = {32'd0, address[3] ? high_q[range] : low_q[range]};
      end
      assign range_value = address[2] ? bound[63:32] : bound[31:0];
      wire [63:0] bound_d = address[2] ? {word_value_i, bound[31:0]} : {bound[63:32], word_value_i};

      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          filter_q <= 12'hF00;
          for (i = 0; i < 4; i = i + 1) begin
            low_q[i]  <= {XLEN{1'b0}};
            high_q[i] <= {XLEN{1'b0}};
          end
        end else begin
          if (write && address == `EAR_REG_FILTER) filter_q <= word_value_i[11:0];
          if (write && at_range && !address[3]) low_q[range] <= bound_d[XLEN-1:0];
          if (write && at_range && address[3]) high_q[range] <= bound_d[XLEN-1:0];
        end
      end

      if (XLEN == 32) begin : gen_unused
        wire unused = &{1'b0, bound_d[63:32]};
      end
      assign filter_o = filter_q;
      assign range_low_o = {low_q[3], low_q[2], low_q[1], low_q[0]};
      assign range_high_o = {high_q[3], high_q[2], high_q[1], high_q[0]};
    end else begin : gen_no_filter
      assign range_value = 32'd0;
      assign filter_o = 12'hF00;
      assign range_low_o = {4 * XLEN{1'b0}};
      assign range_high_o = {4 * XLEN{1'b0}};
    end
  endgenerate

  // Triggers. VALUE has 64 bits always, because it can be a count; the others have XLEN.
  generate
    if (TRIGGER != 0) begin : gen_trigger
      wire [31:0] values[0:1];
      genvar t;
      for (t = 0; t < 2; t = t + 1) begin : gen_block
        wire here = t == 0 ? at_start : at_stop;
        ear_trigger_registers #(
            .XLEN(XLEN)
        ) u_trigger_registers (
            .clk_i      (clk_i),
            .rst_ni     (rst_ni),
            .write_i    (write && here),
            .address_i  (address[5:2]),
            .value_i    (word_value_i),
            .value_o    (values[t]),
            .kind_o     (trigger_kind_o[4*t+:4]),
            .reads_o    (trigger_reads_o[t]),
            .writes_o   (trigger_writes_o[t]),
            .compare_o  (trigger_value_o[64*t+:64]),
            .mask_o     (trigger_mask_o[XLEN*t+:XLEN]),
            .data_o     (trigger_data_o[XLEN*t+:XLEN]),
            .data_mask_o(trigger_data_mask_o[XLEN*t+:XLEN])
        );
      end
      assign trigger_value = at_start ? values[0] : values[1];
    end else begin : gen_no_trigger
      assign trigger_value = 32'd0;
      assign trigger_kind_o = 8'd0;
      assign trigger_reads_o = 2'd0;
      assign trigger_writes_o = 2'd0;
      assign trigger_value_o = 128'd0;
      assign trigger_mask_o = {2 * XLEN{1'b0}};
      assign trigger_data_o = {2 * XLEN{1'b0}};
      assign trigger_data_mask_o = {2 * XLEN{1'b0}};
    end
  endgenerate
endmodule
`default_nettype wire
