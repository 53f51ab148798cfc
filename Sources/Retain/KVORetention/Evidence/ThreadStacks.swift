internal import CKVORetention
internal import Glibc

/// Where the frames of threads begin, as far as it is known: a stack below that owns nothing.
struct ThreadStacks {
  private static let sizeLimit: UInt = 1 << 28
  /// What a function that calls no other may have beyond its frame's end, as one that calls the kernel.
  private static let redZone: UInt = 128

  /// By where the mapping that a stack is in begins.
  private var starts: [UInt: UInt] = [:]

  /// The stacks of threads that wait in a call of the kernel, and the caller's.
  init(memory: MemoryMap, entry: KVOSEntry) {
    for stack in Self.waitingStacks().map({ $0 &- Self.redZone }) + [entry.stack] {
      if let region = memory.region(of: stack), Self.isStack(region, in: memory) {
        starts[region.start] = stack
      }
    }
  }

  /// Where the frames begin in a mapping that is a stack; nil if that is not known of it.
  func frames(in region: MemoryMap.Region) -> UInt? { starts[region.start] }

  /// Whether a mapping in which a thread has frames is its stack alone: nothing can be read in front of that.
  ///
  /// A program may have frames anywhere, as in memory of the allocator, whose heaps begin at multiples of their
  /// reserved size.
  private static func isStack(_ region: MemoryMap.Region, in memory: MemoryMap) -> Bool {
    if region.isStack { return true }
    return region.isAnonymous && region.end - region.start <= sizeLimit
      && region.start % GlibcChunk.arenaHeapByteCount != 0
      && memory.region(of: region.start - 1) == nil
  }

  /// Where the frames of threads that wait in a call of the kernel begin.
  private static func waitingStacks() -> [UInt] { threads().compactMap(waitingStack) }

  /// The kernel's numbers of this process's threads.
  private static func threads() -> [String] {
    guard let folder = opendir("/proc/self/task") else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.utf8.first != UInt8(ascii: ".") { names.append(name) }
    }
    return names
  }

  /// Where the frames of a thread begin, if it waits.
  ///
  /// The kernel says of such a thread its call and arguments, then where its stack is. Source:
  /// proc_pid_syscall(5).
  private static func waitingStack(ofThread name: String) -> UInt? {
    let file = open("/proc/self/task/\(name)/syscall", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 512)
    let count = read(file, &text, text.count)
    guard count > 0 else { return nil }
    let fields = text[..<count].split(separator: UInt8(ascii: " "))
    guard fields.count >= 3 else { return nil }
    let digits = String(decoding: fields[fields.count - 2], as: UTF8.self)
    return digits.hasPrefix("0x") ? UInt(digits.dropFirst(2), radix: 16) : nil
  }
}
