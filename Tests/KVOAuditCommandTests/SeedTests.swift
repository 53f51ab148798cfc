import Foundation
import TestSupport
import Testing

/// A crash as it really happened: the console text in an article that others wrote.
///
/// The project carries no copy: `KVO_SAFETY_SEEDS` names the folder that has the article.
@Suite("kvo-audit on a real console", .enabled(if: Seed.isThere, "needs KVO_SAFETY_SEEDS"))
struct SeedTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test("finds the one crash in the article, which prints it twice")
  func article() throws {
    let run = try CommandRun([Seed.path], in: folder.url)
    #expect(run.complaint == "")
    #expect(run.status == 1)
    #expect(run.output == Self.report)
  }

  private static let report = """
    WARNING: KVOSafety: removal of an observation that was never made (KVO002 remove-unregistered)
      TestKVOViewController#1 removed an observation of "text" from Message#1 that was not registered
        #0 __exceptionPreprocess                                    (CoreFoundation)
        #1 objc_exception_throw                                     (libobjc.A.dylib)
        #2 +[NSException raise:format:]                             (CoreFoundation)
        #3 -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:] (Foundation)
        #4 -[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:] (Foundation)
      > #5 -[TestKVOViewController dealloc]                         (ImplementKVO)
        #6 __destroy_helper_block_.150                              (UIKit)
        #7 _Block_release                                           (libsystem_blocks.dylib)
        #8 -[UIViewAnimationBlockDelegate .cxx_destruct]            (UIKit)
        #9 object_cxxDestructFromClass(objc_object*, objc_class*)   (libobjc.A.dylib)
        #10 objc_destructInstance                                   (libobjc.A.dylib)
        #11 object_dispose                                          (libobjc.A.dylib)
        #12 objc_object::sidetable_release(bool)                    (libobjc.A.dylib)
        #13 -[__NSDictionaryI dealloc]                              (CoreFoundation)
        #14 objc_object::sidetable_release(bool)                    (libobjc.A.dylib)
        #15 (anonymous namespace)::AutoreleasePoolPage::pop(void*)  (libobjc.A.dylib)
        #16 _CFAutoreleasePoolPop                                   (CoreFoundation)
        #17 __CFRunLoopRun                                          (CoreFoundation)
        #18 CFRunLoopRunSpecific                                    (CoreFoundation)
        #19 GSEventRunModal                                         (GraphicsServices)
        #20 UIApplicationMain                                       (UIKit)
        #21 main                                                    (ImplementKVO)
        #22 start                                                   (libdyld.dylib)
        #23 0x1                                                     (???)
      Fix: find every `[message removeObserver:… forKeyPath:@"text"]`: each needs one addition before it on every path that leads there, and none may run twice (a view disappears more than once)
      Signature: 2:a0a3237a84 · seen once · line 220 · error, crash on apple-modern
      Why: a removal found no observation of this observer, object and key path; every removal needs an earlier addition, and each addition allows one removal
      Systems: crashes on iOS 10, macOS 10.12 and earlier, iOS 11, macOS 10.13 and later, GNUstep 1.31 and later; harmless on GNUstep 1.28
      Find: search for the key path in all calls of addObserver and removeObserver of the observer; look for a removal that can run twice (viewDidDisappear and dealloc), an addition that an early return skips, and an observed object that was replaced in between
      Exception: NSRangeException
      In: 1 report · 2017-06-21 12:29:03 · ImplementKVO

    To catch the rest: wrap the observations with KVOSafety, or write their calls as JSON Lines; `kvo-audit` then says who registered, removed and let go, also where nothing crashes

    SUMMARY: 1 error, 0 warnings in 1 report with findings from 1 text

    """
}

private enum Seed {
  static let path =
    (ProcessInfo.processInfo.environment["KVO_SAFETY_SEEDS"] ?? "")
    + "/002_51bd565b1c6787dc.txt"

  static let isThere = FileManager.default.fileExists(atPath: path)
}
