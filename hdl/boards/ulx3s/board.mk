# ULX3S with an LFE5U-12F, -25F, -45F or -85F; change DEVICE for the last two.
TOP = ear_ulx3s
FAMILY = ecp5
DEVICE = --25k --package CABGA381
CLOCK_HZ = 25000000
BAUD = 1000000
LINKS = uart ft232h
LOADER = ulx3s
PRESET = SMALL
