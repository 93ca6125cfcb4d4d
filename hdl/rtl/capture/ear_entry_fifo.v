// SPDX-License-Identifier: Apache-2.0
// The record FIFO, with as few bits of each entry's order as are asked for.
//
// What is in the FIFO is wide, and an order is 64 bits that nearly always count up by one. So
// its upper bits may be left out, and with OWN_ORDER all of them: then entries are counted here.
`include "ear_entry.vh"
`default_nettype none
module ear_entry_fifo #(
    parameter NRET       = 1,   // channels
    parameter ENTRY      = 67,  // bits of an entry, the order right after its head (ear_entry.vh)
    parameter DEPTH      = 16,  // entries, as ear_record_fifo
    parameter ORDER_BITS = 64,  // bits of the order that are kept, 32 to 64; the others read 0
    parameter OWN_ORDER  = 0    // 1: count from 0 instead; for DEPTH 1 only
) (
    input wire clk_i,
    input wire rst_ni,

    // OWN_ORDER: the core retires an entry. It waits while its entry is in the FIFO.
    input wire retired_i,

    // From the capture and to predictor or encoder, as ear_record_fifo.
    input  wire [           1:0] push_count_i,
    input  wire [NRET*ENTRY-1:0] push_data_i,
    output wire [          15:0] free_o,
    output wire                  pop_valid_o,
    input  wire                  pop_ready_i,
    output wire [     ENTRY-1:0] pop_data_o,
    output wire                  empty_o
);
  localparam HEAD = `EAR_ENTRY_HEAD_WIDTH;
  localparam KEPT = HEAD + ORDER_BITS;
  localparam STORED = OWN_ORDER != 0 ? ENTRY : ENTRY - 64 + ORDER_BITS;
  localparam [63:0] MASK = {64{1'b1}} >> (64 - ORDER_BITS);

  wire [NRET*STORED-1:0] push_stored;
  wire [     STORED-1:0] stored;

  genvar k;
  generate
    if (OWN_ORDER != 0) begin : gen_own_order
      reg [63:0] order_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) order_q <= MASK;
        else if (retired_i) order_q <= (order_q + 64'd1) & MASK;
      end
      assign push_stored = push_data_i;
      assign pop_data_o  = {stored[ENTRY-1:HEAD+64], order_q, stored[HEAD-1:0]};
      wire unused = &{1'b0, stored[HEAD+63:HEAD]};
    end else if (ORDER_BITS == 64) begin : gen_whole_order
      wire unused = retired_i;
      assign push_stored = push_data_i;
      assign pop_data_o  = stored;
    end else begin : gen_short_order
      wire [NRET-1:0] unused;
      wire unused_retired = retired_i;
      for (k = 0; k < NRET; k = k + 1) begin : gen_slot
        wire [ENTRY-1:0] entry = push_data_i[k*ENTRY+:ENTRY];
        assign push_stored[k*STORED+:STORED] = {entry[ENTRY-1:HEAD+64], entry[KEPT-1:0]};
        assign unused[k] = &{1'b0, entry[HEAD+63:KEPT]};
      end
      assign pop_data_o = {stored[STORED-1:KEPT], {(64 - ORDER_BITS) {1'b0}}, stored[KEPT-1:0]};
    end
  endgenerate

  ear_record_fifo #(
      .WIDTH(STORED),
      .DEPTH(DEPTH),
      .NRET (NRET)
  ) u_record_fifo (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .push_count_i(push_count_i),
      .push_data_i (push_stored),
      .free_o      (free_o),
      .pop_valid_o (pop_valid_o),
      .pop_ready_i (pop_ready_i),
      .pop_data_o  (stored),
      .empty_o     (empty_o)
  );
endmodule
`default_nettype wire
