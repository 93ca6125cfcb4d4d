The tools for folders that the Android emulator writes.

  $ cp -r $DATA/qtrace/sample1/post $DATA/qtrace/kernel.elf .
  $ earshot android read_pid post
  t83 kthread tgid 0 pid 0 swapper
  t92 kthread tgid 1 pid 1 init
  t101 kthread tgid 2 pid 2 kthreadd
  t106 switch 1
  t259 fork tgid 100 pid 100
  t264 switch 100
  t271 argc: 3
    argv[0]: /system/bin/app
    argv[1]: -v
    argv[2]: --loop=3
  t282 mmap 00008000 - 0000a000, offset 00000000 '/system/bin/app'
  t323 mmap 40000000 - 40001000, offset 00000000 '/system/lib/libfoo.so'
  t334 mmap 41000000 - 41001000, offset 00000000 '/system/lib/libdvm.so'
  t345 mmap 42000000 - 42002000, offset 00000000 '/system/app/Test.apk'
  t350 name 100 app_main
  t2018 clone tgid 100 pid 101
  t2073 switch 101
  t2108 name 101 worker_thr
  t2178 switch 100
  t2699 exit 42
  t2711 munmap 40000000 - 40001000
  t2717 switch 1
  t2857 add sym bf000000 'mod_init'
  t2862 remove bf000000
  $ earshot android exc_dump post
  time: 1863 rec: 204 pc: 000080e8 target: 000080ec bb: 49 bb_start: 1861 insns: 2
  time: 2042 rec: 212 pc: 000080f0 target: 000080f4 bb: 56 bb_start: 2040 insns: 2
  time: 2201 rec: 233 pc: 00008080 target: 00008080 bb: 63 bb_start: 2199 insns: 2
  time: 2581 rec: 267 pc: 0000810c target: 00008110 bb: 83 bb_start: 2579 insns: 2
  time: 2611 rec: 272 pc: c0008404 target: 00000000 bb: 85 bb_start: 2609 insns: 2
  time: 2668 rec: 275 pc: 00008010 target: 00008014 bb: 87 bb_start: 2666 insns: 2
  time: 2904 rec: 300 pc: c0008540 target: 00000000 bb: 102 bb_start: 2863 insns: 11
  $ earshot android profile_pid post
    pid parent   cpu_time      %      % flags argv
    100      1       2348  80.88  80.88       app_main -v --loop=3
      1      0        345  11.88  92.77     T init
      0      0        105   3.62  96.38     T swapper
    101    100        105   3.62 100.00     T worker_thr
      2      0          0   0.00 100.00     T kthreadd
  $ earshot android check_trace post kernel.elf
  $ earshot android stack_dump -d 2300 -r $DATA/qtrace/root post kernel.elf
  thr 100 ----   0 0x00000000 _start
  thr 100 ----   1. 0x0000800c main_loop
  thr 100 e---   2.. 0x000080f8 touch
  thr 100 --k-   3... 0x00008084 vector_dabt
  thr 100 --k-   4.... 0xc0008198 do_DataAbort
  thr 100 --k-   5..... 0xc0008350 worker
  $ earshot android coverage -r $DATA/qtrace/root post kernel.elf
  k (kuser_atomic_dec) (atomic ops)
  k (kuser_atomic_inc) (atomic ops)
  k (kuser_cmpxchg) (atomic ops)
  k (kuser_end) (atomic ops)
  k (bootloader_end) (bootloader)
  k (bootloader_start) (bootloader)
  k (vector_end) (exception vectors)
    com.example.Test.nativeCall(I)I /system/app/Test.apk
    (0 unknown) /system/bin/app
    (0 unknown) /system/lib/libdvm.so
    (0 unknown) /system/lib/libfoo.so
  k (0 unknown) kernel.elf
