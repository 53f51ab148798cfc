#include "CKVOIntrinsics.h"

_Thread_local void *kvos_innermost_delivery_word = 0;
