import CKVOLifetime
import KVORecorder

/// What happened to objects, in order, and which are watched.
enum Deaths {
  private struct State {
    var watched: Set<UInt> = []
    var steps: [String] = []
    var beginCount = 0
    var endCount = 0
  }
  private static let state = GuardedState<State>(State())

  static func install() {
    kvos_set_deallocation_callbacks(
      { object in
        let isWatched = Deaths.state.withLock { state in
          guard state.watched.contains(UInt(bitPattern: object)) else { return false }
          state.steps.append("begins")
          state.beginCount += 1
          return true
        }
        return isWatched ? UnsafeMutableRawPointer(mutating: object) : nil
      },
      { token in
        Deaths.state.withLock { state in
          state.watched.remove(UInt(bitPattern: token))
          state.steps.append("ended")
          state.endCount += 1
        }
        kvos_unwatch_deallocation(token)
      }
    )
  }

  /// False if the class cannot be watched.
  @discardableResult
  static func watch(_ object: AnyObject) -> Bool {
    let pointer = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    state.withLock { _ = $0.watched.insert(UInt(bitPattern: pointer)) }
    return kvos_watch_deallocation(pointer) == 0
  }

  static func note(_ step: String) { state.withLock { $0.steps.append(step) } }

  /// The notes since the last call.
  static func takeSteps() -> String {
    state.withLock { state in
      defer { state.steps = [] }
      return state.steps.joined(separator: ", ")
    }
  }

  static var counts: (begun: Int, ended: Int) { state.withLock { ($0.beginCount, $0.endCount) } }
}

private class Base {
  deinit { Deaths.note("Base") }
}

private final class Derived: Base {
  private let text = String(repeating: "long enough to be on the heap", count: 3)
  deinit { Deaths.note("Derived \(text.count)") }
}

private final class Box<Value> {
  let value: Value
  init(_ value: Value) { self.value = value }
  deinit { Deaths.note("Box<\(Value.self)>") }
}

private actor Worker {
  deinit { Deaths.note("Worker") }
}

private final class Holder {
  weak var weakly: Base?
  unowned(safe) var safely: Base
  init(_ base: Base) {
    weakly = base
    safely = base
  }
}

enum LifetimeProbe {
  static func run() {
    Deaths.install()
    kvos_set_deallocation_callbacks({ _ in nil }, { _ in print("the second callbacks were taken") })
    single("class", Base.init)
    single("subclass", Derived.init)
    single("generic class") { Box(1) }
    single("the same, of another type") { Box("one") }
    single("generic, of itself") { Box(Box(2)) }
    single("actor", Worker.init)
    print("unwatched: \(steps { _ = Base() })")
    print("unwatched subclass: \(steps { _ = Derived() })")
    print(
      "watched twice: "
        + steps {
          let object = Base()
          Deaths.watch(object)
          Deaths.watch(object)
          kvos_unwatch_deallocation(Unmanaged.passUnretained(object).toOpaque())
        }
    )
    print("with references: \(references())")
    unwatchedAmongWatched()
    manyThreads()
  }

  private static func steps(_ body: () -> Void) -> String {
    body()
    return Deaths.takeSteps()
  }

  private static func single(_ name: String, _ make: () -> some AnyObject) {
    print(
      "\(name): "
        + steps {
          let object = make()
          let type = ObjectIdentifier(Swift.type(of: object))
          if !Deaths.watch(object) { Deaths.note("cannot be watched") }
          // Neither the class nor its casts are changed by the watch.
          if ObjectIdentifier(Swift.type(of: object)) != type { Deaths.note("is another class") }
        }
    )
  }

  private static func references() -> String {
    var object: Base? = Base()
    let holder = object.map(Holder.init)
    if let object { Deaths.watch(object) }
    object = nil
    return Deaths.takeSteps() + ", weak is \(holder?.weakly == nil ? "nil" : "set")"
  }

  private static func unwatchedAmongWatched() {
    let before = Deaths.counts
    for number in 0..<10_000 {
      let object = Box(UInt8(truncatingIfNeeded: number))
      if number % 100 == 0 { Deaths.watch(object) }
    }
    let after = Deaths.counts
    print("100 of 10,000: \(after.begun - before.begun) begun, \(after.ended - before.ended) ended")
    _ = Deaths.takeSteps()
  }

  /// Eight threads meet eighteen classes for the first time.
  private static func manyThreads() {
    let before = Deaths.counts
    let threads = (0..<8).map { index in
      ProbeThread {
        for round in 0..<100 {
          for step in 0..<classes.count {
            Deaths.watch(classes[(index + round + step) % classes.count]())
          }
        }
      }
    }
    for thread in threads { thread.join() }
    let after = Deaths.counts
    print("8 threads: \(after.begun - before.begun) begun, \(after.ended - before.ended) ended")
  }

  private static let classes: [@Sendable () -> AnyObject] = [
    { Box(Int8(0)) }, { Box(Int16(0)) }, { Box(Int32(0)) }, { Box(Int64(0)) },
    { Box(UInt16(0)) }, { Box(UInt32(0)) }, { Box(UInt64(0)) }, { Box(Float(0)) },
    { Box(Double(0)) }, { Box(true) }, { Box([0]) }, { Box([""]) }, { Box(0..<1) },
    { Box(Character("a")) }, { Box(Optional(1)) }, { Box((1, 2)) }, { Derived() }, { Worker() },
  ]
}
