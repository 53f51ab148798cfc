import KVOAudit
import Testing

@Suite("Registrations by call site")
struct CallSitesTests {
  private func row(_ name: String, _ made: Int, _ live: Int = 0) -> CallSites.Row {
    CallSites.Row(
      calls: [.init(name: "main"), .init(name: name, place: "\(name).swift:1", isFirstOwn: true)],
      observed: "Account.balance",
      madeCount: made,
      liveCount: live
    )
  }

  @Test("those of the same calls are one, the commonest first")
  func merging() {
    var sites = CallSites(rows: [row("a", 1, 1), row("b", 2)])
    sites.add([row("a", 3, 1), row("c", 2)], rest: .init(madeCount: 5, liveCount: 4))
    #expect(sites.rows == [row("a", 4, 2), row("b", 2), row("c", 2)])
    #expect(sites.madeCount == 13 && sites.liveCount == 6)
  }

  @Test("of too many, the rarest are only counted")
  func bounds() {
    let all = (1...CallSites.limit + 10).map { row("f\($0)", $0, 1) }
    let sites = CallSites(rows: all)
    #expect(sites.rows.count == CallSites.limit)
    #expect(sites.rows.last == row("f11", 11, 1))
    #expect(sites.rest == .init(madeCount: (1...10).reduce(0, +), liveCount: 10))
    #expect(sites.madeCount == all.reduce(0) { $0 + $1.madeCount })
  }

  @Test("the table has a row for each own call, whoever called it")
  func table() {
    var other = row("a", 2, 1)
    other.calls[0].name = "other"
    let table = CallSiteTable(
      CallSites(rows: [
        row("a", 3), other, row("b", 4),
        .init(calls: [], observed: "X.y", madeCount: 1, liveCount: 0),
        .init(calls: [.init(name: "0x10")], observed: "X.y", madeCount: 1, liveCount: 0),
      ])
    )
    #expect(
      table.rows.map { "\($0.function) \($0.place) \($0.madeCount)/\($0.liveCount)" } == [
        "a a.swift:1 5/1", "b b.swift:1 4/0", "(no stack recorded)  1/0", "0x10  1/0",
      ]
    )
  }
}
