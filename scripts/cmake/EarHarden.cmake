# What makes a fault in our code harder to use: for every program, library and test, in C and C++.
#
#   position independent, with a read-only table of relocations (PIE, full RELRO): addresses are not known
#   stack protector, stack clash protection: an overflow of the stack ends the program
#   FORTIFY_SOURCE: functions of the C library know how large their buffers are
#   no executable stack
#
# Each only where the compiler and the linker have it. With sanitizers only the first: they watch the
# same things, and better. tests/e2e/test_install.py looks at what is installed.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

function(ear_harden_compile flag)
	string(MAKE_C_IDENTIFIER "EAR_HAS${flag}" name)
	check_c_compiler_flag(${flag} ${name})
	if(${name})
		add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:${flag}>)
	endif()
endfunction()

function(ear_harden_link flag)
	string(MAKE_C_IDENTIFIER "EAR_HAS${flag}" name)
	check_linker_flag(C ${flag} ${name})
	if(${name})
		add_link_options(${flag})
	endif()
endfunction()

if(NOT EAR_SANITIZE)
	ear_harden_compile(-fstack-protector-strong)
	ear_harden_compile(-fstack-clash-protection)
	ear_harden_link(-Wl,-z,relro)
	ear_harden_link(-Wl,-z,now)
	ear_harden_link(-Wl,-z,noexecstack)

	# Not 3: writing JSON takes 17 % longer with it (0.54 s instead of 0.46 s for a Whisper CSV of
	# 190 MB, gcc 12), and 2 costs nothing. None without optimization, which it needs.
	add_compile_options(
		$<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE>
		$<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<CONFIG:Debug>>>:-D_FORTIFY_SOURCE=2>)
endif()
