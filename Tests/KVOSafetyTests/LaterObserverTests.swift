import KVORecorder
import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

/// The notifications of an observer if an earlier notified one has changed the same value.
///
/// Foundation reads the new value for each observer, just before it calls it; the expected values are those that
/// the property has then.
@Suite("An observer that is notified after one that changed the value")
struct LaterObserverTests {
  /// Runs `body` while nothing records, and again while something does.
  private func eachWay(_ body: () -> Void) {
    body()
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    body()
    Recorder.shared.detach(memory)
  }

  @Test("has the corrected value last, with each combination of options", arguments: 0..<16)
  func corrected(bits: UInt) {
    eachWay {
      let meter = Meter()
      var heard: [Int] = []
      let options = ObservingOptions(rawValue: bits)
      let first = meter.observe(\.count, options: options) { meter, change in
        if !change.isPrior, meter.count > 10 { meter.count = 10 }
      }
      let second = meter.observe(\.count, options: [.new]) { meter, change in
        #expect(change.newValue == meter.count)
        heard.append(change.newValue ?? -1)
      }
      meter.count = 15
      #expect(heard == [10, 10])
      first.invalidate()
      second.invalidate()
    }
  }

  @Test("in the classic form, by name and as a stream as well")
  func forms() async {
    let meter = Meter()
    let listener = Listener()
    var heard: [Int?] = []
    let first = meter.observe(\.count) { meter, _ in if meter.count > 10 { meter.count = 10 } }
    meter.addObserver(listener, forKeyPath: "count", options: [.new])
    let second = meter.observe(keyPath: "count", options: [.new]) { _, change in
      heard.append(change.newValue as? Int)
    }
    var values = meter.values(for: \.count, buffering: .newest(1)).makeAsyncIterator()
    meter.count = 15
    #expect(listener.heard == ["count setting to 10", "count setting to 10"])
    #expect(heard == [10, 10])
    #expect(await values.next() == 10)
    meter.removeObserver(listener, forKeyPath: "count")
    first.invalidate()
    second.invalidate()
  }

  @Test("has the current end of its path, if another object was put on the path")
  func moved() {
    eachWay {
      let (root, previous, latter) = (Meter(), Meter(), Meter())
      root.next = previous
      latter.count = 7
      let first = previous.observe(\.count) { [unowned root] _, _ in root.next = latter }
      var heard: [String] = []
      let second = root.observe(keyPath: "next.count", options: [.old, .new]) { _, change in
        heard.append("\(change.oldValue as Any) \(change.newValue as Any)")
      }
      previous.count = 1
      #expect(heard == ["Optional(1) Optional(7)", "Optional(0) Optional(7)"])
      first.invalidate()
      second.invalidate()
    }
  }

  @Test("has the inserted elements, even if removed again; a callback's assignment is a change")
  func elements() throws {
    let meter = Meter()
    var heard: [String] = []
    let first = meter.observe(\.samples, options: [.prior]) { meter, change in
      if change.kind == .insertion { meter.samples = change.isPrior ? [1, 2] : [] }
    }
    let second = meter.observe(\.samples, options: [.new]) { _, change in
      heard.append("\(change.kind) \(change.newValue ?? [])")
    }
    try meter.mutableValues(of: \.samples).insert(5, at: 0)
    #expect(heard == ["setting [1, 2]", "setting []", "insertion [5]"])
    #expect(meter.samples == [])
    first.invalidate()
    second.invalidate()
  }
}
