# iCEBreaker.
TOP = ear_icebreaker
FAMILY = ice40
DEVICE = --up5k --package sg48 --freq 12
CLOCK_HZ = 12000000
BAUD = 3000000
LINKS = uart
LOADER = ice40_generic
PRESET = RAW
