// SPDX-License-Identifier: Apache-2.0
// A cache of memory words that unit and host both keep: sets, ways and lines (docs/predict.md,
// section 2).
// What is not in it reads as zero, and a line that is taken in begins as zeros and replaces the
// oldest one (decoder/predict/shadow.h).
//
// A slot is one line of one access. It passes three stages, all in step (advance_i):
//   A  address_i, line_i: the tags and data of all ways are read
//   B  the way that holds the line is chosen                        (not there if PIPELINED is 0)
//   C  its bytes are in window_o; at the end of the clock it is written, if write_c_i
// A write is always of a whole line, so it needs no byte enables, and a line that was missing is
// there in the same clock. A slot that was read before a write of one ahead of it is put right
// from the last write on its way (B and C). Without a pipeline only one slot is in here.
//
// The line of the last slot that looked is held. A slot with both_c_i is the second line of an
// access whose first line that is: window_o has the bytes of both. To write both, other_c_i writes
// the held line, before the slot moves on; then reread_i brings what was read before up to date.
`default_nettype none
module ear_predict_cache #(
    parameter WORDS_LOG2 = 13,  // words of 32 bits
    parameter WAYS_LOG2  = 2,   // lines of a set
    parameter LINE_LOG2  = 2,   // words of a line
    parameter BYTES      = 4,   // most bytes of an access, 4 or 8
    parameter PIPELINED  = 1,
    parameter SWEEP_BITS = 12   // at least the bits of a set's index
) (
    input wire clk_i,
    input wire rst_ni,

    input wire advance_i,  // all stages move on

    // Forget everything: all sets are swept.
    input wire                  sweep_i,
    input wire [SWEEP_BITS-1:0] sweep_address_i,

    // Stage A: the first byte of the access, and which of its lines: 0, 1, 2.
    input wire [31:0] address_i,
    input wire [ 1:0] line_i,

    // Stage C, the same slot.
    input  wire [        31:0] address_c_i,
    input  wire [         1:0] line_c_i,
    input  wire                look_c_i,     // window_o continues with this line's bytes
    input  wire                first_c_i,    // window_o begins with this line
    input  wire                both_c_i,     // and with those of the held line
    input  wire                other_c_i,    // write the held line now; not with advance_i
    input  wire                reread_i,     // pipelined: with other_c_i; else in the clock after
    output wire [8*BYTES-1:0] window_o,
    input  wire                write_c_i,
    input  wire [   BYTES-1:0] write_mask_i,
    input  wire [ 8*BYTES-1:0] write_data_i
);
  localparam SHIFT = LINE_LOG2 + 2;
  localparam LINE_BYTES = 1 << SHIFT;
  localparam LINE_BITS = 8 * LINE_BYTES;
  localparam WAYS = 1 << WAYS_LOG2;
  localparam SET_BITS = WORDS_LOG2 - LINE_LOG2 - WAYS_LOG2;
  localparam SETS_LOG2 = SET_BITS > 0 ? SET_BITS : 1;  // one set is built as two
  localparam NUMBER_BITS = 32 - SHIFT;  // of a line's number
  localparam TAG_BITS = NUMBER_BITS - SET_BITS;
  localparam WAY_BITS = WAYS_LOG2 > 0 ? WAYS_LOG2 : 1;

  localparam [SETS_LOG2-1:0] SET_MASK = SET_BITS > 0 ? {SETS_LOG2{1'b1}} : {SETS_LOG2{1'b0}};

  // Stage A.
  wire [NUMBER_BITS-1:0] number_a =
      address_i[31:SHIFT] + {{(NUMBER_BITS - 2) {1'b0}}, line_i};
  wire [SETS_LOG2-1:0] set_a = (number_a[SETS_LOG2-1:0] & SET_MASK);

  // The memories, and what is written to them.
  wire                   write;
  wire [NUMBER_BITS-1:0] number_c;
  wire [NUMBER_BITS-1:0] number_write = other_c_i ? address_c_i[31:SHIFT] : number_c;
  wire [   WAY_BITS-1:0] way_c;
  wire [  LINE_BITS-1:0] line_new;
  wire [WAYS*(TAG_BITS+1)-1:0] tags;   // {valid, tag}
  wire [     WAYS*LINE_BITS-1:0] lines;
  wire [SETS_LOG2-1:0] set_write = sweep_i ? sweep_address_i[SETS_LOG2-1:0] :
      (number_write[SETS_LOG2-1:0] & SET_MASK);

  reg [NUMBER_BITS-1:0] number_read_q;  // of the slot whose set was read last
  wire [SETS_LOG2-1:0] set_read =
      advance_i ? set_a : number_read_q[SETS_LOG2-1:0] & SET_MASK;

  genvar w;
  generate
    for (w = 0; w < WAYS; w = w + 1) begin : gen_way
      wire mine = write && (WAYS == 1 || way_c == w[WAY_BITS-1:0]);
      ear_predict_memory #(
          .WIDTH(TAG_BITS + 1),
          .DEPTH_LOG2(SETS_LOG2)
      ) u_tags (
          .clk_i(clk_i),
          .write_i(sweep_i || mine),
          .write_address_i(set_write),
          .write_data_i({!sweep_i, number_write[NUMBER_BITS-1:SET_BITS]}),
          .read_i(advance_i || reread_i),
          .read_address_i(set_read),
          .read_data_o(tags[w*(TAG_BITS+1)+:TAG_BITS+1])
      );
      ear_predict_memory #(
          .WIDTH(LINE_BITS),
          .DEPTH_LOG2(SETS_LOG2)
      ) u_lines (
          .clk_i(clk_i),
          .write_i(mine),
          .write_address_i(number_write[SETS_LOG2-1:0] & SET_MASK),
          .write_data_i(line_new),
          .read_i(advance_i || reread_i),
          .read_address_i(set_read),
          .read_data_o(lines[w*LINE_BITS+:LINE_BITS])
      );
    end
    if (SWEEP_BITS > SETS_LOG2) begin : gen_short
      wire unused = &{1'b0, sweep_address_i[SWEEP_BITS-1:SETS_LOG2]};
    end
  endgenerate

  // The way that holds its line.
  always @(posedge clk_i) begin
    if (advance_i) number_read_q <= number_a;
  end

  wire [         WAYS-1:0] hits;
  reg  [   WAY_BITS-1:0] way_read;
  reg  [  LINE_BITS-1:0] line_read;  // zero if it is in no way
  wire hit_read = hits != {WAYS{1'b0}};
  generate
    for (w = 0; w < WAYS; w = w + 1) begin : gen_hit
      assign hits[w] =
          tags[w*(TAG_BITS+1)+:TAG_BITS+1] == {1'b1, number_read_q[NUMBER_BITS-1:SET_BITS]};
    end
  endgenerate
  integer i;
  always @* begin
    way_read  = {WAY_BITS{1'b0}};
    line_read = {LINE_BITS{1'b0}};
    for (i = 0; i < WAYS; i = i + 1) begin
      way_read  = way_read | (i[WAY_BITS-1:0] & {WAY_BITS{hits[i]}});
      line_read = line_read | (lines[i*LINE_BITS+:LINE_BITS] & {LINE_BITS{hits[i]}});
    end
  end

  wire                 hit_c;
  wire [ WAY_BITS-1:0] found_way_c;
  wire [LINE_BITS-1:0] line_old;

  generate
    if (PIPELINED != 0) begin : gen_pipelined
      // The write of the slot that went before.
      reg                   written_q;
      reg [NUMBER_BITS-1:0] written_number_q;
      reg [   WAY_BITS-1:0] written_way_q;
      reg [  LINE_BITS-1:0] written_line_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) written_q <= 1'b0;
        else if (sweep_i) written_q <= 1'b0;
        else if (advance_i || other_c_i) written_q <= write;
      end
      always @(posedge clk_i) begin
        if (advance_i || other_c_i) begin
          written_number_q <= number_write;
          written_way_q <= way_c;
          written_line_q <= line_new;
        end
      end

      // Stage B: the set was read in the clock of that write.
      wire same_b = written_q && written_number_q == number_read_q;
      wire gone_b = written_q &&
          (written_number_q[SETS_LOG2-1:0] & SET_MASK) ==
          (number_read_q[SETS_LOG2-1:0] & SET_MASK) && (WAYS == 1 || written_way_q == way_read);
      reg [NUMBER_BITS-1:0] number_q;
      reg                   hit_q;
      reg [   WAY_BITS-1:0] way_q;
      reg [  LINE_BITS-1:0] line_q;
      always @(posedge clk_i) begin
        if (advance_i) begin
          number_q <= number_read_q;
          hit_q <= same_b || (hit_read && !gone_b);
          way_q <= same_b ? written_way_q : way_read;
          line_q <= same_b ? written_line_q : gone_b ? {LINE_BITS{1'b0}} : line_read;
        end else if (other_c_i) begin
          hit_q <= hit_c;  // the last write will be another one
          way_q <= found_way_c;
          line_q <= line_old;
        end
      end

      // Stage C: the set was read before that write.
      wire same_c = written_q && written_number_q == number_q;
      wire gone_c = written_q &&
          (written_number_q[SETS_LOG2-1:0] & SET_MASK) == (number_q[SETS_LOG2-1:0] & SET_MASK) &&
          (WAYS == 1 || written_way_q == way_q);
      assign number_c = number_q;
      assign hit_c = same_c || (hit_q && !gone_c);
      assign found_way_c = same_c ? written_way_q : way_q;
      assign line_old = same_c ? written_line_q : gone_c ? {LINE_BITS{1'b0}} : line_q;
    end else begin : gen_one_by_one
      assign number_c = number_read_q;
      assign hit_c = hit_read;
      assign found_way_c = way_read;
      assign line_old = line_read;
    end
  endgenerate

  // The bytes of the access in this line: byte i of the access is byte (offset + i) modulo the
  // line's size, if it is in this line at all.
  wire [SHIFT-1:0] offset = address_c_i[SHIFT-1:0];
  wire [BYTES-1:0] here;
  wire [LINE_BYTES-1:0] from_first = {LINE_BYTES{1'b1}} << offset;  // bytes from the first one on
  reg                  held_hit_q;
  reg [  WAY_BITS-1:0] held_way_q;
  reg [ LINE_BITS-1:0] held_q;
  wire [LINE_BITS-1:0] line_seen;  // after the offset the held line, if the access is in both
  wire [8*BYTES-1:0] turned;
  reg [8*BYTES-1:0] window_q;
  genvar b;
  generate
    for (b = 0; b < LINE_BYTES; b = b + 1) begin : gen_seen
      assign line_seen[8*b+:8] =
          both_c_i && from_first[b] ? held_q[8*b+:8] : line_old[8*b+:8];
    end
    for (b = 0; b < BYTES; b = b + 1) begin : gen_byte
      wire [3+SHIFT:0] place = {4'd0, offset} + b;
      wire [1:0] line_of_byte = place[SHIFT+1:SHIFT];
      assign here[b] = line_of_byte == (other_c_i ? 2'd0 : line_c_i);
      assign window_o[8*b+:8] = both_c_i || line_of_byte == line_c_i ? turned[8*b+:8] :
          first_c_i ? 8'd0 : window_q[8*b+:8];
      wire unused = &{1'b0, place[SHIFT+3:SHIFT+2], place[SHIFT-1:0]};
    end
  endgenerate
  // Enough copies of the line that the bytes of the access come to the low end without a turn.
  localparam COPIES = BYTES > LINE_BYTES ? 3 : 2;
  wire [COPIES*LINE_BITS-8*BYTES-1:0] not_in_window;
  assign {not_in_window, turned} = {COPIES{line_seen}} >> {offset, 3'd0};
  wire unused_window = &{1'b0, not_in_window};
  always @(posedge clk_i) begin
    if (advance_i && look_c_i) window_q <= window_o;
  end

  // The line with the bytes written.
  wire [BYTES-1:0] writes = here & write_mask_i;
  wire [LINE_BYTES-1:0] line_writes;
  wire [LINE_BITS-1:0] line_data;
  generate
    if (BYTES > LINE_BYTES) begin : gen_narrow_line
      // Two bytes of the access fall on each byte of a line; one of them is in this line.
      wire [2*LINE_BYTES-1:0] twice_writes = {2{writes[LINE_BYTES-1:0]}} << offset;
      wire [2*LINE_BYTES-1:0] other_writes = {2{writes[BYTES-1:LINE_BYTES]}} << offset;
      wire [2*LINE_BITS-1:0] twice_data = {2{write_data_i[LINE_BITS-1:0]}} << {offset, 3'd0};
      wire [2*LINE_BITS-1:0] other_data =
          {2{write_data_i[8*BYTES-1:LINE_BITS]}} << {offset, 3'd0};
      wire [LINE_BYTES-1:0] low = twice_writes[2*LINE_BYTES-1:LINE_BYTES];
      wire [LINE_BYTES-1:0] high = other_writes[2*LINE_BYTES-1:LINE_BYTES];
      assign line_writes = low | high;
      for (b = 0; b < LINE_BYTES; b = b + 1) begin : gen_choose
        assign line_data[8*b+:8] =
            low[b] ? twice_data[LINE_BITS+8*b+:8] : other_data[LINE_BITS+8*b+:8];
      end
      wire unused = &{1'b0, twice_writes[LINE_BYTES-1:0], other_writes[LINE_BYTES-1:0],
                      twice_data[LINE_BITS-1:0], other_data[LINE_BITS-1:0]};
    end else begin : gen_wide_line
      // The bytes written are fewer than a line has: rotated once, they are everywhere.
      localparam TURN_BITS = BYTES == 8 ? 3 : 2;
      wire [LINE_BYTES-1:0] padded_writes;
      assign padded_writes[BYTES-1:0] = writes;
      if (LINE_BYTES > BYTES) begin : gen_pad
        assign padded_writes[LINE_BYTES-1:BYTES] = {(LINE_BYTES - BYTES) {1'b0}};
      end
      wire [2*LINE_BYTES-1:0] twice_writes = {2{padded_writes}} << offset;
      wire [16*BYTES-1:0] twice_data = {2{write_data_i}} << {offset[TURN_BITS-1:0], 3'd0};
      assign line_writes = twice_writes[2*LINE_BYTES-1:LINE_BYTES];
      assign line_data = {(LINE_BYTES / BYTES) {twice_data[16*BYTES-1:8*BYTES]}};
      wire unused = &{1'b0, twice_writes[LINE_BYTES-1:0], twice_data[8*BYTES-1:0]};
    end
    for (b = 0; b < LINE_BYTES; b = b + 1) begin : gen_merge
      assign line_new[8*b+:8] = line_writes[b] ? line_data[8*b+:8] :
          other_c_i ? held_q[8*b+:8] : line_old[8*b+:8];
    end
  endgenerate

  // A line that is not in the cache takes the next way in turn.
  reg [WAY_BITS-1:0] victim_q;
  wire hit = other_c_i ? held_hit_q : hit_c;
  assign write = ((advance_i && write_c_i) || other_c_i) && writes != {BYTES{1'b0}};
  assign way_c = !hit ? victim_q : other_c_i ? held_way_q : found_way_c;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) victim_q <= {WAY_BITS{1'b0}};
    else if (sweep_i) victim_q <= {WAY_BITS{1'b0}};
    else if (write && !hit && WAYS > 1) victim_q <= victim_q + 1'b1;
  end

  always @(posedge clk_i) begin
    if (advance_i && look_c_i) begin
      held_hit_q <= hit_c || write;
      held_way_q <= write ? way_c : found_way_c;
      held_q <= write ? line_new : line_old;
    end
  end

  wire unused_address = &{1'b0, address_i[SHIFT-1:0]};
endmodule
`default_nettype wire
