// SPDX-License-Identifier: Apache-2.0
// The capture unit for a core that has RVFI: its signals go in as they are, and what it does not
// have is tied here. So a core is one instance (ear_rvfi.vh has it as macros):
//
//   `include "ear_rvfi.vh"
//   `EAR_RVFI_WIRES(1, 32)
//   my_core u_core (..., `EAR_RVFI_CORE);
//   ear_rvfi #(.PREDICT_GEOMETRY(`EAR_GEOMETRY_LARGE), .STALL_SLACK(2)) u_trace (
//       .clk_i(clk), .rst_ni(rst_n), `EAR_RVFI_UNIT, `EAR_RVFI_NO_CSRS(1), ...);
//
// Parameters beside those of ear_unit: COUNT_ORDER for a core whose rvfi_order does not count
// every entry; NEXT_PC for one whose rvfi_pc_wdata does not follow traps, or that shows interrupts
// between two entries (ear_rvfi_next), and 2 for one without rvfi_pc_wdata, whose last entry has no
// next pc and is not sent; MODE and IXL for one without rvfi_mode and rvfi_ixl; CSRS,
// CSR_LIST and CSR_MASKS for the CSR groups that go to the slots (ear_rvfi_csrs). What is not of
// RVFI and has no port here (load port, event ports, trigger pin) needs ear_unit itself.
// Combinational before the unit, but for the entry that waits with NEXT_PC.
`include "ear_geometry.vh"
`default_nettype none
module ear_rvfi #(
    parameter COUNT_ORDER = 0,  // 1: entries are counted here, and rvfi_order_i is not read
    parameter NEXT_PC     = 0,  // 1, 2: the next entry's pc is rvfi_pc_wdata; COUNT_ORDER 1
    parameter MODE        = 4,  // 0 to 3: the only mode; 4: rvfi_mode_i
    parameter IXL         = 0,  // 1 or 2: the only ixl; 0: rvfi_ixl_i
    parameter CSRS        = 0,  // CSR groups
    parameter CSR_MASKS   = 0,  // 1: their wmask says what is written; 0: it may be all ones
    parameter [(CSRS > 0 ? 12*CSRS : 1)-1:0] CSR_LIST = 0,  // their numbers, the first lowest

    // Those of ear_unit.
    parameter [15:0] HART         = 16'd0,
    parameter [31:0] CLOCK_HZ     = 32'd0,
    parameter [15:0] UNIT_VERSION = 16'h0001,
    // generate: parameters ear_unit last
    parameter PRESET = `EAR_PRESET_SMALL, parameter SIZE = `EAR_SIZE_FULL,
    parameter PREDICT = `EAR_PRESET_PREDICT(PRESET),
    parameter PREDICT_GEOMETRY = `EAR_PRESET_GEOMETRY(PRESET), parameter XLEN = 32,
    parameter NRET = 1, parameter CSR_SLOTS = 0, parameter FLEN = 0, parameter PADDR = 0,
    parameter OPERANDS = `EAR_SIZE_OPERANDS(SIZE),
    parameter ORDER_BITS = `EAR_SIZE_ORDER_BITS(SIZE), parameter OWN_ORDER = 0,
    parameter NORMALIZE = 1, parameter OPCODE_READS = 0, parameter CAUSES = 1,
    parameter RESULTS = 1, parameter ACCESSES = 1, parameter STALL_SLACK = 0,
    parameter FILTER = `EAR_SIZE_FILTER(SIZE), parameter TRIGGER = `EAR_SIZE_TRIGGER(SIZE),
    parameter TIME = `EAR_SIZE_TIME(SIZE), parameter HELD = `EAR_SIZE_HELD(SIZE),
    parameter STALL = 1, parameter CORE = 1, parameter RESET_HOLD = 0, parameter LOAD = 0,
    parameter TEST = `EAR_SIZE_TEST(SIZE), parameter EVENTS = `EAR_SIZE_EVENTS(SIZE),
    parameter EVENT_PORT = 0, parameter EVENT_STRINGS = 1, parameter EVENT_WAIT = 4,
    parameter MISMATCH = 0, parameter LOSS = `EAR_SIZE_LOSS(SIZE),
    parameter ENDED_CLOCKS = `EAR_SIZE_ENDED_CLOCKS(SIZE),
    parameter FLUSH_REGISTER = `EAR_SIZE_FLUSH_REGISTER(SIZE), parameter RESUME_REGISTER = 1,
    parameter SNAPSHOT = `EAR_SIZE_SNAPSHOT(SIZE),
    parameter RECORD_FIFO = `EAR_SIZE_RECORD_FIFO(SIZE),
    parameter PAYLOAD_BYTES = `EAR_SIZE_PAYLOAD_BYTES(SIZE),
    parameter COUNTER_BITS = `EAR_SIZE_COUNTER_BITS(SIZE), parameter ONE_CLOCK = 0,
    parameter NARROW = `EAR_SIZE_NARROW(SIZE),
    parameter PREDICT_UNIFIED = `EAR_PREDICT_UNIFIED(PREDICT_GEOMETRY),
    parameter PREDICT_MULTIPLY = `EAR_PREDICT_MULTIPLY(PREDICT_GEOMETRY),
    parameter PREDICT_DIVIDE = `EAR_PREDICT_DIVIDE(PREDICT_GEOMETRY),
    parameter PREDICT_CODE_WORDS_LOG2 = `EAR_PREDICT_CODE_WORDS_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_CODE_WAYS_LOG2 = `EAR_PREDICT_CODE_WAYS_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_CODE_LINE_LOG2 = `EAR_PREDICT_CODE_LINE_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_DATA_WORDS_LOG2 = `EAR_PREDICT_DATA_WORDS_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_DATA_WAYS_LOG2 = `EAR_PREDICT_DATA_WAYS_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_DATA_LINE_LOG2 = `EAR_PREDICT_DATA_LINE_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_DICTIONARY_LOG2 = `EAR_PREDICT_DICTIONARY_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_CSR_LOG2 = `EAR_PREDICT_CSR_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_BASE = `EAR_PREDICT_BASE(PREDICT_GEOMETRY),
    parameter PREDICT_SINGLE = `EAR_PREDICT_SINGLE(PREDICT_GEOMETRY),
    parameter PREDICT_MULTIPLIER = `EAR_SIZE_PREDICT_MULTIPLIER(SIZE),
    parameter PREDICT_PIPELINED = `EAR_SIZE_PREDICT_PIPELINED(SIZE)
    // generate: end
) (
    input wire clk_i,
    input wire rst_ni,  // the unit's reset, not the core's

    // RVFI, from the core. Channel k is the k-th slice from the low end.
    // generate: rvfi ports
    input wire [NRET-1:0] rvfi_valid_i,
    input wire [NRET*64-1:0] rvfi_order_i,
    input wire [NRET*32-1:0] rvfi_insn_i,
    input wire [NRET-1:0] rvfi_trap_i,
    input wire [NRET-1:0] rvfi_halt_i,
    input wire [NRET-1:0] rvfi_intr_i,
    input wire [NRET*2-1:0] rvfi_mode_i,
    input wire [NRET*2-1:0] rvfi_ixl_i,
    input wire [NRET*5-1:0] rvfi_rd_addr_i,
    input wire [NRET*XLEN-1:0] rvfi_rd_wdata_i,
    input wire [NRET*XLEN-1:0] rvfi_pc_rdata_i,
    input wire [NRET*XLEN-1:0] rvfi_pc_wdata_i,
    input wire [NRET*XLEN-1:0] rvfi_mem_addr_i,
    input wire [NRET*XLEN-1:0] rvfi_mem_rdata_i,
    input wire [NRET*XLEN-1:0] rvfi_mem_wdata_i,
    input wire [NRET*XLEN/8-1:0] rvfi_mem_rmask_i,
    input wire [NRET*XLEN/8-1:0] rvfi_mem_wmask_i,
    input wire [NRET*5-1:0] rvfi_rs1_addr_i,
    input wire [NRET*5-1:0] rvfi_rs2_addr_i,
    input wire [NRET*XLEN-1:0] rvfi_rs1_rdata_i,
    input wire [NRET*XLEN-1:0] rvfi_rs2_rdata_i,
    // generate: end
    input wire [NRET*XLEN-1:0] rvfi_ext_cause_i,  // mcause with trap; not read with CAUSES 0
    input wire [NRET-1:0] rvfi_ext_debug_i,       // in debug mode; 0 if the core does not say
    input wire [NRET-1:0] rvfi_ext_irq_i,         // an interrupt; with NEXT_PC also without valid

    // CSR groups: in each channel in the order of CSR_LIST, the first lowest. Without CSRS a bit a
    // channel, which is not read.
    input wire [NRET*(CSRS > 0 ? CSRS*XLEN : 1)-1:0] rvfi_csr_rmask_i,
    input wire [NRET*(CSRS > 0 ? CSRS*XLEN : 1)-1:0] rvfi_csr_wmask_i,
    input wire [NRET*(CSRS > 0 ? CSRS*XLEN : 1)-1:0] rvfi_csr_rdata_i,
    input wire [NRET*(CSRS > 0 ? CSRS*XLEN : 1)-1:0] rvfi_csr_wdata_i,

    // To and from the core, see ear_unit.
    output wire stall_o,
    output wire core_reset_o,
    output wire core_halt_o,
    input  wire ended_i,

    // Link, see ear_unit.
    input  wire        link_clk_i,
    input  wire        link_rst_ni,
    output wire        tx_valid_o,
    input  wire        tx_ready_i,
    output wire [31:0] tx_data_o,
    output wire        tx_last_o,
    input  wire        rx_valid_i,
    output wire        rx_ready_o,
    input  wire [ 7:0] rx_data_i
);
  localparam CSR_N = CSR_SLOTS > 0 ? CSR_SLOTS : 1;
  localparam CSR_A = CSR_SLOTS > 0 ? CSR_SLOTS * 12 : 1;
  localparam CSR_D = CSR_SLOTS > 0 ? CSR_SLOTS * XLEN : 1;
  localparam FRD = FLEN > 0 ? FLEN : 1;
  localparam PA = PADDR > 0 ? 64 : 1;
  localparam BYTES = XLEN / 8;
  localparam GROUPS = CSRS > 0 ? CSRS * XLEN : 1;

  wire [NRET*2-1:0] mode;
  wire [NRET*2-1:0] ixl;
  wire [NRET*CSR_N-1:0] csr_valid;
  wire [NRET*CSR_A-1:0] csr_addr;
  wire [NRET*CSR_D-1:0] csr_wdata;

  // What the unit has and RVFI has not is zero.
  wire [NRET-1:0] rvfi_ext_virt = {NRET{1'b0}};
  wire [NRET-1:0] rvfi_frd_valid = {NRET{1'b0}};
  wire [NRET*5-1:0] rvfi_frd_addr = {NRET * 5{1'b0}};
  wire [NRET*5-1:0] rvfi_fflags = {NRET * 5{1'b0}};
  wire [NRET*FRD-1:0] rvfi_frd_wdata = {NRET * FRD{1'b0}};
  wire [NRET*PA-1:0] rvfi_pc_paddr = {NRET * PA{1'b0}};
  wire [NRET*PA-1:0] rvfi_mem_paddr = {NRET * PA{1'b0}};
  wire load_valid;
  wire load_write;
  wire [31:0] load_address;
  wire [31:0] load_wdata;
  wire [31:0] boot;
  wire event_ready;
  wire port_ready;
  wire [31:0] port_rdata;
  wire unused_ports = &{1'b0, load_valid, load_write, load_address, load_wdata, boot, event_ready,
      port_ready, port_rdata};

  // The port as the unit gets it: as it comes, or after ear_rvfi_next.
  localparam REST = 3 + 3 * 5 + 7 * XLEN + 2 * (XLEN / 8) + CSR_N + CSR_A + CSR_D;  // of a channel
  wire [NRET-1:0] entry_valid;
  wire [NRET*64-1:0] entry_order;
  wire [NRET*32-1:0] entry_insn;
  wire [NRET-1:0] entry_trap;
  wire [NRET-1:0] entry_halt;
  wire [NRET-1:0] entry_intr;
  wire [NRET-1:0] entry_ext_irq;
  wire [NRET*2-1:0] entry_mode;
  wire [NRET*2-1:0] entry_ixl;
  wire [NRET-1:0] entry_ext_debug;
  wire [NRET*5-1:0] entry_rd_addr;
  wire [NRET*XLEN-1:0] entry_rd_wdata;
  wire [NRET*XLEN-1:0] entry_pc_rdata;
  wire [NRET*XLEN-1:0] entry_pc_wdata;
  wire [NRET*XLEN-1:0] entry_mem_addr;
  wire [NRET*XLEN-1:0] entry_mem_rdata;
  wire [NRET*XLEN-1:0] entry_mem_wdata;
  wire [NRET*XLEN-1:0] entry_ext_cause;
  wire [NRET*XLEN/8-1:0] entry_mem_rmask;
  wire [NRET*XLEN/8-1:0] entry_mem_wmask;
  wire [NRET*5-1:0] entry_rs1_addr;
  wire [NRET*5-1:0] entry_rs2_addr;
  wire [NRET*XLEN-1:0] entry_rs1_rdata;
  wire [NRET*XLEN-1:0] entry_rs2_rdata;
  wire [NRET*CSR_N-1:0] entry_csr_valid;
  wire [NRET*CSR_A-1:0] entry_csr_addr;
  wire [NRET*CSR_D-1:0] entry_csr_wdata;
  wire [NRET*REST-1:0] rest;
  wire [NRET*REST-1:0] entry_rest;

  generate
    if (NEXT_PC != 0) begin : gen_next
      ear_rvfi_next #(
          .XLEN(XLEN),
          .NRET(NRET),
          .REST(REST)
      ) u_next (
          .clk_i     (clk_i),
          .rst_ni    (rst_ni),
          .flush_i   (NEXT_PC == 1 && ended_i),
          .valid_i   (rvfi_valid_i),
          .irq_i     (rvfi_ext_irq_i),
          .trap_i    (rvfi_trap_i),
          .insn_i    (rvfi_insn_i),
          .mode_i    (mode),
          .ixl_i     (ixl),
          .pc_rdata_i(rvfi_pc_rdata_i),
          .pc_wdata_i(rvfi_pc_wdata_i),
          .rest_i    (rest),
          .valid_o   (entry_valid),
          .irq_o     (entry_ext_irq),
          .trap_o    (entry_trap),
          .insn_o    (entry_insn),
          .mode_o    (entry_mode),
          .ixl_o     (entry_ixl),
          .pc_rdata_o(entry_pc_rdata),
          .pc_wdata_o(entry_pc_wdata),
          .rest_o    (entry_rest)
      );
      if (COUNT_ORDER == 0) begin : gen_bad_next
        ear_rvfi_NEXT_PC_needs_COUNT_ORDER u_error ();
      end
    end else begin : gen_as_is
      assign entry_valid    = rvfi_valid_i;
      assign entry_ext_irq  = rvfi_ext_irq_i;
      assign entry_trap     = rvfi_trap_i;
      assign entry_insn     = rvfi_insn_i;
      assign entry_mode     = mode;
      assign entry_ixl      = ixl;
      assign entry_pc_rdata = rvfi_pc_rdata_i;
      assign entry_pc_wdata = rvfi_pc_wdata_i;
      assign entry_rest     = rest;
    end
  endgenerate

  reg [63:0] order_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) order_q <= 64'd0;
    else order_q <= order_q + {63'd0, entry_valid[0]} + {63'd0, NRET > 1 && entry_valid[NRET-1]};
  end

  genvar k;
  generate
    for (k = 0; k < NRET; k = k + 1) begin : gen_channel
      assign entry_order[64*k+:64] = COUNT_ORDER == 0 ? rvfi_order_i[64*k+:64] :
          order_q + {63'd0, k > 0 && entry_valid[0]};
      assign mode[2*k+:2] = MODE == 4 ? rvfi_mode_i[2*k+:2] : MODE[1:0];
      assign ixl[2*k+:2] = IXL == 0 ? rvfi_ixl_i[2*k+:2] : IXL[1:0];
      assign rest[REST*k+:REST] = {
        rvfi_halt_i[k], rvfi_intr_i[k], rvfi_ext_debug_i[k], rvfi_rd_addr_i[5*k+:5],
        rvfi_rd_wdata_i[XLEN*k+:XLEN], rvfi_mem_addr_i[XLEN*k+:XLEN],
        rvfi_mem_rdata_i[XLEN*k+:XLEN], rvfi_mem_wdata_i[XLEN*k+:XLEN],
        rvfi_ext_cause_i[XLEN*k+:XLEN], rvfi_mem_rmask_i[BYTES*k+:BYTES],
        rvfi_mem_wmask_i[BYTES*k+:BYTES], rvfi_rs1_addr_i[5*k+:5], rvfi_rs2_addr_i[5*k+:5],
        rvfi_rs1_rdata_i[XLEN*k+:XLEN], rvfi_rs2_rdata_i[XLEN*k+:XLEN], csr_valid[CSR_N*k+:CSR_N],
        csr_addr[CSR_A*k+:CSR_A], csr_wdata[CSR_D*k+:CSR_D]
      };
      assign {entry_halt[k], entry_intr[k], entry_ext_debug[k], entry_rd_addr[5*k+:5],
          entry_rd_wdata[XLEN*k+:XLEN], entry_mem_addr[XLEN*k+:XLEN],
          entry_mem_rdata[XLEN*k+:XLEN], entry_mem_wdata[XLEN*k+:XLEN],
          entry_ext_cause[XLEN*k+:XLEN], entry_mem_rmask[BYTES*k+:BYTES],
          entry_mem_wmask[BYTES*k+:BYTES], entry_rs1_addr[5*k+:5], entry_rs2_addr[5*k+:5],
          entry_rs1_rdata[XLEN*k+:XLEN], entry_rs2_rdata[XLEN*k+:XLEN],
          entry_csr_valid[CSR_N*k+:CSR_N], entry_csr_addr[CSR_A*k+:CSR_A],
          entry_csr_wdata[CSR_D*k+:CSR_D]} = entry_rest[REST*k+:REST];

      if (CSRS > 0 && CSR_SLOTS > 0) begin : gen_csrs
        ear_rvfi_csrs #(
            .XLEN (XLEN),
            .CSRS (CSRS),
            .SLOTS(CSR_SLOTS),
            .MASKS(CSR_MASKS),
            .LIST (CSR_LIST)
        ) u_csrs (
            .insn_i (rvfi_insn_i[32*k+:32]),
            .trap_i (rvfi_trap_i[k]),
            .rmask_i(rvfi_csr_rmask_i[GROUPS*k+:GROUPS]),
            .wmask_i(rvfi_csr_wmask_i[GROUPS*k+:GROUPS]),
            .rdata_i(rvfi_csr_rdata_i[GROUPS*k+:GROUPS]),
            .wdata_i(rvfi_csr_wdata_i[GROUPS*k+:GROUPS]),
            .valid_o(csr_valid[CSR_N*k+:CSR_N]),
            .addr_o (csr_addr[CSR_A*k+:CSR_A]),
            .wdata_o(csr_wdata[CSR_D*k+:CSR_D])
        );
      end else begin : gen_no_csrs
        wire unused = &{1'b0, rvfi_csr_rmask_i[GROUPS*k+:GROUPS],
            rvfi_csr_wmask_i[GROUPS*k+:GROUPS], rvfi_csr_rdata_i[GROUPS*k+:GROUPS],
            rvfi_csr_wdata_i[GROUPS*k+:GROUPS]};
        assign csr_valid[CSR_N*k+:CSR_N] = {CSR_N{1'b0}};
        assign csr_addr[CSR_A*k+:CSR_A] = {CSR_A{1'b0}};
        assign csr_wdata[CSR_D*k+:CSR_D] = {CSR_D{1'b0}};
      end
    end
    if ((CSRS > 0) != (CSR_SLOTS > 0)) begin : gen_bad_csrs
      ear_rvfi_CSRS_and_CSR_SLOTS_go_together u_error ();
    end
    if (MODE < 0 || MODE > 4) begin : gen_bad_mode
      ear_rvfi_MODE_must_be_0_to_4 u_error ();
    end
    if (IXL < 0 || IXL > 2) begin : gen_bad_ixl
      ear_rvfi_IXL_must_be_0_to_2 u_error ();
    end
  endgenerate
  wire unused = &{1'b0, COUNT_ORDER != 0 ? rvfi_order_i : {NRET * 64{1'b0}},
      COUNT_ORDER != 0 ? 64'd0 : order_q, MODE == 4 ? {NRET * 2{1'b0}} : rvfi_mode_i,
      IXL == 0 ? {NRET * 2{1'b0}} : rvfi_ixl_i};

  ear_unit #(
      .HART        (HART),
      .CLOCK_HZ    (CLOCK_HZ),
      .UNIT_VERSION(UNIT_VERSION),
      // generate: assign ear_unit last
      .PRESET(PRESET), .SIZE(SIZE), .PREDICT(PREDICT), .PREDICT_GEOMETRY(PREDICT_GEOMETRY),
      .XLEN(XLEN), .NRET(NRET), .CSR_SLOTS(CSR_SLOTS), .FLEN(FLEN), .PADDR(PADDR),
      .OPERANDS(OPERANDS), .ORDER_BITS(ORDER_BITS), .OWN_ORDER(OWN_ORDER), .NORMALIZE(NORMALIZE),
      .OPCODE_READS(OPCODE_READS), .CAUSES(CAUSES), .RESULTS(RESULTS), .ACCESSES(ACCESSES),
      .STALL_SLACK(STALL_SLACK), .FILTER(FILTER), .TRIGGER(TRIGGER), .TIME(TIME), .HELD(HELD),
      .STALL(STALL), .CORE(CORE), .RESET_HOLD(RESET_HOLD), .LOAD(LOAD), .TEST(TEST),
      .EVENTS(EVENTS), .EVENT_PORT(EVENT_PORT), .EVENT_STRINGS(EVENT_STRINGS),
      .EVENT_WAIT(EVENT_WAIT), .MISMATCH(MISMATCH), .LOSS(LOSS), .ENDED_CLOCKS(ENDED_CLOCKS),
      .FLUSH_REGISTER(FLUSH_REGISTER), .RESUME_REGISTER(RESUME_REGISTER), .SNAPSHOT(SNAPSHOT),
      .RECORD_FIFO(RECORD_FIFO), .PAYLOAD_BYTES(PAYLOAD_BYTES), .COUNTER_BITS(COUNTER_BITS),
      .ONE_CLOCK(ONE_CLOCK), .NARROW(NARROW), .PREDICT_UNIFIED(PREDICT_UNIFIED),
      .PREDICT_MULTIPLY(PREDICT_MULTIPLY), .PREDICT_DIVIDE(PREDICT_DIVIDE),
      .PREDICT_CODE_WORDS_LOG2(PREDICT_CODE_WORDS_LOG2),
      .PREDICT_CODE_WAYS_LOG2(PREDICT_CODE_WAYS_LOG2),
      .PREDICT_CODE_LINE_LOG2(PREDICT_CODE_LINE_LOG2),
      .PREDICT_DATA_WORDS_LOG2(PREDICT_DATA_WORDS_LOG2),
      .PREDICT_DATA_WAYS_LOG2(PREDICT_DATA_WAYS_LOG2),
      .PREDICT_DATA_LINE_LOG2(PREDICT_DATA_LINE_LOG2),
      .PREDICT_DICTIONARY_LOG2(PREDICT_DICTIONARY_LOG2), .PREDICT_CSR_LOG2(PREDICT_CSR_LOG2),
      .PREDICT_BASE(PREDICT_BASE), .PREDICT_SINGLE(PREDICT_SINGLE),
      .PREDICT_MULTIPLIER(PREDICT_MULTIPLIER), .PREDICT_PIPELINED(PREDICT_PIPELINED)
      // generate: end
  ) u_unit (
      // generate: connect ear_unit tied last rvfi=entry_
      .clk_i(clk_i), .rst_ni(rst_ni), .rvfi_valid_i(entry_valid), .rvfi_order_i(entry_order),
      .rvfi_insn_i(entry_insn), .rvfi_trap_i(entry_trap), .rvfi_halt_i(entry_halt),
      .rvfi_intr_i(entry_intr), .rvfi_ext_irq_i(entry_ext_irq), .rvfi_mode_i(entry_mode),
      .rvfi_ixl_i(entry_ixl), .rvfi_ext_debug_i(entry_ext_debug), .rvfi_ext_virt_i(rvfi_ext_virt),
      .rvfi_rd_addr_i(entry_rd_addr), .rvfi_rd_wdata_i(entry_rd_wdata),
      .rvfi_pc_rdata_i(entry_pc_rdata), .rvfi_pc_wdata_i(entry_pc_wdata),
      .rvfi_mem_addr_i(entry_mem_addr), .rvfi_mem_rdata_i(entry_mem_rdata),
      .rvfi_mem_wdata_i(entry_mem_wdata), .rvfi_ext_cause_i(entry_ext_cause),
      .rvfi_mem_rmask_i(entry_mem_rmask), .rvfi_mem_wmask_i(entry_mem_wmask),
      .rvfi_csr_valid_i(entry_csr_valid), .rvfi_csr_addr_i(entry_csr_addr),
      .rvfi_csr_wdata_i(entry_csr_wdata), .rvfi_frd_valid_i(rvfi_frd_valid),
      .rvfi_frd_addr_i(rvfi_frd_addr), .rvfi_fflags_i(rvfi_fflags),
      .rvfi_frd_wdata_i(rvfi_frd_wdata), .rvfi_pc_paddr_i(rvfi_pc_paddr),
      .rvfi_mem_paddr_i(rvfi_mem_paddr), .rvfi_rs1_addr_i(entry_rs1_addr),
      .rvfi_rs2_addr_i(entry_rs2_addr), .rvfi_rs1_rdata_i(entry_rs1_rdata),
      .rvfi_rs2_rdata_i(entry_rs2_rdata), .stall_o(stall_o), .core_reset_o(core_reset_o),
      .core_halt_o(core_halt_o), .load_valid_o(load_valid), .load_write_o(load_write),
      .load_address_o(load_address), .load_wdata_o(load_wdata), .load_ready_i(1'b0),
      .load_rdata_i(32'd0), .load_error_i(1'b0), .boot_o(boot), .ended_i(ended_i), .trigger_i(1'b0),
      .event_valid_i(1'b0), .event_data_i(32'd0), .event_ready_o(event_ready), .port_valid_i(1'b0),
      .port_address_i(13'd0), .port_wmask_i(4'd0), .port_wdata_i(32'd0), .port_ready_o(port_ready),
      .port_rdata_o(port_rdata), .link_clk_i(link_clk_i), .link_rst_ni(link_rst_ni),
      .tx_valid_o(tx_valid_o), .tx_ready_i(tx_ready_i), .tx_data_o(tx_data_o),
      .tx_last_o(tx_last_o), .rx_valid_i(rx_valid_i), .rx_ready_o(rx_ready_o), .rx_data_i(rx_data_i)
      // generate: end
  );
endmodule
`default_nettype wire
