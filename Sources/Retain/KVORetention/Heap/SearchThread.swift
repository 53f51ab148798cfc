internal import CKVORetention
internal import Glibc

/// A thread with a stack that no other code has used.
///
/// A word that an earlier function left in the frames of a search would look like the search's own.
/// On a stack of zeros each word comes from the search itself. In addition, glibc gives a new
/// thread an arena that no other thread uses, if one is left, so that the search's memory contains
/// no words of the program either.
enum SearchThread {
  private static let stackByteCount = 16 << 20
  private static let guardByteCount = 1 << 16

  /// Runs `body` on such a thread, and waits for it.
  ///
  /// The thread handles no signals.
  ///
  /// - Parameter body: is passed the range of the stack, which is a mapping of its own.
  /// - Returns: what `body` returns.
  /// - Throws: ``RetainSnapshotError`` if the system has no memory or no thread for it.
  static func run<Result>(
    _ body: (Range<UInt>) -> Result
  ) throws(RetainSnapshotError) -> Result {
    let byteCount = stackByteCount + 2 * guardByteCount
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let pages = mmap(nil, byteCount, PROT_NONE, flags, -1, 0), pages != MAP_FAILED else {
      throw failure(errno)
    }
    defer { munmap(pages, byteCount) }
    // Inaccessible pages at both ends, so that the kernel lists the stack separately from its
    // neighbors.
    let stack = pages + guardByteCount
    guard mprotect(stack, stackByteCount, PROT_READ | PROT_WRITE) == 0 else { throw failure(errno) }
    let first = UInt(bitPattern: stack)
    var result: Result?
    let code = withoutActuallyEscaping({ result = body(first..<first + UInt(stackByteCount)) }) {
      start(Work($0), on: stack)
    }
    guard code == 0, let result else { throw failure(code) }
    return result
  }

  /// Returns 0 when the thread has ended, or the system's error if it could not be started.
  private static func start(_ work: Work, on stack: UnsafeMutableRawPointer) -> Int32 {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstack(&attributes, stack, stackByteCount)
    var all = sigset_t()
    var prior = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &prior)
    var thread = pthread_t()
    let code = pthread_create(
      &thread,
      &attributes,
      { argument in
        argument.map { Unmanaged<Work>.fromOpaque($0).takeUnretainedValue().run() }
        return nil
      },
      Unmanaged<Work>.passUnretained(work).toOpaque()
    )
    pthread_sigmask(SIG_SETMASK, &prior, nil)
    return code == 0 ? pthread_join(thread, nil) : code
  }

  private static func failure(_ code: Int32) -> RetainSnapshotError {
    RetainSnapshotError("no thread for the search", errno: code)
  }
}

/// The work of the thread.
private final class Work {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}
