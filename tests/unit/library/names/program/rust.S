# Functions as a compiler of Rust names them: mangled in the legacy way, and by v0.
	.macro function name
	.globl "\name"
	.type "\name", @function
"\name":
	ret
	.size "\name", . - "\name"
	.endm

	.globl _start
_start:
	function "_ZN7machine4core9Formatter5write17h0123456789abcdefE"
	function "_ZN57_$LT$machine..Ring$LT$T$GT$$u20$as$u20$machine..Queue$GT$4push17hfedcba9876543210E"
	function "_RNvCs15kBYyAo9fc_7machine4spin"
	function "_RINvNtC7machine3mem5largemE"
	function "_RNvMNtC7machine3memNtB2_4Page4zero"
