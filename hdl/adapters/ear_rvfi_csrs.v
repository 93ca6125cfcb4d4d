// SPDX-License-Identifier: Apache-2.0
// From the CSR groups of RVFI to the CSR slots of the capture unit, for one channel.
//
// RVFI has a group of four signals for each CSR, at every retirement; the unit takes a list of the
// writes. The masks should say what was written, but many cores tie them to ones. MASKS chooses:
//
//   1: a CSR was written if a bit of its wmask is set;
//   0: it was written if its wmask is not 0, and
//      - a bit under the mask changed, or
//      - a CSR instruction that writes names it, or
//      - it is what a trap to M mode (mepc, mcause, mtval, mstatus, mstatush) or mret (mstatus,
//        mstatush) writes. So MASKS 0 is for cores that do not delegate traps to S mode.
//
// The writes are listed in the order of LIST. An entry with more of them than SLOTS lists the
// first ones. Combinational.
`default_nettype none
module ear_rvfi_csrs #(
    parameter                  XLEN  = 32,  // bits
    parameter                  CSRS  = 1,   // groups: 1 or more
    parameter                  SLOTS = 1,   // writes that an entry can carry: 1 to 8
    parameter                  MASKS = 0,
    parameter [12*CSRS-1:0]    LIST  = 0    // their numbers, the first in the lowest bits
) (
    input wire [          31:0] insn_i,
    input wire                  trap_i,
    input wire [CSRS*XLEN-1:0]  rmask_i,
    input wire [CSRS*XLEN-1:0]  wmask_i,
    input wire [CSRS*XLEN-1:0]  rdata_i,
    input wire [CSRS*XLEN-1:0]  wdata_i,

    output reg [     SLOTS-1:0] valid_o,
    output reg [  12*SLOTS-1:0] addr_o,
    output reg [XLEN*SLOTS-1:0] wdata_o
);
  localparam [11:0] MSTATUS = 12'h300;
  localparam [11:0] MSTATUSH = 12'h310;
  localparam [11:0] MEPC = 12'h341;
  localparam [11:0] MCAUSE = 12'h342;
  localparam [11:0] MTVAL = 12'h343;

  wire unused_fields = &{1'b0, insn_i[14], insn_i[11:7]};

  // csrrw and csrrwi write always, the others if their operand is not x0 or 0.
  wire csr_writes = !trap_i && insn_i[6:0] == 7'b1110011 && insn_i[13:12] != 2'b00 &&
      (!insn_i[13] || insn_i[19:15] != 5'd0);
  wire mret = !trap_i && insn_i == 32'h30200073;

  wire [CSRS-1:0] written;
  wire [CSRS*XLEN-1:0] value;
  genvar g;
  generate
    for (g = 0; g < CSRS; g = g + 1) begin : gen_group
      localparam [11:0] NUMBER = LIST[12*g+:12];
      localparam [0:0] OF_MRET = NUMBER == MSTATUS || (NUMBER == MSTATUSH && XLEN == 32);
      localparam [0:0] OF_TRAP = OF_MRET || NUMBER == MEPC || NUMBER == MCAUSE || NUMBER == MTVAL;
      wire [XLEN-1:0] rmask = rmask_i[XLEN*g+:XLEN];
      wire [XLEN-1:0] wmask = wmask_i[XLEN*g+:XLEN];
      wire [XLEN-1:0] rdata = rdata_i[XLEN*g+:XLEN];
      wire [XLEN-1:0] wdata = wdata_i[XLEN*g+:XLEN];
      wire changed = ((rdata ^ wdata) & wmask) != {XLEN{1'b0}};
      wire named = csr_writes && insn_i[31:20] == NUMBER;
      assign written[g] = wmask != {XLEN{1'b0}} &&
          (MASKS != 0 || changed || named || (trap_i && OF_TRAP) || (mret && OF_MRET));
      assign value[XLEN*g+:XLEN] = (wdata & wmask) | (rdata & rmask & ~wmask);
    end
  endgenerate

  integer i;
  integer used;
  always @* begin
    valid_o = {SLOTS{1'b0}};
    addr_o = {12 * SLOTS{1'b0}};
    wdata_o = {XLEN * SLOTS{1'b0}};
    used = 0;
    for (i = 0; i < CSRS; i = i + 1) begin
      if (written[i] && used < SLOTS) begin
        valid_o[used] = 1'b1;
        addr_o[12*used+:12] = LIST[12*i+:12];
        wdata_o[XLEN*used+:XLEN] = value[XLEN*i+:XLEN];
        used = used + 1;
      end
    end
  end
endmodule
`default_nettype wire
