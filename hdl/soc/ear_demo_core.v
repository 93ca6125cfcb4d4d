// SPDX-License-Identifier: Apache-2.0
// A small RV32IMC core with a complete retire port, to be traced by Earshot.
//
// It exists so that the capture unit has something true to trace: in simulation with the
// virtual board, and on an FPGA beside the unit. It is written to be read, not to be fast:
// one instruction at a time, 2 cycles for most, 3 for loads and stores, about 34 for a division.
//
//   RV32IMC_Zicsr_Zifencei, machine mode only, direct and vectored traps, software, timer and
//   external interrupts, mcycle and minstret. Misaligned loads and stores trap. Unknown opcodes
//   and CSRs trap; mtval gets the faulting address, the illegal opcode, or 0.
//
// Bus. bus_valid_o asks for one word and is always accepted. The answer comes in the next cycle
// and must stay until the next request. bus_fetch_o distinguishes instruction fetches from data.
//
// Holding. No entry leaves the retire port in a cycle in which stall_i is high: there are zero
// entries in flight. With FREEZE nothing else happens in such a cycle either, and the core is as it
// was; without it the core continues until it would retire. held_o is high in every cycle in which
// the core does not advance because of stall_i; mcycle then stops, and so should every clock
// that the program can read. stall_i must not depend on rvfi_valid_o of the same cycle; take it
// from a register. halt_i lets the instruction at hand retire and then holds the core; halted_o
// says so.
//
// Retire port: docs/retire-port.md. One channel, five CSR slots (a trap on RV32 writes five).
`default_nettype none
module ear_demo_core #(
    parameter [31:0] HART_ID    = 32'd0,          // value of mhartid
    parameter        MULDIV     = 1,              // 1: with the M extension; 0: RV32IC
    parameter        MUL_SINGLE = 0,              // 1: multiply in one cycle with `*`
    parameter        FREEZE     = 1,              // 1: nothing happens while stall_i is high
    parameter        COUNTERS   = 1,              // 1: mcycle and minstret count; 0: they read as 0
    parameter        FAULTS     = 0               // 1: build the fault injection (simulation only)
) (
    input wire        clk_i,
    input wire        rst_ni,
    input wire [31:0] boot_address_i,  // first pc; even, constant during and after reset

    // Bus to memory and devices.
    output wire        bus_valid_o,
    output wire        bus_fetch_o,
    output wire [31:0] bus_address_o,  // of a word: bits 1:0 are 0
    output wire [ 3:0] bus_wmask_o,    // bytes to write; 0 for a read
    output wire [31:0] bus_wdata_o,
    input  wire [31:0] bus_rdata_i,
    input  wire        bus_error_i,    // no such memory: the access traps

    // Interrupt lines (levels) and the time CSR.
    input wire        irq_external_i,
    input wire        irq_software_i,
    input wire        irq_timer_i,
    input wire [63:0] time_i,

    // Holding the core.
    input  wire stall_i,
    output wire held_o,
    input  wire halt_i,
    output wire halted_o,

    // Fault injection; without effect unless FAULTS is 1.
    // Every fault_period_i-th instruction of the kind goes wrong by fault_mask_i:
    //   1 alu: its result (only of ALU operation fault_op_i if fault_op_valid_i); the wrong value
    //          is what the register gets and the retire port reports, as in a broken ALU
    //   2 store: it retires, but memory does not change
    //   3 reg: the register file keeps a wrong value, the retire port reports the right one
    input wire [ 1:0] fault_kind_i,
    input wire        fault_op_valid_i,
    input wire [ 3:0] fault_op_i,        // {alternate, funct3} as in the opcode
    input wire [31:0] fault_period_i,
    input wire [31:0] fault_mask_i,

    // Retire port.
    // generate: ports core last
    output wire rvfi_valid_o,
    output wire [63:0] rvfi_order_o,
    output wire [31:0] rvfi_insn_o,
    output wire rvfi_trap_o,
    output wire rvfi_halt_o,
    output wire rvfi_intr_o,
    output wire rvfi_ext_irq_o,
    output wire [1:0] rvfi_mode_o,
    output wire [1:0] rvfi_ixl_o,
    output wire rvfi_ext_debug_o,
    output wire rvfi_ext_virt_o,
    output wire [4:0] rvfi_rd_addr_o,
    output wire [31:0] rvfi_rd_wdata_o,
    output wire [31:0] rvfi_pc_rdata_o,
    output wire [31:0] rvfi_pc_wdata_o,
    output wire [31:0] rvfi_mem_addr_o,
    output wire [31:0] rvfi_mem_rdata_o,
    output wire [31:0] rvfi_mem_wdata_o,
    output wire [31:0] rvfi_ext_cause_o,
    output wire [3:0] rvfi_mem_rmask_o,
    output wire [3:0] rvfi_mem_wmask_o,
    output wire [4:0] rvfi_csr_valid_o,
    output wire [59:0] rvfi_csr_addr_o,
    output wire [159:0] rvfi_csr_wdata_o,
    output wire [4:0] rvfi_rs1_addr_o,
    output wire [4:0] rvfi_rs2_addr_o,
    output wire [31:0] rvfi_rs1_rdata_o,
    output wire [31:0] rvfi_rs2_rdata_o
    // generate: end
);
  localparam [2:0] STATE_START = 3'd0;  // take the boot address and ask for its word
  localparam [2:0] STATE_DECODE = 3'd1;  // the word is here: find the instruction, read registers
  localparam [2:0] STATE_EXECUTE = 3'd2;  // compute; most instructions retire here
  localparam [2:0] STATE_MEMORY = 3'd3;  // the data bus answers; loads and stores retire
  localparam [2:0] STATE_MULDIV = 3'd4;  // wait for the multiplier or divider

  localparam [31:0] CAUSE_FETCH_FAULT = 32'd1;
  localparam [31:0] CAUSE_ILLEGAL = 32'd2;
  localparam [31:0] CAUSE_BREAKPOINT = 32'd3;
  localparam [31:0] CAUSE_LOAD_MISALIGNED = 32'd4;
  localparam [31:0] CAUSE_LOAD_FAULT = 32'd5;
  localparam [31:0] CAUSE_STORE_MISALIGNED = 32'd6;
  localparam [31:0] CAUSE_STORE_FAULT = 32'd7;
  localparam [31:0] CAUSE_ECALL_M = 32'd11;

  localparam [11:0] CSR_MSTATUS = 12'h300;
  localparam [11:0] CSR_MSTATUSH = 12'h310;
  localparam [11:0] CSR_MEPC = 12'h341;
  localparam [11:0] CSR_MCAUSE = 12'h342;
  localparam [11:0] CSR_MTVAL = 12'h343;

  localparam [1:0] FAULT_ALU = 2'd1;
  localparam [1:0] FAULT_STORE = 2'd2;
  localparam [1:0] FAULT_REG = 2'd3;

  reg [2:0] state_q;
  reg [31:0] pc_q;
  wire unused = &{1'b0, boot_address_i[0]};

  // ---------------------------------------------------------------------------------------------
  // Fetch. The bus gives aligned words, instructions begin at any halfword. half_q keeps the upper
  // half of the last word when the instruction at pc begins with it, so that straight code fetches
  // every word once.

  reg [15:0] half_q;
  reg half_valid_q;

  wire [15:0] first_half = half_valid_q ? half_q : pc_q[1] ? bus_rdata_i[31:16] : bus_rdata_i[15:0];
  wire [15:0] second_half = half_valid_q ? bus_rdata_i[15:0] : bus_rdata_i[31:16];
  wire first_wide = first_half[1:0] == 2'b11;
  wire word_used = !half_valid_q || first_wide;  // else the instruction is all in half_q
  wire fetch_fault = word_used && bus_error_i;
  wire fetch_partial = first_wide && !half_valid_q && pc_q[1] && !fetch_fault;
  // The word in hand ends with the first half of the next instruction.
  wire half_remains = word_used && (half_valid_q ? first_wide : !pc_q[1] && !first_wide);

  wire [31:0] fetched = {first_wide ? second_half : 16'h0, first_half};
  wire [31:0] expanded;

  ear_demo_expand u_expand (
      .half_i(first_half),
      .insn_o(expanded)
  );

  wire [31:0] decoded = first_wide ? fetched : expanded;

  // ---------------------------------------------------------------------------------------------
  // The instruction at hand.

  reg [31:0] raw_q;  // as fetched: what the retire port and mtval show
  reg [31:0] insn_q;  // its 32-bit form
  reg fault_q;  // the fetch failed
  reg fault_second_q;  // and it was the second half that failed

  wire [6:0] opcode = insn_q[6:0];
  wire [2:0] funct3 = insn_q[14:12];
  wire [6:0] funct7 = insn_q[31:25];

  wire is_lui = opcode == 7'h37;
  wire is_auipc = opcode == 7'h17;
  wire is_jal = opcode == 7'h6f;
  wire is_jalr = opcode == 7'h67 && funct3 == 3'b000;
  wire is_branch = opcode == 7'h63 && funct3[2:1] != 2'b01;
  wire is_load = opcode == 7'h03 && funct3 != 3'b011 && funct3[2:1] != 2'b11;
  wire is_store = opcode == 7'h23 && !funct3[2] && funct3 != 3'b011;
  wire shift_legal = funct7 == 7'h00 || (funct7 == 7'h20 && funct3 == 3'b101);
  wire is_alu_imm = opcode == 7'h13 && (funct3[1:0] != 2'b01 || shift_legal);
  wire is_alu_reg = opcode == 7'h33 &&
                    (funct7 == 7'h00 ||
                     (funct7 == 7'h20 && (funct3 == 3'b000 || funct3 == 3'b101)));
  wire is_muldiv = MULDIV != 0 && opcode == 7'h33 && funct7 == 7'h01;
  wire is_fence = opcode == 7'h0f && funct3 == 3'b000;
  wire is_fence_i = opcode == 7'h0f && funct3 == 3'b001;
  wire is_system = opcode == 7'h73;
  wire is_ecall = insn_q == 32'h0000_0073;
  wire is_ebreak = insn_q == 32'h0010_0073;
  wire is_mret = insn_q == 32'h3020_0073;
  wire is_wfi = insn_q == 32'h1050_0073;
  wire is_csr = is_system && funct3[1:0] != 2'b00;

  // csrrs and csrrc with x0 (or 0) do not write; only then may the CSR be read-only.
  wire csr_exists;
  wire csr_writes = is_csr && (funct3[1:0] == 2'b01 || insn_q[19:15] != 5'd0);
  wire csr_legal = csr_exists && !(csr_writes && insn_q[31:30] == 2'b11);

  wire legal = is_lui | is_auipc | is_jal | is_jalr | is_branch | is_load | is_store |
               is_alu_imm | is_alu_reg | is_muldiv | is_fence | is_fence_i | is_ecall | is_ebreak |
               is_mret | is_wfi | (is_csr & csr_legal);

  wire uses_rs1 = is_jalr | is_branch | is_load | is_store | is_alu_imm | is_alu_reg | is_muldiv |
                  (is_csr & csr_legal & !funct3[2]);
  wire uses_rs2 = is_branch | is_store | is_alu_reg | is_muldiv;
  wire writes_rd = is_lui | is_auipc | is_jal | is_jalr | is_load | is_alu_imm | is_alu_reg |
                   is_muldiv | is_csr;

  wire [31:0] imm_i = {{21{insn_q[31]}}, insn_q[30:20]};
  wire [31:0] imm_s = {{21{insn_q[31]}}, insn_q[30:25], insn_q[11:7]};
  wire [31:0] imm_b = {{20{insn_q[31]}}, insn_q[7], insn_q[30:25], insn_q[11:8], 1'b0};
  wire [31:0] imm_u = {insn_q[31:12], 12'h0};
  wire [31:0] imm_j = {{12{insn_q[31]}}, insn_q[19:12], insn_q[20], insn_q[30:21], 1'b0};

  // ---------------------------------------------------------------------------------------------
  // Registers: two copies of one memory, so that both operands are read in the decode cycle.
  // Nothing ever writes word 0.

  // No cycle reads and writes: synthesis need not care which would win.
  (* no_rw_check *)reg [31:0] registers_a_q[0:31];
  (* no_rw_check *)reg [31:0] registers_b_q[0:31];
  reg [31:0] rs1_data_q;
  reg [31:0] rs2_data_q;
  wire register_write;
  wire [31:0] register_value;
  wire read_registers = state_q == STATE_DECODE;

  integer k;
  initial begin
    for (k = 0; k < 32; k = k + 1) begin
      registers_a_q[k] = 32'd0;
      registers_b_q[k] = 32'd0;
    end
  end

  always @(posedge clk_i) begin
    if (register_write) begin
      registers_a_q[insn_q[11:7]] <= register_value;
      registers_b_q[insn_q[11:7]] <= register_value;
    end
    if (read_registers) begin
      rs1_data_q <= registers_a_q[decoded[19:15]];
      rs2_data_q <= registers_b_q[decoded[24:20]];
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Execute.

  wire [31:0] alu_result;
  wire branch_taken;

  ear_demo_alu u_alu (
      .a_i        (rs1_data_q),
      .b_i        ((is_alu_imm) ? imm_i : rs2_data_q),
      .funct3_i   (funct3),
      .alternate_i(funct7[5] && (is_alu_reg || funct3 == 3'b101)),
      .result_o   (alu_result),
      .taken_o    (branch_taken)
  );

  // One adder for every address: loads, stores, jumps, branches and auipc.
  wire [31:0] address_base = (is_load | is_store | is_jalr) ? rs1_data_q : pc_q;
  wire [31:0] address_offset = is_store ? imm_s : is_branch ? imm_b : is_jal ? imm_j :
                               is_auipc ? imm_u : imm_i;
  wire [31:0] address = address_base + address_offset;

  wire [31:0] pc_next_straight = pc_q + (raw_q[1:0] == 2'b11 ? 32'd4 : 32'd2);

  wire muldiv_start;
  wire muldiv_done;
  wire muldiv_take;
  wire [31:0] muldiv_result;

  wire frozen = FREEZE != 0 && stall_i;

  generate
    if (MULDIV != 0) begin : gen_muldiv
      ear_demo_muldiv #(
          .MUL_SINGLE(MUL_SINGLE)
      ) u_muldiv (
          .clk_i   (clk_i),
          .rst_ni  (rst_ni),
          .hold_i  (frozen),
          .start_i (muldiv_start),
          .take_i  (muldiv_take),
          .funct3_i(funct3),
          .a_i     (rs1_data_q),
          .b_i     (rs2_data_q),
          .done_o  (muldiv_done),
          .result_o(muldiv_result)
      );
    end else begin : gen_no_muldiv
      wire unused_muldiv = &{1'b0, muldiv_start, muldiv_take};
      assign muldiv_done   = 1'b0;
      assign muldiv_result = 32'd0;
    end
  endgenerate

  wire [31:0] csr_read_value;
  wire [31:0] csr_new_value;
  wire [31:0] csr_operand = funct3[2] ? {27'b0, insn_q[19:15]} : rs1_data_q;
  wire [31:0] csr_write_value = !funct3[1] ? csr_operand :
                                funct3[0] ? csr_read_value & ~csr_operand :
                                            csr_read_value | csr_operand;

  // ---------------------------------------------------------------------------------------------
  // Loads and stores. The size is funct3[1:0]: 0 byte, 1 halfword, 2 word.

  wire misaligned = (funct3[1:0] == 2'b01 && address[0]) ||
                    (funct3[1:0] == 2'b10 && address[1:0] != 2'b00);
  wire [3:0] size_mask = funct3[1] ? 4'b1111 : funct3[0] ? 4'b0011 : 4'b0001;
  wire [31:0] size_bits = {{16{size_mask[3]}}, {8{size_mask[1]}}, 8'hff};

  wire [31:0] load_shifted = bus_rdata_i >> {address[1:0], 3'b000};
  wire [31:0] load_data = load_shifted & size_bits;
  wire load_sign = !funct3[2] && (funct3[0] ? load_data[15] : load_data[7]);
  wire [31:0] load_value = load_data | ({32{load_sign}} & ~size_bits);
  wire [31:0] store_data = rs2_data_q & size_bits;

  // ---------------------------------------------------------------------------------------------
  // Traps and retirement.

  wire executing = state_q == STATE_EXECUTE;
  wire irq_take;
  wire irq_wake;
  wire [31:0] irq_cause;

  wire interrupt = executing && irq_take;
  wire execute_trap = fault_q || !legal || is_ecall || is_ebreak ||
                      ((is_load || is_store) && misaligned);
  wire memory_trap = state_q == STATE_MEMORY && bus_error_i;
  wire trap = interrupt || (executing && execute_trap) || memory_trap;

  wire access = executing && !irq_take && !execute_trap && (is_load || is_store);
  wire multiply = executing && !irq_take && !execute_trap && is_muldiv;
  wire sleep = is_wfi && !fault_q && !irq_wake;

  wire ready = (executing && !access && !multiply && !sleep) || state_q == STATE_MEMORY ||
               (state_q == STATE_MULDIV && muldiv_done);
  wire retire = ready && !stall_i;
  assign held_o = stall_i && (FREEZE != 0 || ready);

  assign muldiv_start = multiply && !frozen;
  assign muldiv_take  = retire && state_q == STATE_MULDIV;

  reg [31:0] cause;
  reg [31:0] trap_value;
  always @* begin
    cause = CAUSE_ILLEGAL;
    trap_value = raw_q;
    if (memory_trap) begin
      cause = is_store ? CAUSE_STORE_FAULT : CAUSE_LOAD_FAULT;
      trap_value = address;
    end else if (irq_take) begin
      cause = irq_cause;
      trap_value = 32'd0;
    end else if (fault_q) begin
      cause = CAUSE_FETCH_FAULT;
      trap_value = fault_second_q ? pc_q + 32'd2 : pc_q;
    end else if (is_ecall) begin
      cause = CAUSE_ECALL_M;
      trap_value = 32'd0;
    end else if (is_ebreak) begin
      cause = CAUSE_BREAKPOINT;
      trap_value = 32'd0;
    end else if ((is_load || is_store) && misaligned) begin
      cause = is_store ? CAUSE_STORE_MISALIGNED : CAUSE_LOAD_MISALIGNED;
      trap_value = address;
    end
  end

  wire [31:0] trap_target;
  wire [31:0] mepc;
  wire [31:0] mstatus_trap;
  wire [31:0] mstatus_mret;

  ear_demo_csr #(
      .HART_ID (HART_ID),
      .MULDIV  (MULDIV),
      .COUNTERS(COUNTERS)
  ) u_csr (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .address_i     (insn_q[31:20]),
      .write_i       (retire && csr_writes && !trap),
      .write_value_i (csr_write_value),
      .read_value_o  (csr_read_value),
      .exists_o      (csr_exists),
      .new_value_o   (csr_new_value),
      .trap_i        (retire && trap),
      .trap_cause_i  (cause),
      .trap_pc_i     (pc_q),
      .trap_value_i  (trap_value),
      .mret_i        (retire && is_mret && !trap),
      .trap_target_o (trap_target),
      .mepc_o        (mepc),
      .mstatus_trap_o(mstatus_trap),
      .mstatus_mret_o(mstatus_mret),
      .irq_external_i(irq_external_i),
      .irq_software_i(irq_software_i),
      .irq_timer_i   (irq_timer_i),
      .irq_take_o    (irq_take),
      .irq_wake_o    (irq_wake),
      .irq_cause_o   (irq_cause),
      .hold_i        (held_o),
      .time_i        (time_i),
      .retired_i     (retire && !trap)
  );

  wire straight = !trap && !is_jal && !is_jalr && !is_mret && !(is_branch && branch_taken);
  wire [31:0] pc_next = trap ? trap_target : is_mret ? mepc : straight ? pc_next_straight :
                        {address[31:1], 1'b0};
  // fence.i is why half_q is dropped here: it was fetched before the fence.
  wire keep_half = straight && half_valid_q && !is_fence_i;

  reg [31:0] result;
  always @* begin
    if (is_load) result = load_value;
    else if (is_muldiv) result = muldiv_result;
    else if (is_csr) result = csr_read_value;
    else if (is_lui) result = imm_u;
    else if (is_auipc) result = address;
    else if (is_jal || is_jalr) result = pc_next_straight;
    else result = alu_result;
  end

  wire [4:0] rd = (trap || !writes_rd) ? 5'd0 : insn_q[11:7];

  // ---------------------------------------------------------------------------------------------
  // Fault injection.

  wire [31:0] fault_result;  // what the retire port reports and, but for a reg fault, rd gets
  wire [31:0] fault_register;  // flipped bits on the way into the register file
  wire fault_drop_store;

  generate
    if (FAULTS != 0) begin : gen_faults
      reg [31:0] count_q;
      wire [3:0] op = {is_alu_reg ? funct7[5] : funct7[5] && funct3 == 3'b101, funct3};
      wire is_alu = (is_alu_imm || is_alu_reg) && rd != 5'd0;
      wire applies = (fault_kind_i == FAULT_ALU && is_alu &&
                      (!fault_op_valid_i || fault_op_i == op)) ||
                     (fault_kind_i == FAULT_STORE && is_store && !trap) ||
                     (fault_kind_i == FAULT_REG && rd != 5'd0);
      wire fire = applies && count_q + 32'd1 == fault_period_i;

      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) count_q <= 32'd0;
        else if (retire && applies) count_q <= fire ? 32'd0 : count_q + 32'd1;
      end

      assign fault_result = fire && fault_kind_i == FAULT_ALU ? fault_mask_i : 32'd0;
      assign fault_register = fire && fault_kind_i == FAULT_REG ? fault_mask_i : 32'd0;
      assign fault_drop_store = fault_kind_i == FAULT_STORE && is_store &&
                                count_q + 32'd1 == fault_period_i;
    end else begin : gen_no_faults
      wire unused_faults = &{
        1'b0, fault_kind_i, fault_op_valid_i, fault_op_i, fault_period_i, fault_mask_i, FAULT_ALU,
        FAULT_STORE, FAULT_REG
      };
      assign fault_result = 32'd0;
      assign fault_register = 32'd0;
      assign fault_drop_store = 1'b0;
    end
  endgenerate

  wire [31:0] rd_value = rd == 5'd0 ? 32'd0 : result ^ fault_result;
  assign register_write = retire && rd != 5'd0;
  assign register_value = rd_value ^ fault_register;

  // ---------------------------------------------------------------------------------------------
  // Bus. An instruction that retires asks for the next one in the same cycle, unless that is a
  // compressed one and already in half_q.

  wire fetch_needed = !(keep_half && half_q[1:0] != 2'b11);
  // Straight on, pc_next is the second half of a word when half_q is kept.
  wire [29:0] fetch_word = pc_next[31:2] + {29'd0, keep_half};
  wire fetch_start = state_q == STATE_START;
  wire fetch_more = state_q == STATE_DECODE && fetch_partial;

  assign bus_fetch_o = !access;
  assign bus_valid_o = !frozen &&
                       (fetch_start || fetch_more || access || (retire && fetch_needed));
  assign bus_address_o = fetch_start ? {boot_address_i[31:2], 2'b00} :
                         fetch_more ? {pc_q[31:2] + 30'd1, 2'b00} :
                         access ? {address[31:2], 2'b00} : {fetch_word, 2'b00};
  assign bus_wmask_o = access && is_store && !fault_drop_store ? size_mask << address[1:0] : 4'd0;
  assign bus_wdata_o = rs2_data_q << {address[1:0], 3'b000};

  // ---------------------------------------------------------------------------------------------
  // State.

  assign halted_o = halt_i && (state_q == STATE_START || state_q == STATE_DECODE);

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= STATE_START;
      pc_q <= 32'd0;
      half_q <= 16'd0;
      half_valid_q <= 1'b0;
      raw_q <= 32'd0;
      insn_q <= 32'd0;
      fault_q <= 1'b0;
      fault_second_q <= 1'b0;
    end else if (!frozen) begin
      case (state_q)
        STATE_START: begin
          pc_q <= {boot_address_i[31:1], 1'b0};
          state_q <= STATE_DECODE;
        end
        STATE_DECODE: begin
          if (fetch_partial) begin
            half_q <= bus_rdata_i[31:16];
            half_valid_q <= 1'b1;
          end else if (!halt_i) begin
            raw_q <= fetch_fault ? 32'd0 : fetched;
            insn_q <= decoded;
            fault_q <= fetch_fault;
            fault_second_q <= half_valid_q;
            half_q <= bus_rdata_i[31:16];
            half_valid_q <= half_remains;
            state_q <= STATE_EXECUTE;
          end
        end
        STATE_EXECUTE: begin
          if (access) state_q <= STATE_MEMORY;
          else if (multiply) state_q <= STATE_MULDIV;
        end
        default: ;
      endcase
      if (retire) begin
        state_q <= STATE_DECODE;
        pc_q <= pc_next;
        half_valid_q <= keep_half;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Retire port.

  reg [63:0] order_q;
  reg intr_q;  // the entry to come is the first of a trap handler

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      order_q <= 64'd0;
      intr_q  <= 1'b0;
    end else if (retire) begin
      order_q <= order_q + 64'd1;
      intr_q  <= trap;
    end
  end

  wire show_operands = !interrupt && !fault_q;
  wire show_memory = !interrupt && !fault_q && (is_load || is_store);
  wire show_csr = csr_writes && !trap;

  assign rvfi_valid_o = retire;
  assign rvfi_order_o = order_q;
  assign rvfi_insn_o = raw_q;
  assign rvfi_trap_o = trap;
  assign rvfi_halt_o = 1'b0;
  assign rvfi_intr_o = intr_q;
  assign rvfi_mode_o = 2'd3;
  assign rvfi_ixl_o = 2'd1;
  assign rvfi_rs1_addr_o = show_operands && uses_rs1 ? insn_q[19:15] : 5'd0;
  assign rvfi_rs2_addr_o = show_operands && uses_rs2 ? insn_q[24:20] : 5'd0;
  assign rvfi_rs1_rdata_o = rvfi_rs1_addr_o == 5'd0 ? 32'd0 : rs1_data_q;
  assign rvfi_rs2_rdata_o = rvfi_rs2_addr_o == 5'd0 ? 32'd0 : rs2_data_q;
  assign rvfi_rd_addr_o = rd;
  assign rvfi_rd_wdata_o = rd_value;
  assign rvfi_pc_rdata_o = pc_q;
  assign rvfi_pc_wdata_o = pc_next;
  assign rvfi_mem_addr_o = show_memory ? address : 32'd0;
  assign rvfi_mem_rmask_o = show_memory && is_load && !trap ? size_mask : 4'd0;
  assign rvfi_mem_wmask_o = show_memory && is_store && !trap ? size_mask : 4'd0;
  assign rvfi_mem_rdata_o = rvfi_mem_rmask_o == 4'd0 ? 32'd0 : load_data;
  assign rvfi_mem_wdata_o = rvfi_mem_wmask_o == 4'd0 ? 32'd0 : store_data;
  assign rvfi_ext_irq_o = interrupt;
  assign rvfi_ext_cause_o = trap ? cause : 32'd0;
  assign rvfi_ext_debug_o = 1'b0;
  assign rvfi_ext_virt_o = 1'b0;

  // A trap writes mepc, mcause, mtval, mstatus, mstatush; mret the last two; else one CSR at most.
  wire returns = is_mret && !trap;
  assign rvfi_csr_valid_o = trap ? 5'b11111 : returns ? 5'b00011 : {4'b0, show_csr};
  assign rvfi_csr_addr_o = {
    CSR_MSTATUSH,
    CSR_MSTATUS,
    CSR_MTVAL,
    returns ? CSR_MSTATUSH : CSR_MCAUSE,
    trap ? CSR_MEPC : returns ? CSR_MSTATUS : insn_q[31:20]
  };
  assign rvfi_csr_wdata_o = {
    32'd0,
    mstatus_trap,
    trap_value,
    returns ? 32'd0 : cause,
    trap ? pc_q : returns ? mstatus_mret : csr_new_value
  };
endmodule
`default_nettype wire
