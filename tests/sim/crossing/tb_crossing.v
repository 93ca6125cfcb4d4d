// SPDX-License-Identifier: Apache-2.0
// ear_async_fifo between two clocks, with what simulation otherwise leaves out:
//
//   - Skew: each bit of a Gray pointer changes at a time of its own, up to 40 % of a period after
//     the edge of its clock. It is X for up to 20 % of a period of the faster clock, so that at
//     most one edge of the other clock samples a bit that changes.
//   - Metastability: a first flip-flop that samples an X keeps it for 80 % of its period. Then it
//     is 0 or 1, by chance.
//
// What the logic uses must be known in the middle of each period, and each word must arrive once
// and in order. Prints a line that begins with "fault" for each rule that is broken, at most one,
// and at the end how much happened.
//
// +wr=N +rd=N: periods in ps. +seed=N.
`timescale 1ps / 1ps
`default_nettype none
module tb_crossing;
  localparam PTR = 4;
  localparam WORDS = 800;

  integer wr_period = 10000;
  integer rd_period = 10000;
  integer seed = 1;
  integer step;  // of a change: 5 % of the faster clock's period
  integer wr_steps, rd_steps;
  reg wr_clk = 1'b0;
  reg rd_clk = 1'b0;
  reg rst_n = 1'b0;
  initial begin
    if (!$value$plusargs("wr=%d", wr_period)) wr_period = 10000;
    if (!$value$plusargs("rd=%d", rd_period)) rd_period = 10000;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    step = (wr_period < rd_period ? wr_period : rd_period) / 20;
    wr_steps = wr_period * 2 / 5 / step;
    rd_steps = rd_period * 2 / 5 / step;
    #(4 * (wr_period + rd_period)) rst_n = 1'b1;
  end
  always #(wr_period / 2) wr_clk = !wr_clk;
  always #(rd_period / 2) rd_clk = !rd_clk;

  reg wr_rst_n = 1'b0;
  reg rd_rst_n = 1'b0;
  always @(posedge wr_clk) wr_rst_n <= rst_n;
  always @(posedge rd_clk) rd_rst_n <= rst_n;

  reg wr_valid = 1'b0;
  reg rd_ready = 1'b0;
  reg [15:0] wr_data = 16'd0;
  wire wr_ready;
  wire rd_valid;
  wire [15:0] rd_data;

  ear_async_fifo #(
      .WIDTH     (16),
      .DEPTH_LOG2(PTR - 1)
  ) u_fifo (
      .wr_clk_i  (wr_clk),
      .wr_rst_ni (wr_rst_n),
      .wr_valid_i(wr_valid),
      .wr_ready_o(wr_ready),
      .wr_data_i (wr_data),
      .rd_clk_i  (rd_clk),
      .rd_rst_ni (rd_rst_n),
      .rd_valid_o(rd_valid),
      .rd_ready_i(rd_ready),
      .rd_data_o (rd_data)
  );

  // Words, in phases in which one side is slower than the other.
  reg [15:0] expected = 16'd0;
  integer metastable = 0;
  wire [1:0] phase = expected[7:6];
  always @(posedge wr_clk) begin
    if (wr_rst_n && wr_valid && wr_ready) wr_data <= wr_data + 16'd1;
    wr_valid <= wr_rst_n && wr_data < WORDS && (phase[0] || $random(seed) % 4 == 0);
  end
  always @(posedge rd_clk) begin
    if (rd_rst_n && rd_valid && rd_ready) begin
      if (rd_data !== expected) begin
        $display("fault: word %0d came for %0d", rd_data, expected);
        $finish;
      end
      expected <= expected + 16'd1;
      if (expected == WORDS - 1) begin
        $display("%0d words, %0d metastable", WORDS, metastable);
        $finish;
      end
    end
    rd_ready <= phase[1] || $random(seed) % 4 == 0;
  end
  initial begin
    #(10000 * (wr_period + rd_period));
    #(10000 * (wr_period + rd_period));
    $display("fault: only %0d words came", expected);
    $finish;
  end

  // Skew of both pointers.
  reg [PTR-1:0] wr_old = {PTR{1'b0}};
  reg [PTR-1:0] wr_new, wr_now;
  integer wr_start[0:PTR-1];
  integer wr_width[0:PTR-1];
  integer wr_step, wr_bit;
  always @(posedge wr_clk) begin
    #1 wr_new = u_fifo.wr_gray_q;
    for (wr_bit = 0; wr_bit < PTR; wr_bit = wr_bit + 1) begin
      wr_width[wr_bit] = 1 + $unsigned($random(seed)) % 4;
      wr_start[wr_bit] = $unsigned($random(seed)) % (wr_steps - 4);
    end
    if (wr_rst_n && wr_new !== wr_old) begin
      for (wr_step = 0; wr_step < wr_steps; wr_step = wr_step + 1) begin
        wr_now = wr_old;
        for (wr_bit = 0; wr_bit < PTR; wr_bit = wr_bit + 1) begin
          if (wr_new[wr_bit] !== wr_old[wr_bit] && wr_step >= wr_start[wr_bit])
            wr_now[wr_bit] = wr_step < wr_start[wr_bit] + wr_width[wr_bit] ? 1'bx : wr_new[wr_bit];
        end
        u_fifo.wr_gray_q = wr_now;
        #step;
      end
      u_fifo.wr_gray_q = wr_new;
    end
    wr_old = wr_new;
  end

  reg [PTR-1:0] rd_old = {PTR{1'b0}};
  reg [PTR-1:0] rd_new, rd_now;
  integer rd_start[0:PTR-1];
  integer rd_width[0:PTR-1];
  integer rd_step, rd_bit;
  always @(posedge rd_clk) begin
    #1 rd_new = u_fifo.rd_gray_q;
    for (rd_bit = 0; rd_bit < PTR; rd_bit = rd_bit + 1) begin
      rd_width[rd_bit] = 1 + $unsigned($random(seed)) % 4;
      rd_start[rd_bit] = $unsigned($random(seed)) % (rd_steps - 4);
    end
    if (rd_rst_n && rd_new !== rd_old) begin
      for (rd_step = 0; rd_step < rd_steps; rd_step = rd_step + 1) begin
        rd_now = rd_old;
        for (rd_bit = 0; rd_bit < PTR; rd_bit = rd_bit + 1) begin
          if (rd_new[rd_bit] !== rd_old[rd_bit] && rd_step >= rd_start[rd_bit])
            rd_now[rd_bit] = rd_step < rd_start[rd_bit] + rd_width[rd_bit] ? 1'bx : rd_new[rd_bit];
        end
        u_fifo.rd_gray_q = rd_now;
        #step;
      end
      u_fifo.rd_gray_q = rd_new;
    end
    rd_old = rd_new;
  end

  // First flip-flops settle, and before that nothing depends on them.
  integer wr_first, rd_first;
  always @(posedge wr_clk) begin
    #(wr_period / 2);
    if (wr_rst_n && (^{wr_ready, u_fifo.wr_ptr_d, u_fifo.rd_sync_q[1]}) === 1'bx) begin
      $display("fault: the write side uses what is not settled");
      $finish;
    end
    #(wr_period * 3 / 10);
    for (wr_first = 0; wr_first < PTR; wr_first = wr_first + 1) begin
      if (u_fifo.rd_sync_q[0][wr_first] === 1'bx) begin
        u_fifo.rd_sync_q[0][wr_first] = $random(seed);
        metastable = metastable + 1;
      end
    end
  end
  always @(posedge rd_clk) begin
    #(rd_period / 2);
    if (rd_rst_n && (^{rd_valid, u_fifo.rd_valid_d, u_fifo.wr_sync_q[1]}) === 1'bx) begin
      $display("fault: the read side uses what is not settled");
      $finish;
    end
    #(rd_period * 3 / 10);
    for (rd_first = 0; rd_first < PTR; rd_first = rd_first + 1) begin
      if (u_fifo.wr_sync_q[0][rd_first] === 1'bx) begin
        u_fifo.wr_sync_q[0][rd_first] = $random(seed);
        metastable = metastable + 1;
      end
    end
  end
endmodule
`default_nettype wire
