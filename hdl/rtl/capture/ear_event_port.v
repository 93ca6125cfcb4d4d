// SPDX-License-Identifier: Apache-2.0
// The event port: a slave on the system's bus whose stores become events (docs/event-port.md).
//
// It holds nothing: a store goes on to ear_port_events in the clock in which the bus is answered.
// Everything that is no event is taken at once: reads, stores to registers that are not here, and
// stores while nothing is captured. With WAIT a store waits for so many clocks first, in which
// older instructions leave the core's pipeline; else the trace would have them after the event.
`include "ear_protocol.vh"
`default_nettype none
module ear_event_port #(
    parameter PAGES   = 2,  // 1: the user page; 2: the kernel page too
    parameter STRINGS = 1,  // 1: there are registers that take strings by value
    parameter WAIT    = 4   // clocks, 0 to 15; 0: the bus cannot wait at all
) (
    input wire clk_i,
    input wire rst_ni,

    // Bus. An access is held until ready; the answer to a read is there from the next clock on.
    input  wire        port_valid_i,
    input  wire [12:0] port_address_i,  // offset in the window, bytes
    input  wire [ 3:0] port_wmask_i,    // bytes to write; 0: a read
    input  wire [31:0] port_wdata_i,
    output wire        port_ready_o,
    output wire [31:0] port_rdata_o,

    input wire on_i,     // a capture runs
    input wire stall_i,  // the core is held: nothing leaves its pipeline

    // Events; the number is that of the register.
    output wire        event_valid_o,
    input  wire        event_ready_i,
    output wire [ 6:0] event_number_o,
    output wire [31:0] event_data_o,
    output wire        unknown_o        // a store to a register that is not here was ignored
);
  localparam [3:0] WAIT_4 = WAIT[3:0];

  // The register.
  wire user = port_address_i[12];
  wire [9:0] word = port_address_i[11:2];
  wire [7:0] number = {1'b0, user ? {3'd7, word[3:0]} : word[6:0]};
  wire in_page = user ? word[9:4] == 6'd0 : PAGES > 1 && word[9:7] == 3'd0 &&
      number < `EAR_PORT_USER;
  reg known;
  always @* begin
    case (number)
      `EAR_PORT_SWITCH, `EAR_PORT_FORK, `EAR_PORT_EXECVE_VMSTART, `EAR_PORT_EXECVE_VMEND,
      `EAR_PORT_EXECVE_OFFSET, `EAR_PORT_EXECVE_EXEPATH, `EAR_PORT_EXIT, `EAR_PORT_CMDLINE,
      `EAR_PORT_CMDLINE_LEN, `EAR_PORT_MMAP_EXEPATH, `EAR_PORT_INIT_PID, `EAR_PORT_INIT_NAME,
      `EAR_PORT_CLONE, `EAR_PORT_UNMAP_START, `EAR_PORT_UNMAP_END, `EAR_PORT_NAME,
      `EAR_PORT_TGID, `EAR_PORT_DYN_SYM, `EAR_PORT_DYN_SYM_ADDR, `EAR_PORT_REMOVE_ADDR,
      `EAR_PORT_PRINT_STR, `EAR_PORT_PRINT_NUM_DEC, `EAR_PORT_PRINT_NUM_HEX,
      `EAR_PORT_STOP_EMU, `EAR_PORT_ENABLE, `EAR_PORT_PHYSICAL, `EAR_PORT_HIGH,
      `EAR_PORT_METHOD_ENTRY, `EAR_PORT_METHOD_EXIT, `EAR_PORT_METHOD_EXCEPTION,
      `EAR_PORT_NATIVE_ENTRY, `EAR_PORT_NATIVE_EXIT, `EAR_PORT_NATIVE_EXCEPTION,
      `EAR_PORT_MARK, `EAR_PORT_COUNTER, `EAR_PORT_COUNT, `EAR_PORT_USER_HIGH:
      known = in_page;
      `EAR_PORT_STRING, `EAR_PORT_STRING_BYTE, `EAR_PORT_USER_STRING:
      known = in_page && STRINGS != 0;
      default: known = 1'b0;
    endcase
  end

  // The value: the bytes that are written, the lowest one first.
  wire [31:0] bytes = port_wdata_i & {
    {8{port_wmask_i[3]}}, {8{port_wmask_i[2]}}, {8{port_wmask_i[1]}}, {8{port_wmask_i[0]}}
  };
  wire [31:0] value = port_wmask_i[0] ? bytes : port_wmask_i[1] ? {8'd0, bytes[31:8]} :
      port_wmask_i[2] ? {16'd0, bytes[31:16]} : {24'd0, bytes[31:24]};

  wire store = port_valid_i && port_wmask_i != 4'd0 && on_i;
  wire waited;
  generate
    if (WAIT != 0) begin : gen_wait
      reg [3:0] waited_q;  // clocks for which the store at hand has been asked for
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) waited_q <= 4'd0;
        else if (!store || port_ready_o) waited_q <= 4'd0;
        else if (!waited && !stall_i) waited_q <= waited_q + 4'd1;
      end
      assign waited = waited_q == WAIT_4;
    end else begin : gen_no_wait
      wire unused = &{1'b0, stall_i};
      assign waited = 1'b1;
    end
  endgenerate

  assign event_valid_o = store && known && waited;
  assign event_number_o = number[6:0];
  assign event_data_o = value;
  assign port_ready_o = !(store && known) || (waited && event_ready_i);
  assign unknown_o = store && !known;

  // Reads.
  reg enable_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) enable_q <= 1'b0;
    else if (port_valid_i) enable_q <= in_page && number == `EAR_PORT_ENABLE && on_i;
  end
  assign port_rdata_o = {31'd0, enable_q};
  wire unused = &{1'b0, port_address_i[1:0]};
endmodule
`default_nettype wire
