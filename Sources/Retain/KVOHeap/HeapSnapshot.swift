/// The objects of a process at one moment, the references between them, and the roots that lead to
/// them.
///
/// Objects, classes, images and strings are referred to by their indices. Addresses are numbers:
/// nothing reads the memory at them.
package struct HeapSnapshot: Hashable, Sendable {
  /// A file that the process had mapped as code.
  package struct Image: Hashable, Sendable {
    package var path: String
    /// The build ID in lowercase hexadecimal digits; empty if the file has none.
    package var buildID: String
    /// The addresses of its code.
    package var start: UInt64
    package var end: UInt64

    package init(path: String, buildID: String, start: UInt64, end: UInt64) {
      self.path = path
      self.buildID = buildID
      self.start = start
      self.end = end
    }
  }

  /// The kind of an object.
  package enum Kind: UInt32, CaseIterable, Sendable {
    /// An instance of a class.
    case instance = 0
    /// The context of a closure.
    case closure = 1
    /// Another object that the compiler or the runtime creates: a box, a block, a task.
    case other = 2
    /// Memory from the allocator that is not a Swift object.
    case allocation = 3
  }

  package struct Class: Hashable, Sendable {
    package var name: String
    /// The module; empty if it is not known.
    package var module: String
    package var kind: Kind

    package init(name: String, module: String, kind: Kind) {
      self.name = name
      self.module = module
      self.kind = kind
    }

    /// The name with the module as a prefix, if that is known.
    package var fullName: String { module.isEmpty ? name : "\(module).\(name)" }
  }

  package struct Object: Hashable, Sendable {
    package var address: UInt64
    /// The size of its allocation in bytes.
    package var byteCount: UInt64
    package var classIndex: Int
    /// Its references, as a range of ``HeapSnapshot/edges``.
    package var edges: Range<Int>
    /// How many strong references to it its reference count says; 0 if it has no count, or if that changed meanwhile.
    package var ownerCount: UInt32

    package init(
      address: UInt64,
      byteCount: UInt64,
      classIndex: Int,
      edges: Range<Int>,
      ownerCount: UInt32 = 0
    ) {
      self.address = address
      self.byteCount = byteCount
      self.classIndex = classIndex
      self.edges = edges
      self.ownerCount = ownerCount
    }
  }

  package struct Edge: Hashable, Sendable {
    /// The index of the target object.
    package var target: Int
    /// The path of the reference in the object, such as `pair.owner`; empty if it is not known.
    package var label: String
    /// Whether the compiler's metadata describes it as a strong reference; otherwise it is a word that may be one.
    package var isProven: Bool

    package init(target: Int, label: String, isProven: Bool) {
      self.target = target
      self.label = label
      self.isProven = isProven
    }
  }

  /// The location of a word outside of all objects that leads to an object.
  package enum RootKind: UInt32, CaseIterable, Sendable {
    /// A global, a static property, or another variable of an image.
    case global = 0
    /// The stack of the thread that wrote the snapshot: a variable, or the remains of an earlier one.
    case stack = 1
    /// A register of the thread that wrote the snapshot.
    case register = 2
    /// Memory of unknown use.
    case memory = 3
    /// The stack of another thread.
    case otherStack = 4

    package var name: String {
      switch self {
      case .global: "global"
      case .stack, .otherStack: "stack"
      case .register: "register"
      case .memory: "memory"
      }
    }
  }

  package struct Root: Hashable, Sendable {
    package var kind: RootKind
    /// The address of the word; 0 for a register.
    package var address: UInt64
    /// The index of the target object.
    package var object: Int

    package init(kind: RootKind, address: UInt64, object: Int) {
      self.kind = kind
      self.address = address
      self.object = object
    }
  }

  /// An object that the logs of the process name.
  package struct NumberedObject: Hashable, Sendable {
    /// The index of the object.
    package var object: Int
    /// The object's number in the logs of the process, which no other object of the process ever has.
    package var number: UInt64
    /// The class as logs name it.
    package var className: String

    package init(object: Int, number: UInt64, className: String) {
      self.object = object
      self.number = number
      self.className = className
    }
  }

  /// The parts of the process that were not read.
  package struct Gaps: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The allocations of a heap could not be listed, because another thread changed it.
    package static let changingHeap = Gaps(rawValue: 1)
    /// A mapping of 16 GiB or more.
    package static let hugeMapping = Gaps(rawValue: 2)
    /// Time ran out before all roots were read.
    package static let outOfTime = Gaps(rawValue: 4)
    /// Some objects that logs name have no number, because another thread was using the table of them.
    package static let numbers = Gaps(rawValue: 8)

    static let all: Gaps = [.changingHeap, .hugeMapping, .outOfTime, .numbers]
  }

  package var processID: UInt32
  package var processName: String
  /// Nanoseconds since 1970-01-01 00:00 UTC.
  package var time: UInt64
  /// When the process was started, in nanoseconds since 1970-01-01 00:00 UTC, to about a hundredth of a second; 0: not
  /// known.
  package var processStart: UInt64
  package var gaps: Gaps
  package var images: [Image]
  package var classes: [Class]
  /// The objects by rising addresses.
  package var objects: [Object]
  package var edges: [Edge]
  package var roots: [Root]
  /// The objects that logs name, in the order of the objects; nil: a file of a version without them.
  package var numbered: [NumberedObject]?

  package init(
    processID: UInt32,
    processName: String,
    time: UInt64,
    processStart: UInt64 = 0,
    gaps: Gaps = [],
    images: [Image] = [],
    classes: [Class] = [],
    objects: [Object] = [],
    edges: [Edge] = [],
    roots: [Root] = [],
    numbered: [NumberedObject]? = []
  ) {
    self.processID = processID
    self.processName = processName
    self.time = time
    self.processStart = processStart
    self.gaps = gaps
    self.images = images
    self.classes = classes
    self.objects = objects
    self.edges = edges
    self.roots = roots
    self.numbered = numbered
  }

  /// Whether both snapshots are of one process.
  ///
  /// A process ID is used again, in containers for each run. Another process has images at other addresses, which the
  /// system chooses anew, and was started at another time. Either alone proves nothing: an image may be loaded again, and
  /// the clock be set.
  package func isOfSameProcess(as other: HeapSnapshot) -> Bool {
    guard processID == other.processID else { return false }
    let (starts, otherStarts) = (imageStarts, other.imageStarts)
    let hasMoved = starts.contains { path, start in otherStarts[path].map { $0 != start } ?? false }
    guard hasMoved, processStart > 0, other.processStart > 0 else { return !hasMoved }
    let first = min(processStart, other.processStart)
    return max(processStart, other.processStart) - first <= Self.startTolerance
  }

  /// The system states the start to about a hundredth of a second.
  private static let startTolerance: UInt64 = 1_000_000_000

  private var imageStarts: [String: UInt64] {
    Dictionary(images.map { ($0.path, $0.start) }, uniquingKeysWith: min)
  }

  /// The index of the object that begins at `address`.
  ///
  /// Complexity: O(log n).
  package func object(at address: UInt64) -> Int? {
    var range = objects.indices
    while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
      let found = objects[middle].address
      if found == address { return middle }
      range = found < address ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// The class of an object.
  package func classOf(_ object: Int) -> Class { classes[objects[object].classIndex] }
}
