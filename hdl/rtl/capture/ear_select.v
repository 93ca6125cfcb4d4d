// SPDX-License-Identifier: Apache-2.0
// Which entries of the retire port pass the filter, and which fire a trigger.
//
// The matchers are wide, so with REGISTER everything leaves a clock later; entries, their marks and
// the end of the program stay together. docs/protocol.md, section 7.2.
`include "ear_entry.vh"
`default_nettype none
module ear_select #(
    parameter XLEN     = 32,  // bits
    parameter NRET     = 1,   // channels
    parameter BODY     = `EAR_BODY_WIDTH(XLEN, 0, 0, 0, 0),  // bits of an entry's body
    parameter FILTER   = 1,   // 1: build the filter; 0: every entry passes
    parameter TRIGGER  = 1,   // 1: build the triggers; 0: no entry fires one
    parameter REGISTER = 1    // 1: a register after filter and matchers
) (
    input wire clk_i,
    input wire rst_ni,

    // Entries, channel k in slice k; no handshake.
    input wire [     NRET-1:0] valid_i,
    input wire [NRET*BODY-1:0] body_i,
    input wire                 ended_i,  // level: nothing retires any more

    // Registers of filter and triggers; of two triggers the start trigger is the lower half.
    input wire [      11:0] filter_i,
    input wire [4*XLEN-1:0] range_low_i,
    input wire [4*XLEN-1:0] range_high_i,
    input wire [       7:0] trigger_kind_i,
    input wire [       1:0] trigger_reads_i,
    input wire [       1:0] trigger_writes_i,
    input wire [     127:0] trigger_value_i,
    input wire [2*XLEN-1:0] trigger_mask_i,
    input wire [2*XLEN-1:0] trigger_data_i,
    input wire [2*XLEN-1:0] trigger_data_mask_i,

    // The same entries with their marks, to the capture; all of one clock.
    output wire [     NRET-1:0] valid_o,
    output wire [NRET*BODY-1:0] body_o,
    output wire [     NRET-1:0] pass_o,
    output wire [     NRET-1:0] start_o,
    output wire [     NRET-1:0] stop_o,
    output wire                 ended_o
);
  wire [NRET-1:0] pass;
  wire [NRET-1:0] start;
  wire [NRET-1:0] stop;

  genvar k;
  genvar t;
  generate
    for (k = 0; k < NRET; k = k + 1) begin : gen_channel
      if (FILTER != 0) begin : gen_filter
        ear_filter #(
            .XLEN(XLEN)
        ) u_filter (
            .mode_i  (body_i[k*BODY+`EAR_BODY_MODE+:2]),
            .pc_i    (body_i[k*BODY+`EAR_BODY_PC_RDATA(XLEN)+:XLEN]),
            .filter_i(filter_i),
            .low_i   (range_low_i),
            .high_i  (range_high_i),
            .pass_o  (pass[k])
        );
      end else begin : gen_no_filter
        assign pass[k] = 1'b1;
      end

      if (TRIGGER != 0) begin : gen_trigger
        wire [1:0] match;
        for (t = 0; t < 2; t = t + 1) begin : gen_match
          ear_trigger_match #(
              .XLEN(XLEN)
          ) u_trigger_match (
              .kind_i     (trigger_kind_i[4*t+:4]),
              .reads_i    (trigger_reads_i[t]),
              .writes_i   (trigger_writes_i[t]),
              .value_i    (trigger_value_i[64*t+:XLEN]),
              .mask_i     (trigger_mask_i[XLEN*t+:XLEN]),
              .data_i     (trigger_data_i[XLEN*t+:XLEN]),
              .data_mask_i(trigger_data_mask_i[XLEN*t+:XLEN]),
              .pc_i       (body_i[k*BODY+`EAR_BODY_PC_RDATA(XLEN)+:XLEN]),
              .insn_i     (body_i[k*BODY+`EAR_BODY_INSN+:32]),
              .mem_addr_i (body_i[k*BODY+`EAR_BODY_MEM_ADDR(XLEN)+:XLEN]),
              .mem_rmask_i(body_i[k*BODY+`EAR_BODY_MEM_RMASK(XLEN)+:XLEN/8]),
              .mem_wmask_i(body_i[k*BODY+`EAR_BODY_MEM_WMASK(XLEN)+:XLEN/8]),
              .mem_rdata_i(body_i[k*BODY+`EAR_BODY_MEM_RDATA(XLEN)+:XLEN]),
              .mem_wdata_i(body_i[k*BODY+`EAR_BODY_MEM_WDATA(XLEN)+:XLEN]),
              .match_o    (match[t])
          );
        end
        assign start[k] = match[0];
        assign stop[k]  = match[1];
      end else begin : gen_no_trigger
        assign start[k] = 1'b0;
        assign stop[k]  = 1'b0;
      end
    end

    if (REGISTER != 0) begin : gen_register
      reg [     NRET-1:0] valid_q;
      reg [NRET*BODY-1:0] body_q;
      reg [     NRET-1:0] pass_q;
      reg [     NRET-1:0] start_q;
      reg [     NRET-1:0] stop_q;
      reg                 ended_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          valid_q <= {NRET{1'b0}};
          ended_q <= 1'b0;
        end else begin
          valid_q <= valid_i;
          ended_q <= ended_i;
        end
      end
      always @(posedge clk_i) begin
        body_q  <= body_i;
        pass_q  <= pass;
        start_q <= start;
        stop_q  <= stop;
      end
      assign valid_o = valid_q;
      assign body_o  = body_q;
      assign pass_o  = pass_q;
      assign start_o = start_q;
      assign stop_o  = stop_q;
      assign ended_o = ended_q;
    end else begin : gen_no_register
      wire unused = &{1'b0, clk_i, rst_ni};
      assign valid_o = valid_i;
      assign body_o  = body_i;
      assign pass_o  = pass;
      assign start_o = start;
      assign stop_o  = stop;
      assign ended_o = ended_i;
    end

    if (FILTER == 0 || TRIGGER == 0) begin : gen_unused
      wire unused = &{
        1'b0, filter_i, range_low_i, range_high_i, trigger_kind_i, trigger_reads_i,
        trigger_writes_i, trigger_value_i, trigger_mask_i, trigger_data_i, trigger_data_mask_i
      };
    end else if (XLEN == 32) begin : gen_unused_halves
      wire unused = &{1'b0, trigger_value_i[127:96], trigger_value_i[63:32]};
    end
  endgenerate
endmodule
`default_nettype wire
