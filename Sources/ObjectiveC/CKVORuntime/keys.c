// Which keys an object has, as key-value coding finds them. Nothing is messaged.

#include "functions.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Whether the class resolves keys differently from NSObject, as dictionaries do. A class that makes methods when they
// are first asked for is not asked: it would run the program's code, and make other methods than the program needs.
static bool answers_by_itself(void *class) {
  static const char *const names[] = {
      "valueForKey:", "valueForUndefinedKey:", "handleQueryWithUnboundKey:", "respondsToSelector:"};
  void *root = kvos_functions.lookUpClass("NSObject");
  void *resolve = kvos_selector("resolveInstanceMethod:");
  if (kvos_method_of(class, resolve) != kvos_method_of(root, resolve)) return true;
  for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
    void *selector = kvos_selector(names[at]);
    if (kvos_method_of_instances(class, selector) != kvos_method_of_instances(root, selector)) {
      return true;
    }
  }
  return false;
}

// Names of methods and instance variables that key-value coding looks for; %s is the key, %S the key with a large first
// letter. The methods that only set a value are last.
static const char *const methodForms[] = {"%s",    "_%s",       "get%S",  "is%S",   "_get%S",
                                          "_is%S", "countOf%S", "set%S:", "_set%S:"};
static const char *const variableForms[] = {"_%s", "_is%S", "%s", "is%S"};

enum {
  methodFormCount = sizeof methodForms / sizeof *methodForms,
  readingFormCount = methodFormCount - 2,
  variableFormCount = sizeof variableForms / sizeof *variableForms
};

typedef struct {
  char text[512];
} Name;

static Name name_of(const char *form, const char *key) {
  Name name;
  const char *mark = strchr(form, '%');
  int prefix = (int)(mark - form);
  snprintf(name.text, sizeof name.text, "%.*s%s%s", prefix, form, key, mark + 2);
  if (mark[1] == 'S') name.text[prefix] = (char)toupper((unsigned char)name.text[prefix]);
  return name;
}

// Whether the class has a method of one of the first `count` forms.
static bool has_method(void *class, const char *key, size_t count) {
  for (size_t at = 0; at < count; at++) {
    if (kvos_instances_answer(class, kvos_selector(name_of(methodForms[at], key).text))) return true;
  }
  return false;
}

static bool has_variable(void *class, const char *key) {
  typedef void *(*FindVariable)(void *class, const char *name);
  FindVariable findVariable = (FindVariable)kvos_runtime_function("class_getInstanceVariable");
  for (size_t at = 0; findVariable && at < variableFormCount; at++) {
    if (findVariable(class, name_of(variableForms[at], key).text)) return true;
  }
  return false;
}

bool kvos_class_has_key(void *class, const char *key) {
  if (answers_by_itself(class)) return true;
  if (strlen(key) >= sizeof(Name) - 16) return false;
  if (has_method(class, key, readingFormCount) || has_variable(class, key)) return true;
  if (!has_method(class, key, methodFormCount)) return false;
  // "Balance" has the setter of "balance", which notifies of "balance" alone.
  Name other = name_of("%s", key);
  other.text[0] = (char)tolower((unsigned char)other.text[0]);
  return strcmp(other.text, key) == 0 ||
         !(has_method(class, other.text, readingFormCount) || has_variable(class, other.text));
}
