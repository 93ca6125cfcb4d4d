# OrangeCrab r0.2 with an LFE5U-25F.
TOP = ear_orangecrab
FAMILY = ecp5
DEVICE = --25k --package CSFBGA285
CLOCK_HZ = 48000000
BAUD = 3000000
LINKS = uart
LOADER = orangeCrab
PRESET = SMALL
