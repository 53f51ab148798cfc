import KVOReplay
import KVORules
import Testing

@testable import KVOReports

@Suite("Retain cycles and growths as drawings")
struct DrawingTests {
  private func edges(_ count: Int, isClosed: Bool = true) -> [Finding.Edge] {
    (0..<count).map { place in
      Finding.Edge(
        from: .init(className: "Node", id: "\(place)"),
        label: "next\(place)",
        to: .init(className: "Node", id: "\(isClosed ? (place + 1) % count : place + 1)"),
        strength: "strong",
        certainty: place == 1 ? "suspected" : "proven"
      )
    }
  }

  @Test("a cycle has a box for each object, and the last arrow leads back")
  func cycle() {
    let drawing = CycleDrawing(edges(3))
    #expect(drawing.boxes.map(\.text) == ["Node#0", "Node#1", "Node#2"])
    #expect(drawing.boxes.map(\.y) == [0, 76, 152])
    #expect(
      drawing.arrows == [
        .init(from: 0, to: 1, label: "next0", isSuspected: false),
        .init(from: 1, to: 2, label: "next1", isSuspected: true),
        .init(from: 2, to: 0, label: "next2", isSuspected: false),
      ]
    )
    #expect(drawing.boxWidth == 120)
    #expect(drawing.height == 188)
    #expect(drawing.width == 220)
  }

  @Test("an object that holds itself has one box and one arrow")
  func loop() {
    let drawing = CycleDrawing(edges(1))
    #expect(drawing.boxes.count == 1)
    #expect(drawing.arrows == [.init(from: 0, to: 0, label: "next0", isSuspected: false)])
    #expect(drawing.height == 36)
  }

  @Test("references that do not lead back are drawn as a chain")
  func chain() {
    let drawing = CycleDrawing(edges(2, isClosed: false))
    #expect(drawing.boxes.map(\.text) == ["Node#0", "Node#1", "Node#2"])
    #expect(drawing.arrows.map(\.to) == [1, 2])
  }

  @Test("of a long one the middle is left out, and counted", arguments: [true, false])
  func long(isClosed: Bool) {
    let drawing = CycleDrawing(edges(isClosed ? 100 : 99, isClosed: isClosed))
    #expect(drawing.boxes.count == CycleDrawing.objectLimit)
    #expect(drawing.boxes.map(\.text)[7...9] == ["Node#7", "… 85 more objects", "Node#93"])
    #expect(drawing.boxes.map(\.isGap).count { $0 } == 1)
    #expect(drawing.arrows.count == (isClosed ? 16 : 15))
    #expect(drawing.arrows[7].label == "next7" && drawing.arrows[8].label == "next92")
    #expect(drawing.arrows.last?.to == (isClosed ? 0 : 15))
  }

  @Test("a name that is too long for its box is cut, and its control characters spelled out")
  func names() {
    var edge = edges(1)[0]
    edge.label = "\u{202e}" + String(repeating: "x", count: 500)
    edge.from = .init(className: String(repeating: "W", count: 100_000), id: "1")
    edge.to = edge.from
    let drawing = CycleDrawing([edge])
    #expect(drawing.boxes[0].text == String(repeating: "W", count: 50) + "…")
    #expect(drawing.arrows[0].label.hasPrefix("\\u{202e}xxx"))
    #expect(drawing.boxWidth <= 420 && drawing.width < 900)
  }

  @Test("a growth has a bar for each run, as high as its count")
  func growth() {
    let plot = GrowthPlot([(8, 2), (9, 5), (10, 10)].map { .init(run: $0.0, count: $0.1) })
    #expect(plot.bars.map(\.count) == [2, 5, 10])
    #expect(plot.bars.map(\.run) == [8, 9, 10])
    #expect(plot.bars.map(\.x) == [0, 40, 80])
    #expect(plot.bars.map { HTMLText.number($0.height) } == ["16.8", "42", "84"])
    #expect(plot.bars.map { HTMLText.number($0.y) } == ["67.2", "42", "0"])
    #expect(plot.bars.map(\.isLabeled) == [true, true, true])
    #expect(GrowthPlot([]).bars.isEmpty)
    #expect(GrowthPlot([.init(run: 1, count: 0)]).bars[0].height == 0)
  }

  @Test("of many runs, as many have numbers as there is room for, the last one always")
  func manyRuns() {
    let plot = GrowthPlot((1...65).map { .init(run: $0 * 100, count: $0 * 1_000) })
    #expect(plot.barWidth == 10 && plot.bars.count == 65)
    let labeled = plot.bars.filter(\.isLabeled)
    #expect(labeled.last?.run == 6_500)
    // "65,000" takes 46 points.
    #expect(zip(labeled, labeled.dropFirst()).allSatisfy { $1.x - $0.x >= 46 })
  }
}
