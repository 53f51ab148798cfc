internal import CKVORetention
internal import CKVOUnwind
internal import Glibc
internal import KVOHeap

extension RetainSearch {
  /// Writes all objects of this process and the references between them into a file, which `kvo-audit heap` reads.
  ///
  /// ```swift
  /// try RetainSearch().writeSnapshot(to: "app.kvoheap")
  /// // kvo-audit heap app.kvoheap
  /// ```
  ///
  /// The file contains the class, address and size of each object, but not its contents: no
  /// strings, no numbers. Only its owner may read it. An existing file is replaced when the new one
  /// is complete.
  ///
  /// Memory from `malloc` that is not a Swift object is included. Roots are words in globals,
  /// stacks, the caller's registers and other memory that lead to an object; each has its kind. A
  /// word on a stack may be left over from an earlier variable: a root does not prove that an
  /// object is in use.
  ///
  /// No other thread may change objects during the call: write a snapshot while the program is at
  /// rest. The heap is copied, so the process needs four times as much memory during the call.
  ///
  /// - Parameter path: the file, usually `*.kvoheap`.
  /// - Throws: ``RetainSnapshotError`` if the memory cannot be read, the allocator is not glibc's (as under a sanitizer),
  ///   or the file cannot be written.
  /// - Complexity: O(bytes) of the process's writable memory.
  @inline(never)
  public func writeSnapshot(to path: String) throws(RetainSnapshotError) {
    var entry = KVOSEntry()
    let isNoted = kvos_note_caller(&entry) != 0 || kvos_note_entry(&entry) != 0
    var snapshot = try heapSnapshot(calledAt: isNoted ? entry : nil)
    snapshot.processID = UInt32(getpid())
    snapshot.processName = HeapProcess.name
    snapshot.time = HeapProcess.time
    snapshot.images = HeapProcess.images
    try HeapProcess.write(HeapFile.bytes(of: snapshot), to: path)
  }

  /// All objects of this process, in a snapshot that does not say of which process it is.
  ///
  /// - Parameter entry: where the program called the search.
  /// - Returns: a snapshot without process, time and images.
  /// - Throws: ``RetainSnapshotError`` if the memory cannot be read, or the allocator is not glibc's.
  func heapSnapshot(calledAt entry: KVOSEntry?) throws(RetainSnapshotError) -> HeapSnapshot {
    guard let entry else {
      throw RetainSnapshotError(code: .system, message: "the registers are not known")
    }
    guard kvos_is_glibc_heap() != 0 else {
      throw RetainSnapshotError(
        code: .unknownAllocator,
        message: "the allocator does not say which allocations there are"
      )
    }
    let deadline = ContinuousClock.now + timeLimit
    let found: HeapSnapshot? = try SearchThread.run { stack in
      MemoryCopy().map { copy in
        PlanStore.withShared { store in
          HeapWalk(store: store, copy, entry: entry, ownStack: stack, until: deadline).snapshot()
        }
      }
    }
    guard let found else {
      throw RetainSnapshotError(
        code: .system,
        message: "this process may not read its own memory"
      )
    }
    return found
  }
}

/// The data about this process in a snapshot, and the file.
private enum HeapProcess {
  /// The name of the executable.
  static var name: String {
    var path = [UInt8](repeating: 0, count: 4096)
    let count = path.withUnsafeMutableBytes { path in
      path.baseAddress.map { readlink("/proc/self/exe", $0, path.count) } ?? 0
    }
    let name = path.prefix(max(count, 0)).split(separator: UInt8(ascii: "/")).last ?? []
    return String(decoding: name, as: UTF8.self)
  }

  /// Nanoseconds since 1970-01-01 00:00 UTC.
  static var time: UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }

  static var images: [HeapSnapshot.Image] {
    var found: [HeapSnapshot.Image] = []
    withUnsafeMutablePointer(to: &found) { list in
      kvos_visit_images(
        { image, context in
          let image = image.pointee
          let id = UnsafeBufferPointer(start: image.buildID, count: image.buildIDByteCount)
          context?.assumingMemoryBound(to: [HeapSnapshot.Image].self).pointee.append(
            HeapSnapshot.Image(
              path: String(cString: image.path),
              buildID: id.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
              start: image.textStart,
              end: image.textEnd
            )
          )
        },
        list
      )
    }
    return found.sorted { $0.start < $1.start }
  }

  static func write(_ bytes: [UInt8], to path: String) throws(RetainSnapshotError) {
    let draft = path + ".part"
    let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure(path) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { all in
        Glibc.write(file, all.baseAddress.map { $0 + written }, all.count - written)
      }
      if count > 0 {
        written += count
      } else if errno != EINTR {
        let error = failure(path)
        close(file)
        unlink(draft)
        throw error
      }
    }
    guard close(file) == 0, rename(draft, path) == 0 else {
      let error = failure(path)
      unlink(draft)
      throw error
    }
  }

  private static func failure(_ path: String) -> RetainSnapshotError {
    RetainSnapshotError(
      code: .system,
      message: "\(path): cannot be written: \(String(cString: strerror(errno)))"
    )
  }
}
