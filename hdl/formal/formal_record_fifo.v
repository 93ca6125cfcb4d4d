// SPDX-License-Identifier: Apache-2.0
// Properties of ear_record_fifo, proved for every sequence of pushes that keeps to free_o:
//
//   1. What is inside is never more than DEPTH.
//   2. pushed = popped + inside: no entry is lost or doubled.
//   3. It says empty exactly if nothing is inside, and never offers an entry then.
//   4. What it offers is the oldest entry inside, with the data that were pushed.
//
// One slot of the memory, any one, stands for all of them.
`default_nettype none
module formal_record_fifo #(
    parameter NRET = 1
) (
    input wire       clk_i,
    input wire [1:0] push_count_i,
    input wire [NRET-1:0] push_data_i,
    input wire       pop_ready_i,
    input wire [2:0] slot_i
);
  localparam DEPTH = 8;

  reg started_q = 1'b0;
  always @(posedge clk_i) started_q <= 1'b1;

  wire [15:0] free;
  wire pop_valid;
  wire empty;
  wire data;
  wire [15:0] write;
  wire [15:0] read;
  wire slot_data;

  reg [2:0] slot_q;  // any slot, which stays
  always @(posedge clk_i) if (!started_q) slot_q <= slot_i;

  ear_record_fifo #(
      .WIDTH(1),
      .DEPTH(DEPTH),
      .NRET (NRET)
  ) u_fifo (
      .clk_i       (clk_i),
      .rst_ni      (started_q),
      .push_count_i(push_count_i),
      .push_data_i (push_data_i),
      .free_o      (free),
      .write_o     (write),
      .read_o      (read),
      .slot_i      ({13'd0, slot_q}),
      .slot_data_o (slot_data),
      .pop_valid_o (pop_valid),
      .pop_ready_i (pop_ready_i),
      .pop_data_o  (data),
      .empty_o     (empty)
  );

  reg [15:0] pushed_q = 16'd0;
  reg [15:0] popped_q = 16'd0;
  wire [15:0] inside_count = pushed_q - popped_q;
  wire [2:0] first = popped_q[2:0];
  wire [2:0] ahead = slot_q - first;          // the slot's entry is that many after the first
  wire [2:0] later = slot_q - pushed_q[2:0];  // which of this clock's entries goes there
  reg stored_q;                               // what was pushed into the slot last
  always @(posedge clk_i) begin
    if (started_q) begin
      pushed_q <= pushed_q + {14'd0, push_count_i};
      popped_q <= popped_q + {15'd0, pop_valid && pop_ready_i};
      if (later < {1'b0, push_count_i}) stored_q <= push_data_i[later[0]];
    end
  end

  always @* begin
    assume (push_count_i <= NRET && {14'd0, push_count_i} <= free);
    if (started_q) begin
      assert (inside_count <= DEPTH);
      assert (free == DEPTH - inside_count);
      assert (empty == (inside_count == 16'd0));
      assert (!pop_valid || !empty);
      assert (!pop_valid || first != slot_q || data == stored_q);
      // For the induction.
      assert (write == {13'd0, pushed_q[2:0]});
      assert (read == {13'd0, first});
      assert ({13'd0, ahead} >= inside_count || slot_data == stored_q);
    end
  end
endmodule
`default_nettype wire
