// SPDX-License-Identifier: Apache-2.0
// Hold entries between the retire port, which may bring NRET in one clock, and the encoder, which
// takes one at a time.
//
// There is one memory for each channel; entry n lies in memory n modulo NRET. So all of one
// clock's entries are written at once without gaps, however few they are, and each memory has one
// write and one read port and can be a block RAM.
//
// push_count_i entries are written in every clock; the caller must not push more than free_o.
//
// With DEPTH 1 it is a register for one entry; NRET is 1 then.
`default_nettype none
module ear_record_fifo #(
    parameter WIDTH = 32,  // bits of an entry
    parameter DEPTH = 16,  // entries; a power of two, at least 2 * NRET
    parameter NRET  = 1    // most entries a clock: 1 or 2
) (
    input wire clk_i,
    input wire rst_ni,

    // From the capture: the first push_count_i slices of push_data_i.
    input wire [           1:0] push_count_i,
    input wire [NRET*WIDTH-1:0] push_data_i,
    output wire [         15:0] free_o,

`ifdef FORMAL
    // For hdl/formal, DEPTH 2 or more: where entries go and come from, and one of them.
    output wire [         15:0] write_o,
    output wire [         15:0] read_o,
    input  wire [         15:0] slot_i,
    output wire [    WIDTH-1:0] slot_data_o,
`endif

    // To the encoder.
    output wire             pop_valid_o,
    input  wire             pop_ready_i,
    output wire [WIDTH-1:0] pop_data_o,

    output wire empty_o  // nothing in here, not even on its way to the output
);
  localparam DEPTH_LOG2 = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam [15:0] DEPTH_16 = DEPTH[15:0];
  localparam [DEPTH_LOG2-1:0] PTR_ONE = 1;

  generate
    if (DEPTH > 1 && DEPTH != (1 << DEPTH_LOG2) || (DEPTH < 2 * NRET && DEPTH != 1) ||
        DEPTH > 32768) begin : gen_bad_parameter
      ear_record_fifo_DEPTH_must_be_a_power_of_two_2_NRET_to_32768 u_error ();
    end
  endgenerate

  generate
    if (DEPTH == 1) begin : gen_register
      reg             full_q;
      reg [WIDTH-1:0] data_q;
      wire push = push_count_i != 2'd0;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) full_q <= 1'b0;
        else full_q <= push || (full_q && !pop_ready_i);
      end
      always @(posedge clk_i) begin
        if (push) data_q <= push_data_i[WIDTH-1:0];
      end
      assign pop_data_o = data_q;
      assign free_o = {15'd0, !full_q};
      assign pop_valid_o = full_q;
      assign empty_o = !full_q;
    end else begin : gen_memory
      reg [DEPTH_LOG2-1:0] wr_ptr_q;
      reg [DEPTH_LOG2-1:0] rd_ptr_q;
      reg [          15:0] count_q;
      reg                  valid_q;

      wire pop = valid_q && pop_ready_i;
      wire [15:0] left = count_q - {15'd0, pop};  // without what is pushed in this clock
      wire [DEPTH_LOG2-1:0] rd_ptr_d = rd_ptr_q + (pop ? PTR_ONE : {DEPTH_LOG2{1'b0}});

      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          wr_ptr_q <= {DEPTH_LOG2{1'b0}};
          rd_ptr_q <= {DEPTH_LOG2{1'b0}};
          count_q  <= 16'd0;
          valid_q  <= 1'b0;
        end else begin
          wr_ptr_q <= wr_ptr_q + {{(DEPTH_LOG2 - 2) {1'b0}}, push_count_i};
          rd_ptr_q <= rd_ptr_d;
          count_q  <= left + {14'd0, push_count_i};
          valid_q  <= left != 16'd0;
        end
      end

      if (NRET == 1) begin : gen_one
        // An entry is offered no earlier than a clock after it was written, so what a read gets in
        // the clock of the write does not matter, and synthesis need build nothing for it.
        (* no_rw_check *) reg [WIDTH-1:0] memory[0:DEPTH-1];
        reg [WIDTH-1:0] data_q;
        always @(posedge clk_i) begin
          if (push_count_i != 2'd0) memory[wr_ptr_q] <= push_data_i;
          data_q <= memory[rd_ptr_d];
        end
        assign pop_data_o = data_q;
`ifdef FORMAL
        assign slot_data_o = memory[slot_i[DEPTH_LOG2-1:0]];
`endif
      end else begin : gen_two
        // The entry for memory b is slice 0 if the write pointer is at b, else slice 1.
        (* no_rw_check *) reg [WIDTH-1:0] even[0:DEPTH/2-1];
        (* no_rw_check *) reg [WIDTH-1:0] odd[0:DEPTH/2-1];
        reg [WIDTH-1:0] even_q;
        reg [WIDTH-1:0] odd_q;
        wire [DEPTH_LOG2-2:0] row = wr_ptr_q[DEPTH_LOG2-1:1];
        wire [DEPTH_LOG2-2:0] next_row = row + PTR_ONE[DEPTH_LOG2-2:0];
        wire at_odd = wr_ptr_q[0];
        wire write_even = at_odd ? push_count_i == 2'd2 : push_count_i != 2'd0;
        wire write_odd = at_odd ? push_count_i != 2'd0 : push_count_i == 2'd2;
        wire [WIDTH-1:0] first = push_data_i[0+:WIDTH];
        wire [WIDTH-1:0] second = push_data_i[WIDTH+:WIDTH];

        always @(posedge clk_i) begin
          if (write_even) even[at_odd?next_row : row] <= at_odd ? second : first;
          even_q <= even[rd_ptr_d[DEPTH_LOG2-1:1]];
        end
        always @(posedge clk_i) begin
          if (write_odd) odd[row] <= at_odd ? first : second;
          odd_q <= odd[rd_ptr_d[DEPTH_LOG2-1:1]];
        end
        assign pop_data_o = rd_ptr_q[0] ? odd_q : even_q;
`ifdef FORMAL
        wire [DEPTH_LOG2-2:0] slot = slot_i[DEPTH_LOG2-1:1];
        assign slot_data_o = slot_i[0] ? odd[slot] : even[slot];
`endif
      end
      assign free_o = DEPTH_16 - count_q;
      assign pop_valid_o = valid_q;
      assign empty_o = count_q == 16'd0;
`ifdef FORMAL
      assign write_o = {{(16 - DEPTH_LOG2) {1'b0}}, wr_ptr_q};
      assign read_o = {{(16 - DEPTH_LOG2) {1'b0}}, rd_ptr_q};
`endif
    end
  endgenerate
endmodule
`default_nettype wire
