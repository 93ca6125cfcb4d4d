# SPDX-License-Identifier: Apache-2.0
# Vivado: the paths between the core's clock and the link's (ear_async_fifo). Each bit of a Gray
# pointer, and the memory where it is not a block RAM, arrives within a period of the faster clock;
# set that here, in ns. Read this file after the one that makes the clocks.
#
# A test compares the names with the elaborated design (hdl/lint/test_shipped.py); Vivado itself has
# not read this file yet.
set ear_period 10.0
set_max_delay -datapath_only $ear_period -from [get_cells -hierarchical -filter {NAME =~ *gen_crossing.u_*x_fifo/wr_gray_q_reg[*]}] -to [get_cells -hierarchical -filter {NAME =~ *gen_crossing.u_*x_fifo/wr_sync_q_reg[0][*]}]
set_max_delay -datapath_only $ear_period -from [get_cells -hierarchical -filter {NAME =~ *gen_crossing.u_*x_fifo/rd_gray_q_reg[*]}] -to [get_cells -hierarchical -filter {NAME =~ *gen_crossing.u_*x_fifo/rd_sync_q_reg[0][*]}]
set_max_delay -datapath_only $ear_period -from [get_cells -hierarchical -filter {NAME =~ *gen_crossing.u_*x_fifo/memory_reg*}] -to [get_cells -hierarchical -filter {NAME =~ *gen_crossing.u_*x_fifo/rd_data_q_reg[*]}]

# ear_reset: a reset may begin at any time.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ *u_*reset/rst_nq_reg[*]/CLR}]
