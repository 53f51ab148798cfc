import Foundation
import TestSupport
import Testing

/// `Scripts/gnustep-suite`: a folder of programs, bare, recorded and contained.
@Suite("Suites of programs", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct SuiteScriptTests {
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  private func suite(_ sources: [String: String]) throws -> ProgramRun {
    for (name, body) in sources {
      _ = try guarded.folder.file(
        name,
        """
        #import <Foundation/Foundation.h>
        #include <stdlib.h>
        #include <unistd.h>
        @interface Watcher : NSObject { int value; } @end
        @implementation Watcher
        - (int) value { return value; }
        - (void) setValue: (int)new { value = new; }
        @end
        int main(void) { NSAutoreleasePool *pool = [NSAutoreleasePool new]; \(body) [pool release]; return 0; }
        """
      )
    }
    return try guarded.raw(
      ObjectiveC.script("gnustep-suite"),
      [guarded.folder.path],
      environment: [
        "KVO_SAFETY_PRODUCTS": ProgramRun.built("kvo-audit").deletingLastPathComponent().path
      ]
    )
  }

  @Test("programs that nothing changes are clean, also those without a finding")
  func clean() throws {
    let run = try suite([
      "a-clean.m": #"puts("nothing to observe");"#,
      "b-faulty.m": """
      Watcher *watcher = [Watcher new];
      [watcher removeObserver: [Watcher new] forKeyPath: @"value"];
      """,
      "c-raises.m": #"[NSException raise: @"Raised" format: @"on purpose"];"#,
      "d-aborts.m": "abort();",
      "e-broken.m": "this is not a program",
      "f-unsteady.m": #"printf("%d\n", (int)getpid());"#,
    ])
    let expected = """
      b-faulty.m: KVO002×1
      6 programs: 1 do not build, 1 differ from themselves, 1 with findings, 0 differ

      """
    #expect(run == ProgramRun(output: expected, complaint: "", status: 0))
  }

  @Test("a program that does otherwise when it is recorded is a line")
  func differing() throws {
    let run = try suite([
      "differs.m": """
      char *library = getenv("LD_PRELOAD");
      puts(library ? "watched" : "alone");
      return library != NULL;
      """
    ])
    let expected = """
      differs.m: DIFFERS: status recorded; status contained; out recorded; out contained; status 0 1 1
          1c1
          < alone
          ---
          > watched
      1 programs: 0 do not build, 0 differ from themselves, 0 with findings, 1 differ

      """
    #expect(run == ProgramRun(output: expected, complaint: "", status: 1))
  }
}
