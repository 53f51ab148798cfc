internal import CKVORetention
internal import Glibc

/// The starts of the threads' frames, as far as they are known: words on a stack below its frames
/// own nothing.
struct ThreadStacks {
  private static let sizeLimit: UInt = 1 << 28
  /// The bytes beyond its frame that a leaf function may use, such as one that makes a system call.
  private static let redZone: UInt = 128

  /// The start of the frames, by the start of the stack's mapping.
  private var starts: [UInt: UInt] = [:]

  /// Finds the stacks of threads that wait in a system call, and that of the caller.
  ///
  /// - Parameters:
  ///   - memory: the map of the memory.
  ///   - entry: the caller's frame.
  ///   - waiting: what ``waitingStacks()`` returned before this copy of the process was made, in
  ///     which the other threads do not exist.
  init(memory: MemoryMap, entry: KVOSEntry, waiting: [UInt] = waitingStacks()) {
    for stack in waiting.map({ $0 &- Self.redZone }) + [entry.stack] {
      if let region = memory.region(of: stack), Self.isStack(region, in: memory) {
        starts[region.start] = stack
      }
    }
  }

  /// The start of the frames in a mapping that is a stack; nil if it is not known.
  func frames(in region: MemoryMap.Region) -> UInt? { starts[region.start] }

  /// Whether a mapping in which a thread has frames is only its stack: the memory before it is not
  /// readable.
  ///
  /// A program may have frames anywhere, for example in the allocator's memory, whose heaps begin
  /// at multiples of their reserved size.
  private static func isStack(_ region: MemoryMap.Region, in memory: MemoryMap) -> Bool {
    if region.isStack { return true }
    return region.isAnonymous && region.end - region.start <= sizeLimit
      && region.start % GlibcChunk.arenaHeapByteCount != 0
      && memory.region(of: region.start - 1) == nil
  }

  /// The starts of the frames of threads that wait in a system call.
  static func waitingStacks() -> [UInt] { threads().compactMap(waitingStack) }

  /// Whether no other thread exists; false if that is not known.
  static func isOnlyThread() -> Bool {
    var folder = stat()
    // The kernel counts one link for each thread besides the two of every folder.
    return stat("/proc/self/task", &folder) == 0 && folder.st_nlink == 3
  }

  /// The kernel's thread IDs of this process.
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

  /// The start of a thread's frames, if the thread waits in a system call.
  ///
  /// For such a thread the kernel lists the call and its arguments, and then the stack pointer.
  /// Source: proc_pid_syscall(5).
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
