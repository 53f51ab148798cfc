// Has functions of the names that an Objective-C runtime has, and none of what they do.

#include <stdio.h>
#include <stdlib.h>

void *objc_lookUpClass(const char *name)
{
  (void)name;
  abort();
}

void *sel_registerName(const char *name)
{
  (void)name;
  abort();
}

int main(void)
{
  puts("no runtime of yours");
  return 0;
}
