import Foundation

/// Threads that allocate and free memory as long as the process lives: with `MALLOC_ARENA_MAX=1` in the arena that
/// all threads use, so that a search reads a heap that changes at the same time.
enum BusyThreads {
  static func start(_ count: Int) {
    for number in 0..<count { Thread.detachNewThread { work(UInt64(number + 1)) } }
  }

  private static func work(_ seed: UInt64) {
    var random = GeneratedRandom(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
    var blocks = [UnsafeMutableRawPointer?](repeating: nil, count: 500)
    while true {
      let index = Int(random.next() % UInt64(blocks.count))
      free(blocks[index])
      // Mostly small ones, as programs have them, and some that are not kept by thread.
      let byteCount = random.next() % (index % 10 == 0 ? 20_000 : 200)
      blocks[index] = malloc(Int(byteCount))
    }
  }
}
