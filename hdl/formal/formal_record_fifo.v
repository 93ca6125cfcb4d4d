// SPDX-License-Identifier: Apache-2.0
// Properties of ear_record_fifo, proved for every sequence of pushes that keeps to free_o:
//
//   1. What is inside is never more than DEPTH.
//   2. pushed = popped + inside: no entry is lost or doubled.
//   3. It says empty exactly if nothing is inside, and never offers an entry then.
`default_nettype none
module formal_record_fifo #(
    parameter NRET = 1
) (
    input wire       clk_i,
    input wire [1:0] push_count_i,
    input wire       pop_ready_i
);
  localparam DEPTH = 8;

  reg started_q = 1'b0;
  always @(posedge clk_i) started_q <= 1'b1;

  wire [15:0] free;
  wire pop_valid;
  wire empty;
  wire [1:0] data;

  ear_record_fifo #(
      .WIDTH(2),
      .DEPTH(DEPTH),
      .NRET (NRET)
  ) u_fifo (
      .clk_i       (clk_i),
      .rst_ni      (started_q),
      .push_count_i(push_count_i),
      .push_data_i ({NRET{2'b01}}),
      .free_o      (free),
      .pop_valid_o (pop_valid),
      .pop_ready_i (pop_ready_i),
      .pop_data_o  (data),
      .empty_o     (empty)
  );

  reg [15:0] pushed_q = 16'd0;
  reg [15:0] popped_q = 16'd0;
  wire [15:0] inside_count = pushed_q - popped_q;
  always @(posedge clk_i) begin
    if (started_q) begin
      pushed_q <= pushed_q + {14'd0, push_count_i};
      popped_q <= popped_q + {15'd0, pop_valid && pop_ready_i};
    end
  end

  always @* begin
    assume (push_count_i <= NRET && {14'd0, push_count_i} <= free);
    if (started_q) begin
      assert (inside_count <= DEPTH);
      assert (free == DEPTH - inside_count);
      assert (empty == (inside_count == 16'd0));
      assert (!pop_valid || !empty);
    end
  end
endmodule
`default_nettype wire
