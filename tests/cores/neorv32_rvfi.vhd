-- SPDX-License-Identifier: Apache-2.0
-- NEORV32 (RV32IM with U mode) without its own memories and devices, and its trace port as RVFI.
-- CMakeLists.txt has GHDL make Verilog of it. Without C: GHDL 2.0 gets the decompressor wrong (c.mv
-- becomes an illegal instruction).

library ieee;
use ieee.std_logic_1164.all;

library neorv32;
use neorv32.neorv32_package.all;

entity neorv32_rvfi is
  port (
    clk_i          : in  std_ulogic;
    rstn_i         : in  std_ulogic;
    timer_i        : in  std_ulogic;
    software_i     : in  std_ulogic;
    xbus_adr_o     : out std_ulogic_vector(31 downto 0);
    xbus_dat_o     : out std_ulogic_vector(31 downto 0);
    xbus_we_o      : out std_ulogic;
    xbus_sel_o     : out std_ulogic_vector(3 downto 0);
    xbus_cyc_o     : out std_ulogic;
    xbus_dat_i     : in  std_ulogic_vector(31 downto 0);
    xbus_ack_i     : in  std_ulogic;
    rvfi_valid     : out std_ulogic;
    rvfi_order     : out std_ulogic_vector(63 downto 0);
    rvfi_insn      : out std_ulogic_vector(31 downto 0);
    rvfi_trap      : out std_ulogic;
    rvfi_halt      : out std_ulogic;
    rvfi_intr      : out std_ulogic;
    rvfi_mode      : out std_ulogic_vector(1 downto 0);
    rvfi_ixl       : out std_ulogic_vector(1 downto 0);
    rvfi_ext_debug : out std_ulogic;
    rvfi_rs1_addr  : out std_ulogic_vector(4 downto 0);
    rvfi_rs2_addr  : out std_ulogic_vector(4 downto 0);
    rvfi_rs1_rdata : out std_ulogic_vector(31 downto 0);
    rvfi_rs2_rdata : out std_ulogic_vector(31 downto 0);
    rvfi_rd_addr   : out std_ulogic_vector(4 downto 0);
    rvfi_rd_wdata  : out std_ulogic_vector(31 downto 0);
    rvfi_pc_rdata  : out std_ulogic_vector(31 downto 0);
    rvfi_pc_wdata  : out std_ulogic_vector(31 downto 0);
    rvfi_mem_addr  : out std_ulogic_vector(31 downto 0);
    rvfi_mem_rmask : out std_ulogic_vector(3 downto 0);
    rvfi_mem_wmask : out std_ulogic_vector(3 downto 0);
    rvfi_mem_rdata : out std_ulogic_vector(31 downto 0);
    rvfi_mem_wdata : out std_ulogic_vector(31 downto 0)
  );
end entity;

architecture rtl of neorv32_rvfi is
  signal trace : trace_port_t;
begin
  u_core : entity neorv32.neorv32_top
    generic map (
      TRACE_PORT_EN     => true,
      BOOT_MODE_SELECT  => 1,
      BOOT_ADDR_CUSTOM  => x"80000000",
      RISCV_ISA_M       => true,
      RISCV_ISA_U       => true,
      RISCV_ISA_Zicntr  => true,
      CPU_FAST_MUL_EN   => true,
      CPU_FAST_SHIFT_EN => true,
      XBUS_EN           => true,
      XBUS_TIMEOUT      => 0
    )
    port map (
      clk_i        => clk_i,
      rstn_i       => rstn_i,
      trace_cpu0_o => trace,
      xbus_adr_o   => xbus_adr_o,
      xbus_dat_o   => xbus_dat_o,
      xbus_we_o    => xbus_we_o,
      xbus_sel_o   => xbus_sel_o,
      xbus_cyc_o   => xbus_cyc_o,
      xbus_dat_i   => xbus_dat_i,
      xbus_ack_i   => xbus_ack_i,
      xbus_err_i   => '0',
      irq_mti_i    => timer_i,
      irq_msi_i    => software_i
    );

  u_port : entity work.ear_neorv32
    port map (
      trace_i        => trace,
      rvfi_valid     => rvfi_valid,
      rvfi_order     => rvfi_order,
      rvfi_insn      => rvfi_insn,
      rvfi_trap      => rvfi_trap,
      rvfi_halt      => rvfi_halt,
      rvfi_intr      => rvfi_intr,
      rvfi_mode      => rvfi_mode,
      rvfi_ixl       => rvfi_ixl,
      rvfi_ext_debug => rvfi_ext_debug,
      rvfi_rs1_addr  => rvfi_rs1_addr,
      rvfi_rs2_addr  => rvfi_rs2_addr,
      rvfi_rs1_rdata => rvfi_rs1_rdata,
      rvfi_rs2_rdata => rvfi_rs2_rdata,
      rvfi_rd_addr   => rvfi_rd_addr,
      rvfi_rd_wdata  => rvfi_rd_wdata,
      rvfi_pc_rdata  => rvfi_pc_rdata,
      rvfi_pc_wdata  => rvfi_pc_wdata,
      rvfi_mem_addr  => rvfi_mem_addr,
      rvfi_mem_rmask => rvfi_mem_rmask,
      rvfi_mem_wmask => rvfi_mem_wmask,
      rvfi_mem_rdata => rvfi_mem_rdata,
      rvfi_mem_wdata => rvfi_mem_wdata
    );
end architecture;
