# SPDX-License-Identifier: Apache-2.0
# Quartus: the paths between the core's clock and the link's (ear_async_fifo). Each bit of a Gray
# pointer, and the memory where it is not a block RAM, arrives within a period of the faster clock;
# set that here, in ns. Read this file after the one that makes the clocks.
#
# A test compares the names with the elaborated design (hdl/lint/test_shipped.py); Quartus itself
# has not read this file yet.
set ear_period 10.0
foreach {from to} {
    wr_gray_q[*] wr_sync_q[0][*]
    rd_gray_q[*] rd_sync_q[0][*]
    memory* rd_data_q[*]
} {
    set ear_from [get_registers -nowarn -compatibility_mode "*gen_crossing.u_*x_fifo|$from"]
    set ear_to [get_registers -nowarn -compatibility_mode "*gen_crossing.u_*x_fifo|$to"]
    set_max_delay $ear_period -from $ear_from -to $ear_to
    set_min_delay -$ear_period -from $ear_from -to $ear_to
}

# ear_reset: a reset may begin at any time.
set_false_path -to [get_pins -nowarn -compatibility_mode {*u_*reset|rst_nq[*]|clrn}]
