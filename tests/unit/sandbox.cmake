# What a command has given up: each policy is entered, and what it forbids is tried.
ear_add_test(test_sandbox SOURCES test_sandbox.c LIBRARIES ear_sandbox Threads::Threads LABELS sandbox)
