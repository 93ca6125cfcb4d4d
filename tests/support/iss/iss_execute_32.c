#define XLEN 32
#include "iss_execute.h"
