// Observes as the first argument says. Built by gcc together with the emitter, by a test; not by SwiftPM.
#import <Foundation/Foundation.h>
#import <objc/runtime.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int KVOSafetyEmitterStart(const char *path);
void KVOSafetyEmitterStop(void);

@interface Person : NSObject {
  NSString *_name;
  Person *_friend;
}
- (NSString *)name;
- (void)setName:(NSString *)name;
- (Person *)friend;
- (void)setFriend:(Person *)friend;
@end

@implementation Person
- (NSString *)name { return _name; }
- (void)setName:(NSString *)name { ASSIGN(_name, name); }
- (Person *)friend { return _friend; }
- (void)setFriend:(Person *)friend { ASSIGN(_friend, friend); }
- (void)dealloc {
  RELEASE(_name);
  RELEASE(_friend);
  [super dealloc];
}
@end

@interface Screen : NSObject
@end

@implementation Screen
- (void)observeValueForKeyPath:(NSString *)path
                      ofObject:(id)object
                        change:(NSDictionary *)change
                       context:(void *)context {
  printf("%s changed\n", [path UTF8String]);
}
- (void)observe:(id)object at:(NSString *)path {
  [object addObserver:self forKeyPath:path options:NSKeyValueObservingOptionNew context:NULL];
}
- (void)leave:(id)object at:(NSString *)path { [object removeObserver:self forKeyPath:path]; }
@end

static void removeTwice(void) {
  Person *person = [Person new];
  Screen *screen = [Screen new];
  [screen observe:person at:@"name"];
  [person setName:@"Ada"];
  [screen leave:person at:@"name"];
  [screen leave:person at:@"name"];
  [screen release];
  [person release];
}

static void removeUnregistered(void) {
  Person *person = [Person new];
  Screen *screen = [Screen new];
  [screen leave:person at:@"name"];
  [screen release];
  [person release];
}

static void letObservedDie(void) {
  Person *person = [Person new];
  Screen *screen = [Screen new];
  [screen observe:person at:@"name"];
  [person release];
  [screen release];
}

static void letObserverDie(void) {
  Person *person = [Person new];
  Screen *screen = [Screen new];
  [screen observe:person at:@"name"];
  [screen release];
  // The address may be used again, for an unrelated object.
  screen = [Screen new];
  [screen release];
}

static void observeCollection(void) {
  Screen *screen = [Screen new];
  @try {
    [screen observe:[NSArray arrayWithObject:@"a"] at:@"count"];
  } @catch (NSException *exception) {
    printf("%s\n", [[exception name] UTF8String]);
  }
  [screen release];
}

static void beFaulty(void) {
  removeTwice();
  removeUnregistered();
  letObservedDie();
  letObserverDie();
  observeCollection();
}

static void beCorrect(void) {
  static char first;
  Person *person = [Person new], *friend = [Person new];
  Screen *screen = [Screen new];
  NSKeyValueObservingOptions all = NSKeyValueObservingOptionNew | NSKeyValueObservingOptionOld |
                                   NSKeyValueObservingOptionInitial |
                                   NSKeyValueObservingOptionPrior;
  [person setFriend:friend];
  [person addObserver:screen forKeyPath:@"name" options:all context:&first];
  [person addObserver:screen forKeyPath:@"friend.name" options:0 context:NULL];
  [person setName:@"Ada"];
  [friend setName:@"Grace"];
  [person setFriend:[[Person new] autorelease]];
  [screen leave:person at:@"friend.name"];
  [screen leave:person at:@"name"];
  NSArray *people = [NSArray arrayWithObjects:person, friend, nil];
  NSIndexSet *both = [NSIndexSet indexSetWithIndexesInRange:NSMakeRange(0, 2)];
  [people addObserver:screen toObjectsAtIndexes:both forKeyPath:@"name" options:0 context:NULL];
  [friend setName:@"Barbara"];
  [people removeObserver:screen fromObjectsAtIndexes:both forKeyPath:@"name"];
  [screen release];
  [friend release];
  [person release];
}

// An addition that was not carried out needs no removal.
static void beRefused(void) {
  Person *person = [Person new];
  Screen *screen = [Screen new];
  @try {
    [screen observe:person at:@"nothing.name"];
  } @catch (NSException *exception) {
    printf("%s\n", [[exception name] UTF8String]);
  }
  [screen release];
  [person release];
}

static void letItRaise(void) { [[Screen new] observe:[Person new] at:@"nothing.name"]; }

static void *observeOften(void *unused) {
  (void)unused;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  for (int turn = 0; turn < 100; turn++) {
    Person *person = [Person new];
    Screen *screen = [Screen new];
    [screen observe:person at:@"name"];
    [screen leave:person at:@"name"];
    [screen release];
    [person release];
  }
  [pool release];
  return NULL;
}

static void observeOnThreads(void) {
  pthread_t threads[16];
  // A program that says so has GNUstep ready for threads that are not its own.
  [[NSThread new] start];
  // GNUstep creates its tables at the first observation, and not for several threads at once.
  observeOften(NULL);
  for (int place = 0; place < 16; place++)
    pthread_create(&threads[place], NULL, observeOften, NULL);
  for (int place = 0; place < 16; place++) pthread_join(threads[place], NULL);
}

