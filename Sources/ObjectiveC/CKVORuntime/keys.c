// Which keys an object has, as key-value coding finds them. Nothing is messaged.

#include "functions.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Whether the class resolves keys differently from NSObject, as dictionaries do.
static bool answers_by_itself(void *class) {
  static const char *const names[] = {
      "valueForKey:", "valueForUndefinedKey:", "handleQueryWithUnboundKey:", "respondsToSelector:"};
  void *root = kvos_functions.lookUpClass("NSObject");
  for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
    void *selector = kvos_selector(names[at]);
    if (kvos_method_of_instances(class, selector) != kvos_method_of_instances(root, selector)) {
      return true;
    }
  }
  return false;
}

bool kvos_class_has_key(void *class, const char *key) {
  typedef void *(*FindVariable)(void *class, const char *name);
  // Names of methods and instance variables that key-value coding looks for; %s is the key, %S the key
  // with a large first letter.
  static const char *const forms[] = {"%s",    "_%s",    "get%S",   "is%S",     "_get%S",
                                      "_is%S", "set%S:", "_set%S:", "countOf%S"};
  static const size_t variableFormCount = 2;
  if (answers_by_itself(class)) return true;
  FindVariable findVariable = (FindVariable)kvos_runtime_function("class_getInstanceVariable");
  char name[512];
  if (strlen(key) >= sizeof name - 16) return false;
  for (size_t at = 0; at < sizeof forms / sizeof *forms; at++) {
    const char *mark = strchr(forms[at], '%');
    int prefix = (int)(mark - forms[at]);
    snprintf(name, sizeof name, "%.*s%s%s", prefix, forms[at], key, mark + 2);
    if (mark[1] == 'S') name[prefix] = (char)toupper((unsigned char)name[prefix]);
    if (kvos_instances_answer(class, kvos_selector(name))) return true;
    if (at < variableFormCount && findVariable && findVariable(class, name)) return true;
  }
  snprintf(name, sizeof name, "is%s", key);
  name[2] = (char)toupper((unsigned char)name[2]);
  return findVariable && findVariable(class, name);
}
