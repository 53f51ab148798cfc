// A program that does not end as others do; the way is the argument.

#import "Bank.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
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

/// Enough for a log of several segments.
static void useOften(void)
{
  for (int turn = 0; turn < 3000; turn++)
    {
      NSAutoreleasePool *pool = [NSAutoreleasePool new];
      [account addObserver: screen forKeyPath: @"balance" options: 0 context: NULL];
      [account removeObserver: screen forKeyPath: @"balance"];
      [pool release];
    }
}

/// Truncates the log, if there is one, and leaves data after the position of its header.
static void cutLog(void)
{
  char name[64];
  snprintf(name, sizeof name, "log-%d.kvolog", getpid());
  if (truncate(name, 0) != 0) return;
  int log = open(name, O_WRONLY);
  if (pwrite(log, "not zero", 8, 256) != 8) say("the log cannot be written");
  close(log);
}

static void *meet(void *barrier)
{
  pthread_barrier_wait(barrier);
  return NULL;
}

static int threadCount(void)
{
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  struct dirent *each;
  while ((each = readdir(tasks))) count += each->d_name[0] != '.';
  closedir(tasks);
  return count;
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
  else if (strcmp(way, "fork-removes") == 0)
    {
      // The child removes twice what the parent added, and the parent once.
      [screen watch: account for: @"balance"];
      pid_t child = fork();
      if (child == 0)
        {
          [screen unwatch: account for: @"balance"];
          [screen unwatch: account for: @"balance"];
          exit(0);
        }
      waitpid(child, NULL, 0);
      [screen unwatch: account for: @"balance"];
    }
  else if (strcmp(way, "exec") == 0)
    {
      use("before");
      execl("/proc/self/exe", arguments[0], "after", NULL);
    }
  else if (strcmp(way, "again") == 0)
    {
      // So often becomes another program.
      int left = atoi(arguments[2]);
      char text[16];
      snprintf(text, sizeof text, "%d", left - 1);
      use(arguments[2]);
      fflush(stdout);
      if (left > 0) execl("/proc/self/exe", arguments[0], way, text, NULL);
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
  else if (strcmp(way, "killed-late") == 0)
    {
      useOften();
      raise(SIGKILL);
    }
  else if (strcmp(way, "cut") == 0)
    {
      useOften();
      cutLog();
      useOften();
      use("after the cut");
    }
  else if (strcmp(way, "open") == 0)
    {
      use("before it opens a file");
      say("descriptor %d", open("/dev/null", O_RDONLY));
    }
  else if (strcmp(way, "alone") == 0)
    {
      useOften();
      say("threads: %d", threadCount());
    }
  else if (strcmp(way, "accompanied") == 0)
    {
      useOften();
      pthread_barrier_t barrier;
      pthread_t thread;
      pthread_barrier_init(&barrier, NULL, 2);
      pthread_create(&thread, NULL, meet, &barrier);
      // The recorder looks again with each segment.
      for (int time = 0; time < 4; time++) useOften();
      say("threads: %d", threadCount());
      pthread_barrier_wait(&barrier);
      pthread_join(thread, NULL);
    }
  else if (strcmp(way, "signal") == 0)
    {
      // The process that started this may block it.
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
