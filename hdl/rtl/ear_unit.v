// SPDX-License-Identifier: Apache-2.0
// The capture unit: everything a core retires goes in, frames for a link come out.
//
//   retire port -> stage -> filter, trigger -> capture -> record FIFO -> (predictor) -> encoder
//     -> packer -> payload buffer -> framer -> (clock crossing) -> link
//   link -> (clock crossing) -> control parser -> registers -> replies, into the encoder
//
// The bytes are those of docs/protocol.md: predict mode, or raw mode with PREDICT 0. The ports are
// explained in docs/retire-port.md. PRESET chooses the predictor, SIZE what else is
// built; the file that names them includes ear_geometry.vh:
//
//   `include "ear_geometry.vh"
//   ear_unit #(.PRESET(`EAR_PRESET_LARGE), .SIZE(`EAR_SIZE_FULL)) u_unit (...);
//
// Clocks: everything runs in the core's clock but the two FIFOs to the link. The two clocks need
// no relation, unless ONE_CLOCK is set: then both clocks and both resets are the same. Resets:
// rst_ni and link_rst_ni are asserted together (in any order, overlapping) and each is released in
// step with its own clock. Neither is the reset of the traced core: the unit must run before the
// core does, to see its first instruction.
`include "ear_protocol.vh"
`include "ear_entry.vh"
`include "ear_geometry.vh"
`default_nettype none
module ear_unit #(
    // What the unit sends. docs/boards.md, section 6, lists all parameters with units and ranges.
    parameter PRESET           = `EAR_PRESET_SMALL,  // geometry by name; or raw, or custom
    parameter SIZE             = `EAR_SIZE_FULL,     // what is built: full, lean or least
    parameter PREDICT          = `EAR_PRESET_PREDICT(PRESET),   // 1: predict mode; 0: raw mode
    parameter PREDICT_GEOMETRY = `EAR_PRESET_GEOMETRY(PRESET),  // number of a geometry

    // The retire port.
    parameter XLEN         = 32,  // bits: 32 or 64
    parameter NRET         = 1,   // channels: 1 or 2
    parameter CSR_SLOTS    = 0,   // CSR writes an entry can carry: 0 to 8
    parameter FLEN         = 0,   // bits of an FP register: 0 (none), 32 or 64
    parameter PADDR        = 0,   // 1: there are physical addresses
    // 1: records carry rs1 and rs2; 0: these ports are not read
    parameter OPERANDS     = `EAR_SIZE_OPERANDS(SIZE),
    // bits of rvfi_order that are kept: 32 to 64
    parameter ORDER_BITS   = `EAR_SIZE_ORDER_BITS(SIZE),
    parameter OWN_ORDER    = 0,   // 1: entries are counted here; with RECORD_FIFO 1 only
    parameter NORMALIZE    = 1,   // 1: entries get their normal form (ear_normalize)
    parameter OPCODE_READS = 0,   // 1: the opcode decides what was read; with NORMALIZE only
    parameter CAUSES       = 1,   // 0: rvfi_ext_cause is not read, and the host knows
    // 0: rd and its value, or the memory group, are not read, and the host knows; with PREDICT 0
    parameter RESULTS      = 1,
    parameter ACCESSES     = 1,
    parameter STALL_SLACK  = 0,   // entries that the core may retire while stall_o is high

    // What the host reads about the unit.
    parameter [15:0] HART         = 16'd0,  // hart id; its low 8 bits are the stream id
    parameter [31:0] CLOCK_HZ     = 32'd0,  // Hz of clk_i; 0: unknown
    parameter [15:0] UNIT_VERSION = 16'h0001,

    // What is built.
    parameter FILTER          = `EAR_SIZE_FILTER(SIZE),  // 1: the filter
    parameter TRIGGER         = `EAR_SIZE_TRIGGER(SIZE),  // 1: the start and stop triggers
    parameter TIME            = `EAR_SIZE_TIME(SIZE),  // 1: records carry their time
    // 1: held clocks are counted and are no time; needs STALL
    parameter HELD            = `EAR_SIZE_HELD(SIZE),
    parameter STALL           = 1,    // 1: stall_o holds the core; 0: the policy is always drop
    parameter CORE            = 1,    // 1: core_reset_o and core_halt_o are connected
    parameter RESET_HOLD      = 0,    // 1: after reset the core is held until the host releases it
    parameter LOAD            = 0,    // 1: the ports load_* and boot_o are connected
    parameter TEST            = `EAR_SIZE_TEST(SIZE),  // 1: the test source
    // 1: EVENT messages, and the strobed event port
    parameter EVENTS          = `EAR_SIZE_EVENTS(SIZE),
    parameter EVENT_PORT      = 0,    // event port on the bus; 1: its user page; 2: both pages
    parameter EVENT_STRINGS   = 1,    // 1: it has registers for strings by value
    parameter EVENT_WAIT      = 4,    // clocks that a store to it waits, 0 to 15; 0: it never can
    parameter MISMATCH        = 0,    // 1: wrong results are seen; needs PREDICT and OPERANDS
    // 0: no LOST messages; the policy is always stall
    parameter LOSS            = `EAR_SIZE_LOSS(SIZE),
    // clocks from the last entry after ended_i to the end: 0, 2^n
    parameter ENDED_CLOCKS    = `EAR_SIZE_ENDED_CLOCKS(SIZE),
    // 0: FLUSH_CYCLES cannot be written
    parameter FLUSH_REGISTER  = `EAR_SIZE_FLUSH_REGISTER(SIZE),
    parameter RESUME_REGISTER = 1,    // 0: RESUME cannot be written; without LOSS it is not there
    // 0: COMMAND.SNAPSHOT does not copy the counters
    parameter SNAPSHOT        = `EAR_SIZE_SNAPSHOT(SIZE),

    // Sizes and clocks.
    // entries: a power of two, 8 to 32768; or 1: a register
    parameter RECORD_FIFO   = `EAR_SIZE_RECORD_FIFO(SIZE),
    // bytes of frames: a power of two, 512 to 65536
    parameter PAYLOAD_BYTES = `EAR_SIZE_PAYLOAD_BYTES(SIZE),
    // bits of the counters, 32 to 64; they wrap to 0
    parameter COUNTER_BITS  = `EAR_SIZE_COUNTER_BITS(SIZE),
    parameter ONE_CLOCK     = 0,     // 1: link_clk_i is clk_i; no FIFOs between the clocks
    // encoder, bytes a clock: 0: 8 or 10; 1: 4; 2: 1, serial CRC
    parameter NARROW        = `EAR_SIZE_NARROW(SIZE),

    // The predictor's geometry (docs/predict.md, section 2); unused in raw mode.
    parameter PREDICT_UNIFIED         = `EAR_PREDICT_UNIFIED(PREDICT_GEOMETRY),   // 1: one cache
    parameter PREDICT_MULTIPLY        = `EAR_PREDICT_MULTIPLY(PREDICT_GEOMETRY),  // 1: products
    parameter PREDICT_DIVIDE          = `EAR_PREDICT_DIVIDE(PREDICT_GEOMETRY),    // 1: quotients
    // Caches of opcodes and data: 2^5 to 2^16 words of 32 bits, 1 to 8 ways, 1 to 8 words a line.
    parameter PREDICT_CODE_WORDS_LOG2 = `EAR_PREDICT_CODE_WORDS_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_CODE_WAYS_LOG2  = `EAR_PREDICT_CODE_WAYS_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_CODE_LINE_LOG2  = `EAR_PREDICT_CODE_LINE_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_DATA_WORDS_LOG2 = `EAR_PREDICT_DATA_WORDS_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_DATA_WAYS_LOG2  = `EAR_PREDICT_DATA_WAYS_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_DATA_LINE_LOG2  = `EAR_PREDICT_DATA_LINE_LOG2(PREDICT_GEOMETRY),
    // Opcodes with a number, 0 (none) or 2^4 to 2^9; remembered CSRs, 0 (none) or 2^1 to 2^6.
    parameter PREDICT_DICTIONARY_LOG2 = `EAR_PREDICT_DICTIONARY_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_CSR_LOG2        = `EAR_PREDICT_CSR_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_BASE            = `EAR_PREDICT_BASE(PREDICT_GEOMETRY),    // 1: RV32IC
    parameter PREDICT_SINGLE          = `EAR_PREDICT_SINGLE(PREDICT_GEOMETRY),  // 1: no groups
    // How the predictor is built; the bytes are the same.
    // 1: products with `*`; 0: bit by bit, smaller
    parameter PREDICT_MULTIPLIER      = `EAR_SIZE_PREDICT_MULTIPLIER(SIZE),
    // 1: a record a clock; 0: three clocks, smaller
    parameter PREDICT_PIPELINED       = `EAR_SIZE_PREDICT_PIPELINED(SIZE)
) (
    // Core clock and reset.
    input wire clk_i,
    input wire rst_ni,

    // Retire port, from the core. Channel k is the k-th slice from the low end and retires before
    // channel k + 1. No handshake: every clock with valid is an entry. Slot s of the CSR group
    // of channel k is slice k * CSR_SLOTS + s. Groups that are not built are one bit wide a
    // channel and not read: tie them to zero.
    // generate: ports unit
    input wire [NRET-1:0] rvfi_valid_i,
    input wire [NRET*64-1:0] rvfi_order_i,
    input wire [NRET*32-1:0] rvfi_insn_i,
    input wire [NRET-1:0] rvfi_trap_i,
    input wire [NRET-1:0] rvfi_halt_i,
    input wire [NRET-1:0] rvfi_intr_i,
    input wire [NRET-1:0] rvfi_ext_irq_i,
    input wire [NRET*2-1:0] rvfi_mode_i,
    input wire [NRET*2-1:0] rvfi_ixl_i,
    input wire [NRET-1:0] rvfi_ext_debug_i,
    input wire [NRET-1:0] rvfi_ext_virt_i,
    input wire [NRET*5-1:0] rvfi_rd_addr_i,
    input wire [NRET*XLEN-1:0] rvfi_rd_wdata_i,
    input wire [NRET*XLEN-1:0] rvfi_pc_rdata_i,
    input wire [NRET*XLEN-1:0] rvfi_pc_wdata_i,
    input wire [NRET*XLEN-1:0] rvfi_mem_addr_i,
    input wire [NRET*XLEN-1:0] rvfi_mem_rdata_i,
    input wire [NRET*XLEN-1:0] rvfi_mem_wdata_i,
    input wire [NRET*XLEN-1:0] rvfi_ext_cause_i,
    input wire [NRET*XLEN/8-1:0] rvfi_mem_rmask_i,
    input wire [NRET*XLEN/8-1:0] rvfi_mem_wmask_i,
    input wire [NRET*(CSR_SLOTS > 0 ? CSR_SLOTS : 1)-1:0] rvfi_csr_valid_i,
    input wire [NRET*(CSR_SLOTS > 0 ? 12*CSR_SLOTS : 1)-1:0] rvfi_csr_addr_i,
    input wire [NRET*(CSR_SLOTS > 0 ? XLEN*CSR_SLOTS : 1)-1:0] rvfi_csr_wdata_i,
    input wire [NRET-1:0] rvfi_frd_valid_i,
    input wire [NRET*5-1:0] rvfi_frd_addr_i,
    input wire [NRET*5-1:0] rvfi_fflags_i,
    input wire [NRET*(FLEN > 0 ? FLEN : 1)-1:0] rvfi_frd_wdata_i,
    input wire [NRET*(PADDR > 0 ? 64 : 1)-1:0] rvfi_pc_paddr_i,
    input wire [NRET*(PADDR > 0 ? 64 : 1)-1:0] rvfi_mem_paddr_i,
    input wire [NRET*5-1:0] rvfi_rs1_addr_i,
    input wire [NRET*5-1:0] rvfi_rs2_addr_i,
    input wire [NRET*XLEN-1:0] rvfi_rs1_rdata_i,
    input wire [NRET*XLEN-1:0] rvfi_rs2_rdata_i,
    // generate: end

    // To the core. All come from registers.
    output wire stall_o,       // policy stall: at most STALL_SLACK more entries until it falls
    output wire core_reset_o,  // hold the core in reset (register CORE)
    output wire core_halt_o,   // hold the core without reset (register CORE)

    // To the system's memory, in the core's clock, so that the host can load a program. An access
    // is held until ready. In that clock error says that there is no such memory or that the core
    // is not in reset; otherwise rdata is the word that was read. Writes are of whole words, and
    // each is followed by a read. Without LOAD there are no accesses: tie the inputs to zero.
    output wire        load_valid_o,
    output wire        load_write_o,
    output wire [31:0] load_address_o,  // of a word
    output wire [31:0] load_wdata_o,
    input  wire        load_ready_i,
    input  wire [31:0] load_rdata_i,
    input  wire        load_error_i,
    output wire [31:0] boot_o,          // address of the first instruction; 0: as the board says

    // From the system, in the core's clock.
    input wire ended_i,    // level: the program has ended. Entries that follow still count until
                           // ENDED_CLOCKS clocks have passed without one. Must fall when the core
                           // is reset, or the next capture ends at once.
    input wire trigger_i,  // level: the external pin of the triggers, already synchronised

    // Event port: while ready is high, a clock with valid puts an EVENT message into the stream.
    // An event that comes while ready is low, or while nothing is captured, is not taken.
    input  wire        event_valid_i,
    input  wire [31:0] event_data_i,
    output wire        event_ready_o,

    // Event port on the system's bus (EVENT_PORT; docs/event-port.md): an access is held until
    // ready, and the answer to a read is there from the next clock on. A write to its registers
    // becomes an event in front of the entry of its store. Without it tie the inputs to zero.
    input  wire        port_valid_i,
    input  wire [12:0] port_address_i,  // offset in its window of 8 KiB, bytes
    input  wire [ 3:0] port_wmask_i,    // bytes to write; 0: a read
    input  wire [31:0] port_wdata_i,
    output wire        port_ready_o,    // with EVENT_WAIT 0 always high
    output wire [31:0] port_rdata_o,

    // Link clock and reset.
    input wire link_clk_i,
    input wire link_rst_ni,

    // Frames to the link, as words, lowest byte first; last marks the last word of a frame.
    output wire        tx_valid_o,
    input  wire        tx_ready_i,
    output wire [31:0] tx_data_o,
    output wire        tx_last_o,

    // Bytes of control words from the link.
    input  wire       rx_valid_i,
    output wire       rx_ready_o,
    input  wire [7:0] rx_data_i
);
  // One register stage after the port; a second one after filter and matchers, if there are any.
  // One entry alone needs no stage before it: the core is held as long as it is there.
  localparam DIRECT = RECORD_FIFO == 1 ? 1 : 0;
  localparam LATENCY = DIRECT != 0 ? 0 : (FILTER != 0 || TRIGGER != 0) ? 2 : 1;
  localparam BODY = `EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS);
  localparam ENTRY = BODY + `EAR_ENTRY_HEAD_WIDTH + (TIME != 0 ? 64 : 0);
  localparam CHUNK = XLEN == 64 ? 10 : 8;  // bytes: the widest field that is given at once
  localparam [63:0] ORDER_MASK = {64{1'b1}} >> (64 - ORDER_BITS);
  localparam CSR_N = CSR_SLOTS > 0 ? CSR_SLOTS : 1;
  localparam CSR_A = CSR_SLOTS > 0 ? CSR_SLOTS * 12 : 1;
  localparam CSR_D = CSR_SLOTS > 0 ? CSR_SLOTS * XLEN : 1;
  localparam FRD = FLEN > 0 ? FLEN : 1;
  localparam PA = PADDR > 0 ? 64 : 1;

  localparam COUNT_HELD = HELD != 0 && STALL != 0 ? 1 : 0;

  // Entries of the FIFO for events of the port on the bus while the core is being held. If its bus
  // can wait no event comes then; else one may come with each entry, and one before.
  localparam PORT_ROOM = EVENT_PORT == 0 ? 0 : EVENT_WAIT != 0 ? 1 : 2 + STALL_SLACK;

`include "ear_unit_describe.vh"
`include "ear_unit_check.vh"

  // Registers and what they decide.
  wire               enable;
  wire               asked_drop;
  wire               drop = asked_drop && LOSS != 0;
  wire [        1:0] time_mode;
  wire               capture_begins;
  wire               capture_finished;
  wire               capture_idle;
  wire               capture_armed;
  wire               capture_on;
  wire               capture_losing;
  wire               snapshot;
  wire [      383:0] copy;
  wire [       31:0] flush_cycles;
  wire [       15:0] resume;
  wire [       11:0] filter;
  wire [ 4*XLEN-1:0] range_low;
  wire [ 4*XLEN-1:0] range_high;
  wire [        7:0] trigger_kind;
  wire [        1:0] trigger_reads;
  wire [        1:0] trigger_writes;
  wire [      127:0] trigger_value;
  wire [ 2*XLEN-1:0] trigger_mask;
  wire [ 2*XLEN-1:0] trigger_data;
  wire [ 2*XLEN-1:0] trigger_data_mask;

  // From the port to the capture: at_* belongs to one clock.
  wire [     NRET-1:0] staged_valid;
  wire [NRET*BODY-1:0] staged_body;
  reg                  staged_ended_q;
  wire [     NRET-1:0] at_valid;
  wire [NRET*BODY-1:0] at_body;
  wire [     NRET-1:0] at_pass;
  wire [     NRET-1:0] at_start;
  wire [     NRET-1:0] at_stop;
  wire                 at_ended;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) staged_ended_q <= 1'b0;
    else staged_ended_q <= ended_i;
  end
  wire staged_ended = DIRECT != 0 ? ended_i : staged_ended_q;

  genvar k;
  generate
    for (k = 0; k < NRET; k = k + 1) begin : gen_channel
      wire [63:0] order = OWN_ORDER != 0 ? 64'd0 : rvfi_order_i[k*64+:64] & ORDER_MASK;

      ear_retire_stage #(
          .XLEN     (XLEN),
          .CSR_SLOTS(CSR_SLOTS),
          .FLEN     (FLEN),
          .PADDR    (PADDR),
          .OPERANDS (OPERANDS),
          .DIRECT   (DIRECT),
          .NORMALIZE(NORMALIZE),
          .OPCODE_READS(OPCODE_READS),
          .CAUSES   (CAUSES),
          .RESULTS  (RESULTS),
          .ACCESSES (ACCESSES)
      ) u_retire_stage (
          .clk_i           (clk_i),
          .rst_ni          (rst_ni),
          // generate: channel order=order
          .rvfi_valid_i(rvfi_valid_i[k]), .rvfi_order_i(order), .rvfi_insn_i(rvfi_insn_i[k*32+:32]),
          .rvfi_trap_i(rvfi_trap_i[k]), .rvfi_halt_i(rvfi_halt_i[k]), .rvfi_intr_i(rvfi_intr_i[k]),
          .rvfi_ext_irq_i(rvfi_ext_irq_i[k]), .rvfi_mode_i(rvfi_mode_i[k*2+:2]),
          .rvfi_ixl_i(rvfi_ixl_i[k*2+:2]), .rvfi_ext_debug_i(rvfi_ext_debug_i[k]),
          .rvfi_ext_virt_i(rvfi_ext_virt_i[k]), .rvfi_rd_addr_i(rvfi_rd_addr_i[k*5+:5]),
          .rvfi_rd_wdata_i(rvfi_rd_wdata_i[k*XLEN+:XLEN]),
          .rvfi_pc_rdata_i(rvfi_pc_rdata_i[k*XLEN+:XLEN]),
          .rvfi_pc_wdata_i(rvfi_pc_wdata_i[k*XLEN+:XLEN]),
          .rvfi_mem_addr_i(rvfi_mem_addr_i[k*XLEN+:XLEN]),
          .rvfi_mem_rdata_i(rvfi_mem_rdata_i[k*XLEN+:XLEN]),
          .rvfi_mem_wdata_i(rvfi_mem_wdata_i[k*XLEN+:XLEN]),
          .rvfi_ext_cause_i(rvfi_ext_cause_i[k*XLEN+:XLEN]),
          .rvfi_mem_rmask_i(rvfi_mem_rmask_i[k*XLEN/8+:XLEN/8]),
          .rvfi_mem_wmask_i(rvfi_mem_wmask_i[k*XLEN/8+:XLEN/8]),
          .rvfi_csr_valid_i(rvfi_csr_valid_i[k*CSR_N+:CSR_N]),
          .rvfi_csr_addr_i(rvfi_csr_addr_i[k*CSR_A+:CSR_A]),
          .rvfi_csr_wdata_i(rvfi_csr_wdata_i[k*CSR_D+:CSR_D]),
          .rvfi_frd_valid_i(rvfi_frd_valid_i[k]), .rvfi_frd_addr_i(rvfi_frd_addr_i[k*5+:5]),
          .rvfi_fflags_i(rvfi_fflags_i[k*5+:5]), .rvfi_frd_wdata_i(rvfi_frd_wdata_i[k*FRD+:FRD]),
          .rvfi_pc_paddr_i(rvfi_pc_paddr_i[k*PA+:PA]),
          .rvfi_mem_paddr_i(rvfi_mem_paddr_i[k*PA+:PA]), .rvfi_rs1_addr_i(rvfi_rs1_addr_i[k*5+:5]),
          .rvfi_rs2_addr_i(rvfi_rs2_addr_i[k*5+:5]),
          .rvfi_rs1_rdata_i(rvfi_rs1_rdata_i[k*XLEN+:XLEN]),
          .rvfi_rs2_rdata_i(rvfi_rs2_rdata_i[k*XLEN+:XLEN]),
          // generate: end
          .valid_o         (staged_valid[k]),
          .body_o          (staged_body[k*BODY+:BODY])
      );
    end
  endgenerate

  ear_select #(
      .XLEN    (XLEN),
      .NRET    (NRET),
      .BODY    (BODY),
      .FILTER  (FILTER),
      .TRIGGER (TRIGGER),
      .REGISTER(LATENCY == 2)
  ) u_select (
      .clk_i              (clk_i),
      .rst_ni             (rst_ni),
      .valid_i            (staged_valid),
      .body_i             (staged_body),
      .ended_i            (staged_ended),
      .filter_i           (filter),
      .range_low_i        (range_low),
      .range_high_i       (range_high),
      .trigger_kind_i     (trigger_kind),
      .trigger_reads_i    (trigger_reads),
      .trigger_writes_i   (trigger_writes),
      .trigger_value_i    (trigger_value),
      .trigger_mask_i     (trigger_mask),
      .trigger_data_i     (trigger_data),
      .trigger_data_mask_i(trigger_data_mask),
      .valid_o            (at_valid),
      .body_o             (at_body),
      .pass_o             (at_pass),
      .start_o            (at_start),
      .stop_o             (at_stop),
      .ended_o            (at_ended)
  );

`ifdef EAR_ASSERT
  ear_port_assert #(
      // generate: assign ear_port_assert last
      .XLEN(XLEN), .NRET(NRET), .FLEN(FLEN), .OPERANDS(OPERANDS), .OWN_ORDER(OWN_ORDER),
      .NORMALIZE(NORMALIZE), .OPCODE_READS(OPCODE_READS), .STALL_SLACK(STALL_SLACK),
      .ENDED_CLOCKS(ENDED_CLOCKS)
      // generate: end
  ) u_port_assert (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .stall_i     (stall_o),
      .core_reset_i(core_reset_o),
      .ended_i     (ended_i),
      .rvfi_valid_i(rvfi_valid_i), .rvfi_order_i(rvfi_order_i), .rvfi_insn_i(rvfi_insn_i),
      .rvfi_trap_i(rvfi_trap_i), .rvfi_intr_i(rvfi_intr_i), .rvfi_ext_irq_i(rvfi_ext_irq_i),
      .rvfi_mode_i(rvfi_mode_i), .rvfi_ixl_i(rvfi_ixl_i), .rvfi_rd_addr_i(rvfi_rd_addr_i),
      .rvfi_rd_wdata_i(rvfi_rd_wdata_i), .rvfi_pc_rdata_i(rvfi_pc_rdata_i),
      .rvfi_pc_wdata_i(rvfi_pc_wdata_i), .rvfi_mem_addr_i(rvfi_mem_addr_i),
      .rvfi_mem_rdata_i(rvfi_mem_rdata_i), .rvfi_mem_wdata_i(rvfi_mem_wdata_i),
      .rvfi_mem_rmask_i(rvfi_mem_rmask_i), .rvfi_mem_wmask_i(rvfi_mem_wmask_i),
      .rvfi_rs1_addr_i(rvfi_rs1_addr_i), .rvfi_rs2_addr_i(rvfi_rs2_addr_i),
      .rvfi_rs1_rdata_i(rvfi_rs1_rdata_i), .rvfi_rs2_rdata_i(rvfi_rs2_rdata_i)
  );
