// SPDX-License-Identifier: Apache-2.0
// Carry a stream from one clock to another, in order and without loss.
//
// Each side keeps its pointer in Gray code and sees the other's through two flip-flops, so that a
// pointer read in the middle of a change is either the old or the new one.
//
// Constraints for the place-and-route tool: no timing relation between the two clocks (set them
// asynchronous), or a maximum delay of one period of the faster clock on *_gray_q -> *_sync_q[0]
// and from the memory to read_data_q. The synchronisers are marked ASYNC_REG.
//
// Resets: both sides must be in reset at the same time for at least one clock of each, or the
// pointers disagree.
`default_nettype none
module ear_async_fifo #(
    parameter WIDTH      = 8,  // bits
    parameter DEPTH_LOG2 = 4   // log2 of the entries: 2 to 12
) (
    // Write side: a word moves when valid and ready are high.
    input  wire             wr_clk_i,
    input  wire             wr_rst_ni,
    input  wire             wr_valid_i,
    output wire             wr_ready_o,
    input  wire [WIDTH-1:0] wr_data_i,

`ifdef FORMAL
    // For hdl/formal: the pointers on their way, and an entry of the memory.
    output wire [DEPTH_LOG2:0] wr_ptr_o,
    output wire [DEPTH_LOG2:0] wr_gray_o,
    output wire [DEPTH_LOG2:0] wr_sync0_o,
    output wire [DEPTH_LOG2:0] wr_sync1_o,
    output wire [DEPTH_LOG2:0] rd_ptr_o,
    output wire [DEPTH_LOG2:0] rd_gray_o,
    output wire [DEPTH_LOG2:0] rd_sync0_o,
    output wire [DEPTH_LOG2:0] rd_sync1_o,
    input  wire [DEPTH_LOG2-1:0] slot_i,
    output wire [WIDTH-1:0] slot_data_o,
`endif

    // Read side: the same.
    input  wire             rd_clk_i,
    input  wire             rd_rst_ni,
    output wire             rd_valid_o,
    input  wire             rd_ready_i,
    output wire [WIDTH-1:0] rd_data_o
);
  localparam PTR = DEPTH_LOG2 + 1;
  localparam [PTR-1:0] ONE = 1;

  generate
    if (DEPTH_LOG2 < 2 || DEPTH_LOG2 > 12) begin : gen_bad_parameter
      ear_async_fifo_DEPTH_LOG2_must_be_2_to_12 u_error ();
    end
  endgenerate

  // An entry is offered only when its pointer has come across: what a read gets in the clock of the
  // write does not matter.
  (* no_rw_check *) reg [WIDTH-1:0] memory[0:(1<<DEPTH_LOG2)-1];

  reg [PTR-1:0] wr_ptr_q;
  reg [PTR-1:0] wr_gray_q;
  reg [PTR-1:0] rd_ptr_q;
  reg [PTR-1:0] rd_gray_q;
  (* ASYNC_REG = "TRUE" *) reg [PTR-1:0] rd_sync_q[0:1];  // the read pointer, in the write clock
  (* ASYNC_REG = "TRUE" *) reg [PTR-1:0] wr_sync_q[0:1];  // the write pointer, in the read clock

  // Write side. Full: the same slot, one turn ahead; in Gray code the two upper bits differ.
  wire full = wr_gray_q == {~rd_sync_q[1][PTR-1:PTR-2], rd_sync_q[1][PTR-3:0]};
  wire write = wr_valid_i && !full;
  wire [PTR-1:0] wr_ptr_d = wr_ptr_q + (write ? ONE : {PTR{1'b0}});

  assign wr_ready_o = !full;

  always @(posedge wr_clk_i or negedge wr_rst_ni) begin
    if (!wr_rst_ni) begin
      wr_ptr_q <= {PTR{1'b0}};
      wr_gray_q <= {PTR{1'b0}};
      rd_sync_q[0] <= {PTR{1'b0}};
      rd_sync_q[1] <= {PTR{1'b0}};
    end else begin
      wr_ptr_q <= wr_ptr_d;
      wr_gray_q <= wr_ptr_d ^ (wr_ptr_d >> 1);
      rd_sync_q[0] <= rd_gray_q;
      rd_sync_q[1] <= rd_sync_q[0];
    end
  end

  always @(posedge wr_clk_i) begin
    if (write) memory[wr_ptr_q[DEPTH_LOG2-1:0]] <= wr_data_i;
  end

  // Read side. The memory is read one clock ahead, so that it can be a block RAM.
  reg              rd_valid_q;
  reg  [WIDTH-1:0] rd_data_q;
  wire             read = rd_valid_q && rd_ready_i;
  wire [  PTR-1:0] rd_ptr_d = rd_ptr_q + (read ? ONE : {PTR{1'b0}});
  wire [  PTR-1:0] rd_gray_d = rd_ptr_d ^ (rd_ptr_d >> 1);
  wire             rd_valid_d = rd_gray_d != wr_sync_q[1];

  assign rd_valid_o = rd_valid_q;
  assign rd_data_o  = rd_data_q;

  always @(posedge rd_clk_i or negedge rd_rst_ni) begin
    if (!rd_rst_ni) begin
      rd_ptr_q <= {PTR{1'b0}};
      rd_gray_q <= {PTR{1'b0}};
      wr_sync_q[0] <= {PTR{1'b0}};
      wr_sync_q[1] <= {PTR{1'b0}};
      rd_valid_q <= 1'b0;
    end else begin
      rd_ptr_q <= rd_ptr_d;
      rd_gray_q <= rd_gray_d;
      wr_sync_q[0] <= wr_gray_q;
      wr_sync_q[1] <= wr_sync_q[0];
      rd_valid_q <= rd_valid_d;
    end
  end

  always @(posedge rd_clk_i) begin
    rd_data_q <= memory[rd_ptr_d[DEPTH_LOG2-1:0]];
  end

`ifdef FORMAL
  assign wr_ptr_o = wr_ptr_q;
  assign wr_gray_o = wr_gray_q;
  assign wr_sync0_o = wr_sync_q[0];
  assign wr_sync1_o = wr_sync_q[1];
  assign rd_ptr_o = rd_ptr_q;
  assign rd_gray_o = rd_gray_q;
  assign rd_sync0_o = rd_sync_q[0];
  assign rd_sync1_o = rd_sync_q[1];
  assign slot_data_o = memory[slot_i];
`endif
endmodule
`default_nettype wire
