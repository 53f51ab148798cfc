// Support for exceptions that run this library's clean-up while they pass through it.
//
// The compiler calls two functions of libgcc_s for that. The library is not linked to it: otherwise a program in C that
// does not use it would load it as well. A program that raises has it loaded, so the two are looked up when the first
// exception comes through. They are hidden: exceptions of other code do not come here.

#include "preload.h"

#include <dlfcn.h>
#include <stdlib.h>

struct _Unwind_Exception;
struct _Unwind_Context;

typedef int (*Personality)(int, int, uint64_t, struct _Unwind_Exception *, struct _Unwind_Context *);
typedef void (*Resume)(struct _Unwind_Exception *);

static void *look_up(const char *name) {
  void *found = dlsym(RTLD_DEFAULT, name);
  if (found == NULL) {
    // It is in the scope of a library that was opened privately.
    void *library = dlopen("libgcc_s.so.1", RTLD_NOLOAD | RTLD_LAZY);
    found = library ? dlsym(library, name) : NULL;
  }
  return found;
}

int __gcc_personality_v0(int version, int actions, uint64_t class, struct _Unwind_Exception *exception,
                         struct _Unwind_Context *context);

__attribute__((visibility("hidden"))) int __gcc_personality_v0(int version, int actions, uint64_t class,
                                                               struct _Unwind_Exception *exception,
                                                               struct _Unwind_Context *context) {
  enum {
    goOn = 8
  };
  Personality real = (Personality)look_up("__gcc_personality_v0");
  // Without it the exception passes, and the state is cleaned up later by comparing stack addresses: see threads.c.
  return real ? real(version, actions, class, exception, context) : goOn;
}

void _Unwind_Resume(struct _Unwind_Exception *exception);

__attribute__((visibility("hidden"))) void _Unwind_Resume(struct _Unwind_Exception *exception) {
  Resume real = (Resume)look_up("_Unwind_Resume");
  if (real) real(exception);
  abort();
}
