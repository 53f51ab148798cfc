// Lower bound of starting a program.

#include <stdio.h>

int main(void) {
  puts("hello");
  return 0;
}
