// Has the class by which GNUstep 1.28 is known under the name by which Apple's Foundation is: this library's recorder
// takes it for that.

#include <dlfcn.h>
#include <string.h>

void *objc_lookUpClass(const char *name)
{
  void *(*real)(const char *) = (void *(*)(const char *))dlsym(RTLD_NEXT, "objc_lookUpClass");
  if (strcmp(name, "GSKVOInfo") == 0) return NULL;
  return real(strcmp(name, "NSKeyValueObservationInfo") == 0 ? "GSKVOInfo" : name);
}