`endif

  // Capture, counters and record FIFO.
  wire [           1:0] count_retired;
  wire [           1:0] count_lost;
  wire [           1:0] count_filtered;
  wire                  count_delivered;
  wire [          63:0] now;
  wire [          63:0] retired;
  wire [          63:0] delivered;
  wire [          63:0] lost;
  wire [          63:0] filtered;
  wire                  capture_running;
  wire                  count_held;
  wire [          63:0] held;
  wire [           1:0] push_count;
  wire [NRET*ENTRY-1:0] push_data;
  wire [          15:0] fifo_free;
  wire                  fifo_empty;
  wire                  drained;
  wire                  stored_valid;
  wire                  stored_ready;
  wire [     ENTRY-1:0] stored_data;
  wire                  stop_sent;

  // Wrong results.
  wire                  wrong;            // of the record that leaves the predictor
  wire                  mismatch_valid;
  wire                  mismatch_ready;
  wire                  mismatch_seen;
  wire [          31:0] mismatch_order;
  wire [          31:0] mismatches;

  // Events of the port on the bus.
  wire                  marker_valid;
  wire                  marker_ready;
  wire [           7:0] marker_source;
  wire [          31:0] marker_value;
  wire [          63:0] marker_order;
  wire                  marker_waits;
  wire                  marker_late;
  wire                  marker_close;
  wire                  roomy;
  wire [          63:0] next_order;
  wire [          31:0] events_lost;
  wire [          31:0] events_unknown;

  ear_bus_port #(
      .EVENT_PORT(EVENT_PORT),
      .STRINGS   (EVENT_STRINGS),
      .WAIT      (EVENT_WAIT),
      .LATENCY   (LATENCY)
  ) u_bus_port (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .port_valid_i   (port_valid_i),
      .port_address_i (port_address_i),
      .port_wmask_i   (port_wmask_i),
      .port_wdata_i   (port_wdata_i),
      .port_ready_o   (port_ready_o),
      .port_rdata_o   (port_rdata_o),
      .begin_i        (capture_begins),
      .on_i           (capture_on),
      .stall_i        (stall_o),
      .drop_i         (drop),
      .roomy_i        (roomy),
      .close_i        (marker_close),
      .next_order_i   (next_order),
      .marker_valid_o (marker_valid),
      .marker_ready_i (marker_ready),
      .marker_source_o(marker_source),
      .marker_value_o (marker_value),
      .marker_order_o (marker_order),
      .waits_o        (marker_waits),
      .late_o         (marker_late),
      .lost_o         (events_lost),
      .unknown_o      (events_unknown)
  );

  ear_capture #(
      .NRET        (NRET),
      .BODY        (BODY),
      .TRIGGER     (TRIGGER),
      .TIME        (TIME),
      .LATENCY     (LATENCY),
      .COUNTER_BITS(COUNTER_BITS),
      .DIRECT      (DIRECT),
      .LOSS        (LOSS),
      .EVENTS      (EVENTS),
      .MISMATCH    (MISMATCH),
      .PORT        (PORT_ROOM),
      .HELD        (COUNT_HELD),
      .ENDED_CLOCKS(ENDED_CLOCKS),
      .STALL_SLACK (STALL_SLACK)
  ) u_capture (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .valid_i      (at_valid),
      .body_i       (at_body),
      .pass_i       (at_pass),
      .start_match_i(at_start),
      .stop_match_i (at_stop),
      .ended_i      (at_ended),
      .pin_i        (trigger_i),
      .enable_i     (enable),
      .drop_i       (drop),
      .start_kind_i (trigger_kind[3:0]),
      .start_value_i(trigger_value[63:0]),
      .stop_kind_i  (trigger_kind[7:4]),
      .stop_value_i (trigger_value[127:64]),
      .begin_o      (capture_begins),
      .finished_o   (capture_finished),
      .idle_o       (capture_idle),
      .armed_o      (capture_armed),
      .on_o         (capture_on),
      .losing_o     (capture_losing),
      .event_valid_i(event_valid_i),
      .event_data_i (event_data_i),
      .event_ready_o(event_ready_o),
      .mismatch_valid_i(mismatch_valid),
      .mismatch_order_i(mismatch_order),
      .mismatch_ready_o(mismatch_ready),
      .mismatch_seen_i(mismatch_seen),
      .port_valid_i (marker_valid),
      .port_ready_o (marker_ready),
      .port_source_i(marker_source),
      .port_value_i (marker_value),
      .port_order_i (marker_order),
      .port_waits_i (marker_waits),
      .port_late_i  (marker_late),
      .port_close_o (marker_close),
      .roomy_o      (roomy),
      .next_order_o (next_order),
      .time_i       (now),
      .retired_o    (count_retired),
      .lost_o       (count_lost),
      .filtered_o   (count_filtered),
      .running_o    (capture_running),
      .held_o       (count_held),
      .held_i       (held),
      .push_count_o (push_count),
      .push_data_o  (push_data),
      .free_i       (fifo_free),
      .empty_i      (fifo_empty),
      .drained_i    (drained),
      .stop_sent_i  (stop_sent),
      .stall_o      (stall_o)
  );

  ear_counters #(
      .TIME        (TIME),
      .COUNTER_BITS(COUNTER_BITS),
      .HELD        (COUNT_HELD),
      .SNAPSHOT    (SNAPSHOT),
      .LATENCY     (LATENCY)
  ) u_counters (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .begin_i    (capture_begins),
      .retired_i  (count_retired),
      .delivered_i(count_delivered),
      .lost_i     (count_lost),
      .filtered_i (count_filtered),
      .held_i     (count_held),
      .running_i  (capture_running),
      .time_o     (now),
      .retired_o  (retired),
      .delivered_o(delivered),
      .lost_o     (lost),
      .filtered_o (filtered),
      .held_o     (held),
      .snapshot_i (snapshot),
      .copy_o     (copy)
  );

  ear_entry_fifo #(
      .NRET      (NRET),
      .ENTRY     (ENTRY),
      .DEPTH     (RECORD_FIFO),
      .ORDER_BITS(ORDER_BITS),
      .OWN_ORDER (OWN_ORDER)
  ) u_entry_fifo (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .retired_i   (rvfi_valid_i[0]),
      .push_count_i(push_count),
      .push_data_i (push_data),
      .free_o      (fifo_free),
      .pop_valid_o (stored_valid),
      .pop_ready_i (stored_ready),
      .pop_data_o  (stored_data),
      .empty_o     (fifo_empty)
  );

  // Predict mode: what of an entry the host cannot know.
  wire             sync;
  wire             entry_valid;
  wire             entry_ready;
  wire [ENTRY-1:0] entry_data;
  wire             hard;
  wire             check;
  wire [     31:0] check_pc;
  wire [     31:0] check_digest;
  wire [     19:0] differ;
  wire             from_number;
  wire [      8:0] number;
  wire [ XLEN-1:0] delta;

  ear_predict_stage #(
      .PREDICT        (PREDICT),
      .XLEN           (XLEN),
      .CSR_SLOTS      (CSR_SLOTS),
      .FLEN           (FLEN),
      .PADDR          (PADDR),
      .OPERANDS       (OPERANDS),
      .TIME           (TIME),
      .UNIFIED        (PREDICT_UNIFIED),
      .MULTIPLY       (PREDICT_MULTIPLY),
      .DIVIDE         (PREDICT_DIVIDE),
      .CODE_WORDS_LOG2(PREDICT_CODE_WORDS_LOG2),
      .CODE_WAYS_LOG2 (PREDICT_CODE_WAYS_LOG2),
      .CODE_LINE_LOG2 (PREDICT_CODE_LINE_LOG2),
      .DATA_WORDS_LOG2(PREDICT_DATA_WORDS_LOG2),
      .DATA_WAYS_LOG2 (PREDICT_DATA_WAYS_LOG2),
      .DATA_LINE_LOG2 (PREDICT_DATA_LINE_LOG2),
      .DICTIONARY_LOG2(PREDICT_DICTIONARY_LOG2),
      .CSR_LOG2       (PREDICT_CSR_LOG2),
      .BASE           (PREDICT_BASE),
      .ORDER          (OWN_ORDER == 0),
      .MULTIPLIER     (PREDICT_MULTIPLIER),
      .PIPELINED      (PREDICT_PIPELINED)
  ) u_predict_stage (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .sync_i            (sync),
      .stop_sent_i       (stop_sent),
      .entry_valid_i     (stored_valid),
      .entry_ready_o     (stored_ready),
      .entry_data_i      (stored_data),
      .out_valid_o       (entry_valid),
      .out_ready_i       (entry_ready),
      .out_data_o        (entry_data),
      .out_hard_o        (hard),
      .out_check_o       (check),
      .out_check_digest_o(check_digest),
      .out_check_pc_o    (check_pc),
      .out_mask_o        (differ),
      .out_from_number_o (from_number),
      .out_number_o      (number),
      .out_delta_o       (delta),
      .wrong_o           (wrong)
  );

  generate
    if (MISMATCH != 0) begin : gen_mismatch
      ear_mismatch u_mismatch (
          .clk_i  (clk_i),
          .rst_ni (rst_ni),
          .begin_i(capture_begins),
          .wrong_i(wrong),
          .order_i(entry_data[`EAR_ENTRY_HEAD_WIDTH+:32]),
          .valid_o(mismatch_valid),
          .ready_i(mismatch_ready),
          .order_o(mismatch_order),
          .seen_o (mismatch_seen),
          .count_o(mismatches)
      );
    end else begin : gen_no_mismatch
      wire unused = &{1'b0, wrong, mismatch_ready};
      assign mismatch_valid = 1'b0;
      assign mismatch_seen = 1'b0;
      assign mismatch_order = 32'd0;
      assign mismatches = 32'd0;
    end
  endgenerate

  // Test source.
  wire        test_on;
  wire        test_write;
  wire [31:0] write_value;
  wire [31:0] test_number;
  wire        test_start;
  wire        test_ready;
  wire [31:0] test_data;
  wire        test_last;

  generate
    if (TEST != 0) begin : gen_test
      ear_test_source u_test_source (
          .clk_i   (clk_i),
          .rst_ni  (rst_ni),
          .write_i (test_write),
          .value_i (write_value),
          .number_o(test_number),
          .start_i (test_start),
          .ready_i (test_ready),
          .data_o  (test_data),
          .last_o  (test_last)
      );
    end else begin : gen_no_test
      wire unused = &{1'b0, test_write, write_value, test_start, test_ready};
      assign test_number = 32'd0;
      assign test_data = 32'd0;
      assign test_last = 1'b0;
    end
  endgenerate

  // Entries and replies to frames.
  wire               reply_valid;
  wire               reply_ready;
  wire               reply_unit;
  wire [        7:0] reply_tag;
  wire [        7:0] reply_status;
  wire [       15:0] reply_address;
  wire [       31:0] reply_value;
  wire               reply_flush;
  wire               chunk_valid;
  wire               chunk_ready;
  wire [8*CHUNK-1:0] chunk_data;
  wire [        3:0] chunk_count;
  wire               packer_idle;
  wire               frame_end;
  wire               out_valid;
  wire               out_ready;
  wire [       31:0] out_data;
  wire               out_last;

  ear_encoder #(
      .XLEN        (XLEN),
      .CSR_SLOTS   (CSR_SLOTS),
      .FLEN        (FLEN),
      .PADDR       (PADDR),
      .OPERANDS    (OPERANDS),
      .TIME        (TIME),
      .SHAPE       (SHAPE),
      .HART        (HART),
      .CLOCK_HZ    (CLOCK_HZ),
      .UNIT_VERSION(UNIT_VERSION),
      .FEATURES    (FEATURES),
      .RESULTS     (RESULTS),
      .ACCESSES    (ACCESSES),
      .BUFFERS     (BUFFERS),
      .PREDICT     (PREDICT),
      .SINGLE      (PREDICT != 0 ? PREDICT_SINGLE : 0),
      .GEOMETRY    (GEOMETRY),
      .LOSS        (LOSS),
      .EVENTS      (EVENTS),
      .PORT        (EVENT_PORT != 0 ? 1 : 0),
      .FLUSH_REGISTER(FLUSH_REGISTER),
      .TEST        (TEST),
      .CHUNK       (CHUNK)
  ) u_encoder (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .entry_valid_i  (entry_valid),
      .entry_ready_o  (entry_ready),
      .entry_data_i   (entry_data),
      .hard_i         (hard),
      .check_i        (check),
      .check_pc_i     (check_pc),
      .check_digest_i (check_digest),
      .mask_i         (differ),
      .from_number_i  (from_number),
      .number_i       (number),
      .delta_i        (delta),
      .reply_valid_i  (reply_valid),
      .reply_ready_o  (reply_ready),
      .reply_unit_i   (reply_unit),
      .reply_tag_i    (reply_tag),
      .reply_status_i (reply_status),
      .reply_address_i(reply_address),
      .reply_value_i  (reply_value),
      .reply_flush_i  (reply_flush),
      .test_valid_i   (test_on),
      .test_start_o   (test_start),
      .test_ready_o   (test_ready),
      .test_data_i    (test_data),
      .test_last_i    (test_last),
      .begin_i        (capture_begins),
      .drop_i         (drop),
      .time_mode_i    (time_mode),
      .filter_on_i    (FILTER != 0 && filter != 12'hF00),
      .flush_cycles_i (flush_cycles),
      .retired_i      (retired),
      .delivered_i    (delivered),
      .lost_i         (lost),
      .filtered_i     (filtered),
      .delivered_o    (count_delivered),
      .stop_sent_o    (stop_sent),
      .chunk_valid_o  (chunk_valid),
      .chunk_ready_i  (chunk_ready),
      .chunk_data_o   (chunk_data),
      .chunk_count_o  (chunk_count),
      .idle_i         (packer_idle),
      .frame_end_o    (frame_end)
  );

  ear_frames #(
      .CHUNK        (CHUNK),
      .NARROW       (NARROW),
      .PAYLOAD_BYTES(PAYLOAD_BYTES),
      .STREAM_ID    (HART[7:0])
  ) u_frames (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .chunk_valid_i(chunk_valid),
      .chunk_ready_o(chunk_ready),
      .chunk_data_i (chunk_data),
      .chunk_count_i(chunk_count),
      .idle_o       (packer_idle),
      .frame_end_i  (frame_end),
      .low_i        (resume),
      .drained_o    (drained),
      .out_valid_o  (out_valid),
      .out_ready_i  (out_ready),
      .out_data_o   (out_data),
      .out_last_o   (out_last)
  );

  // To and from the link's clock.
  wire       byte_valid;
  wire       byte_ready;
  wire [7:0] byte_data;

  ear_link_crossing #(
      .ONE_CLOCK(ONE_CLOCK)
  ) u_link_crossing (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .out_valid_i (out_valid),
      .out_ready_o (out_ready),
      .out_data_i  (out_data),
      .out_last_i  (out_last),
      .byte_valid_o(byte_valid),
      .byte_ready_i(byte_ready),
      .byte_data_o (byte_data),
      .link_clk_i  (link_clk_i),
      .link_rst_ni (link_rst_ni),
      .tx_valid_o  (tx_valid_o),
      .tx_ready_i  (tx_ready_i),
      .tx_data_o   (tx_data_o),
      .tx_last_o   (tx_last_o),
      .rx_valid_i  (rx_valid_i),
      .rx_ready_o  (rx_ready_o),
      .rx_data_i   (rx_data_i)
  );

  // Control words.
  wire        control_valid;
  wire        control_ready;
  wire [ 7:0] control_operation;
  wire [ 7:0] control_tag;
  wire [15:0] control_address;
  wire [31:0] control_value;

  ear_control_parser u_control_parser (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .byte_valid_i    (byte_valid),
      .byte_ready_o    (byte_ready),
      .byte_data_i     (byte_data),
      .word_valid_o    (control_valid),
      .word_ready_i    (control_ready),
      .word_operation_o(control_operation),
      .word_tag_o      (control_tag),
      .word_address_o  (control_address),
      .word_value_o    (control_value)
  );

  ear_registers #(
      .HELD(COUNT_HELD),
      // generate: assign ear_registers last
      .XLEN(XLEN), .FILTER(FILTER), .TRIGGER(TRIGGER), .TIME(TIME), .STALL(STALL), .CORE(CORE),
      .TEST(TEST), .LOAD(LOAD), .PREDICT(PREDICT), .FLUSH_REGISTER(FLUSH_REGISTER), .LOSS(LOSS),
      .MISMATCH(MISMATCH), .EVENT_PORT(EVENT_PORT), .EVENT_STRINGS(EVENT_STRINGS),
      .RESUME_REGISTER(RESUME_REGISTER), .RESET_HOLD(RESET_HOLD), .SHAPE(SHAPE),
      .FEATURES(FEATURES), .HART(HART), .CLOCK_HZ(CLOCK_HZ), .BUFFERS(BUFFERS),
      .UNIT_VERSION(UNIT_VERSION)
      // generate: end
  ) u_registers (
      .word_valid_i    (control_valid),
      .word_ready_o    (control_ready),
      .word_operation_i(control_operation),
      .word_tag_i      (control_tag),
      .word_address_i  (control_address),
      .word_value_i    (control_value),
      .drop_o          (asked_drop),
      .finished_i      (capture_finished),
      .idle_i          (capture_idle),
      .armed_i         (capture_armed),
      .on_i            (capture_on),
      .losing_i        (capture_losing),
      .ended_i         (at_ended),
      // generate: connect ear_registers last
      .clk_i(clk_i), .rst_ni(rst_ni), .reply_valid_o(reply_valid), .reply_ready_i(reply_ready),
      .reply_unit_o(reply_unit), .reply_tag_o(reply_tag), .reply_status_o(reply_status),
      .reply_address_o(reply_address), .reply_value_o(reply_value), .reply_flush_o(reply_flush),
      .enable_o(enable), .time_mode_o(time_mode), .snapshot_o(snapshot), .sync_o(sync),
      .copy_i(copy), .mismatches_i(mismatches), .events_lost_i(events_lost),
      .events_unknown_i(events_unknown), .flush_cycles_o(flush_cycles), .resume_o(resume),
      .core_reset_o(core_reset_o), .core_halt_o(core_halt_o), .test_on_o(test_on),
      .test_write_o(test_write), .write_value_o(write_value), .test_number_i(test_number),
      .load_valid_o(load_valid_o), .load_write_o(load_write_o), .load_address_o(load_address_o),
      .load_wdata_o(load_wdata_o), .load_ready_i(load_ready_i), .load_rdata_i(load_rdata_i),
      .load_error_i(load_error_i), .boot_o(boot_o), .filter_o(filter), .range_low_o(range_low),
      .range_high_o(range_high), .trigger_kind_o(trigger_kind), .trigger_reads_o(trigger_reads),
      .trigger_writes_o(trigger_writes), .trigger_value_o(trigger_value),
      .trigger_mask_o(trigger_mask), .trigger_data_o(trigger_data),
      .trigger_data_mask_o(trigger_data_mask)
      // generate: end
  );
endmodule
`default_nettype wire
