// SPDX-License-Identifier: Apache-2.0
// The encoder of records for geometries with SINGLE and BASE: as ear_predict_encoder, which
// explains the ports, but nothing is held back for a group, there is no dictionary, and the retire
// port has 32 bits and no groups. So everything comes straight from the record at hand, and a
// message is walked field by field, a chunk of up to four bytes for each; one that is not in it has
// 0.
`include "ear_protocol.vh"
`include "ear_entry.vh"
`default_nettype none
module ear_predict_encoder_single #(
    parameter BODY = `EAR_BODY_WIDTH(32, 0, 0, 0, 0)  // derived, do not set
) (
    input wire clk_i,
    input wire rst_ni,

    input wire [BODY-1:0] body_i,
    input wire [    19:0] mask_i,
    input wire [    31:0] delta_i,

    output wire plain_o,
    output wire full_o,
    output wire counted_o,
    input  wire take_i,

    input  wire       start_i,
    input  wire       run_i,    // with start_i and until the last chunk: the run alone
    output wire [9:0] size_o,

    input  wire        ready_i,
    output reg  [31:0] data_o,
    output reg  [ 3:0] count_o,
`ifdef FORMAL
    output wire [ 2:0] in_flight_o,  // as ear_predict_encoder; never a group
`endif
    output wire        last_o
);
  wire [63:0] order;
  wire [31:0] insn;
  wire [7:0] status;
  wire [1:0] ext;
  wire [4:0] rd_addr;
  wire [31:0] rd_wdata, pc_rdata, pc_wdata, mem_addr, mem_rdata, mem_wdata, cause;
  wire [3:0] mem_rmask, mem_wmask;
  assign {mem_wmask, mem_rmask, cause, mem_wdata, mem_rdata, mem_addr, pc_wdata, pc_rdata,
          rd_wdata, rd_addr, ext, status, insn, order} = body_i;
  wire [31:0] mask = {12'd0, mask_i};

  // The run.
  reg [15:0] run_q;
  wire done = ready_i && last_o;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) run_q <= 16'd0;
    else if (done) run_q <= {15'd0, take_i && plain_o};
    else run_q <= run_q + {15'd0, take_i && plain_o};
  end
  assign plain_o = mask_i == 20'd0;
  assign counted_o = run_q != 16'd0;
  assign full_o = {16'd0, run_q} == `EAR_RUN_MAX;

  // The kind of the message.
  wire with_insn = mask_i[4];
  wire wide_insn = insn[1:0] == 2'b11;
  wire has_form = wide_insn || insn[31:16] == 16'd0;
  wire form24 = wide_insn && insn[31:24] == 8'd0;
  wire [2:0] form_count = form24 ? 3'd3 : wide_insn ? 3'd4 : 3'd2;

  wire [31:0] other = mask & ~`EAR_DIFFER_INSN;
  wire rdata = other == `EAR_DIFFER_RDATA;
  wire byte_read = rdata && mem_rmask == 4'b0001;
  wire half_read = rdata && mem_rmask == 4'b0011;
  wire beside = (byte_read && mem_rdata[15:8] != 8'd0) ||
      ((byte_read || half_read) && mem_rdata[31:16] != 16'd0);
  wire is_insn = other == 32'd0 && has_form;
  wire is_value = ((rdata && !beside) || other == `EAR_DIFFER_RD) && (!with_insn || has_form);
  wire is_irq = mask == `EAR_DIFFER_IRQ;
  wire general = !run_i && !is_insn && !is_value && !is_irq;

  // A byte of a value is not needed if it and the bit below it only repeat the sign.
  wire needs4 = !byte_read && !half_read && delta_i[31:23] != {9{delta_i[31]}};
  wire needs3 = !byte_read && !half_read && delta_i[23:15] != {9{delta_i[31]}};
  wire needs2 = !byte_read && delta_i[15:7] != {9{half_read ? delta_i[15] : delta_i[31]}};
  wire [2:0] value_count = needs4 ? 3'd4 : needs3 ? 3'd3 : needs2 ? 3'd2 : 3'd1;
  wire one_piece = is_value && rdata && !with_insn && value_count != 3'd3;
  wire [7:0] value_form = {
    1'b0, !rdata, value_count - 3'd1, 1'b0, with_insn && form24, with_insn && !form24
  };

  // Kind and run.
  wire [7:0] kind = run_i ? `EAR_PREDICT_RUN : is_insn ? `EAR_PREDICT_INSN + {7'd0, form24} :
      one_piece ? `EAR_PREDICT_RDATA1 + {6'd0, value_count[2:1]} :
      is_value ? `EAR_PREDICT_VALUE : is_irq ? `EAR_PREDICT_IRQ : `EAR_PREDICT_GENERAL;
  wire [15:0] short_run = run_q - 16'd13;  // EAR_RUN_BYTE_BASE
  wire in_head = run_q[15:4] == 12'd0 && run_q[3:0] < 4'd13;
  wire in_byte = short_run[15:8] == 8'd0;
  wire [1:0] head_count = in_head ? 2'd1 : in_byte ? 2'd2 : 2'd3;
  wire [23:0] head = {
    run_q[15:8], in_byte ? short_run[7:0] : run_q[7:0], kind[3:0],
    in_head ? run_q[3:0] : in_byte ? 4'd13 : 4'd14
  };

  wire [19:0] m = general ? mask_i : 20'd0;
  wire unused = &{1'b0, status[3], m, kind[7:4]};

  wire [1:0] ones = {1'b0, m[8]} + {1'b0, m[13]};
  wire [1:0] twos = {1'b0, m[2]} + {1'b0, m[10]};
  wire [3:0] words = {3'd0, m[1]} + {3'd0, m[4]} + {3'd0, m[8]} + {3'd0, m[9]} + {3'd0, m[11]} +
      {3'd0, m[12]} + {3'd0, m[14]} + {3'd0, m[17]} + {2'd0, m[0], 1'b0};
  wire [6:0] general_size = {1'b0, words, 2'd0} + {4'd0, twos, 1'b0} + {5'd0, ones} + 7'd3;
  wire has_value = !run_i && is_value;
  wire has_short = !run_i && (is_insn || (is_value && with_insn));
  wire [3:0] short_size = (has_value ? {1'b0, value_count} : 4'd0) +
      (has_short ? {1'b0, form_count} : 4'd0) + {3'd0, has_value && !one_piece};
  assign size_o = {3'd0, general ? general_size : {3'd0, short_size}} + {8'd0, head_count};

  // The fields in turn.
  localparam [4:0] LAST = 5'd17;
  reg [4:0] step_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_q <= 5'd0;
    else if (start_i) step_q <= 5'd0;
    else if (ready_i) step_q <= step_q + 5'd1;
  end
  assign last_o = step_q == LAST;

  wire [3:0] word = 4'd4;
  always @* begin
    case (step_q)
      5'd0: {data_o, count_o} = {8'd0, head, 2'd0, head_count};
      5'd1: {data_o, count_o} = {24'd0, value_form, 3'd0, has_value && !one_piece};
      5'd2: {data_o, count_o} = {12'd0, mask_i, general ? 4'd3 : 4'd0};
      5'd3: {data_o, count_o} = {order[31:0], m[0] ? word : 4'd0};
      5'd4: {data_o, count_o} = {order[63:32], m[0] ? word : 4'd0};
      5'd5: {data_o, count_o} = {pc_rdata, m[1] ? word : 4'd0};
      5'd6: {data_o, count_o} = {
        16'd0, 6'd0, ext, status[7:4], 1'b0, status[2:1], 1'b0, m[2] ? 4'd2 : 4'd0
      };
      5'd7: {data_o, count_o} = {insn, m[4] ? word : has_short ? {1'b0, form_count} : 4'd0};
      5'd8: {data_o, count_o} = {31'd0, status[0], 3'd0, m[8]};
      5'd9: {data_o, count_o} = {cause, m[8] ? word : 4'd0};
      5'd10: {data_o, count_o} = {mem_addr, m[9] ? word : 4'd0};
      5'd11: {data_o, count_o} = {20'd0, mem_wmask, 4'd0, mem_rmask, m[10] ? 4'd2 : 4'd0};
      5'd12: {data_o, count_o} = {mem_rdata, m[11] ? word : 4'd0};
      5'd13: {data_o, count_o} = {mem_wdata, m[12] ? word : 4'd0};
      5'd14: {data_o, count_o} = {27'd0, rd_addr, 3'd0, m[13]};
      5'd15: {data_o, count_o} = {rd_wdata, m[14] ? word : 4'd0};
      5'd16: {data_o, count_o} = {pc_wdata, m[17] ? word : 4'd0};
      default: {data_o, count_o} = {delta_i, has_value ? {1'b0, value_count} : 4'd0};
    endcase
  end

`ifdef FORMAL
  // As in ear_predict_encoder: every record is counted or sent, and reported once.
  reg [15:0] sent_run_q;
  reg        sent_record_q;
  reg        in_flight_q;
  reg [17:0] records_q;
  reg [17:0] sent_q;
  assign in_flight_o = !in_flight_q ? 3'b000 : {sent_record_q, !sent_record_q, 1'b0};
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sent_run_q <= 16'd0;
      sent_record_q <= 1'b0;
      in_flight_q <= 1'b0;
      records_q <= 18'd0;
      sent_q <= 18'd0;
    end else begin
      if (start_i) begin
        sent_run_q <= run_q;
        sent_record_q <= !run_i;
      end
      in_flight_q <= start_i || (in_flight_q && !done);
      records_q <= records_q + {17'd0, take_i} + {17'd0, done && sent_record_q};
      if (done) sent_q <= sent_q + {2'd0, sent_run_q} + {17'd0, sent_record_q};
    end
  end
  always @* begin
    if (rst_ni) begin
      assert (records_q == sent_q + {2'd0, run_q});
      assert (!done || in_flight_q);
      if (in_flight_q) begin
        assert (sent_run_q == run_q);
        assert (!take_i || done);
      end
      if (take_i) assert (plain_o && (done || run_q != 16'hFFFF));
    end
  end
`endif
endmodule
`default_nettype wire
