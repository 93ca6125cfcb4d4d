// The capture unit: everything a core retires goes in, frames for a link come out.
//
//   retire port -> stage -> filter, trigger -> capture -> record FIFO -> encoder -> packer
//     -> payload buffer -> framer -> (clock crossing) -> link
//   link -> (clock crossing) -> control parser -> registers -> replies, into the encoder
//
// The bytes are those of docs/protocol.md, raw mode; the ports are explained in
// docs/retire-port.md.
//
// Clocks: everything runs in the core's clock but the two FIFOs to the link. The two clocks need
// no relation. Resets: rst_ni and link_rst_ni are asserted together (in any order, overlapping)
// and each is released in step with its own clock. Neither is the reset of the traced core: the
// unit must run before the core does, to see its first instruction.
`default_nettype none
module ear_unit #(
    parameter        XLEN          = 32,      // bits: 32 or 64
    parameter        NRET          = 1,       // channels of the retire port: 1 or 2
    parameter        CSR_SLOTS     = 0,       // CSR writes an entry can carry: 0 to 8
    parameter        FLEN          = 0,       // bits of an FP register: 0 (none), 32 or 64
    parameter        PADDR         = 0,       // 1: physical addresses on the retire port
    parameter        FILTER        = 1,       // 1: build the filter
    parameter        TRIGGER       = 1,       // 1: build the start and stop triggers
    parameter        TIME          = 1,       // 1: records carry their time
    parameter        STALL         = 1,       // 1: stall_o holds the core; 0: policy is always drop
    parameter        CORE          = 1,       // 1: core_reset_o and core_halt_o are connected
    parameter [15:0] HART          = 16'd0,   // hart id, and in its low 8 bits the stream id
    parameter [31:0] CLOCK_HZ      = 32'd0,   // Hz of clk_i; 0 unknown
    parameter        RECORD_FIFO   = 16,      // entries; a power of two, 8 to 32768
    parameter        PAYLOAD_BYTES = 1024,    // bytes of frames on their way; a power of two, 512 to 65536
    parameter        RESET_HOLD    = 0,       // CORE.RESET after reset: 1 holds the core until the host lets go
    parameter        STALL_SLACK   = 0,       // entries that the core may still retire while stall_o is high
    parameter [15:0] UNIT_VERSION  = 16'h0001
) (
    // Core clock and reset.
    input wire clk_i,
    input wire rst_ni,

    // Retire port, from the core. Channel k is the k-th slice from the low end and retires before
    // channel k + 1. No handshake: every clock with valid is an entry. Slot s of the CSR group
    // of channel k is slice k * CSR_SLOTS + s. Groups that are not built are one bit wide a
    // channel and not read: tie them to zero.
    input wire [        NRET-1:0] rvfi_valid_i,
    input wire [     NRET*64-1:0] rvfi_order_i,
    input wire [     NRET*32-1:0] rvfi_insn_i,
    input wire [        NRET-1:0] rvfi_trap_i,
    input wire [        NRET-1:0] rvfi_halt_i,
    input wire [        NRET-1:0] rvfi_intr_i,
    input wire [      NRET*2-1:0] rvfi_mode_i,
    input wire [      NRET*2-1:0] rvfi_ixl_i,
    input wire [      NRET*5-1:0] rvfi_rs1_addr_i,
    input wire [      NRET*5-1:0] rvfi_rs2_addr_i,
    input wire [   NRET*XLEN-1:0] rvfi_rs1_rdata_i,
    input wire [   NRET*XLEN-1:0] rvfi_rs2_rdata_i,
    input wire [      NRET*5-1:0] rvfi_rd_addr_i,
    input wire [   NRET*XLEN-1:0] rvfi_rd_wdata_i,
    input wire [   NRET*XLEN-1:0] rvfi_pc_rdata_i,
    input wire [   NRET*XLEN-1:0] rvfi_pc_wdata_i,
    input wire [   NRET*XLEN-1:0] rvfi_mem_addr_i,
    input wire [ NRET*XLEN/8-1:0] rvfi_mem_rmask_i,
    input wire [ NRET*XLEN/8-1:0] rvfi_mem_wmask_i,
    input wire [   NRET*XLEN-1:0] rvfi_mem_rdata_i,
    input wire [   NRET*XLEN-1:0] rvfi_mem_wdata_i,
    input wire [        NRET-1:0] rvfi_ext_irq_i,
    input wire [   NRET*XLEN-1:0] rvfi_ext_cause_i,
    input wire [        NRET-1:0] rvfi_ext_debug_i,
    input wire [        NRET-1:0] rvfi_ext_virt_i,
    input wire [      NRET*(CSR_SLOTS > 0 ? CSR_SLOTS : 1)-1:0] rvfi_csr_valid_i,
    input wire [   NRET*(CSR_SLOTS > 0 ? CSR_SLOTS*12 : 1)-1:0] rvfi_csr_addr_i,
    input wire [ NRET*(CSR_SLOTS > 0 ? CSR_SLOTS*XLEN : 1)-1:0] rvfi_csr_wdata_i,
    input wire [        NRET-1:0] rvfi_frd_valid_i,
    input wire [      NRET*5-1:0] rvfi_frd_addr_i,
    input wire [ NRET*(FLEN > 0 ? FLEN : 1)-1:0] rvfi_frd_wdata_i,
    input wire [      NRET*5-1:0] rvfi_fflags_i,
    input wire [ NRET*(PADDR > 0 ? 64 : 1)-1:0] rvfi_pc_paddr_i,
    input wire [ NRET*(PADDR > 0 ? 64 : 1)-1:0] rvfi_mem_paddr_i,

    // To the core. All come from registers.
    output wire stall_o,       // policy stall: retire at most STALL_SLACK more entries until it falls
    output wire core_reset_o,  // hold the core in reset (register CORE)
    output wire core_halt_o,   // hold the core without reset (register CORE)

    // From the system, in the core's clock.
    input wire ended_i,        // level: the program has ended and nothing retires any more. An
                               // entry of the same clock still counts. Must fall when the core is
                               // reset, or the next capture ends at once.
    input wire trigger_i,      // level: the external pin of the triggers, already synchronised

    // Event port: while ready is high, a clock with valid puts an EVENT message into the stream.
    // An event that comes while ready is low, or while nothing is captured, is not taken.
    input  wire        event_valid_i,
    input  wire [31:0] event_data_i,
    output wire        event_ready_o,

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
endmodule
`default_nettype wire
