// SPDX-License-Identifier: Apache-2.0
// What the models of cores have in common: the demo core (RV32IMC) with a bus that may wait, and a
// retire port with the conventions of one of them. One access at a time; the core is frozen until it
// is answered. The port is registered, and an interrupt is only rvfi_intr of the next entry, and
// irq_o between two entries.
//
// CORE, and what the port shows:
//   0 NERV      rs1 and rs2 are bits of the opcode, read or not; words with byte lanes
//   1 PicoRV32  loads read words, and show the data of the last store; a trap has rvfi_halt
//   2 SERV      words with byte lanes; without an access the last one, without masks
//   3 Ibex      what is no access reads a word at the result; no pc of a handler
//   4 NEORV32   rs1 and rs2 as NERV; what is read is what the register gets, with its sign
`include "ear_rvfi.vh"
`default_nettype none
module model_core #(
    parameter        CORE     = 0,
    parameter [31:0] RESET_PC = 32'h8000_0000
) (
    input wire clk_i,
    input wire rst_ni,
    input wire hold_i,  // nothing happens in this clock
    input wire timer_i,
    input wire software_i,

    output reg         req_o,  // stays until done_i
    output reg         fetch_o,
    output reg  [31:0] address_o,
    output reg  [ 3:0] wmask_o,
    output reg  [31:0] wdata_o,
    input  wire        done_i,
    input  wire [31:0] rdata_i,
    output reg         irq_o,

    `EAR_RVFI_OUTPUTS(1, 32)
);
  localparam NERV = 0;
  localparam PICORV32 = 1;
  localparam SERV = 2;
  localparam IBEX = 3;
  localparam NEORV32 = 4;

  wire bus_valid;
  wire bus_fetch;
  wire [31:0] bus_address;
  wire [3:0] bus_wmask;
  wire [31:0] bus_wdata;
  reg [31:0] answer_q;

  wire valid;
  wire irq;
  wire [63:0] order;
  wire [31:0] insn;
  wire trap;
  wire intr;
  wire [4:0] rs1_addr;
  wire [4:0] rs2_addr;
  wire [31:0] rs1_rdata;
  wire [31:0] rs2_rdata;
  wire [4:0] rd_addr;
  wire [31:0] rd_wdata;
  wire [31:0] pc_rdata;
  wire [31:0] pc_wdata;
  wire [31:0] mem_addr;
  wire [3:0] mem_rmask;
  wire [3:0] mem_wmask;
  wire [31:0] mem_rdata;
  wire [31:0] mem_wdata;

  ear_demo_core u_core (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .boot_address_i  (RESET_PC),
      .bus_valid_o     (bus_valid),
      .bus_fetch_o     (bus_fetch),
      .bus_address_o   (bus_address),
      .bus_wmask_o     (bus_wmask),
      .bus_wdata_o     (bus_wdata),
      .bus_rdata_i     (answer_q),
      .bus_error_i     (1'b0),
      .irq_external_i  (1'b0),
      .irq_software_i  (software_i),
      .irq_timer_i     (timer_i),
      .time_i          (64'd0),
      .stall_i         (hold_i || req_o),
      .halt_i          (1'b0),
      .fault_kind_i    (2'd0),
      .fault_op_valid_i(1'b0),
      .fault_op_i      (4'd0),
      .fault_period_i  (32'd0),
      .fault_mask_i    (32'd0),
      .rvfi_valid_o    (valid),
      .rvfi_insn_o     (insn),
      .rvfi_trap_o     (trap),
      .rvfi_intr_o     (intr),
      .rvfi_ext_irq_o  (irq),
      .rvfi_rs1_addr_o (rs1_addr),
      .rvfi_rs2_addr_o (rs2_addr),
      .rvfi_rs1_rdata_o(rs1_rdata),
      .rvfi_rs2_rdata_o(rs2_rdata),
      .rvfi_rd_addr_o  (rd_addr),
      .rvfi_rd_wdata_o (rd_wdata),
      .rvfi_pc_rdata_o (pc_rdata),
      .rvfi_pc_wdata_o (pc_wdata),
      .rvfi_mem_addr_o (mem_addr),
      .rvfi_mem_rmask_o(mem_rmask),
      .rvfi_mem_wmask_o(mem_wmask),
      .rvfi_mem_rdata_o(mem_rdata),
      .rvfi_mem_wdata_o(mem_wdata)
  );

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      req_o <= 1'b0;
    end else if (req_o) begin
      if (done_i) begin
        req_o    <= 1'b0;
        answer_q <= rdata_i;
      end
    end else if (bus_valid && !hold_i) begin
      req_o     <= 1'b1;
      fetch_o   <= bus_fetch;
      address_o <= bus_address;
      wmask_o   <= bus_wmask;
      wdata_o   <= bus_wdata;
    end
  end

  // The port of the demo core has the address of the first byte, and masks from bit 0 on.
  wire [31:0] word = {mem_addr[31:2], 2'b00};
  wire [3:0] lanes_r = mem_rmask << mem_addr[1:0];
  wire [3:0] lanes_w = mem_wmask << mem_addr[1:0];
  wire [31:0] repeated = mem_wmask == 4'b0001 ? {4{mem_wdata[7:0]}} :
      mem_wmask == 4'b0011 ? {2{mem_wdata[15:0]}} : mem_wdata;
  wire access = |mem_rmask || |mem_wmask;
  wire store = |mem_wmask;

  reg valid_q;
  reg [63:0] order_q;
  reg [31:0] insn_q;
  reg trap_q;
  reg intr_q;
  reg [4:0] rs1_addr_q;
  reg [4:0] rs2_addr_q;
  reg [31:0] rs1_rdata_q;
  reg [31:0] rs2_rdata_q;
  reg [4:0] rd_addr_q;
  reg [31:0] rd_wdata_q;
  reg [31:0] pc_rdata_q;
  reg [31:0] pc_wdata_q;
  reg [31:0] mem_addr_q;
  reg [3:0] mem_rmask_q;
  reg [3:0] mem_wmask_q;
  reg [31:0] mem_rdata_q;
  reg [31:0] mem_wdata_q;
  reg [31:0] x_q[0:31];

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      irq_o   <= 1'b0;
      order_q <= CORE == NERV || CORE == IBEX ? 64'd0 : ~64'd0;
    end else begin
      valid_q <= valid && !irq;
      irq_o   <= valid && irq;
      if (valid && !irq) begin
        order_q     <= order_q + 64'd1;
        insn_q      <= insn;
        trap_q      <= trap;
        intr_q      <= intr;
        rs1_addr_q  <= rs1_addr;
        rs2_addr_q  <= rs2_addr;
        rs1_rdata_q <= rs1_rdata;
        rs2_rdata_q <= rs2_rdata;
        rd_addr_q   <= rd_addr;
        rd_wdata_q  <= rd_wdata;
        pc_rdata_q  <= pc_rdata;
        pc_wdata_q  <= pc_wdata;
        mem_addr_q  <= mem_addr;
        mem_rmask_q <= mem_rmask;
        mem_wmask_q <= mem_wmask;
        mem_rdata_q <= mem_rdata;
        mem_wdata_q <= mem_wdata;
        if (rd_addr != 5'd0) x_q[rd_addr] <= rd_wdata;

        if ((CORE == NERV || CORE == NEORV32) && insn[1:0] == 2'b11) begin
          rs1_addr_q  <= insn[19:15];
          rs2_addr_q  <= insn[24:20];
          rs1_rdata_q <= insn[19:15] == 5'd0 ? 32'd0 : x_q[insn[19:15]];
          rs2_rdata_q <= insn[24:20] == 5'd0 ? 32'd0 : x_q[insn[24:20]];
        end
        if (CORE == NEORV32) begin
          mem_rdata_q <= rd_wdata;
          mem_wdata_q <= repeated;
        end
        if (CORE == NERV || CORE == SERV || CORE == PICORV32) begin
          mem_addr_q  <= access || CORE == NERV ? word : mem_addr_q;
          mem_rmask_q <= lanes_r;
          mem_wmask_q <= lanes_w;
          mem_rdata_q <= access ? answer_q : mem_rdata_q;
          mem_wdata_q <= store ? repeated : mem_wdata_q;
        end
        if (CORE == PICORV32 && |mem_rmask) mem_rmask_q <= 4'b1111;
        if (CORE == IBEX && !access) begin
          mem_addr_q  <= rd_addr != 5'd0 ? rd_wdata : rs1_rdata + rs2_rdata;
          mem_rmask_q <= 4'b1111;
          mem_rdata_q <= answer_q;
        end
        if (CORE == IBEX && (trap || insn == 32'h30200073)) pc_wdata_q <= pc_rdata + (insn[1:0] == 2'b11 ? 32'd4 : 32'd2);
      end
    end
  end

  assign rvfi_valid     = valid_q;
  assign rvfi_order     = order_q;
  assign rvfi_insn      = insn_q;
  assign rvfi_trap      = trap_q;
  assign rvfi_halt      = CORE == PICORV32 && trap_q;
  assign rvfi_intr      = intr_q;
  assign rvfi_mode      = 2'd3;
  assign rvfi_ixl       = 2'd1;
  assign rvfi_rs1_addr  = rs1_addr_q;
  assign rvfi_rs2_addr  = rs2_addr_q;
  assign rvfi_rs1_rdata = rs1_rdata_q;
  assign rvfi_rs2_rdata = rs2_rdata_q;
  assign rvfi_rd_addr   = rd_addr_q;
  assign rvfi_rd_wdata  = rd_wdata_q;
  assign rvfi_pc_rdata  = pc_rdata_q;
  assign rvfi_pc_wdata  = pc_wdata_q;
  assign rvfi_mem_addr  = mem_addr_q;
  assign rvfi_mem_rmask = mem_rmask_q;
  assign rvfi_mem_wmask = mem_wmask_q;
  assign rvfi_mem_rdata = mem_rdata_q;
  assign rvfi_mem_wdata = mem_wdata_q;
endmodule
`default_nettype wire
