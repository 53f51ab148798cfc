// A program in C that opens a library in Objective-C late, with the mode that its second argument is. The
// third is the recorder's library, where that is not preloaded: it is opened and asked to install itself.

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments)
{
  if (count < 2)
    {
      puts("nothing to do");
      return 5;
    }
  int mode = count > 2 && strcmp(arguments[2], "local") == 0 ? RTLD_LOCAL : RTLD_GLOBAL;
  void *plugin = dlopen(arguments[1], RTLD_NOW | mode);
  if (plugin == NULL)
    {
      puts(dlerror());
      return 1;
    }
  if (count > 3)
    {
      void *recorder = dlopen(arguments[3], RTLD_NOW);
      int (*install)(void) = recorder ? (int (*)(void))dlsym(recorder, "kvo_safety_install") : NULL;
      printf("installed: %d\n", install ? install() : -1);
    }
  void (*run)(void) = (void (*)(void))dlsym(plugin, "run_plugin");
  run();
  return 0;
}
