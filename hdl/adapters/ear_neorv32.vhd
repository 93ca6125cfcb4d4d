-- SPDX-License-Identifier: Apache-2.0
-- RVFI for NEORV32, from its trace port (generic TRACE_PORT_EN): the record as single signals with
-- the names of RVFI, for EAR_RVFI_CORE of ear_rvfi.vh. Combinational.
--
-- The port's `halt` is high when the core sleeps (wfi), and it wakes again. That is not the `halt`
-- of RVFI, which stays 0 here. `debug`, which RVFI does not have, goes to rvfi_ext_debug_i.

library ieee;
use ieee.std_logic_1164.all;

library neorv32;
use neorv32.neorv32_package.all;

entity ear_neorv32 is
  port (
    trace_i        : in  trace_port_t;
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

architecture rtl of ear_neorv32 is
begin
  rvfi_valid     <= trace_i.valid;
  rvfi_order     <= trace_i.order;
  rvfi_insn      <= trace_i.insn;
  rvfi_trap      <= trace_i.trap;
  rvfi_halt      <= '0';
  rvfi_intr      <= trace_i.intr;
  rvfi_mode      <= trace_i.mode;
  rvfi_ixl       <= trace_i.ixl;
  rvfi_ext_debug <= trace_i.debug;
  rvfi_rs1_addr  <= trace_i.rs1_addr;
  rvfi_rs2_addr  <= trace_i.rs2_addr;
  rvfi_rs1_rdata <= trace_i.rs1_rdata;
  rvfi_rs2_rdata <= trace_i.rs2_rdata;
  rvfi_rd_addr   <= trace_i.rd_addr;
  rvfi_rd_wdata  <= trace_i.rd_rdata;
  rvfi_pc_rdata  <= trace_i.pc_rdata;
  rvfi_pc_wdata  <= trace_i.pc_wdata;
  rvfi_mem_addr  <= trace_i.mem_addr;
  rvfi_mem_rmask <= trace_i.mem_rmask;
  rvfi_mem_wmask <= trace_i.mem_wmask;
  rvfi_mem_rdata <= trace_i.mem_rdata;
  rvfi_mem_wdata <= trace_i.mem_wdata;
end architecture;
