import KVOAudit
import Testing

@Suite("The curve of live registrations")
struct LiveCurveTests {
  @Test("has a step for each event while there are few")
  func exact() {
    var curve = LiveCurve()
    #expect(curve.room == 1 && curve.peak == 0 && curve.index(of: 5) == 0)
    for (place, live) in [0, 1, 2, 1].enumerated() {
      curve.add(1, lastEvent: place + 1, live: live, time: UInt64(place))
    }
    #expect(curve.steps.map(\.live) == [0, 1, 2, 1])
    #expect(curve.steps.map(\.lastEvent) == [1, 2, 3, 4])
    #expect(curve.peak == 2)
  }

  @Test("has steps of twice as many events when it is full, and keeps the highest")
  func doubling() {
    var curve = LiveCurve()
    var number = 0
    // As many as fill it three times over, with one high moment.
    while number < LiveCurve.limit * 6 {
      number += 1
      curve.add(1, lastEvent: number, live: number == 7 ? 1_000 : 1, time: nil)
    }
    #expect(curve.stride == 8)
    #expect(curve.steps.count == LiveCurve.limit * 6 / 8)
    #expect(curve.steps[0].peak == 1_000 && curve.steps[0].live == 1)
    #expect(curve.steps[0].lastEvent == 8)
    #expect(curve.steps.last?.lastEvent == number)
    #expect(curve.peak == 1_000)
  }

  @Test("takes as many events at once as it has room for", arguments: [1, 3, 64])
  func pieces(size: Int) {
    var curve = LiveCurve()
    var number = 0
    while number < 100_000 {
      let count = min(size, curve.room)
      number += count
      curve.add(count, lastEvent: number, live: number, time: UInt64(number))
      #expect(curve.steps.count <= LiveCurve.limit)
    }
    #expect(curve.steps.dropLast().allSatisfy { $0.lastEvent % curve.stride == 0 })
    #expect(zip(curve.steps, curve.steps.dropFirst()).allSatisfy { $0.lastEvent < $1.lastEvent })
    #expect(curve.steps.last?.time == UInt64(number))
  }

  @Test("finds the step of an event, even with gaps in the numbers")
  func places() {
    var curve = LiveCurve()
    for number in [3, 7, 8] { curve.add(1, lastEvent: number, live: 0, time: nil) }
    #expect([1, 3, 4, 7, 8, 100].map { curve.index(of: $0) } == [0, 0, 1, 1, 2, 2])
  }
}
