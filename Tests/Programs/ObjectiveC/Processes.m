// A program that does not end as others do; the way is the argument.

#import "Bank.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static Account *account;
static Screen *screen;

static void use(const char *who)
{
  say("%s", who);
  [screen watch: account for: @"balance"];
  [account setBalance: 1];
  [screen unwatch: account for: @"balance"];
  [screen unwatch: account for: @"balance"];
}

static void leave(int number)
{
  (void)number;
  exit(7);
}

int main(int count, char **arguments)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  const char *way = count > 1 ? arguments[1] : "";
  account = [Account new];
  screen = [Screen new];
  if (strcmp(way, "fork") == 0)
    {
      use("the parent");
      pid_t child = fork();
      if (child == 0)
        {
          use("the child");
          exit(0);
        }
      int status = 0;
      waitpid(child, &status, 0);
      say("the child ended with %d", status);
    }
  else if (strcmp(way, "exec") == 0)
    {
      use("before");
      execl("/proc/self/exe", arguments[0], "after", NULL);
    }
  else if (strcmp(way, "after") == 0)
    {
      use("after");
    }
  else if (strcmp(way, "killed") == 0)
    {
      use("alive");
      raise(SIGKILL);
    }
  else if (strcmp(way, "signal") == 0)
    {
      // Whoever started this may have held it back.
      sigset_t own;
      sigemptyset(&own);
      sigaddset(&own, SIGUSR1);
      pthread_sigmask(SIG_UNBLOCK, &own, NULL);
      signal(SIGUSR1, leave);
      use("waiting");
      raise(SIGUSR1);
    }
  [pool release];
  return 0;
}
