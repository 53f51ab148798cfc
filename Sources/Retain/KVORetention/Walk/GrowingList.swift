internal import CKVORetention

/// A list of plain values in memory that it owns, for loops that append millions of elements.
///
/// Large lists have their own pages, which grow without a copy.
struct GrowingList<Element: BitwiseCopyable>: ~Copyable {
  /// Lists of at least this size in bytes have their own pages.
  private static var pagedByteCount: Int { 1 << 17 }
  private static var largePage: Int { 2 << 20 }

  private(set) var start: UnsafeMutablePointer<Element>
  /// The number of elements.
  ///
  /// Code that writes elements after the last one, within the capacity, increases it.
  var count = 0
  private(set) var capacity: Int
  private var isPaged = false

  init(capacity: Int = 1024) {
    self.capacity = capacity
    start = .allocate(capacity: capacity)
  }

  /// A list with its own pages from the start, for addresses of objects.
  ///
  /// The pages are mapped after a search has read the list of mappings, so that the search does not
  /// take them for the program's memory.
  init(apart capacity: Int) {
    let pages = kvos_reserve_pages(capacity * MemoryLayout<Element>.stride)
    self.capacity = capacity
    start = pages?.bindMemory(to: Element.self, capacity: capacity) ?? .allocate(capacity: capacity)
    isPaged = pages != nil
  }

  deinit { Self.release(start, capacity, isPaged) }

  @inline(__always)
  mutating func append(_ element: Element) {
    guard reserve(1) else { fatalError("no memory for a list of \(count) elements") }
    (start + count).initialize(to: element)
    count += 1
  }

  @inline(__always)
  mutating func removeLast() -> Element {
    precondition(count > 0, "nothing is left in the list")
    count -= 1
    return start[count]
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get { start[index] }
    nonmutating set { start[index] = newValue }
  }

  /// Makes room for `added` more elements; false if there is no memory for them.
  @inline(__always)
  mutating func reserve(_ added: Int) -> Bool { capacity - count >= added || grow(by: added) }

  @inline(never)
  private mutating func grow(by added: Int) -> Bool {
    let needed = count + added
    guard isPaged || max(capacity * 2, needed) * MemoryLayout<Element>.stride >= Self.pagedByteCount
    else {
      let larger = max(capacity * 2, needed)
      let moved = UnsafeMutablePointer<Element>.allocate(capacity: larger)
      moved.moveInitialize(from: start, count: count)
      start.deallocate()
      (start, capacity) = (moved, larger)
      return true
    }
    // Address space costs nothing: memory is allocated when it is used.
    return grow(toPagesFor: max(capacity * 4, needed)) || grow(toPagesFor: needed)
  }

  private mutating func grow(toPagesFor larger: Int) -> Bool {
    let stride = MemoryLayout<Element>.stride
    let byteCount = (larger * stride + Self.largePage - 1) & ~(Self.largePage - 1)
    let pages = kvos_grow_pages(isPaged ? start : nil, capacity * stride, byteCount)
    guard let pages else { return false }
    let moved = pages.bindMemory(to: Element.self, capacity: byteCount / stride)
    if !isPaged {
      moved.moveInitialize(from: start, count: count)
      start.deallocate()
    }
    (start, capacity, isPaged) = (moved, byteCount / stride, true)
    return true
  }

  private static func release(
    _ start: UnsafeMutablePointer<Element>,
    _ capacity: Int,
    _ isPaged: Bool
  ) {
    if isPaged {
      kvos_free_pages(start, capacity * MemoryLayout<Element>.stride)
    } else {
      start.deallocate()
    }
  }
}
