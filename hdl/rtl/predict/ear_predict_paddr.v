// SPDX-License-Identifier: Apache-2.0
// The two physical addresses of an entry, of its instruction and of its access: are they those of
// the pages that were seen last? Without them a core with an MMU would send 16 bytes an entry.
`default_nettype none
module ear_predict_paddr #(
    parameter XLEN      = 32,  // bits: 32 or 64
    parameter PIPELINED = 1    // as ear_predictor
) (
    input wire clk_i,

    input wire       sweep_i,
    input wire [3:0] sweep_address_i,

    // The entry that goes to stage C next.
    input wire       advance_i,
    input wire [3:0] pc_page_p_i,   // low bits of the page
    input wire [3:0] mem_page_p_i,

    // Stage C.
    input wire            enter_i,     // it goes to stage D
    input wire            learn_i,     // and is a record
    input wire            memory_i,    // its opcode accesses memory
    input wire [XLEN-1:0] pc_i,
    input wire [XLEN-1:0] mem_addr_i,
    input wire [   127:0] physical_i,  // mem_paddr, pc_paddr

    // Stage D.
    input wire       record_d_i,
    input wire [3:0] pc_page_d_i,
    input wire [3:0] mem_page_d_i,

    output wire differs_o  // of stage C
);
  wire [63:0] pc_paddr, mem_paddr;
  wire [63:0] pc_expected, mem_expected;
  assign {mem_paddr, pc_paddr} = physical_i;

  ear_predict_physical #(
      .XLEN(XLEN),
      .PIPELINED(PIPELINED)
  ) u_pc_pages (
      .clk_i(clk_i),
      .sweep_i(sweep_i),
      .sweep_address_i(sweep_address_i),
      .advance_i(advance_i),
      .page_i(pc_page_p_i),
      .address_i(pc_i),
      .physical_i(pc_paddr),
      .enter_i(enter_i),
      .learn_i(learn_i),
      .record_d_i(record_d_i),
      .page_d_i(pc_page_d_i),
      .expected_o(pc_expected)
  );
  ear_predict_physical #(
      .XLEN(XLEN),
      .PIPELINED(PIPELINED)
  ) u_data_pages (
      .clk_i(clk_i),
      .sweep_i(sweep_i),
      .sweep_address_i(sweep_address_i),
      .advance_i(advance_i),
      .page_i(mem_page_p_i),
      .address_i(mem_addr_i),
      .physical_i(mem_paddr),
      .enter_i(enter_i),
      .learn_i(learn_i && memory_i),
      .record_d_i(record_d_i),
      .page_d_i(mem_page_d_i),
      .expected_o(mem_expected)
  );
  assign differs_o = pc_paddr != pc_expected || mem_paddr != (memory_i ? mem_expected : 64'd0);
endmodule
`default_nettype wire
