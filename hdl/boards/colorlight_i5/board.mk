# Colorlight i5, version 7.0.
TOP = ear_colorlight_i5
FAMILY = ecp5
DEVICE = --25k --package CABGA381
CLOCK_HZ = 25000000
BAUD = 1000000
LINKS = uart
LOADER = colorlight-i5
PRESET = SMALL
