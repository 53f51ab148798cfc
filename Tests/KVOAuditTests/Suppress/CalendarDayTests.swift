import Foundation
import KVOAudit
import Testing

@Suite("A day") struct CalendarDayTests {
  @Test(
    "is read as it is written",
    arguments: ["2027-01-31", "2024-02-29", "2000-02-29", "0001-12-31"]
  )
  func accepts(text: String) {
    #expect(CalendarDay(text)?.description == text)
  }

  @Test(
    "that is invalid is refused",
    arguments: [
      "", "2027", "2027-1-31", "2027-13-01", "2027-00-10", "2027-02-29", "1900-02-29", "2027-04-31",
      "2027-01-32", "2027-01-00", "31-01-2027", "2027/01/31", "2027-01-31 ", "+027-01-31",
      "2027-01-3１",
    ]
  )
  func refuses(text: String) {
    #expect(CalendarDay(text) == nil)
  }

  @Test("is that of the calendar, from second to second")
  func calendar() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for day in stride(from: -30_000, through: 60_000, by: 37) {
      for second in [0, 1, 86_399] {
        let seconds = day * 86_400 + second
        let date = Date(timeIntervalSince1970: TimeInterval(seconds))
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        let own = CalendarDay(secondsSince1970: seconds)
        #expect([own.year, own.month, own.day] == [parts.year, parts.month, parts.day])
        #expect(own.daysSince1970 == day)
      }
    }
  }

  @Test("comes after the days before it")
  func order() throws {
    let days = try ["2026-12-31", "2027-01-01", "2027-01-02", "2027-02-01"].map {
      try #require(CalendarDay($0))
    }
    #expect(days.shuffled().sorted() == days)
  }
}
