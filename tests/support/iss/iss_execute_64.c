#define XLEN 64
#include "iss_execute.h"
