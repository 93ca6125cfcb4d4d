# Arty A7-35T.
TOP = ear_arty
FAMILY = xilinx
DEVICE = xc7a35ticsg324-1L
CLOCK_HZ = 100000000
BAUD = 1000000
LINKS = uart
LOADER = arty_a7_35t
