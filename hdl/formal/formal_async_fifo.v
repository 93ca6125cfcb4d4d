// SPDX-License-Identifier: Apache-2.0
// Properties of ear_async_fifo, proved for every sequence of writes and reads, with two clocks
// whose edges come in any order, and resets that end at different times:
//
//   1. What crosses is in Gray code: in a clock of its side a pointer changes one bit or none. So
//      a flip-flop that samples in the middle of a change has the old pointer or the new one, which
//      is the same as an edge just before or just after it.
//   2. An entry is offered from the third edge of the read clock after the write, and its slot is
//      free from the second edge of the write clock after the read: two flip-flops, not one.
//   3. No entry is lost, doubled or out of order, and each has the data that were written.
//
// Entries are counted modulo twice the depth. One slot, any one, stands for all of them.
`default_nettype none
module formal_async_fifo #(
    parameter DEPTH_LOG2 = 4
) (
    input wire wr_clk_i,
    input wire wr_valid_i,
    input wire wr_data_i,
    input wire rd_clk_i,
    input wire rd_ready_i,
    input wire [DEPTH_LOG2-1:0] slot_i
);
  localparam PTR = DEPTH_LOG2 + 1;
  localparam [PTR-1:0] DEPTH = 1 << DEPTH_LOG2;

  // Each reset ends at an edge of its clock.
  reg wr_started_q = 1'b0;
  reg rd_started_q = 1'b0;
  always @(posedge wr_clk_i) wr_started_q <= 1'b1;
  always @(posedge rd_clk_i) rd_started_q <= 1'b1;

  reg [DEPTH_LOG2-1:0] slot_q;  // any slot, which stays
  always @(posedge wr_clk_i) if (!wr_started_q) slot_q <= slot_i;

  wire wr_ready;
  wire rd_valid;
  wire rd_data;
  wire slot_data;
  wire [PTR-1:0] wr_ptr, wr_gray, wr_sync0, wr_sync1;
  wire [PTR-1:0] rd_ptr, rd_gray, rd_sync0, rd_sync1;

  ear_async_fifo #(
      .WIDTH     (1),
      .DEPTH_LOG2(DEPTH_LOG2)
  ) u_fifo (
      .wr_clk_i   (wr_clk_i),
      .wr_rst_ni  (wr_started_q),
      .wr_valid_i (wr_valid_i),
      .wr_ready_o (wr_ready),
      .wr_data_i  (wr_data_i),
      .wr_ptr_o   (wr_ptr),
      .wr_gray_o  (wr_gray),
      .wr_sync0_o (wr_sync0),
      .wr_sync1_o (wr_sync1),
      .rd_ptr_o   (rd_ptr),
      .rd_gray_o  (rd_gray),
      .rd_sync0_o (rd_sync0),
      .rd_sync1_o (rd_sync1),
      .slot_i     (slot_q),
      .slot_data_o(slot_data),
      .rd_clk_i   (rd_clk_i),
      .rd_rst_ni  (rd_started_q),
      .rd_valid_o (rd_valid),
      .rd_ready_i (rd_ready_i),
      .rd_data_o  (rd_data)
  );

  // What was written, and what the write side may know of the reads; the last Gray code.
  reg [PTR-1:0] written_q = 0;
  reg [PTR-1:0] reads1_q = 0;
  reg [PTR-1:0] reads2_q = 0;
  reg [PTR-1:0] wr_before_q = 0;
  reg stored_q;  // what was written to the slot last
  reg [PTR-1:0] read_q = 0;
  wire write = wr_started_q && wr_valid_i && wr_ready;
  always @(posedge wr_clk_i) begin
    written_q <= written_q + (write ? 1'b1 : 1'b0);
    reads1_q <= wr_started_q ? read_q : 0;
    reads2_q <= wr_started_q ? reads1_q : 0;
    wr_before_q <= wr_gray;
    if (write && written_q[DEPTH_LOG2-1:0] == slot_q) stored_q <= wr_data_i;
  end

  // The same of the read side, which has one clock more for the memory.
  reg [PTR-1:0] writes1_q = 0;
  reg [PTR-1:0] writes2_q = 0;
  reg [PTR-1:0] writes3_q = 0;
  reg [PTR-1:0] rd_before_q = 0;
  wire read = rd_started_q && rd_valid && rd_ready_i;
  always @(posedge rd_clk_i) begin
    read_q <= read_q + (read ? 1'b1 : 1'b0);
    writes1_q <= rd_started_q ? written_q : 0;
    writes2_q <= rd_started_q ? writes1_q : 0;
    writes3_q <= rd_started_q ? writes2_q : 0;
    rd_before_q <= rd_gray;
  end

  wire [PTR-1:0] wr_change = wr_gray ^ wr_before_q;
  wire [PTR-1:0] rd_change = rd_gray ^ rd_before_q;

  // The numbers follow each other in this order, and the first is at most DEPTH after the last:
  // written, writes1, writes2, writes3, read, reads1, reads2.
  wire [PTR-1:0] all = written_q - reads2_q;
  wire [PTR-1:0] step1 = written_q - writes1_q;
  wire [PTR-1:0] step2 = writes1_q - writes2_q;
  wire [PTR-1:0] step3 = writes2_q - writes3_q;
  wire [PTR-1:0] step4 = writes3_q - read_q;
  wire [PTR-1:0] step5 = read_q - reads1_q;
  wire [PTR-1:0] step6 = reads1_q - reads2_q;
  wire [PTR+2:0] sum = {3'd0, step1} + {3'd0, step2} + {3'd0, step3} + {3'd0, step4} +
      {3'd0, step5} + {3'd0, step6};

  wire [DEPTH_LOG2-1:0] first = read_q[DEPTH_LOG2-1:0];
  wire [DEPTH_LOG2-1:0] ahead = slot_q - first;  // the slot's entry is that many after the first
  wire [PTR-1:0] inside_count = written_q - read_q;
  wire slot_inside = {1'b0, ahead} < inside_count;

  always @* begin
    assert ((wr_change & (wr_change - 1'b1)) == 0);
    assert ((rd_change & (rd_change - 1'b1)) == 0);
    assert (wr_ready == (written_q - reads2_q != DEPTH));
    assert (!rd_started_q || rd_valid == (read_q != writes3_q));
    assert (!rd_valid || first != slot_q || rd_data == stored_q);
    // For the induction.
    assert (all <= DEPTH && {3'd0, all} == sum);
    assert (wr_ptr == written_q && rd_ptr == read_q);
    assert (wr_gray == (written_q ^ (written_q >> 1)));
    assert (rd_gray == (read_q ^ (read_q >> 1)));
    assert (wr_sync0 == (writes1_q ^ (writes1_q >> 1)));
    assert (wr_sync1 == (writes2_q ^ (writes2_q >> 1)));
    assert (rd_sync0 == (reads1_q ^ (reads1_q >> 1)));
    assert (rd_sync1 == (reads2_q ^ (reads2_q >> 1)));
    assert (!slot_inside || slot_data == stored_q);
    assert (wr_started_q || written_q == 0);
    assert (rd_started_q || (read_q == 0 && !rd_valid));
  end
endmodule
`default_nettype wire
