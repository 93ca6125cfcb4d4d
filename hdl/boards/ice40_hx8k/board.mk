# iCE40HX-8K breakout board.
TOP = ear_ice40_hx8k
FAMILY = ice40
DEVICE = --hx8k --package ct256 --freq 12
CLOCK_HZ = 12000000
BAUD = 3000000
LINKS = uart
LOADER = ice40_generic
PRESET = RAW
