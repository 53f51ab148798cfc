import KVOReplay
import KVORules
import Testing

@Suite("A series of runs") struct RunSeriesTests {
  @Test(
    "keeps the first and the last, and others equally far apart",
    arguments: [0, 1, 64, 65, 1_000, 5_000]
  )
  func thinned(count: Int) {
    var series = RunSeries()
    for run in 0..<count { series.append(run * 2, run: run + 3) }
    let points = series.points
    #expect(points.count <= RunSeries.limit + 1)
    #expect(points.first?.run == (count > 0 ? 3 : nil))
    #expect(points.last?.run == (count > 0 ? count + 2 : nil))
    #expect(points.allSatisfy { $0.count == ($0.run - 3) * 2 })
    let steps = zip(points, points.dropFirst()).map { $1.run - $0.run }
    #expect(Set(steps.dropLast()).count <= 1)
    if count > RunSeries.limit { #expect(points.count >= RunSeries.limit / 2) }
  }
}
