#include <stdlib.h>

#include "ProbeC.h"

// Several tests sort at once.
static _Thread_local void (*within)(void);

static int compare(const void *left, const void *right) {
  within();
  return *(const int *)left - *(const int *)right;
}

__attribute__((noinline)) void probe_call_within_sorts(void (*body)(void)) {
  int numbers[] = {2, 1};
  within = body;
  qsort(numbers, 2, sizeof *numbers, compare);
  qsort(numbers, 2, sizeof *numbers, compare);
  within = NULL;
}