// Names that no writer may write as they are.
static void haveOddNames(void) {
  // Of the observer: GNUstep 1.28 takes no such name for an observed class.
  Class class = objc_allocateClassPair([Screen class], "Odd\"\\\n\x7f\xff\xc3\xa9\xed\xa0\x80", 0);
  objc_registerClassPair(class);
  Screen *screen = [class new];
  Person *person = [Person new];
  NSString *paths[] = {
      @"a\"b\\c\n\t\001", [NSString stringWithUTF8String:"h\xc3\xa9\xf0\x9f\x98\x80"],
      [@"" stringByPaddingToLength:5000 withString:@"long" startingAtIndex:0],
  };
  for (int place = 0; place < 3; place++) {
    // Of those, GNUstep 1.28 takes ASCII alone.
    @try {
      [screen observe:person at:paths[place]];
    } @catch (NSException *exception) {
      printf("%s\n", [[exception name] UTF8String]);
    }
  }
  // To observe at none crashes GNUstep.
  [screen leave:person at:nil];
  // More than a line of the log may have.
  [screen leave:person at:[@"" stringByPaddingToLength:70000 withString:@"x" startingAtIndex:0]];
}

// The observer's memory is another's by then: only its address may be used.
static void removeDeallocated(void) {
  Person *person = [Person new];
  Screen *screen = [Screen new];
  [screen observe:person at:@"name"];
  [screen release];
  void *others[1000];
  for (int number = 0; number < 1000; number++) {
    size_t byteCount = 8 + (size_t)number % 64;
    others[number] = memset(malloc(byteCount), 0x41, byteCount);
  }
  [person removeObserver:screen forKeyPath:@"name"];
  [person removeObserver:screen forKeyPath:@"name"];
  for (int number = 0; number < 1000; number++) free(others[number]);
  [person release];
}

// What a program may do to descriptors that it does not know.
static void reuseDescriptors(const char *path) {
  for (int descriptor = 3; descriptor < 64; descriptor++) close(descriptor);
  int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  for (int copy = descriptor + 1; copy < 64; copy++) dup2(descriptor, copy);
  beFaulty();
}

// The same, and the log is ended without another event.
static void stopAfterReuse(const char *path) {
  for (int descriptor = 3; descriptor < 64; descriptor++) close(descriptor);
  int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  for (int copy = descriptor + 1; copy < 64; copy++) dup2(descriptor, copy);
  if (fork() == 0) _exit(fcntl(descriptor, F_GETFD) < 0 || fcntl(63, F_GETFD) < 0);
  int status = -1;
  wait(&status);
  KVOSafetyEmitterStop();
  int closedCount = 0;
  for (int copy = descriptor; copy < 64; copy++) closedCount += fcntl(copy, F_GETFD) < 0;
  printf("%d %d\n", status, closedCount);
}

static void *readClock(void *unused) {
  time_t now = time(NULL);
  struct tm parts;
  while (localtime_r(&now, &parts)) continue;
  return unused;
}

// Children of a process whose threads are in the C library.
static void forkAmongThreads(void) {
  pthread_t thread;
  for (int number = 0; number < 2; number++) pthread_create(&thread, NULL, readClock, NULL);
  // A child that waits for ever is the end of all.
  alarm(60);
  for (int number = 0; number < 100; number++) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    int status;
    waitpid(child, &status, 0);
  }
}

static void beForked(void) {
  Person *person = [Person new];
  Screen *screen = [Screen new];
  [screen observe:person at:@"name"];
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    [screen leave:person at:@"name"];
    [screen leave:person at:@"name"];
    exit(3);
  }
  int status;
  waitpid(child, &status, 0);
  [screen leave:person at:@"name"];
}

// Begins in the middle of a run, and ends before its end.
static void callStart(const char *path) {
  Person *person = [Person new];
  Screen *screen = [Screen new];
  [screen observe:person at:@"name"];
  printf("%d\n", KVOSafetyEmitterStart("/no/such/folder/log"));
  printf("%d\n", KVOSafetyEmitterStart(path));
  [screen observe:person at:@"friend"];
  KVOSafetyEmitterStop();
  [screen leave:person at:@"friend"];
  [screen leave:person at:@"name"];
}

int main(int argc, char **argv) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "faulty") == 0) beFaulty();
  if (strcmp(what, "correct") == 0) beCorrect();
  if (strcmp(what, "refused") == 0) beRefused();
  if (strcmp(what, "raising") == 0) letItRaise();
  if (strcmp(what, "threads") == 0) observeOnThreads();
  if (strcmp(what, "names") == 0) haveOddNames();
  if (strcmp(what, "descriptors") == 0) reuseDescriptors(argv[2]);
  if (strcmp(what, "late") == 0) removeDeallocated();
  if (strcmp(what, "stop") == 0) stopAfterReuse(argv[2]);
  if (strcmp(what, "fork") == 0) beForked();
  if (strcmp(what, "forks") == 0) forkAmongThreads();
  if (strcmp(what, "call") == 0) callStart(argv[2]);
  [pool release];
  printf("end\n");
  return 0;
}
