// The function is inline; a target needs a file that is compiled.
#include "CKVOPrefetch.h"
