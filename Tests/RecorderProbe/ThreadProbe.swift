import CKVOUnwind
import Glibc
import KVORecorder

enum ThreadProbe {
  static func run() {
    print("main: \(kvos_thread_number()), \(name)")
    numbers()
    names()
    objects()
    print("main: \(kvos_thread_number())")
  }

  private static var name: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      guard let base = buffer.baseAddress else { return "" }
      kvos_thread_name(base, buffer.count)
      return String(cString: base)
    }
  }

  private static func numbers() {
    let seen = GuardedState<[UInt64]>([])
    for _ in 0..<1000 {
      ProbeThread {
        let numbers = [kvos_thread_number(), kvos_thread_number()]
        seen.withLock { $0.append(numbers[0] == numbers[1] ? numbers[0] : 0) }
      }.join()
    }
    print("one after the other: \(seen.withLock { $0 } == Array(2...1001))")
    seen.withLock { $0 = [] }
    let threads = (0..<64).map { _ in
      ProbeThread { seen.withLock { $0.append(kvos_thread_number()) } }
    }
    for thread in threads { thread.join() }
    print("at once: \(seen.withLock { $0.sorted() } == Array(1002...1065))")
  }

  private static func names() {
    for name in ["worker", "fifteen letters"] {
      ProbeThread {
        let file = open("/proc/thread-self/comm", O_WRONLY)
        _ = write(file, name, name.utf8.count)
        close(file)
        print("named: \"\(Self.name)\"")
      }.join()
    }
  }

  private final class Owned: Sendable {
    let name: String
    init(_ name: String) { self.name = name }
    deinit { print("released \(name) on thread \(kvos_thread_number())") }
  }

  private static func objects() {
    ProbeThread {
      print("object before: \(kvos_thread_object() == nil ? "none" : "some")")
      let object = Unmanaged.passRetained(Owned("the thread's object")).toOpaque()
      kvos_set_thread_object(object) { Unmanaged<Owned>.fromOpaque($0).release() }
      print("object kept: \(kvos_thread_object() == object)")
      print("number: \(kvos_thread_number())")
    }.join()
    print("joined")
    ProbeThread {
      print("object of the next thread: \(kvos_thread_object() == nil ? "none" : "some")")
      let object = Unmanaged.passRetained(Owned("a second object")).toOpaque()
      // Another function changes nothing: the first one stays.
      kvos_set_thread_object(object) { _ in print("wrong") }
    }.join()
  }
}

/// A thread that can be joined.
final class ProbeThread {
  private var thread = pthread_t()

  @discardableResult
  init(_ run: @escaping @Sendable () -> Void) {
    let body = Unmanaged.passRetained(Body(run: run))
    pthread_create(
      &thread,
      nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
      },
      body.toOpaque()
    )
  }

  func join() { pthread_join(thread, nil) }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
